// Unification of the patterns of the instruction table with values: every symbol is bound at its first use and compared at every later one, and
// the first node that does not fit says why. Private to matching.
// Thread rule: values; a Unifier belongs to one match.
#pragma once
#include "instruction/Pattern.h"
#include "instruction/Types.h"

namespace tilewright::instruction {

/// Why a node does not fit, as reports print it.
struct Misfit {
  std::string reason;         // `64 does not match 1`
  std::string value, pattern; // its two sides, where it has that form

  static Misfit mismatch(std::string value, std::string pattern);
  static Misfit unsatisfied(const std::string &condition);
};
using Fit = std::optional<Misfit>; // null: it fits

class Unifier {
public:
  Bindings bindings;

  /// Binds a new symbol, or compares with what it is bound to.
  Fit bind(const std::string &symbol, const BoundValue &value);
  Fit term(const Term &pattern, int64_t value);
  Fit shape(const TuplePattern &pattern, const std::vector<int64_t> &extents);
  /// Modes, offset, swizzle, states and mesh of a layout, one node after another.
  Fit layout(const LayoutPattern &pattern, const layout::TensorLayout &value);
  Fit mesh(const MeshPattern &pattern, const layout::Mesh &value);
  /// A comparison or a membership; one that speaks of unbound symbols fits.
  Fit condition(const Rule &rule) const;

private:
  Fit modes(const LayoutPattern &owner, const TuplePattern &shape, const TuplePattern &strides, const layout::IntTuple &extents, const layout::IntTuple &steps);
  Fit star(const TuplePattern &shape, const TuplePattern &strides, const std::vector<layout::IntTuple> &extents, const std::vector<layout::IntTuple> &steps);
  void rebind(const std::string &symbol, const std::vector<layout::IntTuple> &modes);
};

/// The strides of a layout, nested as its modes are.
layout::IntTuple stridesOf(const layout::TensorLayout &layout);
/// A layout as refusals print it: `Layout((8, 512), (512, 1))`, `ComposedLayout(...)` and `ShardLayout(...)` over several lines.
std::string subject(const layout::TensorLayout &layout);
/// `Tensor[(16, 1), "i32", (16, 1)]`.
std::string subject(const TensorType &type);
/// `(S(0), B())`.
std::string printStates(const std::vector<layout::AxisState> &states);

} // namespace tilewright::instruction
