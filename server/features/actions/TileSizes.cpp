// Tiles that are predicted to do better, at the constants of a tile and at its product. A tile is offered only if the program it makes was
// imported and has exactly that tile: the constants were proven to be its sizes.
#include "features/Actions.h"
#include "features/Tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace tilewright::features::offer {
namespace {

constexpr size_t kOffered = 5, kTried = 10;

bool touches(Span selection, Span place) { return !place.empty() && selection.begin <= place.end && place.begin <= selection.end; }

/// The integers to rewrite for each size; several names may carry one size, one name several.
using Places = std::map<TileSize, std::vector<Span>>;

/// Whether one integer carries sizes that the tile wants to be different.
bool consistent(const Places &places, schedule::TileConfig wanted) {
  std::map<Span, int64_t> values;
  for (const auto &[size, spans] : places)
    for (const Span &span : spans)
      if (const auto [at, fresh] = values.emplace(span, sizeOf(wanted, size)); !fresh && at->second != sizeOf(wanted, size))
        return false;
  return true;
}

std::vector<Edit> editsFor(const Places &places, schedule::TileConfig from, schedule::TileConfig to) {
  std::map<Span, int64_t> values;
  for (const auto &[size, spans] : places)
    for (const Span &span : spans)
      if (sizeOf(from, size) != sizeOf(to, size))
        values[span] = sizeOf(to, size);
  std::vector<Edit> edits;
  for (const auto &[span, value] : values)
    edits.push_back({span, std::to_string(value)});
  return edits;
}

/// Whether every value on the way to the product lies in whole axes: a layout that the text states in numbers may no longer fit the tile.
bool laidOut(const ir::FunctionPlan &plan, const schedule::TileSite &site) {
  for (const auto *values : {&site.lhs, &site.rhs, &site.result})
    for (ir::ValueId id : *values)
      if (const ir::TensorType &type = plan.at(id).type.tensor; type.layout && !layout::axisOfModes(type.shape, type.layout->shape))
        return false;
  return true;
}

/// Whether the edited file still imports and its product has the tile.
bool makes(const session::Snapshot &snapshot, const TileView &view, const std::vector<Edit> &edits, const schedule::TileConfig &wanted, const Places &places) {
  std::string text(snapshot.file.source->text());
  for (size_t i = edits.size(); i-- > 0;)
    text.replace(edits[i].span.begin, edits[i].span.size(), edits[i].text);
  CompileOptions options;
  options.selector = view.function.result->module + "." + view.function.result->name;
  DiagnosticSink sink;
  const syntax::File file = syntax::parse(snapshot.file.source->path(), std::move(text));
  const auto result = compileRoot(file, options, sink);
  if (!result || !result->program || sink.hasErrors() || view.function.index >= result->program->functions.size() ||
      std::any_of(result->diagnostics.begin(), result->diagnostics.end(), [](const Diagnostic &one) { return one.severity == Severity::Error; }))
    return false;
  for (const schedule::TileSite &site : schedule::tileSites(*result->program, view.function.index)) {
    const bool stages = !places.contains(TileSize::Stages) || site.config.stages == wanted.stages;
    const bool same = site.problem.m == view.site.problem.m && site.problem.n == view.site.problem.n && site.problem.k == view.site.problem.k;
    if (same && stages && laidOut(result->program->functions[view.function.index], site) && site.config.blockM == wanted.blockM && site.config.blockN == wanted.blockN && site.config.blockK == wanted.blockK)
      return true;
  }
  return false;
}

std::string milliseconds(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", ns / 1e6);
  return text;
}

std::string change(double ns, double before) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", std::abs(ns / before - 1) * 100);
  return text + std::string(ns < before ? " less" : " more");
}

