// Types of shared-out values, op by op. Inputs are the parameters of one function on a 4 x 4 mesh of CTAs.
#include "ir/OpTable.h"
#include "ir/PrintType.h"

#include <doctest/doctest.h>

#include <map>

using namespace tilewright;
using namespace tilewright::ir;

namespace {
std::shared_ptr<const layout::Mesh> grid() {
  layout::Mesh mesh;
  mesh.topologies = {{"cta", 16}};
  mesh.shape = {4, 4};
  mesh.strides = {4, 1};
  mesh.names = {"i", "j"};
  return std::make_shared<const layout::Mesh>(mesh);
}

Type placed(std::vector<int64_t> shape, layout::Placement placement) {
  TensorType type;
  type.shape = std::move(shape);
  layout::Sharded sharded = layout::canonicalShard(placement, type.shape, *grid());
  REQUIRE(sharded.error.empty());
  type.layout = std::move(sharded.layout);
  return type;
}

Type bare(std::vector<int64_t> shape) {
  TensorType type;
  type.shape = std::move(shape);
  return type;
}

Type input(const std::string &name) {
  using P = layout::Placement;
  static const std::map<std::string, Type> inputs{
      {"x", placed({16, 16}, P{{{16, {0}}, {16, {}}}})},                                  // (16 @ i, 16)
      {"y", placed({16, 16}, P{{{16, {}}, {16, {1}}}})},                                  // (16, 16 @ j)
      {"z", placed({16, 16}, P{{{16, {0}}, {16, {1}}}})},                                 // (16 @ i, 16 @ j)
      {"q", placed({16, 16}, P{{{16, {}}, {16, {0}}}})},                                  // (16, 16 @ i)
      {"r", placed({1, 16}, P{{{1, {}}, {16, {1}}}})},                                    // (1, 16 @ j)
      {"c", placed({4, 8, 4}, P{{{4, {0}}, {8, {}}, {4, {}}}})},                          // (4 @ i, 8, 4)
      {"e", placed({16, 16}, P{{{4, {0}}, {4, {}}, {16, {}}}, {{128, 32, 1}}})},          // ((4 @ i, 4, 16), (128, 32, 1))
      {"k", placed({16, 4}, P{{{16, {0, 1}}, {4, {}}}})},                                 // (16 @ i @ j, 4)
      {"d", placed({16, 16}, P{{{16, {}}, {16, {}}}, {}, {}, true})},                     // (16, 16) @ {B()}
      {"s", placed({16, 16}, P{{{16, {}}, {16, {}}}, {}, {{0, "sum"}}, true})},           // (16, 16) @ {i @ P("sum")}
      {"t", placed({16, 16}, P{{{16, {}}, {16, {1}}}, {}, {{0, "max"}}, true})},          // (16, 16 @ j) @ {i @ P("max")}
      {"m", placed({2, 4, 5, 6}, P{{{2, {}}, {4, {0}}, {5, {}}, {6, {}}}})},              // (2, 4 @ i, 5, 6)
      {"w", placed({16, 16}, P{{{16, {}}, {16, {}}}, {{1, 16}}})},                        // ((16, 16), (1, 16))
      {"u", bare({16, 16})},
      {"l", [] { Type t = bare({4}); t.tensor.dtype = DType::I64; return t; }()},
      {"1", scalar(DType::F32, Storage::Umat)},
  };
  return inputs.at(name);
}

std::string typed(Op op, const std::vector<std::string> &operands, Attributes given = {}) {
  OpUse use{op, {}, {}, {}};
  for (const std::string &name : operands)
    use.operands.push_back(input(name));
  for (const AttributeSpec &row : spec(op).attributes) {
    const Attribute *value = find(given, row.name);
    if (value || row.defaultValue)
      use.attributes.emplace_back(row.name, value ? *value : *row.defaultValue);
  }
  use.constants.resize(use.operands.size());
  InferContext context;
  context.target = target::find("nvidia.h200_sxm");
  context.mesh = grid();
  context.enclosing = {context.mesh};
  const Inferred result = infer(use, context);
  if (result.failed())
    return "error" + (result.operand >= 0 ? " at " + std::to_string(result.operand) : "");
  const std::string text = layout::oneLine(printType(result.type, layout::axisNamer({{grid(), "g"}})));
  return result.type.isTuple ? text.substr(0, text.find("]") + 1) : text.substr(text.find("\"f32\"") == std::string::npos ? 0 : text.find("\"f32\"") + 5);
}

Attributes ints(std::string name, std::vector<int64_t> values) { return {{std::move(name), std::move(values)}}; }
std::string reduced(const std::string &x, std::vector<int64_t> axes, bool keepdim = true, const char *kind = "SUM") {
  return typed(Op::Reduce, {x}, {{"axes", std::move(axes)}, {"keepdim", keepdim}, {"kind", Enumerator{"ReduceKind", kind}}});
}
std::string window(const std::string &x, std::vector<int64_t> starts, std::vector<int64_t> sizes) {
  OpUse use{Op::Slice, {input(x), Type::tuple(std::vector<Type>(starts.size(), scalar(DType::I64, Storage::Umat)))}, {}, {}};
  use.constants = {std::nullopt, std::vector<std::optional<int64_t>>(starts.begin(), starts.end())};
  use.attributes = {{"sizes", sizes}, {"strides", std::vector<int64_t>(sizes.size(), 1)}};
  InferContext context;
  context.mesh = grid();
  const Inferred result = infer(use, context);
  if (result.failed())
    return "error";
  return layout::oneLine(layout::printLayout(*result.type.tensor.layout, layout::axisNamer({{grid(), "g"}})));
}
} // namespace

