// What a file's top level gives: modules, functions, names, diagnostics; what cannot be known; the limits.
#include "syntax/Constants.h"
#include "syntax/Parser.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::syntax;

namespace {

struct Evaluated {
  File file;
  Evaluation evaluation;
  explicit Evaluated(std::string text, const Limits &limits = {}) : file(parse("program.py", std::move(text))), evaluation(evaluate(file, {}, limits)) {}
  std::string operator[](std::string_view name) const {
    ValueRef value = evaluation.globals->find(name);
    return value ? repr(*value) : "absent";
  }
  /// Every diagnostic as `line: code: message`.
  std::string problems() const {
    std::string text;
    for (size_t i = 0; i < file.items.size(); ++i)
      for (const Diagnostic &one : evaluation.diagnostics[i])
        text += std::to_string(file.source->at(one.span.begin + file.items[i].offset).line + 1) + ": " + std::string(info(one.code).spelling) + ": " +
                one.message + "\n";
    return text;
  }
};

} // namespace

TEST_CASE("constants: the module a factory makes belongs to the statement that calls it") {
  Evaluated made(R"(from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

def build(rows, dtype):
    cols = rows // 4

    @module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2),))
    class MADE:
        @func
        def f(x: Tensor[(rows, cols), dtype]):
            return x * x

    return MADE

MADE = build(64, "f16")
)");
  CHECK(made.problems() == "");
  REQUIRE(made.evaluation.modules.size() == 1);
  CHECK(made.evaluation.modules[0].item == 3);
  CHECK(made.evaluation.functions.empty());
  const auto *module = made.evaluation.modules[0].module->as<ModuleValue>();
  REQUIRE(module);
  CHECK(module->order == std::vector<std::string>{"f"});
  CHECK(repr(*module->decorator) == "module(entry='f', target=CudaTarget('nvidia.h200_sxm'), topologies=(Topology('cta', 2),))");
  const auto *function = module->members->find("f")->as<FunctionValue>();
  REQUIRE(function);
  Node parameter = function->definition.node.child(Role::Parameters).firstChild();
  Node shape = parameter.child(Role::Annotation).child(Role::Argument);
  CHECK(repr(*evaluateExpression(shape, function->definition.tree, function->closure)) == "(64, 16)");
}

TEST_CASE("constants: an error of Python's is reported where it arises and what depends on it is unknown") {
  Evaluated bad("N = 16 // 0\nM = N + 1\nK = 4\n");
  CHECK(bad.problems() == "1: constant-error: `ZeroDivisionError`: integer division or modulo by zero\n");
  CHECK(bad.evaluation.raised == 0);
  CHECK(bad.evaluation.globals->find("M")->as<Unknown>()->code == Code::ConstantError);
  CHECK(bad["K"] == "4");
}
