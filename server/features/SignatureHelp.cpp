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
    int active = signature->parameterFor(open->keyword, open->keyword.empty() ? open->argument : 0);
    return SignatureHelp{std::move(*signature), active};
  }
  return std::nullopt;
}

} // namespace tilewright::features
