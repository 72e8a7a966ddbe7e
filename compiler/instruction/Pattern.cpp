#include "instruction/Pattern.h"
#include "instruction/Types.h"
#include "support/Check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace tilewright::instruction {

namespace {
struct Sentence {
  Rule::Kind kind;
  std::string_view text;
};
constexpr std::array kSentences{
    Sentence{Rule::Kind::ForwardPerMode, "each top-level mode has no backward step"},
    Sentence{Rule::Kind::InjectivePerMode, "each top-level mode reaches each of its own slots exactly once"},
    Sentence{Rule::Kind::Forward, "every arrangement has no backward step"},
    Sentence{Rule::Kind::Injective, "every arrangement reaches each of its own slots exactly once"},
    Sentence{Rule::Kind::PlainArrangement, "every plain arrangement is a static strided layout with no swizzle and zero offset, and, where it is sharded, one "
                                           "every participant holds whole"},
    Sentence{Rule::Kind::TensorMap, "every tensormap: one dim per mode of the tile, the mode at step 1 first"},
    Sentence{Rule::Kind::BoxDims, "every box: each tile axis's modes, contiguous ones joined up to 256 elements, one dim each, in increasing step"},
    Sentence{Rule::Kind::WholeVectors, "every run: each tile axis's modes walked fastest first, contiguous ones joined; the run at step 1 and every other step "
                                       "a whole number of vectors"},
};
struct Comparison {
  Rule::Op op;
  std::string_view text;
};
// The longer spellings first.
constexpr std::array kComparisons{Comparison{Rule::Op::Eq, "=="}, Comparison{Rule::Op::Ne, "!="}, Comparison{Rule::Op::Le, "<="},
                                  Comparison{Rule::Op::Ge, ">="}, Comparison{Rule::Op::Lt, "<"},  Comparison{Rule::Op::Gt, ">"}};

struct Operation {
  Term::Kind kind;
  std::string_view text;
  bool product; // binds tighter than a sum
};
constexpr std::array kOperations{Operation{Term::Kind::Add, "+", false}, Operation{Term::Kind::Sub, "-", false}, Operation{Term::Kind::Mul, "*", true},
                                 Operation{Term::Kind::FloorDiv, "//", true}, Operation{Term::Kind::Mod, "%", true}};

const Operation *operation(Term::Kind kind) {
  const auto found = std::find_if(kOperations.begin(), kOperations.end(), [&](const Operation &one) { return one.kind == kind; });
  return found == kOperations.end() ? nullptr : &*found;
}

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// One text of a row, read from left to right.
class Reader {
public:
  explicit Reader(std::string_view text) : whole_(text), rest_(text) {}

