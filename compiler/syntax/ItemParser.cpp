#include "syntax/ItemParser.h"

#include "support/Check.h"
#include "support/Codes.h"
#include "syntax/Builder.h"
#include "syntax/Lines.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tilewright::syntax {

namespace {

// Blocks deeper than this are not read: each is at least two nodes.
constexpr int kDeepestBlock = 95;
// A broken statement longer than this is not searched for what can be read of it.
constexpr uint32_t kLongestFragment = 1u << 16;

constexpr size_t kMostSoundLines = 20000;

struct TreeDeleter {
  void operator()(TSTree *tree) const { ts_tree_delete(tree); }
};
using TreeHandle = std::unique_ptr<TSTree, TreeDeleter>;

TreeHandle parseText(TSParser *parser, std::string_view text, const TSTree *old = nullptr) {
  return TreeHandle(ts_parser_parse_string(parser, old, text.data(), static_cast<uint32_t>(text.size())));
}

bool sound(const TreeHandle &tree) { return tree && !ts_node_has_error(ts_tree_root_node(tree.get())); }

// What clauses may follow in a block: `elif` an `if`, `finally` a `try`.
struct Clauses {
  Opener last = Opener::None; // of the statement before
  bool inTry = false;         // which is a try

  static bool isClause(Opener opener) {
    return opener == Opener::Elif || opener == Opener::Else || opener == Opener::Except || opener == Opener::Finally;
  }
  bool admit(Opener opener) const {
    switch (opener) {
    case Opener::Elif: return last == Opener::If || last == Opener::Elif;
    case Opener::Else:
      return last == Opener::If || last == Opener::Elif || last == Opener::For || last == Opener::While || last == Opener::Except;
    case Opener::Except: return last == Opener::Try || last == Opener::Except;
    case Opener::Finally: return last == Opener::Try || last == Opener::Except || (last == Opener::Else && inTry);
    default: return true;
    }
  }
  void follow(Opener opener) {
    if (!isClause(opener))
      inTry = opener == Opener::Try;
    last = opener == Opener::Finally ? Opener::None : opener;
  }
};

// Whether indentation and lines are as Python wants them.
bool soundLines(const std::vector<Line> &lines) {
  struct Level {
    uint32_t column, tabless;
    Clauses clauses = {};
  };
  std::vector<Level> levels;
  bool wantsBlock = false;
  for (const Line &line : lines) {
    if (line.problem != LineProblem::None || line.endsWithContinuation)
      return false;
    if (levels.empty()) {
      if (line.column > 0)
        return false;
      levels.push_back({line.column, line.tabless});
    } else if (wantsBlock) {
      if (line.column <= levels.back().column || line.tabless <= levels.back().tabless || levels.size() > kDeepestBlock)
        return false;
      levels.push_back({line.column, line.tabless});
    } else {
      while (levels.size() > 1 && levels.back().column > line.column)
        levels.pop_back();
      if (levels.back().column != line.column || levels.back().tabless != line.tabless)
        return false;
    }
    if (!levels.back().clauses.admit(line.opener))
      return false;
    levels.back().clauses.follow(line.opener);
    wantsBlock = line.wantsBlock();
  }
  return !wantsBlock;
}

// Every line must have become a statement, clause or decorator: a statement that runs over a line end did not.
bool startsMatch(const std::vector<Line> &lines, const std::vector<uint32_t> &starts) {
  size_t at = 0;
  for (const Line &line : lines) {
    while (at < starts.size() && starts[at] < line.begin)
      ++at;
    if (at == starts.size() || starts[at] != line.begin)
      return false;
  }
  return true;
}

// Finds the first token the parser could not use, from what it logs.
struct ErrorSpy {
  std::vector<uint32_t> rows{0};
  uint32_t at = 0, found = 0;
  bool any = false, resumed = false;

