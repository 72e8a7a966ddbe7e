// Ops that make tensors, reduce them, search them and index into them.
#include "ir/OpRules.h"

#include <algorithm>

namespace tilewright::ir::rules {

using layout::StateKind;
using layout::TensorLayout;

namespace {
using Kind = AttributeSpec::Kind;

const TensorType *typeAttribute(const OpUse &use) {
  const Attribute *value = find(use.attributes, "type");
  return value ? std::get_if<TensorType>(value) : nullptr;
}

Inferred inferTyped(const OpUse &use, const InferContext &) {
  const TensorType *type = typeAttribute(use);
  if (!type)
    return fail("`type` is missing", -1, "type");
  if (use.op == Op::Empty && intOf(use, "buffers", 1) < 1)
    return fail("`buffers` is positive", -1, "buffers");
  if (use.op == Op::Arange) {
    if (type->shape.size() != 1)
      return fail("a range has one axis, the type is " + shapeText(type->shape), -1, "type");
    if (!isInteger(type->dtype))
      return fail("a range is of i32 or i64, not " + std::string(name(type->dtype)), -1, "type");
    if (intOf(use, "step", 1) < 1)
      return fail("`step` is positive", -1, "step");
  }
  return done(*type);
}

Inferred inferFullLike(const OpUse &use, const InferContext &) { return done(tensor(use, 0)); }

Inferred inferReduce(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0);
  const std::string kind = textOf(use, "kind");
  const bool keep = boolOf(use, "keepdim", true);
  std::vector<bool> reduced(x.shape.size());
  for (int64_t axis : intsOf(use, "axes")) {
    const auto at = axisOf(axis, x.shape.size());
    if (!at)
      return fail("axis " + std::to_string(axis) + " is not one of " + shapeText(x.shape), -1, "axes");
    reduced[static_cast<size_t>(*at)] = true;
  }
  if (x.layout)
    for (const layout::AxisState &state : x.layout->states) {
      if (state.kind != StateKind::Partial)
        continue;
      const bool fine = ((kind == "SUM" || kind == "MEAN") && state.reduction == "sum") || (kind == "MAX" && state.reduction == "max") ||
                        (kind == "MIN" && state.reduction == "min");
      if (!fine) {
        constexpr size_t only[] = {0};
        return *refusePartial(use, only);
      }
    }
  TensorType type = x;
  type.shape.clear();
  for (size_t i = 0; i < x.shape.size(); ++i)
    if (!reduced[i])
      type.shape.push_back(x.shape[i]);
    else if (keep)
      type.shape.push_back(1);
  if (x.layout)
    type.layout = reducedLayout(x, reduced, keep, type.shape);
  return done(std::move(type));
}

Inferred inferArgMax(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0);
  const auto axis = axisOf(intOf(use, "axis", -1), x.shape.size());
  if (!axis)
    return fail("axis " + std::to_string(intOf(use, "axis", -1)) + " is not one of " + shapeText(x.shape), -1, "axis");
  constexpr size_t only[] = {0};
  if (auto error = refusePartial(use, only))
    return *error;
  if (isSplitAlong(x, *axis))
    return fail("the operand is split along the searched axis; `tf.reshard` it first", 0);
  TensorType type = x;
  type.dtype = DType::I64;
  type.shape.erase(type.shape.begin() + *axis);
  std::vector<bool> reduced(x.shape.size());
  reduced[static_cast<size_t>(*axis)] = true;
  if (x.layout)
    type.layout = reducedLayout(x, reduced, false, type.shape);
  return done(std::move(type));
}

