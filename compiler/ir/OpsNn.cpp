// Neural network ops: products, normalizations, activations.
#include "ir/OpRules.h"

#include <algorithm>
#include <array>

namespace tilewright::ir::rules {

using layout::StateKind;

namespace {
using Kind = AttributeSpec::Kind;
constexpr size_t kBoth[] = {0, 1};

bool shared(Storage storage) { return storage == Storage::Smem || storage == Storage::Rmem; }

/// Where the matrix instructions of the target leave the product of these operands: WGMMA reads B from shared memory and A from shared
/// memory or registers, the warp-level product reads bf16 from registers. All of them accumulate in f32 registers.
std::optional<Storage> productStorage(const target::Target &target, const TensorType &lhs, const TensorType &rhs, DType result) {
  if (result != DType::F32)
    return std::nullopt;
  const bool wgmma = lhs.dtype == DType::BF16 || lhs.dtype == DType::F16 || lhs.dtype == DType::F8E4M3;
  if (target.hasWgmma() && wgmma && rhs.storage == Storage::Smem && shared(lhs.storage))
    return Storage::Rmem;
  if (lhs.dtype == DType::BF16 && lhs.storage == Storage::Rmem && rhs.storage == Storage::Rmem)
    return Storage::Rmem;
  return std::nullopt;
}

Inferred inferMatMul(const OpUse &use, const InferContext &context) {
  const TensorType &lhs = tensor(use, 0), &rhs = tensor(use, 1);
  if (lhs.shape.size() < 2 || rhs.shape.size() < 2) {
    const bool left = lhs.shape.size() < 2;
    return fail("a product of matrices needs two axes; this operand is " + shapeText(left ? lhs.shape : rhs.shape), left ? 0 : 1);
  }
  if (lhs.dtype != rhs.dtype)
    return fail("operands are " + std::string(name(lhs.dtype)) + " and " + std::string(name(rhs.dtype)) + "; `tf.cast` one of them", 1);
  const bool km = textOf(use, "a_layout") == "KM", nk = textOf(use, "b_layout") == "NK";
  const size_t lr = lhs.shape.size(), rr = rhs.shape.size();
  const size_t mAxis = lr - (km ? 1 : 2), kLeft = lr - (km ? 2 : 1), kRight = rr - (nk ? 1 : 2), nAxis = rr - (nk ? 2 : 1);
  if (lhs.shape[kLeft] != rhs.shape[kRight])
    return fail("the contracted extents differ: " + std::to_string(lhs.shape[kLeft]) + " in " + shapeText(lhs.shape) + " and " +
                    std::to_string(rhs.shape[kRight]) + " in " + shapeText(rhs.shape),
                1);
  const std::vector<int64_t> leftBatch(lhs.shape.begin(), lhs.shape.end() - 2), rightBatch(rhs.shape.begin(), rhs.shape.end() - 2);
  const auto batch = broadcast(leftBatch, rightBatch);
  if (!batch)
    return fail("the leading axes " + shapeText(leftBatch) + " and " + shapeText(rightBatch) + " do not broadcast", 1);
  const DType result = dtypeOf(use, "out_dtype").value_or(lhs.dtype);

  // Linear in each operand: one partial sum passes on each mesh axis, if the other operand is whole there.
  for (size_t axis = 0; axis < 16; ++axis) {
    int holders = 0;
    for (size_t operand : kBoth) {
      const TensorType &type = tensor(use, operand);
      if (!type.layout || axis >= type.layout->states.size() || type.layout->states[axis].kind != StateKind::Partial)
        continue;
      if (type.layout->states[axis].reduction != "sum" || ++holders == 2)
        return *refusePartial(use, std::span(&kBoth[operand], 1));
    }
  }

  Storage storage = Storage::Umat;
  const bool cuda = context.target && context.target->family() == target::Family::Cuda;
  if ((shared(lhs.storage) || shared(rhs.storage)) && (cuda || !context.target)) {
    if (context.target) {
      const auto found = productStorage(*context.target, lhs, rhs, result);
      if (!found)
        return fail("no matrix instruction of " + std::string(context.target->id()) + " reads " + std::string(name(lhs.dtype)) + " from " +
                        std::string(name(lhs.storage)) + " and " + std::string(name(rhs.dtype)) + " from " + std::string(name(rhs.storage)) +
                        " into " + std::string(name(result)),
                    -1, given(use, "out_dtype") ? "out_dtype" : "");
      storage = *found;
    }
  } else {
    const Residency where = residency(use, kBoth);
    if (where.conflict >= 0)
      return storageConflict(use, where);
    storage = where.storage;
  }

  std::vector<int64_t> shape = *batch;
  shape.push_back(lhs.shape[mAxis]);
  shape.push_back(rhs.shape[nAxis]);
  const int m = static_cast<int>(shape.size()) - 2, n = m + 1;
  std::vector<PropagatedOperand> maps{{0, AxisMap(lr)}, {1, AxisMap(rr)}};
  for (size_t i = 0; i + 2 < lr; ++i)
    maps[0].axes[i] = lhs.shape[i] == 1 && shape[static_cast<size_t>(m) - (lr - 2) + i] != 1
                          ? kConstant
                          : static_cast<int>(static_cast<size_t>(m) - (lr - 2) + i);
  for (size_t i = 0; i + 2 < rr; ++i)
    maps[1].axes[i] = rhs.shape[i] == 1 && shape[static_cast<size_t>(m) - (rr - 2) + i] != 1
                          ? kConstant
                          : static_cast<int>(static_cast<size_t>(m) - (rr - 2) + i);
  maps[0].axes[mAxis] = m;
  maps[0].axes[kLeft] = -1;
  maps[1].axes[kRight] = -1;
  maps[1].axes[nAxis] = n;
  const auto splitting = [&](const TensorType &type, size_t axis, size_t meshAxis) {
    if (!type.layout || meshAxis >= type.layout->states.size())
      return false;
    const auto states = layout::logicalStates(*type.layout, type.shape);
    return states[meshAxis].kind == StateKind::Split && states[meshAxis].axis == static_cast<int>(axis);
  };
  for (size_t axis = 0; axis < std::max(lhs.layout ? lhs.layout->states.size() : 0, rhs.layout ? rhs.layout->states.size() : 0); ++axis)
    if (splitting(lhs, kLeft, axis) != splitting(rhs, kRight, axis))
      return fail("the contracted axis is split over the mesh in one operand only; `tf.reshard` them to agree",
                  splitting(lhs, kLeft, axis) ? 0 : 1);
  Inferred product = freshResult(use, maps, std::move(shape), result, storage, lhs.layout.has_value());
  if (product.failed() || (product.type.tensor.layout && product.type.tensor.layout->mesh) || !lhs.layout)
    return product;
  // Nothing is shared out: the layout of the left operand stands if it has the result's shape.
  if (lhs.layout->mesh)
    product.type.tensor.layout = repeated(product.type.tensor.shape, *lhs.layout);
  else if (lhs.shape == product.type.tensor.shape && lhs.layout->shape == layout::IntTuple::of(lhs.shape))
    product.type.tensor.layout = lhs.layout;
  return product;
}

Inferred inferConv2D(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0), &w = tensor(use, 1), &b = tensor(use, 2);
  if (x.shape.size() != 4)
    return fail("the input has axes (n, c, h, w), this one is " + shapeText(x.shape), 0);
  if (w.shape.size() != 4)
    return fail("the weight has axes (o, i, h, w), this one is " + shapeText(w.shape), 1);
  if (b.shape.size() != 1)
    return fail("the bias has one axis, this one is " + shapeText(b.shape), 2);
  if (w.dtype != x.dtype || b.dtype != x.dtype)
    return fail("input, weight and bias have one dtype; the input is " + std::string(name(x.dtype)), w.dtype != x.dtype ? 1 : 2);
  const auto stride = intsOf(use, "stride"), padding = intsOf(use, "padding"), dilation = intsOf(use, "dilation");
  const auto two = [](const std::vector<int64_t> &v, int64_t least) { return v.size() == 2 && v[0] >= least && v[1] >= least; };
  if (!two(stride, 1))
    return fail("`stride` is two positive integers", -1, "stride");
  if (!two(padding, 0))
    return fail("`padding` is two integers from 0", -1, "padding");
  if (!two(dilation, 1))
    return fail("`dilation` is two positive integers", -1, "dilation");
  const int64_t groups = intOf(use, "groups", 1);
  if (groups < 1)
    return fail("`groups` is positive", -1, "groups");
  if (x.shape[1] % groups != 0 || w.shape[0] % groups != 0)
    return fail(std::to_string(groups) + " groups do not divide " + std::to_string(x.shape[1]) + " input and " + std::to_string(w.shape[0]) +
                    " output channels",
                -1, "groups");
  if (w.shape[1] != x.shape[1] / groups)
    return fail("the weight reads " + std::to_string(w.shape[1]) + " channels, a group of the input has " +
                    std::to_string(x.shape[1] / groups),
                1);
  if (b.shape[0] != w.shape[0])
    return fail("the bias has " + std::to_string(b.shape[0]) + " values for " + std::to_string(w.shape[0]) + " output channels", 2);
  std::vector<int64_t> shape{x.shape[0], w.shape[0]};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t span = x.shape[2 + i] + 2 * padding[i] - dilation[i] * (w.shape[2 + i] - 1) - 1;
    if (span < 0)
      return fail("the window is larger than the padded input", 1);
    shape.push_back(span / stride[i] + 1);
  }
  constexpr size_t all[] = {0, 1, 2};
  if (auto error = refusePartial(use, all))
    return *error;
  constexpr int halo = -100;
  for (size_t operand : {size_t{0}, size_t{1}}) {
    const TensorType &type = tensor(use, operand);
    if (!type.layout)
      continue;
    for (const layout::LogicalState &state : layout::logicalStates(*type.layout, type.shape))
      if (state.kind == StateKind::Split && state.axis >= (operand == 0 ? 1 : 1))
        return fail("operand " + std::to_string(operand) + " is split along axis " + std::to_string(state.axis) +
                        ", which every position needs whole; `tf.reshard` it first",
                    static_cast<int>(operand));
  }
  return freshResult(use, {{0, {0, -1, halo, halo - 1}}, {1, {1, -1, -2, -3}}, {2, {1}}}, std::move(shape), x.dtype, x.storage, true);
}