  explicit ErrorSpy(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n')
        rows.push_back(static_cast<uint32_t>(i + 1));
  }
  static void log(void *payload, TSLogType, const char *message) {
    auto &spy = *static_cast<ErrorSpy *>(payload);
    if (spy.resumed)
      return;
    if (std::strncmp(message, "process version", 15) == 0) {
      unsigned row = 0, column = 0;
      if (const char *place = std::strstr(message, "row:"); place && std::sscanf(place, "row:%u, col:%u", &row, &column) == 2 && row < spy.rows.size())
        spy.at = spy.rows[row] + column;
    } else if (std::strncmp(message, "detect_error", 12) == 0) {
      spy.any = true;
      spy.found = std::max(spy.found, spy.at);
    } else if (std::strncmp(message, "resume version", 14) == 0) {
      spy.resumed = true;
    }
  }
};

enum class Wrap : uint8_t { Simple, Header, Decorator };

struct Verdict {
  bool ok = true;
  Span span;
  std::string message;
};

// One logical line, or its header, or the body behind its colon.
struct Unit {
  Wrap wrap;
  Opener opener = Opener::None;
  Span span;
  const Line *line;
};

class Repair {
public:
  Repair(TSParser *parser, std::unordered_set<std::string> &soundLines, std::string_view text, const std::vector<Line> &lines, Tree &tree,
         TreeHandle parsed)
      : parser_(parser), soundLines_(soundLines), text_(text), lines_(lines), tree_(tree), forced_(lines.size()), parsed_(std::move(parsed)) {}

  void run();

private:
  TSParser *parser_;
  std::unordered_set<std::string> &soundLines_;
  std::string_view text_;
  const std::vector<Line> &lines_;
  Tree &tree_;
  std::vector<std::optional<Verdict>> forced_; // by line: broken for a reason seen only in the whole
  TreeHandle parsed_; // of the text as it is, if it was parsed already
  ParsedText out_;
  std::vector<Fragment> fragments_;
  std::vector<TreeHandle> trees_; // of the fragments
  std::vector<Diagnostic> diagnostics_;
  bool lineDiagnosed_ = false;

  struct Level {
    uint32_t column, tabless;
    int depth;
    bool cases = false;         // body of a match
    bool wrongCase = false;     // said so
    Clauses clauses = {};
    uint32_t tryAt = kNowhere;  // a try that still lacks except and finally
  };
  std::vector<Level> levels_;

  void compose();
  void indent(int depth, bool broken = false) { out_.make(std::string(static_cast<size_t>(depth) * 2, ' '), {here_, here_}, broken); }
  void finishTry(Level &level);
  void diagnose(Code code, Span span, std::string message) {
    if (lineDiagnosed_)
      return;
    lineDiagnosed_ = true;
    if (span.end > text_.size())
      span.end = static_cast<uint32_t>(text_.size());
    diagnostics_.push_back({code, info(code).severity, span, std::move(message), {}, {}});
  }
  void diagnose(const Line &line, const Verdict &verdict) {
    bool deep = line.problem == LineProblem::TooDeep;
    diagnose(deep ? Code::NestingLimit : Code::SyntaxError, verdict.span, verdict.message);
  }

