// The codes of all diagnostics, one for each row of Diagnostics.def. For .cpp files that name codes.
#pragma once
#include "support/Diagnostic.h"

namespace tilewright {

enum class Code : uint16_t {
#define TW_DIAGNOSTIC(Name, Spelling, Level, Explanation) Name,
#include "support/Diagnostics.def"
};

} // namespace tilewright
