#include "layout/Algebra.h"

#include "support/Check.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tilewright::layout {

Modes modesOf(const TensorLayout &layout) {
  const std::vector<int64_t> extents = layout.shape.flat(), strides = flatStrides(layout);
  Modes modes(extents.size());
  for (size_t i = 0; i < extents.size(); ++i)
    modes[i] = {extents[i], strides[i]};
  return modes;
}

int64_t size(const Modes &modes) {
  int64_t count = 1;
  for (const Mode &mode : modes)
    count *= mode.extent;
  return count;
}

int64_t span(const Modes &modes) {
  int64_t last = 0;
  for (const Mode &mode : modes) {
    if (mode.extent == 0)
      return 0;
    last += (mode.extent - 1) * mode.stride;
  }
  return last + 1;
}

int64_t offsetAt(const Modes &modes, int64_t index) {
  int64_t offset = 0;
  for (size_t i = modes.size(); i-- > 0;) {
    offset += index % modes[i].extent * modes[i].stride;
    index /= modes[i].extent;
  }
  return offset;
}

std::vector<int64_t> coordinateOf(std::span<const int64_t> extents, int64_t index) {
  std::vector<int64_t> at(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    at[i] = index % extents[i];
    index /= extents[i];
  }
  return at;
}

Modes coalesce(const Modes &modes) {
  Modes out;
  for (const Mode &mode : modes) {
    if (mode.extent == 1)
      continue;
    if (!out.empty() && out.back().stride == mode.extent * mode.stride)
      out.back() = {out.back().extent * mode.extent, mode.stride};
    else
      out.push_back(mode);
  }
  return out;
}

std::optional<Modes> compose(const Modes &outer, const Modes &inner) {
  if (size(inner) == 0 || std::any_of(inner.begin(), inner.end(), [](const Mode &mode) { return mode.stride < 0; }) || span(inner) > size(outer))
    return std::nullopt;
  const Modes whole = coalesce(outer);
  // An index of `outer` is a number whose digits are the coordinates of `whole`. The modes of `inner` may be taken one by one only if their sum
  // never carries from one digit into the next: `reach` is the largest value that the digit comes to.
  std::vector<int64_t> reach(whole.size());
  Modes out;
  for (const Mode &mode : inner) {
    if (mode.extent == 1 || mode.stride == 0) {
      out.push_back({mode.extent, 0});
      continue;
    }
    Modes reversed; // the fastest mode of the result first
    int64_t step = mode.stride, wanted = mode.extent;
    for (size_t i = whole.size(); i-- > 0 && wanted > 1;) {
      const auto [extent, stride] = whole[i];
      if (step % extent == 0) {
        step /= extent;
        continue;
      }
      const bool inside = (wanted - 1) * step < extent;
      if (!inside && (extent % step != 0 || wanted % (extent / step) != 0))
        return std::nullopt;
      const int64_t taken = inside ? wanted : extent / step;
      reversed.push_back({taken, stride * step});
      reach[i] += (taken - 1) * step;
      wanted /= taken;
      step = 1;
    }
    if (wanted > 1)
      return std::nullopt;
    out.insert(out.end(), reversed.rbegin(), reversed.rend());
  }
  for (size_t i = 0; i < whole.size(); ++i)
    if (reach[i] >= whole[i].extent)
      return std::nullopt;
  return out;
}

std::optional<Modes> complement(const Modes &modes, int64_t count) {
  Modes sorted = modes;
  std::erase_if(sorted, [](const Mode &mode) { return mode.extent == 1; });
  std::sort(sorted.begin(), sorted.end(), [](const Mode &a, const Mode &b) { return a.stride > b.stride; });
  Modes reversed;
  int64_t filled = 1; // offsets 0 .. filled-1 are reached once the modes so far are repeated
  for (size_t i = sorted.size(); i-- > 0;) {
    const Mode &mode = sorted[i];
    if (mode.stride <= 0 || mode.extent == 0 || mode.stride % filled != 0)
      return std::nullopt;
    if (mode.stride != filled)
      reversed.push_back({mode.stride / filled, filled});
    filled = mode.stride * mode.extent;
  }
  if (count <= 0 || count % filled != 0)
    return std::nullopt;
  if (count != filled)
    reversed.push_back({count / filled, filled});
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::optional<Modes> inverse(const Modes &modes) {
  const Modes flat = coalesce(modes);
  std::vector<size_t> order(flat.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return flat[a].stride > flat[b].stride; });
  std::vector<int64_t> below(flat.size()); // index step of each mode
  int64_t step = 1;
  for (size_t i = flat.size(); i-- > 0;) {
    below[i] = step;
    step *= flat[i].extent;
  }
  Modes out;
  int64_t reached = 1;
  for (size_t i = order.size(); i-- > 0;) {
    if (flat[order[i]].stride != reached)
      return std::nullopt;
    reached *= flat[order[i]].extent;
    out.push_back({flat[order[i]].extent, below[order[i]]});
  }
  if (reached != size(modes))
    return std::nullopt;
  std::reverse(out.begin(), out.end());
  return out;
}