  bool at(std::string_view token) {
    skip();
    return rest_.starts_with(token);
  }
  bool take(std::string_view token) {
    if (!at(token))
      return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) { TW_CHECK(take(token), ("`" + std::string(token) + "` is missing in the pattern `" + std::string(whole_) + "`").c_str()); }
  /// A name at this place, not taken.
  std::string_view name() {
    skip();
    size_t end = 0;
    while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) || rest_[end] == '_' || rest_[end] == '.'))
      ++end;
    return rest_.substr(0, end);
  }
  bool takeName(std::string_view wanted) {
    if (name() != wanted)
      return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  std::string takeName() {
    const std::string_view found = name();
    TW_CHECK(!found.empty(), ("a name is missing in the pattern `" + std::string(whole_) + "`").c_str());
    rest_.remove_prefix(found.size());
    return std::string(found);
  }
  std::string quoted() {
    expect("'");
    std::string text = takeName();
    expect("'");
    return text;
  }
  int64_t number() {
    const std::string text = takeName();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    TW_CHECK(error == std::errc() && end == text.data() + text.size(), ("a number is missing in the pattern `" + std::string(whole_) + "`").c_str());
    return value;
  }
  void finish() {
    skip();
    TW_CHECK(rest_.empty(), ("nothing may follow in the pattern `" + std::string(whole_) + "`, but `" + std::string(rest_) + "` does").c_str());
  }

  Term term() { return sum(); }
  TuplePattern tuple();
  LayoutPattern layout();
  MeshPattern mesh();

private:
  void skip() {
    while (!rest_.empty() && rest_.front() == ' ')
      rest_.remove_prefix(1);
  }
  bool isNumber() {
    const std::string_view next = name();
    return !next.empty() && std::isdigit(static_cast<unsigned char>(next.front()));
  }
  Term sum() {
    Term left = product();
    for (;;) {
      if (take("+"))
        left = Term{Term::Kind::Add, 0, {}, {}, {left, product()}};
      else if (take("-"))
        left = Term{Term::Kind::Sub, 0, {}, {}, {left, product()}};
      else
        return left;
    }
  }
  Term product() {
    Term left = atom();
    for (;;) {
      if (take("*"))
        left = Term{Term::Kind::Mul, 0, {}, {}, {left, atom()}};
      else if (take("//"))
        left = Term{Term::Kind::FloorDiv, 0, {}, {}, {left, atom()}};
      else if (take("%"))
        left = Term{Term::Kind::Mod, 0, {}, {}, {left, atom()}};
      else
        return left;
    }
  }
  Term atom() {
    Term term;
    if (take("(")) { // a list with an index, or brackets
      term = sum();
      if (take(")"))
        return term;
      Term table;
      table.kind = Term::Kind::Table;
      table.table.push_back(term.number);
      while (take(","))
        table.table.push_back(number());
      expect(")");
      expect("[");
      table.operands = {sum()};
      expect("]");
      return table;
    }
    if (isNumber()) {
      term.kind = Term::Kind::Number;
      term.number = number();
      return term;
    }
    const std::string symbol = takeName();
    if (symbol == "_")
      return term;
    if (symbol == "None") {
      term.kind = Term::Kind::None;
      return term;
    }
    if (symbol == "Bits") {
      term.kind = Term::Kind::Bits;
      expect("(");
      term.symbol = quoted();
      expect(")");
      return term;
    }
    term.kind = Term::Kind::Symbol;
    term.symbol = symbol;
    return term;
  }

  std::string_view whole_, rest_;
};

TuplePattern Reader::tuple() {
  TuplePattern pattern;
  if (take("(")) {
    pattern.kind = TuplePattern::Kind::Tuple;
    while (!take(")")) {
      pattern.elements.push_back(tuple());
      if (!take(",")) {
        expect(")");
        break;
      }
    }
    return pattern;
  }
  if (take("*")) {
    pattern.kind = TuplePattern::Kind::Star;
    pattern.term = atom();
    if (take("{")) {
      do
        pattern.among.push_back(number());
      while (take(","));
      expect("}");
    }
    return pattern;
  }
  pattern.term = term();
  return pattern;
}

LayoutPattern Reader::layout() {
  LayoutPattern pattern;
  const std::string word = takeName();
  if (word == "_")
    return pattern;
  if (word == "None") {
    pattern.kind = LayoutPattern::Kind::None;
    return pattern;
  }
  if (word == "layout") {
    pattern.kind = LayoutPattern::Kind::Layout;
    return pattern;
  }
  expect("(");
  if (word == "Layout") {
    pattern.kind = LayoutPattern::Kind::Strided;
    pattern.shape = tuple();
    expect(",");
    pattern.strides = tuple();
  } else if (word == "ComposedLayout") {
    pattern.kind = LayoutPattern::Kind::Composed;
    if (!takeName("None")) {
      expect("Swizzle");
      expect("(");
      pattern.swizzle.emplace();
      pattern.swizzle->bits = term();
      expect(",");
      pattern.swizzle->base = term();
      expect(",");
      pattern.swizzle->shift = term();
      expect(")");
    }
    expect(",");
    pattern.offset = term();
    expect(",");
    pattern.inner = std::make_shared<const LayoutPattern>(layout());
  } else {
    TW_CHECK(word == "ShardLayout", ("`" + word + "` is no layout pattern").c_str());
    pattern.kind = LayoutPattern::Kind::Shard;
    pattern.inner = std::make_shared<const LayoutPattern>(layout());
    expect(",");
    if (!takeName("_")) {
      pattern.states.emplace();
      expect("(");
      while (!take(")")) {
        StatePattern state;
        state.split = takeName() == "S";
        expect("(");
        if (state.split)
          state.mode = static_cast<int>(number());
        expect(")");
        pattern.states->push_back(state);
        take(",");
      }
    }
    expect(",");
    pattern.mesh = std::make_shared<const MeshPattern>(mesh());
  }
  expect(")");
  return pattern;
}

