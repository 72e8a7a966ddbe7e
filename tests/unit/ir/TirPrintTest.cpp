#include "ir/Tir.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::ir::tir;

namespace {
layout::Mesh mesh(std::string level, int64_t units, std::vector<int64_t> shape, std::vector<std::string> names, int64_t offset = 0) {
  layout::Mesh mesh;
  mesh.topologies = {{std::move(level), units}};
  mesh.strides = layout::compactStrides(shape);
  mesh.shape = std::move(shape);
  mesh.names = std::move(names);
  mesh.offset = offset;
  return mesh;
}
Scope scope(std::string name, layout::Mesh mesh) {
  Scope scope;
  scope.name = std::move(name);
  scope.mesh = std::make_shared<layout::Mesh>(std::move(mesh));
  return scope;
}
Expr integer(int64_t value) {
  Expr expression;
  expression.integer = value;
  return expression;
}
Expr reference(ValueId value) {
  Expr expression;
  expression.kind = Expr::Kind::Value;
  expression.value = value;
  return expression;
}
Expr binary(Expr::Kind kind, Expr left, Expr right) {
  Expr expression;
  expression.kind = kind;
  expression.operands = {std::move(left), std::move(right)};
  return expression;
}
Operand operand(ValueId value) {
  Operand operand;
  operand.value = value;
  return operand;
}
Statement statement(StatementKind kind) {
  Statement statement;
  statement.kind = kind;
  return statement;
}
TensorType tensor(std::vector<int64_t> shape, DType dtype, Storage storage) {
  TensorType type;
  type.shape = std::move(shape);
  type.dtype = dtype;
  type.storage = storage;
  return type;
}
Program small() {
  Program program;
  program.target = target::find("nvidia.h200_sxm");
  Function function;
  function.name = "run";
  function.values = {{ValueKind::Parameter, "x", tensor({16, 64}, DType::F32, Storage::Gmem), false},
                     {ValueKind::Parameter, "out", tensor({16, 64}, DType::F32, Storage::Gmem), true}};
  function.parameters = {0, 1};
  function.scopes = {scope("cta", mesh("cta", 2, {2}, {"i"})), scope("scope", mesh("thread", 256, {2, 128}, {"g", "t"}))};
  Statement outer = statement(StatementKind::Scope), inner = statement(StatementKind::Scope);
  outer.scope = 0;
  inner.scope = 1;
  outer.body = {inner};
  function.body = {outer};
  program.functions = {function};
  return program;
}
Block &innermost(Program &program) { return program.functions[0].body[0].body[0].body; }
std::string text(const Program &program) {
  std::string out;
  bool body = false;
  for (const PrintedLine &line : print(program, {})) {
    if (body)
      out += line.text.substr(std::min<size_t>(line.text.find_first_not_of(' '), 12)) + "\n";
    body |= line.text.ends_with(" as scope:");
  }
  return out;
}
ValueId define(Program &program, ValueKind kind, std::string name, TensorType type) {
  auto &values = program.functions[0].values;
  values.push_back({kind, std::move(name), std::move(type), false});
  return static_cast<ValueId>(values.size()) - 1;
}
} // namespace

TEST_CASE("a scope without statements prints pass; the header stands above a lone function") {
  const std::vector<PrintedLine> lines = print(small(), {"# about"});
  std::string out;
  for (const PrintedLine &line : lines)
    out += line.text + "\n";
  CHECK(out == R"(# about

from __future__ import annotations

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@prim_func(target=CudaTarget("nvidia.h200_sxm"))
def run(x: Tensor[(16, 64), "f32"], out: Tensor[(16, 64), "f32"]):
    with Mesh((Topology("cta", 2),), layout=(2,), names=("i",)) as cta:
        with Mesh((Topology("thread", 256),), layout=(2, 128), names=("g", "t")) as scope:
            pass
)");
}

