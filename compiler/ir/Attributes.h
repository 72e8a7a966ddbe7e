// Attribute values of HIR ops as plain data: `axes=(0,)`, `kind=ReduceKind.SUM`, `dtype="bf16"`, `type=Tensor[...]`.
#pragma once
#include "instruction/Instruction.h"
#include "ir/Types.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::ir {

using instruction::Enumerator;
using instruction::Instruction;
using instruction::InstructionParameter;

using Attribute = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>, DType, Storage, Enumerator,
                               layout::TensorLayout, TensorType, Instruction>;
/// By name, in the order in which the op declares them.
using Attributes = std::vector<std::pair<std::string, Attribute>>;
const Attribute *find(const Attributes &attributes, std::string_view name);

} // namespace tilewright::ir
