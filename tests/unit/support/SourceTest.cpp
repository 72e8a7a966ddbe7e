#include "support/Diagnostic.h"
#include "support/Codes.h"

#include <doctest/doctest.h>

using namespace tilewright;

TEST_CASE("lines end at LF, CRLF and CR") {
  SourceText source("f.py", "a\nbc\r\nd\re");
  CHECK(source.lineCount() == 4);
  CHECK(source.line(1) == "bc");
  CHECK(source.at(3) == LineColumn{1, 1});
  CHECK(source.offset({3, 0}) == 8);
  CHECK(source.offset({1, 99}) == 4);
}

TEST_CASE("a diagnostic is drawn under its columns") {
  SourceText source("f.py", "x = 1\n\tbig = y\n");
  DiagnosticSink sink;
  sink.add(Code::UnknownValue, {7, 10}, "`y` is not known");
  CHECK(sink.hasErrors());
  CHECK(render(sink.all()[0], source) == "f.py:2:2: error[unknown-value]: `y` is not known\n  \tbig = y\n  \t^~~\n");
}