MeshPattern Reader::mesh() {
  MeshPattern pattern;
  if (takeName("_")) {
    pattern.any = true;
    return pattern;
  }
  expect("Mesh");
  expect("(");
  if (!takeName("_")) {
    expect("(");
    pattern.level = quoted();
    expect(",");
    expect(")");
  }
  expect(",");
  pattern.layout = layout();
  expect(")");
  return pattern;
}

/// The whole of `text` as one thing.
template <typename Read> auto parsed(std::string_view text, Read read) {
  Reader reader(text);
  auto result = read(reader);
  reader.finish();
  return result;
}

void collect(const Term &term, std::vector<std::string> &out) {
  if (!term.symbol.empty() && std::find(out.begin(), out.end(), term.symbol) == out.end())
    out.push_back(term.symbol);
  for (const Term &operand : term.operands)
    collect(operand, out);
}

std::optional<bool> compare(int64_t left, Rule::Op op, int64_t right) {
  switch (op) {
  case Rule::Op::Eq: return left == right;
  case Rule::Op::Ne: return left != right;
  case Rule::Op::Lt: return left < right;
  case Rule::Op::Le: return left <= right;
  case Rule::Op::Gt: return left > right;
  case Rule::Op::Ge: return left >= right;
  }
  return std::nullopt;
}
} // namespace

// ---- bindings and evaluation
const BoundValue *find(const Bindings &bindings, std::string_view symbol) {
  for (const auto &[name, value] : bindings)
    if (name == symbol)
      return &value;
  return nullptr;
}

