#include "schedule/Finalize.h"

#include "schedule/FinalizeFunction.h"

namespace tilewright::schedule {

std::string refusalText(const instruction::Match &match) {
  std::string text = match.id;
  for (size_t i = 0; i < match.path.size(); ++i)
    text += (i ? ", " : "  ") + match.path[i].name + "=" + match.path[i].value;
  return text + "\n  " + match.reason;
}

namespace {
/// Callees before their callers, each once.
void callOrder(const ir::Program &program, size_t function, std::vector<size_t> &order, std::vector<bool> &seen) { // depth: calls, which do not recurse
  if (seen[function])
    return;
  seen[function] = true;
  for (const ir::PlanValue &value : program.functions[function].values)
    if (value.kind == ir::ValueKind::Call && value.callee != ir::kNone)
      callOrder(program, static_cast<size_t>(value.callee), order, seen);
  order.push_back(function);
}
} // namespace

std::optional<ir::tir::Program> finalize(const analysis::Report &report, const FinalizeOptions &options, DiagnosticSink &sink) {
  const ir::Program &program = *report.program;
  tir::Program out;
  out.module = program.module;
  out.target = program.target;
  out.topologies = program.topologies;
  FinalizeContext context{report, options, {}, sink};
  context.shapes.resize(program.functions.size());
  std::vector<size_t> order;
  std::vector<bool> seen(program.functions.size(), false);
  callOrder(program, 0, order, seen);
  for (size_t function : order) {
    std::optional<tir::Function> made = FunctionLowering(context, function).run();
    if (!made)
      return std::nullopt;
    context.shapes[function].number = static_cast<int>(out.functions.size());
    out.functions.push_back(std::move(*made));
  }
  return out;
}

} // namespace tilewright::schedule