/// Whether a mesh axis splits one of the trailing axes from `first` on.
std::optional<Inferred> refuseSplit(const OpUse &use, size_t operand, int first, int last) {
  const TensorType &type = tensor(use, operand);
  if (!type.layout)
    return std::nullopt;
  for (const layout::LogicalState &state : layout::logicalStates(*type.layout, type.shape))
    if (state.kind == StateKind::Split && state.axis >= first && state.axis <= last)
      return fail("operand " + std::to_string(operand) + " is split along axis " + std::to_string(state.axis) +
                      ", which every position needs whole; `tf.reshard` it first",
                  static_cast<int>(operand));
  return std::nullopt;
}

Inferred inferActivation(const OpUse &use, const InferContext &) {
  const bool monotone = use.op == Op::ReLU || use.op == Op::Sigmoid || use.op == Op::Tanh;
  return sameType(use, monotone ? Commutes::MaxMin : Commutes::None);
}

Inferred inferSoftmax(const OpUse &use, const InferContext &) {
  return sameType(use, Commutes::None);
}

Inferred inferRmsNorm(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0), &w = tensor(use, 1);
  if (x.shape.empty())
    return fail("there is no last axis to normalize in a scalar", 0);
  if (w.shape.size() != 1 || w.shape[0] != x.shape.back())
    return fail("the weight is " + shapeText(w.shape) + ", the normalized axis has " + std::to_string(x.shape.back()) + " elements", 1);
  if (auto error = refusePartial(use, kBoth))
    return *error;
  return done(x);
}

