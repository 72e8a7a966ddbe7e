// Matching: programs are held against the reference by the goldens; here the rules are stated one by one.
#include "instruction/Advice.h"
#include "instruction/Match.h"
#include "instruction/Tiles.h"
#include "instruction/Walk.h"
#include "layout/Print.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::instruction;
using layout::IntTuple;

namespace {
IntTuple group(std::vector<int64_t> modes) { return modes.size() == 1 ? IntTuple(modes[0]) : IntTuple::of(modes); }
layout::TensorLayout grouped(std::vector<std::vector<int64_t>> shape, std::vector<std::vector<int64_t>> strides, std::optional<layout::Swizzle> swizzle = {}) {
  layout::TensorLayout out;
  std::vector<IntTuple> a, b;
  for (const auto &axis : shape)
    a.push_back(group(axis));
  for (const auto &axis : strides)
    b.push_back(group(axis));
  out.shape = IntTuple::tuple(a);
  out.strides = IntTuple::tuple(b);
  out.swizzle = swizzle;
  return out;
}
const layout::Swizzle kWide{3, 4, 3}, kMiddle{2, 4, 3}, kNarrow{1, 4, 3};
TensorType tensor(std::vector<int64_t> shape, DType dtype, Storage storage, std::optional<layout::TensorLayout> layout = {}) {
  return {std::move(shape), dtype, std::move(layout), storage};
}
std::shared_ptr<const layout::Mesh> threads(std::vector<int64_t> shape, std::vector<int64_t> strides = {}, int64_t offset = 0) {
  layout::Mesh mesh;
  mesh.topologies = {{"thread", 256}};
  mesh.strides = strides.empty() ? layout::compactStrides(shape) : std::move(strides);
  mesh.shape = std::move(shape);
  mesh.offset = offset;
  mesh.names.assign(mesh.shape.size(), "t");
  return std::make_shared<const layout::Mesh>(std::move(mesh));
}
/// Modes split over the axes of a mesh, in its order.
layout::TensorLayout split(std::vector<int64_t> modes, std::vector<int64_t> strides, std::vector<int> splits, std::shared_ptr<const layout::Mesh> mesh) {
  layout::TensorLayout out;
  out.shape = IntTuple::of(modes);
  out.strides = IntTuple::of(strides);
  out.mesh = std::move(mesh);
  for (int mode : splits)
    out.states.push_back(mode < 0 ? layout::AxisState{} : layout::AxisState{layout::StateKind::Split, mode, {}});
  return out;
}
Instruction wgmma(int64_t n, const char *aMajor = "K", const char *bMajor = "MN") {
  const auto major = [](const char *text) { return Enumerator{"T.cuda.sm90.Major", text}; };
  Instruction atom{"T.cuda.sm90.Wgmma", {{"n", n}, {"dtype", std::string("bf16")}, {"form", Enumerator{"T.cuda.sm90.Form", "SS"}}, {"a_major", major(aMajor)}, {"b_major", major(bMajor)}}};
  return {"T.tiled_mma", {{"atom", std::vector<Instruction>{atom}}}};
}
std::string path(const Match &match) {
  std::string out;
  for (const Binding &binding : match.path)
    out += (out.empty() ? "" : ", ") + binding.name + "=" + binding.value;
  return out;
}
std::string said(const Match &match) { return match.accepted ? "accepted" : match.reason; }

/// A product of 64 by 64 by 64 that one warpgroup computes in four issues.
Use product() {
  Use use;
  use.instruction = wgmma(64);
  use.scopes = {threads({4, 8, 4})};
  use.operands = {tensor({64, 64}, DType::F32, Storage::Rmem, split({4, 2, 8, 8, 4, 2}, {16, 8, 1, 512, 128, 64}, {0, 2, 4}, use.scopes[0])),
                  tensor({64, 64}, DType::BF16, Storage::Smem, grouped({{8, 8}, {4, 16}}, {{512, 64}, {16, 1}}, kWide)),
                  tensor({64, 64}, DType::BF16, Storage::Smem, grouped({{4, 2, 8}, {1, 64}}, {{1024, 512, 64}, {4096, 1}}, kWide))};
  return use;
}
} // namespace

