#include "ir/OpTable.h"
#include "ir/PrintType.h"

#include <doctest/doctest.h>

#include <set>

using namespace tilewright;
using namespace tilewright::ir;

namespace {
TensorType tensor(std::vector<int64_t> shape, DType dtype = DType::F32, Storage storage = Storage::Gmem) {
  TensorType type;
  type.shape = std::move(shape);
  type.dtype = dtype;
  type.storage = storage;
  return type;
}
TensorType plain(TensorType type, std::vector<int64_t> strides = {}) {
  type.layout = layout::compact(type.shape);
  if (!strides.empty())
    type.layout->strides = layout::IntTuple::of(strides);
  return type;
}
/// The printed result of an op, or its error with the place it names.
std::string typed(Op op, std::vector<Type> operands, Attributes given = {}, std::optional<std::vector<std::optional<int64_t>>> starts = {}) {
  OpUse use{op, std::move(operands), {}, {}};
  for (const AttributeSpec &row : spec(op).attributes) {
    const Attribute *value = find(given, row.name);
    if (value || row.defaultValue)
      use.attributes.emplace_back(row.name, value ? *value : *row.defaultValue);
  }
  use.constants.resize(use.operands.size());
  if (starts)
    use.constants.back() = starts;
  InferContext context;
  context.target = target::find("nvidia.h200_sxm");
  const Inferred result = infer(use, context);
  if (result.failed())
    return "error" + (result.operand >= 0 ? " at operand " + std::to_string(result.operand) : "") +
           (result.attribute.empty() ? "" : " at " + result.attribute);
  return printType(result.type, [](const layout::Mesh &, int) { return std::string("m.a"); });
}
Type index(size_t count) { return Type::tuple(std::vector<Type>(count, scalar(DType::I64, Storage::Umat))); }
} // namespace

TEST_CASE("every op has a row with a rule, and every name leads to one") {
  for (const OpSpec &row : allOps()) {
    CHECK((row.infer != nullptr));
    CHECK_FALSE(row.mnemonic.empty());
    CHECK_FALSE(row.family.empty());
    const AuthoredOp *authored = authoredOp(row.mnemonic);
    REQUIRE(authored != nullptr);
    CHECK(authored->op == row.op);
  }
  std::set<std::string_view> names;
  for (const AuthoredOp &authored : allAuthoredOps())
    CHECK(names.insert(authored.name).second);
  CHECK(authoredOp("square")->op == Op::Unary);
  CHECK(authoredOp("maximum")->op == Op::Max);
  CHECK(authoredOp("cumsum") == nullptr);
  CHECK(opOfKind("unary", "ceil") == Op::Ceil);
  CHECK(opOfKind("binary", "floor_div") == Op::FloorDiv);
  CHECK_FALSE(opOfKind("unary", "square"));
}

TEST_CASE("elementwise ops: dtype, broadcast, storage") {
  CHECK(typed(Op::Add, {tensor({16, 16}), tensor({1, 16})}) == "Tensor[(16, 16), \"f32\"]");
  CHECK(typed(Op::Add, {tensor({16, 16}), tensor({16, 16}, DType::BF16)}) == "error at operand 1");
  CHECK(typed(Op::Add, {tensor({4, 8, 2}), tensor({16, 16})}) == "error at operand 1");
  CHECK(typed(Op::Mod, {tensor({4}), tensor({4})}) == "error at operand 0");
  CHECK(typed(Op::CmpLt, {tensor({4}), tensor({4})}) == "Tensor[(4,), \"bool\"]");
  CHECK(typed(Op::Mul, {tensor({4, 4}, DType::F32, Storage::Rmem), scalar(DType::F32, Storage::Umat)}) == "Tensor[(4, 4), \"f32\", (4, 4), \"rmem\"]");
  CHECK(typed(Op::Add, {tensor({4}), tensor({4}, DType::F32, Storage::Rmem)}) == "error at operand 1");
  CHECK(typed(Op::Mul, {scalar(DType::I64, Storage::Rmem), scalar(DType::I64, Storage::Umat)}) == "Tensor[(), \"i64\", \"rmem\"]");
  CHECK(typed(Op::LogicalNot, {tensor({4})}) == "error at operand 0");
}

