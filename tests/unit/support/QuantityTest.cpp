#include "support/Quantity.h"

#include <doctest/doctest.h>

using tilewright::formatBytes;

TEST_CASE("bytes choose their unit before rounding") {
  struct Row { int64_t bytes; const char *text; };
  for (auto [bytes, text] : {Row{0, "0"}, {8, "8B"}, {1023, "1023B"}, {1024, "1.00KB"}, {1048575, "1024.00KB"}, {1048576, "1.00MB"},
                             {50000000, "47.68MB"}, {232448, "227.00KB"}, {141000000000, "131.32GB"}, {int64_t{1} << 50, "1048576.00GB"}})
    CHECK(formatBytes(bytes) == text);
}
