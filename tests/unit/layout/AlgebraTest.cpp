// The post-conditions of Algebra.h over every index, for hand-written layouts and for some hundreds drawn from a fixed sequence.
#include "layout/Algebra.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace tilewright::layout;

namespace {
/// Small layouts: up to four modes of extents up to 6, strides that are compact in some order, scaled, repeated or zero.
std::vector<Modes> someLayouts(int count, bool overlapping) {
  std::mt19937 draw(20260); // its sequence is fixed by the standard
  std::vector<Modes> out;
  while (static_cast<int>(out.size()) < count) {
    Modes modes(draw() % 5);
    for (Mode &mode : modes)
      mode.extent = static_cast<int64_t>(1 + draw() % 6);
    std::vector<size_t> order(modes.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[draw() % i]);
    int64_t step = 1;
    for (size_t i : order) {
      if (draw() % 4 == 0)
        step *= static_cast<int64_t>(1 + draw() % 3);
      modes[i].stride = step;
      if (overlapping && draw() % 6 == 0)
        modes[i].stride = static_cast<int64_t>(draw() % 5);
      else
        step *= modes[i].extent;
    }
    if (size(modes) <= 400)
      out.push_back(modes);
  }
  return out;
}
std::vector<int64_t> offsets(const Modes &modes) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < size(modes); ++i)
    out.push_back(offsetAt(modes, i));
  return out;
}
bool distinct(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}
Mesh quads() { // a warp as (8, 4), and four of them
  Mesh mesh;
  mesh.topologies = {{"thread", 128}};
  mesh.shape = {4, 8, 4};
  mesh.strides = {32, 4, 1};
  mesh.names = {"w", "g", "t"};
  return mesh;
}
/// The accumulator of m64n16: rows (warp, half, group), columns (step, quad, pair).
TensorLayout accumulator() {
  TensorLayout layout;
  layout.shape = IntTuple::tuple({IntTuple::of({4, 2, 8}), IntTuple::of({2, 4, 2})});
  layout.strides = layout.shape.congruent({16, 8, 1, 512, 128, 64});
  layout.mesh = std::make_shared<const Mesh>(quads());
  layout.states = {{StateKind::Split, 0, {}}, {StateKind::Split, 2, {}}, {StateKind::Split, 4, {}}};
  return layout;
}
} // namespace

TEST_CASE("a coalesced layout has the same offsets and no mode to spare") {
  for (const Modes &modes : someLayouts(300, true)) {
    const Modes shorter = coalesce(modes);
    CHECK(offsets(shorter) == offsets(modes));
    for (size_t i = 0; i < shorter.size(); ++i) {
      CHECK(shorter[i].extent != 1);
      CHECK((i == 0 || shorter[i - 1].stride != shorter[i].extent * shorter[i].stride));
    }
  }
  CHECK(coalesce({{4, 8}, {8, 1}}) == Modes{{32, 1}});
  CHECK(coalesce({{4, 1}, {8, 4}}) == Modes{{4, 1}, {8, 4}});
  CHECK(coalesce({{1, 7}}).empty());
}

TEST_CASE("the span of a layout is one more than its largest offset") {
  for (const Modes &modes : someLayouts(300, true)) {
    const std::vector<int64_t> all = offsets(modes);
    CHECK(span(modes) == *std::max_element(all.begin(), all.end()) + 1);
  }
  CHECK(span({{0, 4}}) == 0);
}

TEST_CASE("a composition is one layout after the other") {
  const std::vector<Modes> layouts = someLayouts(160, true);
  int composed = 0;
  for (const Modes &outer : layouts)
    for (const Modes &inner : layouts) {
      const auto result = compose(outer, inner);
      if (!result)
        continue;
      ++composed;
      bool same = size(*result) == size(inner);
      for (int64_t i = 0; same && i < size(inner); ++i)
        same = offsetAt(*result, i) == offsetAt(outer, offsetAt(inner, i));
      REQUIRE(same);
    }
  CHECK(composed > 2000);
  // Whole layouts, tiles and steps compose; a step that carries unevenly does not.
  CHECK(*compose({{4, 1}, {16, 4}}, {{64, 1}}) == Modes{{4, 1}, {16, 4}});
  CHECK(*compose({{8, 1}, {16, 8}}, {{8, 16}, {4, 1}}) == Modes{{8, 1}, {4, 8}});
  CHECK(*compose({{8, 1}, {16, 8}}, {{4, 8}}) == Modes{{2, 1}, {2, 64}});
  CHECK_FALSE(compose({{4, 1}, {6, 4}}, {{4, 4}}));
  CHECK_FALSE(compose({{4, 1}}, {{5, 1}}));
}

