// All that is wrong with one version of a file, in order of place: what the compiler said, and what the reports found about capacities and
// reuse, each at the narrowest place that it speaks of.
#pragma once
#include "session/Snapshot.h"

#include <vector>

namespace tilewright::features {

/// Spans are in the file. Nothing for a file that is no schedule.
std::vector<Diagnostic> diagnostics(const session::Snapshot &snapshot);

} // namespace tilewright::features
