// Text for people, cut to size and joined.
// Thread rule: pure functions.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// At most `bytes` of a text, with dots where it would go on; no UTF-8 character is cut in two.
std::string shortened(std::string text, size_t bytes);

/// The parts with the separator between them.
std::string joined(const std::vector<std::string> &parts, std::string_view separator = ", ");

} // namespace tilewright