TEST_CASE("nested arithmetic has parentheses, a window repeats its start") {
  Program program = small();
  Expr coordinate;
  coordinate.kind = Expr::Kind::Coordinate;
  coordinate.scope = 0;
  Statement loop = statement(StatementKind::Loop), view = statement(StatementKind::View), copy = statement(StatementKind::Call);
  loop.value = define(program, ValueKind::LoopVariable, "k", {});
  loop.start = coordinate;
  loop.stop = integer(64);
  loop.step = integer(8);
  view.value = define(program, ValueKind::View, "value", tensor({4, 8}, DType::F32, Storage::Gmem));
  TensorType type = tensor({4, 8}, DType::F32, Storage::Gmem);
  type.layout = layout::compact({4, 8});
  type.layout->strides = layout::IntTuple::of({64, 1});
  const Expr start = binary(Expr::Kind::Mul, binary(Expr::Kind::FloorDiv, reference(loop.value), integer(3)), integer(4));
  view.views = {{std::nullopt, operand(0), {{start, 1}, {reference(loop.value), 1}}, type}};
  copy.instruction.name = "T.copy";
  copy.operands = {operand(view.value), operand(1)};
  loop.body = {view, copy};
  innermost(program) = {loop};
  CHECK(text(program) == R"(for k in range(cta.i, 64, 8):
    value = T.tensor_view(
        T.ptr_of(x[(k // 3) * 4:(k // 3) * 4 + 1, k:k + 1]),
        layout=((4, 8), (64, 1)),
        shape=(4, 8),
    )
    T.copy(value, out)
)");
}

TEST_CASE("the three spellings of a scope") {
  Program program = small();
  auto &scopes = program.functions[0].scopes;
  scopes.push_back(scope("scope_1", mesh("thread", 256, {1, 32}, {"g", "t"})));
  scopes.back().spelling = Scope::Spelling::Slice;
  scopes.back().of = 1;
  scopes.back().ranges = {{0, 1}, {0, 32}};
  scopes.push_back(scope("scope_2", mesh("thread", 256, {4, 8, 4}, {"w", "r", "c"}, 128)));
  scopes.back().spelling = Scope::Spelling::Refactored;
  scopes.back().of = 1;
  scopes.back().ranges = {{1, 2}, {0, 128}};
  Statement slice = statement(StatementKind::Scope), refactored = statement(StatementKind::Scope);
  slice.scope = 2;
  refactored.scope = 3;
  innermost(program) = {slice, refactored};
  CHECK(text(program) == R"(with scope[:1, :32] as scope_1:
    pass
with Mesh(scope[1:], layout=(4, 8, 4), names=("w", "r", "c")) as scope_2:
    pass
)");
}

TEST_CASE("a tile of threads that are no open scope states its mesh") {
  Program program = small();
  TensorType type = tensor({4, 8}, DType::F32, Storage::Rmem);
  type.layout = layout::compact({4, 8});
  type.layout->mesh = std::make_shared<layout::Mesh>(mesh("thread", 256, {4, 8}, {"w", "l"}, 128));
  type.layout->states = {{layout::StateKind::Split, 0, ""}, {layout::StateKind::Split, 1, ""}};
  Statement alloc = statement(StatementKind::Alloc);
  alloc.value = define(program, ValueKind::Buffer, "acc", type);
  innermost(program) = {alloc};
  const std::vector<PrintedLine> lines = print(program, {});
  std::string out;
  for (const PrintedLine &line : lines)
    if (line.text.starts_with("            "))
      out += line.text.substr(12) + "\n";
  CHECK(out == R"(acc = T.alloc_tensor(
    tensor_type=Tensor[
        (4, 8),
        "f32",
        ShardLayout(
            layout=Layout((4, 8), (8, 1)),
            attrs=(S(0), S(1)),
            mesh=Mesh((Topology("thread", 256),), layout=ComposedLayout(
                inner=None,
                offset=128,
                outer=Layout((4, 8), (8, 1)),
            ), names=("w", "l")),
        ),
        "rmem",
    ]
)
)");
}

TEST_CASE("an instruction that is too wide goes to one argument a line at once") {
  Program program = small();
  Statement copy = statement(StatementKind::Call);
  copy.instruction = {"T.copy", {}};
  const ValueId wide = define(program, ValueKind::View, std::string(40, 'a'), tensor({4}, DType::F32, Storage::Gmem));
  const ValueId other = define(program, ValueKind::View, std::string(35, 'b'), tensor({4}, DType::F32, Storage::Gmem));
  copy.operands = {operand(wide), operand(other)};
  innermost(program) = {copy};
  CHECK(text(program) == "T.copy(\n    " + std::string(40, 'a') + ",\n    " + std::string(35, 'b') + ",\n)\n");
  program.functions[0].values.back().name.pop_back();
  CHECK(text(program) == "T.copy(" + std::string(40, 'a') + ", " + std::string(34, 'b') + ")\n");
}
