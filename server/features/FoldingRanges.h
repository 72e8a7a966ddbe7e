// What an editor can fold: blocks, bracketed expressions over several lines, import groups, runs of comments.
#pragma once
#include "session/Snapshot.h"

#include <vector>

namespace tilewright::features {

struct FoldingRange {
  enum class Kind : uint8_t { Block, Imports, Comment } kind = Kind::Block;
  uint32_t firstLine = 0, lastLine = 0; // from 0, both included
  auto operator<=>(const FoldingRange &) const = default;
};
std::vector<FoldingRange> foldingRanges(const session::Snapshot &snapshot);

} // namespace tilewright::features
