// Which diagnostic a refusal of an instruction is, in a schedule as in TIR.
#pragma once
#include "instruction/Match.h"
#include "support/Diagnostic.h"

namespace tilewright::ir {

Code codeOf(const instruction::Match &refused);

} // namespace tilewright::ir
