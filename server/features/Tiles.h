// Tile sizes in the text: the constants that a GEMM's block and stages come from, what hovers, lenses and diagnostics say of them. Actions that
// rewrite them are actions/TileSizes.cpp.
//
// A constant is found by dataflow: from the extents that the program states for the tile (windows, shapes of tiles, the step of the K
// loop, `buffers=`) through names to the integers they are bound to. It is *exact* when the name's integer is the size itself and *derived*
// when the size is computed from it.
#pragma once
#include "features/Values.h"
#include "schedule/TileExplain.h"
#include "schedule/TileSite.h"

#include <string>
#include <vector>

namespace tilewright::features {

enum class TileSize : uint8_t { BlockM, BlockN, BlockK, Stages };
std::string_view name(TileSize size);          // "block_M"
int64_t &sizeOf(schedule::TileConfig &config, TileSize size);

struct TileConstant {
  TileSize size = TileSize::BlockM;
  size_t item = 0;
  Span nameSpan;                               // where the name is bound, relative to the item
  std::string name;
  bool exact = false;
  Span literal;                                // in the file: its integer; empty: it is bound to something else
};

struct TileView {
  FunctionView function;
  schedule::TileSite site;
  schedule::TileDevice device;
  schedule::TileVerdict verdict;
};
/// The products of one function, of all functions.
std::vector<TileView> tilesOf(const FunctionView &function);
std::vector<TileView> tileViews(const session::Snapshot &snapshot);
/// The constants of a tile, each name once for every size it reaches, in order of place.
std::vector<TileConstant> constantsOf(const session::Snapshot &snapshot, const TileView &view);

/// What a hover on the name says that is bound there: four verdicts and the neighbours of the sizes it reaches; "" if it reaches none.
std::string tileMarkdown(const session::Snapshot &snapshot, size_t item, Span nameSpan);

/// Constraints that a tile breaks, each at the constant that could give way, spans in the file.
std::vector<Diagnostic> tileDiagnostics(const session::Snapshot &snapshot);

/// `128x256x64, 3 stages`.
std::string tileText(const schedule::TileConfig &config, bool stages);

} // namespace tilewright::features
