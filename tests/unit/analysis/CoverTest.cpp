#include "analysis/Cover.h"
#include "harness/PlanBuilder.h"

#include <doctest/doctest.h>

#include <set>

using namespace tilewright;
using namespace tilewright::analysis;
using testing::PlanBuilder;

namespace {
Box box(std::vector<int64_t> low, std::vector<int64_t> high) { return {std::move(low), std::move(high)}; }

/// A program of one empty function on 24 CTAs, with a walk over `tasks` in steps of 24.
struct Walk {
  ir::Program program;
  std::unique_ptr<Model> model;
  ExprId task = -1;
  VariableId variable = -1;
  int scope = -1;

  explicit Walk(int64_t tasks, int64_t units = 24, int64_t atOnce = 132) {
    PlanBuilder build;
    build.wholeBody(PlanBuilder::mesh("cta", units, {units}, {"w"}));
    ir::ValueId w = build.coordinate(0, "w");
    ir::DimExpr start;
    start.kind = ir::DimExpr::Kind::Value;
    start.value = w;
    ir::RegionId loop = build.loop("task", start, tasks, units);
    build.close();
    ir::ValueId induction = build.induction(loop);
    program.module = "M";
    program.topologies = {{"cta", units}};
    program.functions.push_back(std::move(build.plan));
    Levels levels{program.topologies, 0};
    model = std::make_unique<Model>(program, levels, std::vector<int64_t>{atOnce}, CancelToken());
    int id = model->instantiate(0, {});
    task = model->instances[static_cast<size_t>(id)].exprs[static_cast<size_t>(induction)];
    variable = model->index.at(task).variable;
    scope = model->instances[static_cast<size_t>(id)].scopes[static_cast<size_t>(loop)];
  }
  ExprId make(Expr::Form form, ExprId left, int64_t right) { return model->index.make(form, left, model->index.constant(right)); }
};
} // namespace

TEST_CASE("the volume of boxes counts overlap once") {
  CHECK(volume({}) == 0);
  CHECK(volume({box({0}, {10})}) == 10);
  CHECK(volume({box({0}, {10}), box({0}, {10})}) == 10);
  CHECK(volume({box({0}, {10}), box({5}, {12}), box({20}, {21})}) == 13);
  CHECK(volume({box({0, 0}, {4, 4}), box({4, 0}, {8, 4}), box({0, 4}, {4, 8})}) == 48);
  CHECK(volume({box({0, 0}, {4, 4}), box({2, 2}, {6, 6})}) == 28);
}

TEST_CASE("the volume of boxes is that of the points they hold") {
  uint32_t state = 12345;
  auto next = [&](uint32_t bound) {
    state = state * 1664525 + 1013904223;
    return static_cast<int64_t>((state >> 16) % bound);
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<Box> boxes;
    std::set<std::vector<int64_t>> points;
    for (int i = 0; i < 6; ++i) {
      Box one;
      for (int axis = 0; axis < 3; ++axis) {
        one.low.push_back(next(6));
        one.high.push_back(one.low.back() + 1 + next(4));
      }
      for (int64_t x = one.low[0]; x < one.high[0]; ++x)
        for (int64_t y = one.low[1]; y < one.high[1]; ++y)
          for (int64_t z = one.low[2]; z < one.high[2]; ++z)
            points.insert({x, y, z});
      boxes.push_back(std::move(one));
    }
    CHECK(volume(boxes) == static_cast<int64_t>(points.size()));
  }
}

TEST_CASE("windows of a walk: first iterations of one wave, or all of them") {
  Walk walk(48);
  ExprId row = walk.make(Expr::Form::Mul, walk.make(Expr::Form::FloorDiv, walk.task, 6), 64), column = walk.make(Expr::Form::Mul, walk.make(Expr::Form::Mod, walk.task, 6), 64);
  Reach reach{{{{row, 64, 1}, {column, 64, 1}}, 0}, {walk.variable}, false};
  Covered first = cover(*walk.model, {512, 384}, {reach}, {});
  CHECK(first.elements == 24 * 64 * 64);
  CHECK(first.precision == Precision::Exact);
  Sweep all;
  all.running = {walk.scope};
  CHECK(cover(*walk.model, {512, 384}, {reach}, all).elements == 512 * 384);
}

TEST_CASE("a start nobody knows stands still and makes the count a bound") {
  Walk walk(48);
  ExprId column = walk.make(Expr::Form::Mul, walk.make(Expr::Form::Mod, walk.task, 6), 64);
  Covered covered = cover(*walk.model, {512, 384}, {{{{{walk.model->index.unknown(), 64, 1}, {column, 64, 1}}, 0}, {walk.variable}, false}}, {});
  CHECK(covered.elements == 64 * 384);
  CHECK(covered.precision == Precision::UpperBound);
}

TEST_CASE("overlapping and strided windows are united") {
  Walk walk(24);
  Index &index = walk.model->index;
  ExprId start = walk.make(Expr::Form::Mul, walk.task, 90);
  auto at = [&](int64_t shift) { return Reach{{{{index.make(Expr::Form::Add, start, index.constant(shift)), 90, 1}}, 0}, {walk.variable}, false}; };
  CHECK(cover(*walk.model, {3000}, {at(0), at(5), at(10)}, {}).elements == 24 * 90 + 10);
  Reach even{{{{index.constant(0), 32, 2}, {index.constant(0), 64, 1}}, 0}, {}, false}, odd{{{{index.constant(1), 32, 2}, {index.constant(0), 64, 1}}, 0}, {}, false};
  CHECK(cover(*walk.model, {64, 64}, {even}, {}).elements == 32 * 64);
  CHECK(cover(*walk.model, {64, 64}, {even, odd}, {}).elements == 64 * 64);
}

TEST_CASE("a loop without iterations reaches nothing, and only the first wave counts") {
  Walk empty(0);
  Reach whole{{{{empty.model->index.constant(0), 64, 1}}, 0}, {empty.variable}, false};
  CHECK(cover(*empty.model, {64}, {whole}, {}).elements == 0);
  Walk waves(528, 264, 132);
  Reach row{{{{waves.make(Expr::Form::Mul, waves.task, 16), 16, 1}}, 0}, {waves.variable}, false};
  CHECK(cover(*waves.model, {528 * 16}, {row}, {}).elements == 132 * 16);
}

TEST_CASE("where running through every combination is too long, sets count") {
  Walk walk(48'000'000);
  Sweep all;
  all.running = {walk.scope};
  Reach reach{{{{walk.make(Expr::Form::Mul, walk.make(Expr::Form::Mod, walk.task, 1000), 8), 8, 1}}, 0}, {walk.variable}, false};
  Covered covered = cover(*walk.model, {8000}, {reach}, all);
  CHECK(covered.elements == 8000);
}
