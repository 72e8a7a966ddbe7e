#include "syntax/Ast.h"

#include <algorithm>

namespace tilewright::syntax {

std::string_view name(Kind kind) {
  static constexpr std::string_view names[] = {
#define TW_NODE(Name, Children) #Name,
#include "syntax/Nodes.def"
  };
  return names[static_cast<size_t>(kind)];
}

std::string_view name(Form form) {
  static constexpr std::string_view names[] = {
#define TW_FORM(Name, Meaning) #Name,
#include "syntax/Nodes.def"
  };
  return names[static_cast<size_t>(form)];
}

namespace {
/// What an empty node answers: half-typed text can lack any child, so a reader that forgot to ask sees text that is not Python.
const Tree::Entry &entryOf(const Tree *tree, uint32_t index) {
  static const Tree::Entry absent{Kind::Error, Form::Plain, Role::None, kHasError, {}, {}, kNoNode, kNoNode, kNoNode, 0};
  return tree ? tree->nodes[index] : absent;
}
} // namespace

Kind Node::kind() const { return entryOf(tree_, index_).kind; }
Form Node::form() const { return entryOf(tree_, index_).form; }
Role Node::role() const { return entryOf(tree_, index_).role; }
Span Node::span() const { return entryOf(tree_, index_).span; }
bool Node::has(Flag flag) const { return (entryOf(tree_, index_).flags & flag) != 0; }

Span Node::nameSpan() const {
  const Tree::Entry &entry = entryOf(tree_, index_);
  switch (entry.kind) {
  case Kind::FunctionDef:
  case Kind::ClassDef:
  case Kind::Attribute:
  case Kind::Keyword:
  case Kind::Parameter:
  case Kind::Alias:
    return entry.name.empty() ? entry.span : entry.name;
  default:
    return entry.span;
  }
}

std::string_view Node::text() const {
  if (!tree_)
    return {};
  const Tree::Entry &entry = entryOf(tree_, index_);
  if (entry.operators)
    return tree_->operatorTexts[entry.operators - 1];
  return std::string_view(tree_->text).substr(entry.name.begin, entry.name.size());
}

std::string_view Node::source() const {
  if (!tree_)
    return {};
  Span span = this->span();
  return std::string_view(tree_->text).substr(span.begin, span.size());
}

Node Node::parent() const {
  uint32_t at = entryOf(tree_, index_).parent;
  return at == kNoNode ? Node() : Node(tree_, at);
}
Node Node::firstChild() const {
  uint32_t at = entryOf(tree_, index_).firstChild;
  return at == kNoNode ? Node() : Node(tree_, at);
}
Node Node::nextSibling() const {
  uint32_t at = entryOf(tree_, index_).nextSibling;
  return at == kNoNode ? Node() : Node(tree_, at);
}

Node Node::child(Role role) const {
  for (Node child : children())
    if (child.role() == role)
      return child;
  return {};
}

size_t Node::childCount() const {
  size_t count = 0;
  for (uint32_t at = entryOf(tree_, index_).firstChild; at != kNoNode; at = tree_->nodes[at].nextSibling)
    ++count;
  return count;
}

Node::Iterator &Node::Iterator::operator++() {
  at = tree->nodes[at].nextSibling;
  return *this;
}

Node::Range Node::children() const { return {{tree_, entryOf(tree_, index_).firstChild}, {tree_, kNoNode}}; }

std::vector<Node> Node::childrenIn(Role role) const {
  std::vector<Node> found;
  for (Node child : children())
    if (child.role() == role)
      found.push_back(child);
  return found;
}

Node Tree::at(uint32_t offset) const {
  Node node = root();
  for (;;) {
    Node inner;
    for (Node child : node.children()) {
      Span span = child.span();
      if (span.begin <= offset && offset <= span.end)
        inner = child;
    }
    if (!inner)
      return node;
    node = inner;
  }
}

const Item *File::itemAt(uint32_t offset) const {
  auto after = std::upper_bound(items.begin(), items.end(), offset, [](uint32_t at, const Item &item) { return at < item.offset; });
  return after == items.begin() ? nullptr : &*(after - 1);
}

// ---- strings -------------------------------------------------------------------------------------------------------------

namespace {

void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct StringStyle {
  bool raw = false, bytes = false, format = false;
  uint32_t prefix = 0; // letters
  uint32_t quotes = 1;
};
StringStyle styleOf(std::string_view literal) {
  StringStyle style;
  while (style.prefix < literal.size() && literal[style.prefix] != '"' && literal[style.prefix] != '\'') {
    char letter = literal[style.prefix++] | 0x20;
    style.raw |= letter == 'r';
    style.bytes |= letter == 'b';
    style.format |= letter == 'f';
  }
  if (style.prefix < literal.size()) {
    char quote = literal[style.prefix];
    if (literal.substr(style.prefix, 3) == std::string(3, quote))
      style.quotes = 3;
  }
  return style;
}

// The value of the content of a string literal. Line ends become \n as Python reads them.
std::optional<std::string> decode(std::string_view content, const StringStyle &style) {
  std::string out;
  out.reserve(content.size());
  for (size_t i = 0; i < content.size(); ++i) {
    char c = content[i];
    if (c == '\r') {
      if (i + 1 < content.size() && content[i + 1] == '\n')
        ++i;
      out += '\n';
      continue;
    }
    if (style.format && (c == '{' || c == '}') && i + 1 < content.size() && content[i + 1] == c) {
      out += c;
      ++i;
      continue;
    }
    if (c != '\\' || style.raw) {
      if (style.bytes && static_cast<unsigned char>(c) >= 0x80)
        return std::nullopt;
      out += c;
      continue;
    }
    if (++i == content.size()) {
      out += '\\';
      break;
    }
    char e = content[i];
    auto hex = [&](int digits) -> std::optional<uint32_t> {
      uint32_t value = 0;
      for (int d = 0; d < digits; ++d) {
        int digit = ++i < content.size() ? hexDigit(content[i]) : -1;
        if (digit < 0)
          return std::nullopt;
        value = value * 16 + static_cast<uint32_t>(digit);
      }
      return value;
    };
    switch (e) {
    case '\n': break;
    case '\r':
      if (i + 1 < content.size() && content[i + 1] == '\n')
        ++i;
      break;
    case '\\': case '\'': case '"': out += e; break;
    case 'a': out += '\a'; break;
    case 'b': out += '\b'; break;
    case 'f': out += '\f'; break;
    case 'n': out += '\n'; break;
    case 'r': out += '\r'; break;
    case 't': out += '\t'; break;
    case 'v': out += '\v'; break;
    case 'x': {
      std::optional<uint32_t> value = hex(2);
      if (!value)
        return std::nullopt;
      if (style.bytes)
        out += static_cast<char>(*value);
      else
        appendUtf8(out, *value);
      break;
    }
    case 'u': case 'U': case 'N': {
      if (style.bytes) {
        out += '\\';
        out += e;
        break;
      }
      if (e == 'N')
        return std::nullopt; // the table of Unicode names is not here
      std::optional<uint32_t> value = hex(e == 'u' ? 4 : 8);
      if (!value || *value > 0x10FFFF)
        return std::nullopt;
      appendUtf8(out, *value >= 0xD800 && *value < 0xE000 ? 0xFFFD : *value);
      break;
    }
    default:
      if (e >= '0' && e <= '7') {
        uint32_t value = static_cast<uint32_t>(e - '0');
        for (int d = 1; d < 3 && i + 1 < content.size() && content[i + 1] >= '0' && content[i + 1] <= '7'; ++d)
          value = value * 8 + static_cast<uint32_t>(content[++i] - '0');
        if (style.bytes)
          out += static_cast<char>(value);
        else
          appendUtf8(out, value);
      } else { // an unknown escape stays as it is
        out += '\\';
        out += e;
      }
    }
  }
  return out;
}

} // namespace

std::optional<std::string> stringValue(Node node) {
  if (!node.is(Kind::String))
    return std::nullopt;
  if (node.has(kRawPart)) {
    // A literal part of an f-string: the style is that of the whole literal; inside a format specification braces are not doubled.
    Node literal = node.parent();
    bool specification = false;
    while (literal && literal.role() == Role::Format) {
      specification = true;
      literal = literal.parent().parent(); // over the FValue
    }
    StringStyle style = styleOf(literal ? literal.source() : std::string_view());
    style.format = !specification;
    return decode(node.source(), style);
  }
  std::string_view literal = node.source();
  StringStyle style = styleOf(literal);
  size_t open = style.prefix + style.quotes;
  if (literal.size() < open + style.quotes)
    return std::nullopt;
  return decode(literal.substr(open, literal.size() - open - style.quotes), style);
}

// ---- dump ----------------------------------------------------------------------------------------------------------------

namespace {

void quote(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: out += c;
    }
  }
  out += '"';
}

