// From a place in the text to what the analyses know about it: the function, the value of the plan, its records. Also the few
// spellings of quantities that hints and hovers share.
#pragma once
#include "session/Snapshot.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::features {

/// One function of one result: the root of it, or a function that the root calls.
struct FunctionView {
  const FunctionResult *result = nullptr;
  const ir::FunctionPlan *plan = nullptr;              // null: refused
  const analysis::FunctionReport *report = nullptr;    // null: not analyzed
  size_t index = 0;                                    // in the program
  size_t item = 0;
  Span nameSpan, definition;                           // relative to the item
  const target::Target *target() const { return plan ? result->program->target : nullptr; }
};
/// Every definition once, roots before callees; of one that was made several times, the first that was analyzed. With `item`: only those defined there.
std::vector<FunctionView> functionsOf(const session::Snapshot &snapshot, std::optional<size_t> item = {});

const analysis::CallRecord *recordOf(const analysis::FunctionReport &report, ir::ValueId value);
const analysis::Lifetime *lifetimeOf(const analysis::FunctionReport &report, ir::ValueId value);

/// The fact that states a target's capacity of a storage, null if no single one does.
const target::Fact *capacityFact(const target::Target &target, std::string_view storage);

/// `[531t+10818,531t+11044)*9`, as the reports print it.
std::string intervalText(const analysis::Interval &interval);
/// `r8.00KB w4.00KB`; what is zero is left out.
std::string bytesText(const analysis::Bytes &bytes);

} // namespace tilewright::features
