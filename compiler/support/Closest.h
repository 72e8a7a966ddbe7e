// What a misspelled name probably means.
#pragma once
#include <string_view>
#include <vector>

namespace tilewright {

/// The name closest to what was typed, "" if none is close.
std::string_view closest(std::string_view typed, const std::vector<std::string_view> &names);

} // namespace tilewright