Inferred inferTopK(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0);
  const auto axis = axisOf(intOf(use, "axis", -1), x.shape.size());
  if (!axis)
    return fail("axis " + std::to_string(intOf(use, "axis", -1)) + " is not one of " + shapeText(x.shape), -1, "axis");
  const int64_t k = intOf(use, "k");
  if (k < 0 || k > x.shape[static_cast<size_t>(*axis)])
    return fail("k=" + std::to_string(k) + " elements of the " + std::to_string(x.shape[static_cast<size_t>(*axis)]) + " of axis " +
                    std::to_string(*axis),
                -1, "k");
  constexpr size_t only[] = {0};
  if (auto error = refusePartial(use, only))
    return *error;
  if (isSplitAlong(x, *axis))
    return fail("the operand is split along the selected axis; `tf.reshard` it first", 0);
  std::vector<int64_t> shape = x.shape;
  shape[static_cast<size_t>(*axis)] = k;
  AxisMap map;
  for (int i = 0; i < static_cast<int>(x.shape.size()); ++i)
    map.push_back(i);
  Inferred values = freshResult(use, {{0, map}}, shape, x.dtype, x.storage, x.layout.has_value());
  if (values.failed())
    return values;
  if (x.layout && x.layout->mesh && !layout::isSharded(*x.layout))
    values.type.tensor.layout = repeated(shape, *x.layout);
  TensorType indices = values.type.tensor;
  indices.dtype = DType::I64;
  values.type = Type::tuple({values.type, Type(std::move(indices))});
  return values;
}

std::optional<Inferred> checkIndexed(const OpUse &use, size_t data, size_t index, bool i32) {
  const TensorType &x = tensor(use, data), &at = tensor(use, index);
  if (!axisOf(intOf(use, "dim"), x.shape.size()))
    return fail("axis " + std::to_string(intOf(use, "dim")) + " is not one of " + shapeText(x.shape), -1, "dim");
  if (at.shape.size() != 1)
    return fail("the indices have one axis, these are " + shapeText(at.shape), static_cast<int>(index));
  if (at.dtype != DType::I64 && !(i32 && at.dtype == DType::I32))
    return fail(std::string("indices are ") + (i32 ? "i32 or i64" : "i64") + ", these are " + std::string(name(at.dtype)), static_cast<int>(index));
  return std::nullopt;
}

Inferred inferIndexSelect(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0), &at = tensor(use, 1);
  if (auto error = checkIndexed(use, 0, 1, true))
    return *error;
  const int dim = *axisOf(intOf(use, "dim"), x.shape.size());
  TensorType type = x;
  type.shape[static_cast<size_t>(dim)] = at.shape[0];
  if (!x.layout)
    return done(std::move(type));
  if (!x.layout->mesh) {
    type.layout = layout::compact(type.shape);
    return done(std::move(type));
  }
  std::vector<layout::LogicalState> states = layout::logicalStates(*x.layout, x.shape);
  int splits = 0;
  bool along = false;
  for (layout::LogicalState &state : states) {
    splits += state.kind == StateKind::Split;
    if (state.kind == StateKind::Split && state.axis == dim) {
      along = true;
      state = {StateKind::Partial, -1, "sum"};
    }
  }
  if (along && splits > 1)
    return fail("the operand is split along the indexed axis and another; `tf.reshard` it first", 0);
  // A layout of the result's own, first axis fastest; a split stays on its axis, whole.
  std::vector<int64_t> strides(type.shape.size());
  int64_t step = 1;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    strides[i] = step;
    step *= type.shape[i];
  }
  TensorLayout layout;
  layout.shape = layout::IntTuple::of(type.shape);
  layout.strides = layout::IntTuple::of(strides);
  layout.mesh = x.layout->mesh;
  layout.explicitState = true;
  for (const layout::LogicalState &state : states) {
    layout.states.push_back({state.kind, state.kind == StateKind::Split ? state.axis : -1, state.reduction});
    layout.explicitState = layout.explicitState && state.kind == StateKind::Broadcast;
  }
  type.layout = std::move(layout);
  return done(std::move(type));
}

