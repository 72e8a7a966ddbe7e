// The fixes of the diagnostics that touch the selection.
#include "features/Actions.h"
#include "features/Diagnostics.h"

namespace tilewright::features::offer {

void QuickFix(const ActionRequest &request, std::vector<Action> &out) {
  for (const Diagnostic &one : diagnostics(request.snapshot)) {
    if (one.span.begin > request.span.end || one.span.end < request.span.begin)
      continue;
    for (const Fix &fix : one.fixes) {
      Action action;
      action.title = fix.title;
      action.edits = fix.edits;
      action.diagnostics = {one};
      action.preferred = one.fixes.size() == 1;
      out.push_back(std::move(action));
    }
  }
}

} // namespace tilewright::features::offer
