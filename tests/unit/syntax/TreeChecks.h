// What holds of every File, whatever its text: used by the tests that try many texts.
#pragma once
#include "syntax/Parser.h"

#include <doctest/doctest.h>

#include <set>

namespace tilewright::syntax {

/// "" if the file is well formed, else the first thing that is not.
inline std::string malformed(const File &file) {
  std::string_view text = file.source->text();
  uint32_t before = 0;
  std::set<const Tree *> trees;
  for (const Item &item : file.items) {
    const Tree &tree = *item.tree;
    if (!trees.insert(&tree).second)
      return "two items share a tree";
    if (item.offset < before || item.span().end > text.size() || text.substr(item.offset, tree.text.size()) != tree.text)
      return "an item is not at its place";
    before = item.span().end;
    if (tree.nodes.empty())
      return "an item without nodes";
    std::vector<int> depth(tree.nodes.size(), 0);
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const Tree::Entry &node = tree.nodes[i];
      std::string at = std::string(name(node.kind)) + " " + std::to_string(i) + " of item at " + std::to_string(item.offset);
      if (node.span.begin > node.span.end || node.span.end > tree.text.size())
        return "span out of bounds: " + at;
      if (node.name.begin > node.name.end || node.name.end > tree.text.size())
        return "name out of bounds: " + at;
      if ((i == 0) != (node.parent == kNoNode))
        return "more than one root: " + at;
      if (i == 0)
        continue;
      if (node.parent >= i)
        return "not in preorder: " + at;
      const Tree::Entry &parent = tree.nodes[node.parent];
      depth[i] = depth[node.parent] + 1;
      if (depth[i] > kDeepest)
        return "too deep: " + at;
      if (node.span.begin < parent.span.begin || node.span.end > parent.span.end)
        return "reaches out of its parent: " + at;
      if ((node.flags & kHasError) && !(parent.flags & kHasError))
        return "an error its parent does not know of: " + at;
    }
    size_t linked = 1;
    for (uint32_t i = 0; i < tree.nodes.size(); ++i)
      for (Node child : Node(&tree, i).children()) {
        ++linked;
        if (child.parent().index() != i)
          return "a child of another parent";
      }
    if (linked != tree.nodes.size())
      return "nodes that are nobody's children";
    bool erroneous = tree.nodes[0].flags & kHasError;
    bool refused = false;
    for (const Diagnostic &diagnostic : tree.diagnostics) {
      if (diagnostic.span.end > tree.text.size() || diagnostic.span.begin > diagnostic.span.end)
        return "diagnostic out of bounds";
      refused = true;
    }
    if (erroneous && !refused)
      return "an Error without a diagnostic";
  }
  return "";
}

/// Everything a File says, to compare two.
inline std::string described(const File &file) {
  std::string all;
  for (const Diagnostic &diagnostic : file.diagnostics)
    all += diagnostic.message + "\n";
  for (const Item &item : file.items) {
    all += "item " + std::to_string(item.offset) + "\n" + dump(*item.tree);
    for (const Diagnostic &diagnostic : item.tree->diagnostics)
      all += std::to_string(diagnostic.span.begin) + "-" + std::to_string(diagnostic.span.end) + " " + diagnostic.message + "\n";
  }
  return all;
}

inline size_t diagnosticCount(const File &file) {
  size_t count = file.diagnostics.size();
  for (const Item &item : file.items)
    count += item.tree->diagnostics.size();
  return count;
}

inline bool defines(const File &file, Kind kind, std::string_view name) {
  for (const Item &item : file.items)
    for (uint32_t i = 0; i < item.tree->nodes.size(); ++i)
      if (Node node(item.tree.get(), i); node.is(kind) && node.text() == name)
        return true;
  return false;
}

} // namespace tilewright::syntax
