#include "instruction/Tiles.h"

#include <algorithm>

namespace tilewright::instruction {

using layout::IntTuple;
using layout::TensorLayout;

namespace {
/// The modes of one axis, with the flattened index that each had.
struct AxisModes {
  std::vector<int64_t> extents, strides;
  std::vector<int> from;
  bool tuple = true; // written as a group
};

std::string number(int64_t value) { return std::to_string(value); }

/// Null if some mode crosses axes.
std::optional<std::vector<AxisModes>> byAxis(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  const auto axes = layout::axisOfModes(shape, layout.shape);
  if (!axes)
    return std::nullopt;
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  std::vector<AxisModes> out(shape.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    AxisModes &axis = out[static_cast<size_t>((*axes)[i])];
    axis.extents.push_back(extents[i]);
    axis.strides.push_back(strides[i]);
    axis.from.push_back(static_cast<int>(i));
  }
  return out;
}

/// A layout of these modes: one group per axis where the original was written so, flat otherwise.
TensorLayout joined(const TensorLayout &original, const std::vector<AxisModes> &axes) {
  const bool perAxis = original.shape.isTuple && original.shape.elements.size() == axes.size() &&
                       std::any_of(original.shape.elements.begin(), original.shape.elements.end(), [](const IntTuple &one) { return one.isTuple; });
  std::vector<IntTuple> shape, strides;
  std::vector<int> moved(original.shape.flat().size(), -1);
  int next = 0;
  for (const AxisModes &axis : axes) {
    for (int from : axis.from)
      if (from >= 0)
        moved[static_cast<size_t>(from)] = next++;
      else
        ++next;
    if (perAxis) {
      const bool one = axis.extents.size() == 1 && !axis.tuple;
      shape.push_back(one ? IntTuple(axis.extents[0]) : IntTuple::of(axis.extents));
      strides.push_back(one ? IntTuple(axis.strides[0]) : IntTuple::of(axis.strides));
      continue;
    }
    for (size_t i = 0; i < axis.extents.size(); ++i) {
      shape.push_back(IntTuple(axis.extents[i]));
      strides.push_back(IntTuple(axis.strides[i]));
    }
  }
  TensorLayout layout = original;
  layout.shape = IntTuple::tuple(std::move(shape));
  layout.strides = IntTuple::tuple(std::move(strides));
  for (layout::AxisState &state : layout.states)
    if (state.kind == layout::StateKind::Split)
      state.mode = moved[static_cast<size_t>(state.mode)];
  return layout;
}

TensorLayout layoutOf(const TensorType &type) { return type.layout ? *type.layout : layout::compact(type.shape); }

Tiled refused(const TensorType &type, std::string reason, int axis = -1) { return {type, std::move(reason), axis}; }

Tiled mismatchedRank(const TensorType &operand, const std::vector<int64_t> &counts) {
  std::string list, shape;
  for (int64_t count : counts)
    list += (list.empty() ? "" : ", ") + number(count);
  for (int64_t extent : operand.shape)
    shape += number(extent) + ", ";
  if (operand.shape.size() == 1)
    shape.pop_back();
  else if (!shape.empty())
    shape.resize(shape.size() - 2);
  return refused(operand, "tile counts (" + list + (counts.size() == 1 ? ",)" : ")") + " do not match logical shape (" + shape + ")");
}
} // namespace

Tiled leadingRemoved(const TensorType &operand, const std::vector<int64_t> &counts) {
  if (operand.shape.size() != counts.size())
    return mismatchedRank(operand, counts);
  const TensorLayout layout = layoutOf(operand);
  auto axes = byAxis(layout, operand.shape);
  if (!axes)
    return refused(operand, "its modes do not group into the axes of the tensor");
  TensorType tile = operand;
  for (size_t i = 0; i < counts.size(); ++i) {
    AxisModes &axis = (*axes)[i];
    const IntTuple *written = layout.shape.isTuple && layout.shape.elements.size() == counts.size() ? &layout.shape.elements[i] : nullptr;
    axis.tuple = written && written->isTuple;
    if (counts[i] == 1)
      continue;
    int64_t product = 1;
    size_t leading = 0;
    while (leading < axis.extents.size() && product < counts[i])
      product *= axis.extents[leading++];
    if (product != counts[i])
      return refused(operand, "layout axis " + number(static_cast<int64_t>(i)) + " has no leading modes whose product is tile count " + number(counts[i]), static_cast<int>(i));
    const auto cut = static_cast<ptrdiff_t>(leading);
    axis.extents.erase(axis.extents.begin(), axis.extents.begin() + cut);
    axis.strides.erase(axis.strides.begin(), axis.strides.begin() + cut);
    axis.from.erase(axis.from.begin(), axis.from.begin() + cut);
    if (axis.extents.empty()) {
      axis.extents = {1};
      axis.strides = {0};
      axis.from = {-1};
    }
    if (axis.extents.size() == 1)
      axis.tuple = false;
    tile.shape[i] /= counts[i];
  }
  tile.layout = joined(layout, *axes);
  return {std::move(tile), {}, -1};
}

std::vector<int64_t> groupsOf(const TensorType &operand, size_t frame) {
  std::vector<int64_t> groups(operand.shape.size(), 1);
  if (!operand.layout || !operand.layout->mesh || operand.layout->mesh->shape.size() < frame)
    return groups;
  const auto axes = layout::axisOfModes(operand.shape, operand.layout->shape);
  const size_t count = operand.layout->mesh->shape.size() - frame;
  for (size_t i = 0; axes && i < count && i < operand.layout->states.size(); ++i)
    if (const layout::AxisState &state = operand.layout->states[i]; state.kind == layout::StateKind::Split)
      groups[static_cast<size_t>((*axes)[static_cast<size_t>(state.mode)])] *= operand.layout->mesh->shape[i];
  return groups;
}

Tiled heldByIssue(const TensorType &operand, std::vector<int64_t> counts, size_t frame) {
  if (operand.shape.size() != counts.size())
    return mismatchedRank(operand, counts);
  TensorType tile = operand;
  TensorLayout layout = layoutOf(operand);
  if (!layout.mesh || layout.mesh->shape.size() < frame)
    return {std::move(tile), {}, -1};
  auto axes = byAxis(layout, operand.shape);
  if (!axes)
    return refused(operand, "its modes do not group into the axes of the tensor");
  for (AxisModes &axis : *axes)
    axis.tuple = false;
  // Groups go first: their modes, and their axes of the mesh.
  const size_t groups = layout.mesh->shape.size() - frame;
  if (groups > 0) {
    for (size_t g = 0; g < groups; ++g) {
      if (layout.states[g].kind != layout::StateKind::Split)
        continue;
      for (size_t i = 0; i < axes->size(); ++i) {
        AxisModes &axis = (*axes)[i];
        const auto at = std::find(axis.from.begin(), axis.from.end(), layout.states[g].mode);
        if (at == axis.from.end())
          continue;
        const auto mode = at - axis.from.begin();
        const int64_t extent = axis.extents[static_cast<size_t>(mode)];
        if (counts[i] % extent != 0)
          return refused(operand, "tile count " + number(counts[i]) + " of axis " + number(static_cast<int64_t>(i)) + " is not shared out over " + number(extent) + " groups",
                         static_cast<int>(i));
        counts[i] /= extent;
        tile.shape[i] /= extent;
        axis.extents.erase(axis.extents.begin() + mode);
        axis.strides.erase(axis.strides.begin() + mode);
        axis.from.erase(at);
        if (axis.extents.empty()) {
          axis.extents = {1};
          axis.strides = {0};
          axis.from = {-1};
        }
      }
    }
    layout::Mesh own = *layout.mesh;
    const auto cut = static_cast<ptrdiff_t>(groups);
    own.shape.erase(own.shape.begin(), own.shape.begin() + cut);
    own.strides.erase(own.strides.begin(), own.strides.begin() + cut);
    if (own.names.size() >= groups)
      own.names.erase(own.names.begin(), own.names.begin() + cut);
    layout.mesh = std::make_shared<const layout::Mesh>(std::move(own));
    layout.states.erase(layout.states.begin(), layout.states.begin() + cut);
  }
  // What is still repeated: the first part of the axis, its fastest modes as far as they reach.
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 1)
      continue;
    AxisModes &axis = (*axes)[i];
    if (tile.shape[i] % counts[i] != 0)
      return refused(operand, "extent " + number(tile.shape[i]) + " of axis " + number(static_cast<int64_t>(i)) + " is not " + number(counts[i]) + " issues", static_cast<int>(i));
    tile.shape[i] /= counts[i];
    int64_t rest = tile.shape[i];
    AxisModes kept;
    kept.tuple = false;
    for (size_t k = axis.extents.size(); k-- > 0 && rest > 1;) {
      const int64_t part = rest % axis.extents[k] == 0 ? axis.extents[k] : axis.extents[k] % rest == 0 ? rest : 0;
      if (part == 0)
        return refused(operand, "a window of " + number(tile.shape[i]) + " does not end between the modes of axis " + number(static_cast<int64_t>(i)), static_cast<int>(i));
      kept.extents.insert(kept.extents.begin(), part);
      kept.strides.insert(kept.strides.begin(), axis.strides[k]);
      kept.from.insert(kept.from.begin(), axis.from[k]);
      rest /= part;
    }
    for (size_t unit = 0; unit < layout.states.size(); ++unit) {
      const layout::AxisState &state = layout.states[unit];
      if (state.kind != layout::StateKind::Split)
        continue;
      const auto whole = std::find(axis.from.begin(), axis.from.end(), state.mode);
      const auto left = std::find(kept.from.begin(), kept.from.end(), state.mode);
      if (whole == axis.from.end())
        continue;
      if (left == kept.from.end() ||
          kept.extents[static_cast<size_t>(left - kept.from.begin())] != axis.extents[static_cast<size_t>(whole - axis.from.begin())])
        return refused(operand,
                       "Slice narrows axis " + number(static_cast<int64_t>(i)) + ", which mesh axis " + number(static_cast<int64_t>(unit)) +
                           " splits; a window need not align with the mesh division. Slice before placing, or reshard to a layout that leaves axis " +
                           number(static_cast<int64_t>(i)) + " whole.",
                       static_cast<int>(i));
    }
    if (kept.extents.empty()) {
      kept.extents = {1};
      kept.strides = {axis.strides.back()};
      kept.from = {-1};
    }
    axis = std::move(kept);
  }
  // `joined` numbers states by the modes of the layout as it was.
  TensorLayout joint = joined(layout, *axes);
  tile.layout = std::move(joint);
  return {std::move(tile), {}, -1};
}

int64_t swizzleRemainder(const layout::Swizzle &swizzle, int64_t offset, int elementBits) {
  if (swizzle.bits == 0)
    return 0;
  const int64_t row = (int64_t{1} << std::clamp(swizzle.bits + swizzle.base, 0, 40)) * 8 / std::max(elementBits, 1);
  return row > 0 ? offset % row : 0;
}

} // namespace tilewright::instruction
