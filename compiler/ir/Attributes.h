// Attribute values of HIR ops as plain data: `axes=(0,)`, `kind=ReduceKind.SUM`, `dtype="bf16"`, `type=Tensor[...]`.
#pragma once
#include "ir/Types.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::ir {

struct Enumerator { // `ReduceKind.SUM` is {"ReduceKind", "SUM"}; a plain string attribute is a std::string
  std::string type, value;
  bool operator==(const Enumerator &) const = default;
};
/// An instruction of a `tf.schedule`: `T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=256, ...))`, kept as written.
struct Instruction;
// A vector of one instruction is a nested one.
using InstructionParameter = std::variant<int64_t, bool, double, std::string, Enumerator, std::vector<Instruction>, std::vector<int64_t>>;
struct Instruction {
  std::string name; // "T.tiled_mma"
  std::vector<std::pair<std::string, InstructionParameter>> parameters;
  bool operator==(const Instruction &) const;
};

using Attribute = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>, DType, Storage, Enumerator,
                               layout::TensorLayout, TensorType, Instruction>;
/// By name, in the order in which the op declares them.
using Attributes = std::vector<std::pair<std::string, Attribute>>;
const Attribute *find(const Attributes &attributes, std::string_view name);

} // namespace tilewright::ir