  std::string wrapped(const Unit &unit, std::string_view content, uint32_t &offset) const;
  Verdict judge(const Unit &unit);
  Verdict lineProblem(const Line &line) const;
  bool parses(const Unit &unit, std::string_view content) const;
  std::string explain(const Unit &unit, std::string_view wrappedText, uint32_t offset, Span &where) const;
  void simple(const Unit &unit, size_t index);
  void header(size_t index, const Line &line, bool orphan);
  int fragment(const Unit &unit);
  std::string_view slice(Span span) const { return text_.substr(span.begin, span.size()); }
  uint32_t here_ = 0; // original place of pieces that stand for nothing
};

std::string Repair::wrapped(const Unit &unit, std::string_view content, uint32_t &offset) const {
  std::string prefix, suffix;
  switch (unit.wrap) {
  case Wrap::Simple:
    break;
  case Wrap::Decorator:
    suffix = "\nclass _: pass";
    break;
  case Wrap::Header:
    suffix = " pass";
    switch (unit.opener) {
    case Opener::Elif: case Opener::Else: prefix = "if _: pass\n"; break;
    case Opener::Try: suffix += "\nfinally: pass"; break;
    case Opener::Except: case Opener::Finally: prefix = "try: pass\n"; break;
    case Opener::Match: suffix = "\n case _: pass"; break;
    case Opener::Case: prefix = "match _:\n "; break;
    default: break;
    }
    break;
  }
  offset = static_cast<uint32_t>(prefix.size());
  std::string all = std::move(prefix);
  all += content;
  all += suffix;
  all += '\n';
  return all;
}

bool Repair::parses(const Unit &unit, std::string_view content) const {
  uint32_t offset = 0;
  std::string all = wrapped(unit, content, offset);
  TreeHandle tree = parseText(parser_, all);
  if (!sound(tree))
    return false;
  Tree scratch;
  scratch.text = all;
  return buildTree({all, nullptr, ts_tree_root_node(tree.get()), nullptr}, scratch).problems.empty();
}

Verdict Repair::lineProblem(const Line &line) const {
  Verdict verdict;
  verdict.ok = line.problem == LineProblem::None;
  verdict.span = line.where;
  std::string what(slice(line.where));
  switch (line.problem) {
  case LineProblem::None: break;
  case LineProblem::Unclosed: verdict.message = "unclosed `" + what + "`"; break;
  case LineProblem::Unmatched: verdict.message = "unmatched `" + what + "`"; break;
  case LineProblem::UnterminatedField: verdict.message = "`{` of an f-string is not closed"; break;
  case LineProblem::UnterminatedString: {
    std::string_view literal = slice(line.where);
    size_t quote = literal.find_first_of("\"'");
    bool triple = quote != std::string_view::npos && literal.substr(quote, 3) == std::string(3, literal[quote]);
    verdict.message = triple ? "unterminated triple-quoted string" : "unterminated string";
    break;
  }
  case LineProblem::TooDeep:
    verdict.message = "nested deeper than " + std::to_string(kDeepest) + " levels";
    break;
  }
  return verdict;
}

// What is wrong with a unit that does not parse: the token and, where it is certain, what was expected.
std::string Repair::explain(const Unit &unit, std::string_view all, uint32_t offset, Span &where) const {
  uint32_t found = offset + unit.span.size();
  if (all.size() <= kLongestFragment) {
    ErrorSpy spy(all);
    ts_parser_set_logger(parser_, {&spy, ErrorSpy::log});
    parseText(parser_, all);
    ts_parser_set_logger(parser_, {nullptr, nullptr});
    if (spy.any)
      found = spy.found;
  }
  // In the unit's own text.
  uint32_t at = unit.span.begin + (found > offset ? found - offset : 0);
  at = std::min(at, unit.span.end);
  uint32_t token = skipBlanks(text_.substr(0, unit.span.end), at);
  bool opens = unit.wrap == Wrap::Header;
  uint32_t last = unit.span.end; // of the last character
  while (last > unit.span.begin + 1 && (static_cast<unsigned char>(text_[last - 1]) & 0xC0) == 0x80)
    --last;
  last = std::max(unit.span.begin, last - 1);
  if (token >= unit.span.end) {
    where = {last, unit.span.end};
    std::string_view content = slice(unit.span);
    if (opens) {
      uint32_t word = tokenLength(content, 0);
      if (unit.line->async)
        word = skipBlanks(content, word), word += tokenLength(content, word);
      bool defines = unit.opener == Opener::Def || unit.opener == Opener::Class;
      if (word >= content.size() && (defines || unit.opener == Opener::If || unit.opener == Opener::Elif || unit.opener == Opener::While ||
                                     unit.opener == Opener::For || unit.opener == Opener::With))
        return std::string(defines ? "expected a name" : "expected an expression") + " behind `" + std::string(content) + "`";
      if (unit.opener == Opener::Def && unit.line->colon == kNowhere && content.find('(') == std::string_view::npos)
        return "expected `(`";
      if (unit.opener == Opener::For && unit.line->colon == kNowhere && content.find(" in") == std::string_view::npos)
        return "expected `in`";
    }
    if (opens && unit.line->colon == kNowhere && std::string_view("=+-*/%@&|^<>~,.").find(content.back()) == std::string_view::npos)
      return "expected `:`";
    if (!content.empty() && std::string_view("=+-*/%@&|^<>~,.:").find(content.back()) != std::string_view::npos)
      return content.back() == '.' ? "expected a name behind `.`" : "expected an expression behind `" + std::string(1, content.back()) + "`";
    return "unexpected end of line";
  }
  where = {token, std::min(token + tokenLength(text_, token), unit.span.end)};
  std::string_view what = slice(where);
  std::string shown(what.substr(0, 40));
  if (what.size() > 40)
    shown = "...";
  std::string message = "unexpected `" + shown + "`";
  if (what == "=" && unit.wrap == Wrap::Header && unit.opener != Opener::Def && unit.opener != Opener::Class)
    return message + "; `==` compares";
  if (unit.opener == Opener::Def && opens && text_.substr(0, token).find('(', unit.span.begin) == std::string_view::npos &&
      skipBlanks(text_, unit.span.begin + 3) < token)
    return "expected `(`";
  if (unit.wrap == Wrap::Header && what == ":" && token + 1 == unit.span.end && unit.opener != Opener::Class)
    return "expected an expression before `:`";
  if (opens && unit.line->colon == kNowhere)
    return message + "; the line also lacks its `:`";
  // Two operands in a row inside brackets.
  int depth = 0;
  for (uint32_t i = unit.span.begin; i < token; ++i) {
    char c = text_[i];
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
  }
  uint32_t before = token;
  while (before > unit.span.begin && (text_[before - 1] == ' ' || text_[before - 1] == '\n' || text_[before - 1] == '\r' || text_[before - 1] == '\t'))
    --before;
  unsigned char left = before > unit.span.begin ? static_cast<unsigned char>(text_[before - 1]) : ' ';
  unsigned char right = static_cast<unsigned char>(text_[token]);
  auto operand = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80 || c == '"' || c == '\''; };
  if (depth > 0 && (operand(left) || left == ')' || left == ']' || left == '}') && operand(right) && !isKeyword(what))
    return message + "; is a comma missing?";
  return message;
}