TEST_CASE("a layout and its complement reach every offset once") {
  int found = 0;
  for (const Modes &modes : someLayouts(300, true))
    for (int64_t factor : {1, 2, 3}) {
      const int64_t count = span(modes) * factor;
      const auto rest = complement(modes, count);
      if (!rest)
        continue;
      ++found;
      std::vector<int64_t> reached;
      for (int64_t i : offsets(modes))
        for (int64_t j : offsets(*rest))
          reached.push_back(i + j);
      std::sort(reached.begin(), reached.end());
      REQUIRE(static_cast<int64_t>(reached.size()) == count);
      CHECK(reached.front() == 0);
      CHECK(reached.back() == count - 1);
      CHECK(distinct(reached));
    }
  CHECK(found > 100);
  CHECK(*complement({{4, 2}}, 24) == Modes{{3, 8}, {2, 1}});
  CHECK_FALSE(complement({{4, 2}}, 20));
  CHECK_FALSE(complement({{4, 0}}, 16));
}

TEST_CASE("an inverse finds every index again") {
  int found = 0;
  for (const Modes &modes : someLayouts(300, true)) {
    std::vector<int64_t> sorted = offsets(modes);
    std::sort(sorted.begin(), sorted.end());
    const bool onto = distinct(sorted) && sorted.back() == size(modes) - 1;
    const auto back = inverse(modes);
    CHECK(back.has_value() == onto);
    if (!back)
      continue;
    ++found;
    for (int64_t i = 0; i < size(modes); ++i)
      REQUIRE(offsetAt(*back, offsetAt(modes, i)) == i);
  }
  CHECK(found > 50);
}

TEST_CASE("leading modes number the tiles, the rest is one tile") {
  int found = 0;
  for (const Modes &modes : someLayouts(300, true))
    for (int64_t count : {1, 2, 3, 4, 6, 8}) {
      const auto split = splitLeading(modes, count);
      if (!split)
        continue;
      ++found;
      REQUIRE(size(split->leading) == count);
      for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < size(split->rest); ++j)
          REQUIRE(offsetAt(modes, i * size(split->rest) + j) == offsetAt(split->leading, i) + offsetAt(split->rest, j));
    }
  CHECK(found > 300);
  const auto rows = splitLeading({{2, 4096}, {8, 512}, {8, 64}}, 4);
  REQUIRE(rows);
  CHECK(rows->leading == Modes{{2, 4096}, {2, 2048}});
  CHECK(rows->rest == Modes{{4, 512}, {8, 64}});
  CHECK_FALSE(splitLeading({{6, 1}}, 4));
}

TEST_CASE("layouts that repeat or share an offset are found out") {
  const std::vector<Modes> layouts = someLayouts(120, true);
  for (const Modes &modes : layouts)
    CHECK(injective(modes) == distinct(offsets(modes)));
  for (size_t a = 0; a < layouts.size(); ++a)
    for (size_t b = 0; b < layouts.size(); b += 7)
      for (int64_t second : {0, 1, 5, 24}) {
        std::set<int64_t> reached;
        for (int64_t i : offsets(layouts[a]))
          reached.insert(i + 3);
        bool apart = true;
        for (int64_t i : offsets(layouts[b]))
          apart = apart && !reached.contains(i + second);
        REQUIRE(disjoint(layouts[a], 3, layouts[b], second) == apart);
      }
  // Interleaved rows of two windows.
  CHECK(disjoint({{4, 8}, {4, 1}}, 0, {{4, 8}, {4, 1}}, 4));
  CHECK_FALSE(disjoint({{4, 8}, {4, 1}}, 0, {{4, 8}, {4, 1}}, 3));
}

