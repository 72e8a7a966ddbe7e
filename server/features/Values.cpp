#include "features/Values.h"

#include "features/Names.h"
#include "support/Quantity.h"

#include <algorithm>
#include <map>

namespace tilewright::features {

std::vector<FunctionView> functionsOf(const session::Snapshot &snapshot, std::optional<size_t> item) {
  std::vector<FunctionView> found;
  if (!snapshot.result)
    return found;
  std::map<std::pair<size_t, uint32_t>, size_t> seen; // by place of the name
  auto add = [&](FunctionView view) {
    if (view.item >= snapshot.file.items.size() || (item && view.item != *item))
      return;
    auto [it, fresh] = seen.emplace(std::pair(view.item, view.nameSpan.begin), found.size());
    if (fresh)
      found.push_back(view);
    else if (!found[it->second].report && view.report)
      found[it->second] = view;
  };
  auto reportAt = [](const FunctionResult &result, size_t index) -> const analysis::FunctionReport * {
    if (result.report)
      for (const analysis::FunctionReport &one : result.report->functions)
        if (one.function == index)
          return &one;
    return nullptr;
  };
  for (const auto &result : snapshot.result->functions)
    if (result)
      add({result.get(), result->program && !result->program->functions.empty() ? &result->program->functions.front() : nullptr, reportAt(*result, 0), 0, result->item, result->nameSpan, result->definition});
  for (const auto &result : snapshot.result->functions) {
    if (!result || !result->program)
      continue;
    for (size_t i = 1; i < result->program->functions.size(); ++i) {
      const ir::FunctionPlan &plan = result->program->functions[i];
      // A function of the root's own module stands in the root's item. The plan does not say where one of a child module stands.
      if (plan.module != result->module || result->item >= snapshot.file.items.size() || (item && result->item != *item))
        continue;
      const syntax::Tree &tree = *snapshot.file.items[result->item].tree;
      if (plan.span.empty() || plan.span.end > tree.text.size())
        continue;
      syntax::Node definition = enclosingFunction(tree.at(plan.span.begin));
      if (definition)
        add({result.get(), &plan, reportAt(*result, i), i, result->item, definition.nameSpan(), definition.span()});
    }
  }
  return found;
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