TEST_CASE("a product binds parameters, mesh, accumulator, left and right side, in this order") {
  const Match one = match(product());
  CHECK(said(one) == "accepted");
  CHECK(path(one) == "n=64, dtype=bf16, form=SS, a_major=K, b_major=MN, p0=0, g=(), gs=(), c=8, a_swizzle=3, k0=0, l=512, W=64, b_swizzle=3, sb=512, Wb=64, rb=1, lb=4096");
  CHECK(one.repeat == std::vector<int64_t>{1, 1, 4});
  CHECK(one.order == std::vector<int64_t>{0, 1, 2});
}

TEST_CASE("one operand wrong in one way") {
  struct Row {
    const char *what;
    void (*change)(Use &);
    const char *reason;
  };
  const Row rows[] = {
      {"count", [](Use &u) { u.operands.pop_back(); }, "TiledMma expects operands ('acc', 'lhs', 'rhs') (3..3), got 2"},
      {"no mesh", [](Use &u) { u.scopes.clear(); }, "mesh: None does not match Mesh(('thread',), ComposedLayout(None, p0, Layout(((*g, 4, 8, 4),), ((*gs, 32, 4, 1),))))"},
      {"one warp", [](Use &u) { u.scopes = {threads({1, 8, 4})}; }, "mesh: 1 does not match 4"},
      {"flat mesh", [](Use &u) { u.scopes = {threads({128})}; }, "mesh: ((128,), (1,)) does not match Layout(((*g, 4, 8, 4),), ((*gs, 32, 4, 1),))"},
      {"unaligned", [](Use &u) { u.scopes = {threads({4, 8, 4}, {}, 64)}; }, "mesh: could not satisfy p0 % 128 == 0"},
      {"overlapping groups", [](Use &u) { u.scopes = {threads({2, 4, 8, 4}, {64, 32, 4, 1})}; },
       "mesh: could not satisfy every arrangement reaches each of its own slots exactly once"},
      {"accumulator dtype", [](Use &u) { u.operands[0].dtype = DType::BF16; }, "acc: bf16 does not match f32"},
      {"lhs dtype", [](Use &u) { u.operands[1].dtype = DType::F16; }, "lhs: f16 does not match bf16"},
      {"lhs storage", [](Use &u) { u.operands[1].storage = Storage::Gmem; }, "lhs: gmem does not match smem"},
      {"accumulator stride", [](Use &u) { u.operands[0].layout->strides = IntTuple::of({1024, 512, 64, 8, 2, 1}); }, "acc: 1024 does not match 16"},
      {"accumulator states", [](Use &u) { std::swap(u.operands[0].layout->states[0], u.operands[0].layout->states[2]); },
       "acc: (S(4), S(2), S(0)) does not match (S(0), S(2), S(4))"},
      {"other threads", [](Use &u) { u.operands[0].layout->mesh = threads({4, 8, 4}, {}, 128); },
       "input 0 is laid out more finely than the scope it runs in; write it inside that scope, or reshard it back first"},
      {"no swizzle", [](Use &u) { u.operands[1].layout->swizzle.reset(); }, "lhs: (16, 1) does not match Layout(((8, 8), (r, W)), ((l, W), (s, 1)))"},
      {"swizzle base", [](Use &u) { u.operands[1].layout->swizzle = layout::Swizzle{3, 3, 3}; }, "lhs: 3 does not match 4"},
      {"row-major", [](Use &u) { u.operands[1].layout = layout::compact({64, 64}); }, "layout axis 1 has no leading modes whose product is tile count 4"},
      {"bound symbol", [](Use &u) { u.operands[1].layout = grouped({{8, 8}, {4, 2, 8}}, {{512, 64}, {16, 8, 1}}, kWide); }, "lhs: 8 does not match W"},
      {"rule", [](Use &u) { u.operands[2].layout = grouped({{4, 2, 8}, {1, 64}}, {{1024, 520, 64}, {4096, 1}}, kWide); }, "rhs: could not satisfy sb % (8 * Wb) == 0"},
      {"rule of all arrangements first", [](Use &u) { u.operands[2].layout = grouped({{4, 2, 8}, {1, 64}}, {{1024, 500, 64}, {500, 1}}, kWide); },
       "rhs: could not satisfy lb % (8 * Wb) == 0"},
      {"rhs swizzle", [](Use &u) { u.operands[2].layout->swizzle = kMiddle; }, "rhs: could not satisfy Wb == (8, 16, 32, 64)[b_swizzle]"},
      {"repeat", [](Use &u) { u.repeat = {{1, 1, 2}}; }, "repeat (1, 1, 2) conflicts with inferred repeat (1, 1, 4)"},
      {"order", [](Use &u) { u.order = {{0, 1}}; }, "order (0, 1) is not a permutation of iteration dimensions"},
      {"n", [](Use &u) { u.instruction = wgmma(48); }, "iteration extent 64 is not divisible by single-issue extent 48"},
      {"a_major", [](Use &u) { u.instruction = wgmma(64, "MN"); }, "lhs: 64 does not match 1"},
      {"b_major", [](Use &u) { u.instruction = wgmma(64, "K", "K"); }, "rhs: 64 does not match 1"},
  };
  for (const Row &row : rows) {
    Use use = product();
    row.change(use);
    CAPTURE(row.what);
    CHECK(said(match(use)) == row.reason);
  }
}

