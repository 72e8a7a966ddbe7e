#include "instruction/Pattern.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::instruction;

TEST_CASE("patterns print as they are written") {
  for (const char *text : {"64", "n", "_", "None", "8 * c", "l % (8 * W)", "Bits('dtype0') * step1 % 128", "(8, 16, 32, 64)[a_swizzle]", "a - (b - c)", "(a + b) * c", "a * (b // c)",
                           "a - b + c"})
    CHECK(print(parseTerm(text)) == text);
  for (const char *text : {"()", "(64,)", "(*g, 4, 8, 4)", "((r, W), (2, 8))", "((*_, 32),)"})
    CHECK(print(parseTuple(text)) == text);
  for (const char *text : {"_", "layout", "Layout((4, 2), (16, 8))", "ComposedLayout(Swizzle(a_swizzle, 4, 3), k0, Layout(((8, 8), 16), ((l, W), 1)))",
                           "ComposedLayout(Swizzle(3, 4, 3), 0, layout)",
                           "ShardLayout(Layout((*_,), (*_,)), _, Mesh(('thread',), ComposedLayout(None, p0, Layout(((4, 8),), ((1, 4),)))))",
                           "ShardLayout(_, (S(0), B()), Mesh(_, _))", "ShardLayout(None, (S(2),), _)"})
    CHECK(print(parseLayout(text)) == text);
  for (const char *text : {"_", "Mesh(('amx',), ComposedLayout(None, amx_offset, Layout(((1,),), ((1,),))))"})
    CHECK(print(parseMesh(text)) == text);
  for (const char *text : {"r * W == 64", "8 <= n <= 256", "k0 < W", "p0 % 128 == 0", "storage0 in {gmem, smem}", "_ in {}", "form in {Form.SS, Form.RS}", "a != 3", "a >= b",
                           "each top-level mode has no backward step", "every tensormap: one dim per mode of the tile, the mode at step 1 first"})
    CHECK(print(parseRule(text)) == text);
  CHECK(parseTuple("(*_{1, 2}, 32)").elements[0].among == std::vector<int64_t>{1, 2});
}

TEST_CASE("a term has the value that Python gives it") {
  const Bindings bindings{{"a", int64_t{7}}, {"b", int64_t{-3}}, {"z", int64_t{0}}, {"dtype0", std::string("bf16")}, {"many", std::vector<int64_t>{2, 4}}};
  const auto value = [&](const char *text) { return evaluate(parseTerm(text), bindings); };
  CHECK(value("a // b") == -3);
  CHECK(value("b // a") == -1);
  CHECK(value("a % b") == -2);
  CHECK(value("b % a") == 4);
  CHECK(value("2 + a * 3 - 1") == 22);
  CHECK(value("Bits('dtype0') * a") == 112);
  CHECK(value("(8, 16, 32)[z]") == 8);
  CHECK_FALSE(value("(8, 16, 32)[a]"));
  CHECK_FALSE(value("a % z"));
  CHECK_FALSE(value("a + open"));
  CHECK_FALSE(value("many"));
  CHECK_FALSE(value("a * 9223372036854775807"));
}

TEST_CASE("the one open symbol of an equation") {
  const Bindings bindings{{"W", int64_t{16}}};
  const auto solved = [&](const char *text, int64_t value) { return solve(parseTerm(text), value, "x", bindings); };
  CHECK(solved("x * W", 64) == 4);
  CHECK(solved("8 * x + 3", 35) == 4);
  CHECK(solved("W - x", 10) == 6);
  CHECK(solved("(8, 16, 32)[x]", 32) == 2);
  CHECK_FALSE(solved("x * W", 63));
  CHECK_FALSE(solved("x * x", 64));
  CHECK_FALSE(solved("x % 4", 2));
  CHECK_FALSE(solved("(8, 8)[x]", 8));
}

TEST_CASE("rules hold, do not, or are not decided yet") {
  const Bindings bindings{{"n", int64_t{64}}, {"storage0", std::string("GMEM")}, {"form", std::string("SS")}, {"dtype", std::string("f16")}};
  const auto holding = [&](const char *text) { return holds(parseRule(text), bindings); };
  CHECK(holding("8 <= n <= 256") == true);
  CHECK(holding("8 <= n <= 63") == false);
  CHECK(holding("9 <= 8 <= open") == false);
  CHECK(holding("form in {Form.SS, Form.RS}") == true);
  CHECK(holding("dtype in {bf16, fp8e4m3}") == false);
  CHECK_FALSE(holding("open % 8 == 0").has_value());
  CHECK_FALSE(holding("each top-level mode has no backward step").has_value());
  CHECK(symbols(parseRule("l % (8 * W) == l")) == std::vector<std::string>{"l", "W"});
}
