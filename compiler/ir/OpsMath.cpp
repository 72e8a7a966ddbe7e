// Arithmetic: elementwise ops of one, two and three operands, conversions.
#include "ir/OpRules.h"

#include "layout/Algebra.h"

#include <algorithm>

namespace tilewright::ir::rules {

using layout::StateKind;

namespace {
using Kind = AttributeSpec::Kind;

constexpr size_t kBoth[] = {0, 1};
constexpr size_t kData[] = {1, 2};

/// The state that an elementwise op of two operands leaves on each mesh axis where one of them holds partial results. Sums add to sums
/// and scale; maxima and minima stand a constant added to them. Everything else needs the completed value.
std::optional<Inferred> binaryPartials(const OpUse &use) {
  const TensorType &lhs = tensor(use, 0), &rhs = tensor(use, 1);
  const auto partial = [](const TensorType &type, size_t axis) -> std::string {
    if (!type.layout || axis >= type.layout->states.size() || type.layout->states[axis].kind != StateKind::Partial)
      return {};
    return type.layout->states[axis].reduction;
  };
  const size_t axes = std::max(lhs.layout ? lhs.layout->states.size() : 0, rhs.layout ? rhs.layout->states.size() : 0);
  bool onlyLeft = false, onlyRight = false;
  for (size_t axis = 0; axis < axes; ++axis) {
    const std::string left = partial(lhs, axis), right = partial(rhs, axis);
    if (left.empty() && right.empty())
      continue;
    onlyLeft |= right.empty();
    onlyRight |= left.empty();
    const std::string &one = left.empty() ? right : left;
    const bool both = !left.empty() && !right.empty();
    const bool fine = use.op == Op::Add   ? (both ? left == "sum" && right == "sum" : one == "max" || one == "min")
                      : use.op == Op::Mul ? !both && one == "sum"
                                          : false;
    if (!fine)
      return refusePartial(use, std::span(left.empty() ? kBoth + 1 : kBoth, 1));
  }
  if (use.op == Op::Add && onlyLeft && onlyRight)
    return refusePartial(use, kBoth);
  return std::nullopt;
}

bool compares(Op op) { return op >= Op::CmpEq && op <= Op::CmpGe; }

Inferred inferBinary(const OpUse &use, const InferContext &) {
  const TensorType &lhs = tensor(use, 0), &rhs = tensor(use, 1);
  const std::string mnemonic = "`tf." + std::string(spec(use.op).mnemonic) + "`";
  if (lhs.dtype != rhs.dtype)
    return fail("operands are " + std::string(name(lhs.dtype)) + " and " + std::string(name(rhs.dtype)) +
                    "; nothing is promoted (a literal is f32 or i64), so write `tf.cast` where it is meant",
                1);
  if ((use.op == Op::FloorDiv || use.op == Op::Mod) && !isInteger(lhs.dtype))
    return fail(mnemonic + " is of integers, the operands are " + std::string(name(lhs.dtype)), 0);
  if ((use.op == Op::LogicalAnd || use.op == Op::LogicalOr) && lhs.dtype != DType::Bool)
    return fail(mnemonic + " is of bools, the operands are " + std::string(name(lhs.dtype)), 0);
  if (!broadcast(lhs.shape, rhs.shape))
    return fail("shapes " + shapeText(lhs.shape) + " and " + shapeText(rhs.shape) + " do not broadcast", 1);
  const Residency where = residency(use, kBoth);
  if (where.conflict >= 0)
    return storageConflict(use, where);
  if (auto error = binaryPartials(use))
    return *error;
  return pointwise(use, {0, 1}, compares(use.op) ? DType::Bool : lhs.dtype, where.storage);
}

Commutes commutesOf(const OpUse &use) {
  switch (use.op) {
  case Op::Neg: return Commutes::Sum;
  case Op::Exp:
  case Op::Log:
  case Op::Exp2:
  case Op::Log2:
  case Op::Ceil:
  case Op::Round:
  case Op::Clamp:
  case Op::Softplus: return Commutes::MaxMin;
  case Op::Unary: return textOf(use, "kind") == "RELU" ? Commutes::MaxMin : Commutes::None;
  default: return Commutes::None;
  }
}

Inferred inferUnary(const OpUse &use, const InferContext &) {
  if (use.op == Op::LogicalNot && tensor(use, 0).dtype != DType::Bool)
    return fail("`tf.logical_not` is of bools, the operand is " + std::string(name(tensor(use, 0).dtype)), 0);
  return sameType(use, commutesOf(use));
}

Inferred inferCast(const OpUse &use, const InferContext &) {
  TensorType type = tensor(use, 0);
  type.dtype = dtypeOf(use, "dtype").value_or(type.dtype);
  return done(std::move(type));
}

Inferred inferWhere(const OpUse &use, const InferContext &) {
  const TensorType &condition = tensor(use, 0), &yes = tensor(use, 1), &no = tensor(use, 2);
  if (condition.dtype != DType::Bool)
    return fail("the condition is " + std::string(name(condition.dtype)) + ", not bool", 0);
  if (yes.dtype != no.dtype)
    return fail("the branches are " + std::string(name(yes.dtype)) + " and " + std::string(name(no.dtype)) +
                    "; nothing is promoted, so write `tf.cast` where it is meant",
                2);
  constexpr size_t all[] = {0, 1, 2};
  if (auto error = refusePartial(use, all))
    return *error;
  const Residency where = residency(use, kData);
  if (where.conflict >= 0)
    return storageConflict(use, where);
  Inferred result = pointwise(use, {1, 2}, yes.dtype, where.storage, condition.shape);
  if (result.failed() || !condition.layout || !layout::isSharded(*condition.layout))
    return result;
  // The branches decide how the result is shared out; a condition that is shared out itself follows them.
  const TensorType &type = result.type.tensor;
  std::vector<layout::LogicalState> wanted = layout::logicalStates(*condition.layout, condition.shape);
  for (layout::LogicalState &state : wanted)
    if (state.kind == StateKind::Split)
      state.axis += static_cast<int>(type.shape.size() - condition.shape.size());
  if (!type.layout || !type.layout->mesh || !layout::sameUnits(*type.layout->mesh, *condition.layout->mesh) ||
      layout::logicalStates(*type.layout, type.shape) != wanted)
    return fail("the condition is shared out otherwise than the branches; `tf.reshard` it as they are", 0);
  return result;
}

/// The offset of every element of a layout in row-major order of its modes; empty if there are too many to list.
std::vector<int64_t> addresses(const layout::TensorLayout &layout) {
  constexpr int64_t kMost = int64_t{1} << 22;
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  const int64_t count = layout.shape.product();
  if (count <= 0 || count > kMost)
    return {};
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::vector<int64_t> at(extents.size());
  int64_t offset = layout.offset;
  for (int64_t &address : out) {
    address = offset;
    if (layout.swizzle)
      address = layout::swizzled(*layout.swizzle, offset);
    for (size_t i = extents.size(); i-- > 0;) {
      offset += strides[i];
      if (++at[i] < extents[i])
        break;
      offset -= extents[i] * strides[i];
      at[i] = 0;
    }
  }
  return out;
}

Inferred inferBitcast(const OpUse &use, const InferContext &) {
  TensorType type = tensor(use, 0);
  const Attribute *attribute = find(use.attributes, "layout");
  const auto *layout = attribute ? std::get_if<layout::TensorLayout>(attribute) : nullptr;
  if (!layout)
    return fail("`layout` is missing", -1, "layout");
  const layout::TensorLayout source = type.layout ? *type.layout : layout::compact(type.shape);
  if ((source.mesh != nullptr) != (layout->mesh != nullptr))
    return fail("the operand and the layout are both shared out over a mesh, or neither is", -1, "layout");
  const int64_t before = type.elements();
  if (layout->shape.product() != before)
    return fail("the layout has " + std::to_string(layout->shape.product()) + " elements, the operand " + std::to_string(before), -1, "layout");
  if (layout->mesh) {
    if (type.storage != Storage::Rmem)
      return fail("a shared-out value is read anew in rmem only, where each thread keeps its elements; this is in " + std::string(name(type.storage)), 0);
    const auto onlySplits = [](const layout::TensorLayout &l) {
      return std::all_of(l.states.begin(), l.states.end(), [](const layout::AxisState &s) { return s.kind == StateKind::Split; });
    };
    if (!layout::sameUnits(*source.mesh, *layout->mesh) || !onlySplits(source) || !onlySplits(*layout))
      return fail("both layouts split the same mesh along every axis", -1, "layout");
    if (!source.strides || !layout->strides)
      return fail("both layouts state their strides", -1, "layout");
  } else {
    type.shape.clear();
    for (const layout::IntTuple &mode : layout->shape.elements)
      type.shape.push_back(mode.product());
    std::vector<int64_t> from = addresses(source), to = addresses(*layout);
    std::sort(from.begin(), from.end());
    std::sort(to.begin(), to.end());
    if (std::adjacent_find(from.begin(), from.end()) != from.end())
      return fail("two elements of the operand share an address", 0);
    if (std::adjacent_find(to.begin(), to.end()) != to.end())
      return fail("two elements of the layout share an address", -1, "layout");
    if (!from.empty() && !to.empty() && from != to)
      return fail("the layout reaches addresses that the operand does not have", -1, "layout");
  }
  type.layout = *layout;
  return done(std::move(type));
}

void unary(std::vector<OpSpec> &table, Op op) { table.push_back({op, {}, {}, {{"x"}}, {}, inferUnary, "math"}); }
void binary(std::vector<OpSpec> &table, Op op) { table.push_back({op, {}, {}, {{"lhs"}, {"rhs"}}, {}, inferBinary, "math"}); }
} // namespace

void addMath(std::vector<OpSpec> &table) {
  for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::FloorDiv, Op::Mod, Op::Min, Op::Max, Op::CmpEq, Op::CmpNe, Op::CmpLt, Op::CmpLe,
                Op::CmpGt, Op::CmpGe, Op::LogicalAnd, Op::LogicalOr})
    binary(table, op);
  for (Op op : {Op::LogicalNot, Op::Neg, Op::Abs, Op::Exp, Op::Log, Op::Exp2, Op::Log2, Op::Ceil, Op::Round, Op::Softplus})
    unary(table, op);
  table.push_back({Op::Unary, {}, {}, {{"x"}},
                   {{"kind", Kind::Enum, "UnaryKind", {"square", "rsqrt", "relu"}}}, inferUnary, "math"});
  table.push_back({Op::Clamp, {}, {}, {{"x"}}, {{"min_val", Kind::Float}, {"max_val", Kind::Float}}, inferUnary, "math"});
  table.push_back({Op::Where, {}, {}, {{"condition"}, {"input"}, {"other"}}, {}, inferWhere, "math"});
  table.push_back({Op::Cast, {}, {}, {{"x"}}, {{"dtype", Kind::DType}}, inferCast, "math"});
  table.push_back({Op::Bitcast, {}, {}, {{"x"}}, {{"layout", Kind::Layout}}, inferBitcast, "math"});
}

} // namespace tilewright::ir::rules
