// Names of a finalized function: numbered as they are made, then as they print.
#include "schedule/FinalizeNames.h"

#include <doctest/doctest.h>

using namespace tilewright;
namespace tir = ir::tir;

TEST_CASE("finalize: a taken stem gets the first free number") {
  schedule::Names names;
  CHECK(names.fresh("value") == "value");
  CHECK(names.fresh("value") == "value_1");
  CHECK(names.fresh("value_2") == "value_2");
  CHECK(names.fresh("value") == "value_3");
}

TEST_CASE("finalize: names that stand twice are numbered as they print, scopes and loop variables among them") {
  tir::Function function;
  auto value = [&](tir::ValueKind kind, const char *name) {
    function.values.push_back({kind, name, {}, false});
    return static_cast<tir::ValueId>(function.values.size()) - 1;
  };
  function.parameters = {value(tir::ValueKind::Parameter, "n")};
  auto loop = [&](tir::ValueId variable) {
    tir::Statement statement;
    statement.kind = tir::StatementKind::Loop;
    statement.value = variable;
    return statement;
  };
  tir::Statement outer = loop(value(tir::ValueKind::LoopVariable, "m"));
  outer.body.push_back(loop(value(tir::ValueKind::LoopVariable, "n")));
  function.scopes.push_back({"m", nullptr, tir::Scope::Spelling::Full, tir::kNone, {}});
  tir::Statement scope;
  scope.kind = tir::StatementKind::Scope;
  scope.scope = 0;
  outer.body.push_back(scope);
  function.body.push_back(outer);
  function.body.push_back(loop(value(tir::ValueKind::LoopVariable, "n")));
  schedule::uniteNames(function);
  CHECK(function.at(0).name == "n");
  CHECK(function.at(1).name == "m");
  CHECK(function.at(2).name == "n_2");
  CHECK(function.scopes[0].name == "m_2");
  CHECK(function.at(3).name == "n_3");
}