TEST_CASE("elementwise ops of shared-out values") {
  const auto add = [](const char *a, const char *b) { return typed(Op::Add, {a, b}); };
  CHECK(add("x", "x") == ", (4 @ g.i, 4, 16)]");
  CHECK(add("x", "u") == ", (4 @ g.i, 4, 16)]");
  CHECK(add("u", "x") == ", (4 @ g.i, 4, 16)]");
  CHECK(add("x", "1") == ", (4 @ g.i, 4, 16)]");
  CHECK(add("x", "d") == ", (4 @ g.i, 4, 16)]");
  CHECK(add("w", "x") == ", (4 @ g.i, 4, 16)]");
  CHECK(add("e", "e") == ", ((4 @ g.i, 4, 16), (128, 32, 1))]");
  CHECK(add("x", "e") == ", ((4 @ g.i, 4, 16), (64, 16, 1))]");
  CHECK(add("x", "y") == ", ((4 @ g.i, 4, 4 @ g.j, 4), (64, 16, 4, 1))]");
  CHECK(add("x", "z") == ", (4 @ g.i, 4, 4 @ g.j, 4)]");
  CHECK(add("x", "r") == ", ((4 @ g.i, 4, 4 @ g.j, 4), (64, 16, 4, 1))]");
  CHECK(add("u", "r") == ", ((16, 4 @ g.j, 4), (16, 4, 1))]");
  CHECK(add("x", "q") == "error at 1");
  CHECK(add("d", "d") == ", (16, 16) @ {B()}]");
  CHECK(add("u", "d") == ", (16, 16) @ {B()}]");
  CHECK(add("w", "d") == ", (16, 16) @ {B()}]");
  CHECK(add("w", "u") == ", ((16, 16), (1, 16))]");
}

TEST_CASE("partial results pass where the op commutes with their reduction") {
  CHECK(typed(Op::Add, {"s", "s"}) == ", (16, 16) @ {g.i @ P(\"sum\")}]");
  CHECK(typed(Op::Mul, {"s", "1"}) == ", (16, 16) @ {g.i @ P(\"sum\")}]");
  CHECK(typed(Op::Add, {"t", "1"}) == ", (16, 4 @ g.j, 4) @ {g.i @ P(\"max\")}]");
  CHECK(typed(Op::Exp, {"t"}) == ", (16, 4 @ g.j, 4) @ {g.i @ P(\"max\")}]");
  CHECK(typed(Op::Neg, {"s"}) == ", (16, 16) @ {g.i @ P(\"sum\")}]");
  CHECK(typed(Op::Transpose, {"s"}, ints("perm", {1, 0})) == ", ((16, 16), (16, 1)) @ {g.i @ P(\"sum\")}]");
  CHECK(typed(Op::MatMul, {"s", "u"}) == ", ((16, 16), (16, 1)) @ {g.i @ P(\"sum\")}]");
  CHECK(typed(Op::Add, {"s", "1"}) == "error at 0");
  CHECK(typed(Op::Add, {"s", "t"}) == "error at 0");
  CHECK(typed(Op::Mul, {"s", "s"}) == "error at 0");
  CHECK(typed(Op::Mul, {"t", "1"}) == "error at 0");
  CHECK(typed(Op::Sub, {"s", "s"}) == "error at 0");
  CHECK(typed(Op::Exp, {"s"}) == "error at 0");
  CHECK(typed(Op::Softmax, {"t"}, {{"axis", int64_t{0}}}) == "error at 0");
}

