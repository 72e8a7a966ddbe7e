// The finalized program, written to a file beside the source: `gemm_tir.py` for `gemm.py`.
#include "features/Actions.h"
#include "features/Values.h"

#include <algorithm>

namespace tilewright::features::offer {

void FinalizeTir(const ActionRequest &request, std::vector<Action> &out) {
  const session::Snapshot &snapshot = request.snapshot;
  if (!snapshot.schedule)
    return;
  // The entries of the modules that the selection touches, else of all.
  std::vector<FunctionView> entries, touched;
  for (const FunctionView &one : functionsOf(snapshot)) {
    if (one.index != 0 || !one.result->entry || one.result->module.empty())
      continue;
    entries.push_back(one);
    Span module = snapshot.file.items[one.item].span();
    if (module.begin <= request.span.end && request.span.begin <= module.end)
      touched.push_back(one);
  }
  for (const FunctionView &one : touched.empty() ? entries : touched) {
    bool refused = std::any_of(one.result->diagnostics.begin(), one.result->diagnostics.end(), [](const Diagnostic &said) { return said.severity == Severity::Error; });
    if (refused || !one.plan || !one.target())
      continue;
    Action action;
    action.title = "Finalize `" + one.result->module + "` to TIR in a file beside this one";
    action.complete = request.edits;
    if (request.edits) {
      CompileOptions options;
      options.selector = one.result->module + "." + one.result->name;
      DiagnosticSink sink;
      std::optional<tilewright::FormText> text = tilewright::formText(snapshot.file, EmitForm::Tir, options, sink);
      if (text)
        action.created = Action::NewFile{"_tir.py", std::move(text->text)};
      else
        action.error = sink.all().empty() ? "it cannot be finalized" : sink.all().front().message;
    }
    out.push_back(std::move(action));
  }
}

} // namespace tilewright::features::offer