Inferred inferLayerNorm(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0), &w = tensor(use, 1), &b = tensor(use, 2);
  const auto axis = axisOf(intOf(use, "axis"), x.shape.size());
  if (!axis)
    return fail("axis " + std::to_string(intOf(use, "axis")) + " is not one of " + shapeText(x.shape), -1, "axis");
  const std::vector<int64_t> suffix(x.shape.begin() + *axis, x.shape.end());
  for (size_t operand : {size_t{1}, size_t{2}})
    if (tensor(use, operand).shape != suffix)
      return fail("this is " + shapeText(tensor(use, operand).shape) + ", the normalized axes are " + shapeText(suffix), static_cast<int>(operand));
  if (x.dtype != DType::F32 && x.dtype != DType::F16 && x.dtype != DType::BF16)
    return fail("normalizes f32, f16 or bf16, not " + std::string(name(x.dtype)), 0);
  if (w.dtype != b.dtype || (w.dtype != x.dtype && w.dtype != DType::F32))
    return fail("weight and bias are both " + std::string(name(x.dtype)) + " like the input, or both f32", w.dtype != b.dtype ? 2 : 1);
  constexpr size_t all[] = {0, 1, 2};
  if (auto error = refusePartial(use, all))
    return *error;
  const int last = static_cast<int>(x.shape.size()) - 1;
  if (auto error = refuseSplit(use, 0, *axis, last))
    return *error;
  for (size_t operand : {size_t{1}, size_t{2}})
    if (auto error = refuseSplit(use, operand, 0, last))
      return *error;
  return done(x);
}