Inferred inferIndexWrite(const OpUse &use, const InferContext &) {
  const TensorType &dst = tensor(use, 0), &at = tensor(use, 1), &src = tensor(use, 2);
  if (auto error = checkIndexed(use, 0, 1, use.op == Op::IndexAdd))
    return *error;
  const int dim = *axisOf(intOf(use, "dim"), dst.shape.size());
  if (src.dtype != dst.dtype)
    return fail("the rows are " + std::string(name(src.dtype)) + ", the destination " + std::string(name(dst.dtype)), 2);
  if (src.shape.size() != dst.shape.size())
    return fail("the rows are " + shapeText(src.shape) + ", the destination " + shapeText(dst.shape), 2);
  for (size_t i = 0; i < src.shape.size(); ++i)
    if (static_cast<int>(i) != dim && src.shape[i] != dst.shape[i])
      return fail("axis " + std::to_string(i) + " has " + std::to_string(src.shape[i]) + " elements in the rows and " +
                      std::to_string(dst.shape[i]) + " in the destination",
                  2);
  if (at.shape[0] != src.shape[static_cast<size_t>(dim)])
    return fail("there are " + std::to_string(at.shape[0]) + " indices for " + std::to_string(src.shape[static_cast<size_t>(dim)]) + " rows", 1);
  constexpr size_t all[] = {0, 1, 2};
  if (auto error = refusePartial(use, all))
    return *error;
  return done(dst);
}

Inferred inferCacheUpdate(const OpUse &use, const InferContext &) {
  const TensorType &cache = tensor(use, 0), &rows = tensor(use, 3);
  for (size_t operand : {size_t{0}, size_t{3}})
    if (tensor(use, operand).shape.size() != 4)
      return fail("this has axes (batch, length, heads, size), not " + shapeText(tensor(use, operand).shape), static_cast<int>(operand));
  for (size_t operand : {size_t{1}, size_t{2}}) {
    const TensorType &at = tensor(use, operand);
    if (at.dtype != DType::I32 || at.elements() != 1)
      return fail("this is an i32 scalar, not " + typeText(at), static_cast<int>(operand));
  }
  if (rows.dtype != cache.dtype)
    return fail("the new rows are " + std::string(name(rows.dtype)) + ", the cache " + std::string(name(cache.dtype)), 3);
  for (size_t axis : {size_t{0}, size_t{2}, size_t{3}})
    if (rows.shape[axis] != cache.shape[axis])
      return fail("axis " + std::to_string(axis) + " has " + std::to_string(rows.shape[axis]) + " elements in the new rows and " +
                      std::to_string(cache.shape[axis]) + " in the cache",
                  3);
  if (rows.shape[1] > cache.shape[1])
    return fail(std::to_string(rows.shape[1]) + " new rows do not fit a cache of " + std::to_string(cache.shape[1]), 3);
  constexpr size_t all[] = {0, 3};
  if (auto error = refusePartial(use, all))
    return *error;
  return done(cache);
}

Inferred inferQuant(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0);
  if (x.shape.empty())
    return fail("there is no last axis to group in a scalar", 0);
  if (textOf(use, "scheme") != "per_token_group")
    return fail("the scheme is \"per_token_group\"", -1, "scheme");
  const int64_t group = intOf(use, "group", 128);
  if (group < 1)
    return fail("`group` is positive", -1, "group");
  if (dtypeOf(use, "target_dtype").value_or(DType::F8E4M3) != DType::F8E4M3)
    return fail("values are quantized to fp8e4m3", -1, "target_dtype");
  if (x.shape.back() % group != 0)
    return fail("the last axis of " + std::to_string(x.shape.back()) + " elements does not split into groups of " + std::to_string(group), -1, "group");
  constexpr size_t only[] = {0};
  if (auto error = refusePartial(use, only))
    return *error;
  AxisMap map;
  for (int i = 0; i < static_cast<int>(x.shape.size()); ++i)
    map.push_back(i);
  std::vector<int64_t> shape = x.shape;
  shape.back() /= group;
  if (isSplitAlong(x, static_cast<int>(x.shape.size()) - 1))
    return fail("the operand is split along its last axis, which is grouped; `tf.reshard` it first", 0);
  // A value that is only repeated gives results that state no layout.
  const bool plain = x.layout && !x.layout->mesh;
  Inferred values = freshResult(use, {{0, map}}, x.shape, DType::F8E4M3, x.storage, plain);
  if (values.failed())
    return values;
  Inferred scales = freshResult(use, {{0, map}}, std::move(shape), DType::F32, x.storage, plain);
  if (scales.failed())
    return scales;
  values.type = Type::tuple({values.type, scales.type});
  return values;
}

