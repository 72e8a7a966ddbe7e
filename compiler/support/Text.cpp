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

} // namespace tilewright
