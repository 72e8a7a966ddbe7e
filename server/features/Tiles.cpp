#include "features/Tiles.h"

#include "support/Codes.h"
#include "support/Quantity.h"

#include <algorithm>
#include <cstdio>

namespace tilewright::features {
namespace {

using schedule::TileNeighbour;

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", share * 100);
  return text;
}

std::optional<schedule::TileRates> ratesOf(const TileView &view) {
  return schedule::tileRates(*view.function.target(), view.site.config.instruction, view.site.problem.dtype);
}

/// The failures that speak of what the program states: an unscheduled product may take another instruction, other threads.
std::vector<schedule::TileRemark> certainFailures(const TileView &view) {
  std::vector<schedule::TileRemark> out;
  for (const schedule::TileRemark &failure : view.verdict.failures) {
    const bool shared = failure.constraint == "C1" && view.site.inShared;
    const bool registers = failure.constraint == "C2" && (view.site.threadsStated || view.verdict.registersPerBlock > view.device.registersPerSm);
    const bool tensor = failure.constraint == "C5" && view.site.instructionStated;
    if (shared || registers || tensor)
      out.push_back(failure);
  }
  return out;
}

std::string row(const std::string &constraint, const std::string &has, const std::string &limit, const TileView &view, std::string_view tag) {
  const bool fails = std::any_of(view.verdict.failures.begin(), view.verdict.failures.end(), [&](const auto &one) { return one.constraint == tag; });
  return "| " + constraint + " | " + has + " | " + limit + " | " + (fails ? "**fails**" : "holds") + " |\n";
}

std::string verdicts(const TileView &view) {
  const schedule::TileVerdict &v = view.verdict;
  const schedule::TileConfig &c = v.config;
  const schedule::TileShape shape = schedule::shapeOf(c.instruction, view.site.problem.dtype);
  std::string out = "| constraint | this tile | limit | |\n|---|---|---|---|\n";
  out += row("C1 shared memory", formatBytes(v.sharedPerStage) + " a stage, " + formatBytes(v.sharedTotal) + " in " + std::to_string(c.stages), formatBytes(view.device.sharedPerBlock) + " per CTA", view, "C1");
  if (c.instruction == schedule::TileInstruction::Tcgen05)
    out += row("C5 tensor memory", std::to_string(v.tensorColumns) + " columns", std::to_string(view.device.tensorColumns) + " columns", view, "C5");
  else
    out += row("C2 registers", std::to_string(v.registersPerThread) + " per thread for accumulators", std::to_string(view.device.registersPerThread) + " per thread", view, "C2");
  out += row("C3 instruction", std::to_string(c.blockM) + " x " + std::to_string(c.blockN) + " x " + std::to_string(c.blockK) + ", " + std::to_string(c.threads) + " threads",
             "multiples of " + std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " + std::to_string(shape.k) + ", " + std::to_string(shape.threads) + " (" +
                 std::string(schedule::name(c.instruction)) + ")",
             view, "C3");
  out += "| C4 parallelism | " + std::to_string(v.grid) + " tiles, " + std::to_string(v.waves) + (v.waves == 1 ? " wave" : " waves") + ", the last " + percent(v.lastWaveFill) + " full | " +
         std::to_string(view.device.smCount) + " SMs, " + std::to_string(v.blocksPerSm) + " blocks on each | " + (v.warnings.empty() ? "holds" : "remark") + " |\n";
  if (!v.binding.empty())
    out += "\nbinding limit: " + v.binding + "\n";
  return out;
}

std::string neighbours(const TileView &view, const std::vector<TileSize> &sizes) {
  const auto rates = ratesOf(view);
  // A ring of one stage is how a program says nothing of stages; the model wants to know.
  schedule::TileConfig config = view.site.config;
  if (!view.site.stagesStated)
    config.stages = 3;
  std::string out;
  for (const TileNeighbour &one : schedule::explainNeighbours(view.site.problem, config, view.device, rates ? &*rates : nullptr)) {
    const bool wanted = std::any_of(sizes.begin(), sizes.end(), [&](TileSize size) { return one.change.rfind(std::string(name(size)) + " ", 0) == 0; });
    if (!wanted)
      continue;
    constexpr const char *kOutcomes[] = {"rejected", "worse", "equal", "better"};
    std::string text = (one.constraint.empty() ? "" : one.constraint + " ") + one.text;
    if (const size_t end = text.find("; "); end != std::string::npos && one.outcome != TileNeighbour::Outcome::Rejected)
      text.resize(end);
    out += "- " + one.change + ": " + kOutcomes[static_cast<int>(one.outcome)] + ", " + text + "\n";
  }
  if (out.empty())
    return out;
  return (view.site.stagesStated ? "\n" : "\nneighbours, with 3 stages, since the program states none:\n\n") + out;
}

} // namespace

std::string tileText(const schedule::TileConfig &config, bool stages) {
  std::string out = std::to_string(config.blockM) + "x" + std::to_string(config.blockN) + "x" + std::to_string(config.blockK);
  return stages ? out + ", " + std::to_string(config.stages) + (config.stages == 1 ? " stage" : " stages") : out;
}

std::string tileMarkdown(const session::Snapshot &snapshot, size_t item, Span nameSpan) {
  constexpr int kMost = 3; // a file of hundreds of kernels may share its constants
  std::string out;
  int told = 0;
  for (const TileView &view : tileViews(snapshot)) {
    std::vector<TileSize> sizes;
    std::string roles;
    for (const TileConstant &constant : constantsOf(snapshot, view))
      if (constant.item == item && constant.nameSpan == nameSpan) {
        sizes.push_back(constant.size);
        roles += (roles.empty() ? "" : ", ") + std::string(constant.exact ? "" : "part of ") + std::string(name(constant.size));
      }
    if (sizes.empty())
      continue;
    if (told++ == kMost)
      return out + "\n---\nand of further tiles\n";
    out += "\n---\n" + roles + " of the tile " + tileText(view.site.config, true) + " in `" + view.function.plan->name + "`, GEMM " + std::to_string(view.site.problem.m) + " x " +
           std::to_string(view.site.problem.n) + " x " + std::to_string(view.site.problem.k) + "\n\n" + verdicts(view) + neighbours(view, sizes);
  }
  return out;
}

std::vector<Diagnostic> tileDiagnostics(const session::Snapshot &snapshot) {
  DiagnosticSink sink;
  std::vector<std::pair<Span, std::string>> said;
  for (const TileView &view : tileViews(snapshot)) {
    const std::vector<schedule::TileRemark> failures = certainFailures(view);
    const std::vector<TileConstant> constants = failures.empty() ? std::vector<TileConstant>() : constantsOf(snapshot, view);
    for (const schedule::TileRemark &failure : failures) {
      // The constant that gives way: the one whose largest smaller step satisfies the constraint, stages before K before the block.
      const TileConstant *blamed = nullptr;
      std::string remedy;
      for (TileSize size : {TileSize::Stages, TileSize::BlockK, TileSize::BlockN, TileSize::BlockM}) {
        const auto found = std::find_if(constants.begin(), constants.end(), [&](const TileConstant &one) { return one.size == size && one.exact && !one.literal.empty(); });
        if (found == constants.end() || !remedy.empty())
          continue;
        blamed = blamed ? blamed : &*found;
        schedule::TileConfig smaller = view.site.config;
        int64_t &value = sizeOf(smaller, size);
        while (value > 1 && remedy.empty()) {
          value = size == TileSize::Stages ? value - 1 : value / 2;
          const schedule::TileVerdict verdict = schedule::evaluate(view.site.problem, smaller, view.device);
          if (std::none_of(verdict.failures.begin(), verdict.failures.end(), [&](const auto &one) { return one.constraint == failure.constraint || one.constraint == "C3"; })) {
            blamed = &*found;
            remedy = "; `" + found->name + "` of " + std::to_string(value) + " would hold";
          }
        }
      }
      if (!blamed)
        continue;
      const Span at = blamed->nameSpan.shifted(snapshot.file.items[blamed->item].offset);
      const std::string message = "the tile " + tileText(view.site.config, view.site.stagesStated) + " of `" + view.function.plan->name + "` breaks " + failure.constraint + ": " + failure.text + remedy;
      if (std::find(said.begin(), said.end(), std::pair(at, message)) != said.end())
        continue;
      said.push_back({at, message});
      Diagnostic &diagnostic = sink.add(Code::TileOverLimit, at, message);
      diagnostic.related.push_back({view.function.plan->at(view.site.value).span.shifted(snapshot.file.items[view.function.item].offset), "the product that the tile is of"});
      for (const TileConstant &other : constants)
        if (&other != blamed && other.exact && other.nameSpan != blamed->nameSpan)
          diagnostic.related.push_back({other.nameSpan.shifted(snapshot.file.items[other.item].offset), std::string(name(other.size)) + " of the tile"});
    }
  }
  return sink.take();
}

} // namespace tilewright::features
