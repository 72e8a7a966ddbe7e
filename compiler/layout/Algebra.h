// The algebra of layouts: what composing, splitting and inverting them gives, where an element lives, and who holds it. Each function
// states its post-condition; tests/unit/layout check it over every coordinate.
//
// `Modes` is a layout as a function on integers: a flat list of (extent, stride), the last mode fastest, as everywhere here. It maps an
// index 0 <= i < size(modes) to an offset: i is taken apart row-major into one coordinate per mode, and the offset is the sum of
// coordinate * stride. M(i) below is that offset. A function returns nothing where its result is no such list.
// Thread rule: functions of their arguments.
#pragma once
#include "layout/Layout.h"

#include <functional>
#include <span>

namespace tilewright::layout {

struct Mode {
  int64_t extent = 1, stride = 0;
  bool operator==(const Mode &) const = default;
};
using Modes = std::vector<Mode>;

/// The flat modes of a layout, compact where it states no strides; its offset and swizzle are not in them.
Modes modesOf(const TensorLayout &layout);
int64_t size(const Modes &modes);
/// One more than the largest offset, for strides that are not negative; 0 when there is no element.
int64_t span(const Modes &modes);
/// M(index).
int64_t offsetAt(const Modes &modes, int64_t index);
/// The coordinate of a row-major index, one entry per extent.
std::vector<int64_t> coordinateOf(std::span<const int64_t> extents, int64_t index);

/// The shortest list with the same offsets: R(i) = M(i) for all i; no mode of extent 1, no neighbours that step as one mode would. The
/// layout of one element is the empty list.
Modes coalesce(const Modes &modes);
/// outer after inner: size(R) = size(inner), and R(i) = outer(inner(i)). Nothing when an offset of `inner` lies outside `outer`, or when
/// steps of `inner` carry across modes of `outer` unevenly, so that the result is no list of modes.
std::optional<Modes> compose(const Modes &outer, const Modes &inner);
/// The offsets of 0 .. count-1 that M does not reach, as the starts at which M can be repeated: size(M) * size(R) = count, and the sums
/// M(i) + R(j) are exactly 0 .. count-1. Nothing when M maps two indexes to one offset or its repetitions do not fill `count`.
std::optional<Modes> complement(const Modes &modes, int64_t count);
/// The layout that finds an index again: R(M(i)) = i for all i. Nothing unless the offsets of M are exactly 0 .. size-1.
std::optional<Modes> inverse(const Modes &modes);

struct LeadingSplit {
  Modes leading, rest;
};
/// M cut after its first `count` steps: size(leading) = count, and M(i * size(rest) + j) = leading(i) + rest(j). This is how an axis is
/// shared out over `count` tiles: the tile number walks `leading`, the tile is `rest`. A mode is cut in two where the count ends inside it;
/// nothing when the count does not divide it.
std::optional<LeadingSplit> splitLeading(const Modes &modes, int64_t count);

/// Whether no two indexes have one offset.
bool injective(const Modes &modes);
/// Whether M moved by `first` and N moved by `second` share no offset: slots of a ring, windows of an output.
bool disjoint(const Modes &a, int64_t first, const Modes &b, int64_t second);

/// Whether the bits that a swizzle reads and those it changes do not overlap and fit 63 bits: bits, base >= 0 and |shift| >= bits.
bool valid(const Swizzle &swizzle);
/// The swizzle of an index: bits [base + max(shift, 0), +bits) are xored onto the bits `shift` below. swizzled(s, swizzled(s, i)) = i, and an
/// aligned block of 2^(bits + base + |shift|) indexes is permuted in itself.
int64_t swizzled(const Swizzle &swizzle, int64_t index);

// ---- elements of a tensor
/// The offset of an element, in elements, before any swizzle: its row-major index taken apart over the flattened modes, which run through the axes in
/// the same order. Nothing when the modes do not count the elements of the tensor.
std::optional<int64_t> offsetOf(const TensorLayout &layout, const std::vector<int64_t> &shape, const std::vector<int64_t> &coordinate);
/// The byte at which the element at an offset begins in its storage. Shared memory is swizzled by byte address: `Swizzle(3, 4, 3)` keeps 16 bytes
/// together and xors the number of the 128-byte row onto the number of the 16 bytes within it, whatever the dtype (PTX ISA, section
/// "Asynchronous warpgroup matrix layouts", 128-byte swizzling). Elements of less than a byte begin in the byte that holds them.
int64_t byteAt(const TensorLayout &layout, int64_t offset, int elementBits);
/// byteAt of an element's offset.
std::optional<int64_t> byteOf(const TensorLayout &layout, const std::vector<int64_t> &shape, const std::vector<int64_t> &coordinate, int elementBits);

// ---- who holds an element
/// The unit at a position of a mesh (positions row-major): offset + sum of coordinate * stride.
int64_t unitAt(const Mesh &mesh, int64_t position);

/// How a tensor is shared out, element by element. Made once, asked often.
class Holders {
public:
  /// Nothing when the layout is not distributed or its modes do not group into the axes of the tensor.
  static std::optional<Holders> of(const TensorLayout &layout, const std::vector<int64_t> &shape);
  int64_t positions() const { return positions_; }
  /// Elements that one position holds; every position holds as many.
  int64_t held() const { return held_; }
  /// The first position of the mesh that holds an element; positions that differ only along axes that do not split hold the same elements.
  int64_t position(const std::vector<int64_t> &coordinate) const;
  /// All of them, ascending.
  std::vector<int64_t> allPositions(const std::vector<int64_t> &coordinate) const;
  /// Which of its position's values the element is: values are counted in order of their offset in the modes that are not split. Two elements of
  /// one position have different values.
  int64_t value(const std::vector<int64_t> &coordinate) const;
  /// The element that a position has as a value: value(element(p, v)) = v, and p is one of its positions.
  std::vector<int64_t> element(int64_t position, int64_t value) const;
  /// Positions that hold each element.
  int64_t copies() const { return copies_; }

private:
  std::vector<int64_t> coordinateOfModes(const std::vector<int64_t> &coordinate) const;
  std::vector<int64_t> shape_, extents_, meshShape_;
  std::vector<int> axes_;               // logical axis of each mode
  std::vector<int> splitBy_;            // mesh axis of each mode, -1: none
  std::vector<size_t> order_;           // modes that are not split, the largest stride first
  int64_t positions_ = 1, held_ = 1, copies_ = 1;
};

} // namespace tilewright::layout