TEST_CASE("the mesh is asked before fields, fields before extents, extents before the scope, the scope before arrangements") {
  Use use = product();
  use.operands[1].layout = layout::compact({64, 64});
  use.operands[0].layout->mesh = threads({4, 8, 4}, {}, 128);
  use.operands[1].dtype = DType::F16;
  use.scopes = {threads({128})};
  CHECK(match(use).node == Node::Mesh);
  use.scopes = {threads({4, 8, 4})};
  CHECK(match(use).node == Node::Operand);
  CHECK(match(use).field == Field::DType);
  use.operands[1].dtype = DType::BF16;
  CHECK(match(use).node == Node::Tiling);
  CHECK(path(match(use)) == "n=64, dtype=bf16, form=SS, a_major=K, b_major=MN");
  use.operands[1].layout = grouped({{8, 8}, {4, 16}}, {{512, 64}, {16, 2}}, kWide);
  CHECK(match(use).node == Node::Scope);
  CHECK(path(match(use)) == "n=64, dtype=bf16, form=SS, a_major=K, b_major=MN, p0=0, g=(), gs=()");
  use.operands[0].layout->mesh = use.scopes[0];
  CHECK(said(match(use)) == "lhs: (16, 2) does not match Layout(((8, 8), (r, W)), ((l, W), (s, 1)))");
}

TEST_CASE("two warpgroups: the group counts as a repeat and makes no issue of its own") {
  Use use = product();
  use.scopes = {threads({2, 4, 8, 4})};
  use.operands[0] = tensor({128, 64}, DType::F32, Storage::Rmem, split({2, 4, 2, 8, 8, 4, 2}, {4096, 16, 8, 1, 512, 128, 64}, {0, 1, 3, 5}, use.scopes[0]));
  use.operands[1] = tensor({128, 64}, DType::BF16, Storage::Smem, grouped({{2, 8, 8}, {4, 16}}, {{4096, 512, 64}, {16, 1}}, kWide));
  const Match one = match(use);
  REQUIRE(said(one) == "accepted");
  CHECK(one.repeat == std::vector<int64_t>{2, 1, 4});
  const std::vector<Issue> all = issues(use, one);
  REQUIRE(all.size() == 4);
  CHECK(all[0].operands[0].extent == std::vector<int64_t>{128, 64});
  CHECK(all[1].operands[1].start == std::vector<int64_t>{0, 16});
  CHECK(all[1].operands[1].extent == std::vector<int64_t>{128, 16});
  CHECK(all[1].operands[1].layout.offset == 16);
  CHECK(layout::printTuple(all[1].operands[1].layout.shape) == "((2, 8, 8), 16)");
  CHECK(all[1].operands[2].start == std::vector<int64_t>{16, 0});
  CHECK(all[1].operands[2].layout.offset == 0);
}

