// The space of tiles as a picture for a paper: traffic against occupancy.
#pragma once
#include "schedule/TileChoice.h"

namespace tilewright::schedule {

/// SVG 1.1, the same bytes for the same input: every configuration that a sweep looks at, by the DRAM traffic of its model (horizontal, logarithmic)
/// and the resident warps per SM (vertical). Filled discs are feasible, circles fail a constraint; configurations at one place are one mark, and
/// `chosen` is ringed with its name.
std::string drawTileSpace(const TileProblem &problem, TileInstruction instruction, const TileDevice &device, const TileConfig &chosen);

} // namespace tilewright::schedule
