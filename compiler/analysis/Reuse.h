// Which buffers are read again, what must stay in the cache until then, and whether it does. A second read comes from another iteration of
// a loop (time) or from another unit of the wave (space).
// Thread rule: pure functions over one model.
#pragma once
#include "analysis/Footprint.h"
#include "target/Target.h"

namespace tilewright::analysis {

/// Rows in order of what they save. `footprint` is the function's own.
std::vector<ReuseWindow> reuseWindows(Model &model, int instance, const std::vector<GlobalAccess> &all, const Footprint &footprint, const Labels &labels, const target::Target::Cache &cache);

/// What the placement peaks, the windows and the working set say against the capacities, in the order of the report.
std::vector<Finding> findings(const std::vector<Peak> &peaks, const std::vector<ReuseWindow> &windows, const Footprint &footprint, const std::optional<target::Target::Cache> &cache, int64_t waveUnits);

} // namespace tilewright::analysis
