#include "support/Source.h"

#include <algorithm>

namespace tilewright {

SourceText::SourceText(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  starts_.push_back(0);
  for (uint32_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n')))
      starts_.push_back(i + 1);
  }
}

uint32_t SourceText::lineStart(uint32_t line) const {
  return line < starts_.size() ? starts_[line] : static_cast<uint32_t>(text_.size());
}

std::string_view SourceText::line(uint32_t line) const {
  uint32_t begin = lineStart(line), end = lineStart(line + 1);
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r'))
    --end;
  return std::string_view(text_).substr(begin, end - begin);
}

LineColumn SourceText::at(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  auto line = static_cast<uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
  return {line, offset - starts_[line]};
}

uint32_t SourceText::offset(LineColumn place) const {
  uint32_t begin = lineStart(place.line);
  return std::min<uint32_t>(begin + place.column, begin + static_cast<uint32_t>(line(place.line).size()));
}

} // namespace tilewright
