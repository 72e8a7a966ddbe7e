#include "session/TextBuffer.h"

#include <algorithm>

namespace tilewright::session {
namespace {
/// Starts of the lines that begin in (from, to].
std::vector<uint32_t> lineStarts(std::string_view text, uint32_t from, uint32_t to) {
  std::vector<uint32_t> starts;
  for (uint32_t i = from; i < to; ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      starts.push_back(i + 1);
  return starts;
}
} // namespace

TextBuffer::TextBuffer(std::string text) : text_(std::move(text)), starts_{0} {
  std::vector<uint32_t> rest = lineStarts(text_, 0, size());
  starts_.insert(starts_.end(), rest.begin(), rest.end());
}

std::string_view TextBuffer::line(uint32_t line) const {
  uint32_t begin = lineStart(line), end = lineStart(line + 1);
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r'))
    --end;
  return std::string_view(text_).substr(begin, end - begin);
}

void TextBuffer::replace(Span span, std::string_view replacement) {
  uint32_t begin = std::min(span.begin, size()), end = std::clamp(span.end, begin, size());
  // An edit beside a \r can join or split a \r\n, so the scan starts one byte before it and ends one after.
  uint32_t from = begin > 0 ? begin - 1 : 0, oldTo = std::min(end + 1, size());
  text_.replace(begin, end - begin, replacement);
  int64_t delta = static_cast<int64_t>(replacement.size()) - (end - begin);
  auto newTo = static_cast<uint32_t>(oldTo + delta);
  auto first = std::upper_bound(starts_.begin(), starts_.end(), from);
  auto last = std::upper_bound(first, starts_.end(), oldTo);
  for (auto it = last; it != starts_.end(); ++it)
    *it = static_cast<uint32_t>(*it + delta);
  std::vector<uint32_t> fresh = lineStarts(text_, from, newTo);
  size_t kept = std::min<size_t>(fresh.size(), static_cast<size_t>(last - first));
  std::copy(fresh.begin(), fresh.begin() + static_cast<std::ptrdiff_t>(kept), first);
  if (kept < fresh.size())
    starts_.insert(last, fresh.begin() + static_cast<std::ptrdiff_t>(kept), fresh.end());
  else
    starts_.erase(first + static_cast<std::ptrdiff_t>(kept), last);
}

} // namespace tilewright::session
