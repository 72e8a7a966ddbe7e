#include "schedule/TileExplain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace tilewright::schedule {
namespace {

using Outcome = TileNeighbour::Outcome;

struct Dimension {
  const char *name;
  int64_t TileConfig::*value;
  std::vector<int64_t> steps;
};

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", share * 100);
  return text;
}

/// The next value in each direction; 0 where there is none.
std::pair<int64_t, int64_t> around(const std::vector<int64_t> &steps, int64_t value) {
  int64_t below = 0, above = 0;
  for (int64_t step : steps) {
    if (step < value)
      below = step;
    if (step > value && above == 0)
      above = step;
  }
  if (below == 0 && value % 2 == 0)
    below = value / 2;
  if (above == 0)
    above = value * 2;
  return {below, above};
}

/// By the order of the sweep.
void compareTraffic(TileNeighbour &neighbour, const TileVerdict &chosen) {
  const TileVerdict &v = neighbour.verdict;
  const double mine = std::nearbyint(chosen.dramTraffic), theirs = std::nearbyint(v.dramTraffic);
  const auto key = [](const TileVerdict &x) { return std::tuple(std::nearbyint(x.dramTraffic), -x.blocksPerSm, x.sharedTotal); };
  neighbour.outcome = key(v) == key(chosen) ? Outcome::Equal : key(v) < key(chosen) ? Outcome::Better : Outcome::Worse;
  if (mine != theirs)
    neighbour.text = percent(std::abs(theirs / mine - 1)) + (theirs > mine ? " more" : " less") + " traffic";
  else if (v.blocksPerSm != chosen.blocksPerSm)
    neighbour.text = "equal traffic, " + std::to_string(v.blocksPerSm) + " instead of " + std::to_string(chosen.blocksPerSm) + " blocks per SM";
  else if (v.sharedTotal != chosen.sharedTotal)
    neighbour.text = "equal traffic and blocks per SM, " + std::to_string(v.sharedTotal) + " instead of " + std::to_string(chosen.sharedTotal) + " B of shared memory";
  else
    neighbour.text = "equal traffic, blocks per SM and shared memory";
}

void compareTime(TileNeighbour &neighbour, const TilePrediction &chosen, const TileProblem &problem, const TileDevice &device, const TileRates &rates) {
  const TilePrediction theirs = predict(problem, neighbour.verdict, device, rates);
  if (!theirs.impossible.empty()) {
    neighbour.outcome = Outcome::Rejected;
    neighbour.constraint = "kernel";
    neighbour.text = theirs.impossible;
    return;
  }
  const std::string reason = reasonOf(problem, neighbour.verdict, theirs, device);
  if (!chosen.impossible.empty()) {
    neighbour.outcome = Outcome::Better;
    neighbour.text = reason;
    return;
  }
  const double change = theirs.ns / chosen.ns - 1;
  const bool equal = std::nearbyint(theirs.ns) == std::nearbyint(chosen.ns);
  neighbour.outcome = equal ? Outcome::Equal : change > 0 ? Outcome::Worse : Outcome::Better;
  neighbour.text = (equal ? "equal predicted time" : percent(std::abs(change)) + (change > 0 ? " longer" : " shorter")) + ": " + reason;
}

} // namespace

std::vector<TileNeighbour> explainNeighbours(const TileProblem &problem, const TileConfig &config, const TileDevice &device, const TileRates *rates) {
  const std::vector<Dimension> dimensions{{"block_M", &TileConfig::blockM, {16, 32, 64, 128, 256}},
                                          {"block_N", &TileConfig::blockN, {16, 32, 64, 128, 256}},
                                          {"block_K", &TileConfig::blockK, {16, 32, 64, 128}},
                                          {"stages", &TileConfig::stages, {1, 2, 3, 4, 5, 6, 7, 8}},
                                          {"threads", &TileConfig::threads, {128, 256, 384, 512}}};
  const TileVerdict chosen = evaluate(problem, config, device);
  const TilePrediction prediction = rates ? predict(problem, chosen, device, *rates) : TilePrediction{};
  std::vector<TileNeighbour> out;
  for (const Dimension &dimension : dimensions) {
    const auto [below, above] = around(dimension.steps, config.*dimension.value);
    for (int64_t value : {below, above}) {
      if (value == 0)
        continue;
      TileConfig moved = config;
      moved.*dimension.value = value;
      if (beyondArithmetic(problem, moved, device))
        continue;
      TileNeighbour neighbour;
      neighbour.verdict = evaluate(problem, moved, device);
      neighbour.change = std::string(dimension.name) + " " + std::to_string(config.*dimension.value) + " -> " + std::to_string(value);
      if (!neighbour.verdict.feasible()) {
        neighbour.constraint = neighbour.verdict.failures.front().constraint;
        neighbour.text = neighbour.verdict.failures.front().text;
      } else if (rates) {
        compareTime(neighbour, prediction, problem, device, *rates);
      } else if (!chosen.feasible()) {
        neighbour.outcome = Outcome::Better;
        neighbour.text = "satisfies all constraints";
      } else {
        compareTraffic(neighbour, chosen);
      }
      out.push_back(std::move(neighbour));
    }
  }
  return out;
}

} // namespace tilewright::schedule
