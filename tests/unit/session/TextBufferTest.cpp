#include "session/TextBuffer.h"

#include <doctest/doctest.h>

#include <random>

using namespace tilewright;
using session::TextBuffer;

namespace {
void checkSame(const TextBuffer &buffer, const std::string &text) {
  SourceText whole("t", text);
  REQUIRE(buffer.text() == text);
  REQUIRE(buffer.lineCount() == whole.lineCount());
  for (uint32_t line = 0; line < whole.lineCount(); ++line) {
    REQUIRE(buffer.lineStart(line) == whole.lineStart(line));
    REQUIRE(buffer.line(line) == whole.line(line));
  }
}
} // namespace

TEST_CASE("edits keep the line index of a text buffer equal to that of the whole text") {
  std::mt19937 random(7);
  const char alphabet[] = "a\n\rb\r\n";
  auto some = [&](size_t most) {
    std::string s;
    for (size_t n = random() % (most + 1); n > 0; --n)
      s += alphabet[random() % 6];
    return s;
  };
  for (int round = 0; round < 200; ++round) {
    std::string text = some(30);
    TextBuffer buffer(text);
    checkSame(buffer, text);
    for (int edit = 0; edit < 20; ++edit) {
      uint32_t a = random() % (text.size() + 1), b = random() % (text.size() + 1);
      if (a > b)
        std::swap(a, b);
      std::string with = some(6);
      buffer.replace({a, b}, with);
      text.replace(a, b - a, with);
      checkSame(buffer, text);
    }
  }
}

TEST_CASE("an edit outside the text is moved to its end") {
  TextBuffer buffer("ab\n");
  buffer.replace({100, 200}, "c");
  checkSame(buffer, "ab\nc");
  buffer.replace({3, 200}, "");
  checkSame(buffer, "ab\n");
}
