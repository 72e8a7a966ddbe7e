// The types of HIR values as plain data: what typing, analyses, hovers and printers read. They are those of instruction operands.
#pragma once
#include "instruction/Types.h"

namespace tilewright::ir {

using instruction::DType;
using instruction::Storage;
using instruction::TensorType;
using instruction::Type;

using instruction::bits;
using instruction::dtypeNamed;
using instruction::isFloat;
using instruction::isInteger;
using instruction::localShape;
using instruction::name;
using instruction::scalar;
using instruction::storageNamed;

} // namespace tilewright::ir
