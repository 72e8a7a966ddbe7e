// Text for people, cut to size.
// Thread rule: pure functions.
#pragma once
#include <cstddef>
#include <string>

namespace tilewright {

/// At most `bytes` of a text, with dots where it would go on; no UTF-8 character is cut in two.
std::string shortened(std::string text, size_t bytes);

} // namespace tilewright