Verdict Repair::judge(const Unit &unit) {
  uint32_t offset = 0;
  std::string all = wrapped(unit, slice(unit.span), offset);
  Verdict verdict;
  if (soundLines_.count(all))
    return verdict;
  // A whole item on one line is known not to parse.
  bool known = unit.wrap == Wrap::Simple && unit.span.size() == text_.size() && parsed_ && !sound(parsed_);
  TreeHandle tree = known ? nullptr : parseText(parser_, all);
  if (!known && sound(tree)) {
    Tree scratch;
    scratch.text = all;
    Built built = buildTree({all, nullptr, ts_tree_root_node(tree.get()), nullptr}, scratch);
    if (built.starts.empty()) // nothing but what the parser skips
      return {false, {unit.span.begin, std::min(unit.span.begin + 1, unit.span.end)}, "unexpected `" + std::string(slice(unit.span).substr(0, 1)) + "`"};
    if (built.problems.empty()) {
      if (soundLines_.size() >= kMostSoundLines)
        soundLines_.clear();
      if (all.size() <= kLongestFragment)
        soundLines_.insert(std::move(all));
      return verdict;
    }
    const Problem &problem = built.problems.front();
    verdict.ok = false;
    uint32_t begin = std::max(problem.span.begin, offset) - offset, end = std::max(problem.span.end, offset) - offset;
    verdict.span = {std::min(unit.span.begin + begin, unit.span.end), std::min(unit.span.begin + end, unit.span.end)};
    verdict.message = problem.message;
    return verdict;
  }
  verdict.ok = false;
  verdict.message = explain(unit, all, offset, verdict.span);
  return verdict;
}

// What can be read of a broken line, for features that look at half-typed text.
int Repair::fragment(const Unit &unit) {
  if (unit.span.size() > kLongestFragment || unit.line->problem == LineProblem::TooDeep || fragments_.size() >= 200)
    return -1;
  Fragment fragment;
  fragment.text.copy(text_, unit.span);
  if (!unit.line->closers.empty())
    fragment.text.make(unit.line->closers, {unit.span.end, unit.span.end});
  if (parsed_ && unit.span.size() == text_.size() && unit.line->closers.empty())
    trees_.push_back(std::move(parsed_));
  else
    trees_.push_back(parseText(parser_, fragment.text.text));
  if (!trees_.back())
    return -1;
  fragment.tree = trees_.back().get();
  fragments_.push_back(std::move(fragment));
  return static_cast<int>(fragments_.size() - 1);
}

void Repair::simple(const Unit &unit, size_t index) {
  const Line &line = *unit.line;
  Verdict verdict;
  if (forced_[index])
    verdict = *forced_[index];
  else if (line.problem != LineProblem::None)
    verdict = lineProblem(line);
  else
    verdict = judge(unit);
  if (verdict.ok && line.endsWithContinuation) {
    verdict.ok = false;
    verdict.span = {line.end > line.begin ? line.end - 1 : line.begin, line.end};
    verdict.message = "unexpected end of the text behind `\\`";
  }
  if (verdict.ok) {
    out_.copy(text_, unit.span);
    return;
  }
  diagnose(line, verdict);
  if (unit.wrap == Wrap::Decorator) {
    out_.make("@", {unit.span.begin, unit.span.begin});
    out_.make("_", unit.span, true, -1);
    return;
  }
  out_.make("_", unit.span, true, fragment(unit));
}

