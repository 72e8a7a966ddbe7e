// The report of `analyze --json`: the same conclusions as the text, as data. Keys are sorted, two spaces of indent, a newline at the end.
// Thread rule: pure function.
#pragma once
#include "analysis/Report.h"

#include <string>

namespace tilewright::features {

std::string analyzeJson(const analysis::Report &report);

} // namespace tilewright::features
