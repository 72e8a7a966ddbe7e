// One unit's time: what each call lasts at the unit's rates, where it stands on the function's timeline, and what the whole takes.
//
// Calls follow each other in the order of the plan; nothing overlaps. The printed timeline counts each call once, so what follows a loop
// starts after one iteration of it. Inside loops a call prints a stride: the sum of the durations of its own region. How calls of rank 0
// print depends on the number of loops around (see intervalsOf).
// Thread rule: pure functions.
#pragma once
#include "analysis/Report.h"
#include "target/Target.h"

#include <functional>

namespace tilewright::analysis {

/// What one occurrence lasts on one unit of `level`; `missing` names a kind of work the target states no rate for.
struct Duration {
  int64_t ns = 0;
  std::string missing;
};
Duration durationOf(const ComputeCost &cost, const std::map<std::string, Traffic> &traffic, size_t levelIndex, std::string_view level, const target::Target &target);

struct TimedFunction {
  std::vector<std::pair<ir::ValueId, Interval>> intervals;
  int64_t span = 0; // all calls with all trips
};
/// `durationOf` gives the duration of a call (0: takes no time), `trips` the trips of a loop region.
TimedFunction intervalsOf(const ir::FunctionPlan &plan, const std::function<int64_t(ir::ValueId)> &durationOf, const std::function<int64_t(ir::RegionId)> &trips);

} // namespace tilewright::analysis
