// Source text and places in it. Everything that points at user text does so with a Span: a half-open
// range of UTF-8 bytes. Spans inside the syntax tree and everything derived from it are relative to their
// top-level item (see syntax/Ast.h), so that results survive edits above them; a File adds the item's offset.
// Thread rule: values; a SourceText is immutable once built.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool contains(uint32_t at) const { return begin <= at && at < end; }
  Span shifted(uint32_t by) const { return {begin + by, end + by}; }
  auto operator<=>(const Span &) const = default;
};

/// A place as people read it: line and column from 0, the column in UTF-8 bytes.
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
  auto operator<=>(const LineColumn &) const = default;
};

/// One file's bytes with an index of its line starts. Lines end at \n, \r\n or \r.
class SourceText {
public:
  SourceText() : SourceText("", "") {}
  SourceText(std::string path, std::string text);

  const std::string &path() const { return path_; }
  std::string_view text() const { return text_; }
  uint32_t lineCount() const { return static_cast<uint32_t>(starts_.size()); }
  /// Byte at which `line` starts; the size of the text for a line past the end.
  uint32_t lineStart(uint32_t line) const;
  /// The line without its terminator.
  std::string_view line(uint32_t line) const;
  LineColumn at(uint32_t offset) const;
  uint32_t offset(LineColumn place) const;

private:
  std::string path_;
  std::string text_;
  std::vector<uint32_t> starts_;
};

} // namespace tilewright
