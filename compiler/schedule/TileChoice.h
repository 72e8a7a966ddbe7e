// Tile sizes of a GEMM decided by arithmetic: which block of C a CTA computes, in how many stages, with how many threads.
//
// Constraints bind a configuration:
//   C1 on-chip capacity    stages * (block_m * block_k + block_k * block_n) * element bytes <= shared memory per block
//   C2 registers           accumulators per thread, rounded to what a warp is given, <= 255
//   C3 instruction shape   the block is a multiple of the instruction's, the threads of its participants
//   C4 parallelism         blocks of the grid over what is resident at once: waves, and how full the last one is (a remark, never a refusal)
//   C5 tensor memory       tcgen05 alone: columns of the accumulators <= 512
// and the traffic model b * M * N * K * (1/block_n + 1/block_m) + b * M * N ranks what is feasible. Quotients are IEEE doubles rounded once,
// in the order written, so that ties fall where that arithmetic puts them.
// What a tile costs in time is TileModel.h; why a neighbour loses, TileExplain.h.
// Thread rule: functions of their arguments.
#pragma once
#include "target/Target.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::schedule {

/// What a tile has to fit. The defaults are an H100 or H200.
struct TileDevice {
  std::string name = "H100/H200 (sm_90)";
  int64_t sharedPerSm = 228 * 1024, sharedPerBlock = 227 * 1024; // bytes
  int64_t registersPerSm = 65536;
  int64_t threadsPerSm = 2048, threadsPerBlock = 1024;
  int64_t blocksPerSm = 32;
  int64_t registersPerThread = 255;
  int64_t registersPerWarpUnit = 256; // registers are given to a warp in units of this many
  int64_t warpSize = 32;
  int64_t smCount = 132;
  int64_t tensorColumns = 0;          // 32-bit columns of tensor memory per SM; 0: none
};
/// The device as the facts of a target state it; nothing for targets without SMs.
std::optional<TileDevice> tileDevice(const target::Target &target);

enum class TileInstruction : uint8_t { Mma, Simt, Wgmma, Tcgen05 };
inline constexpr std::array kTileInstructions{TileInstruction::Mma, TileInstruction::Simt, TileInstruction::Wgmma, TileInstruction::Tcgen05};
std::string_view name(TileInstruction instruction);
std::optional<TileInstruction> tileInstructionNamed(std::string_view name);

enum class TileDtype : uint8_t { F16, Bf16, Tf32, Fp8 };
inline constexpr std::array kTileDtypes{TileDtype::F16, TileDtype::Bf16, TileDtype::Tf32, TileDtype::Fp8};
std::string_view name(TileDtype dtype);
std::optional<TileDtype> tileDtypeNamed(std::string_view name);
int64_t elementBytes(TileDtype dtype);

/// What a block must be a multiple of.
struct TileShape {
  int64_t m, n, k, threads;
};
TileShape shapeOf(TileInstruction instruction, TileDtype dtype);

struct TileProblem {
  int64_t m = 4096, n = 4096, k = 4096;
  TileDtype dtype = TileDtype::F16;
};

struct TileConfig {
  int64_t blockM = 128, blockN = 128, blockK = 32;
  int64_t stages = 3, threads = 256;
  TileInstruction instruction = TileInstruction::Wgmma;
  bool operator==(const TileConfig &) const = default;
};

/// `C1` with its sentence.
struct TileRemark {
  std::string constraint, text;
  bool operator==(const TileRemark &) const = default;
};

struct TileVerdict {
  TileConfig config;
  int64_t sharedPerStage = 0, sharedTotal = 0; // bytes
  int64_t accumulatorsPerThread = 0;           // elements; 0 with tcgen05, which keeps them in tensor memory
  int64_t registersPerThread = 0, registersPerBlock = 0;
  int64_t tensorColumns = 0;                   // tcgen05: columns that the accumulators are given, a power of two from 32
  int64_t blocksByRegisters = 0, blocksByShared = 0, blocksByThreads = 0, blocksByTensor = 0;
  int64_t blocksPerSm = 0;
  int64_t grid = 0, waves = 0;
  double lastWaveFill = 0;
  double dramTraffic = 0;                      // bytes of the traffic model
  std::string binding;                         // "regs", "smem", "threads", "tmem"; "" when no block fits
  std::vector<TileRemark> failures, warnings;

  bool feasible() const { return failures.empty(); }
};

/// Why a computation on these sizes would not fit 64-bit integers, with the limit; nothing when it does. evaluate() wants it asked before.
std::optional<std::string> beyondArithmetic(const TileProblem &problem, const TileConfig &config, const TileDevice &device);

/// One configuration judged. All sizes are positive.
TileVerdict evaluate(const TileProblem &problem, const TileConfig &config, const TileDevice &device);

/// Every configuration that is looked at: blocks of 16 to 256, K of 16 to 128 but no longer than the problem's, 2 to 4 stages, 128 to 512 threads.
std::vector<TileConfig> tileSpace(const TileProblem &problem, TileInstruction instruction);

struct TileSweep {
  std::vector<TileVerdict> feasible; // least traffic first (rounded to even bytes), then more blocks per SM, then less shared memory
  int64_t tiedAtMinimum = 0;         // configurations with the least traffic
  double bestLastWaveFill = 0;
};
TileSweep sweep(const TileProblem &problem, TileInstruction instruction, const TileDevice &device);

} // namespace tilewright::schedule
