// Layouts as the DSL spells them: `(64, 64)`, `((128, 64), (512, 1))`, `(4 @ thread.w, 16, 64)`, `Layout(...) | Swizzle(3, 4, 3)`,
// `(32, 48) @ {B()}`. Names of mesh axes depend on the place, so whoever prints supplies them.
#pragma once
#include "layout/Layout.h"

#include <functional>

namespace tilewright::layout {

/// `mesh.bm` for an axis of the given mesh at the place of printing; "" if the axis has no name there.
using AxisNamer = std::function<std::string(const Mesh &mesh, int axis)>;

/// `(64, 64)`, `((2, 8), 4)`, `(64,)`.
std::string printTuple(const IntTuple &tuple);
std::string printTuple(const std::vector<int64_t> &values);
/// `Mesh((Topology("thread", 128),), layout=(4, 32), names=("w", "l"))`.
std::string printMesh(const Mesh &mesh);
/// The layout of a tensor of this shape. Strides that are row-major are left out unless the value is shared out; a layout none of the
/// short forms can say (an axis without a name) is written as its parts, over several lines with `indent` spaces before the parts.
std::string printLayout(const TensorLayout &layout, const std::vector<int64_t> &shape, const AxisNamer &axisName, int indent = 0);

} // namespace tilewright::layout