// A line with a body: its header, and the statements behind the colon if they are on the same line.
void Repair::header(size_t index, const Line &line, bool orphan) {
  bool hasColon = line.colon != kNowhere && line.colon < line.end;
  Span head{line.begin, hasColon ? line.colon + 1 : line.end};
  uint32_t bodyAt = hasColon ? skipBlanks(text_.substr(0, line.end), line.colon + 1) : line.end;
  Unit unit{Wrap::Header, line.opener, head, &line};
  bool bodyHere = bodyAt < line.end;
  bool problemInHead = line.problem != LineProblem::None && line.where.begin < head.end;
  Verdict verdict;
  if (line.opener == Opener::None) { // ends with a colon and has a block, but no statement begins like this
    verdict.ok = false;
    uint32_t length = std::max(1u, tokenLength(text_, line.begin));
    verdict.span = {line.begin, std::min(line.begin + length, line.end)};
    verdict.message = "`" + std::string(slice(verdict.span).substr(0, 40)) + "` does not begin a block";
  } else if (forced_[index]) {
    verdict = *forced_[index];
  } else if (problemInHead) {
    verdict = lineProblem(line);
  } else {
    verdict = judge(unit);
  }
  if (!verdict.ok)
    diagnose(line, verdict);

  if (verdict.ok && !orphan) {
    out_.copy(text_, head);
  } else if (orphan || line.opener == Opener::None) {
    out_.make("if _:", head, true);
  } else {
    // The longest beginning that still parses, completed by what is missing.
    bool done = false;
    if (head.size() <= 4096 && line.problem != LineProblem::TooDeep) {
      std::vector<std::string> endings;
      if (hasColon) {
        // Nothing to append behind the colon; the shorter forms below apply.
      } else {
        for (std::string_view ending : {":", " _:", " in _:"})
          endings.push_back((problemInHead ? line.closers : "") + std::string(ending));
      }
      for (const std::string &ending : endings) {
        if (!parses(unit, std::string(slice(head)) + ending))
          continue;
        out_.copy(text_, head);
        out_.make(ending, {head.end, head.end}, true);
        done = true;
        break;
      }
    }
    if (!done && (line.opener == Opener::Def || line.opener == Opener::Class)) {
      // Keep the name at least.
      uint32_t at = head.begin;
      std::string_view limited = text_.substr(0, head.end);
      if (line.async)
        at = skipBlanks(limited, at + 5);
      at = skipBlanks(limited, at + (line.opener == Opener::Def ? 3 : 5));
      uint32_t length = at < head.end ? tokenLength(limited, at) : 0;
      unsigned char first = at < head.end ? static_cast<unsigned char>(text_[at]) : ' ';
      bool word = length > 0 && (std::isalpha(first) || first == '_' || first >= 0x80) && !isKeyword(text_.substr(at, length));
      std::string rest = line.opener == Opener::Def ? "():" : ":";
      Unit probe = unit;
      std::string kept = word ? std::string(slice({head.begin, at + length})) : std::string();
      if (word && parses(probe, kept + rest)) {
        out_.copy(text_, {head.begin, at + length});
        out_.make(rest, {at + length, head.end}, true);
        done = true;
      } else {
        std::string begin = line.async ? "async " : "";
        out_.make(begin + (line.opener == Opener::Def ? "def _():" : "class _:"), head, true);
        done = true;
      }
    }
    if (!done) {
      std::string_view form;
      switch (line.opener) {
      case Opener::Elif: form = "elif _:"; break;
      case Opener::Else: form = "else:"; break;
      case Opener::For: form = "for _ in _:"; break;
      case Opener::While: form = "while _:"; break;
      case Opener::Try: form = "try:"; break;
      case Opener::Except: form = "except:"; break;
      case Opener::Finally: form = "finally:"; break;
      case Opener::With: form = "with _:"; break;
      case Opener::Match: form = "match _:"; break;
      case Opener::Case: form = "case _:"; break;
      default: form = "if _:"; break;
      }
      out_.make(form, head, true);
    }
  }
  if (bodyHere) {
    out_.make(" ", {bodyAt, bodyAt});
    simple({Wrap::Simple, Opener::None, {bodyAt, line.end}, &line}, index);
  }
}

