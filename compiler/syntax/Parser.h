// Text to syntax. A Document holds one open file, takes edits and gives a File per version. Only the lines around an edit
// are read again, and an item whose text did not change keeps its tree; the tree of an item is a function of its text
// alone, so a File does not depend on the edits that led to it. Parsing never fails: what is not Python becomes Error nodes and
// at most one syntax-error diagnostic per broken statement.
// Limits (each its own diagnostic): file size, NUL bytes, nesting.
// Thread rule: a Document belongs to one thread at a time; the Files it gives are immutable.
#pragma once
#include "syntax/Ast.h"

#include <memory>

namespace tilewright::syntax {

inline constexpr size_t kLargestFile = 4u << 20;

/// One replacement in the text: [begin, oldEnd) becomes `text`.
struct TextEdit {
  uint32_t begin, oldEnd;
  std::string text;
};

class Document {
public:
  Document(std::string path, std::string text);
  ~Document();
  Document(Document &&) noexcept;
  Document &operator=(Document &&) noexcept;

  /// Applies the edits in order, each to the result of the one before.
  void edit(const std::vector<TextEdit> &edits);
  void replace(std::string text);
  const SourceText &source() const;
  /// The syntax of the current text; computed once per version.
  const File &file();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The syntax of a text that is read once.
File parse(std::string path, std::string text);

} // namespace tilewright::syntax
