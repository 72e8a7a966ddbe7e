// Runs through the values that mesh coordinates and loop variables take together: every unit of a wave (or of the whole mesh), loops at
// their first iteration or all of them. Coordinates of a mesh that runs in several waves move together, in the mesh's linear order.
// Thread rule: pure; the callback runs on the caller's thread.
#pragma once
#include "analysis/Scopes.h"

#include <functional>
#include <span>

namespace tilewright::analysis {

struct Sweep {
  bool wholeMesh = false;           // all positions, not only the first wave
  std::vector<int> running;         // scopes of loops that run to their end; the others stand at their first iteration
  bool allLoops = false;
  int64_t budget = 1'000'000;       // combinations
};

enum class Swept : uint8_t { Done, TooMany, Cancelled };

/// Calls `visit` once per combination of the variables (which are completed by those their ranges depend on).
Swept sweep(const Model &model, std::span<const VariableId> variables, const Sweep &how, const std::function<void(std::span<const int64_t>)> &visit);

/// Variables that must be enumerated together with `variables` under `how`.
std::vector<VariableId> together(const Model &model, std::span<const VariableId> variables, const Sweep &how);

} // namespace tilewright::analysis
