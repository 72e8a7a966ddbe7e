#include "analysis/Distribution.h"

#include <algorithm>
#include <cstdlib>

namespace tilewright::analysis {

int Levels::named(const std::string &name) const {
  for (size_t i = 0; i < declared.size(); ++i)
    if (declared[i].name == name)
      return static_cast<int>(i);
  return -1;
}

int levelOf(const layout::Mesh &mesh, int axis, const Levels &levels) {
  if (mesh.topologies.empty())
    return -1;
  size_t which = mesh.topologies.size() - 1;
  int64_t finer = 1, stride = axis < static_cast<int>(mesh.strides.size()) ? mesh.strides[static_cast<size_t>(axis)] : 1;
  while (which > 0 && stride >= finer * mesh.topologies[which].extent) {
    finer *= mesh.topologies[which].extent;
    --which;
  }
  return levels.named(mesh.topologies[which].name);
}

int64_t positionsUpTo(const layout::Mesh &mesh, int level, const Levels &levels) {
  int64_t positions = 1;
  for (size_t i = 0; i < mesh.shape.size(); ++i) {
    int own = levelOf(mesh, static_cast<int>(i), levels);
    if (own >= 0 && own <= level)
      positions *= mesh.shape[i];
  }
  return positions;
}

std::vector<int> axisOfModes(const ir::TensorType &type) {
  if (!type.layout)
    return {};
  const layout::IntTuple &shape = type.layout->shape;
  std::vector<int> axes;
  if (shape.isTuple && shape.elements.size() == type.shape.size()) {
    bool grouped = true;
    for (size_t i = 0; i < type.shape.size(); ++i)
      grouped = grouped && shape.elements[i].product() == type.shape[i];
    if (grouped) {
      for (size_t i = 0; i < type.shape.size(); ++i)
        axes.insert(axes.end(), shape.elements[i].flat().size(), static_cast<int>(i));
      return axes;
    }
  }
  std::vector<int64_t> modes = shape.flat();
  size_t axis = 0;
  int64_t product = 1;
  bool taken = false;
  for (size_t i = 0; i < modes.size(); ++i) {
    // An axis is complete when its modes multiply to its extent; a mode of 1 more stays with it while enough modes remain for the others.
    if (taken && axis < type.shape.size() && product == type.shape[axis]) {
      bool stays = modes[i] == 1 && modes.size() - i > type.shape.size() - axis - 1;
      if (!stays) {
        ++axis;
        product = 1;
      }
    }
    if (axis >= type.shape.size())
      return {};
    axes.push_back(static_cast<int>(axis));
    taken = true;
    product *= modes[i];
    if (product == 0 || type.shape[axis] % product != 0)
      return {};
  }
  return axes;
}

std::vector<AxisSplit> splitsOf(const ir::TensorType &type, const Levels &levels) {
  std::vector<AxisSplit> splits;
  if (!type.layout || !type.layout->mesh)
    return splits;
  const layout::Mesh &mesh = *type.layout->mesh;
  std::vector<int> axes;
  for (size_t i = 0; i < type.layout->states.size() && i < mesh.shape.size(); ++i) {
    const layout::AxisState &state = type.layout->states[i];
    if (state.kind != layout::StateKind::Split)
      continue;
    if (axes.empty())
      axes = axisOfModes(type);
    int logical = state.mode >= 0 && static_cast<size_t>(state.mode) < axes.size() ? axes[static_cast<size_t>(state.mode)] : -1;
    splits.push_back({logical, static_cast<int>(i), levelOf(mesh, static_cast<int>(i), levels), mesh.shape[i]});
  }
  return splits;
}

std::vector<int64_t> localShape(const ir::TensorType &type, int level, const Levels &levels) {
  std::vector<int64_t> shape = type.shape;
  for (const AxisSplit &split : splitsOf(type, levels))
    if (split.logicalAxis >= 0 && split.level >= 0 && split.level <= level) {
      int64_t &extent = shape[static_cast<size_t>(split.logicalAxis)];
      extent = (extent + split.positions - 1) / split.positions;
    }
  return shape;
}

int64_t elementsOf(const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

int64_t bytesOf(int64_t elements, ir::DType dtype) { return (elements * ir::bits(dtype) + 7) / 8; }

namespace {
struct Mode {
  int64_t extent, stride;
  const layout::Mesh *mesh; // not null: split over this mesh axis
  int meshAxis;
};

std::vector<int64_t> stridesOf(const layout::TensorLayout &layout) {
  std::vector<int64_t> modes = layout.shape.flat();
  if (layout.strides) {
    std::vector<int64_t> strides = layout.strides->flat();
    if (strides.size() == modes.size())
      return strides;
  }
  std::vector<int64_t> strides(modes.size(), 1);
  for (size_t i = modes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * modes[i];
  return strides;
}

layout::TensorLayout plain(const ir::TensorType &type) {
  layout::TensorLayout layout;
  layout.shape = layout::IntTuple::of(type.shape);
  return layout;
}

/// The modes that place an element inside one instance of the storage, merged where neighbours are contiguous; `held` lists the split ones.
std::vector<Mode> placed(const ir::TensorType &type, bool dropSplits, std::vector<Mode> &held) {
  layout::TensorLayout layout = type.layout ? *type.layout : plain(type);
  std::vector<int64_t> modes = layout.shape.flat(), strides = stridesOf(layout);
  std::vector<const layout::Mesh *> mesh(modes.size(), nullptr);
  std::vector<int> axis(modes.size(), -1);
  if (layout.mesh)
    for (size_t i = 0; i < layout.states.size(); ++i)
      if (layout.states[i].kind == layout::StateKind::Split && layout.states[i].mode >= 0 && static_cast<size_t>(layout.states[i].mode) < modes.size()) {
        mesh[static_cast<size_t>(layout.states[i].mode)] = layout.mesh.get();
        axis[static_cast<size_t>(layout.states[i].mode)] = static_cast<int>(i);
      }
  std::vector<Mode> merged;
  for (size_t i = 0; i < modes.size(); ++i) {
    Mode mode{modes[i], strides[i], mesh[i], axis[i]};
    if (mode.mesh)
      held.push_back(mode);
    if (mode.extent == 1 || (mode.mesh && dropSplits))
      continue;
    if (!merged.empty() && merged.back().stride == mode.extent * mode.stride) {
      merged.back().extent *= mode.extent;
      merged.back().stride = mode.stride;
    } else {
      merged.push_back(mode);
    }
  }
  return merged;
}

bool equal(const std::vector<Mode> &a, const std::vector<Mode> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].extent != b[i].extent || a[i].stride != b[i].stride)
      return false;
  return true;
}
} // namespace

bool sameBytes(const ir::TensorType &from, const ir::TensorType &to, const Levels &levels) {
  if (from.storage != to.storage || from.shape != to.shape)
    return false;
  if ((from.layout && from.layout->swizzle) != (to.layout && to.layout->swizzle) || (from.layout && to.layout && from.layout->swizzle != to.layout->swizzle))
    return false;
  // Global memory has one instance per device: only addresses count. Registers have one per thread: a split over threads places elements.
  bool perUnit = from.storage == ir::Storage::Rmem || from.storage == ir::Storage::Smem;
  std::vector<Mode> heldFrom, heldTo;
  std::vector<Mode> a = placed(from, perUnit, heldFrom), b = placed(to, perUnit, heldTo);
  if (!perUnit)
    return equal(a, b) || !heldFrom.empty() || !heldTo.empty();
  if (heldFrom.size() != heldTo.size())
    return false;
  std::vector<int> axesFrom = axisOfModes(from), axesTo = axisOfModes(to);
  // How far apart in their axis the elements of two neighbours are: the extents of the modes behind the split one.
  auto step = [](const ir::TensorType &type, const std::vector<int> &axes, const AxisSplit &split) {
    const std::vector<int64_t> modes = type.layout->shape.flat();
    int64_t elements = 1;
    for (size_t mode = static_cast<size_t>(type.layout->states[static_cast<size_t>(split.meshAxis)].mode) + 1; mode < modes.size() && mode < axes.size(); ++mode)
      elements *= axes[mode] == split.logicalAxis ? modes[mode] : 1;
    return elements;
  };
  for (const AxisSplit &split : splitsOf(from, levels)) {
    bool kept = false;
    for (const AxisSplit &other : splitsOf(to, levels))
      kept = kept || (other.logicalAxis == split.logicalAxis && other.positions == split.positions && other.level == split.level && other.meshAxis == split.meshAxis &&
                      step(from, axesFrom, split) == step(to, axesTo, other));
    if (!kept)
      return false;
  }
  return equal(a, b);
}

int64_t spanBytes(const ir::TensorType &type, int level, const Levels &levels) {
  int64_t logical = bytesOf(elementsOf(localShape(type, level, levels)), type.dtype);
  if (!type.layout || !type.layout->strides)
    return logical;
  std::vector<int64_t> modes = type.layout->shape.flat(), strides = stridesOf(*type.layout);
  for (const AxisSplit &split : splitsOf(type, levels))
    if (split.level >= 0 && split.level <= level) {
      int mode = type.layout->states[static_cast<size_t>(split.meshAxis)].mode;
      if (mode >= 0 && static_cast<size_t>(mode) < modes.size())
        modes[static_cast<size_t>(mode)] = 1;
    }
  int64_t last = type.layout->offset;
  for (size_t i = 0; i < modes.size(); ++i)
    last += (std::max<int64_t>(modes[i], 1) - 1) * std::max<int64_t>(strides[i], 0);
  int64_t span = last + 1;
  if (type.layout->swizzle) { // it permutes within whole blocks, so the last of them is taken whole
    const layout::Swizzle &swizzle = *type.layout->swizzle;
    const int bits = swizzle.bits + swizzle.base + std::abs(swizzle.shift);
    if (bits < 32)
      span = (span + (int64_t{1} << bits) - 1) >> bits << bits;
  }
  return std::max(logical, bytesOf(span, type.dtype));
}

} // namespace tilewright::analysis
