// The facts of an instruction and the inventory of a target as JSON, in the schema and order of the reference.
#pragma once
#include "instruction/Facts.h"

#include <string>

namespace tilewright::features {

std::string factsJson(const instruction::Facts &facts);
std::string inventoryJson(const target::Target &target);

} // namespace tilewright::features