TEST_CASE("elementwise ops keep the layout that describes the result") {
  const TensorType window = plain(tensor({4, 4}), {16, 1}), whole = plain(tensor({8, 16}));
  CHECK(typed(Op::Add, {window, window}) == "Tensor[(4, 4), \"f32\", ((4, 4), (16, 1))]");
  CHECK(typed(Op::Add, {tensor({4, 4}), window}) == "Tensor[(4, 4), \"f32\", ((4, 4), (16, 1))]");
  CHECK(typed(Op::Add, {window, plain(tensor({4, 4}), {16, 2})}) == "Tensor[(4, 4), \"f32\"]");
  CHECK(typed(Op::Add, {whole, tensor({8, 16})}) == "Tensor[(8, 16), \"f32\", (8, 16)]");
  CHECK(typed(Op::Add, {tensor({8, 16}), whole}) == "Tensor[(8, 16), \"f32\"]");
  CHECK(typed(Op::Add, {plain(tensor({1, 16})), whole}) == "Tensor[(8, 16), \"f32\"]");
}

TEST_CASE("products") {
  const auto smem = [](DType dtype) { return plain(tensor({64, 64}, dtype, Storage::Smem)); };
  CHECK(typed(Op::MatMul, {tensor({16, 24}), tensor({24, 8})}) == "Tensor[(16, 8), \"f32\"]");
  CHECK(typed(Op::MatMul, {tensor({16, 24}), tensor({16, 8})}) == "error at operand 1");
  CHECK(typed(Op::MatMul, {smem(DType::BF16), smem(DType::BF16)}, {{"out_dtype", DType::F32}}) == "Tensor[(64, 64), \"f32\", (64, 64), \"rmem\"]");
  CHECK(typed(Op::MatMul, {smem(DType::BF16), smem(DType::BF16)}) == "error");
  CHECK(typed(Op::MatMul, {tensor({1, 16, 8}), tensor({3, 8, 4})}) == "Tensor[(3, 16, 4), \"f32\"]");
}

TEST_CASE("windows") {
  const Attributes box{{"sizes", std::vector<int64_t>{128, 64}}, {"strides", std::vector<int64_t>{1, 1}}};
  CHECK(typed(Op::Slice, {tensor({4096, 512}), index(2)}, box) == "Tensor[(128, 64), \"f32\", ((128, 64), (512, 1))]");
  CHECK(typed(Op::Slice, {tensor({4096, 64}), index(2)}, box) == "Tensor[(128, 64), \"f32\", (128, 64)]");
  const Attributes small{{"sizes", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{1, 1}}};
  CHECK(typed(Op::Slice, {plain(tensor({4, 8}), {16, 1}), index(2)}, small, {{1, 2}}) == "Tensor[(2, 2), \"f32\", ((2, 2), (16, 1)) + 18]");
  CHECK(typed(Op::InsertSlice, {tensor({16, 16}), tensor({16, 16}), index(2)}, {}, {{4, 0}}) == "error at operand 2");
}

TEST_CASE("reductions and searches") {
  const Attributes rows{{"axes", std::vector<int64_t>{1}}};
  CHECK(typed(Op::Reduce, {tensor({16, 8})}, rows) == "Tensor[(16, 1), \"f32\"]");
  CHECK(typed(Op::Reduce, {tensor({16, 8})}, {{"axes", std::vector<int64_t>{1}}, {"keepdim", false}}) == "Tensor[(16,), \"f32\"]");
  CHECK(typed(Op::Reduce, {tensor({16, 8})}, {{"axes", std::vector<int64_t>{2}}}) == "error at axes");
  CHECK(typed(Op::TopK, {tensor({32, 16})}, {{"k", int64_t{8}}}) == "Tuple[Tensor[(32, 8), \"f32\"], Tensor[(32, 8), \"i64\"]]");
  CHECK(typed(Op::TopK, {tensor({32, 16})}, {{"k", int64_t{17}}}) == "error at k");
  CHECK(typed(Op::ArgMax, {tensor({32, 16})}) == "Tensor[(32,), \"i64\"]");
  CHECK(typed(Op::Quant, {tensor({16, 16})}, {{"group", int64_t{7}}}) == "error at group");
}

TEST_CASE("moves") {
  CHECK(typed(Op::Reshard, {tensor({16, 16})}, {{"storage", Storage::Smem}}) == "error at storage");
  CHECK(typed(Op::Reshard, {tensor({16, 16})}, {{"layout", layout::compact({16, 16})}, {"storage", Storage::Smem}}) ==
        "Tensor[(16, 16), \"f32\", (16, 16), \"smem\"]");
  CHECK(typed(Op::Reshard, {tensor({16, 16})}, {{"layout", layout::compact({16, 8})}}) == "error at layout");
  CHECK(typed(Op::Local, {tensor({16, 16})}) == "error at operand 0");
}
