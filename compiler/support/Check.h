// TW_CHECK states what must hold if our own code is right. It aborts in debug and test builds; in release it
// throws CheckFailed, which the server catches per request and the command line reports as an internal error.
#pragma once
#include <stdexcept>
#include <string>

namespace tilewright {

struct CheckFailed : std::logic_error {
  using std::logic_error::logic_error;
};
[[noreturn]] void checkFailed(const char *condition, const char *sentence, const char *file, int line);

} // namespace tilewright

#define TW_CHECK(cond, sentence)                                                                                       \
  do {                                                                                                                 \
    if (!(cond))                                                                                                       \
      ::tilewright::checkFailed(#cond, sentence, __FILE__, __LINE__);                                                  \
  } while (false)
