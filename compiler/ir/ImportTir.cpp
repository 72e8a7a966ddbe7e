// TIR text: which kernels a file holds, and the functions of one.
#include "ir/ImportTir.h"

#include "ir/ImportTirFunction.h"
#include "support/Codes.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tilewright::ir::tir {

using syntax::Kind;
using syntax::Node;
using syntax::Opaque;
using syntax::Role;
using syntax::ValueRef;

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }
std::string quoted(Node node) {
  std::string text(node.source().substr(0, 60));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return "`" + text + (node.source().size() > 60 ? "…`" : "`");
}

const Opaque *primFunc(const syntax::FunctionValue &function) {
  for (const ValueRef &decorator : function.decorators)
    if (auto *opaque = decorator->as<Opaque>(); opaque && opaque->callee == "prim_func")
      return opaque;
  return nullptr;
}

std::vector<Node> childrenOf(Node node) {
  std::vector<Node> children;
  for (Node child : node.children())
    children.push_back(child);
  return children;
}

namespace {

/// Names that a body calls as functions: `twice(x, out)`.
void calledNames(Node node, std::vector<std::string_view> &names) {
  if (node.is(Kind::Call) && node.child(Role::Callee).is(Kind::Name))
    names.push_back(node.child(Role::Callee).text());
  for (Node child : node.children())
    calledNames(child, names);
}

/// The comment lines that stand directly above `offset`, or at the top of the file.
std::vector<std::string> commentsAbove(const SourceText &source, uint32_t line) {
  std::vector<std::string> out;
  while (line > 0) {
    std::string_view text = source.line(--line);
    const size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos || text[start] != '#')
      break;
    out.insert(out.begin(), std::string(text.substr(start)));
  }
  return out;
}

std::vector<std::string> commentsAtTop(const SourceText &source) {
  std::vector<std::string> out;
  for (uint32_t line = 0; line < source.lineCount() && source.line(line).starts_with('#'); ++line)
    out.emplace_back(source.line(line));
  return out;
}

} // namespace

bool holdsTir(const syntax::ModuleValue &module) {
  bool some = false;
  if (module.members)
    for (const auto &[name, value] : module.members->names)
      if (auto *function = value->as<syntax::FunctionValue>()) {
        for (const ValueRef &decorator : function->decorators)
          if (auto *opaque = decorator->as<Opaque>(); opaque && opaque->callee == "func")
            return false;
        some |= primFunc(*function) != nullptr;
      }
  return some;
}

std::vector<Kernel> kernels(const syntax::Evaluation &evaluation) {
  std::vector<Kernel> out;
  for (const syntax::Evaluation::Made &made : evaluation.modules) {
    auto *module = made.module->as<syntax::ModuleValue>();
    if (!module || !holdsTir(*module))
      continue;
    Kernel kernel;
    kernel.module = module->name;
    kernel.value = module;
    for (const std::string &member : module->order)
      if (auto found = module->members->names.find(member); found != module->members->names.end())
        if (auto *function = found->second->as<syntax::FunctionValue>(); function && primFunc(*function))
          kernel.functions.push_back(function);
    if (auto *decorator = module->decorator ? module->decorator->as<Opaque>() : nullptr)
      for (const auto &[key, value] : decorator->keywords)
        if (key == "entry" && value->string())
          kernel.root = *value->string();
    if (kernel.root.empty())
      kernel.root = kernel.functions.back()->name;
    out.push_back(std::move(kernel));
  }
  std::vector<const syntax::FunctionValue *> loose;
  for (const syntax::Evaluation::Made &made : evaluation.functions)
    if (auto *function = made.module->as<syntax::FunctionValue>(); function && primFunc(*function))
      loose.push_back(function);
  for (const syntax::FunctionValue *root : loose) {
    const bool called = std::any_of(loose.begin(), loose.end(), [&](const syntax::FunctionValue *other) {
      std::vector<std::string_view> names;
      calledNames(other->definition.node, names);
      return other != root && std::find(names.begin(), names.end(), root->name) != names.end();
    });
    if (!called || loose.size() == 1)
      out.push_back({"", root->name, loose, nullptr});
  }
  return out;
}

