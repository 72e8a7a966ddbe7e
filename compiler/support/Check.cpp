#include "support/Check.h"

#include <cstdio>
#include <cstdlib>

namespace tilewright {

void checkFailed(const char *condition, const char *sentence, const char *file, int line) {
  std::string text = std::string(sentence) + " (" + condition + ", " + file + ":" + std::to_string(line) + ")";
#ifdef TW_ABORT_ON_CHECK
  std::fprintf(stderr, "internal check failed: %s\n", text.c_str());
  std::abort();
#else
  throw CheckFailed(text);
#endif
}

} // namespace tilewright
