#include "layout/Print.h"

#include <doctest/doctest.h>

using namespace tilewright::layout;

namespace {
Mesh threads() {
  Mesh mesh;
  mesh.topologies = {{"thread", 128}};
  mesh.shape = {4, 32};
  mesh.strides = {32, 1};
  mesh.names = {"w", "l"};
  return mesh;
}
Mesh ctas(int64_t extent) {
  Mesh mesh;
  mesh.topologies = {{"cta", extent}};
  mesh.shape = {extent};
  mesh.strides = {1};
  mesh.names = {"b"};
  return mesh;
}
std::string axisName(const Mesh &mesh, int axis) {
  return mesh.topologies[static_cast<size_t>(mesh.levelOf(axis))].name + "." + mesh.names[static_cast<size_t>(axis)];
}
std::string print(const Sharded &sharded) {
  return sharded.error.empty() ? printLayout(sharded.layout, axisName) : "error: " + sharded.error;
}
} // namespace

TEST_CASE("compact strides step over everything inside") {
  CHECK(compactStrides({4, 8, 2}) == std::vector<int64_t>{16, 2, 1});
  CHECK(compactStrides({}) == std::vector<int64_t>{});
}

TEST_CASE("an integer tuple keeps its nesting when its leaves change") {
  const IntTuple tuple = IntTuple::tuple({IntTuple::of({2, 8}), IntTuple(4)});
  CHECK(tuple.product() == 64);
  CHECK(printTuple(tuple.congruent({8, 1, 16})) == "((8, 1), 16)");
  CHECK(printTuple(IntTuple::of({64})) == "(64,)");
}

TEST_CASE("modes belong to the axes they multiply to") {
  CHECK(*axisOfModes({256, 1}, IntTuple::of({4, 32, 2, 1})) == std::vector<int>{0, 0, 0, 1});
  CHECK(*axisOfModes({1, 64}, IntTuple::of({1, 32, 2})) == std::vector<int>{0, 1, 1});
  CHECK(*axisOfModes({1, 8}, IntTuple::of({1, 1, 1, 8})) == std::vector<int>{0, 0, 0, 1});
  CHECK(*axisOfModes({16, 16}, IntTuple::of({16, 4, 4})) == std::vector<int>{0, 1, 1});
  CHECK_FALSE(axisOfModes({16, 16}, IntTuple::of({16, 8})));
  CHECK_FALSE(axisOfModes({16, 16}, IntTuple::of({8, 32})));
}

TEST_CASE("axisOfModes by brute force: the modes of an axis multiply to its extent") {
  const std::vector<std::vector<int64_t>> shapes{{12}, {1, 12}, {4, 3}, {4, 1, 6}, {1, 1}, {2, 2, 3}};
  const std::vector<std::vector<int64_t>> modes{{12}, {3, 4}, {4, 3}, {2, 2, 3}, {1, 12}, {1, 1}, {4, 1, 2, 3}, {2, 2, 1, 6}};
  for (const auto &shape : shapes)
    for (const auto &mode : modes) {
      const auto axes = axisOfModes(shape, IntTuple::of(mode));
      if (!axes)
        continue;
      REQUIRE(axes->size() == mode.size());
      std::vector<int64_t> product(shape.size(), 1);
      for (size_t i = 0; i < mode.size(); ++i)
        product[static_cast<size_t>((*axes)[i])] *= mode[i];
      CHECK(product == shape);
    }
}

TEST_CASE("placements factor the axes that the mesh splits") {
  const Mesh mesh = compose(ctas(4), threads());
  Placement rows;
  rows.modes = {{64, {2}}, {64, {}}};
  CHECK(print(canonicalShard(rows, {64, 64}, mesh)) == "(32 @ thread.l, 2, 64)");
  Placement both;
  both.modes = {{64, {0}}, {64, {2}}};
  CHECK(print(canonicalShard(both, {64, 64}, mesh)) == "(4 @ cta.b, 16, 32 @ thread.l, 2)");
  Placement two;
  two.modes = {{256, {2, 1}}, {1, {}}};
  CHECK(print(canonicalShard(two, {256, 1}, mesh)) == "(4 @ thread.w, 32 @ thread.l, 2, 1)");
  Placement strided;
  strided.modes = {{4, {1}}, {4, {}}, {16, {}}};
  strided.strides = std::vector<int64_t>{64, 16, 1};
  CHECK(print(canonicalShard(strided, {16, 16}, mesh)) == "((4 @ thread.w, 4, 16), (64, 16, 1))");
  Placement whole;
  whole.modes = {{32, {}}, {48, {}}};
  whole.explicitState = true;
  CHECK(print(canonicalShard(whole, {32, 48}, mesh)) == "(32, 48) @ {B()}");
  Placement partial;
  partial.modes = {{32, {}}, {48, {}}};
  partial.states = {{0, "sum"}};
  partial.explicitState = true;
  CHECK(print(canonicalShard(partial, {32, 48}, mesh)) == "(32, 48) @ {cta.b @ P(\"sum\")}");
}

