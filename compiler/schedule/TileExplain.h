// Why the neighbours of a tile lose: each size moved one step, judged by the constraints, then by the traffic model or the predicted time.
// Thread rule: functions of their arguments.
#pragma once
#include "schedule/TileModel.h"

namespace tilewright::schedule {

struct TileNeighbour {
  TileVerdict verdict;
  std::string change;     // "block_N 256 -> 128"
  enum class Outcome : uint8_t { Rejected, Worse, Equal, Better } outcome = Outcome::Rejected;
  std::string constraint; // Rejected: the first that fails, "C1"; "kernel" when only the whole kernel does not fit
  std::string text;
};

/// Both neighbours of every size: the next of the values that a sweep looks at, or half and double beyond them. With `rates`, feasible ones are
/// compared by predicted ns, else by the order of the sweep.
std::vector<TileNeighbour> explainNeighbours(const TileProblem &problem, const TileConfig &config, const TileDevice &device, const TileRates *rates);

} // namespace tilewright::schedule
