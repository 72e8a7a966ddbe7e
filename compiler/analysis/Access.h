// What one occurrence of an op moves, boundary by boundary: one boundary per operand and per result leaf, read or written, with the bytes
// of the value as written and the bytes one unit of each level reaches. A unit performs the iterations that every split of the op's
// operands and results leaves to it, and reaches what those touch; a value nobody split is reached where the iterations touch it.
// Thread rule: pure functions.
#pragma once
#include "analysis/Report.h"
#include "analysis/Scopes.h"

#include <cstdint>

namespace tilewright::analysis {

struct Boundary {
  int argument = -1;              // -1: the result
  int leaf = 0;
  const ir::TensorType *type = nullptr;
  bool read = false, write = false;
  bool footprint = true;          // fills write without touching the cache's addresses
  int64_t logical = 0;            // bytes as written
  std::vector<int64_t> perUnit;
  /// Elements one unit of the selected level reaches along each axis of the value, and whether another split moved it off the start.
  std::vector<int64_t> reached;
  bool indices = false;           // scalars that say where
  int64_t most = INT64_MAX;       // elements, where data chooses which: one per coordinate
};

struct Movement {
  std::vector<Boundary> boundaries;
  std::map<std::string, Traffic> communication;
  bool structural = false;        // takes part in no measurement (index arithmetic of slices)
};

Movement movementOf(const ir::FunctionPlan &plan, ir::ValueId value, const Levels &levels, int64_t positions);
/// The traffic of all boundaries, by storage; scalars of the address arithmetic count as registers.
std::map<std::string, Traffic> trafficOf(const Movement &movement, const Levels &levels, int64_t positions);
/// The rows of `--operands` and of the JSON report.
std::vector<OperandTraffic> operandRows(const ir::FunctionPlan &plan, ir::ValueId value, const Movement &movement);
/// `f32[77] gmem`; a tuple is its first field with `+`.
std::string typeLabel(const ir::Type &type);
/// How an operand is named in rows: its name, a literal, `(m, k)`.
std::string operandName(const ir::FunctionPlan &plan, ir::ValueId value);

} // namespace tilewright::analysis
