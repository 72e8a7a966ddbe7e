#include "ir/Attributes.h"

namespace tilewright::ir {

bool Instruction::operator==(const Instruction &other) const { return name == other.name && parameters == other.parameters; }

const Attribute *find(const Attributes &attributes, std::string_view name) {
  for (const auto &[key, value] : attributes)
    if (key == name)
      return &value;
  return nullptr;
}

} // namespace tilewright::ir
