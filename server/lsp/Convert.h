// Places as a client counts them and as we do: lines and characters in UTF-8, UTF-16 or UTF-32 units against bytes. Everything left of
// this folder knows only bytes. A place outside the text is moved to the nearest one inside; one in the middle of a character to its start.
// Thread rule: functions.
#pragma once
#include "support/Source.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::lsp {

enum class Encoding : uint8_t { Utf8, Utf16, Utf32 };

struct Position {
  uint32_t line = 0, character = 0;
  auto operator<=>(const Position &) const = default;
};
struct Range {
  Position start, end;
};

/// Bytes before the character numbered `character` of a line.
uint32_t byteColumn(std::string_view line, uint32_t character, Encoding encoding);
/// The number of the character that `column` bytes of a line lie before.
uint32_t character(std::string_view line, uint32_t column, Encoding encoding);

/// `Text` is a SourceText or a session::TextBuffer.
template <class Text> uint32_t offsetOf(const Text &text, Position position, Encoding encoding) {
  if (position.line >= text.lineCount())
    return text.lineStart(position.line); // the end
  return text.lineStart(position.line) + byteColumn(text.line(position.line), position.character, encoding);
}
template <class Text> Span spanOf(const Text &text, Range range, Encoding encoding) {
  uint32_t a = offsetOf(text, range.start, encoding), b = offsetOf(text, range.end, encoding);
  return {std::min(a, b), std::max(a, b)};
}
Position positionOf(const SourceText &text, uint32_t offset, Encoding encoding);
Range rangeOf(const SourceText &text, Span span, Encoding encoding);

/// The path of a `file:` URI, the URI itself of any other.
std::string pathOf(std::string_view uri);
/// One spelling for all URIs that name the same file: percent escapes decoded, drive letter in lower case.
std::string documentKey(std::string_view uri);
std::string uriOf(std::string_view path);
/// `file:///project/gemm_tir.py` for `file:///project/gemm.py` and `_tir.py`.
std::string siblingUri(std::string_view uri, std::string_view ending);

} // namespace tilewright::lsp
