#include "ir/Attributes.h"

namespace tilewright::ir {

const Attribute *find(const Attributes &attributes, std::string_view name) {
  for (const auto &[key, value] : attributes)
    if (key == name)
      return &value;
  return nullptr;
}

} // namespace tilewright::ir
