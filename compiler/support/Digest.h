// SHA-256 of bytes (FIPS 180-4), as 64 hexadecimal digits: names the exact document that a number came from.
#pragma once
#include <string>
#include <string_view>

namespace tilewright {

std::string sha256(std::string_view bytes);

} // namespace tilewright
