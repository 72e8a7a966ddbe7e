#include "layout/Banks.h"

#include <doctest/doctest.h>

using namespace tilewright::layout;

namespace {
TensorLayout tile(int64_t rows, int64_t columns, int64_t pitch) {
  TensorLayout layout = compact({rows, columns});
  layout.strides = IntTuple::of({pitch, 1});
  return layout;
}
BankCount of(const TensorLayout &layout, const std::vector<int64_t> &shape, int bits, AccessPattern pattern) {
  for (const PatternBanks &banks : patternBanks(layout, shape, bits))
    if (banks.pattern == pattern)
      return banks.worst;
  return {};
}
std::vector<int64_t> lanes(int64_t step) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < 32; ++i)
    out.push_back(i * step);
  return out;
}
} // namespace

TEST_CASE("a bank serves one word a pass, to any number of lanes") {
  CHECK(bankCount(lanes(4), 4) == BankCount{1, 1, 1});
  CHECK(bankCount(lanes(0), 4) == BankCount{1, 1, 1});   // one word for all
  CHECK(bankCount(lanes(2), 2) == BankCount{1, 1, 1});   // two lanes to a word
  CHECK(bankCount(lanes(8), 4) == BankCount{2, 1, 2});   // every second bank
  CHECK(bankCount(lanes(128), 4) == BankCount{32, 1, 32});
  CHECK(bankCount(lanes(132), 4) == BankCount{1, 1, 1}); // padded by a word
  CHECK(bankCount(lanes(8), 8) == BankCount{2, 2, 1});   // 8 and 16 bytes go in groups
  CHECK(bankCount(lanes(16), 16) == BankCount{4, 4, 1});
  CHECK(bankCount(lanes(128), 16) == BankCount{32, 4, 8});
}

TEST_CASE("a 128-byte swizzle frees rows of 128 bytes from conflicts") {
  TensorLayout plain = tile(64, 64, 64);
  CHECK(of(plain, {64, 64}, 16, AccessPattern::Rows) == BankCount{4, 4, 1});
  CHECK(of(plain, {64, 64}, 16, AccessPattern::Matrices) == BankCount{32, 4, 8});
  CHECK(of(plain, {64, 64}, 16, AccessPattern::Column) == BankCount{32, 4, 8});
  TensorLayout swizzled = plain;
  swizzled.swizzle = Swizzle{3, 4, 3};
  CHECK(of(swizzled, {64, 64}, 16, AccessPattern::Rows) == BankCount{4, 4, 1});
  CHECK(of(swizzled, {64, 64}, 16, AccessPattern::Matrices) == BankCount{4, 4, 1});
  swizzled.swizzle = Swizzle{1, 4, 3}; // too few bits: four rows on one group of banks
  CHECK(of(swizzled, {64, 64}, 16, AccessPattern::Matrices) == BankCount{16, 4, 4});
  CHECK(of(tile(64, 64, 72), {64, 64}, 16, AccessPattern::Matrices) == BankCount{4, 4, 1}); // padded by 16 bytes instead
}

TEST_CASE("lanes move what lies together and is aligned") {
  const auto widths = [](const TensorLayout &layout) { return patternBanks(layout, {32, 32}, 16).front().bytes; };
  CHECK(widths(tile(32, 32, 32)) == 16);
  CHECK(widths(tile(32, 32, 36)) == 8);
  CHECK(widths(tile(32, 32, 33)) == 2);
  CHECK(patternBanks(compact({8}), {8}, 16).empty());
  CHECK(patternBanks(tile(32, 32, 32), {32, 32}, 4).empty());
}

TEST_CASE("an accumulator goes to shared memory in pairs, and conflicts where rows share banks") {
  Mesh mesh;
  mesh.topologies = {{"thread", 128}};
  mesh.shape = {4, 8, 4};
  mesh.strides = {32, 4, 1};
  TensorLayout fragment; // rows (warp, half, group), columns (step, quad, pair)
  fragment.shape = IntTuple::tuple({IntTuple::of({4, 2, 8}), IntTuple::of({8, 4, 2})});
  fragment.mesh = std::make_shared<const Mesh>(mesh);
  fragment.states = {{StateKind::Split, 0, {}}, {StateKind::Split, 2, {}}, {StateKind::Split, 4, {}}};
  const auto plain = fragmentBanks(fragment, tile(64, 64, 64), {64, 64}, 16);
  REQUIRE(plain);
  CHECK(plain->bytes == 4);
  CHECK(plain->instructions == 16);
  CHECK(plain->total == BankCount{128, 16, 8});
  TensorLayout memory = tile(64, 64, 64);
  memory.swizzle = Swizzle{3, 4, 3};
  CHECK(fragmentBanks(fragment, memory, {64, 64}, 16)->total == BankCount{16, 16, 1});
  CHECK_FALSE(fragmentBanks(tile(64, 64, 64), memory, {64, 64}, 16));
}
