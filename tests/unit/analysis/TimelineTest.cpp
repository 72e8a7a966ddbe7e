#include "analysis/Timeline.h"
#include "harness/PlanBuilder.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::analysis;
using testing::PlanBuilder;

namespace {
/// A body of one rank-2 call (7 ns) and one scalar call (1 ns) under `depth` loops of two trips.
struct Nest {
  PlanBuilder build;
  ir::ValueId tile = 0, scalar = 0;
  explicit Nest(int depth) {
    for (int i = 0; i < depth; ++i)
      build.loop("i" + std::to_string(i), 2);
    scalar = build.op("m", ir::Op::Mul, ir::scalar(ir::DType::I64, ir::Storage::Umat).tensor, {});
    tile = build.op("t", ir::Op::Abs, PlanBuilder::tensor({8, 8}), {});
    for (int i = 0; i < depth; ++i)
      build.close();
  }
  TimedFunction run() {
    return intervalsOf(build.plan, [&](ir::ValueId value) -> int64_t { return value == tile ? 7 : value == scalar ? 1 : 0; }, [](ir::RegionId) -> int64_t { return 2; });
  }
};
std::string text(const Interval &interval) {
  return std::to_string(interval.startNs) + "," + std::to_string(interval.endNs) + " stride " + std::to_string(interval.strideNs) + " trips " + std::to_string(interval.trips);
}
} // namespace

TEST_CASE("outside loops calls follow each other") {
  TimedFunction timed = Nest(0).run();
  REQUIRE(timed.intervals.size() == 2);
  CHECK(text(timed.intervals[0].second) == "0,1 stride 0 trips 1");
  CHECK(text(timed.intervals[1].second) == "1,8 stride 0 trips 1");
  CHECK(timed.span == 8);
}

TEST_CASE("one loop deep every call is strided by the body") {
  TimedFunction timed = Nest(1).run();
  CHECK(text(timed.intervals[0].second) == "0,1 stride 8 trips 2");
  CHECK(text(timed.intervals[1].second) == "1,8 stride 8 trips 2");
  CHECK(timed.span == 16);
}

TEST_CASE("two loops deep scalars print all their trips at once and stay out of the stride") {
  TimedFunction timed = Nest(2).run();
  CHECK(text(timed.intervals[0].second) == "0,4 stride 0 trips 1");
  CHECK(text(timed.intervals[1].second) == "4,11 stride 7 trips 4");
  CHECK(timed.span == 32);
}

TEST_CASE("three loops deep everything is strided again") {
  TimedFunction timed = Nest(3).run();
  CHECK(text(timed.intervals[0].second) == "0,1 stride 8 trips 8");
  CHECK(text(timed.intervals[1].second) == "1,8 stride 8 trips 8");
}

TEST_CASE("four loops deep calls print merged, but scalars of the first stride do not") {
  TimedFunction timed = Nest(4).run();
  CHECK(text(timed.intervals[0].second) == "0,1 stride 8 trips 16");
  CHECK(text(timed.intervals[1].second) == "16,128 stride 0 trips 1");
  CHECK(timed.span == 128);
}
