#include "lsp/Message.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>
#include <vector>

namespace tilewright::lsp {
namespace {
constexpr size_t kLongestLine = 8192;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

std::string_view trimmed(std::string_view s) {
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && blank(s.front()))
    s.remove_prefix(1);
  while (!s.empty() && blank(s.back()))
    s.remove_suffix(1);
  return s;
}

std::optional<uint64_t> decimal(std::string_view s) {
  if (s.empty() || s.size() > 15)
    return std::nullopt;
  uint64_t value = 0;
  for (char c : s) {
    if (c < '0' || c > '9')
      return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

/// Bytes of the valid UTF-8 sequence at `at`, 0 if there is none.
size_t sequenceAt(std::string_view s, size_t at) {
  auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  auto follows = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  unsigned lead = byte(at);
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    return follows(at + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    unsigned second = byte(at + 1);
    bool fits = !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F);
    return fits && follows(at + 1) && follows(at + 2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    unsigned second = byte(at + 1);
    bool fits = !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F);
    return fits && follows(at + 1) && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

/// Where the string that begins with the quote at `at` ends: its closing quote, or the end of the body.
size_t closingQuote(std::string_view body, size_t at) {
  for (++at; at < body.size() && body[at] != '"'; ++at)
    if (body[at] == '\\')
      ++at;
  return std::min(at, body.size());
}

bool tooDeep(std::string_view body) {
  int depth = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    switch (body[i]) {
    case '"':
      i = closingQuote(body, i);
      break;
    case '[':
    case '{':
      if (++depth > kDeepestJson)
        return true;
      break;
    case ']':
    case '}':
      --depth;
      break;
    default:
      break;
    }
  }
  return false;
}

/// The code unit of a `\uXXXX` escape at `at`.
std::optional<unsigned> escapeAt(std::string_view s, size_t at) {
  if (at + 6 > s.size() || s[at] != '\\' || s[at + 1] != 'u')
    return std::nullopt;
  unsigned value = 0;
  for (size_t i = at + 2; i < at + 6; ++i) {
    if (!std::isxdigit(static_cast<unsigned char>(s[i])))
      return std::nullopt;
    char c = static_cast<char>(std::tolower(static_cast<unsigned char>(s[i])));
    value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return value;
}

/// Escapes of one half of a surrogate pair become \ufffd: as many UTF-16 units as before.
bool repairSurrogates(std::string &body) {
  bool changed = false;
  for (size_t i = 0; i + 1 < body.size();) {
    if (body[i] != '\\') {
      ++i;
      continue;
    }
    std::optional<unsigned> unit = escapeAt(body, i);
    if (!unit) {
      i += 2;
      continue;
    }
    bool high = *unit >= 0xD800 && *unit <= 0xDBFF, low = *unit >= 0xDC00 && *unit <= 0xDFFF;
    std::optional<unsigned> next = high ? escapeAt(body, i + 6) : std::nullopt;
    if (high && next && *next >= 0xDC00 && *next <= 0xDFFF) {
      i += 12;
      continue;
    }
    if (high || low) {
      body.replace(i, 6, "\\ufffd");
      changed = true;
    }
    i += 6;
  }
  return changed;
}

void appendUtf8(std::string &out, unsigned code) {
  auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  if (code < 0x80)
    return byte(code);
  if (code < 0x800)
    byte(0xC0 | code >> 6);
  else if (code < 0x10000)
    byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F));
  else
    byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F));
  byte(0x80 | (code & 0x3F));
}

/// What the inside of a JSON string stands for; nothing if it is not JSON.
std::optional<std::string> unescaped(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  for (size_t i = 0; i < inside.size();) {
    size_t plain = i;
    while (plain < inside.size() && inside[plain] != '\\' && static_cast<unsigned char>(inside[plain]) >= 0x20)
      ++plain;
    out.append(inside, i, plain - i);
    i = plain;
    if (i == inside.size())
      break;
    if (inside[i] != '\\' || i + 1 == inside.size())
      return std::nullopt;
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (size_t known = kNames.find(inside[i + 1]); known != std::string_view::npos) {
      out += kMeant[known];
      i += 2;
      continue;
    }
    std::optional<unsigned> unit = escapeAt(inside, i);
    if (!unit)
      return std::nullopt;
    i += 6;
    if (*unit >= 0xD800 && *unit <= 0xDFFF) {
      std::optional<unsigned> low = *unit <= 0xDBFF ? escapeAt(inside, i) : std::nullopt;
      if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
        appendUtf8(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
        i += 6;
      } else {
        out += kReplacement;
      }
      continue;
    }
    appendUtf8(out, *unit);
  }
  return out;
}

// The texts of large files go past the JSON reader, which takes every byte apart: a mark stands in their place until it is done.
constexpr size_t kLongString = 1 << 16;
constexpr std::string_view kMark = "\x7F" "long text ";

