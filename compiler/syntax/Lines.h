// The line structure of Python, found without parsing: logical lines, their indentation, and what is wrong with a line
// whatever it says (a bracket that is never closed, a string without end). It decides where top-level items begin and end,
// and it keeps one broken line from swallowing its neighbours: a bracket that is still open at a line that can only start
// a statement was forgotten there, not in the rest of the file.
// Linear in the text; no recursion. Thread rule: functions over values.
#pragma once
#include "support/Source.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace tilewright::syntax {

/// First word of a line, if it is one that begins a statement or clause with a colon, or a decorator.
enum class Opener : uint8_t {
  None, Decorator, Def, Class, If, Elif, Else, For, While, Try, Except, Finally, With, Match, Case,
};

enum class LineProblem : uint8_t { None, Unclosed, Unmatched, UnterminatedString, UnterminatedField, TooDeep };

inline constexpr uint32_t kNowhere = ~0u;

struct Line {
  uint32_t start = 0;  // of the physical line it begins on
  uint32_t begin = 0;  // of its first token
  uint32_t end = 0;    // behind its last token
  uint32_t column = 0; // of its first token, tabs to multiples of eight
  uint32_t tabless = 0; // the same with tabs as one column: both must agree on what is deeper
  uint32_t colon = kNowhere; // the `:` behind which a body belongs, on a line with an opener
  Opener opener = Opener::None;
  bool async = false;
  bool endsWithColon = false;
  bool endsWithContinuation = false; // a backslash and nothing behind it
  LineProblem problem = LineProblem::None;
  Span where;               // of the problem
  std::string closers;      // that would close what is open at its end, innermost first
  std::vector<uint32_t> semicolons; // outside brackets
  uint32_t lookedTo = 0;    // bytes of the text up to here decided where the line ends
  /// Whether a body is expected on deeper lines.
  bool wantsBlock() const { return endsWithColon || (opener > Opener::Decorator && colon == kNowhere); }
};

/// Reads a text line by line.
class LineReader {
public:
  explicit LineReader(std::string_view text, uint32_t from = 0) : text_(text), at_(from) {}
  /// The next logical line; false at the end.
  bool next(Line &line);
  std::string_view text() const { return text_; }

private:
  struct Open {
    enum Kind : uint8_t { Bracket, String, Field, Spec };
    Kind kind;
    char what; // the opening bracket, or the quote
    bool triple, raw;
    uint32_t at;
  };
  bool read(Line &line, bool cautious);
  void takeUnopened(Line &line);
  bool knownUnclosed(uint32_t at) const;

  std::string_view text_;
  uint32_t at_;
  std::vector<Open> stack_;
  // Brackets that an earlier attempt found never to be closed; and where a triple-quoted string has no end.
  std::unordered_set<uint32_t> unclosed_;
  uint32_t endless_[2] = {kNowhere, kNowhere};
  uint32_t furthest_ = 0; // what those attempts looked at
};

/// A top-level item: one statement with everything that belongs to it.
struct ItemSpan {
  Span span;
  uint32_t lookedTo = 0;
  bool operator==(const ItemSpan &) const = default;
};
/// Items of the text from `from` on, which must be the begin of an item (or the text's).
class ItemReader {
public:
  explicit ItemReader(std::string_view text, uint32_t from = 0) : reader_(text, from) {}
  /// The next item; false at the end.
  bool next(ItemSpan &item);
  /// Whether the item given last shares its line with the one before it.
  bool insideLine() const { return inside_; }

private:
  LineReader reader_;
  Line line_;
  bool have_ = false, ended_ = false, inside_ = false;
  std::vector<ItemSpan> pending_; // statements of one line behind the first, last first
};

bool isKeyword(std::string_view word);
/// Length of the token that starts at `at` (for messages): a word, number, string, operator or one character.
uint32_t tokenLength(std::string_view text, uint32_t at);
/// Where the next token starts: behind blanks, line ends, continuations and comments.
uint32_t skipBlanks(std::string_view text, uint32_t at);

} // namespace tilewright::syntax
