#include "support/Quantity.h"

#include <algorithm>
#include <cstdio>

namespace tilewright {

std::string formatInteger(__int128 value) {
  if (value == 0)
    return "0";
  bool negative = value < 0;
  std::string digits;
  for (unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value); rest; rest /= 10)
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (negative)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string formatBytes(__int128 bytes) {
  if (bytes == 0)
    return "0";
  if (bytes < 1024)
    return formatInteger(bytes) + "B";
  static constexpr const char *kUnits[] = {"KB", "MB", "GB"};
  int unit = 0;
  auto divisor = static_cast<__int128>(1024);
  while (unit < 2 && bytes >= divisor * 1024) {
    divisor *= 1024;
    ++unit;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%s", static_cast<double>(bytes) / static_cast<double>(divisor), kUnits[unit]);
  return text;
}

std::string formatBytes(int64_t bytes) { return formatBytes(static_cast<__int128>(bytes)); }

} // namespace tilewright
