// Literals and instructions as the DSL spells them: `0.0`, `T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=256, ...))`. What both printers share.
#pragma once
#include "instruction/Instruction.h"

#include <string>

namespace tilewright::ir {

/// A float as Python's repr writes it: shortest digits that read back, exponents below 1e-4 and from 1e16 on.
std::string printFloat(double value);
std::string printParameter(const instruction::InstructionParameter &parameter);
std::string printInstruction(const instruction::Instruction &instruction);

} // namespace tilewright::ir
