// The report of `schedule candidates --json`: the same conclusions as the text, as data. Two spaces of indent, a newline at the end.
// Thread rule: pure function.
#pragma once
#include "Compile.h"

#include <string>
#include <string_view>

namespace tilewright::features {

/// `source` as the command named the file.
std::string candidatesJson(const SiteReport &report, std::string_view source);

} // namespace tilewright::features
