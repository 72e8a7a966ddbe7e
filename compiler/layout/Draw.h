// Pictures of a layout: which unit holds which element as which of its values, or at which byte and bank of shared memory an element lies.
// As text for hovers and terminals, as SVG for papers. The same layout gives the same bytes.
//
// Rows and columns are the first and the last axis of the tensor (a tensor of one axis is one row; axes between and before are taken at
// coordinate 0). Elements that stay together are one cell: up to 16 bytes of a row that are one run in memory, or values of one unit that
// follow each other.
// Thread rule: functions of their arguments.
#pragma once
#include "layout/Layout.h"

#include <string>

namespace tilewright::layout {

struct DrawOptions {
  int elementBits = 16;
  int maxRows = 16, maxColumns = 16; // cells; what does not fit is left out, and said so
  bool banks = true;                 // of a memory layout: the first bank after the byte
};

/// A heading that says what a cell shows, then the table, without a final line break. "" for what cannot be drawn: no elements, or modes that
/// are not those of the shape.
///
///     cell: thread:value, of 128 threads holding 4 values each
///            0       2       4       6
///      0   0:0-1   1:0-1   2:0-1   3:0-1
///      1   4:0-1   5:0-1   6:0-1   7:0-1
std::string drawText(const TensorLayout &layout, const std::vector<int64_t> &shape, const DrawOptions &options);

/// The same as SVG 1.1: cells are coloured by unit, or by the group of banks (16 bytes) they lie in, with a legend. `title` stands above.
std::string drawSvg(const TensorLayout &layout, const std::vector<int64_t> &shape, const std::string &title, const DrawOptions &options);

/// The shape that a layout's own modes state: its top-level modes.
std::vector<int64_t> shapeOf(const TensorLayout &layout);

} // namespace tilewright::layout
