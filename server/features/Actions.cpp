#include "features/Actions.h"

#include <algorithm>

namespace tilewright::features {

const std::vector<ActionRow> &actionRows() {
  static const std::vector<ActionRow> rows = {
#define TW_ACTION(Name, ActionKind) {#Name, ActionKind, &offer::Name},
#include "features/Actions.def"
  };
  return rows;
}

bool isKind(std::string_view kind, std::string_view wanted) {
  return wanted.empty() || kind == wanted || (kind.size() > wanted.size() && kind.substr(0, wanted.size()) == wanted && kind[wanted.size()] == '.');
}

std::vector<Action> actions(const ActionRequest &request, const std::vector<std::string> &wanted) {
  std::vector<Action> all;
  if (!request.snapshot.result)
    return all;
  for (const ActionRow &row : actionRows()) {
    if (!wanted.empty() && std::none_of(wanted.begin(), wanted.end(), [&](const std::string &one) { return isKind(row.kind, one); }))
      continue;
    size_t before = all.size();
    row.offer(request, all);
    for (size_t i = before; i < all.size(); ++i)
      all[i].kind = row.kind;
  }
  return all;
}

} // namespace tilewright::features
