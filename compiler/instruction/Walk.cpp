#include "instruction/Walk.h"

#include <algorithm>
#include <limits>

namespace tilewright::instruction {

using layout::TensorLayout;

namespace {
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
constexpr int64_t kBoxExtent = 256; // of one dim of a box (PTX ISA, tensor maps)

/// Modes of each axis in the order in which they stand.
std::optional<std::vector<std::vector<Run>>> modesByAxis(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  const auto axes = layout::axisOfModes(shape, layout.shape);
  if (!axes)
    return std::nullopt;
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  std::vector<std::vector<Run>> out(shape.size());
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] != 1)
      out[static_cast<size_t>((*axes)[i])].push_back({extents[i], strides[i]});
  return out;
}
} // namespace

std::optional<std::vector<std::vector<Run>>> runsByAxis(const TensorLayout &layout, const std::vector<int64_t> &shape, int64_t limit, int64_t innerLimit) {
  const auto modes = modesByAxis(layout, shape);
  if (!modes)
    return std::nullopt;
  std::vector<std::vector<Run>> out;
  for (const std::vector<Run> &axis : *modes) {
    std::vector<Run> runs;
    for (size_t i = axis.size(); i-- > 0;) {
      Run *last = runs.empty() ? nullptr : &runs.back();
      const bool continues = last && axis[i].step == last->extent * last->step && last->extent <= (last->step == 1 ? innerLimit : limit) / axis[i].extent;
      if (continues)
        last->extent *= axis[i].extent;
      else
        runs.push_back(axis[i]);
    }
    out.push_back(std::move(runs));
  }
  return out;
}

std::optional<std::array<int64_t, 4>> tensorMapSteps(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  const auto modes = modesByAxis(layout, shape);
  if (!modes)
    return std::nullopt;
  std::array<int64_t, 4> steps{};
  size_t count = 0;
  bool contiguous = false, any = false;
  for (const std::vector<Run> &axis : *modes)
    for (const Run &mode : axis) {
      any = true;
      if (mode.step == 1 && !contiguous) {
        contiguous = true;
        continue;
      }
      if (count == steps.size())
        return std::nullopt;
      steps[count++] = mode.step;
    }
  if (any && !contiguous)
    return std::nullopt;
  return steps;
}

std::optional<std::array<int64_t, 5>> boxDims(const TensorLayout &layout, const std::vector<int64_t> &shape, int64_t span) {
  const auto axes = runsByAxis(layout, shape, kBoxExtent, span ? std::min(span, kBoxExtent) : kBoxExtent);
  if (!axes)
    return std::nullopt;
  std::vector<Run> dims;
  for (const std::vector<Run> &axis : *axes)
    dims.insert(dims.end(), axis.begin(), axis.end());
  std::stable_sort(dims.begin(), dims.end(), [](const Run &a, const Run &b) { return a.step < b.step; });
  std::array<int64_t, 5> extents{1, 1, 1, 1, 1};
  if (dims.size() > extents.size())
    return std::nullopt;
  int64_t next = 1; // step that the next dim must have
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].step != next)
      return std::nullopt;
    extents[i] = dims[i].extent;
    next = i == 0 && span ? span : next * dims[i].extent;
  }
  return extents;
}

std::optional<int64_t> vectorBytes(const TensorLayout &layout, const std::vector<int64_t> &shape, int elementBits, std::optional<int64_t> wanted) {
  const auto axes = runsByAxis(layout, shape, kUnlimited, kUnlimited);
  if (!axes || elementBits % 8 != 0)
    return std::nullopt;
  const int64_t bytes = elementBits / 8;
  for (const int64_t width : {int64_t{16}, int64_t{8}, int64_t{4}}) {
    if (wanted && width != *wanted)
      continue;
    bool fits = !layout.swizzle || layout.swizzle->bits == 0 || width <= int64_t{1} << std::clamp(layout.swizzle->base, 0, 30);
    bool contiguous = false;
    for (const std::vector<Run> &axis : *axes)
      for (const Run &run : axis) {
        const bool first = run.step == 1 && !contiguous;
        contiguous |= run.step == 1;
        fits = fits && (first ? run.extent : run.step) * bytes % width == 0;
      }
    if (fits && contiguous)
      return width;
  }
  return std::nullopt;
}

Walk walkOf(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  Walk walk;
  walk.contiguous = shape.empty() ? 0 : static_cast<int>(shape.size()) - 1;
  if (!layout.mesh) {
    walk.grouped = layout.shape.isTuple && layout.shape.elements.size() == shape.size();
    for (size_t i = 0; walk.grouped && i < shape.size(); ++i)
      walk.grouped = layout.shape.elements[i].product() == shape[i];
  }
  const auto modes = modesByAxis(layout, shape);
  if (!modes) {
    walk.grouped = false;
    return walk;
  }
  bool found = false;
  for (size_t axis = 0; axis < modes->size(); ++axis)
    for (const Run &mode : (*modes)[axis])
      if (mode.step == 1 && !found) {
        walk.contiguous = static_cast<int>(axis);
        found = true;
      }
  if (found && (*modes)[static_cast<size_t>(walk.contiguous)].back().step == 1)
    walk.axis = walk.contiguous;
  return walk;
}

} // namespace tilewright::instruction
