// How a value is shared out: which part of each logical axis one unit of a topology level holds. A level's unit holds the value divided by
// every split over mesh axes at that level or a coarser one; broadcasts and partial sums divide nothing.
// Thread rule: pure functions.
#pragma once
#include "ir/Types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::analysis {

/// The declared topology levels, coarsest first, and the one whose unit the report counts (-1: none declared).
struct Levels {
  std::vector<layout::Topology> declared;
  int selected = -1;
  size_t size() const { return declared.size(); }
  int named(const std::string &name) const;
};

/// One split of a logical axis: over which mesh axis, at which level.
struct AxisSplit {
  int logicalAxis = -1, meshAxis = -1, level = -1;
  int64_t positions = 1;
};

/// Level of one mesh axis; -1 for a level the module does not declare.
int levelOf(const layout::Mesh &mesh, int axis, const Levels &levels);
/// Positions of the mesh at levels no finer than `level`.
int64_t positionsUpTo(const layout::Mesh &mesh, int level, const Levels &levels);
std::vector<AxisSplit> splitsOf(const ir::TensorType &type, const Levels &levels);
/// The logical axis to which each flattened mode belongs; empty when the modes do not factor the shape.
std::vector<int> axisOfModes(const ir::TensorType &type);
/// What one unit at `level` holds of each axis.
std::vector<int64_t> localShape(const ir::TensorType &type, int level, const Levels &levels);
int64_t elementsOf(const std::vector<int64_t> &shape);
int64_t bytesOf(int64_t elements, ir::DType dtype);

/// Whether a reshard names the same bytes: same storage, and every element keeps its address in every instance of that storage.
bool sameBytes(const ir::TensorType &from, const ir::TensorType &to, const Levels &levels);
/// Bytes a physical layout spans in one unit at `level`, holes included.
int64_t spanBytes(const ir::TensorType &type, int level, const Levels &levels);

} // namespace tilewright::analysis