void Repair::finishTry(Level &level) {
  if (level.tryAt == kNowhere)
    return;
  bool said = lineDiagnosed_;
  lineDiagnosed_ = false;
  diagnose(Code::SyntaxError, {level.tryAt, level.tryAt + 3}, "`try` has neither `except` nor `finally`");
  lineDiagnosed_ = said;
  indent(level.depth);
  out_.make("finally: pass", {here_, here_}, true);
  out_.make("\n", {here_, here_});
  level.tryAt = kNowhere;
}

void Repair::compose() {
  out_ = ParsedText();
  fragments_.clear();
  trees_.clear();
  diagnostics_.clear();
  levels_.clear();
  const Line *before = nullptr; // the header that waits for its block
  bool waits = false, waitsSaid = false;
  bool tooDeep = false;
  uint32_t deepColumn = 0;

  // A decorator needs a definition behind the decorators.
  std::vector<bool> stray(lines_.size(), false), strayLast(lines_.size(), false);
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].opener != Opener::Decorator)
      continue;
    size_t end = i;
    while (end < lines_.size() && lines_[end].opener == Opener::Decorator && lines_[end].column == lines_[i].column)
      ++end;
    bool defines = end < lines_.size() && lines_[end].column == lines_[i].column &&
                   (lines_[end].opener == Opener::Def || lines_[end].opener == Opener::Class);
    for (size_t k = i; k < end; ++k)
      stray[k] = !defines, strayLast[k] = !defines && k + 1 == end;
    i = end - 1;
  }

  auto missingBlock = [&]() {
    // Directly behind the header.
    if (!waitsSaid) {
      uint32_t end = before->end;
      lineDiagnosed_ = false;
      std::string_view word = slice({before->begin, before->begin + tokenLength(text_, before->begin)});
      diagnose(Code::SyntaxError, {end > before->begin ? end - 1 : end, end}, "expected an indented block behind `" + std::string(word) + "`");
    }
    here_ = before->end;
    if (before->opener == Opener::Match) {
      out_.make("\n", {here_, here_});
      indent(levels_.back().depth + 1);
      out_.make("case _: pass", {here_, here_}, true);
    } else {
      out_.make(" pass", {here_, here_}, true);
    }
    waits = false;
  };

  for (size_t i = 0; i < lines_.size(); ++i) {
    const Line &line = lines_[i];
    if (tooDeep && line.column >= deepColumn)
      continue;
    tooDeep = false;
    std::optional<Verdict> misplaced; // where the line stands is wrong
    auto firstToken = [&] { return Span{line.begin, std::min(line.begin + std::max(1u, tokenLength(text_, line.begin)), line.end)}; };

    if (levels_.empty()) {
      levels_.push_back({line.column, line.tabless, 0});
      if (line.column > 0)
        misplaced = Verdict{false, firstToken(), "unexpected indent"};
    } else {
      bool deeper = line.column > levels_.back().column;
      if (waits && deeper) {
        int depth = levels_.back().depth + 1;
        if (depth > kDeepestBlock) {
          lineDiagnosed_ = false;
          diagnose(Code::NestingLimit, firstToken(), "blocks nested deeper than " + std::to_string(kDeepestBlock) + " levels");
          waitsSaid = true;
          missingBlock();
          tooDeep = true;
          deepColumn = line.column;
          out_.make("\n", {here_, here_});
          waits = false;
          continue;
        }
        if (line.tabless <= levels_.back().tabless)
          misplaced = Verdict{false, firstToken(), "indentation mixes tabs and blanks"};
        levels_.push_back({line.column, line.tabless, depth, before->opener == Opener::Match});
        waits = false;
        out_.make("\n", {here_, here_});
      } else {
        if (waits)
          missingBlock();
        out_.make("\n", {here_, here_});
        if (deeper) {
          misplaced = Verdict{false, firstToken(), "unexpected indent"};
          Level level = levels_.back();
          levels_.back().tryAt = kNowhere; // the copy goes on with it
          level.column = line.column, level.tabless = line.tabless;
          levels_.push_back(level);
        } else {
          Level popped{};
          while (levels_.size() > 1 && levels_.back().column > line.column) {
            Level &below = levels_[levels_.size() - 2];
            popped = levels_.back();
            if (below.depth == popped.depth) // an unexpected indent: the level it was taken from goes on
              below.clauses = popped.clauses, below.tryAt = popped.tryAt;
            else if (below.column >= line.column)
              finishTry(levels_.back());
            else
              break;
            levels_.pop_back();
          }
          if (levels_.back().column != line.column) {
            // Between two levels: taken to belong to the deeper one.
            misplaced = Verdict{false, firstToken(), "indentation matches no enclosing block"};
            if (levels_.back().column < line.column) {
              popped.column = line.column, popped.tabless = line.tabless;
              levels_.push_back(popped);
            } else {
              levels_.back().column = line.column, levels_.back().tabless = line.tabless;
            }
          } else if (levels_.back().tabless != line.tabless && !misplaced) {
            misplaced = Verdict{false, firstToken(), "indentation mixes tabs and blanks"};
          }
        }
      }
    }
    here_ = line.begin;
    Level *level = &levels_.back();
    lineDiagnosed_ = false;

    // Clauses need their statement, cases their match.
    bool clause = Clauses::isClause(line.opener);
    bool orphan = line.opener == Opener::Case ? !level->cases : !level->clauses.admit(line.opener);
    bool ownTry = level->tryAt != kNowhere;
    if (ownTry && (!clause || orphan)) {
      finishTry(*level);
      lineDiagnosed_ = false;
    }
    bool wrongCase = level->cases && line.opener != Opener::Case;
    indent(level->depth, misplaced.has_value());

    bool block = line.opener > Opener::Decorator;
    bool nextDeeper = i + 1 < lines_.size() && lines_[i + 1].column > line.column;
    if (line.opener == Opener::None && line.endsWithColon && nextDeeper)
      block = true;
    if (misplaced)
      diagnose(Code::SyntaxError, misplaced->span, misplaced->message);
    if (wrongCase) {
      if (level->wrongCase)
        lineDiagnosed_ = true;
      level->wrongCase = true;
      diagnose(Code::SyntaxError, firstToken(), "expected `case`");
      out_.make("case _:", {line.begin, line.end}, true);
      if (!(block && line.wantsBlock()))
        out_.make(" pass", {line.end, line.end});
    } else if (block) {
      if (orphan) {
        std::string_view word = slice(firstToken());
        diagnose(Code::SyntaxError, firstToken(), "`" + std::string(word) + "` has no statement to belong to");
      }
      header(i, line, orphan);
    } else if (stray[i]) {
      if (strayLast[i])
        diagnose(Code::SyntaxError, {line.begin, line.begin + 1}, "expected `def` or `class` behind a decorator");
      out_.make("_", {line.begin, line.end}, true);
    } else if (misplaced) {
      out_.make("_", {line.begin, line.end}, true, fragment({Wrap::Simple, Opener::None, {line.begin, line.end}, &line}));
    } else {
      simple({line.opener == Opener::Decorator ? Wrap::Decorator : Wrap::Simple, line.opener, {line.begin, line.end}, &line}, i);
    }

    // What may follow at this level.
    if (orphan)
      level->clauses = {};
    else
      level->clauses.follow(line.opener);
    if (line.opener == Opener::Try)
      level->tryAt = line.begin;
    else if (!orphan && (line.opener == Opener::Except || line.opener == Opener::Finally))
      level->tryAt = kNowhere;
    waits = block && line.wantsBlock();
    waitsSaid = lineDiagnosed_;
    before = &line;
  }
  if (waits)
    missingBlock();
  out_.make("\n", {here_, here_});
  while (!levels_.empty()) {
    finishTry(levels_.back());
    int depth = levels_.back().depth;
    while (!levels_.empty() && levels_.back().depth == depth)
      levels_.pop_back();
  }
}

