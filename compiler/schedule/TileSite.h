// The GEMM that a function computes by tiles: which matrix product it is, and the sizes that its author chose.
// Thread rule: functions of their arguments.
#pragma once
#include "ir/Plan.h"
#include "schedule/TileChoice.h"

namespace tilewright::schedule {

struct TileSite {
  ir::ValueId value = ir::kNone;        // the tf.matmul, or the tf.schedule of an MMA
  TileProblem problem;
  TileConfig config;                    // blockM, blockN: of the operands of one CTA; blockK: of one trip
  // What the program states; the rest of `config` is a default.
  bool stagesStated = false;            // a ring with `buffers`; else 1
  bool instructionStated = false;       // an atom; else what the target has for the dtype
  bool threadsStated = false;           // the thread mesh of the MMA; else the threads that the module declares, else 256
  bool inShared = false;                // both operands are tiles in shared memory: C1 holds as it stands
  // Values whose text states the sizes: the operands from the product back to the matrix, and what takes the result.
  std::vector<ir::ValueId> lhs, rhs, result;
  std::vector<ir::RegionId> loops;      // around the product, the innermost first
};

/// Every product of two matrices, of two axes each, of which a CTA computes a block at a time. Products of whole matrices are none; neither are
/// those of targets without SMs.
std::vector<TileSite> tileSites(const ir::Program &program, size_t function);

} // namespace tilewright::schedule