TEST_CASE("issues follow the order, the last dimension of it fastest") {
  Use use = product();
  use.operands[0] = tensor({64, 128}, DType::F32, Storage::Rmem, split({4, 2, 8, 2, 8, 4, 2}, {16, 8, 1, 4096, 512, 128, 64}, {0, 2, 5}, use.scopes[0]));
  use.operands[2] = tensor({64, 128}, DType::BF16, Storage::Smem, grouped({{4, 2, 8}, {2, 1, 64}}, {{1024, 512, 64}, {4096, 4096, 1}}, kWide));
  use.order = {{2, 0, 1}};
  const Match one = match(use);
  REQUIRE(said(one) == "accepted");
  const std::vector<Issue> all = issues(use, one);
  REQUIRE(all.size() == 8);
  CHECK(all[1].operands[0].start == std::vector<int64_t>{0, 64});
  CHECK(all[1].operands[1].start == std::vector<int64_t>{0, 0});
  CHECK(all[2].operands[1].start == std::vector<int64_t>{0, 16});
  CHECK(layout::printTuple(all[0].operands[0].layout.shape) == "(4, 2, 8, 8, 4, 2)");
}

TEST_CASE("boxes of a tensor copy") {
  struct Row {
    layout::TensorLayout layout;
    std::vector<int64_t> shape;
    int64_t span;
    std::optional<std::array<int64_t, 5>> dims;
  };
  using Dims = std::array<int64_t, 5>;
  const Row rows[] = {
      {grouped({{8, 8}, {4, 16}}, {{512, 64}, {16, 1}}), {64, 64}, 64, Dims{64, 64, 1, 1, 1}},
      {grouped({{8, 8}, {2, 32}}, {{256, 32}, {2048, 1}}), {64, 64}, 32, Dims{32, 64, 2, 1, 1}},
      {grouped({{8, 8}, {4, 16}}, {{512, 64}, {16, 1}}), {64, 64}, 16, Dims{16, 4, 64, 1, 1}},
      {grouped({{8, 8}, {4, 16}}, {{512, 64}, {16, 1}}), {64, 64}, 32, {}},     // 16 elements a row, 32 apart under this swizzle
      {grouped({{64}, {32}}, {{64}, {1}}), {64, 32}, 64, Dims{32, 64, 1, 1, 1}}, // half a row used
      {grouped({{64}, {512}}, {{512}, {1}}), {64, 512}, 0, Dims{512, 64, 1, 1, 1}},
      {grouped({{64}, {2, 2, 128}}, {{512}, {256, 128, 1}}), {64, 512}, 0, Dims{256, 2, 64, 1, 1}},
      {grouped({{64}, {64}}, {{72}, {1}}), {64, 64}, 0, {}},                    // a gap after each row
      {layout::compact({2, 2, 2, 2, 2, 2}), {2, 2, 2, 2, 2, 2}, 0, {}},
  };
  for (const Row &row : rows) {
    CAPTURE(layout::printTuple(row.layout.shape));
    CHECK(boxDims(row.layout, row.shape, row.span) == row.dims);
  }
}

TEST_CASE("steps of a tensor map and vectors of cp.async") {
  CHECK(tensorMapSteps(layout::compact({2, 3, 64, 64}), {2, 3, 64, 64}) == std::array<int64_t, 4>{12288, 4096, 64, 0});
  CHECK(!tensorMapSteps(grouped({{64}, {64}}, {{128}, {2}}), {64, 64}));
  CHECK(!tensorMapSteps(layout::compact({2, 2, 2, 2, 2, 64}), {2, 2, 2, 2, 2, 64}));
  const auto width = [](const layout::TensorLayout &layout, std::vector<int64_t> shape, int bits) { return vectorBytes(layout, shape, bits, {}); };
  CHECK(width(layout::compact({64, 64}), {64, 64}, 16) == 16);
  CHECK(width(grouped({{64}, {64}}, {{68}, {1}}), {64, 64}, 16) == 8);
  CHECK(width(grouped({{64}, {64}}, {{66}, {1}}), {64, 64}, 16) == 4);
  CHECK(!width(grouped({{64}, {64}}, {{65}, {1}}), {64, 64}, 16));
  CHECK(!width(grouped({{64}, {64}}, {{128}, {2}}), {64, 64}, 16));
  CHECK(width(grouped({{64}, {64}}, {{64}, {1}}, layout::Swizzle{3, 3, 3}), {64, 64}, 16) == 8); // keeps 8 bytes together
  CHECK(!vectorBytes(grouped({{64}, {4, 16}}, {{64}, {1, 4}}), {64, 64}, 16, 16));
}

