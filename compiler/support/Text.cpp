#include "support/Text.h"

namespace tilewright {

std::string shortened(std::string text, size_t bytes) {
  if (text.size() <= bytes)
    return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80)
    --bytes;
  text.resize(bytes);
  return text + "...";
}

std::string joined(const std::vector<std::string> &parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0)
      out += separator;
    out += parts[i];
  }
  return out;
}

} // namespace tilewright
