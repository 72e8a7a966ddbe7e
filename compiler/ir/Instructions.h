// The instructions that `op=` of a tf.schedule names: their parameters and the fields of their operands, as far as typing needs them.
// How fragments lie in registers and tiles in shared memory is not here.
#pragma once
#include "ir/OpTable.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::ir {

struct InstructionOperand {
  std::string_view name;
  std::vector<Storage> storages = {}; // where it may live; empty: anywhere
  std::vector<DType> dtypes = {};     // empty: any
  bool optional = false;
};
struct InstructionSpec {
  std::string_view name;                  // "T.copy"
  std::vector<AttributeSpec> parameters;  // none for those whose parameters depend on an atom
  std::vector<InstructionOperand> operands;
  size_t destination = 0;                 // the operand that is written; the result has its type
  std::string_view capability;            // of the target; "": every target has it
  int64_t threads = 0;                    // how many contiguous threads issue it; 0: any number
  bool sameShape = false, sameDType = false; // of source and destination
  std::vector<int64_t> frame = {}, frameStrides = {}; // how the mesh arranges the threads of one issue; empty: any way
};
std::span<const InstructionSpec> allInstructions();
const InstructionSpec *instructionNamed(std::string_view name);

/// A matrix instruction that `T.tiled_mma(atom=...)` repeats.
struct AtomSpec {
  std::string_view name;                 // "T.cuda.sm90.Wgmma"
  std::vector<AttributeSpec> parameters; // all printed
  std::string_view capability;
  std::vector<int64_t> frame, frameStrides; // the last axes of the mesh: the threads of one issue, as its fragments number them
};
const AtomSpec *atomNamed(std::string_view name);

/// The instruction as it prints: parameters in declared order, those of an atom complete, an op's defaults left out.
struct CanonicalInstruction {
  Instruction instruction;
  std::string error;     // lower case; empty: fine
  std::string parameter; // the one it is about
};
CanonicalInstruction canonical(const Instruction &authored);

/// Extents of one issue of an atom with these parameters: m, n, k.
struct AtomShape {
  int64_t m = 0, n = 0, k = 0;
};
AtomShape shapeOf(const Instruction &atom);

} // namespace tilewright::ir
