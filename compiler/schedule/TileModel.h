// What a tile costs in time: predicted ns of the persistent kernel that the tile implies, so that tiles which save traffic and tiles which fill
// the machine stand on one scale.
//
// The kernel. As many CTAs as are resident at once walk the tiles, in groups of block rows along N. With wgmma, `threads` are consumer
// warpgroups and one warpgroup more loads (TMA) into a ring of `stages`; with tcgen05, `threads` drain tensor memory and two warps more load and
// issue; with mma and simt all threads do both. wgmma and tcgen05 store C through a staging tile beside the ring.
//
// One K block on one SM takes the longest of
//   tensor   2 * block_m * block_n * block_k at the tensor (or FP32) rate of an SM
//   shared   operand reads of the instructions, as the consumers share the block out, and writes of the ring, at 128 bytes a clock: one after the
//            other with wgmma, where that explains what 256 x 128 tiles lose; side by side with tcgen05, which was not measured
//   l2       bytes of the ring's stage at 64 bytes a clock into an SM
// plus the hand-over of the stage; and at least (latency of a load + that) / (stages - 1), since the stage being read cannot be filled.
// A tile adds its epilogue, unless a second accumulator in tensor memory or another resident CTA hides it. The launch takes the tiles of the
// busiest SM, whole tiles, one after the other; or, if longer, what device memory needs for A and B, as often as the tile order fetches
// them past the L2 cache, and C once.
//
// What it leaves out: launch overhead, clocks that fall under load, contention. It orders tiles; it does not promise a time.
// Thread rule: functions of their arguments.
#pragma once
#include "schedule/TileChoice.h"

namespace tilewright::schedule {

/// Rates of a device, per second.
struct TileRates {
  double flopsPerSm = 0;        // of the instruction on the dtype
  double sharedBytesPerSm = 0, l2BytesPerSm = 0;
  double dramBytes = 0;         // of the whole device
  int64_t l2Capacity = 0;       // bytes
};
/// From the facts of a target; nothing when it states no rate for the dtype, or cannot run the instruction.
std::optional<TileRates> tileRates(const target::Target &target, TileInstruction instruction, TileDtype dtype);
/// Whether a target has the instruction.
bool hasInstruction(const target::Target &target, TileInstruction instruction);

struct TilePrediction {
  std::string impossible;           // why the kernel cannot be built although the block fits; empty: it can
  double ns = 0;                    // of one launch
  std::string bound;                // "tensor", "shared", "l2", "latency", "dram"
  // the parts, in ns
  double tensorNs = 0, sharedNs = 0, l2Ns = 0, latencyNs = 0; // of one K block
  double kBlockNs = 0;              // what one K block takes a CTA that is alone
  double epilogueNs = 0;            // of one tile, where it is not hidden
  double smNs = 0, dramNs = 0, fillNs = 0;
  int64_t kBlocks = 0, tilesPerSm = 0, residents = 0;
  int64_t sharedBytes = 0, stagingBytes = 0; // of one CTA: ring and staging together; staging
  int64_t groupRows = 0;            // block rows of a group in the tile order
  double dramBytes = 0;             // past the L2 cache
  double tensorBusy = 0;            // share of the launch in which tensor cores of the busiest SM work
};
TilePrediction predict(const TileProblem &problem, const TileVerdict &verdict, const TileDevice &device, const TileRates &rates);

struct RankedTile {
  TileVerdict verdict;
  TilePrediction prediction;
  std::string reason;               // what its rank comes from
};
struct TileRanking {
  std::vector<RankedTile> ranked;   // least predicted ns first, then the order of the sweep
  std::vector<RankedTile> impossible; // feasible by the constraints, but not with staging, producer and registers of the whole kernel
};
TileRanking rank(const TileProblem &problem, const TileSweep &sweep, const TileDevice &device, const TileRates &rates);

/// One sentence: the limit, by how much, and what share of the machine the tile order leaves idle.
std::string reasonOf(const TileProblem &problem, const TileVerdict &verdict, const TilePrediction &prediction, const TileDevice &device);

} // namespace tilewright::schedule