std::optional<LeadingSplit> splitLeading(const Modes &modes, int64_t count) {
  if (count <= 0)
    return std::nullopt;
  LeadingSplit split;
  int64_t left = count;
  for (const Mode &mode : modes) {
    if (left == 1 || mode.extent == 1) {
      (left == 1 ? split.rest : split.leading).push_back(mode);
    } else if (mode.extent != 0 && left % mode.extent == 0) {
      split.leading.push_back(mode);
      left /= mode.extent;
    } else if (mode.extent % left == 0) {
      split.leading.push_back({left, mode.extent / left * mode.stride});
      split.rest.push_back({mode.extent / left, mode.stride});
      left = 1;
    } else {
      return std::nullopt;
    }
  }
  if (left != 1)
    return std::nullopt;
  return split;
}

static std::vector<int64_t> sortedOffsets(const Modes &modes) {
  std::vector<int64_t> offsets{0};
  for (const Mode &mode : modes) {
    const size_t before = offsets.size();
    offsets.reserve(before * static_cast<size_t>(mode.extent));
    for (int64_t i = 1; i < mode.extent; ++i)
      for (size_t j = 0; j < before; ++j)
        offsets.push_back(offsets[j] + i * mode.stride);
    if (mode.extent == 0)
      offsets.clear();
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

bool injective(const Modes &modes) {
  Modes sorted = coalesce(modes);
  std::sort(sorted.begin(), sorted.end(), [](const Mode &a, const Mode &b) { return std::abs(a.stride) < std::abs(b.stride); });
  // Each step longer than everything inside it is enough; where it is not, the offsets are listed.
  int64_t inside = 0;
  for (const Mode &mode : sorted) {
    if (mode.stride == 0)
      return size(modes) == 0;
    if (std::abs(mode.stride) <= inside) {
      const std::vector<int64_t> offsets = sortedOffsets(sorted);
      return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
    }
    inside += (mode.extent - 1) * std::abs(mode.stride);
  }
  return true;
}

bool disjoint(const Modes &a, int64_t first, const Modes &b, int64_t second) {
  if (size(a) == 0 || size(b) == 0)
    return true;
  const auto range = [](const Modes &modes, int64_t start) {
    AxisRange range{start, start + 1};
    for (const Mode &mode : modes)
      (mode.stride < 0 ? range.start : range.stop) += (mode.extent - 1) * mode.stride;
    return range;
  };
  const AxisRange x = range(a, first), y = range(b, second);
  if (x.stop <= y.start || y.stop <= x.start)
    return true;
  const std::vector<int64_t> left = sortedOffsets(a), right = sortedOffsets(b);
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    const int64_t p = left[i] + first, q = right[j] + second;
    if (p == q)
      return false;
    p < q ? ++i : ++j;
  }
  return true;
}

bool valid(const Swizzle &swizzle) {
  return swizzle.bits >= 0 && swizzle.base >= 0 && std::abs(swizzle.shift) >= swizzle.bits && swizzle.bits + swizzle.base + std::abs(swizzle.shift) < 63;
}

int64_t swizzled(const Swizzle &swizzle, int64_t index) {
  const int64_t mask = ((int64_t{1} << swizzle.bits) - 1) << (swizzle.base + std::max(swizzle.shift, 0));
  return index ^ (swizzle.shift >= 0 ? (index & mask) >> swizzle.shift : (index & mask) << -swizzle.shift);
}

/// One coordinate per mode of an element: its axis's coordinate taken apart row-major over the axis's modes.
static std::vector<int64_t> modeCoordinate(const std::vector<int64_t> &extents, const std::vector<int> &axes, const std::vector<int64_t> &coordinate) {
  std::vector<int64_t> left = coordinate, at(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    int64_t &rest = left[static_cast<size_t>(axes[i])];
    at[i] = rest % extents[i];
    rest /= extents[i];
  }
  return at;
}

std::optional<int64_t> offsetOf(const TensorLayout &layout, const std::vector<int64_t> &shape, const std::vector<int64_t> &coordinate) {
  TW_CHECK(coordinate.size() == shape.size(), "a coordinate has one entry per axis");
  const Modes modes = modesOf(layout);
  int64_t index = 0, count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    index = index * shape[i] + coordinate[i];
    count *= shape[i];
  }
  if (count != size(modes))
    return std::nullopt;
  return layout.offset + offsetAt(modes, index);
}

