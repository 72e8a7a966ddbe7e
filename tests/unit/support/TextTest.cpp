#include "support/Text.h"

#include <doctest/doctest.h>

using tilewright::shortened;

TEST_CASE("a shortened text ends between characters") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc...");
  CHECK(shortened("a\xc3\xa9z", 2) == "a...");
  CHECK(shortened("a\xc3\xa9z", 3) == "a\xc3\xa9...");
  CHECK(shortened("\xc3\xa9\xc3\xa9", 1) == "...");
}
