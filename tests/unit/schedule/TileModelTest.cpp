#include "schedule/TileDraw.h"
#include "schedule/TileExplain.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tilewright::schedule;
namespace target = tilewright::target;

namespace {
const TileProblem kTutorial{8192, 17408, 5120, TileDtype::Bf16};
const TileConfig kTile{128, 256, 64, 3, 256, TileInstruction::Wgmma};

TileDevice h200() { return *tileDevice(*target::find("nvidia.h200_sxm")); }
TileRates rates(std::string_view id, TileInstruction instruction, TileDtype dtype = TileDtype::Bf16) { return *tileRates(*target::find(id), instruction, dtype); }
TilePrediction predicted(const TileConfig &config, const TileProblem &problem = kTutorial) {
  return predict(problem, evaluate(problem, config, h200()), h200(), rates("nvidia.h200_sxm", config.instruction, problem.dtype));
}
TileConfig with(TileConfig config, int64_t TileConfig::*size, int64_t value) {
  config.*size = value;
  return config;
}
} // namespace

TEST_CASE("the kernel that was measured to be the best one ranks first, with the reason") {
  const TileRanking ranking = rank(kTutorial, sweep(kTutorial, TileInstruction::Wgmma, h200()), h200(), rates("nvidia.h200_sxm", TileInstruction::Wgmma));
  REQUIRE_FALSE(ranking.ranked.empty());
  CHECK(ranking.ranked.front().verdict.config == kTile);
  CHECK(ranking.ranked.front().reason.find("bound by the MMA: busy 97.4%; 33 tiles on the busiest SM") == 0);
  CHECK(ranking.ranked.front().reason.find("ring 144 KiB + staging 64 KiB of 227 KiB") != std::string::npos);
  for (size_t i = 1; i < ranking.ranked.size(); ++i)
    CHECK(ranking.ranked[i - 1].prediction.ns <= ranking.ranked[i].prediction.ns + 1);
}

TEST_CASE("the model has the directions of the measurements") {
  const double best = predicted(kTile).ns;
  CHECK(predicted(kTile).tensorBusy == doctest::Approx(0.974).epsilon(0.002));            // measured 0.974
  CHECK(predicted(with(kTile, &TileConfig::stages, 2)).ns / best > 1.3);                  // measured 1/0.73
  const double turned = predicted({256, 128, 64, 3, 256, TileInstruction::Wgmma}).ns / best; // measured 1/0.95 to 1/0.99
  CHECK(turned > 1.01);
  CHECK(turned < 1.06);
  CHECK(predicted(with(kTile, &TileConfig::stages, 4)).impossible.find("to stage the output do not fit 227 KiB") != std::string::npos);
  // More work takes longer; a larger device never does.
  CHECK(predicted(kTile, {8192, 17408, 10240, TileDtype::Bf16}).ns > best * 1.9);
  TileDevice twice = h200();
  twice.smCount *= 2;
  CHECK(predict(kTutorial, evaluate(kTutorial, kTile, twice), twice, rates("nvidia.h200_sxm", TileInstruction::Wgmma)).ns < best * 0.55);
}

TEST_CASE("what bounds a tile is named") {
  CHECK(predicted(kTile).bound == "tensor");
  CHECK(predicted({128, 128, 64, 3, 256, TileInstruction::Wgmma}).bound == "shared");
  CHECK(predicted(with(kTile, &TileConfig::stages, 2)).bound == "latency");
  CHECK(predicted({128, 256, 64, 3, 256, TileInstruction::Wgmma}, {8192, 17408, 64, TileDtype::Bf16}).bound == "dram");
}

TEST_CASE("a rate the facts do not state gives no prediction") {
  CHECK_FALSE(tileRates(*target::find("cpu"), TileInstruction::Simt, TileDtype::F16));
  CHECK_FALSE(tileRates(*target::find("nvidia.b200_sxm"), TileInstruction::Wgmma, TileDtype::Bf16));
  CHECK(rates("nvidia.h200_sxm", TileInstruction::Wgmma, TileDtype::Fp8).flopsPerSm == doctest::Approx(1979e12 / 132));
  CHECK(rates("nvidia.h200_sxm", TileInstruction::Wgmma, TileDtype::Tf32).flopsPerSm == doctest::Approx(989.5e12 / 132 / 2));
}

TEST_CASE("a second accumulator in tensor memory hides the epilogue") {
  const TileDevice device = *tileDevice(*target::find("nvidia.b200_sxm"));
  const TileRates b200 = rates("nvidia.b200_sxm", TileInstruction::Tcgen05);
  const auto of = [&](int64_t n) {
    const TileConfig config{128, n, 64, 3, 128, TileInstruction::Tcgen05};
    return predict(kTutorial, evaluate(kTutorial, config, device), device, b200);
  };
  const TilePrediction hidden = of(256);
  CHECK(hidden.impossible == "");
  CHECK(hidden.smNs == doctest::Approx(static_cast<double>(hidden.tilesPerSm * hidden.kBlocks) * hidden.kBlockNs + hidden.epilogueNs));
  const TileRanking ranking = rank(kTutorial, sweep(kTutorial, TileInstruction::Tcgen05, device), device, b200);
  CHECK_FALSE(ranking.ranked.empty());
}

TEST_CASE("every neighbour is told apart") {
  const TileRates model = rates("nvidia.h200_sxm", TileInstruction::Wgmma);
  const auto neighbours = explainNeighbours(kTutorial, kTile, h200(), &model);
  const auto find = [&](const std::string &change) {
    const auto found = std::find_if(neighbours.begin(), neighbours.end(), [&](const TileNeighbour &n) { return n.change == change; });
    REQUIRE(found != neighbours.end());
    return *found;
  };
  CHECK(find("block_M 128 -> 256").constraint == "C2");
  CHECK(find("block_K 64 -> 128").constraint == "C1");
  CHECK(find("stages 3 -> 4").constraint == "kernel");
  CHECK(find("stages 3 -> 2").outcome == TileNeighbour::Outcome::Worse);
  CHECK(find("block_N 256 -> 128").text.find("longer: bound by shared memory") != std::string::npos);
  // By traffic alone.
  const auto plain = explainNeighbours(kTutorial, kTile, h200(), nullptr);
  const auto narrower = std::find_if(plain.begin(), plain.end(), [](const TileNeighbour &n) { return n.change == "block_N 256 -> 128"; });
  REQUIRE(narrower != plain.end());
  CHECK(narrower->text == "32.8% more traffic");
  const auto shallower = std::find_if(plain.begin(), plain.end(), [](const TileNeighbour &n) { return n.change == "stages 3 -> 2"; });
  CHECK(shallower->outcome == TileNeighbour::Outcome::Better);
  CHECK(shallower->text == "equal traffic, 2 instead of 1 blocks per SM");
}

TEST_CASE("the space is drawn the same every time, the chosen tile marked") {
  const std::string svg = drawTileSpace(kTutorial, TileInstruction::Wgmma, h200(), kTile);
  CHECK(svg == drawTileSpace(kTutorial, TileInstruction::Wgmma, h200(), kTile));
  CHECK(svg.find("128x256x64, 3 stages, 256 threads") != std::string::npos);
  CHECK(svg.find("resident warps per SM") != std::string::npos);
  CHECK(drawTileSpace({1, 1, 1, TileDtype::F16}, TileInstruction::Simt, {}, {1, 1, 1, 1, 32, TileInstruction::Simt}).rfind("</svg>\n") != std::string::npos);
}