std::string_view name(Role role) {
  static constexpr std::string_view names[] = {"",      "decorator", "parameters", "returns", "block", "argument", "target",  "value",
                                               "annotation", "iter", "else",       "test",    "item",  "case",     "pattern", "handler",
                                               "finally", "left",    "right",      "step",    "key",   "clause",   "callee",  "format"};
  return names[static_cast<size_t>(role)];
}

} // namespace

std::string dump(const Tree &tree) {
  std::string out;
  std::vector<uint32_t> depth(tree.nodes.size(), 0);
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) { // preorder
    const Tree::Entry &entry = tree.nodes[i];
    Node node(&tree, i);
    if (entry.parent != kNoNode)
      depth[i] = depth[entry.parent] + 1;
    out.append(depth[i] * 2, ' ');
    out += name(entry.kind);
    std::string_view role = name(entry.role);
    if (!role.empty())
      (out += ' ') += role;
    if (entry.form != Form::Plain)
      (out += ':') += name(entry.form);
    if (!node.text().empty()) {
      out += ' ';
      quote(out, node.text());
    }
    static constexpr std::pair<Flag, std::string_view> flags[] = {
        {kAsync, "async"}, {kStar, "star"}, {kDoubleStar, "double-star"}, {kTrailingComma, "trailing-comma"},
        {kRawPart, "raw"}, {kDebug, "debug"}, {kParenthesized, "parenthesized"}, {kHasError, "error"}};
    for (auto [flag, word] : flags)
      if (entry.flags & flag)
        (out += " +") += word;
    out += " [" + std::to_string(entry.span.begin) + "," + std::to_string(entry.span.end) + ")\n";
  }
  return out;
}

} // namespace tilewright::syntax
