// From a place in the text to what the analyses know about it: the function, the value of the plan, its records. Also the few
// spellings of quantities that hints and hovers share.
#pragma once
#include "session/Snapshot.h"

#include <string>
#include <vector>

namespace tilewright::features {

/// Results whose definition lies in top-level item number `item`. A definition made several times by a factory has several.
std::vector<const FunctionResult *> functionsOf(const session::Snapshot &snapshot, size_t item);

/// The records of the function itself (not of its callees), null if it was refused.
const analysis::FunctionReport *reportOf(const FunctionResult &function);
const ir::FunctionPlan *planOf(const FunctionResult &function);

const analysis::CallRecord *recordOf(const analysis::FunctionReport &report, ir::ValueId value);
const analysis::Lifetime *lifetimeOf(const analysis::FunctionReport &report, ir::ValueId value);

/// The fact that states a target's capacity of a storage, null if no single one does.
const target::Fact *capacityFact(const target::Target &target, std::string_view storage);

/// `[531t+10818,531t+11044)*9`, as the reports print it.
std::string intervalText(const analysis::Interval &interval);
/// `r8.00KB w4.00KB`; what is zero is left out.
std::string bytesText(const analysis::Bytes &bytes);

} // namespace tilewright::features
