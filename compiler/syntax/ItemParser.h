// One item's text to its tree: a pure function of the text. Private to the layer.
//
// Sound text takes the short way: one parse, one walk. Otherwise the text is read line by line, each logical line is
// parsed by itself, and the item is parsed again with every broken line replaced by one that is not (see ParsedText).
// So a broken line costs its own statement and nothing around it, and gets one diagnostic.
#pragma once
#include "syntax/Ast.h"

#include <tree_sitter/api.h>

#include <memory>
#include <string>
#include <unordered_set>

namespace tilewright::syntax {

class ItemParser {
public:
  ItemParser();
  ~ItemParser();
  ItemParser(const ItemParser &) = delete;
  ItemParser &operator=(const ItemParser &) = delete;

  /// `old`, if given, is the edited tree of a former version of the same item; `*kept` receives the tree of sound text.
  std::shared_ptr<const Tree> parse(std::string text, TSTree *old = nullptr, TSTree **kept = nullptr);

private:
  TSParser *parser_;
  // Lines of broken items that were found sound: while an item is being typed, all its lines but one stay as they are.
  std::unordered_set<std::string> soundLines_;
};

} // namespace tilewright::syntax
