#include "features/Values.h"

#include "support/Quantity.h"

#include <algorithm>

namespace tilewright::features {

std::vector<const FunctionResult *> functionsOf(const session::Snapshot &snapshot, size_t item) {
  std::vector<const FunctionResult *> found;
  if (snapshot.result)
    for (const auto &function : snapshot.result->functions)
      if (function && function->item == item)
        found.push_back(function.get());
  return found;
}

const analysis::FunctionReport *reportOf(const FunctionResult &function) {
  return function.report && !function.report->functions.empty() ? &function.report->functions.front() : nullptr;
}

const ir::FunctionPlan *planOf(const FunctionResult &function) {
  return function.program && !function.program->functions.empty() ? &function.program->functions.front() : nullptr;
}

const analysis::CallRecord *recordOf(const analysis::FunctionReport &report, ir::ValueId value) {
  auto it = std::find_if(report.calls.begin(), report.calls.end(), [&](const analysis::CallRecord &call) { return call.value == value && value != ir::kNone; });
  return it == report.calls.end() ? nullptr : &*it;
}

const analysis::Lifetime *lifetimeOf(const analysis::FunctionReport &report, ir::ValueId value) {
  const auto &all = report.record.lifetimes;
  auto it = std::find_if(all.begin(), all.end(), [&](const analysis::Lifetime &one) { return one.value == value && value != ir::kNone; });
  return it == all.end() ? nullptr : &*it;
}

const target::Fact *capacityFact(const target::Target &target, std::string_view storage) {
  std::optional<int64_t> capacity = target.capacity(storage);
  if (!capacity)
    return nullptr;
  for (const target::Fact &fact : target.facts())
    if (fact.integer && ((fact.unit == "byte" && *fact.integer == *capacity) || (fact.unit == "register" && *fact.integer * 4 == *capacity)))
      return &fact;
  return nullptr;
}

std::string intervalText(const analysis::Interval &interval) {
  auto at = [&](int64_t ns) { return (interval.trips > 1 && interval.strideNs ? std::to_string(interval.strideNs) + "t+" : std::string()) + std::to_string(ns); };
  std::string text = "[" + at(interval.startNs) + "," + at(interval.endNs) + ")";
  if (interval.trips > 1)
    text += "*" + std::to_string(interval.trips);
  return text;
}

std::string bytesText(const analysis::Bytes &bytes) {
  std::string text;
  if (bytes.read)
    text += "r" + formatBytes(bytes.read);
  if (bytes.write)
    text += (text.empty() ? "w" : " w") + formatBytes(bytes.write);
  return text;
}

} // namespace tilewright::features
