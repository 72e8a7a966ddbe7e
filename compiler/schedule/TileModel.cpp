#include "schedule/TileModel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilewright::schedule {
namespace {

// Into an SM from the L2 cache: 64 bytes a clock, the port's width (NVIDIA A100 and H100 architecture papers: 5120 bytes a clock for 80 slices).
constexpr double kL2BytesPerClock = 64;
// Of shared memory where the facts state none: 32 banks of 4 bytes (CUDA C++ Programming Guide).
constexpr double kSharedBytesPerClock = 128;
// From the issue of a TMA load to its arrival, and the hand-over of a stage. Both are fitted to one kernel measured on an H200, 8192 x 17408
// x 5120 in bf16 by 128 x 256 x 64: with two stages instead of three it ran at 0.73 of the speed, and with three its tensor cores were busy for 0.974 of
// the time.
constexpr double kLoadNs = 300, kHandOverNs = 8;
// mma.sync on parts whose full rate needs wgmma or tcgen05: 62.9 percent of the peak (arXiv 2402.13499, table of mma on H800).
constexpr double kMmaShare = 0.629;
// tf32 runs at half the rate of f16 on every tensor core that has both (product pages).
constexpr double kTf32Share = 0.5;
// Share of the L2 cache that holds the rows of A that a group keeps, or all of B: the rest streams through.
constexpr double kL2Share = 0.5;
// Registers a thread needs besides accumulators, and those of a producer warpgroup.
constexpr int64_t kOtherRegisters = 40, kProducerRegisters = 40, kProducerThreads = 128;
constexpr int64_t kReservedShared = 1024; // per CTA, by the system: CUDA C++ Programming Guide, compute capability 8.0 and later
constexpr int64_t kBarrierBytes = 256;

constexpr double kNs = 1e9;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Bytes that one K block's instructions read from shared memory under the best arrangement of `consumers` over the block; nothing when they
/// cannot share it out. Each consumer computes instructions of up to `m` x `n`, reading m + n lines of K.
std::optional<int64_t> operandBytes(const TileConfig &config, int64_t consumers, int64_t unitM, int64_t unitN, int64_t mostN, int64_t bytes) {
  std::optional<int64_t> best;
  for (int64_t rows = 1; rows <= consumers; ++rows) {
    if (consumers % rows != 0)
      continue;
    const int64_t columns = consumers / rows;
    if (config.blockM % (rows * unitM) != 0 || config.blockN % (columns * unitN) != 0)
      continue;
    const int64_t m = config.blockM / rows, n = config.blockN / columns;
    // mostN = 0: operands of the whole share are read once into registers (ldmatrix); else every instruction reads its own.
    const int64_t lines = mostN == 0 ? m + n : m / unitM * (ceilDiv(n, mostN) * unitM + n);
    const int64_t all = consumers * lines * config.blockK * bytes;
    best = std::min(best.value_or(all), all);
  }
  return best;
}

/// Bytes of A and B that come from device memory when `resident` CTAs walk groups of `rows` block rows along N.
double fetched(const TileProblem &problem, const TileConfig &config, int64_t resident, int64_t rows, double l2) {
  const auto bytes = static_cast<double>(elementBytes(problem.dtype));
  const int64_t tilesM = ceilDiv(problem.m, config.blockM), tilesN = ceilDiv(problem.n, config.blockN);
  const double a = static_cast<double>(problem.m) * static_cast<double>(problem.k) * bytes, b = static_cast<double>(problem.n) * static_cast<double>(problem.k) * bytes;
  const double groupA = static_cast<double>(std::min(rows, tilesM) * config.blockM) * static_cast<double>(problem.k) * bytes;
  const int64_t groups = ceilDiv(tilesM, rows);
  const int64_t wavesOfGroup = std::max<int64_t>(ceilDiv(std::min(rows, tilesM) * tilesN, resident), 1);
  return (groupA <= l2 ? a : a * static_cast<double>(wavesOfGroup)) + (b <= l2 ? b : b * static_cast<double>(groups));
}

std::string text(double value, const char *format) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}
std::string percent(double share) { return text(share * 100, "%.1f%%"); }
std::string kib(int64_t bytes) { return text(static_cast<double>(bytes) / 1024, "%.0f KiB"); }

} // namespace

