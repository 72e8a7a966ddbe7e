// What a warp's access to shared memory costs: wavefronts, the passes that the 32 banks need.
//
// Shared memory has 32 banks of 4 bytes; each bank serves one 4-byte word a pass, to any number of lanes (CUDA C++ Programming Guide,
// "Shared Memory" of compute capability 5.x, which later ones keep). A warp that moves 8 or 16 bytes a lane goes in two or four groups of
// lanes, so that a group asks for 128 bytes (same guide, 64- and 128-bit accesses). ldmatrix and stmatrix take 8 rows of 16 bytes at a
// time, one 8x8 matrix (PTX ISA, ldmatrix): the same groups of 8 addresses of 16 bytes.
// Thread rule: functions of their arguments.
#pragma once
#include "layout/Algebra.h"

namespace tilewright::layout {

struct BankCount {
  int64_t wavefronts = 0; // passes that the access takes
  int64_t ideal = 0;      // passes that its bytes need: one for every group of lanes
  int64_t conflicts() const { return wavefronts - ideal; }
  /// The largest number of passes that one group takes: 1 is free of conflicts.
  int64_t ways = 0;
  bool operator==(const BankCount &) const = default;
};

/// One instruction of a warp: the byte address of each lane (fewer than 32: the others are idle) and the bytes each moves, at most 16.
/// wavefronts = sum over groups of the most distinct words that one bank is asked for.
BankCount bankCount(std::span<const int64_t> addresses, int bytes);

/// Ways in which one warp reads a tile of shared memory of two axes, 16 bytes a lane where the rows allow it.
enum class AccessPattern : uint8_t {
  Rows,    // lanes walk along a row, then into the next: how a tile is filled or drained
  Column,  // lane i takes the same columns of row i
  Matrices // 8x8 matrices of 16-byte rows, as ldmatrix takes them, four in a column of 32 rows
};
struct PatternBanks {
  AccessPattern pattern;
  int bytes = 0;   // per lane
  BankCount worst; // over all places of the tile at which the pattern can start
};
/// The patterns that fit the tile; empty for shapes that are not of two axes. A lane moves the widest of 16, 8, 4, 2 and 1 bytes that lie together
/// in the last axis and are aligned everywhere.
std::vector<PatternBanks> patternBanks(const TensorLayout &layout, const std::vector<int64_t> &shape, int elementBits);

/// A warp's share of a copy between a value in registers, shared out over threads, and its image in shared memory.
struct FragmentBanks {
  int bytes = 0;         // per lane and instruction
  int64_t instructions = 0;
  BankCount total;       // over all instructions of the first warp
};
/// Nothing when `fragment` is not shared out over threads, or an element has no place in `memory`. A lane moves the widest vector, at most 16
/// bytes, of values that follow each other in `fragment` and in memory, aligned for all lanes.
std::optional<FragmentBanks> fragmentBanks(const TensorLayout &fragment, const TensorLayout &memory, const std::vector<int64_t> &shape, int elementBits);

} // namespace tilewright::layout