int64_t byteAt(const TensorLayout &layout, int64_t offset, int elementBits) {
  const int64_t byte = offset * elementBits / 8;
  return layout.swizzle ? swizzled(*layout.swizzle, byte) : byte;
}

std::optional<int64_t> byteOf(const TensorLayout &layout, const std::vector<int64_t> &shape, const std::vector<int64_t> &coordinate, int elementBits) {
  const auto offset = offsetOf(layout, shape, coordinate);
  if (!offset)
    return std::nullopt;
  return byteAt(layout, *offset, elementBits);
}

int64_t unitAt(const Mesh &mesh, int64_t position) {
  const std::vector<int64_t> at = coordinateOf(mesh.shape, position);
  int64_t unit = mesh.offset;
  for (size_t i = 0; i < at.size(); ++i)
    unit += at[i] * mesh.strides[i];
  return unit;
}

std::optional<Holders> Holders::of(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  const auto axes = axisOfModes(shape, layout.shape);
  if (!layout.mesh || !axes)
    return std::nullopt;
  Holders holders;
  holders.shape_ = shape;
  holders.extents_ = layout.shape.flat();
  holders.meshShape_ = layout.mesh->shape;
  holders.axes_ = *axes;
  holders.splitBy_.assign(holders.extents_.size(), -1);
  for (size_t i = 0; i < layout.states.size(); ++i) {
    const int64_t extent = holders.meshShape_[i];
    holders.positions_ *= extent;
    if (layout.states[i].kind != StateKind::Split) {
      holders.copies_ *= extent;
      continue;
    }
    const auto mode = static_cast<size_t>(layout.states[i].mode);
    if (mode >= holders.extents_.size() || holders.extents_[mode] != extent)
      return std::nullopt;
    holders.splitBy_[mode] = static_cast<int>(i);
  }
  const std::vector<int64_t> strides = flatStrides(layout);
  for (size_t i = 0; i < holders.extents_.size(); ++i)
    if (holders.splitBy_[i] < 0) {
      holders.held_ *= holders.extents_[i];
      holders.order_.push_back(i);
    }
  std::stable_sort(holders.order_.begin(), holders.order_.end(), [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  return holders;
}

std::vector<int64_t> Holders::coordinateOfModes(const std::vector<int64_t> &coordinate) const { return modeCoordinate(extents_, axes_, coordinate); }

int64_t Holders::position(const std::vector<int64_t> &coordinate) const {
  const std::vector<int64_t> at = coordinateOfModes(coordinate);
  const std::vector<int64_t> step = compactStrides(meshShape_);
  int64_t position = 0;
  for (size_t i = 0; i < at.size(); ++i)
    if (splitBy_[i] >= 0)
      position += at[i] * step[static_cast<size_t>(splitBy_[i])];
  return position;
}

std::vector<int64_t> Holders::allPositions(const std::vector<int64_t> &coordinate) const {
  std::vector<int64_t> out{position(coordinate)};
  const std::vector<int64_t> step = compactStrides(meshShape_);
  for (size_t axis = 0; axis < meshShape_.size(); ++axis) {
    if (std::find(splitBy_.begin(), splitBy_.end(), static_cast<int>(axis)) != splitBy_.end())
      continue;
    const size_t before = out.size();
    for (int64_t i = 1; i < meshShape_[axis]; ++i)
      for (size_t j = 0; j < before; ++j)
        out.push_back(out[j] + i * step[axis]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

int64_t Holders::value(const std::vector<int64_t> &coordinate) const {
  const std::vector<int64_t> at = coordinateOfModes(coordinate);
  int64_t value = 0;
  for (size_t mode : order_)
    value = value * extents_[mode] + at[mode];
  return value;
}

std::vector<int64_t> Holders::element(int64_t position, int64_t value) const {
  const std::vector<int64_t> at = coordinateOf(meshShape_, position);
  std::vector<int64_t> modes(extents_.size());
  for (size_t i = 0; i < modes.size(); ++i)
    if (splitBy_[i] >= 0)
      modes[i] = at[static_cast<size_t>(splitBy_[i])];
  for (size_t i = order_.size(); i-- > 0;) {
    modes[order_[i]] = value % extents_[order_[i]];
    value /= extents_[order_[i]];
  }
  std::vector<int64_t> coordinate(shape_.size());
  for (size_t i = 0; i < modes.size(); ++i) {
    int64_t &axis = coordinate[static_cast<size_t>(axes_[i])];
    axis = axis * extents_[i] + modes[i];
  }
  return coordinate;
}

} // namespace tilewright::layout
