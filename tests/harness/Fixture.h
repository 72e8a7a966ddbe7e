// Marked fixtures: a schedule that carries what the editor must show under the lines it concerns.
//
//     # ^^^^ error[smem-over-capacity]: needs 256 KiB      columns of the nearest unmarked line above
//     # <- hint: [0,12) ns                                 that line as a whole, or its first word
//
// Kinds: error, warning, information, hint, lens; hover, signature, completion, action. The text is a substring, the code is exact. One to one:
// whatever of the owned kinds the editor shows without a mark fails, and so does a mark that nothing matches. The last four are asked for:
//   hover, signature     at the first column of the mark; of a signature, `LABEL @ PARAMETER`
//   completion           behind the last column: `LABEL DETAIL` of one item; [first] and [last] say where it stands, [none] that there is no such item
//   action[kind]         for the marked columns: its title
#pragma once
#include <string>
#include <vector>

namespace tilewright::test {

struct Mark {
  int line = 0;                 // from 0: the line it speaks of
  int column = 0, width = 0;    // width 0: the line as a whole
  std::string kind, code, text;
  int writtenAt = 0;            // its own line
};
std::vector<Mark> marksOf(const std::string &text);

/// Opens the file as an editor would and compares; `owned` lists the kinds of which everything must be marked. Returns what is wrong, each with the source
/// line and what was expected and shown; empty if nothing is.
std::vector<std::string> compareFixture(const std::string &path, const std::vector<std::string> &owned);

} // namespace tilewright::test
