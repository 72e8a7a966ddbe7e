// The syntax of one file as the rest of the compiler sees it: a list of top-level items, each with its own immutable
// tree of Python nodes (kinds in Nodes.def). Tree-sitter stays behind Parser.cpp.
//
// Items are the unit of reuse: an item whose bytes did not change keeps its tree (the same pointer) across edits, and
// spans inside an item are relative to the item's first byte. So whatever is computed from an item alone can be kept
// by its identity or its text. Trees are built without recursion; nodes deeper than kDeepest are cut into one Error
// node with a nesting-limit diagnostic, so readers of a tree may recurse.
// Thread rule: immutable once built.
#pragma once
#include "support/Diagnostic.h"
#include "support/Source.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::syntax {

inline constexpr int kDeepest = 200;

enum class Kind : uint8_t {
#define TW_NODE(Name, Children) Name,
#include "syntax/Nodes.def"
};
enum class Form : uint8_t {
#define TW_FORM(Name, Meaning) Name,
#include "syntax/Nodes.def"
};
std::string_view name(Kind kind);
std::string_view name(Form form);

/// What a child is to its parent (the word after `:` in Nodes.def).
enum class Role : uint8_t {
  None, Decorator, Parameters, Returns, Block, Argument, Target, Value, Annotation, Iter, Else, Test, Item, Case,
  Pattern, Handler, Finally, Left, Right, Step, Key, Clause, Callee, Format,
};

enum Flag : uint8_t {
  kAsync = 1, kStar = 2, kDoubleStar = 4, kTrailingComma = 8, kRawPart = 16, kDebug = 32, kParenthesized = 64,
  kHasError = 128, // this node or one below it holds text that is not Python
};

class Tree;

/// A node of a tree: a pointer-sized handle, valid while its Tree lives. An empty node reads as an Error without text, place or children.
class Node {
public:
  Node() = default;
  Node(const Tree *tree, uint32_t index) : tree_(tree), index_(index) {}
  explicit operator bool() const { return tree_ != nullptr; }
  bool operator==(const Node &) const = default;

  Kind kind() const;
  Form form() const;
  Role role() const;
  Span span() const;                // relative to the item
  Span nameSpan() const;            // of the name of a definition, attribute, keyword, parameter; else span()
  std::string_view text() const;    // the name, operator or literal as Nodes.def says; "" for other kinds
  std::string_view source() const;  // the node's whole text
  bool has(Flag flag) const;
  bool is(Kind kind) const { return *this && this->kind() == kind; }

  Node parent() const;
  Node firstChild() const;
  Node nextSibling() const;
  Node child(Role role) const;      // the first child in that role, or an empty Node
  size_t childCount() const;
  uint32_t index() const { return index_; } // preorder number in its tree
  const Tree &tree() const { return *tree_; }

  struct Iterator {
    const Tree *tree;
    uint32_t at;
    Node operator*() const { return {tree, at}; }
    Iterator &operator++();
    bool operator==(const Iterator &) const = default;
  };
  struct Range {
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };
  Range children() const;
  /// Children in one role, in order.
  std::vector<Node> childrenIn(Role role) const;

private:
  const Tree *tree_ = nullptr;
  uint32_t index_ = 0;
};

inline constexpr uint32_t kNoNode = ~0u;

/// The syntax of one top-level statement. Node 0 is the statement.
class Tree {
public:
  struct Entry {
    Kind kind;
    Form form;
    Role role;
    uint8_t flags;
    Span span;
    Span name;       // what Node::text() gives when it is a piece of the source
    uint32_t parent, firstChild, nextSibling;
    uint32_t operators; // index + 1 into operatorTexts: operators and other text that is not one piece of source
  };
  std::string text; // the bytes of the item
  std::vector<Entry> nodes;
  std::vector<std::string> operatorTexts;
  std::vector<Diagnostic> diagnostics; // syntax errors and limits, spans relative to the item

  Node root() const { return {this, 0}; }
  /// The innermost node that contains `offset` (relative to the item); of two that touch it, the later one.
  Node at(uint32_t offset) const;
};

struct Item {
  std::shared_ptr<const Tree> tree;
  uint32_t offset = 0; // of the item in the file
  Span span() const { return {offset, offset + static_cast<uint32_t>(tree->text.size())}; }
};

/// One version of a file. Cheap to copy.
struct File {
  std::shared_ptr<const SourceText> source;
  std::vector<Item> items;
  std::vector<Diagnostic> diagnostics; // of the whole file: limits, NUL bytes; item diagnostics are in their trees
  /// The item that contains the file offset, or the last one before it.
  const Item *itemAt(uint32_t offset) const;
};

/// Decoded value of a String node (escapes, raw and byte prefixes) or of an FString's literal part; nullopt where Python would refuse it.
std::optional<std::string> stringValue(Node node);

/// S-expression of a tree, for tests and `emit --form=ast`: one node a line, two blanks per level, `Kind role:form "text" [begin,end)`.
std::string dump(const Tree &tree);

} // namespace tilewright::syntax
