// An instruction as a schedule names it: `T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=256, dtype="bf16", ...))`. Plain data; what each name means
// and which parameters it has is in Table.h.
#pragma once
#include "instruction/Types.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright::instruction {

struct Enumerator { // `ReduceKind.SUM` is {"ReduceKind", "SUM"}; a plain string attribute is a std::string
  std::string type, value;
  bool operator==(const Enumerator &) const = default;
};
struct Instruction;
// A vector of one instruction is a nested one.
using InstructionParameter = std::variant<int64_t, bool, double, std::string, Enumerator, std::vector<Instruction>, std::vector<int64_t>>;
struct Instruction {
  std::string name; // "T.tiled_mma"
  std::vector<std::pair<std::string, InstructionParameter>> parameters;
  bool operator==(const Instruction &) const;
};

} // namespace tilewright::instruction