Inferred inferRope(const OpUse &use, const InferContext &) {
  const TensorType &q = tensor(use, 0), &k = tensor(use, 1);
  if (q.shape.empty() || q.shape.size() != k.shape.size())
    return fail("queries and keys have the same number of axes, these are " + shapeText(q.shape) + " and " + shapeText(k.shape), 1);
  if (q.shape.back() != k.shape.back())
    return fail("queries and keys have one head size, these are " + std::to_string(q.shape.back()) + " and " +
                    std::to_string(k.shape.back()),
                1);
  if (q.shape.back() % 2 != 0)
    return fail("the head size " + std::to_string(q.shape.back()) + " is odd; halves rotate together", 0);
  constexpr size_t caches[] = {2, 3, 4};
  if (auto error = refusePartial(use, caches))
    return *error;
  for (size_t operand : kBoth) {
    const TensorType &type = tensor(use, operand);
    int sums = 0;
    if (type.layout)
      for (const layout::AxisState &state : type.layout->states)
        if (state.kind == StateKind::Partial && (state.reduction != "sum" || ++sums > 1))
          return *refusePartial(use, std::span(&kBoth[operand], 1));
  }
  Inferred result;
  result.type = Type::tuple({Type(q), Type(k)});
  return result;
}

void activation(std::vector<OpSpec> &table, Op op) { table.push_back({op, {}, {}, {{"x"}}, {}, inferActivation, "nn"}); }
} // namespace

void addNn(std::vector<OpSpec> &table) {
  table.push_back({Op::MatMul, {}, {}, {{"lhs"}, {"rhs"}},
                   {{"a_layout", Kind::String, {}, {"MK", "KM"}, Attribute(std::string("MK"))},
                    {"b_layout", Kind::String, {}, {"KN", "NK"}, Attribute(std::string("KN"))},
                    {"out_dtype", Kind::DType, {}, {}, Attribute()}},
                   inferMatMul, "nn"});
  table.push_back({Op::Conv2D, {}, {}, {{"input"}, {"weight"}, {"bias"}},
                   {{"stride", Kind::Ints}, {"padding", Kind::Ints}, {"dilation", Kind::Ints}, {"groups", Kind::Int}}, inferConv2D, "nn"});
  for (Op op : {Op::ReLU, Op::Sigmoid, Op::Tanh, Op::Silu})
    activation(table, op);
  table.push_back({Op::Gelu, {}, {}, {{"x"}}, {{"approximate", Kind::String, {}, {}, Attribute(std::string("tanh"))}}, inferActivation, "nn"});
  table.push_back({Op::Softmax, {}, {}, {{"x"}}, {{"axis", Kind::Int}}, inferSoftmax, "nn"});
  table.push_back({Op::RmsNorm, {}, {}, {{"x"}, {"weight"}}, {{"eps", Kind::Float, {}, {}, Attribute(1e-6)}}, inferRmsNorm, "nn"});
  table.push_back({Op::LayerNorm, {}, {}, {{"x"}, {"weight"}, {"bias"}}, {{"axis", Kind::Int}, {"eps", Kind::Float}}, inferLayerNorm, "nn"});
  table.push_back({Op::Rope, {}, {}, {{"q"}, {"k"}, {"cos_cache"}, {"sin_cache"}, {"pos_ids"}}, {}, inferRope, "nn"});
}

} // namespace tilewright::ir::rules
