#include "features/CodeLens.h"

#include <algorithm>

namespace tilewright::features {

namespace lenses {
std::vector<std::string> cost(const session::Snapshot &, const FunctionView &function) {
  if (!function.report || !function.report->record.hasPerformance)
    return {};
  const analysis::FunctionRecord &record = function.report->record;
  std::string title = "predicted " + std::to_string(record.predictedNs) + " ns, " + std::to_string(record.waves) + (record.waves == 1 ? " wave" : " waves");
  if (record.roofline && record.roofline->idealNs > 0)
    title += ", " + record.roofline->boundBy + "-bound";
  return {title};
}
} // namespace lenses

std::vector<CodeLens> codeLenses(const session::Snapshot &snapshot) {
  std::vector<CodeLens> all;
  if (!snapshot.schedule || !snapshot.result)
    return all;
  for (const FunctionView &function : functionsOf(snapshot)) {
    Span span = function.nameSpan.shifted(snapshot.file.items[function.item].offset);
#define TW_LENS(Name)                                                                                                                                          \
  for (std::string & title : lenses::Name(snapshot, function))                                                                                                 \
    all.push_back({span, std::move(title)});
#include "features/Lenses.def"
  }
  std::stable_sort(all.begin(), all.end(), [](const CodeLens &a, const CodeLens &b) { return a.span < b.span; });
  return all;
}

} // namespace tilewright::features
