#include "ir/OpTable.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::ir;

namespace {
Enumerator form(const char *value) { return {"T.cuda.sm90.Form", value}; }
Instruction wgmma(std::vector<std::pair<std::string, InstructionParameter>> parameters) { return {"T.cuda.sm90.Wgmma", std::move(parameters)}; }

TensorType tensor(std::vector<int64_t> shape, DType dtype, Storage storage) {
  TensorType type;
  type.shape = std::move(shape);
  type.dtype = dtype;
  type.storage = storage;
  return type;
}
std::shared_ptr<const layout::Mesh> threads(int64_t count, int64_t first) {
  layout::Mesh mesh;
  mesh.topologies = {{"thread", 256}};
  mesh.shape = {count};
  mesh.strides = {1};
  mesh.offset = first;
  mesh.names = {"t"};
  return std::make_shared<const layout::Mesh>(mesh);
}
Inferred scheduled(Instruction instruction, std::vector<Type> operands, std::shared_ptr<const layout::Mesh> mesh, Attributes more = {},
                   const char *target = "nvidia.h200_sxm") {
  OpUse use{Op::Schedule, std::move(operands), {}, {{"op", std::move(instruction)}}};
  use.constants.resize(use.operands.size());
  for (auto &entry : more)
    use.attributes.push_back(std::move(entry));
  InferContext context;
  context.target = target::find(target);
  context.mesh = mesh;
  context.enclosing = {mesh};
  return infer(use, context);
}
} // namespace

TEST_CASE("a schedule's result is its destination") {
  const Type source = tensor({64, 64}, DType::BF16, Storage::Gmem), slot = tensor({64, 64}, DType::BF16, Storage::Smem);
  const auto cta = threads(256, 0);
  CHECK(scheduled({"T.copy", {}}, {source, slot}, cta).type == slot);
  CHECK(scheduled({"T.copy_async_tensor", {}}, {source, slot}, threads(32, 64)).type == slot);
  CHECK(scheduled({"T.copy_async_tensor", {}}, {source, slot}, cta).failed());
  CHECK(scheduled({"T.copy_async_tensor", {}}, {source, slot}, threads(32, 16)).failed());
  CHECK(scheduled({"T.copy_async_tensor", {}}, {slot, slot}, threads(32, 0)).operand == 1);
  TensorType narrow = tensor({64, 8}, DType::BF16, Storage::Gmem);
  narrow.layout = layout::compact({64, 8});
  narrow.layout->strides = layout::IntTuple::of({12, 1});
  CHECK(scheduled({"T.copy_async_tensor", {}}, {Type(narrow), Type(tensor({64, 8}, DType::BF16, Storage::Smem))}, threads(32, 0)).operand == 0);
  CHECK(scheduled({"T.copy", {}}, {source}, cta).failed());
  CHECK(scheduled({"T.copy", {}}, {source, Type(tensor({64, 32}, DType::BF16, Storage::Smem))}, cta).operand == 1);
  CHECK(scheduled({"T.copy", {}}, {source, Type(tensor({64, 64}, DType::F32, Storage::Smem))}, cta).operand == 1);
  CHECK(scheduled({"T.relu", {}}, {source, source}, cta).operand == 0);
  CHECK(scheduled({"T.copy", {}}, {source, slot}, cta, {{"repeat", std::vector<int64_t>{2, 1}}}).attribute == "repeat");
  CHECK(scheduled({"T.copy", {}}, {source, slot}, cta, {{"order", std::vector<int64_t>{0, 0}}}).attribute == "order");
  CHECK_FALSE(scheduled({"T.copy", {}}, {source, slot}, cta, {{"repeat", std::vector<int64_t>{1, 1}}, {"order", std::vector<int64_t>{1, 0}}}).failed());
}

TEST_CASE("a tiled product covers its tile by whole issues") {
  const Instruction mma{"T.tiled_mma", {{"atom", std::vector<Instruction>{wgmma({{"n", int64_t{128}}, {"dtype", std::string("bf16")}, {"form", form("SS")}})}}}};
  const auto group = [] {
    layout::Mesh mesh = *threads(128, 128);
    mesh.shape = {4, 8, 4};
    mesh.strides = {32, 4, 1};
    mesh.names = {"w", "r", "q"};
    return std::make_shared<const layout::Mesh>(mesh);
  }();
  const auto swizzled = [](std::vector<int64_t> shape, layout::IntTuple modes, layout::IntTuple strides) {
    TensorType type = tensor(std::move(shape), DType::BF16, Storage::Smem);
    type.layout.emplace();
    type.layout->shape = std::move(modes);
    type.layout->strides = std::move(strides);
    type.layout->swizzle = layout::Swizzle{3, 4, 3};
    return type;
  };
  const auto groups = [](std::vector<int64_t> rows, std::vector<int64_t> columns) { return layout::IntTuple::tuple({layout::IntTuple::of(rows), layout::IntTuple::of(columns)}); };
  TensorType fragment = tensor({128, 128}, DType::F32, Storage::Rmem);
  fragment.layout.emplace();
  fragment.layout->shape = layout::IntTuple::of({2, 4, 2, 8, 16, 4, 2});
  fragment.layout->strides = layout::IntTuple::of({8192, 16, 8, 1, 512, 128, 64});
  fragment.layout->mesh = group;
  for (int mode : {1, 3, 5})
    fragment.layout->states.push_back({layout::StateKind::Split, mode, {}});
  TensorType plain = fragment;
  plain.dtype = DType::BF16;
  const TensorType left = swizzled({128, 64}, groups({2, 1, 64}, {4, 2, 8}), groups({4096, 4096, 1}, {1024, 512, 64}));
  const Type acc = fragment, a = left, b = swizzled({64, 128}, groups({4, 2, 8}, {2, 64}), groups({1024, 512, 64}, {4096, 1}));
  TensorType far = left;
  far.storage = Storage::Gmem;
  CHECK(scheduled(mma, {acc, a, b}, group).type == acc);
  CHECK_FALSE(scheduled(mma, {acc, a, b}, group, {{"repeat", std::vector<int64_t>{2, 1, 4}}}).failed());
  CHECK(scheduled(mma, {acc, a, b}, group, {{"repeat", std::vector<int64_t>{1, 1, 4}}}).attribute == "repeat");
  CHECK(scheduled(mma, {acc, a, b}, group, {{"repeat", std::vector<int64_t>{2, 1}}}).attribute == "repeat");
  CHECK(scheduled(mma, {acc, a, b}, threads(64, 0)).failed());
  CHECK(scheduled(mma, {acc, a, b}, threads(128, 0)).failed());
  CHECK(scheduled(mma, {acc, a}, group).failed());
  CHECK(scheduled(mma, {Type(plain), a, b}, group).operand == 0);
  CHECK(scheduled(mma, {acc, Type(far), b}, group).operand == 1);
  CHECK(scheduled(mma, {acc, a, Type(tensor({32, 128}, DType::BF16, Storage::Smem))}, group).operand == 2);
  CHECK(scheduled(mma, {acc, a, b}, group, {}, "nvidia.b200_sxm").attribute == "op");
}
