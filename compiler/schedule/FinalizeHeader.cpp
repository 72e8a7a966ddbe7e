// The report above a finalized function. It is the header of the memory report, except that a buffer the function makes goes by what makes
// it, `tf.empty(type=Tensor[(64, 64), "bf16"])`, since TIR has no values by the names that the report uses. Buffers that are made alike
// have one row, with the figures of the last.
#include "schedule/Finalize.h"

#include <algorithm>

namespace tilewright::schedule {
namespace {

std::string labelOf(const ir::Program &program, size_t function, ir::ValueId value, const std::string &otherwise) {
  if (value == ir::kNone)
    return otherwise;
  const ir::PlanValue &made = program.functions[function].at(value);
  switch (made.kind) {
  case ir::ValueKind::Op: return ir::printExpression(program, function, value);
  case ir::ValueKind::Call: return ir::printExpression(program, function, value);
  default: return made.authored.empty() ? otherwise : made.authored;
  }
}

} // namespace

std::vector<std::string> finalizeHeader(const analysis::Report &report) {
  analysis::Report renamed = report;
  renamed.options.families = analysis::kMemory;
  for (analysis::FunctionReport &one : renamed.functions) {
    if (one.function != 0)
      continue;
    std::vector<analysis::Footprint::Buffer> rows;
    for (analysis::Footprint::Buffer &buffer : one.record.footprint.buffers) {
      buffer.label = labelOf(*report.program, buffer.function, buffer.value, buffer.label);
      auto alike = std::find_if(rows.begin(), rows.end(), [&](const auto &row) { return row.label == buffer.label; });
      if (alike == rows.end())
        rows.push_back(std::move(buffer));
      else
        *alike = std::move(buffer);
    }
    one.record.footprint.buffers = std::move(rows);
    for (analysis::ReuseWindow &window : one.record.windows)
      window.buffer = labelOf(*report.program, window.function, window.made, window.buffer);
  }
  std::vector<std::string> lines;
  for (const std::string &row : analysis::headerRows(renamed, 0))
    lines.push_back("# " + row);
  return lines;
}

} // namespace tilewright::schedule
