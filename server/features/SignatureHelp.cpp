#include "features/SignatureHelp.h"

#include "features/Cursor.h"

namespace tilewright::features {

std::optional<SignatureHelp> signatureHelp(const session::Snapshot &snapshot, uint32_t offset) {
  if (!snapshot.schedule)
    return std::nullopt;
  Cursor cursor = cursorAt(snapshot.file, offset);
  if (cursor.inComment)
    return std::nullopt;
  for (auto open = cursor.brackets.rbegin(); open != cursor.brackets.rend(); ++open) {
    if (open->callee.empty())
      continue; // a tuple, list or set: part of an argument
    std::optional<Signature> signature = signatureOf(snapshot, open->callee);
    if (!signature || signature->bracket != open->kind) {
      if (open->kind == '(')
        return std::nullopt; // a call that is not ours
      continue;              // `x[...]`
    }
    std::string keyword = open->keyword;
    // On the name of an argument: that one.
    std::string_view text = snapshot.file.source->text();
    if (open == cursor.brackets.rbegin() && keyword.empty() && open->argumentBegin == cursor.word.begin && cursor.word.end + 1 < text.size() && text[cursor.word.end] == '=' && text[cursor.word.end + 1] != '=')
      keyword = text.substr(cursor.word.begin, cursor.word.size());
    int active = signature->parameterFor(keyword, open->argument);
    return SignatureHelp{std::move(*signature), active};
  }
  return std::nullopt;
}

} // namespace tilewright::features
