// What each statement costs, beside it: when it runs and what it moves; beside a function its predicted time; beside a mesh scope its
// peaks against capacity.
#pragma once
#include "session/Snapshot.h"

#include <string>
#include <vector>

namespace tilewright::features {

struct InlayHint {
  uint32_t offset = 0;  // in the file: the end of the line it stands on
  std::string label;
  std::string tooltip;  // Markdown
};
struct HintOptions {
  bool time = true, bytes = true, peaks = true;
  bool operator==(const HintOptions &) const = default;
};

/// Hints whose place lies in `range` (of the file), in order of place.
std::vector<InlayHint> inlayHints(const session::Snapshot &snapshot, Span range, const HintOptions &options = {});

} // namespace tilewright::features
