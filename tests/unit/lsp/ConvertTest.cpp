#include "lsp/Convert.h"
#include "session/TextBuffer.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::lsp;

TEST_CASE("columns count in the unit that was agreed on") {
  // a, two bytes, three bytes, four bytes (two UTF-16 units), b
  std::string line = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80" "b";
  struct Row {
    uint32_t byte, utf8, utf16, utf32;
  };
  for (Row row : {Row{0, 0, 0, 0}, Row{1, 1, 1, 1}, Row{3, 3, 2, 2}, Row{6, 6, 3, 3}, Row{10, 10, 5, 4}, Row{11, 11, 6, 5}}) {
    CHECK(byteColumn(line, row.utf8, Encoding::Utf8) == row.byte);
    CHECK(byteColumn(line, row.utf16, Encoding::Utf16) == row.byte);
    CHECK(byteColumn(line, row.utf32, Encoding::Utf32) == row.byte);
    CHECK(character(line, row.byte, Encoding::Utf8) == row.utf8);
    CHECK(character(line, row.byte, Encoding::Utf16) == row.utf16);
    CHECK(character(line, row.byte, Encoding::Utf32) == row.utf32);
  }
  CHECK(byteColumn(line, 4, Encoding::Utf16) == 6);  // inside the pair
  CHECK(byteColumn(line, 4, Encoding::Utf8) == 3);   // inside three bytes
  CHECK(byteColumn(line, 9999, Encoding::Utf16) == 11);
}

TEST_CASE("places outside the text are moved inside") {
  session::TextBuffer text("ab\r\ncd");
  CHECK(offsetOf(text, {0, 99}, Encoding::Utf16) == 2);
  CHECK(offsetOf(text, {1, 1}, Encoding::Utf16) == 5);
  CHECK(offsetOf(text, {99, 99}, Encoding::Utf16) == 6);
  CHECK(spanOf(text, {{1, 1}, {0, 1}}, Encoding::Utf16) == Span{1, 5});
  SourceText source("t", "ab\r\ncd");
  CHECK(positionOf(source, 4, Encoding::Utf16) == Position{1, 0});
}

TEST_CASE("URIs that name one file have one key") {
  CHECK(documentKey("file:///c%3A/a%20b.py") == documentKey("file:///C:/a b.py"));
  CHECK(pathOf("file:///tmp/a%23b.py") == "/tmp/a#b.py");
  CHECK(pathOf("untitled:Untitled-1") == "untitled:Untitled-1");
  CHECK(pathOf("file://host/share/a.py") == "/share/a.py");
  CHECK(pathOf(uriOf("/tmp/\xC3\xA9 100%.py")) == "/tmp/\xC3\xA9 100%.py");
}
