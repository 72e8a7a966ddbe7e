// The row functions that Instructions.def names, and the spellings they share. Private to instruction/.
#pragma once
#include "instruction/Table.h"

namespace tilewright::instruction::row {

#define TW_INSTRUCTION(function) Row function();
#include "instruction/Instructions.def"
#undef TW_INSTRUCTION

using Rules = std::vector<std::string_view>;

/// `Mesh(('thread',), ...)` of any arrangement: what ordinary instructions are issued by.
MeshCase anyThreads();
/// One mesh with its rules.
MeshCase mesh(std::string_view pattern, const Rules &rules = {}, When when = {});
Arrangement arrangement(std::string_view pattern, const Rules &rules = {}, When when = {});
/// An operand in registers of any shape and arrangement.
Operand inRegisters(std::string name, Access access = Access::Read);
Between same(Between::Field field, std::string left, std::string right);
Between distinct(Between::Field field, std::string left, std::string right);
/// An enum parameter.
Parameter oneOf(std::string name, std::string enumType, std::vector<std::string> members);

} // namespace tilewright::instruction::row
