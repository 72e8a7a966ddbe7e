#include "syntax/Lines.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tilewright::syntax {

namespace {

// Deeper brackets than this are not parsed; every bracket is at least one node of the tree.
constexpr size_t kDeepestBracket = 200;

bool isWordStart(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80; }
bool isDigit(unsigned char c) { return c >= '0' && c <= '9'; }
bool isWordPart(unsigned char c) { return isWordStart(c) || isDigit(c); }
bool isLineEnd(char c) { return c == '\n' || c == '\r'; }
bool isByteOrderMark(std::string_view text, size_t at) { return text.substr(at, 3) == "\xEF\xBB\xBF"; }

Opener openerOf(std::string_view word) {
  switch (word.size()) {
  case 2:
    return word == "if" ? Opener::If : Opener::None;
  case 3:
    return word == "def" ? Opener::Def : word == "for" ? Opener::For : word == "try" ? Opener::Try : Opener::None;
  case 4:
    return word == "with" ? Opener::With : word == "else" ? Opener::Else : word == "elif" ? Opener::Elif
           : word == "case" ? Opener::Case : Opener::None;
  case 5:
    return word == "class" ? Opener::Class : word == "while" ? Opener::While : word == "match" ? Opener::Match : Opener::None;
  case 6:
    return word == "except" ? Opener::Except : Opener::None;
  case 7:
    return word == "finally" ? Opener::Finally : Opener::None;
  default:
    return Opener::None;
  }
}

// Words that never stand inside brackets, so that a line starting with one starts a statement.
bool endsBrackets(std::string_view word) {
  static constexpr std::string_view words[] = {"def",    "class", "return", "with",   "while",    "raise",    "assert", "import", "global",
                                               "nonlocal", "del", "pass",   "break",  "continue", "try",      "except", "finally", "elif"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

uint32_t wordEnd(std::string_view text, uint32_t at) {
  while (at < text.size() && isWordPart(static_cast<unsigned char>(text[at])))
    ++at;
  return at;
}

// Whether the line that starts at `next`, with a bracket of the lines before it still open and known not to be closed well, rather
// starts a statement than goes on with what ends at `end`. Raises `lookedTo` to what was looked at.
bool startsStatement(std::string_view text, uint32_t end, uint32_t next, uint32_t &lookedTo) {
  uint32_t size = static_cast<uint32_t>(text.size());
  uint32_t lineEnd = next, last = next; // of the physical line; behind its last character that is neither blank nor comment
  for (char quote = 0; lineEnd < size && !isLineEnd(text[lineEnd]); ++lineEnd) {
    char c = text[lineEnd];
    if (quote) {
      if (c == quote)
        quote = 0;
      else if (c == '\\' && lineEnd + 1 < size && !isLineEnd(text[lineEnd + 1]))
        ++lineEnd;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      while (lineEnd < size && !isLineEnd(text[lineEnd]))
        ++lineEnd;
      break;
    }
    if (c != ' ' && c != '\t')
      last = lineEnd + 1;
  }
  uint32_t after = skipBlanks(text, std::min(lineEnd, size));
  lookedTo = std::max(lookedTo, std::min(after + 1, size));
  unsigned char first = static_cast<unsigned char>(text[next]);
  if (first == '@')
    return next + 1 < size && isWordStart(static_cast<unsigned char>(text[next + 1]));
  if (!isWordStart(first))
    return false;
  uint32_t wordTo = wordEnd(text, next);
  std::string_view word = text.substr(next, wordTo - next);
  bool clause = word == "for" || word == "if" || word == "else" || word == "async";
  if (clause)
    return last > next && text[last - 1] == ':';
  if (word == "in" || word == "is" || word == "not" || word == "and" || word == "or")
    return false;
  // Two operands in a row do not go together.
  unsigned char before = end > 0 ? static_cast<unsigned char>(text[end - 1]) : ' ';
  if (isWordPart(before) || before == ')' || before == ']' || before == '}' || before == '"' || before == '\'') {
    uint32_t begin = end;
    while (begin > 0 && isWordPart(static_cast<unsigned char>(text[begin - 1])))
      --begin;
    std::string_view previous = text.substr(begin, end - begin);
    if (!isKeyword(previous) || previous == "True" || previous == "False" || previous == "None")
      return true;
  }
  // `name = value`, or `a.b[i] = value`, and no comma that would make it an argument or parameter.
  uint32_t at = wordTo;
  while (at < lineEnd && (isWordPart(static_cast<unsigned char>(text[at])) || text[at] == '.' || text[at] == '[' || text[at] == ']'))
    ++at;
  while (at < lineEnd && (text[at] == ' ' || text[at] == '\t'))
    ++at;
  bool assigns = at + 1 < lineEnd && text[at] == '=' && text[at + 1] != '=';
  bool comma = last > next && text[last - 1] == ',';
  bool closes = after < size && (text[after] == ')' || text[after] == ']' || text[after] == '}');
  return assigns && !comma && !closes;
}

// Whether a bracket that is open at `at` is closed on the same physical line.
bool closedLater(std::string_view text, uint32_t at, char opener) {
  char closer = opener == '(' ? ')' : opener == '[' ? ']' : '}';
  int depth = 0;
  text = text.substr(0, std::min<size_t>(text.size(), at + 500));
  for (char quote = 0; at < text.size() && !isLineEnd(text[at]); ++at) {
    char c = text[at];
    if (quote) {
      if (c == '\\' && at + 1 < text.size() && !isLineEnd(text[at + 1]))
        ++at;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return false;
    } else if (c == opener) {
      ++depth;
    } else if (c == closer && depth-- == 0) {
      return true;
    }
  }
  return false;
}

struct Prefix {
  bool string = false, raw = false, format = false;
};
// Whether a word that stands before a quote is a string's prefix.
Prefix prefixOf(std::string_view word) {
  Prefix prefix;
  if (word.size() > 2)
    return prefix;
  bool bytes = false, unicode = false;
  for (char c : word) {
    switch (c | 0x20) {
    case 'r': if (prefix.raw) return {}; prefix.raw = true; break;
    case 'f': if (prefix.format) return {}; prefix.format = true; break;
    case 'b': if (bytes) return {}; bytes = true; break;
    case 'u': if (word.size() > 1) return {}; unicode = true; break;
    default: return {};
    }
  }
  if (prefix.format && (bytes || unicode))
    return {};
  prefix.string = true;
  return prefix;
}

} // namespace

bool isKeyword(std::string_view word) {
  static constexpr std::string_view words[] = {
      "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
      "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
      "while", "with", "yield"};
  if (word.size() < 2 || word.size() > 8)
    return false;
  return std::binary_search(std::begin(words), std::end(words), word);
}

uint32_t skipBlanks(std::string_view text, uint32_t at) {
  while (at < text.size()) {
    char c = text[at];
    if (c == ' ' || c == '\t' || c == '\f' || c == '\v' || isLineEnd(c)) {
      ++at;
    } else if (c == '#') {
      while (at < text.size() && !isLineEnd(text[at]))
        ++at;
    } else if (c == '\\' && at + 1 < text.size() && isLineEnd(text[at + 1])) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

uint32_t tokenLength(std::string_view text, uint32_t at) {
  if (at >= text.size())
    return 0;
  unsigned char c = static_cast<unsigned char>(text[at]);
  auto string = [&](uint32_t quoteAt) {
    char quote = text[quoteAt];
    uint32_t end = quoteAt + 1;
    while (end < text.size() && text[end] != quote && !isLineEnd(text[end]))
      end += text[end] == '\\' && end + 1 < text.size() && !isLineEnd(text[end + 1]) ? 2 : 1;
    return std::min<uint32_t>(end + 1, static_cast<uint32_t>(text.size())) - at;
  };
  if (isWordStart(c)) {
    uint32_t end = wordEnd(text, at);
    if (end < text.size() && (text[end] == '"' || text[end] == '\'') && prefixOf(text.substr(at, end - at)).string)
      return string(end);
    return end - at;
  }
  if (c == '"' || c == '\'')
    return string(at);
  if (isDigit(c)) {
    uint32_t end = at;
    while (end < text.size() && (isWordPart(static_cast<unsigned char>(text[end])) || text[end] == '.'))
      ++end;
    return end - at;
  }
  static constexpr std::string_view operators[] = {"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=",
                                                   "->", ":=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^="};
  for (std::string_view op : operators)
    if (text.substr(at, op.size()) == op)
      return static_cast<uint32_t>(op.size());
  return 1;
}

// ---- logical lines -------------------------------------------------------------------------------------------------------

bool LineReader::knownUnclosed(uint32_t at) const { return unclosed_.count(at) > 0; }

bool LineReader::next(Line &line) {
  line = Line();
  uint32_t size = static_cast<uint32_t>(text_.size());
  // Blank lines and comments.
  for (;;) {
    line.start = at_;
    line.column = line.tabless = 0;
    uint32_t at = at_;
    for (; at < size; ++at) {
      char c = text_[at];
      if (c == ' ') {
        ++line.column, ++line.tabless;
      } else if (c == '\t') {
        line.column = (line.column / 8 + 1) * 8, ++line.tabless;
      } else if (c == '\f' || c == '\v') {
        line.column = line.tabless = 0;
      } else if (at == 0 && isByteOrderMark(text_, 0)) {
        at += 2;
        line.start = 3;
      } else if (c == '\\' && at + 1 < size && isLineEnd(text_[at + 1])) {
        at += text_[at + 1] == '\r' && at + 2 < size && text_[at + 2] == '\n' ? 2 : 1;
      } else {
        break;
      }
    }
    if (at == size)
      return false;
    if (text_[at] == '#')
      while (at < size && !isLineEnd(text_[at]))
        ++at;
    if (at == size)
      return false;
    if (!isLineEnd(text_[at])) {
      line.begin = at;
      break;
    }
    at_ = at + 1;
  }
  Line first = line;
  if (!read(line, false)) {
    uint32_t looked = line.lookedTo;
    line = std::move(first);
    read(line, true);
    line.lookedTo = std::max(line.lookedTo, looked);
  }
  bool indents = line.endsWithColon || line.opener == Opener::Match || line.opener == Opener::Case;
  if (line.problem == LineProblem::None && !indents && line.colon == kNowhere)
    takeUnopened(line);
  return true;
}

// Deeper lines where none belong, then a closing bracket no deeper than the line: its opening bracket was forgotten, and all
// of it is one statement.
void LineReader::takeUnopened(Line &line) {
  uint32_t size = static_cast<uint32_t>(text_.size()), at = at_;
  for (int count = 0; count < 100; ++count) {
    uint32_t column = 0;
    bool comment = false;
    for (; at < size; ++at) {
      char c = text_[at];
      if (c == ' ')
        ++column;
      else if (c == '\t')
        column = (column / 8 + 1) * 8;
      else if (isLineEnd(c))
        column = 0;
      else
        break;
    }
    if (at == size)
      break;
    comment = text_[at] == '#';
    uint32_t end = at;
    while (end < size && !isLineEnd(text_[end]))
      ++end;
    if (column <= line.column && !comment) {
      // Directly below, it belongs to a statement that has several lines already.
      bool several = count > 0 || text_.substr(line.begin, line.end - line.begin).find_first_of("\r\n") != std::string_view::npos;
      bool closes = several && (text_[at] == ')' || text_[at] == ']' || text_[at] == '}');
      if (closes) {
        line.problem = LineProblem::Unmatched;
        line.where = {at, at + 1};
        uint32_t last = end;
        while (last > at && (text_[last - 1] == ' ' || text_[last - 1] == '\t'))
          --last;
        line.end = last;
        line.endsWithColon = line.endsWithContinuation = false;
        line.semicolons.clear();
        at_ = std::min(end + 1, size);
      }
      break;
    }
    at = end;
  }
  line.lookedTo = std::max(line.lookedTo, std::min(at + 1, size));
}

// Reads the line from its first token. Not cautious, it lets a line go on for as long as brackets are open, and returns
// false when that cannot be right. Cautious, it ends the line at the first place where a new statement may start.
bool LineReader::read(Line &line, bool cautious) {
  uint32_t size = static_cast<uint32_t>(text_.size());
  uint32_t at = line.begin;
  stack_.clear();
  line.end = at;
  int lambdas = 0;
  uint32_t lastColon = kNowhere;
  Span deep{kNowhere, 0};
  auto problem = [&](LineProblem what, Span where) {
    if (line.problem == LineProblem::None)
      line.problem = what, line.where = where;
  };
  auto giveUp = [&](uint32_t lookedTo) {
    furthest_ = std::max(furthest_, lookedTo);
    line.lookedTo = furthest_;
    for (const Open &open : stack_)
      if (open.kind != Open::String)
        unclosed_.insert(open.at);
    return false;
  };
  auto push = [&](Open::Kind kind, char what, bool triple, bool raw, uint32_t where) {
    stack_.push_back({kind, what, triple, raw, where});
    if (stack_.size() > kDeepestBracket && deep.begin == kNowhere)
      deep = {where, where + 1};
  };
  // A string on one line reached the line's end: everything open since the outermost such string ends with it.
  auto cutStrings = [&](uint32_t from) {
    problem(LineProblem::UnterminatedString, {from, at});
    for (size_t i = 0; i < stack_.size(); ++i) {
      if (stack_[i].kind == Open::String && !stack_[i].triple) {
        stack_.resize(i);
        break;
      }
    }
  };

  // First word.
  if (text_[at] == '@') {
    line.opener = Opener::Decorator;
  } else if (isWordStart(static_cast<unsigned char>(text_[at]))) {
    uint32_t end = wordEnd(text_, at);
    std::string_view word = text_.substr(at, end - at);
    line.opener = openerOf(word);
    if (word == "async") {
      uint32_t second = end;
      while (second < size && (text_[second] == ' ' || text_[second] == '\t'))
        ++second;
      Opener opener = openerOf(text_.substr(second, wordEnd(text_, second) - second));
      if (opener == Opener::Def || opener == Opener::For || opener == Opener::With)
        line.opener = opener, line.async = true;
    }
  }

  while (at < size) {
    unsigned char c = static_cast<unsigned char>(text_[at]);
    Open *top = stack_.empty() ? nullptr : &stack_.back();

    // Inside an f-string's text or format specification.
    if (top && (top->kind == Open::String || top->kind == Open::Spec)) {
      const Open *string = top;
      for (size_t i = stack_.size(); string->kind != Open::String; --i)
        string = &stack_[i - 1];
      bool triple = string->triple, raw = string->raw;
      char quote = string->what;
      if (isLineEnd(static_cast<char>(c)) && !triple) {
        cutStrings(string->at);
        if (!cautious && !stack_.empty())
          return giveUp(at + 1);
        continue;
      }
      if (c == static_cast<unsigned char>(quote) && (!triple || text_.substr(at, 3) == std::string(3, quote))) {
        if (top->kind == Open::Spec)
          problem(LineProblem::UnterminatedField, {top->at, top->at + 1});
        while (stack_.back().kind != Open::String)
          stack_.pop_back();
        stack_.pop_back();
        at += triple ? 3 : 1;
      } else if (c == '\\' && at + 1 < size) {
        char escaped = text_[at + 1];
        if (!raw && escaped == 'N' && at + 2 < size && text_[at + 2] == '{') {
          while (at < size && text_[at] != '}' && text_[at] != quote && !isLineEnd(text_[at]))
            ++at;
          if (at < size && text_[at] == '}')
            ++at;
        } else if (escaped == '{' || escaped == '}') {
          ++at;
        } else {
          at += escaped == '\r' && at + 2 < size && text_[at + 2] == '\n' ? 3 : 2;
        }
      } else if (c == '{') {
        if (top->kind == Open::String && at + 1 < size && text_[at + 1] == '{') {
          at += 2;
        } else {
          push(Open::Field, '{', false, false, at);
          ++at;
        }
      } else if (c == '}' && top->kind == Open::Spec) {
        stack_.pop_back(); // the specification ends with its field
        ++at;
      } else {
        ++at;
      }
      line.end = std::min(at, size);
      continue;
    }

    if (isWordStart(c) || c == '"' || c == '\'') {
      uint32_t end = isWordStart(c) ? wordEnd(text_, at) : at;
      std::string_view word = text_.substr(at, end - at);
      Prefix prefix = end < size && (text_[end] == '"' || text_[end] == '\'') ? prefixOf(word) : Prefix{};
      if (!prefix.string && end > at) {
        if (stack_.empty() && word == "lambda")
          ++lambdas;
        at = line.end = end;
        continue;
      }
      char quote = text_[end];
      bool triple = text_.substr(end, 3) == std::string(3, quote);
      uint32_t opened = at;
      at = end + (triple ? 3 : 1);
      if (prefix.format) {
        push(Open::String, quote, triple, prefix.raw, opened);
        // An f-string with three quotes that has no end: found below, at the end of the text.
        line.end = at;
        continue;
      }
      bool closed = false;
      uint32_t lineEnd = kNowhere;
      bool endless = triple && endless_[quote == '"'] <= opened;
      for (; at < size; ++at) {
        char s = text_[at];
        if (s == '\\' && at + 1 < size) {
          at += text_[at + 1] == '\r' && at + 2 < size && text_[at + 2] == '\n' ? 2 : 1;
        } else if (s == quote && (!triple || text_.substr(at, 3) == std::string(3, quote))) {
          at += triple ? 3 : 1;
          closed = true;
          break;
        } else if (isLineEnd(s)) {
          if (lineEnd == kNowhere)
            lineEnd = at;
          if (!triple || endless)
            break;
        }
      }
      at = std::min(at, size);
      if (!closed && triple && !endless) {
        // No end in the whole text: taken to end with its line, so that what follows is still read.
        endless_[quote == '"'] = std::min(endless_[quote == '"'], opened);
        line.lookedTo = size;
        if (lineEnd != kNowhere)
          at = lineEnd;
      }
      line.end = at;
      if (!closed) {
        if (triple) {
          line.lookedTo = size;
          problem(LineProblem::UnterminatedString, {opened, end + 3});
        } else {
          cutStrings(opened);
          if (!cautious && !stack_.empty())
            return giveUp(at + 1);
        }
      }
      continue;
    }

    if (isLineEnd(static_cast<char>(c))) {
      if (stack_.empty())
        break;
      // Look at what the next line with anything on it starts with.
      uint32_t column = 0, next = at;
      while (next < size) {
        char n = text_[next];
        if (n == ' ')
          ++column;
        else if (n == '\t')
          column = (column / 8 + 1) * 8;
        else if (isLineEnd(n) || n == '\f' || n == '\v')
          column = 0;
        else if (n == '#') {
          while (next < size && !isLineEnd(text_[next]))
            ++next;
          continue;
        } else
          break;
        ++next;
      }
      if (next == size) {
        if (!cautious)
          return giveUp(size);
        line.lookedTo = std::max(line.lookedTo, next);
        break;
      }
      uint32_t wordTo = wordEnd(text_, next);
      std::string_view word = text_.substr(next, wordTo - next);
      bool statement = isWordStart(static_cast<unsigned char>(text_[next])) && endsBrackets(word);
      if (statement && !cautious)
        return giveUp(wordTo);
      bool closer = text_[next] == ')' || text_[next] == ']' || text_[next] == '}';
      if (statement || (cautious && !closer && (column <= line.column || startsStatement(text_, line.end, next, line.lookedTo)))) {
        line.lookedTo = std::max(line.lookedTo, wordTo + 1);
        break;
      }
      at = next;
      continue;
    }

    switch (c) {
    case ' ': case '\t': case '\f': case '\v':
      ++at;
      continue;
    case '#':
      while (at < size && !isLineEnd(text_[at]))
        ++at;
      continue;
    case '\\':
      if (at + 1 < size && isLineEnd(text_[at + 1])) {
        at += text_[at + 1] == '\r' && at + 2 < size && text_[at + 2] == '\n' ? 3 : 2;
        if (skipBlanks(text_, at) == size && stack_.empty()) {
          line.endsWithContinuation = true;
        }
        continue;
      }
      ++at;
      line.end = at;
      line.endsWithContinuation |= at == size;
      continue;
    case '(': case '[': case '{':
      if (!cautious && knownUnclosed(at))
        return giveUp(furthest_);
      push(Open::Bracket, static_cast<char>(c), false, false, at);
      break;
    case ')': case ']': case '}': {
      char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (top && top->what == opener) {
        if (stack_.size() == kDeepestBracket + 1 && deep.begin == top->at)
          deep.end = at + 1;
        stack_.pop_back();
      } else if (!top) {
        problem(LineProblem::Unmatched, {at, at + 1});
      } else {
        if (!cautious)
          return giveUp(at + 1);
        // The bracket this one closes may lie further out, those between were forgotten; unless the rest of the line closes
        // them: then it was this one's opening bracket.
        size_t i = stack_.size();
        if (closedLater(text_, at + 1, top->what)) {
          problem(LineProblem::Unmatched, {at, at + 1});
          break;
        }
        while (i > 0 && stack_[i - 1].kind == Open::Bracket && stack_[i - 1].what != opener)
          --i;
        if (i > 0 && (stack_[i - 1].kind == Open::Bracket || (stack_[i - 1].kind == Open::Field && c == '}'))) {
          problem(LineProblem::Unclosed, {stack_.back().at, stack_.back().at + 1});
          stack_.resize(i - 1);
        } else {
          problem(LineProblem::Unmatched, {at, at + 1});
        }
      }
      break;
    }
    case ':':
      if (top && top->kind == Open::Field) {
        top->kind = Open::Spec;
      } else if (!top) {
        if (at + 1 < size && text_[at + 1] == '=') {
          ++at;
        } else if (lambdas > 0) {
          --lambdas;
        } else {
          if (line.colon == kNowhere)
            line.colon = at;
          lastColon = at;
        }
      }
      break;
    case ';':
      if (!top)
        line.semicolons.push_back(at);
      break;
    default:
      if (isDigit(c)) {
        while (at + 1 < size && (isWordPart(static_cast<unsigned char>(text_[at + 1])) || text_[at + 1] == '.'))
          ++at;
      }
      break;
    }
    ++at;
    line.end = at;
  }

  if (at >= size && !stack_.empty()) {
    if (!cautious)
      return giveUp(size);
    line.lookedTo = size;
  }
  // A cautious line may end inside an f-string with three quotes: it then ends with the line that opened it.
  for (size_t i = 0; i < stack_.size(); ++i) {
    if (stack_[i].kind != Open::String)
      continue;
    uint32_t opened = stack_[i].at, stop = opened;
    while (stop < size && !isLineEnd(text_[stop]))
      ++stop;
    problem(LineProblem::UnterminatedString, {opened, std::min(opened + 4, stop)});
    line.lookedTo = std::max(line.lookedTo, at);
    stack_.resize(i);
    at = line.end = stop;
    break;
  }
  for (auto open = stack_.rbegin(); open != stack_.rend(); ++open)
    line.closers += open->what == '(' ? ')' : open->what == '[' ? ']' : '}';
  if (!stack_.empty())
    problem(LineProblem::Unclosed, {stack_.back().at, stack_.back().at + 1});
  if (deep.begin != kNowhere) {
    line.problem = LineProblem::TooDeep;
    line.where = {deep.begin, std::max(deep.end, deep.begin + 1)};
    line.closers.clear();
  }
  line.endsWithColon = lastColon != kNowhere && lastColon + 1 == line.end;
  if (line.opener == Opener::Match || line.opener == Opener::Case) {
    // Soft keywords: only `match x:` at the end of a line and `case x:` open anything.
    uint32_t behind = line.begin + (line.opener == Opener::Match ? 5 : 4);
    while (behind < line.end && (text_[behind] == ' ' || text_[behind] == '\t'))
      ++behind;
    bool subject = behind < line.end && std::string_view("=.,:;)]}|&^%/<>!").find(text_[behind]) == std::string_view::npos;
    if (!subject || line.colon == kNowhere || (line.opener == Opener::Match && !line.endsWithColon))
      line.opener = Opener::None;
  }
  if (line.opener <= Opener::Decorator)
    line.colon = line.endsWithColon ? lastColon : kNowhere;
  line.lookedTo = std::max(line.lookedTo, std::min(at + 1, size));
  at_ = std::min(at, size);
  if (at_ < size && isLineEnd(text_[at_]))
    ++at_;
  return true;
}

// ---- items ---------------------------------------------------------------------------------------------------------------

bool ItemReader::next(ItemSpan &item) {
  inside_ = !pending_.empty();
  if (inside_) {
    item = pending_.back();
    pending_.pop_back();
    return true;
  }
  if (!have_ && (ended_ || !reader_.next(line_))) {
    ended_ = true;
    return false;
  }
  have_ = false;
  item.span = {line_.column > 0 ? line_.start : line_.begin, line_.end};
  item.lookedTo = line_.lookedTo;
  bool indented = line_.column > 0;
  bool decorated = line_.opener == Opener::Decorator && !indented;
  Opener first = line_.opener;
  bool open = indented || first != Opener::None || line_.endsWithColon;
  bool divides = first == Opener::None && !indented && !line_.semicolons.empty();
  std::vector<uint32_t> semicolons;
  if (divides)
    semicolons = line_.semicolons;

  while (reader_.next(line_)) {
    bool belongs;
    if (line_.column > 0)
      belongs = open && !divides;
    else if (decorated)
      belongs = line_.opener == Opener::Decorator || line_.opener == Opener::Def || line_.opener == Opener::Class;
    else
      belongs = !indented && first >= Opener::If &&
                (line_.opener == Opener::Elif || line_.opener == Opener::Else || line_.opener == Opener::Except || line_.opener == Opener::Finally);
    item.lookedTo = std::max(item.lookedTo, line_.lookedTo);
    if (!belongs) {
      have_ = true;
      break;
    }
    if (decorated && line_.column == 0 && line_.opener != Opener::Decorator)
      decorated = false;
    item.span.end = line_.end;
  }
  if (!have_)
    ended_ = true;

  if (divides) {
    // Statements of one line are items of their own.
    Span whole = item.span;
    semicolons.push_back(whole.end);
    uint32_t from = whole.begin;
    std::vector<ItemSpan> parts;
    std::string_view text = reader_.text();
    for (uint32_t to : semicolons) {
      uint32_t begin = from, end = to;
      while (begin < end && (text[begin] == ' ' || text[begin] == '\t'))
        ++begin;
      while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t'))
        --end;
      if (begin < end)
        parts.push_back({{begin, end}, item.lookedTo});
      else if (to != whole.end && begin == end) // `;;` or a leading `;`: kept, so that it is refused
        parts.push_back({{to, to + 1}, item.lookedTo});
      from = to + 1;
    }
    std::reverse(parts.begin(), parts.end());
    pending_ = std::move(parts);
    item = pending_.back();
    pending_.pop_back();
  }
  return true;
}

} // namespace tilewright::syntax