std::optional<Imported> importKernel(const syntax::File &file, const Kernel &kernel, DiagnosticSink &sink) {
  const auto itemOf = [&](const syntax::FunctionValue &function) {
    for (size_t i = 0; i < file.items.size(); ++i)
      if (file.items[i].tree == function.definition.tree)
        return i;
    return file.items.size();
  };
  Imported out;
  const syntax::FunctionValue *root = nullptr;
  for (const syntax::FunctionValue *one : kernel.functions)
    if (one->name == kernel.root)
      root = one;
  const auto offsetOf = [&](const syntax::FunctionValue &function) {
    const size_t item = itemOf(function);
    return item < file.items.size() ? file.items[item].offset : 0;
  };
  if (!root) {
    const Node place = kernel.value ? kernel.value->definition.node : kernel.functions.front()->definition.node;
    sink.add(Code::BadEntry, place.nameSpan().shifted(offsetOf(*kernel.functions.front())), "the entry " + quoted(kernel.root) + " is no function of " + quoted(kernel.module));
    return std::nullopt;
  }
  // What the class or else the root's decorator states.
  const auto targetOf = [&](const Opaque *decorator, Span place) -> const target::Target * {
    if (decorator)
      for (const auto &[key, value] : decorator->keywords)
        if (key == "target") {
          auto *opaque = value->as<Opaque>();
          std::string id = opaque && opaque->called && !opaque->arguments.empty() && opaque->arguments[0]->string() ? *opaque->arguments[0]->string() : "";
          if (id.empty() && opaque && opaque->callee == "CpuTarget")
            id = "cpu";
          if (const target::Target *found = target::find(id))
            return found;
          sink.add(Code::UnknownTarget, place, "the target " + quoted(id.empty() ? syntax::repr(*value, 60) : id) + " is not known");
          return nullptr;
        }
    sink.add(Code::NoTarget, place, quoted(kernel.root) + " states no target: write `@prim_func(target=CudaTarget(...))`");
    return nullptr;
  };
  const Span rootPlace = root->definition.node.nameSpan().shifted(offsetOf(*root));
  out.program.target = targetOf(primFunc(*root), rootPlace);
  out.program.module = kernel.module;
  if (!out.program.target)
    return std::nullopt;
  if (kernel.value) {
    DiagnosticSink inner;
    ImportOptions options;
    auto *decorator = kernel.value->decorator ? kernel.value->decorator->as<Opaque>() : nullptr;
    std::vector<layout::Topology> none;
    TypeReader reader{inner, options, none, [](int) { return nullptr; }, [] { return nullptr; }, nullptr};
    const Node place = kernel.value->definition.node;
    for (const auto &[key, value] : decorator ? decorator->keywords : std::vector<std::pair<std::string, ValueRef>>())
      if (key == "topologies" && value->sequence())
        for (const ValueRef &level : *value->sequence())
          if (auto topology = reader.topology(*level, place.nameSpan()))
            out.program.topologies.push_back(std::move(*topology));
    sink.append(inner.all(), offsetOf(*root));
    if (inner.hasErrors())
      return std::nullopt;
  }

  // Those the root reaches, callees first; where the file has them so, its order stays.
  std::vector<const syntax::FunctionValue *> order;
  std::set<const syntax::FunctionValue *> open;
  std::function<void(const syntax::FunctionValue &)> reach = [&](const syntax::FunctionValue &function) {
    if (!open.insert(&function).second)
      return;
    std::vector<std::string_view> names;
    calledNames(function.definition.node.child(Role::Block), names);
    for (const syntax::FunctionValue *callee : kernel.functions)
      if (std::find(names.begin(), names.end(), callee->name) != names.end())
        reach(*callee);
    order.push_back(&function);
  };
  reach(*root);
  std::vector<const syntax::FunctionValue *> asWritten;
  for (const syntax::FunctionValue *one : kernel.functions)
    if (open.count(one))
      asWritten.push_back(one);
  bool calleesFirst = asWritten.back() == root;
  for (size_t i = 0; i < asWritten.size(); ++i) {
    std::vector<std::string_view> names;
    calledNames(asWritten[i]->definition.node.child(Role::Block), names);
    for (size_t later = i + 1; later < asWritten.size(); ++later)
      calleesFirst &= std::find(names.begin(), names.end(), asWritten[later]->name) == names.end();
  }
  if (calleesFirst)
    order = asWritten;

  bool whole = true;
  for (const syntax::FunctionValue *function : order) {
    DiagnosticSink inner;
    Importer importer(out.program, kernel.functions, *function, inner);
    auto read = importer.run();
    sink.append(inner.all(), offsetOf(*function));
    whole &= read.has_value();
    if (read) {
      read->item = itemOf(*function);
      out.program.functions.push_back(std::move(*read));
    }
  }
  if (!whole)
    return std::nullopt;
  uint32_t first = root->definition.node.span().begin + offsetOf(*root);
  for (const ValueRef &decorator : root->decorators)
    if (auto *opaque = decorator->as<Opaque>(); opaque && opaque->place.tree == root->definition.tree && opaque->place.node)
      first = std::min(first, opaque->place.node.span().begin + offsetOf(*root));
  out.header = commentsAbove(*file.source, file.source->at(first).line);
  if (out.header.empty())
    out.header = commentsAtTop(*file.source);
  return out;
}

} // namespace tilewright::ir::tir