TEST_CASE("where a window of swizzled shared memory begins within a row") {
  CHECK(swizzleRemainder(kWide, 4096 + 16, 16) == 16);
  CHECK(swizzleRemainder(kWide, 1024, 16) == 0);
  CHECK(swizzleRemainder(kMiddle, 48, 16) == 16);
  CHECK(swizzleRemainder(kNarrow, 16, 16) == 0);
  CHECK(swizzleRemainder(kWide, 160, 8) == 32);
}

TEST_CASE("an open atom takes the largest n that divides") {
  Use use = product();
  use.instruction = {"T.cuda.sm90.Wgmma", {}};
  use.operands[1].layout = grouped({{1, 64}, {4, 2, 8}}, {{4096, 1}, {1024, 512, 64}}, kWide);
  const std::vector<Match> all = matchOpen(use);
  REQUIRE(all.size() >= 1);
  CHECK(said(all[0]) == "accepted");
  CHECK(path(all[0]).starts_with("n=64, dtype=bf16, form=SS, a_major=MN, b_major=MN, p0=0"));
}

TEST_CASE("remedies are offered where the use matches with them") {
  struct Row {
    const char *what;
    void (*change)(Use &);
    const char *title; // "": none
  };
  const Row rows[] = {
      {"repeat", [](Use &u) { u.repeat = {{1, 1, 2}}; }, "use repeat=(1, 1, 4)"},
      {"order", [](Use &u) { u.order = {{0, 1}}; }, "use order=(0, 1, 2)"},
      {"n", [](Use &u) { u.instruction = wgmma(56); }, "use n=64"},
      {"major", [](Use &u) { u.instruction = wgmma(64, "MN"); }, "use a_major=T.cuda.sm90.Major.K"},
      {"swizzle", [](Use &u) { u.operands[1].layout->swizzle.reset(); }, "lay `lhs` out with Swizzle(3, 4, 3)"},
      {"storage", [](Use &u) { u.operands[1].storage = Storage::Gmem; }, "keep `lhs` in smem"},
      {"dtype", [](Use &u) { u.operands[0].dtype = DType::BF16; }, "make `acc` f32"},
      {"fragment", [](Use &u) { u.operands[0].layout->strides = IntTuple::of({1024, 512, 64, 8, 2, 1}); }, "lay `acc` out as the fragment that `T.cuda.sm90.Wgmma` works on"},
      {"two mistakes", [](Use &u) { u.operands[0].dtype = DType::BF16; u.operands[1].dtype = DType::F16; }, ""},
  };
  for (const Row &row : rows) {
    Use use = product();
    row.change(use);
    const Advice advice = advise(use, match(use));
    CAPTURE(row.what);
    CHECK_FALSE(advice.meaning.empty());
    CHECK((advice.remedies.empty() ? std::string() : advice.remedies[0].title) == row.title);
  }
}

TEST_CASE("a copy outside any thread mesh is offered one") {
  Use use;
  use.instruction = {"T.copy_async_tensor", {}};
  use.operands = {tensor({64, 64}, DType::BF16, Storage::Gmem), tensor({64, 64}, DType::BF16, Storage::Smem, layout::compact({64, 64}))};
  use.target = target::find("nvidia.h200_sxm");
  REQUIRE(use.target);
  CHECK(match(use).node == Node::Mesh);
  const Advice advice = advise(use, match(use));
  REQUIRE(advice.remedies.size() == 1);
  CHECK(advice.remedies[0].mesh->shape == std::vector<int64_t>{32});
}

TEST_CASE("the axis along which both ends of a transfer step by 1") {
  CHECK(walkOf(layout::compact({64, 64}), {64, 64}).axis == 1);
  CHECK(walkOf(grouped({{64}, {64}}, {{1}, {64}}), {64, 64}).axis == 0);
  const Walk inner = walkOf(grouped({{64}, {16, 4}}, {{64}, {1, 16}}), {64, 64});
  CHECK(inner.axis == -1);
  CHECK(inner.contiguous == 1);
  CHECK_FALSE(walkOf(layout::compact({64, 4, 16}), {64, 64}).grouped);
}
