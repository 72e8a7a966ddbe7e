// From one tree-sitter tree to the nodes of one item. Private to the layer: only Parser.cpp and the tests of the grammar
// know that tree-sitter exists.
//
// The parsed text need not be the item's: where a line is broken the parser is given a line that is not, made of pieces
// of the original and pieces of our own. A node that lies entirely in a piece of our own becomes an Error node for the
// text it stands for (or nothing, if it stands for none); spans of all others lead back to the original.
// Walks with a cursor and an explicit stack.
#pragma once
#include "syntax/Ast.h"

#include <tree_sitter/api.h>

#include <string>
#include <vector>

extern "C" const TSLanguage *tree_sitter_tilewright(void);

namespace tilewright::syntax {

/// A run of parsed text: copied from the original, or made in its place.
struct Piece {
  Span parsed;
  Span original; // of the same size if copied
  bool made = false;
  bool broken = false; // text of the user's that is not Python ends up here
  int fragment = -1;   // what could be read of it: index into BuildInput::fragments
};

/// Text given to the parser and where it comes from; no pieces means that it is the original.
struct ParsedText {
  std::string text;
  std::vector<Piece> pieces;

  void copy(std::string_view original, Span span);
  void make(std::string_view made, Span original, bool broken = false, int fragment = -1);
  uint32_t originalBegin(uint32_t parsed) const;
  uint32_t originalEnd(uint32_t parsed) const;
  const Piece *pieceAt(uint32_t parsed) const;
};

/// Something that parses but is not Python: `1 = x`, a keyword as a name.
struct Problem {
  Span span; // in the original
  std::string message;
};

struct Fragment {
  ParsedText text;
  TSTree *tree = nullptr;
};

struct BuildInput {
  std::string_view original;
  const ParsedText *parsed = nullptr; // null: the original
  TSNode root;
  const std::vector<Fragment> *fragments = nullptr;
};

struct Built {
  std::vector<Problem> problems;
  std::vector<uint32_t> starts; // of statements, clauses and decorators in the parsed text, ascending
};

/// Fills `tree` (its text is set already) with the statements under the root; more or fewer than one are put under an Error node.
Built buildTree(const BuildInput &input, Tree &tree);

} // namespace tilewright::syntax
