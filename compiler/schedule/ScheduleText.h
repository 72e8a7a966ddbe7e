// Writing the `tf.schedule` that a candidate suggests: the edits an editor offers at an unscheduled statement.
// Thread rule: functions of their arguments.
#pragma once
#include "schedule/Candidates.h"
#include "support/Diagnostic.h"
#include "syntax/Ast.h"

#include <optional>
#include <string>

namespace tilewright::schedule {

/// The site as a `tf.schedule` of an accepted row.
struct ScheduleText {
  std::string destination; // a statement to stand before: `part_dst = tf.empty(Tensor[...])`
  std::string call;        // in place of the op: `tf.schedule((a, part_dst), op=T.copy())`
};
/// `operands` are the texts of what the op reads, in the order of its signature; `destinationName` the name that the text declares.
ScheduleText scheduleText(const ir::Program &program, const Site &site, const Site::Row &row, const std::vector<std::string> &operands, const std::string &destinationName);

/// The edits, spans relative to the item whose tree this is: the declaration goes before the statement, at its indentation, and the call
/// takes the place of the op, so the statement keeps its name. Null where the site has no text of its own or no statement can stand before it.
std::optional<Fix> scheduleFix(const ir::Program &program, const Site &site, const Site::Row &row, const syntax::Tree &tree);

} // namespace tilewright::schedule
