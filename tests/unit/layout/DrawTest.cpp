#include "layout/Draw.h"

#include <doctest/doctest.h>

using namespace tilewright::layout;

namespace {
TensorLayout swizzledTile() {
  TensorLayout tile;
  tile.shape = IntTuple::tuple({IntTuple::of({8, 8}), IntTuple::of({4, 16})});
  tile.strides = tile.shape.congruent({512, 64, 16, 1});
  tile.swizzle = Swizzle{3, 4, 3};
  return tile;
}
TensorLayout fragment() {
  Mesh mesh;
  mesh.topologies = {{"thread", 32}};
  mesh.shape = {8, 4};
  mesh.strides = {4, 1};
  TensorLayout layout;
  layout.shape = IntTuple::tuple({IntTuple(8), IntTuple::of({4, 2})});
  layout.mesh = std::make_shared<const Mesh>(mesh);
  layout.states = {{StateKind::Split, 0, {}}, {StateKind::Split, 1, {}}};
  return layout;
}
} // namespace

TEST_CASE("a memory layout shows bytes and banks, a run of 16 bytes to a cell") {
  CHECK(shapeOf(swizzledTile()) == std::vector<int64_t>{64, 64});
  CHECK(drawText(swizzledTile(), {64, 64}, {.elementBits = 16, .maxRows = 4, .maxColumns = 4}) == "cell: byte/bank of 8 elements\n"
                                                                                                 "         0       8      16      24\n"
                                                                                                 " 0     0/0    16/4    32/8   48/12  ...\n"
                                                                                                 " 1   144/4   128/0  176/12   160/8  ...\n"
                                                                                                 " 2   288/8  304/12   256/0   272/4  ...\n"
                                                                                                 " 3  432/12   416/8   400/4   384/0  ...\n"
                                                                                                 "... 64 rows, 64 columns in all");
}

TEST_CASE("a shared-out value shows who holds what") {
  CHECK(drawText(fragment(), {8, 8}, {.maxRows = 2}) == "cell: thread:value, of 32 threads holding 2 values each\n"
                                                       "       0      2      4      6\n"
                                                       "0  0:0-1  1:0-1  2:0-1  3:0-1\n"
                                                       "1  4:0-1  5:0-1  6:0-1  7:0-1\n"
                                                       "... 8 rows in all");
}

TEST_CASE("what cannot be drawn is not") {
  CHECK(drawText(compact({4, 4}), {5, 5}, {}) == "");
  CHECK(drawText(compact({0, 4}), {0, 4}, {}) == "");
  CHECK(drawText(fragment(), {8, 7}, {}) == "");
  CHECK(drawSvg(compact({4, 4}), {5, 5}, "", {}) == "");
}

TEST_CASE("a picture names its layout and is the same every time") {
  const std::string svg = drawSvg(swizzledTile(), {64, 64}, "a < b", {.maxRows = 8, .maxColumns = 8});
  CHECK(svg == drawSvg(swizzledTile(), {64, 64}, "a < b", {.maxRows = 8, .maxColumns = 8}));
  CHECK(svg.rfind("<svg ", 0) == 0);
  CHECK(svg.find("<title>a &lt; b</title>") != std::string::npos);
  CHECK(svg.find(">144/4<") != std::string::npos);
  CHECK(svg.find("part of 64 rows and 64 columns") != std::string::npos);
  CHECK(svg.find("banks 28-31") != std::string::npos);
}