void Repair::run() {
  for (int round = 0; round < 4; ++round) {
    compose();
    TreeHandle tree = parseText(parser_, out_.text);
    std::vector<std::pair<size_t, Verdict>> found;
    auto lineAt = [&](uint32_t original) {
      auto after = std::upper_bound(lines_.begin(), lines_.end(), original, [](uint32_t at, const Line &line) { return at < line.begin; });
      return static_cast<size_t>(after == lines_.begin() ? 0 : after - lines_.begin() - 1);
    };
    if (sound(tree)) {
      tree_.nodes.clear();
      tree_.operatorTexts.clear();
      tree_.diagnostics.clear();
      Built built = buildTree({text_, &out_, ts_tree_root_node(tree.get()), &fragments_}, tree_);
      for (Problem &problem : built.problems)
        found.push_back({lineAt(problem.span.begin), {false, problem.span, std::move(problem.message)}});
      if (found.empty()) {
        // The builder's own diagnostics (nesting) and the lines', in order of place.
        tree_.diagnostics.insert(tree_.diagnostics.end(), diagnostics_.begin(), diagnostics_.end());
        std::stable_sort(tree_.diagnostics.begin(), tree_.diagnostics.end(),
                         [](const Diagnostic &a, const Diagnostic &b) { return a.span.begin < b.span.begin; });
        return;
      }
    } else if (tree) {
      // An error that no line has by itself.
      TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
      for (bool more = true; more;) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        if (ts_node_is_error(node) || ts_node_is_missing(node)) {
          uint32_t at = skipBlanks(out_.text, ts_node_start_byte(node));
          uint32_t original = std::min(out_.originalBegin(at), static_cast<uint32_t>(text_.size()));
          size_t line = lineAt(original);
          uint32_t length = std::max(1u, tokenLength(text_, original));
          found.push_back({line, {false, {original, std::min<uint32_t>(original + length, static_cast<uint32_t>(text_.size()))}, "unexpected `" +
                                  std::string(text_.substr(original, std::min(length, 40u))) + "`"}});
        } else if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) {
          continue;
        }
        while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
          if (!ts_tree_cursor_goto_parent(&cursor)) {
            more = false;
            break;
          }
        }
      }
      ts_tree_cursor_delete(&cursor);
    }
    bool changed = false;
    for (auto &[line, verdict] : found) {
      if (!forced_[line]) {
        forced_[line] = std::move(verdict);
        changed = true;
      }
    }
    if (!changed)
      break;
  }
  // Not expected: some shape that no line explains. One Error for the whole item.
  Span whole{0, static_cast<uint32_t>(text_.size())};
  tree_.nodes.assign(1, {Kind::Error, Form::Plain, Role::None, kHasError, whole, {}, kNoNode, kNoNode, kNoNode, 0});
  tree_.operatorTexts.clear();
  tree_.diagnostics.clear();
  if (diagnostics_.empty())
    diagnose(Code::SyntaxError, {lines_[0].begin, std::min(lines_[0].begin + 1, whole.end)}, "this statement is not Python");
  tree_.diagnostics = diagnostics_;
}

} // namespace

