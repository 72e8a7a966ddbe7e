#include "layout/Layout.h"

#include "support/Check.h"

namespace tilewright::layout {

IntTuple IntTuple::tuple(std::vector<IntTuple> elements) {
  IntTuple result;
  result.isTuple = true;
  result.elements = std::move(elements);
  return result;
}

IntTuple IntTuple::of(const std::vector<int64_t> &flat) {
  return tuple(std::vector<IntTuple>(flat.begin(), flat.end()));
}

static void flatten(const IntTuple &tuple, std::vector<int64_t> &out) {
  if (!tuple.isTuple) {
    out.push_back(tuple.value);
    return;
  }
  for (const IntTuple &element : tuple.elements)
    flatten(element, out);
}

std::vector<int64_t> IntTuple::flat() const {
  std::vector<int64_t> out;
  flatten(*this, out);
  return out;
}

int64_t IntTuple::product() const {
  int64_t result = 1;
  for (int64_t leaf : flat())
    result *= leaf;
  return result;
}

static IntTuple replaceLeaves(const IntTuple &tuple, const std::vector<int64_t> &leaves, size_t &next) {
  if (!tuple.isTuple)
    return IntTuple(leaves[next++]);
  std::vector<IntTuple> elements;
  for (const IntTuple &element : tuple.elements)
    elements.push_back(replaceLeaves(element, leaves, next));
  return IntTuple::tuple(std::move(elements));
}

IntTuple IntTuple::congruent(const std::vector<int64_t> &leaves) const {
  TW_CHECK(leaves.size() == flat().size(), "as many leaves as the tuple has");
  size_t next = 0;
  return replaceLeaves(*this, leaves, next);
}

bool IntTuple::operator==(const IntTuple &other) const {
  return isTuple == other.isTuple && (isTuple ? elements == other.elements : value == other.value);
}

bool TensorLayout::operator==(const TensorLayout &other) const {
  if ((mesh == nullptr) != (other.mesh == nullptr) || (mesh && mesh != other.mesh && !(*mesh == *other.mesh)))
    return false;
  return shape == other.shape && strides == other.strides && offset == other.offset && swizzle == other.swizzle &&
         states == other.states && explicitState == other.explicitState && window == other.window;
}

std::vector<int64_t> compactStrides(const std::vector<int64_t> &extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t step = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    strides[i] = step;
    step *= extents[i];
  }
  return strides;
}

std::vector<int64_t> flatStrides(const TensorLayout &layout) {
  return layout.strides ? layout.strides->flat() : compactStrides(layout.shape.flat());
}

TensorLayout compact(const std::vector<int64_t> &shape) {
  TensorLayout layout;
  layout.shape = IntTuple::of(shape);
  layout.strides = IntTuple::of(compactStrides(shape));
  return layout;
}

bool isCompact(const TensorLayout &layout) { return flatStrides(layout) == compactStrides(layout.shape.flat()); }

bool isSharded(const TensorLayout &layout) {
  for (const AxisState &state : layout.states)
    if (state.kind == StateKind::Split || state.kind == StateKind::Partial)
      return true;
  return false;
}

std::optional<std::vector<int>> axisOfModes(const std::vector<int64_t> &shape, const IntTuple &modes) {
  std::vector<int> axes;
  if (modes.isTuple && modes.elements.size() == shape.size()) {
    bool congruent = true;
    for (size_t i = 0; i < shape.size() && congruent; ++i)
      congruent = modes.elements[i].product() == shape[i];
    if (congruent) {
      for (size_t i = 0; i < shape.size(); ++i)
        axes.insert(axes.end(), modes.elements[i].flat().size(), static_cast<int>(i));
      return axes;
    }
  }
  const std::vector<int64_t> extents = modes.flat();
  size_t next = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t filled = 1;
    while (filled != shape[axis]) {
      if (next == extents.size() || extents[next] == 0 || filled > shape[axis])
        return std::nullopt;
      filled *= extents[next++];
      axes.push_back(static_cast<int>(axis));
    }
    // Modes of extent 1 that follow: one for each of the axes of extent 1 that follow, the rest belong here.
    size_t ones = 0, unitAxes = 0;
    while (next + ones < extents.size() && extents[next + ones] == 1)
      ++ones;
    while (axis + 1 + unitAxes < shape.size() && shape[axis + 1 + unitAxes] == 1)
      ++unitAxes;
    const size_t keep = ones > unitAxes ? ones - unitAxes : 0;
    for (size_t i = 0; i < keep; ++i, ++next)
      axes.push_back(static_cast<int>(axis));
  }
  if (next != extents.size())
    return std::nullopt;
  return axes;
}

} // namespace tilewright::layout