std::vector<std::string> liftLongStrings(std::string &body) {
  std::vector<std::string> lifted;
  if (body.size() <= kLongString)
    return lifted;
  std::string rest;
  size_t kept = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '"')
      continue;
    size_t end = closingQuote(body, i);
    if (end - i > kLongString && end < body.size()) {
      if (std::optional<std::string> text = unescaped(std::string_view(body).substr(i + 1, end - i - 1))) {
        rest.append(body, kept, i + 1 - kept);
        rest += kMark;
        rest += std::to_string(lifted.size());
        lifted.push_back(std::move(*text));
        kept = end;
      }
    }
    i = end;
  }
  if (!lifted.empty())
    body = rest.append(body, kept);
  return lifted;
}

void putBack(Json &json, std::vector<std::string> &lifted) { // depth: at most kDeepestJson
  if (json.is_structured()) {
    for (Json &part : json)
      putBack(part, lifted);
  } else if (json.is_string()) {
    auto &text = json.get_ref<std::string &>();
    if (text.size() <= kMark.size() || text.compare(0, kMark.size(), kMark) != 0)
      return;
    std::optional<uint64_t> which = decimal(std::string_view(text).substr(kMark.size()));
    if (which && *which < lifted.size())
      text = std::exchange(lifted[*which], {});
  }
}
} // namespace

void MessageReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::Headers) {
      size_t end = bytes.find('\n');
      line_.append(bytes.substr(0, end));
      if (line_.size() > kLongestLine) // no header is this long; its end may still hold one
        line_.erase(0, line_.size() - 64);
      if (end == std::string_view::npos)
        return;
      bytes.remove_prefix(end + 1);
      endLine();
      continue;
    }
    auto take = static_cast<size_t>(std::min<uint64_t>(remaining_, bytes.size()));
    if (state_ == State::Body)
      body_.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    remaining_ -= take;
    if (remaining_ == 0) {
      bool whole = state_ == State::Body;
      state_ = State::Headers;
      if (whole)
        sink_.message(std::exchange(body_, {}));
    }
  }
}

void MessageReader::endLine() {
  std::string line = std::exchange(line_, {});
  std::string_view text = trimmed(line);
  if (text.empty())
    return endHeaders();
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kName = "content-length";
  // A body longer than its header said leaves its tail before the next header, so the name is searched from the end of the line.
  size_t at = lower.rfind(kName);
  if (at == std::string::npos) {
    sawHeader_ = sawHeader_ || lower.find(':') != std::string::npos;
    return;
  }
  std::string_view rest = trimmed(std::string_view(lower).substr(at + kName.size()));
  if (rest.empty() || rest.front() != ':')
    return;
  sawHeader_ = true;
  length_ = decimal(trimmed(rest.substr(1)));
  badLength_ = !length_;
}

void MessageReader::endHeaders() {
  std::optional<uint64_t> length = std::exchange(length_, std::nullopt);
  bool bad = std::exchange(badLength_, false), saw = std::exchange(sawHeader_, false);
  if (bad)
    return sink_.malformed("the Content-Length header is not a number");
  if (!length) {
    if (saw)
      sink_.malformed("a header without Content-Length");
    return;
  }
  if (*length == 0)
    return sink_.malformed("an empty message");
  remaining_ = *length;
  state_ = *length > largest_ ? State::Skip : State::Body;
  if (state_ == State::Skip)
    sink_.malformed("a message of " + std::to_string(*length) + " bytes; the limit is " + std::to_string(largest_));
}

std::string frame(std::string_view body) {
  std::string out = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  out += body;
  return out;
}

std::string repairUtf8(std::string text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t eight = 0x80;
    if (at + 8 <= text.size())
      std::memcpy(&eight, text.data() + at, 8);
    size_t n = (eight & 0x8080808080808080u) == 0 ? 8 : sequenceAt(text, at); // mostly ASCII, eight bytes at a time
    if (n == 0)
      break;
    at += n;
  }
  if (at >= text.size())
    return text;
  std::string out = text.substr(0, at);
  while (at < text.size()) {
    size_t n = sequenceAt(text, at);
    if (n == 0)
      out += kReplacement;
    else
      out.append(text, at, n);
    at += std::max<size_t>(n, 1);
  }
  return out;
}

Parsed parseBody(std::string body, Json &json) {
  if (tooDeep(body))
    return {false, "JSON nested deeper than " + std::to_string(kDeepestJson) + " levels"};
  body = repairUtf8(std::move(body));
  std::vector<std::string> lifted = liftLongStrings(body);
  json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() && repairSurrogates(body))
    json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return {false, "the message is not JSON"};
  if (!lifted.empty())
    putBack(json, lifted);
  return {true, {}};
}

std::string serialize(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace tilewright::lsp