void offerFor(const ActionRequest &request, const TileView &view, std::vector<Action> &out) {
  const std::vector<TileConstant> constants = constantsOf(request.snapshot, view);
  const uint32_t item = request.snapshot.file.items[view.function.item].offset;
  bool here = touches(request.span, view.function.plan->at(view.site.value).span.shifted(item));
  Places places;
  for (const TileConstant &constant : constants) {
    here = here || touches(request.span, constant.nameSpan.shifted(request.snapshot.file.items[constant.item].offset)) || touches(request.span, constant.literal);
    if (constant.exact && !constant.literal.empty())
      places[constant.size].push_back(constant.literal);
  }
  const auto rates = schedule::tileRates(*view.function.target(), view.site.config.instruction, view.site.problem.dtype);
  if (!here || places.empty() || !rates)
    return;
  const schedule::TileConfig &now = view.site.config;
  const auto matches = [&](schedule::TileConfig config) {
    for (TileSize size : {TileSize::BlockM, TileSize::BlockN, TileSize::BlockK})
      if (schedule::TileConfig mine = now; !places.contains(size) && sizeOf(config, size) != sizeOf(mine, size))
        return false;
    return (places.contains(TileSize::Stages) || !view.site.stagesStated || config.stages == now.stages) && (!view.site.threadsStated || config.threads == now.threads);
  };
  const schedule::TileRanking ranking = schedule::rank(view.site.problem, schedule::sweep(view.site.problem, now.instruction, view.device), view.device, *rates);
  // The time of the tile as it is: the best that what is not stated allows.
  double before = 0;
  for (const schedule::RankedTile &tile : ranking.ranked) {
    const schedule::TileConfig &c = tile.verdict.config;
    const bool same = c.blockM == now.blockM && c.blockN == now.blockN && c.blockK == now.blockK && (!view.site.stagesStated || c.stages == now.stages);
    if (same && matches(c)) {
      before = tile.prediction.ns;
      break;
    }
  }
  std::set<std::vector<int64_t>> seen;
  size_t tried = 0, offered = 0;
  const bool stages = places.contains(TileSize::Stages);
  for (const schedule::RankedTile &tile : ranking.ranked) {
    const schedule::TileConfig &c = tile.verdict.config;
    if (tried == kTried || offered == kOffered || (before > 0 && tile.prediction.ns > before * 1.25))
      break;
    if (!matches(c) || !consistent(places, c) || view.site.problem.m % c.blockM != 0 || view.site.problem.n % c.blockN != 0 || view.site.problem.k % c.blockK != 0)
      continue;
    std::vector<Edit> edits = editsFor(places, now, c);
    if (edits.empty() || !seen.insert({c.blockM, c.blockN, c.blockK, stages ? c.stages : 0}).second)
      continue;
    ++tried;
    if (!makes(request.snapshot, view, edits, c, places))
      continue;
    ++offered;
    Action action;
    action.title = "tile " + tileText(c, stages) + ": predicted " + milliseconds(tile.prediction.ns) + (before > 0 ? ", " + change(tile.prediction.ns, before) : ", where this tile does not fit") +
                   (tile.prediction.bound.empty() ? "" : ", bound by " + tile.prediction.bound);
    action.edits = std::move(edits);
    out.push_back(std::move(action));
  }
}

} // namespace

void TileSizes(const ActionRequest &request, std::vector<Action> &out) {
  // A place in a function speaks of its own products alone, one outside is worth asking about only where it binds a name.
  const syntax::Item *item = request.snapshot.file.itemAt(request.span.begin);
  if (!item)
    return;
  const auto index = static_cast<size_t>(item - request.snapshot.file.items.data());
  const std::vector<TileView> views = tileViews(request.snapshot);
  const auto inside = [&](const TileView &view) { return view.function.item == index && touches(request.span, view.function.definition.shifted(item->offset)); };
  const bool within = std::any_of(views.begin(), views.end(), inside);
  const bool binds = item->tree->root().is(syntax::Kind::Assign) || item->tree->root().is(syntax::Kind::ClassDef);
  for (const TileView &view : views)
    if (within ? inside(view) : binds)
      offerFor(request, view, out);
}

} // namespace tilewright::features::offer