TEST_CASE("products split where their operands are") {
  const auto matmul = [](const char *a, const char *b) { return typed(Op::MatMul, {a, b}); };
  CHECK(matmul("x", "y") == ", ((4 @ g.i, 4, 4 @ g.j, 4), (64, 16, 4, 1))]");
  CHECK(matmul("x", "u") == ", ((4 @ g.i, 4, 16), (64, 16, 1))]");
  CHECK(matmul("u", "y") == ", ((16, 4 @ g.j, 4), (16, 4, 1))]");
  CHECK(matmul("q", "x") == ", ((16, 16), (16, 1)) @ {g.i @ P(\"sum\")}]");
  CHECK(matmul("u", "x") == "error at 1");
  CHECK(matmul("y", "u") == "error at 0");
  CHECK(matmul("d", "u") == ", (16, 16) @ {B()}]");
  CHECK(matmul("u", "d") == "]");
  CHECK(matmul("w", "d") == ", ((16, 16), (1, 16))]");
}

TEST_CASE("reductions keep modes as ones that step nowhere") {
  CHECK(reduced("x", {1}) == ", ((4 @ g.i, 4, 1), (4, 1, 0))]");
  CHECK(reduced("x", {0}) == ", ((1, 1, 1, 16), (0, 0, 0, 1)) @ {B()}]");
  CHECK(reduced("x", {0}, false) == ", ((1, 1, 16), (0, 0, 1)) @ {B()}]");
  CHECK(reduced("z", {0}) == ", ((1, 1, 1, 4 @ g.j, 4), (0, 0, 0, 4, 1))]");
  CHECK(reduced("z", {1}, false) == ", ((4 @ g.i, 4, 1, 1), (4, 1, 0, 0))]");
  CHECK(reduced("z", {0, 1}) == ", ((1, 1, 1, 1, 1), (0, 0, 0, 0, 0)) @ {B()}]");
  CHECK(reduced("c", {1}) == ", ((4 @ g.i, 1, 1, 4), (4, 0, 0, 1))]");
  CHECK(reduced("d", {0}) == ", (1, 16) @ {B()}]");
  CHECK(reduced("k", {0}) == ", ((1, 1, 1, 4), (0, 0, 0, 1)) @ {B()}]");
  CHECK(reduced("m", {0}) == ", ((1, 4 @ g.i, 5, 1, 6), (0, 30, 6, 0, 1))]");
  CHECK(reduced("m", {0, 2}) == ", ((1, 4 @ g.i, 1, 1, 1, 6), (0, 6, 0, 0, 0, 1))]");
  CHECK(reduced("m", {0, 1, 2, 3}) == ", ((1, 1, 1, 1, 1, 1, 1), (0, 0, 0, 0, 0, 0, 0)) @ {B()}]");
  CHECK(reduced("s", {0}) == ", ((1, 1, 16), (0, 0, 1)) @ {g.i @ P(\"sum\")}]");
  CHECK(reduced("t", {0}, true, "MAX") == ", ((1, 1, 4 @ g.j, 4), (0, 0, 4, 1)) @ {g.i @ P(\"max\")}]");
  CHECK(reduced("t", {0}) == "error at 0");
}

