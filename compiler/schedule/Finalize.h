// HIR to TIR, when every choice is made: statement order, names, views, ring slots, stage counters, scratch and shared-memory addresses.
// Thread rule: functions of their arguments.
#pragma once
#include "analysis/Report.h"
#include "ir/Tir.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::schedule {

struct FinalizeOptions {
  /// Leave out what needs no copy: where the tiles are proven to cover the output exactly once and their windows to be disjoint, the initial
  /// fill, the output-sized scratch and the per-tile copies are dropped. A place that cannot be proven keeps its copies, with a note in the sink.
  bool inPlace = false;
};

/// `report` has the memory family of the same program (placement). Refusals go to the sink, spans relative to the item of the function they are in.
std::optional<ir::tir::Program> finalize(const analysis::Report &report, const FinalizeOptions &options, DiagnosticSink &sink);

/// The comment lines above the root function: the report header as finalize prints it, with `# `.
std::vector<std::string> finalizeHeader(const analysis::Report &report);

} // namespace tilewright::schedule