TEST_CASE("placements that cannot be") {
  const Mesh mesh = ctas(4);
  Placement odd;
  odd.modes = {{18, {0}}, {16, {}}};
  CHECK(canonicalShard(odd, {18, 16}, mesh).error.find("do not divide") != std::string::npos);
  Placement crossing;
  crossing.modes = {{16, {}}, {8, {}}};
  CHECK(canonicalShard(crossing, {16, 16}, mesh).error.find("do not group") != std::string::npos);
  Placement rank;
  rank.modes = {{16, {}}, {16, {}}};
  rank.strides = std::vector<int64_t>{16};
  CHECK(canonicalShard(rank, {16, 16}, mesh).error.find("strides") != std::string::npos);
  Placement twice;
  twice.modes = {{16, {0}}, {16, {0}}};
  CHECK(canonicalShard(twice, {16, 16}, mesh).error.find("two modes") != std::string::npos);
}

TEST_CASE("a unit holds the part its position and the coarser ones select") {
  const Mesh mesh = compose(ctas(4), threads());
  Placement both;
  both.modes = {{64, {0}}, {64, {2}}};
  const TensorLayout layout = canonicalShard(both, {64, 64}, mesh).layout;
  CHECK(localShape(layout, {64, 64}, {}) == std::vector<int64_t>{64, 64});
  CHECK(localShape(layout, {64, 64}, {"cta"}) == std::vector<int64_t>{16, 64});
  CHECK(localShape(layout, {64, 64}, {"cta", "thread"}) == std::vector<int64_t>{16, 2});
}

TEST_CASE("composed meshes number units as the device does") {
  const Mesh mesh = compose(ctas(4), threads());
  CHECK(mesh.shape == std::vector<int64_t>{4, 4, 32});
  CHECK(mesh.strides == std::vector<int64_t>{128, 32, 1});
  CHECK(mesh.levelOf(0) == 0);
  CHECK(mesh.levelOf(1) == 1);
  CHECK(mesh.levelOf(2) == 1);
  CHECK(levelMesh(mesh, 1) == threads());
  const Mesh warp = *select(threads(), {{1, 3}, {0, 32}});
  CHECK(warp.offset == 32);
  CHECK(warp.shape == std::vector<int64_t>{2, 32});
  CHECK_FALSE(select(threads(), {{1, 5}, {0, 32}}));
}

TEST_CASE("plain layouts print their strides when they are not row-major") {
  TensorLayout window = compact({128, 64});
  CHECK(printLayout(window, {}) == "(128, 64)");
  window.strides = IntTuple::of({512, 1});
  CHECK(printLayout(window, {}) == "((128, 64), (512, 1))");
  window.offset = 18;
  CHECK(printLayout(window, {}) == "((128, 64), (512, 1)) + 18");
  TensorLayout row = compact({1, 16});
  row.strides = IntTuple::of({64, 1});
  CHECK(printLayout(row, {}) == "((1, 16), (64, 1))");
  TensorLayout tiled;
  tiled.shape = IntTuple::tuple({IntTuple::of({2, 8, 8}), IntTuple::of({4, 16})});
  tiled.strides = IntTuple::tuple({IntTuple::of({4096, 512, 64}), IntTuple::of({16, 1})});
  tiled.swizzle = Swizzle{3, 4, 3};
  CHECK(printLayout(tiled, {}) == "Layout(((2, 8, 8), (4, 16)), ((4096, 512, 64), (16, 1))) | Swizzle(3, 4, 3)");
}