bool hasInstruction(const target::Target &target, TileInstruction instruction) {
  switch (instruction) {
  case TileInstruction::Mma: return target.hasCapability("mma.sync");
  case TileInstruction::Wgmma: return target.hasWgmma();
  case TileInstruction::Tcgen05: return target.hasTcgen05();
  case TileInstruction::Simt: return target.family() == target::Family::Cuda;
  }
  return false;
}

std::optional<TileRates> tileRates(const target::Target &target, TileInstruction instruction, TileDtype dtype) {
  const auto number = [&](std::string_view path) -> std::optional<double> {
    const target::Fact *fact = target.fact(path);
    return fact && fact->integer ? std::optional(static_cast<double>(*fact->integer)) : std::nullopt;
  };
  if (!hasInstruction(target, instruction))
    return std::nullopt;
  const bool simt = instruction == TileInstruction::Simt;
  const auto flops = number(simt ? "throughput.f32" : dtype == TileDtype::Fp8 ? "throughput.fp8e4m3" : dtype == TileDtype::Bf16 ? "throughput.bf16" : "throughput.f16");
  const auto clock = number("compute.sm_clock_hz"), sms = number("compute.sm_count"), dram = number("memory.hbm.bandwidth"), l2 = number("memory.l2.capacity");
  if (!flops || !clock || !sms || !dram || !l2)
    return std::nullopt;
  TileRates rates;
  rates.flopsPerSm = *flops / *sms;
  if (dtype == TileDtype::Tf32 && !simt)
    rates.flopsPerSm *= kTf32Share;
  if (instruction == TileInstruction::Mma && (target.hasWgmma() || target.hasTcgen05()))
    rates.flopsPerSm *= kMmaShare;
  rates.sharedBytesPerSm = number("memory.shared.bandwidth").value_or(kSharedBytesPerClock) * *clock;
  rates.l2BytesPerSm = kL2BytesPerClock * *clock;
  rates.dramBytes = *dram;
  rates.l2Capacity = static_cast<int64_t>(*l2);
  return rates;
}

