// What stands around the cursor in text that need not be Python yet: the brackets that are open there and the calls they belong to, the
// argument the cursor is in, the dotted name before it. Read from the tokens of the logical line, so it holds in half-typed code, where
// the syntax tree has little to say.
#pragma once
#include "session/Snapshot.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::features {

struct OpenBracket {
  char kind = '(';
  uint32_t at = 0;               // in the file, as all places here
  std::string callee;            // the dotted name before it, `tf.matmul`; "" if there is none
  uint32_t calleeBegin = 0;
  int argument = 0;              // of the cursor, counted by the commas before it
  int positional = 0;            // arguments without a keyword before that one
  uint32_t argumentBegin = 0;    // its first token, or where it would be
  std::string keyword;           // `op` if the cursor is behind `op=`
  uint32_t valueBegin = 0;       // with a keyword: behind the `=`
  std::vector<std::string> given; // keywords of the other arguments, those behind the cursor included
};

struct Cursor {
  uint32_t offset = 0;
  uint32_t line = 0, lineEnd = 0; // where the logical line begins, and ends as far as it can be told
  uint32_t column = 0;           // of its first token
  std::vector<OpenBracket> brackets; // outermost first
  bool inComment = false, inString = false;
  Span string;                   // inString: what stands between the quotes
  std::string object;            // the dotted name before the dot that the word follows; "?" if it is no name
  Span dotted;                   // object, dot and word
  Span word;                     // the identifier that the cursor touches, or an empty span at the cursor
  std::string before;            // the token in front of the word (of the object, if there is one), "" at the begin of the line

  /// The innermost bracket with a name in front, not counting subscripts of values: `tf.matmul(`, `Tensor[`.
  const OpenBracket *call() const;
};
Cursor cursorAt(const syntax::File &file, uint32_t offset);

} // namespace tilewright::features
