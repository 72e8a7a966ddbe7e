// Layouts as the DSL spells them: `(64, 64)`, `((128, 64), (512, 1))`, `(4 @ thread.w, 16, 64)`, `Layout(...) | Swizzle(3, 4, 3)`,
// `(32, 48) @ {B()}`. Names of mesh axes depend on the place, so whoever prints supplies them.
#pragma once
#include "layout/Layout.h"

#include <functional>

namespace tilewright::layout {

/// `mesh.bm` for an axis of the given mesh at the place of printing; "" if the axis has no name there.
using AxisNamer = std::function<std::string(const Mesh &mesh, int axis)>;

/// A mesh that is open at the place of printing, under its name there.
struct NamedMesh {
  std::shared_ptr<const Mesh> mesh;
  std::string alias;
};
/// Names the axes of open scopes, the innermost last. A layout's mesh may join levels of several scopes; each axis is looked for among
/// the levels.
AxisNamer axisNamer(std::vector<NamedMesh> scopes);

/// `(64, 64)`, `((2, 8), 4)`, `(64,)`.
std::string printTuple(const IntTuple &tuple);
std::string printTuple(const std::vector<int64_t> &values);
/// `Mesh((Topology("thread", 128),), layout=(4, 32), names=("w", "l"))`. The layout is `Layout(shape, strides)` when the strides are not
/// row-major, and takes several lines, with `indent` spaces before them, for a mesh that does not start at the first unit.
std::string printMesh(const Mesh &mesh, int indent = 0);
/// The same as a `with` or a decorator opens it: strides are written beside the extents, `layout=((32, 4), (1, 32))`.
std::string printMeshScope(const Mesh &mesh);
/// The layout of a tensor. Strides that are row-major are left out unless the value is split. A layout that the short forms cannot say
/// (an axis without a name, a window of a shared-out value) is written as its parts over several lines: it begins with a line break
/// and `indent` spaces.
std::string printLayout(const TensorLayout &layout, const AxisNamer &axisName, int indent = 0);
/// One line of a text that may have several: a line break and the spaces after it become one space.
std::string oneLine(std::string_view text);

} // namespace tilewright::layout