TilePrediction predict(const TileProblem &problem, const TileVerdict &verdict, const TileDevice &device, const TileRates &rates) {
  TilePrediction p;
  const TileConfig &config = verdict.config;
  const bool wgmma = config.instruction == TileInstruction::Wgmma, tcgen05 = config.instruction == TileInstruction::Tcgen05;
  const bool producer = wgmma || tcgen05;
  const int64_t bytes = elementBytes(problem.dtype), outBytes = problem.dtype == TileDtype::Tf32 ? 4 : 2;
  const auto impossible = [&](std::string why) {
    p.impossible = std::move(why);
    return p;
  };
  if (!verdict.feasible())
    return impossible(verdict.failures.front().constraint + " " + verdict.failures.front().text);
  if (producer && config.stages < 2)
    return impossible("a ring of one stage cannot be filled while it is read");

  // ---- what one CTA takes, and how many fit
  p.stagingBytes = producer ? config.blockM * config.blockN * outBytes : 0;
  p.sharedBytes = verdict.sharedTotal + p.stagingBytes + (producer ? kBarrierBytes : 0);
  if (p.sharedBytes > device.sharedPerBlock)
    return impossible("ring of " + kib(verdict.sharedTotal) + " and " + kib(p.stagingBytes) + " to stage the output do not fit " + kib(device.sharedPerBlock) + " together");
  const int64_t extraThreads = wgmma ? kProducerThreads : tcgen05 ? 2 * device.warpSize : 0, threads = config.threads + extraThreads;
  if (threads > device.threadsPerBlock)
    return impossible(std::to_string(config.threads) + " threads leave none of the " + std::to_string(device.threadsPerBlock) + " of a block to load");
  const int64_t perThread = verdict.registersPerThread + kOtherRegisters;
  if (perThread > device.registersPerThread)
    return impossible("accumulators of " + std::to_string(verdict.registersPerThread) + " registers and " + std::to_string(kOtherRegisters) + " others exceed " +
                      std::to_string(device.registersPerThread) + " per thread");
  const int64_t registers = perThread * config.threads + kProducerRegisters * extraThreads;
  p.residents = std::min({device.sharedPerSm / (p.sharedBytes + kReservedShared), device.registersPerSm / registers, device.threadsPerSm / threads, device.blocksPerSm});
  if (tcgen05)
    p.residents = std::min(p.residents, device.tensorColumns / verdict.tensorColumns);
  if (p.residents < 1)
    return impossible(std::to_string(threads) + " threads need " + std::to_string(registers) + " registers, an SM has " + std::to_string(device.registersPerSm));

  // ---- one K block
  const auto operands = wgmma     ? operandBytes(config, config.threads / 128, 64, 8, 256, bytes)
                        : tcgen05 ? operandBytes(config, 1, config.blockM % 128 == 0 ? 128 : 64, 8, 256, bytes)
                                  : operandBytes(config, config.threads / device.warpSize, config.instruction == TileInstruction::Mma ? 16 : 8,
                                                 config.instruction == TileInstruction::Mma ? 8 : 4, 0, bytes);
  if (!operands)
    return impossible(std::to_string(wgmma ? config.threads / 128 : config.threads / device.warpSize) + (wgmma ? " warpgroups" : " warps") + " cannot share out " +
                      std::to_string(config.blockM) + " x " + std::to_string(config.blockN) + " in whole instructions");
  double flops = 2.0 * static_cast<double>(config.blockM) * static_cast<double>(config.blockN) * static_cast<double>(config.blockK);
  if (tcgen05 && config.blockM % 128 != 0)
    flops *= 2; // M = 64 uses half of the tensor core
  p.tensorNs = flops / rates.flopsPerSm * kNs;
  const int64_t moved = tcgen05 ? std::max(*operands, verdict.sharedPerStage) : *operands + verdict.sharedPerStage;
  p.sharedNs = static_cast<double>(moved) / rates.sharedBytesPerSm * kNs;
  p.l2Ns = static_cast<double>(verdict.sharedPerStage) / rates.l2BytesPerSm * kNs;
  const double busy = std::max({p.tensorNs, p.sharedNs, p.l2Ns});
  const double chain = busy + kHandOverNs;
  p.latencyNs = (kLoadNs + chain) / static_cast<double>(std::max<int64_t>(config.stages - 1, 1));
  p.kBlockNs = std::max(chain, p.latencyNs);
  p.kBlocks = ceilDiv(problem.k, config.blockK);

  // ---- tiles of the busiest SM
  p.tilesPerSm = ceilDiv(verdict.grid, device.smCount);
  p.residents = std::min(p.residents, p.tilesPerSm);
  const double out = static_cast<double>(config.blockM * config.blockN * outBytes);
  p.epilogueNs = producer ? 2 * out / rates.sharedBytesPerSm * kNs : out / rates.l2BytesPerSm * kNs + kLoadNs + p.l2Ns; // without a producer the ring is filled anew
  const bool hidden = tcgen05 && 2 * verdict.tensorColumns * p.residents <= device.tensorColumns;
  const auto kBlocks = static_cast<double>(p.kBlocks);
  const double alone = kBlocks * p.kBlockNs + (hidden ? 0 : p.epilogueNs);
  const double inTurn = static_cast<double>(ceilDiv(p.tilesPerSm, p.residents)) * alone;
  const double atOnce = static_cast<double>(p.tilesPerSm) * kBlocks * busy;
  p.smNs = std::max(inTurn, atOnce) + (hidden ? p.epilogueNs : 0); // the last tile's is never hidden
  p.fillNs = kLoadNs + p.l2Ns;

  // ---- device memory, under the best tile order
  const double l2 = kL2Share * static_cast<double>(rates.l2Capacity);
  p.dramBytes = -1;
  for (int64_t rows = 1; rows <= 64; ++rows)
    if (const double in = fetched(problem, config, device.smCount * p.residents, rows, l2); p.dramBytes < 0 || in < p.dramBytes) {
      p.dramBytes = in;
      p.groupRows = rows;
    }
  p.dramBytes += static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(outBytes);
  p.dramNs = p.dramBytes / rates.dramBytes * kNs;

  p.ns = std::max(p.smNs, p.dramNs) + p.fillNs;
  p.tensorBusy = static_cast<double>(p.tilesPerSm) * kBlocks * p.tensorNs / p.ns;
  if (p.dramNs > p.smNs)
    p.bound = "dram";
  else if (inTurn > atOnce && p.latencyNs > chain)
    p.bound = "latency";
  else
    p.bound = busy == p.tensorNs ? "tensor" : busy == p.sharedNs ? "shared" : "l2";
  return p;
}

