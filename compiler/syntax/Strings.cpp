// The methods of strings.
#include "syntax/Interpreter.h"

#include <algorithm>

namespace tilewright::syntax {

namespace {

bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

template <class F> std::string mapped(std::string_view text, F &&change) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), change);
  return out;
}

std::string_view stripped(std::string_view text, std::string_view what, bool blanks, bool left, bool right) {
  auto drop = [&](char c) { return blanks ? isBlank(c) : what.find(c) != what.npos; };
  while (left && !text.empty() && drop(text.front()))
    text.remove_prefix(1);
  while (right && !text.empty() && drop(text.back()))
    text.remove_suffix(1);
  return text;
}

} // namespace

ValueRef Interpreter::stringMethod(const std::string &selfRef, std::string_view method, Arguments &arguments) {
  const std::string self = selfRef; // calls below may drop the owner
  charge(self.size() / 32);
  for (const ValueRef &argument : arguments.positional)
    if (argument->isUnknown())
      return argument;
  auto argument = [&](size_t i, std::string_view what) -> const std::string & { return text(arguments.positional.at(i), what); };
  auto count = [&](size_t least, size_t most) {
    if (arguments.positional.size() < least || arguments.positional.size() > most)
      raise("TypeError", std::string(method) + " expected " + (least == most ? "" : "at least ") + std::to_string(least) + " argument" +
                             (least == 1 ? "" : "s") + ", got " + std::to_string(arguments.positional.size()));
  };
  bool ascii = isAscii(self);
  auto needAscii = [&] {
    if (!ascii)
      unknown("`str." + std::string(method) + "` of other than ASCII text is not evaluated");
  };

  if (method == "format")
    return makeString(formatString(self, arguments));
  if (method == "format_map") {
    count(1, 1);
    Arguments named;
    const auto *mapping = arguments.positional[0]->as<Value::Dict>();
    if (!mapping)
      unknown("`str.format_map` is evaluated for dicts only");
    for (const auto &[key, value] : mapping->items)
      if (key->string())
        named.keywords.emplace_back(*key->string(), value);
    return makeString(formatString(self, named));
  }
  if (method == "join") {
    count(1, 1);
    std::string joined;
    bool first = true;
    auto cursor = iterate(arguments.positional[0]);
    for (size_t at_ = 0; ValueRef part = cursor->next(*this); ++at_) {
      step();
      if (!first)
        joined += self;
      first = false;
      joined += text(part, "sequence item " + std::to_string(at_) + ": expected str instance");
      checkElements(joined.size());
    }
    charge(joined.size() / 64);
    return makeString(std::move(joined));
  }
  if (method == "upper" || method == "lower" || method == "casefold" || method == "swapcase") {
    needAscii();
    if (method == "swapcase")
      return makeString(mapped(self, [](char c) { return lower(c) == c ? upper(c) : lower(c); }));
    return makeString(mapped(self, method == "upper" ? upper : lower));
  }
  if (method == "capitalize" || method == "title") {
    needAscii();
    std::string made = mapped(self, lower);
    for (size_t i = 0; i < made.size(); ++i)
      if (method == "capitalize" ? i == 0 : i == 0 || !isLetter(made[i - 1]))
        made[i] = upper(made[i]);
    return makeString(made);
  }
  if (method == "strip" || method == "lstrip" || method == "rstrip") {
    count(0, 1);
    bool blanks = arguments.positional.empty() || isNone(arguments.positional[0]);
    const std::string what = blanks ? "" : argument(0, "strip arg must be None or str");
    if (!isAscii(what) || (blanks && !ascii))
      unknown("`str." + std::string(method) + "` of other than ASCII text is not evaluated");
    return makeString(std::string(stripped(self, what, blanks, method != "rstrip", method != "lstrip")));
  }
  if (method == "startswith" || method == "endswith") {
    count(1, 3);
    std::string_view part = self;
    if (arguments.positional.size() > 1) {
      needAscii();
      auto size = static_cast<int64_t>(self.size());
      Bounds range = bounds({arguments.positional[1], arguments.positional.size() > 2 ? arguments.positional[2] : none(), none()}, size);
      if (range.start > range.stop)
        return boolean(false);
      part = part.substr(static_cast<size_t>(range.start), static_cast<size_t>(range.stop - range.start));
    }
    auto matches = [&](const std::string &affix) { return method == "startswith" ? part.starts_with(affix) : part.ends_with(affix); };
    if (const auto *several = arguments.positional[0]->as<Value::Tuple>()) {
      for (const ValueRef &one : several->elements)
        if (matches(text(one, "tuple for startswith must only contain str")))
          return boolean(true);
      return boolean(false);
    }
    return boolean(matches(argument(0, std::string(method) + " first arg must be str or a tuple of str")));
  }
  if (method == "removeprefix" || method == "removesuffix") {
    count(1, 1);
    const std::string &affix = argument(0, std::string(method) + "() argument must be str");
    if (method == "removeprefix" ? self.starts_with(affix) : self.ends_with(affix))
      return makeString(method == "removeprefix" ? self.substr(affix.size()) : self.substr(0, self.size() - affix.size()));
    return makeString(self);
  }
  if (method == "replace") {
    auto values = take(arguments, "replace", {"old", "new", "count"}, 2);
    const std::string &from = text(values[0], "replace() argument 1 must be str"), &to = text(values[1], "replace() argument 2 must be str");
    int64_t most = values[2] ? index(values[2]) : -1;
    std::string made;
    if (from.empty()) {
      std::u32string points = decode(self);
      int64_t done = 0;
      for (size_t i = 0; i <= points.size(); ++i) {
        if (most < 0 || done < most) {
          made += to;
          ++done;
        }
        if (i < points.size())
          made += encode(points.substr(i, 1));
        checkElements(made.size());
      }
      charge(made.size() / 32);
      return makeString(made);
    }
    size_t at_ = 0;
    for (int64_t done = 0; most < 0 || done < most; ++done) {
      size_t found = self.find(from, at_);
      if (found == std::string::npos)
        break;
      made.append(self, at_, found - at_);
      made += to;
      checkElements(made.size());
      at_ = found + from.size();
    }
    made.append(self, at_);
    checkElements(made.size());
    charge(made.size() / 32);
    return makeString(made);
  }
  if (method == "split" || method == "rsplit") {
    auto values = take(arguments, method, {"sep", "maxsplit"}, 0);
    int64_t most = values[1] ? index(values[1]) : -1;
    List parts;
    auto add = [&](std::string_view part) {
      checkElements(parts.size() + 1);
      parts.push_back(makeString(std::string(part)));
    };
    bool right = method == "rsplit";
    if (!values[0] || isNone(values[0])) {
      needAscii();
      std::string_view rest = self;
      while (true) {
        rest = stripped(rest, "", true, true, false);
        if (right)
          rest = stripped(rest, "", true, true, true);
        if (rest.empty())
          break;
        if (most >= 0 && static_cast<int64_t>(parts.size()) >= most) {
          add(rest);
          break;
        }
        if (right) {
          size_t begin = rest.size();
          while (begin && !isBlank(rest[begin - 1]))
            --begin;
          add(rest.substr(begin));
          rest = rest.substr(0, begin);
        } else {
          size_t end = 0;
          while (end < rest.size() && !isBlank(rest[end]))
            ++end;
          add(rest.substr(0, end));
          rest.remove_prefix(end);
        }
      }
    } else {
      const std::string separator = text(values[0], "must be str or None");
      if (separator.empty())
        raise("ValueError", "empty separator");
      std::string_view rest = self;
      while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
        size_t found = right ? rest.rfind(separator) : rest.find(separator);
        if (found == rest.npos)
          break;
        add(right ? rest.substr(found + separator.size()) : rest.substr(0, found));
        rest = right ? rest.substr(0, found) : rest.substr(found + separator.size());
      }
      add(rest);
    }
    if (right)
      std::reverse(parts.begin(), parts.end());
    charge(parts.size());
    return list(std::move(parts));
  }
  if (method == "splitlines") {
    auto values = take(arguments, method, {"keepends"}, 0);
    bool keep = values[0] && truth(values[0]);
    needAscii();
    List lines;
    for (size_t at_ = 0; at_ < self.size();) {
      size_t end = self.find_first_of("\n\r\v\f\x1c\x1d\x1e", at_);
      size_t next = end == std::string::npos ? self.size() : end + (self[end] == '\r' && end + 1 < self.size() && self[end + 1] == '\n' ? 2 : 1);
      lines.push_back(makeString(self.substr(at_, (keep || end == std::string::npos ? next : end) - at_)));
      at_ = next;
    }
    return list(std::move(lines));
  }
  if (method == "partition" || method == "rpartition") {
    count(1, 1);
    const std::string &separator = argument(0, "must be str");
    if (separator.empty())
      raise("ValueError", "empty separator");
    size_t found = method == "partition" ? self.find(separator) : self.rfind(separator);
    if (found == std::string::npos)
      return method == "partition" ? tuple({makeString(self), makeString(""), makeString("")}) : tuple({makeString(""), makeString(""), makeString(self)});
    return tuple({makeString(self.substr(0, found)), makeString(separator), makeString(self.substr(found + separator.size()))});
  }
  if (method == "find" || method == "rfind" || method == "index" || method == "rindex" || method == "count") {
    count(1, 3);
    std::u32string points = decode(self), part = decode(argument(0, "must be str"));
    Bounds range = bounds({arguments.positional.size() > 1 ? arguments.positional[1] : none(), arguments.positional.size() > 2 ? arguments.positional[2] : none(), none()},
                          static_cast<int64_t>(points.size()));
    bool impossible = range.start > range.stop;
    std::u32string window = impossible ? std::u32string() : points.substr(static_cast<size_t>(range.start), static_cast<size_t>(range.stop - range.start));
    charge(window.size() * std::min<size_t>(part.size() + 1, 64) / 64);
    if (method == "count") {
      int64_t found = 0;
      if (part.empty())
        return makeInt(impossible ? 0 : static_cast<int64_t>(window.size()) + 1);
      for (size_t at_ = window.find(part); at_ != window.npos; at_ = window.find(part, at_ + part.size()))
        ++found;
      return makeInt(found);
    }
    size_t at_ = impossible ? window.npos : method[0] == 'r' ? window.rfind(part) : window.find(part);
    if (at_ != window.npos)
      return makeInt(range.start + static_cast<int64_t>(at_));
    if (method.ends_with("index"))
      raise("ValueError", "substring not found");
    return makeInt(-1);
  }
  if (method == "ljust" || method == "rjust" || method == "center" || method == "zfill") {
    count(1, method == "zfill" ? 1 : 2);
    int64_t width = index(arguments.positional[0]);
    std::u32string points = decode(self), fill = arguments.positional.size() > 1 ? decode(argument(1, "The fill character must be a unicode character")) : U" ";
    if (fill.size() != 1)
      raise("TypeError", "The fill character must be exactly one character long");
    int64_t missing = std::max<int64_t>(0, width - static_cast<int64_t>(points.size()));
    checkElements(static_cast<uint64_t>(missing));
    charge(static_cast<uint64_t>(missing) / 16);
    if (method == "zfill") {
      size_t sign = !points.empty() && (points[0] == '+' || points[0] == '-');
      return makeString(encode(points.substr(0, sign) + std::u32string(static_cast<size_t>(missing), U'0') + points.substr(sign)));
    }
    int64_t left = method == "ljust" ? 0 : method == "rjust" ? missing : missing / 2 + (missing & width & 1);
    return makeString(encode(std::u32string(static_cast<size_t>(left), fill[0]) + points + std::u32string(static_cast<size_t>(missing - left), fill[0])));
  }
  if (method.starts_with("is")) {
    count(0, 0);
    if (method == "isascii")
      return boolean(ascii);
    needAscii();
    auto all = [&](auto &&test) { return boolean(!self.empty() && std::all_of(self.begin(), self.end(), test)); };
    if (method == "isdigit" || method == "isdecimal" || method == "isnumeric")
      return all(isDigit);
    if (method == "isalpha")
      return all(isLetter);
    if (method == "isalnum")
      return all([](char c) { return isLetter(c) || isDigit(c); });
    if (method == "isspace")
      return all(isBlank);
    if (method == "isprintable")
      return boolean(std::all_of(self.begin(), self.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
    if (method == "isidentifier")
      return boolean(!self.empty() && !isDigit(self[0]) && std::all_of(self.begin(), self.end(), [](char c) { return isLetter(c) || isDigit(c) || c == '_'; }));
    if (method == "isupper" || method == "islower") {
      bool any = std::any_of(self.begin(), self.end(), isLetter);
      return boolean(any && self == mapped(self, method == "isupper" ? upper : lower));
    }
    if (method == "istitle") {
      bool any = false, fine = true;
      for (size_t i = 0; i < self.size(); ++i) {
        bool inner = i && isLetter(self[i - 1]);
        any |= isLetter(self[i]);
        fine &= !isLetter(self[i]) || (inner ? lower(self[i]) == self[i] : upper(self[i]) == self[i]);
      }
      return boolean(any && fine);
    }
  }
  if (method == "expandtabs" || method == "translate" || method == "maketrans" || method == "encode" || method.substr(0, 2) == "__")
    return unknownHere("`str." + std::string(method) + "` is not evaluated");
  raise("AttributeError", "'str' object has no attribute '" + std::string(method) + "'");
}

} // namespace tilewright::syntax
