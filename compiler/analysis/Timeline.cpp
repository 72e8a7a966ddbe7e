#include "analysis/Timeline.h"

#include "analysis/Roofline.h"

#include <algorithm>

namespace tilewright::analysis {
namespace {
constexpr int64_t kNanoseconds = 1'000'000'000;

bool isScalar(const ir::PlanValue &value) { return !value.type.isTuple && value.type.tensor.shape.empty(); }

class Layout {
public:
  Layout(const ir::FunctionPlan &plan, const std::function<int64_t(ir::ValueId)> &durationOf, const std::function<int64_t(ir::RegionId)> &trips) : plan_(plan), durationOf_(durationOf), trips_(trips) {}

  TimedFunction run() {
    region(0, 0, 1);
    return std::move(timed_);
  }

private:
  void region(ir::RegionId id, int depth, int64_t trips) { // depth: the nesting of regions, at most 200
    const ir::PlanRegion &body = plan_.regions[static_cast<size_t>(id)];
    int64_t all = 0, ranked = 0, entered = clock_;
    for (const ir::PlanItem &item : body.items)
      if (item.value != ir::kNone) {
        int64_t duration = durationOf_(item.value);
        all += duration;
        if (!isScalar(plan_.at(item.value)))
          ranked += duration;
      }
    for (const ir::PlanItem &item : body.items) {
      if (item.region != ir::kNone) {
        const ir::PlanRegion &inner = plan_.regions[static_cast<size_t>(item.region)];
        bool loop = inner.kind == ir::RegionKind::Loop;
        region(item.region, depth + loop, loop ? trips * trips_(item.region) : trips);
        continue;
      }
      int64_t duration = durationOf_(item.value);
      if (duration == 0)
        continue;
      timed_.span += duration * trips;
      timed_.intervals.push_back({item.value, place(duration, trips, depth, isScalar(plan_.at(item.value)), all, ranked, entered)});
    }
  }

  /// One and three loops deep every call is strided. Two deep, scalars print all their trips as one interval and stay out of the stride.
  /// Deeper, every call prints that way, except scalars in the first stride, which print strided and still advance by all their trips.
  Interval place(int64_t duration, int64_t trips, int depth, bool scalar, int64_t all, int64_t ranked, int64_t entered) {
    Interval interval;
    interval.startNs = clock_;
    interval.endNs = clock_ + duration;
    if (trips == 1) {
      clock_ += duration;
      return interval;
    }
    bool merged = depth == 2 ? scalar : depth >= 4;
    bool early = depth >= 4 && scalar && clock_ - entered < all;
    if (merged && !early) {
      interval.endNs = clock_ + duration * trips;
    } else {
      interval.strideNs = depth == 2 ? ranked : all;
      interval.trips = trips;
    }
    clock_ += merged ? duration * trips : duration;
    return interval;
  }

  const ir::FunctionPlan &plan_;
  const std::function<int64_t(ir::ValueId)> &durationOf_;
  const std::function<int64_t(ir::RegionId)> &trips_;
  TimedFunction timed_;
  int64_t clock_ = 0;
};
} // namespace

Duration durationOf(const ComputeCost &cost, const std::map<std::string, Traffic> &traffic, size_t levelIndex, std::string_view level, const target::Target &target) {
  Duration duration;
  int64_t compute = 0;
  auto work = [&](const std::map<std::string, Counts> &kinds, bool flops) {
    for (const auto &[kind, counts] : kinds) {
      int64_t share = levelIndex < counts.perUnit.size() ? counts.perUnit[levelIndex] : counts.logical;
      if (share == 0)
        continue;
      std::optional<int64_t> rate = flops ? target.unitFlops(kind, level) : target.unitService(kind, level);
      if (!rate || *rate <= 0) {
        if (duration.missing.empty())
          duration.missing = kind;
        continue;
      }
      compute += ceilRatio(share, kNanoseconds, *rate);
    }
  };
  work(cost.flops, true);
  work(cost.otherOps, false);
  duration.ns = compute;
  for (const auto &[storage, moved] : traffic) {
    const Bytes &share = levelIndex < moved.perUnit.size() ? moved.perUnit[levelIndex] : moved.logical;
    if (share.read + share.write == 0)
      continue;
    std::optional<int64_t> rate = target.unitBandwidth(storage, level);
    if (rate && *rate > 0)
      duration.ns = std::max(duration.ns, ceilRatio(share.read + share.write, kNanoseconds, *rate));
    else if (storage == "gmem" && duration.missing.empty())
      duration.missing = storage;
  }
  return duration;
}

TimedFunction intervalsOf(const ir::FunctionPlan &plan, const std::function<int64_t(ir::ValueId)> &durationOf, const std::function<int64_t(ir::RegionId)> &trips) {
  return Layout(plan, durationOf, trips).run();
}

} // namespace tilewright::analysis