TEST_CASE("rearrangements of shared-out values") {
  const auto reshape = [](const char *x, std::vector<int64_t> shape) { return typed(Op::Reshape, {x}, ints("new_shape", std::move(shape))); };
  CHECK(reshape("x", {256}) == ", (4 @ g.i, 4, 16)]");
  CHECK(reshape("x", {16, 4, 4}) == ", (4 @ g.i, 4, 4, 4)]");
  CHECK(reshape("x", {1, 16, 16}) == ", (1, 4 @ g.i, 4, 16)]");
  CHECK(reshape("x", {8, 2, 16}) == ", (4 @ g.i, 2, 2, 16)]");
  CHECK(reshape("x", {2, 8, 16}) == "error");
  CHECK(reshape("e", {16, 1, 16}) == ", ((4 @ g.i, 4, 1, 16), (128, 32, 0, 1))]");
  CHECK(reshape("d", {4, 64}) == ", (4, 4, 16) @ {B()}]");
  CHECK(typed(Op::Transpose, {"z"}, ints("perm", {1, 0})) == ", ((4 @ g.j, 4, 4 @ g.i, 4), (64, 16, 4, 1))]");
  CHECK(typed(Op::Transpose, {"d"}, ints("perm", {1, 0})) == ", (16, 16)]");
  CHECK(typed(Op::Concat, {"x", "u"}, {{"axis", int64_t{1}}}) == ", ((4 @ g.i, 4, 32), (128, 32, 1))]");
  CHECK(typed(Op::Concat, {"x", "u"}, {{"axis", int64_t{0}}}) == "error at 0");
  CHECK(typed(Op::Stack, {"u", "x"}, {{"axis", int64_t{-1}}}) == ", ((4 @ g.i, 4, 16, 2), (128, 32, 2, 1))]");
  CHECK(typed(Op::Split, {"x"}, {{"axis", int64_t{1}}, {"num_splits", int64_t{2}}}) == "Tuple[Tensor[(16, 8), \"f32\", ((4 @ g.i, 4, 8), (32, 8, 1))]");
  CHECK(typed(Op::Split, {"x"}, {{"axis", int64_t{0}}, {"num_splits", int64_t{2}}}) == "error at 0");
  CHECK(window("x", {0, 4}, {16, 4}) == "(4 @ g.i, 4, 4)");
  CHECK(window("d", {4, 0}, {4, 16}) ==
        " ComposedLayout( inner=None, offset=64, outer=ShardLayout( layout=Layout((4, 16), (16, 1)), attrs=(B(), B()), mesh=g, ), )");
  CHECK(window("e", {0, 4}, {16, 4}) ==
        " ComposedLayout( inner=None, offset=4, outer=ShardLayout( layout=Layout((4, 4, 4), (128, 32, 1)), attrs=(S(0), B()), mesh=g, ), )");
  CHECK(window("x", {0, 0}, {8, 16}) == "error");
}

TEST_CASE("indexing and the part of one position") {
  CHECK(typed(Op::IndexSelect, {"x", "l"}) == ", ((4, 16), (1, 4)) @ {g.i @ P(\"sum\")}]");
  CHECK(typed(Op::IndexSelect, {"x", "l"}, {{"dim", int64_t{1}}}) == ", ((16 @ g.i, 4), (1, 16))]");
  CHECK(typed(Op::IndexSelect, {"d", "l"}) == ", ((4, 16), (1, 4)) @ {B()}]");
  CHECK(typed(Op::IndexSelect, {"z", "l"}) == "error at 0");
  CHECK(typed(Op::Local, {"x"}) == ", (4, 16)]");
  CHECK(typed(Op::Local, {"z"}) == ", ((4, 4), (16, 1))]");
  CHECK(typed(Op::Local, {"e"}) == ", ((4, 16), (32, 1))]");
  CHECK(typed(Op::Local, {"c"}) == ", (1, 8, 4)]");
  CHECK(typed(Op::ArgMax, {"x"}).find("((4 @ g.i, 4, 1), (4, 1, 0))") != std::string::npos);
  CHECK(typed(Op::ArgMax, {"x"}, {{"axis", int64_t{0}}}) == "error at 0");
}

TEST_CASE("values are read where their units run") {
  layout::Mesh threads;
  threads.topologies = {{"thread", 128}};
  threads.shape = {128};
  threads.strides = {1};
  threads.names = {"t"};
  OpUse use{Op::Exp, {input("x")}, {{}}, {}};
  InferContext context;
  context.mesh = std::make_shared<const layout::Mesh>(threads);
  context.enclosing = {context.mesh};
  CHECK(infer(use, context).operand == 0);
  context.enclosing = {grid(), context.mesh};
  CHECK_FALSE(infer(use, context).failed());
  use.operands[0].tensor.storage = Storage::Rmem;
  CHECK(infer(use, context).operand == 0);
}
