// Above a function that computes a GEMM by tiles: the tile, its waves and what binds it.
#include "features/CodeLens.h"
#include "features/Tiles.h"

#include <cstdio>

namespace tilewright::features::lenses {

std::vector<std::string> tile(const session::Snapshot &, const FunctionView &function) {
  std::vector<std::string> titles;
  for (const TileView &view : tilesOf(function)) {
    const schedule::TileVerdict &v = view.verdict;
    char fill[32];
    std::snprintf(fill, sizeof fill, "%.1f%%", v.lastWaveFill * 100);
    std::string title = "tile " + tileText(view.site.config, view.site.stagesStated) + ": " + std::to_string(v.grid) + (v.grid == 1 ? " tile, " : " tiles, ") + std::to_string(v.waves) +
                        (v.waves == 1 ? " wave" : " waves") + ", last " + fill + " full";
    title += v.binding.empty() ? ", no block fits" : ", bound by " + v.binding;
    titles.push_back(std::move(title));
  }
  return titles;
}

} // namespace tilewright::features::lenses
