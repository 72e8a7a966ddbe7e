// How transfers read a layout: the dims of a tensor map, the box that one issue moves, the vectors of a run. Every function reads the modes of the
// tile axis by axis, modes of extent 1 left out. Private to matching.
// Thread rule: functions of their arguments.
#pragma once
#include "instruction/Types.h"

#include <array>

namespace tilewright::instruction {

/// A step along one axis of a tile: modes that continue each other are one run.
struct Run {
  int64_t extent = 1, step = 0;
};
/// The runs of each axis, fastest first, joined while a run has at most `limit` elements; the run at step 1 at most `innerLimit`. Null if some
/// mode crosses axes.
std::optional<std::vector<std::vector<Run>>> runsByAxis(const layout::TensorLayout &layout, const std::vector<int64_t> &shape, int64_t limit, int64_t innerLimit);

/// A tensor map describes global memory by the contiguous dim and at most four others: their steps, 0 where there is none. Null if it cannot.
std::optional<std::array<int64_t, 4>> tensorMapSteps(const layout::TensorLayout &layout, const std::vector<int64_t> &shape);

/// The extents of the box that one tensor copy moves, the contiguous one first, 1 where there is none. Rows of a swizzled box are `span` elements apart
/// (0: no swizzle, rows follow each other). Null if the tile is no such box.
std::optional<std::array<int64_t, 5>> boxDims(const layout::TensorLayout &layout, const std::vector<int64_t> &shape, int64_t span);

/// The widest of 16, 8 and 4 bytes that divides the contiguous run and every other step, and that a swizzle keeps together; `wanted`: whether that one does.
std::optional<int64_t> vectorBytes(const layout::TensorLayout &layout, const std::vector<int64_t> &shape, int elementBits, std::optional<int64_t> wanted);

/// The axis along whose last mode a tile steps by 1.
struct Walk {
  int axis = -1;      // -1: none does
  int contiguous = 0; // the axis that has the step of 1 at all
  bool grouped = true; // the layout is one group of modes per axis
};
Walk walkOf(const layout::TensorLayout &layout, const std::vector<int64_t> &shape);

} // namespace tilewright::instruction