std::string reasonOf(const TileProblem &problem, const TileVerdict &verdict, const TilePrediction &p, const TileDevice &device) {
  if (!p.impossible.empty())
    return p.impossible;
  const TileConfig &config = verdict.config;
  std::string out;
  if (p.bound == "tensor")
    out = "bound by the MMA: busy " + percent(p.tensorBusy);
  else if (p.bound == "shared")
    out = "bound by shared memory: operands and ring take " + percent(p.sharedNs / p.tensorNs - 1) + " longer than the MMA";
  else if (p.bound == "l2")
    out = "bound by the L2 port: a stage of " + kib(verdict.sharedPerStage) + " takes " + percent(p.l2Ns / p.tensorNs - 1) + " longer than its MMA";
  else if (p.bound == "latency")
    out = "bound by load latency: " + std::to_string(config.stages) + " stages of " + text(p.tensorNs, "%.0f ns") + " do not cover it";
  else
    out = "bound by device memory: " + text(p.dramBytes / 1e6, "%.0f MB");
  const double whole = static_cast<double>(problem.m) * static_cast<double>(problem.n) /
                       (static_cast<double>(p.tilesPerSm * device.smCount) * static_cast<double>(config.blockM) * static_cast<double>(config.blockN));
  out += "; " + std::to_string(p.tilesPerSm) + (p.tilesPerSm == 1 ? " tile" : " tiles") + " on the busiest SM, " + percent(1 - whole) + " idle or padding";
  out += "; epilogue " + text(p.epilogueNs, "%.0f ns") + " a tile";
  if (p.residents > 1)
    out += ", overlapped by " + std::to_string(p.residents) + " CTAs";
  if (p.stagingBytes > 0)
    out += "; ring " + kib(verdict.sharedTotal) + " + staging " + kib(p.stagingBytes) + " of " + kib(device.sharedPerBlock);
  return out;
}

TileRanking rank(const TileProblem &problem, const TileSweep &sweep, const TileDevice &device, const TileRates &rates) {
  TileRanking ranking;
  for (const TileVerdict &verdict : sweep.feasible) {
    RankedTile tile{verdict, predict(problem, verdict, device, rates), {}};
    tile.reason = reasonOf(problem, verdict, tile.prediction, device);
    (tile.prediction.impossible.empty() ? ranking.ranked : ranking.impossible).push_back(std::move(tile));
  }
  std::stable_sort(ranking.ranked.begin(), ranking.ranked.end(),
                   [](const RankedTile &a, const RankedTile &b) { return std::nearbyint(a.prediction.ns) < std::nearbyint(b.prediction.ns); });
  return ranking;
}

} // namespace tilewright::schedule
