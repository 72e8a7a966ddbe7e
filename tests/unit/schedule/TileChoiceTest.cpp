// Tile sizes against figures recorded in tests/golden/tile: 250 configurations and 250 sweeps on inputs drawn from one seeded sequence. A
// sweep's line holds a digest of all its rows in order, so ties count.
#include "schedule/TileChoice.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iomanip>
#include <sstream>

using namespace tilewright::schedule;

namespace {
std::string text(double value) {
  std::ostringstream out;
  out << std::setprecision(17) << value;
  return out.str();
}
std::string tags(const std::vector<TileRemark> &remarks) {
  std::string out;
  for (const TileRemark &remark : remarks)
    out += (out.empty() ? "" : ",") + remark.constraint;
  return out.empty() ? "-" : out;
}
std::string row(const TileVerdict &v) {
  std::ostringstream out;
  const TileConfig &c = v.config;
  out << c.blockM << ' ' << c.blockN << ' ' << c.blockK << ' ' << c.stages << ' ' << c.threads << ' ' << text(v.dramTraffic) << ' ' << v.sharedTotal << ' '
      << v.registersPerThread << ' ' << v.blocksPerSm << ' ' << v.waves << ' ' << text(v.lastWaveFill) << ' ' << v.binding;
  return out.str();
}
std::string digest(const std::string &content) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : content)
    hash = (hash ^ c) * 0x100000001b3u;
  std::ostringstream out;
  out << std::hex << std::setw(16) << std::setfill('0') << hash;
  return out.str();
}
TileDevice device(int64_t sms, int64_t kib) {
  TileDevice device;
  device.smCount = sms;
  device.sharedPerSm = kib * 1024;
  device.sharedPerBlock = kib * 1024 - 1024;
  return device;
}
} // namespace

TEST_CASE("a configuration has the figures that were recorded") {
  std::ifstream in(TW_SOURCE_DIR "/tests/golden/tile/diagnose.txt");
  int cases = 0;
  for (std::string line; std::getline(in, line); ++cases) {
    std::istringstream fields(line);
    TileProblem problem;
    TileConfig config;
    std::string instruction, bar;
    int64_t sms = 0, kib = 0;
    fields >> problem.m >> problem.n >> problem.k >> instruction >> sms >> kib >> config.blockM >> config.blockN >> config.blockK >> config.stages >> config.threads >> bar;
    config.instruction = *tileInstructionNamed(instruction);
    CHECK_FALSE(beyondArithmetic(problem, config, device(sms, kib)));
    const TileVerdict v = evaluate(problem, config, device(sms, kib));
    std::ostringstream out;
    out << v.sharedPerStage << ' ' << v.sharedTotal << ' ' << v.accumulatorsPerThread << ' ' << v.registersPerThread << ' ' << v.registersPerBlock << ' ' << v.blocksByRegisters
        << ' ' << v.blocksByShared << ' ' << v.blocksByThreads << ' ' << v.blocksPerSm << ' ' << v.grid << ' ' << v.waves << ' ' << text(v.lastWaveFill) << ' '
        << text(v.dramTraffic) << ' ' << (v.binding.empty() ? "-" : v.binding) << ' ' << tags(v.failures) << ' ' << tags(v.warnings);
    CHECK(out.str() == line.substr(line.find('|') + 2));
  }
  CHECK(cases == 250);
}

TEST_CASE("a sweep has the rows that were recorded, in their order") {
  std::ifstream in(TW_SOURCE_DIR "/tests/golden/tile/sweep.txt");
  int cases = 0;
  TileSweep result;
  size_t next = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("  ", 0) == 0) {
      REQUIRE(next < result.feasible.size());
      CHECK(row(result.feasible[next++]) == line.substr(2));
      continue;
    }
    ++cases;
    next = 0;
    std::istringstream fields(line);
    TileProblem problem;
    std::string instruction;
    int64_t sms = 0, kib = 0, top = 0;
    fields >> problem.m >> problem.n >> problem.k >> instruction >> sms >> kib >> top;
    result = sweep(problem, *tileInstructionNamed(instruction), device(sms, kib));
    std::string all;
    for (const TileVerdict &v : result.feasible)
      all += (all.empty() ? "" : "\n") + row(v);
    CHECK(std::to_string(result.feasible.size()) + " " + std::to_string(result.tiedAtMinimum) + " " + text(result.bestLastWaveFill) + " " + digest(all) ==
          line.substr(line.find('|') + 2));
  }
  CHECK(cases == 250);
}