Inferred inferExtents(const OpUse &use, const InferContext &) {
  TensorType type;
  type.dtype = DType::I64;
  type.storage = Storage::Umat;
  type.layout = layout::compact({});
  if (use.op == Op::ShapeOf)
    type.shape = {static_cast<int64_t>(tensor(use, 0).shape.size())};
  return done(std::move(type));
}
} // namespace

void addTensor(std::vector<OpSpec> &table) {
  using Print = AttributeSpec::Print;
  table.push_back({Op::Zeros, {}, {}, {}, {{"type", Kind::Type}}, inferTyped, "tensor"});
  table.push_back({Op::Empty, {}, {}, {}, {{"type", Kind::Type}, {"buffers", Kind::Int, {}, {}, Attribute(int64_t{1})}}, inferTyped, "tensor"});
  table.push_back({Op::FullLike, {}, {}, {{"x"}}, {{"value", Kind::Float}}, inferFullLike, "tensor"});
  table.push_back({Op::Arange, {}, {}, {},
                   {{"type", Kind::Type}, {"start", Kind::Int, {}, {}, Attribute(int64_t{0})}, {"step", Kind::Int, {}, {}, Attribute(int64_t{1})}},
                   inferTyped, "tensor"});
  table.push_back({Op::Reduce, {}, {}, {{"x"}},
                   {{"axes", Kind::Ints},
                    {"keepdim", Kind::Bool, {}, {}, Attribute(true)},
                    {"kind", Kind::Enum, "ReduceKind", {"mean", "sum", "abs_max", "max", "min"}, Attribute(Enumerator{"ReduceKind", "MEAN"}),
                     Print::UnlessDefault}},
                   inferReduce, "tensor"});
  table.push_back({Op::ArgMax, {}, {}, {{"x"}}, {{"axis", Kind::Int, {}, {}, Attribute(int64_t{-1})}}, inferArgMax, "tensor"});
  table.push_back({Op::TopK, {}, {}, {{"x"}},
                   {{"k", Kind::Int},
                    {"axis", Kind::Int, {}, {}, Attribute(int64_t{-1})},
                    {"largest", Kind::Bool, {}, {}, Attribute(true)},
                    {"sorted", Kind::Bool, {}, {}, Attribute(true)}},
                   inferTopK, "tensor"});
  table.push_back({Op::IndexSelect, {}, {}, {{"x"}, {"index"}},
                   {{"dim", Kind::Int, {}, {}, Attribute(int64_t{0})}, {"fill_value", Kind::Float, {}, {}, Attribute()}}, inferIndexSelect, "tensor"});
  for (Op op : {Op::IndexAdd, Op::IndexCopy})
    table.push_back({op, {}, {}, {{"dst"}, {"index"}, {"src"}}, {{"dim", Kind::Int, {}, {}, Attribute(int64_t{0})}}, inferIndexWrite, "tensor"});
  table.push_back({Op::CacheUpdate, {}, {}, {{"cache"}, {"cur_pos"}, {"s"}, {"new"}}, {}, inferCacheUpdate, "tensor"});
  table.push_back({Op::Quant, {}, {}, {{"x"}},
                   {{"scheme", Kind::String, {}, {}, Attribute(std::string("per_token_group"))},
                    {"group", Kind::Int, {}, {}, Attribute(int64_t{128})},
                    {"target_dtype", Kind::DType, {}, {}, Attribute(DType::F8E4M3)}},
                   inferQuant, "tensor"});
  for (Op op : {Op::Rank, Op::ShapeOf})
    table.push_back({op, {}, {}, {{"x"}}, {}, inferExtents, "tensor"});
}

} // namespace tilewright::ir::rules
