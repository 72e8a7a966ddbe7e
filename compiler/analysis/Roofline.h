// The lower bound on time that the whole device's published rates set, and which side sets it.
// Thread rule: pure functions.
#pragma once
#include "analysis/Report.h"
#include "target/Target.h"

namespace tilewright::analysis {

/// Global bytes come from the footprint where there is one, else from the traffic; both over the whole grid.
Roofline rooflineOf(const ComputeCost &cost, const Footprint *footprint, const std::map<std::string, Traffic> &traffic, const target::Target &target);

/// a * b / c rounded up, exact past 64 bits.
int64_t ceilRatio(__int128 a, __int128 b, __int128 c);

} // namespace tilewright::analysis