TEST_CASE("the device of a target is what its facts say") {
  const auto h200 = tileDevice(*tilewright::target::find("nvidia.h200_sxm"));
  REQUIRE(h200);
  const TileDevice plain;
  CHECK(h200->smCount == plain.smCount);
  CHECK(h200->sharedPerSm == plain.sharedPerSm);
  CHECK(h200->sharedPerBlock == plain.sharedPerBlock);
  CHECK(h200->registersPerSm == plain.registersPerSm);
  CHECK(h200->tensorColumns == 0);
  const auto b200 = tileDevice(*tilewright::target::find("nvidia.b200_sxm"));
  REQUIRE(b200);
  CHECK(b200->tensorColumns == 512);
  CHECK_FALSE(tileDevice(*tilewright::target::find("cpu")));
}

TEST_CASE("tcgen05 keeps accumulators in columns of tensor memory") {
  const TileDevice b200 = *tileDevice(*tilewright::target::find("nvidia.b200_sxm"));
  const TileProblem problem{8192, 8192, 4096, TileDtype::Bf16};
  TileVerdict v = evaluate(problem, {128, 256, 64, 4, 256, TileInstruction::Tcgen05}, b200);
  CHECK(v.feasible());
  CHECK(v.tensorColumns == 256);
  CHECK(v.blocksByTensor == 2);
  CHECK(v.accumulatorsPerThread == 0);
  CHECK(v.binding == "smem");
  CHECK(evaluate(problem, {128, 24, 64, 2, 128, TileInstruction::Tcgen05}, b200).failures.front().text == "block_N=24 is not a multiple of 16 (tcgen05)");
  CHECK(evaluate(problem, {64, 24, 64, 2, 128, TileInstruction::Tcgen05}, b200).feasible());
  v = evaluate(problem, {512, 256, 32, 2, 256, TileInstruction::Tcgen05}, b200);
  CHECK(tags(v.failures) == "C5,C1/C5");
  CHECK(v.binding == "");
  CHECK(evaluate(problem, {128, 128, 16, 1, 128, TileInstruction::Tcgen05}, b200).tensorColumns == 128);
  CHECK(evaluate(problem, {256, 96, 16, 1, 128, TileInstruction::Tcgen05}, b200).tensorColumns == 256); // 192, rounded
}

TEST_CASE("element sizes change the instruction's K and the bytes") {
  TileProblem problem;
  const TileConfig config{128, 128, 32, 3, 256, TileInstruction::Wgmma};
  problem.dtype = TileDtype::Fp8;
  CHECK(evaluate(problem, config, {}).sharedPerStage == 8192);
  CHECK(shapeOf(TileInstruction::Wgmma, TileDtype::Fp8).k == 32);
  problem.dtype = TileDtype::Tf32;
  CHECK(evaluate(problem, config, {}).sharedPerStage == 32768);
  CHECK(shapeOf(TileInstruction::Mma, TileDtype::Tf32).k == 8);
}

TEST_CASE("what 64 bits cannot count is said before it is counted") {
  const int64_t huge = int64_t{1} << 40;
  CHECK(beyondArithmetic({huge, huge, 1, TileDtype::F16}, {}, {})->find("9223372036854775807") != std::string::npos);
  CHECK(beyondArithmetic({}, {.blockM = huge, .blockN = huge}, {}));
  CHECK(beyondArithmetic({}, {.blockK = huge, .stages = huge}, {}));
  CHECK(beyondArithmetic({}, {.threads = int64_t{1} << 60}, {}));
  TileDevice many;
  many.smCount = int64_t{1} << 62;
  CHECK(beyondArithmetic({}, {}, many));
  CHECK_FALSE(beyondArithmetic({huge, 4096, 256, TileDtype::F16}, {}, {}));
}
