// The tf.schedule that an unscheduled statement could be written as, one for each instruction that can do it.
#include "features/Actions.h"
#include "features/Values.h"
#include "schedule/ScheduleText.h"

namespace tilewright::features::offer {

void Schedule(const ActionRequest &request, std::vector<Action> &out) {
  const session::Snapshot &snapshot = request.snapshot;
  const syntax::Item *item = snapshot.file.itemAt(request.span.begin);
  if (!snapshot.schedule || !item || request.span.begin < item->offset)
    return;
  Span selected = {request.span.begin - item->offset, request.span.end - item->offset};
  for (const FunctionView &function : functionsOf(snapshot, static_cast<size_t>(item - snapshot.file.items.data()))) {
    if (!function.plan || function.definition.begin > selected.begin || function.definition.end < selected.begin)
      continue;
    // The innermost op around the selection; behind a name, what the name is bound to.
    std::optional<schedule::Site> best;
    Span around;
    for (size_t id = 0; id < function.plan->values.size(); ++id) {
      const ir::PlanValue &value = function.plan->values[id];
      bool named = !value.nameSpan.empty() && value.nameSpan.begin <= selected.begin && selected.begin <= value.nameSpan.end;
      bool within = !value.span.empty() && value.span.begin <= selected.begin && selected.end <= value.span.end;
      if (value.kind != ir::ValueKind::Op || value.op == ir::Op::Schedule || (!named && !within) || (best && value.span.size() >= around.size()))
        continue;
      if (std::optional<schedule::Site> site = schedule::candidateSite(*function.result->program, function.index, static_cast<ir::ValueId>(id))) {
        best = std::move(site);
        around = value.span;
      }
    }
    if (!best)
      continue;
    for (const schedule::Site::Row *row : best->accepted())
      if (std::optional<Fix> fix = schedule::scheduleFix(*function.result->program, *best, *row, *item->tree)) {
        Action action;
        action.title = fix->title;
        for (Edit &edit : fix->edits)
          action.edits.push_back({edit.span.shifted(item->offset), std::move(edit.text)});
        out.push_back(std::move(action));
      }
  }
}

} // namespace tilewright::features::offer