TEST_CASE("a swizzle undoes itself and stays in its block") {
  for (int bits = 0; bits <= 3; ++bits)
    for (int base = 0; base <= 4; ++base)
      for (int shift : {-4, -3, 3, 4}) {
        const Swizzle swizzle{bits, base, shift};
        REQUIRE(valid(swizzle));
        const int64_t block = int64_t{1} << (bits + base + std::abs(shift));
        std::vector<int64_t> image;
        for (int64_t i = 0; i < block; ++i) {
          CHECK(swizzled(swizzle, swizzled(swizzle, i)) == i);
          CHECK(swizzled(swizzle, i + 5 * block) == swizzled(swizzle, i) + 5 * block);
          image.push_back(swizzled(swizzle, i));
        }
        CHECK(distinct(image));
        CHECK(*std::max_element(image.begin(), image.end()) == block - 1);
      }
  CHECK_FALSE(valid({3, 4, 2}));
  CHECK_FALSE(valid({3, -1, 3}));
  CHECK(swizzled({3, 4, 3}, 0x80) == 0x90); // row 1: chunk 0 moves to 1
}

TEST_CASE("an element lies where its axes' modes take it") {
  TensorLayout tile; // 64 x 64, K-major, in rows of 64 and panels of 16
  tile.shape = IntTuple::tuple({IntTuple::of({8, 8}), IntTuple::of({4, 16})});
  tile.strides = tile.shape.congruent({512, 64, 16, 1});
  tile.swizzle = Swizzle{3, 4, 3};
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 64; ++column) {
      CHECK(offsetOf(tile, {64, 64}, {row, column}) == row * 64 + column);
      // 128-byte swizzling: the row's number modulo 8 is xored onto the number of the 16 bytes.
      CHECK(byteOf(tile, {64, 64}, {row, column}, 16) == row * 128 + ((column / 8) ^ (row % 8)) * 16 + column % 8 * 2);
    }
  TensorLayout flat = compact({2, 3, 4}); // six modes of other grouping: the row-major index is taken apart
  CHECK(offsetOf(flat, {4, 6}, {1, 2}) == 8);
  CHECK_FALSE(offsetOf(flat, {5, 5}, {1, 2}));
}

TEST_CASE("every element of a shared-out value has its positions, every position its values") {
  for (bool repeated : {false, true}) {
    TensorLayout layout = accumulator();
    std::vector<int64_t> shape{64, 16};
    if (repeated) { // the warps hold the same
      layout.shape = IntTuple::tuple({IntTuple::of({2, 8}), IntTuple::of({2, 4, 2})});
      layout.strides = layout.shape.congruent({8, 1, 512, 128, 64});
      layout.states = {{}, {StateKind::Split, 1, {}}, {StateKind::Split, 3, {}}};
      shape = {16, 16};
    }
    const auto holders = Holders::of(layout, shape);
    REQUIRE(holders);
    CHECK(holders->positions() == 128);
    CHECK(holders->held() == 8);
    CHECK(holders->copies() == (repeated ? 4 : 1));
    std::vector<int64_t> held(128);
    std::set<std::pair<int64_t, int64_t>> places;
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t column = 0; column < shape[1]; ++column) {
        const std::vector<int64_t> at{row, column};
        const std::vector<int64_t> all = holders->allPositions(at);
        CHECK(static_cast<int64_t>(all.size()) == holders->copies());
        CHECK(all.front() == holders->position(at));
        for (int64_t position : all) {
          ++held[static_cast<size_t>(position)];
          CHECK(places.insert({position, holders->value(at)}).second);
          CHECK(holders->element(position, holders->value(at)) == at);
        }
      }
    for (int64_t count : held)
      CHECK(count == holders->held());
  }
  // PTX ISA, wgmma accumulator: thread 4 of a warpgroup has row 1; value 1 is the next column, value 2 the row 8 below.
  const auto holders = Holders::of(accumulator(), {64, 16});
  CHECK(holders->position({1, 0}) == 4);
  CHECK(holders->element(0, 1) == std::vector<int64_t>{8, 0});
  CHECK_FALSE(Holders::of(compact({4, 4}), {4, 4}));
}

TEST_CASE("a slice of a mesh keeps the units at its positions") {
  const Mesh mesh = quads();
  const auto part = select(mesh, {{1, 3}, {0, 8}, {2, 4}});
  REQUIRE(part);
  int64_t position = 0;
  for (int64_t w = 1; w < 3; ++w)
    for (int64_t g = 0; g < 8; ++g)
      for (int64_t t = 2; t < 4; ++t)
        CHECK(unitAt(*part, position++) == w * 32 + g * 4 + t);
  CHECK(position == part->positions());
}
