#include "features/Form.h"

#include "features/Values.h"

#include <algorithm>

namespace tilewright::features {
namespace {

FormText astText(const session::Snapshot &snapshot) {
  FormText out;
  out.languageId = "plaintext";
  for (const syntax::Item &item : snapshot.file.items) {
    std::string dumped = syntax::dump(*item.tree);
    auto base = static_cast<uint32_t>(out.text.size());
    size_t at = 0;
    // One line per node, in preorder.
    for (const syntax::Tree::Entry &node : item.tree->nodes) {
      size_t end = dumped.find('\n', at);
      if (end == std::string::npos)
        break;
      size_t first = std::min(dumped.find_first_not_of(' ', at), end);
      out.map.push_back({node.span.shifted(item.offset), {base + static_cast<uint32_t>(first), base + static_cast<uint32_t>(end)}});
      at = end + 1;
    }
    out.text += dumped;
  }
  return out;
}

/// The function around a place, the innermost; else the first entry.
std::optional<FunctionView> functionAt(const session::Snapshot &snapshot, std::optional<uint32_t> offset) {
  std::optional<FunctionView> best, first;
  for (const FunctionView &one : functionsOf(snapshot)) {
    Span span = one.definition.shifted(snapshot.file.items[one.item].offset);
    if (offset && span.begin <= *offset && *offset <= span.end && (!best || span.size() < best->definition.size()))
      best = one;
    if (!first || (one.index == 0 && one.result->entry && !(first->index == 0 && first->result->entry)))
      first = one;
  }
  return best ? best : first;
}

FormText hirText(const session::Snapshot &snapshot, std::optional<uint32_t> offset) {
  FormText out;
  out.languageId = "python";
  std::optional<FunctionView> function = functionAt(snapshot, offset);
  if (!function) {
    out.error = "the file has no function of a schedule";
    return out;
  }
  if (!function->plan) {
    out.error = "`" + function->result->name + "` is refused; its diagnostics say why";
    return out;
  }
  const ir::Program &program = *function->result->program;
  std::vector<FunctionView> views = functionsOf(snapshot);
  for (size_t i = 0; i < program.functions.size(); ++i) {
    if (i)
      out.text += "\n";
    const ir::FunctionPlan &plan = program.functions[i];
    // A function is found by its plan, or, where another root made it too, by the place of its name.
    auto view = std::find_if(views.begin(), views.end(), [&](const FunctionView &one) { return one.plan == &plan || (one.plan && one.plan->module == plan.module && one.plan->span == plan.span && one.item == function->item); });
    for (const ir::PrintedLine &line : ir::printFunction(program, i)) {
      auto begin = static_cast<uint32_t>(out.text.size() + std::min(line.text.find_first_not_of(' '), line.text.size()));
      out.text += line.text;
      auto end = static_cast<uint32_t>(out.text.size());
      out.text += "\n";
      if (view == views.end())
        continue;
      Span span;
      if (line.value != ir::kNone) {
        const ir::PlanValue &value = plan.at(line.value);
        span = value.span;
        if (!span.empty() && !value.nameSpan.empty()) // `name = ...`
          span = {std::min(span.begin, value.nameSpan.begin), std::max(span.end, value.nameSpan.end)};
      }
      if (line.region != ir::kNone)
        span = plan.regions[static_cast<size_t>(line.region)].span;
      if (!span.empty())
        out.map.push_back({span.shifted(snapshot.file.items[view->item].offset), {begin, end}});
    }
  }
  return out;
}

FormText tirText(const session::Snapshot &snapshot, std::optional<uint32_t> offset) {
  FormText out;
  out.languageId = "python";
  CompileOptions options;
  if (std::optional<FunctionView> function = functionAt(snapshot, offset); function && !function->result->module.empty())
    options.selector = function->result->module + "." + function->result->name;
  DiagnosticSink sink;
  std::optional<tilewright::FormText> made = tilewright::formText(snapshot.file, EmitForm::Tir, options, sink);
  if (!made) {
    out.error = sink.all().empty() ? "it cannot be finalized" : sink.all().front().message;
    return out;
  }
  out.text = std::move(made->text);
  SourceText lines("", out.text);
  for (const FormMapping &one : made->map)
    if (one.endLine > one.firstLine && one.endLine <= lines.lineCount()) {
      std::string_view first = lines.line(one.firstLine), last = lines.line(one.endLine - 1);
      auto indent = static_cast<uint32_t>(std::min(first.find_first_not_of(' '), first.size()));
      out.map.push_back({one.source, {lines.lineStart(one.firstLine) + indent, lines.lineStart(one.endLine - 1) + static_cast<uint32_t>(last.size())}});
    }
  return out;
}
} // namespace

FormText formText(const session::Snapshot &snapshot, std::string_view form, std::optional<uint32_t> offset) {
  FormText out;
  if (form == "ast")
    return astText(snapshot);
  if (!snapshot.schedule || !snapshot.result)
    out.error = "the file is no schedule";
  else if (form == "hir")
    return hirText(snapshot, offset);
  else if (form == "tir")
    return tirText(snapshot, offset);
  else
    out.error = "there is no form `" + std::string(form) + "`; there are ast, hir and tir";
  return out;
}

} // namespace tilewright::features
