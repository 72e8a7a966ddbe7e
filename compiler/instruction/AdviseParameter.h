// The value that a refused parameter of an instruction can have instead.
// Thread rule: a function of its arguments.
#pragma once
#include "instruction/Advice.h"

namespace tilewright::instruction {

/// The nearest number, the one member that is left, or the member that a text names, of the parameter of the instruction or of the atom in it.
/// Null where there is a choice.
std::optional<Remedy> adviseParameter(const Instruction &authored, const std::string &parameter);

} // namespace tilewright::instruction
