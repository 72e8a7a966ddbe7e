#include "instruction/Instruction.h"

namespace tilewright::instruction {

bool Instruction::operator==(const Instruction &other) const { return name == other.name && parameters == other.parameters; }

} // namespace tilewright::instruction
