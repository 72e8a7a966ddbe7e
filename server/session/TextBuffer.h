// The text of one open document as the message thread keeps it: bytes and line starts, both updated in place by an edit, so that
// positions of queued edits are converted against the right text without waiting for any analysis.
// Lines end at \n, \r\n or \r, as in SourceText. Thread rule: belongs to one thread.
#pragma once
#include "support/Source.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::session {

class TextBuffer {
public:
  explicit TextBuffer(std::string text = "");

  const std::string &text() const { return text_; }
  uint32_t size() const { return static_cast<uint32_t>(text_.size()); }
  uint32_t lineCount() const { return static_cast<uint32_t>(starts_.size()); }
  /// Byte at which `line` starts; the size of the text for a line past the end.
  uint32_t lineStart(uint32_t line) const { return line < starts_.size() ? starts_[line] : size(); }
  /// The line without its terminator.
  std::string_view line(uint32_t line) const;

  /// [begin, end) becomes `replacement`; the ends are clamped to the text.
  void replace(Span span, std::string_view replacement);

private:
  std::string text_;
  std::vector<uint32_t> starts_; // never empty; starts_[0] is 0
};

} // namespace tilewright::session
