#include "features/Cursor.h"

#include "syntax/Lines.h"

#include <algorithm>

namespace tilewright::features {
namespace {
bool isWord(char c) {
  auto u = static_cast<unsigned char>(c);
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || u == '_' || u >= 0x80;
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

struct Token {
  enum class Kind : uint8_t { Word, String, Comment, Operator, End } kind = Kind::End;
  uint32_t begin = 0, end = 0;
  uint32_t contentBegin = 0, contentEnd = 0; // String
  bool closed = true;                        // String
};

/// The token at or behind `at`; nothing of it lies behind `limit` unless it is a string or comment that began before.
Token tokenAt(std::string_view text, uint32_t at, uint32_t limit) {
  Token token;
  auto size = static_cast<uint32_t>(text.size());
  while (at < limit && (text[at] == ' ' || text[at] == '\t' || text[at] == '\f' || text[at] == '\v' || text[at] == '\\' || isLineEnd(text[at])))
    ++at;
  token.begin = token.end = at;
  if (at >= limit)
    return token;
  char c = text[at];
  if (c == '#') {
    token.kind = Token::Kind::Comment;
    while (at < size && !isLineEnd(text[at]))
      ++at;
    token.end = at;
    return token;
  }
  uint32_t quoteAt = at;
  while (quoteAt < size && quoteAt < at + 2 && std::isalpha(static_cast<unsigned char>(text[quoteAt])))
    ++quoteAt;
  bool prefixed = true;
  for (uint32_t i = at; i < quoteAt; ++i)
    prefixed &= std::string_view("rRbBfFuU").find(text[i]) != std::string_view::npos;
  if (prefixed && quoteAt < size && (text[quoteAt] == '"' || text[quoteAt] == '\'')) {
    char quote = text[quoteAt];
    bool triple = text.substr(quoteAt, 3) == std::string(3, quote);
    token.kind = Token::Kind::String;
    token.contentBegin = quoteAt + (triple ? 3 : 1);
    token.closed = false;
    at = token.contentBegin;
    while (at < size && (triple || !isLineEnd(text[at]))) {
      if (text[at] == '\\' && at + 1 < size) {
        at += triple || !isLineEnd(text[at + 1]) ? 2 : 1;
        continue;
      }
      if (triple ? text.substr(at, 3) == std::string(3, quote) : text[at] == quote) {
        token.closed = true;
        break;
      }
      ++at;
    }
    token.contentEnd = std::min(at, size);
    token.end = std::min(token.contentEnd + (token.closed ? (triple ? 3 : 1) : 0), size);
    return token;
  }
  if (isWord(c)) {
    token.kind = Token::Kind::Word;
    while (at < size && isWord(text[at]))
      ++at;
    token.end = at;
    return token;
  }
  token.kind = Token::Kind::Operator;
  token.end = at + std::max<uint32_t>(1, syntax::tokenLength(text, at));
  return token;
}

/// The dotted name that ends at `end`: where it begins, `end` if there is none.
uint32_t dottedBegin(std::string_view text, uint32_t from, uint32_t end) {
  uint32_t at = end;
  for (;;) {
    uint32_t word = at;
    while (word > from && isWord(text[word - 1]))
      --word;
    if (word == at || isDigit(text[word]))
      return end == at ? end : at + 1; // a dot without a name before it
    if (word == from || text[word - 1] != '.')
      return word;
    at = word - 1;
  }
}

/// The logical line that `offset` lies in or goes on from.
syntax::Line lineAt(std::string_view text, uint32_t from, uint32_t offset) {
  syntax::LineReader reader(text, from);
  syntax::Line line, best;
  best.start = best.begin = best.end = offset;
  while (reader.next(line) && line.begin <= offset)
    best = line;
  if (best.begin == offset || best.end >= offset)
    return best;
  // Behind its last token: the same line, or what follows a bracket or backslash that waits for more.
  bool newLine = std::any_of(text.begin() + best.end, text.begin() + offset, isLineEnd);
  bool waits = best.problem == syntax::LineProblem::Unclosed || best.endsWithContinuation;
  if (newLine && !waits) {
    best = syntax::Line();
    uint32_t start = offset;
    while (start > 0 && !isLineEnd(text[start - 1]))
      --start;
    best.start = start;
    best.begin = start;
    while (best.begin < offset && (text[best.begin] == ' ' || text[best.begin] == '\t'))
      ++best.begin;
    best.end = offset;
    best.column = best.begin - start;
  }
  return best;
}

class Reader {
public:
  Reader(std::string_view text, Cursor &cursor) : text_(text), cursor_(cursor) {}

  void read(uint32_t begin, uint32_t end) {
    uint32_t at = begin, stop = cursor_.dotted.begin;
    Token token;
    for (; (token = tokenAt(text_, at, end)).kind != Token::Kind::End; at = token.end) {
      bool spans = token.begin < cursor_.offset && cursor_.offset < token.end;
      if (token.kind == Token::Kind::Comment) {
        if (token.begin < cursor_.offset && cursor_.offset <= token.end) {
          cursor_.inComment = true;
          return;
        }
        continue;
      }
      if (token.kind == Token::Kind::String) {
        bool inside = cursor_.offset >= token.contentBegin && (cursor_.offset < token.contentEnd || (cursor_.offset == token.contentEnd && token.begin < cursor_.offset));
        if (inside) {
          cursor_.inString = true;
          cursor_.string = {token.contentBegin, token.contentEnd};
          // A string that is never closed takes the rest of the line with it: only what is typed so far is its content.
          if (!token.closed)
            cursor_.string.end = cursor_.offset;
          cursor_.before = last_;
          if (!token.closed)
            return;
          behind(token.end, end);
          return;
        }
      }
      if (token.begin >= stop || spans)
        break;
      take(token);
    }
    cursor_.before = last_;
    behind(std::max(cursor_.word.end, cursor_.offset), end);
  }

private:
  void take(const Token &token) {
    std::string_view text = text_.substr(token.begin, token.end - token.begin);
    if (token.kind == Token::Kind::Operator && text.size() == 1) {
      char c = text[0];
      if (c == '(' || c == '[' || c == '{') {
        OpenBracket open;
        open.kind = c;
        open.at = token.begin;
        open.argumentBegin = firstBehind(token.end);
        open.calleeBegin = token.begin;
        if (c != '{' && lastKind_ == Token::Kind::Word && lastEnd_ == token.begin && !syntax::isKeyword(last_)) {
          open.calleeBegin = dottedBegin(text_, 0, token.begin);
          open.callee = std::string(text_.substr(open.calleeBegin, token.begin - open.calleeBegin));
        }
        cursor_.brackets.push_back(std::move(open));
      } else if ((c == ')' || c == ']' || c == '}') && !cursor_.brackets.empty()) {
        cursor_.brackets.pop_back();
      } else if (!cursor_.brackets.empty()) {
        OpenBracket &open = cursor_.brackets.back();
        if (c == ',') {
          if (open.keyword.empty())
            ++open.positional;
          else
            open.given.push_back(std::move(open.keyword));
          open.keyword.clear();
          ++open.argument;
          open.argumentBegin = firstBehind(token.end);
        } else if (c == '=' && open.keyword.empty() && lastKind_ == Token::Kind::Word && lastBegin_ == open.argumentBegin) {
          open.keyword = last_;
          open.valueBegin = firstBehind(token.end);
        }
      }
    }
    lastKind_ = token.kind;
    lastBegin_ = token.begin;
    lastEnd_ = token.end;
    last_ = std::string(text);
  }

  /// Where an argument begins: at its first token, or where the cursor would write it.
  uint32_t firstBehind(uint32_t at) const { return std::min(syntax::skipBlanks(text_, at), cursor_.dotted.begin); }

  /// Keywords that the open calls are given behind the cursor.
  void behind(uint32_t at, uint32_t end) {
    size_t depth = cursor_.brackets.size();
    int inner = 0;
    Token token, before;
    std::string_view separator;
    for (; depth > 0 && (token = tokenAt(text_, at, end)).kind != Token::Kind::End; at = token.end) {
      std::string_view text = text_.substr(token.begin, token.end - token.begin);
      if (token.kind == Token::Kind::Operator) {
        if (text == "(" || text == "[" || text == "{")
          ++inner;
        else if (text == ")" || text == "]" || text == "}") {
          if (inner > 0)
            --inner;
          else
            --depth;
        } else if (text == "=" && inner == 0 && before.kind == Token::Kind::Word && separator == ",")
          cursor_.brackets[depth - 1].given.emplace_back(text_.substr(before.begin, before.end - before.begin));
        if (inner == 0)
          separator = text;
      }
      before = token;
    }
  }

  std::string_view text_;
  Cursor &cursor_;
  std::string last_;
  Token::Kind lastKind_ = Token::Kind::End;
  uint32_t lastBegin_ = 0, lastEnd_ = 0;
};
} // namespace

const OpenBracket *Cursor::call() const {
  for (auto it = brackets.rbegin(); it != brackets.rend(); ++it)
    if (!it->callee.empty() && (it->kind == '(' || it->callee == "Tensor" || it->callee == "ConstTensor"))
      return &*it;
  return nullptr;
}

Cursor cursorAt(const syntax::File &file, uint32_t offset) {
  std::string_view text = file.source->text();
  Cursor cursor;
  cursor.offset = offset = std::min(offset, static_cast<uint32_t>(text.size()));
  cursor.word = {offset, offset};
  while (cursor.word.begin > 0 && isWord(text[cursor.word.begin - 1]))
    --cursor.word.begin;
  while (cursor.word.end < text.size() && isWord(text[cursor.word.end]))
    ++cursor.word.end;
  cursor.dotted = cursor.word;
  if (cursor.word.begin > 0 && text[cursor.word.begin - 1] == '.') {
    uint32_t dot = cursor.word.begin - 1;
    uint32_t begin = dottedBegin(text, 0, dot);
    bool name = begin < dot && !isDigit(text[begin]) && (begin == 0 || (text[begin - 1] != '.' && text[begin - 1] != ')' && text[begin - 1] != ']'));
    cursor.object = name ? std::string(text.substr(begin, dot - begin)) : "?";
    cursor.dotted.begin = name ? begin : dot;
  }
  const syntax::Item *item = file.itemAt(offset);
  uint32_t from = item && item->offset <= offset ? item->offset : 0;
  uint32_t to = item && item->offset <= offset ? std::max(item->span().end, offset) : offset;
  syntax::Line line = lineAt(text.substr(0, to), from, offset);
  cursor.line = line.begin;
  cursor.lineEnd = line.end;
  cursor.column = line.column;
  Reader(text.substr(0, std::max(line.end, offset)), cursor).read(std::min(line.begin, offset), std::max(line.end, offset));
  if (cursor.inString)
    cursor.word = cursor.dotted = cursor.string, cursor.object.clear();
  return cursor;
}

} // namespace tilewright::features