ItemParser::ItemParser() : parser_(ts_parser_new()) {
  TW_CHECK(parser_ && ts_parser_set_language(parser_, tree_sitter_tilewright()), "the grammar's ABI is one the runtime reads");
}

ItemParser::~ItemParser() { ts_parser_delete(parser_); }

std::shared_ptr<const Tree> ItemParser::parse(std::string text, TSTree *old, TSTree **kept) {
  auto tree = std::make_shared<Tree>();
  tree->text = std::move(text);
  std::string_view source = tree->text;
  std::vector<Line> lines;
  LineReader reader(source);
  for (Line line; reader.next(line);)
    lines.push_back(line);
  if (lines.empty()) {
    tree->nodes.push_back({Kind::Error, Form::Plain, Role::None, kHasError, {0, static_cast<uint32_t>(source.size())}, {}, kNoNode, kNoNode, kNoNode, 0});
    tree->diagnostics.push_back({Code::SyntaxError, info(Code::SyntaxError).severity, {0, static_cast<uint32_t>(source.size())}, "a byte order mark stands only at the beginning of a file", {}, {}});
    return tree;
  }
  TreeHandle parsed;
  if (soundLines(lines)) {
    parsed = parseText(parser_, source, old);
    if (!sound(parsed) && old)
      parsed = parseText(parser_, source);
    if (sound(parsed)) {
      tree->nodes.reserve(source.size() / 3);
      Built built = buildTree({source, nullptr, ts_tree_root_node(parsed.get()), nullptr}, *tree);
      if (built.problems.empty() && startsMatch(lines, built.starts)) {
        if (kept)
          *kept = parsed.release();
        tree->nodes.shrink_to_fit();
        return tree;
      }
    }
  }
  Repair(parser_, soundLines_, source, lines, *tree, std::move(parsed)).run();
  return tree;
}

} // namespace tilewright::syntax