std::optional<int64_t> integer(const Bindings &bindings, std::string_view symbol) {
  const BoundValue *value = find(bindings, symbol);
  const int64_t *number = value ? std::get_if<int64_t>(value) : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<int64_t> evaluate(const Term &term, const Bindings &bindings) {
  switch (term.kind) {
  case Term::Kind::Any:
  case Term::Kind::None:
    return std::nullopt;
  case Term::Kind::Number:
    return term.number;
  case Term::Kind::Symbol:
    return integer(bindings, term.symbol);
  case Term::Kind::Bits: {
    const BoundValue *value = find(bindings, term.symbol);
    const std::string *text = value ? std::get_if<std::string>(value) : nullptr;
    const auto dtype = text ? dtypeNamed(*text) : std::nullopt;
    return dtype ? std::optional<int64_t>(bits(*dtype)) : std::nullopt;
  }
  case Term::Kind::Table: {
    const auto index = evaluate(term.operands[0], bindings);
    if (!index || *index < 0 || *index >= static_cast<int64_t>(term.table.size()))
      return std::nullopt;
    return term.table[static_cast<size_t>(*index)];
  }
  default: {
    const auto left = evaluate(term.operands[0], bindings), right = evaluate(term.operands[1], bindings);
    if (!left || !right)
      return std::nullopt;
    int64_t result = 0;
    switch (term.kind) {
    case Term::Kind::Add: return __builtin_add_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case Term::Kind::Sub: return __builtin_sub_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case Term::Kind::Mul: return __builtin_mul_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    default:
      if (*right == 0 || *right == -1) // the only division that overflows; no row divides by it
        return std::nullopt;
      result = floorDivide(*left, *right);
      return term.kind == Term::Kind::FloorDiv ? result : *left - result * *right;
    }
  }
  }
}

std::optional<int64_t> solve(const Term &term, int64_t value, std::string_view symbol, const Bindings &bindings) {
  switch (term.kind) {
  case Term::Kind::Symbol:
    return term.symbol == symbol ? std::optional(value) : std::nullopt;
  case Term::Kind::Table: {
    std::optional<int64_t> index;
    for (size_t i = 0; i < term.table.size(); ++i)
      if (term.table[i] == value) {
        if (index)
          return std::nullopt;
        index = static_cast<int64_t>(i);
      }
    return index ? solve(term.operands[0], *index, symbol, bindings) : std::nullopt;
  }
  case Term::Kind::Add:
  case Term::Kind::Sub:
  case Term::Kind::Mul: {
    const auto left = evaluate(term.operands[0], bindings), right = evaluate(term.operands[1], bindings);
    if (left.has_value() == right.has_value())
      return std::nullopt;
    const Term &open = term.operands[left ? 1 : 0];
    const int64_t known = left ? *left : *right;
    int64_t rest = 0;
    if (term.kind == Term::Kind::Mul) {
      if (known == 0 || known == -1 || value % known != 0)
        return std::nullopt;
      return solve(open, value / known, symbol, bindings);
    }
    const bool overflow = term.kind == Term::Kind::Add ? __builtin_sub_overflow(value, known, &rest)
                          : left                       ? __builtin_sub_overflow(known, value, &rest)
                                                       : __builtin_add_overflow(value, known, &rest);
    return overflow ? std::nullopt : solve(open, rest, symbol, bindings);
  }
  default:
    return std::nullopt;
  }
}

std::vector<std::string> symbols(const Term &term) {
  std::vector<std::string> out;
  collect(term, out);
  return out;
}

std::optional<bool> holds(const Rule &rule, const Bindings &bindings) {
  if (rule.kind == Rule::Kind::Compare) {
    std::optional<int64_t> left = evaluate(rule.terms[0], bindings);
    for (size_t i = 0; i < rule.ops.size(); ++i) {
      const auto right = evaluate(rule.terms[i + 1], bindings);
      if (!left || !right)
        return std::nullopt;
      if (!*compare(*left, rule.ops[i], *right))
        return false;
      left = right;
    }
    return true;
  }
  if (rule.kind != Rule::Kind::In || rule.terms[0].kind != Term::Kind::Symbol)
    return std::nullopt;
  const BoundValue *value = find(bindings, rule.terms[0].symbol);
  if (!value)
    return std::nullopt;
  const std::string text = print(*value);
  // A storage is bound as `GMEM` and listed as `gmem`; the member of an enum is bound without its type.
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::any_of(rule.members.begin(), rule.members.end(), [&](const std::string &member) {
    const std::string_view last = std::string_view(member).substr(member.rfind('.') + 1);
    return std::equal(last.begin(), last.end(), text.begin(), text.end(), [&](char a, char b) { return lower(a) == lower(b); });
  });
}

std::vector<std::string> symbols(const Rule &rule) {
  std::vector<std::string> out;
  for (const Term &term : rule.terms)
    collect(term, out);
  return out;
}

// ---- parsing
Term parseTerm(std::string_view text) {
  return parsed(text, [](Reader &reader) { return reader.term(); });
}
TuplePattern parseTuple(std::string_view text) {
  return parsed(text, [](Reader &reader) { return reader.tuple(); });
}
LayoutPattern parseLayout(std::string_view text) {
  return parsed(text, [](Reader &reader) { return reader.layout(); });
}
MeshPattern parseMesh(std::string_view text) {
  return parsed(text, [](Reader &reader) { return reader.mesh(); });
}

Rule parseRule(std::string_view text) {
  Rule rule;
  for (const Sentence &sentence : kSentences)
    if (sentence.text == text) {
      rule.kind = sentence.kind;
      return rule;
    }
  Reader reader(text);
  rule.terms.push_back(reader.term());
  if (reader.takeName("in")) {
    rule.kind = Rule::Kind::In;
    reader.expect("{");
    while (!reader.take("}")) {
      rule.members.push_back(reader.takeName());
      reader.take(",");
    }
  } else {
    for (bool more = true; more;) {
      const auto found = std::find_if(kComparisons.begin(), kComparisons.end(), [&](const Comparison &one) { return reader.take(one.text); });
      more = found != kComparisons.end();
      if (more) {
        rule.ops.push_back(found->op);
        rule.terms.push_back(reader.term());
      }
    }
    TW_CHECK(!rule.ops.empty(), ("`" + std::string(text) + "` is no rule").c_str());
  }
  reader.finish();
  return rule;
}

std::vector<Rule> parseRules(const std::vector<std::string_view> &texts) {
  std::vector<Rule> rules;
  for (std::string_view text : texts)
    rules.push_back(parseRule(text));
  return rules;
}

// ---- printing
std::string print(const Term &term) {
  switch (term.kind) {
  case Term::Kind::Any: return "_";
  case Term::Kind::None: return "None";
  case Term::Kind::Number: return std::to_string(term.number);
  case Term::Kind::Symbol: return term.symbol;
  case Term::Kind::Bits: return "Bits('" + term.symbol + "')";
  case Term::Kind::Table: {
    std::string out = "(";
    for (size_t i = 0; i < term.table.size(); ++i)
      out += (i ? ", " : "") + std::to_string(term.table[i]);
    return out + (term.table.size() == 1 ? ",)[" : ")[") + print(term.operands[0]) + "]";
  }
  default: {
    const Operation &own = *operation(term.kind);
    std::string out;
    for (size_t side = 0; side < 2; ++side) {
      const Term &operand = term.operands[side];
      const Operation *inner = operation(operand.kind);
      const bool brackets = inner && ((own.product && !inner->product) || (side == 1 && own.product == inner->product));
      out += brackets ? "(" + print(operand) + ")" : print(operand);
      if (side == 0)
        out += " " + std::string(own.text) + " ";
    }
    return out;
  }
  }
}

std::string print(const TuplePattern &pattern) {
  if (pattern.kind != TuplePattern::Kind::Tuple)
    return (pattern.kind == TuplePattern::Kind::Star ? "*" : "") + print(pattern.term);
  std::string out = "(";
  for (size_t i = 0; i < pattern.elements.size(); ++i)
    out += (i ? ", " : "") + print(pattern.elements[i]);
  return out + (pattern.elements.size() == 1 ? ",)" : ")");
}

std::string print(const LayoutPattern &pattern) {
  switch (pattern.kind) {
  case LayoutPattern::Kind::Any: return "_";
  case LayoutPattern::Kind::None: return "None";
  case LayoutPattern::Kind::Layout: return "layout";
  case LayoutPattern::Kind::Strided: return "Layout(" + print(*pattern.shape) + ", " + print(*pattern.strides) + ")";
  case LayoutPattern::Kind::Composed: {
    const auto &swizzle = pattern.swizzle;
    const std::string inner = swizzle ? "Swizzle(" + print(swizzle->bits) + ", " + print(swizzle->base) + ", " + print(swizzle->shift) + ")" : "None";
    return "ComposedLayout(" + inner + ", " + print(pattern.offset) + ", " + print(*pattern.inner) + ")";
  }
  case LayoutPattern::Kind::Shard: {
    std::string states = "_";
    if (pattern.states) {
      states = "(";
      for (size_t i = 0; i < pattern.states->size(); ++i) {
        const StatePattern &state = (*pattern.states)[i];
        states += (i ? ", " : "") + (state.split ? "S(" + std::to_string(state.mode) + ")" : std::string("B()"));
      }
      states += pattern.states->size() == 1 ? ",)" : ")";
    }
    return "ShardLayout(" + print(*pattern.inner) + ", " + states + ", " + print(*pattern.mesh) + ")";
  }
  }
  return {};
}

std::string print(const MeshPattern &pattern) {
  if (pattern.any)
    return "_";
  return "Mesh(" + (pattern.level ? "('" + *pattern.level + "',)" : std::string("_")) + ", " + print(pattern.layout) + ")";
}

std::string print(const Rule &rule) {
  for (const Sentence &sentence : kSentences)
    if (sentence.kind == rule.kind)
      return std::string(sentence.text);
  std::string out = print(rule.terms[0]);
  if (rule.kind == Rule::Kind::In) {
    out += " in {";
    for (size_t i = 0; i < rule.members.size(); ++i)
      out += (i ? ", " : "") + rule.members[i];
    return out + "}";
  }
  for (size_t i = 0; i < rule.ops.size(); ++i) {
    const auto found = std::find_if(kComparisons.begin(), kComparisons.end(), [&](const Comparison &one) { return one.op == rule.ops[i]; });
    out += " " + std::string(found->text) + " " + print(rule.terms[i + 1]);
  }
  return out;
}

std::string print(const BoundValue &value) {
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  if (const auto *number = std::get_if<int64_t>(&value))
    return std::to_string(*number);
  const auto &numbers = std::get<std::vector<int64_t>>(value);
  std::string out = "(";
  for (size_t i = 0; i < numbers.size(); ++i)
    out += (i ? ", " : "") + std::to_string(numbers[i]);
  return out + (numbers.size() == 1 ? ",)" : ")");
}

} // namespace tilewright::instruction
