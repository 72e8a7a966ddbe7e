// Quantities as the reports print them.
#pragma once
#include <cstdint>
#include <string>

namespace tilewright {

/// Bytes in steps of 1024: `0`, `16B`, `64.00KB`, `1.50MB`, `31.45GB`. The unit is chosen by the exact value
/// before rounding (1048575 is `1024.00KB`); nothing above GB.
std::string formatBytes(int64_t bytes);
/// The same for values past 64 bits (traffic of a whole grid).
std::string formatBytes(__int128 bytes);
std::string formatInteger(__int128 value);

} // namespace tilewright
