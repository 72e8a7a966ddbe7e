#include "lsp/Convert.h"

#include <algorithm>
#include <cctype>

namespace tilewright::lsp {
namespace {
/// Bytes and units of the character at `at`. Bytes that are not UTF-8 count as one character each.
struct Width {
  uint32_t bytes, units;
};
Width widthAt(std::string_view line, uint32_t at, Encoding encoding) {
  auto lead = static_cast<unsigned char>(line[at]);
  uint32_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  bytes = std::min<uint32_t>(bytes, static_cast<uint32_t>(line.size()) - at);
  switch (encoding) {
  case Encoding::Utf8: return {bytes, bytes};
  case Encoding::Utf16: return {bytes, bytes == 4 ? 2u : 1u};
  case Encoding::Utf32: return {bytes, 1};
  }
  return {bytes, 1};
}

std::string percentDecoded(std::string_view text) {
  auto digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) ? (c <= '9' ? c - '0' : std::tolower(c) - 'a' + 10) : -1; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}
} // namespace

uint32_t byteColumn(std::string_view line, uint32_t character, Encoding encoding) {
  uint32_t at = 0, units = 0;
  while (at < line.size() && units < character) {
    Width width = widthAt(line, at, encoding);
    if (units + width.units > character)
      break;
    at += width.bytes;
    units += width.units;
  }
  return at;
}

uint32_t character(std::string_view line, uint32_t column, Encoding encoding) {
  uint32_t at = 0, units = 0;
  while (at < line.size() && at < column) {
    Width width = widthAt(line, at, encoding);
    if (at + width.bytes > column)
      break;
    at += width.bytes;
    units += width.units;
  }
  return units;
}

Position positionOf(const SourceText &text, uint32_t offset, Encoding encoding) {
  LineColumn at = text.at(offset);
  return {at.line, character(text.line(at.line), at.column, encoding)};
}

Range rangeOf(const SourceText &text, Span span, Encoding encoding) { return {positionOf(text, span.begin, encoding), positionOf(text, span.end, encoding)}; }

std::string pathOf(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (uri.substr(0, kScheme.size()) != kScheme)
    return std::string(uri);
  std::string_view rest = uri.substr(kScheme.size());
  return percentDecoded(rest.substr(std::min(rest.find('/'), rest.size()))); // a host name is not ours to reach
}

std::string documentKey(std::string_view uri) {
  std::string key = percentDecoded(uri);
  constexpr std::string_view kDrive = "file:///";
  if (key.size() > kDrive.size() + 1 && key.compare(0, kDrive.size(), kDrive) == 0 && key[kDrive.size() + 1] == ':')
    key[kDrive.size()] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[kDrive.size()])));
  return key;
}

std::string siblingUri(std::string_view uri, std::string_view ending) {
  size_t name = uri.rfind('/') + 1; // 0 if there is no slash
  size_t dot = uri.rfind('.');
  return std::string(uri.substr(0, dot == std::string_view::npos || dot <= name ? uri.size() : dot)) + std::string(ending);
}

std::string uriOf(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file://";
  for (unsigned char c : path) {
    if (std::isalnum(c) || c == '/' || c == '-' || c == '_' || c == '.' || c == '~')
      uri += static_cast<char>(c);
    else
      (uri += '%', uri += kHex[c >> 4], uri += kHex[c & 15]);
  }
  return uri;
}

} // namespace tilewright::lsp
