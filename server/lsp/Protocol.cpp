#include "lsp/Protocol.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tilewright::lsp {
namespace {
uint32_t count(const Json &json) {
  if (!json.is_number_integer())
    return json.get<uint32_t>(); // throws
  if (json.is_number_unsigned())
    return static_cast<uint32_t>(std::min<uint64_t>(json.get<uint64_t>(), UINT32_MAX));
  return static_cast<uint32_t>(std::clamp<int64_t>(json.get<int64_t>(), 0, UINT32_MAX));
}

int symbolKind(features::SymbolKind kind) {
  using features::SymbolKind;
  switch (kind) {
  case SymbolKind::Module: return 2;
  case SymbolKind::Function: return 12;
  case SymbolKind::Kernel: return 12;
  case SymbolKind::Class: return 5;
  case SymbolKind::Mesh: return 3;      // namespace
  case SymbolKind::Loop: return 18;     // array: the one kind that reads as repetition
  case SymbolKind::Value: return 13;
  case SymbolKind::Parameter: return 13;
  case SymbolKind::Constant: return 14;
  }
  return 13;
}

int completionKind(features::CompletionKind kind) {
  using features::CompletionKind;
  switch (kind) {
  case CompletionKind::Op: return 3;           // function
  case CompletionKind::Instruction: return 3;
  case CompletionKind::Namespace: return 9;    // module
  case CompletionKind::Enumeration: return 13;
  case CompletionKind::Member: return 20;
  case CompletionKind::Argument: return 10;    // property
  case CompletionKind::Value: return 12;
  case CompletionKind::Variable: return 6;
  case CompletionKind::Constant: return 21;
  case CompletionKind::Function: return 3;
  case CompletionKind::Class: return 7;
  case CompletionKind::Keyword: return 14;
  }
  return 1;
}

Json markdown(const std::string &text) { return {{"kind", "markdown"}, {"value", text}}; }

Json edits(const View &view, const std::vector<Edit> &given) {
  Json all = Json::array();
  for (const Edit &edit : given)
    all.push_back({{"range", json(view, edit.span)}, {"newText", edit.text}});
  return all;
}
} // namespace

Position positionFrom(const Json &json) { return {count(json.at("line")), count(json.at("character"))}; }
Range rangeFrom(const Json &json) { return {positionFrom(json.at("start")), positionFrom(json.at("end"))}; }

Json json(Position position) { return {{"line", position.line}, {"character", position.character}}; }
Json json(Range range) { return {{"start", json(range.start)}, {"end", json(range.end)}}; }
Json json(const View &view, Span span) { return json(rangeOf(view.text, span, view.encoding)); }

Json json(const View &view, const Diagnostic &diagnostic) {
  Json out = {{"range", json(view, diagnostic.span)},
              {"severity", static_cast<int>(diagnostic.severity) + 1},
              {"code", info(diagnostic.code).spelling},
              {"source", "tilewright"},
              {"message", diagnostic.message}};
  if (!view.docs.empty())
    out["codeDescription"] = {{"href", std::string(view.docs) + "#" + std::string(info(diagnostic.code).spelling)}};
  if (!diagnostic.related.empty()) {
    Json &related = out["relatedInformation"] = Json::array();
    for (const Related &place : diagnostic.related)
      related.push_back({{"location", {{"uri", view.uri}, {"range", json(view, place.span)}}}, {"message", place.message}});
  }
  if (!diagnostic.fixes.empty()) {
    Json &fixes = out["data"]["fixes"] = Json::array();
    for (const Fix &fix : diagnostic.fixes)
      fixes.push_back({{"title", fix.title}, {"edits", edits(view, fix.edits)}});
  }
  return out;
}

Json json(const View &view, const std::vector<Diagnostic> &diagnostics) {
  Json all = Json::array();
  for (const Diagnostic &one : diagnostics)
    all.push_back(json(view, one));
  return all;
}

Json json(const View &view, const features::InlayHint &hint) {
  Json out = {{"position", json(positionOf(view.text, hint.offset, view.encoding))}, {"label", hint.label}, {"paddingLeft", true}};
  if (!hint.tooltip.empty())
    out["tooltip"] = {{"kind", "markdown"}, {"value", hint.tooltip}};
  return out;
}

Json json(const View &view, const features::Hover &hover) {
  return {{"contents", {{"kind", "markdown"}, {"value", hover.markdown}}}, {"range", json(view, hover.span)}};
}

Json json(const View &view, const features::Symbol &symbol) {
  Json out = {{"name", symbol.name.empty() ? "_" : symbol.name}, // an empty name is not allowed
              {"kind", symbolKind(symbol.kind)},
              {"range", json(view, symbol.span)},
              {"selectionRange", json(view, symbol.selection)}};
  if (!symbol.detail.empty())
    out["detail"] = symbol.detail;
  if (!symbol.children.empty()) {
    Json &children = out["children"] = Json::array();
    for (const features::Symbol &child : symbol.children)
      children.push_back(json(view, child));
  }
  return out;
}

Json json(const features::FoldingRange &fold) {
  Json out = {{"startLine", fold.firstLine}, {"endLine", fold.lastLine}};
  if (fold.kind == features::FoldingRange::Kind::Imports)
    out["kind"] = "imports";
  if (fold.kind == features::FoldingRange::Kind::Comment)
    out["kind"] = "comment";
  return out;
}

Json json(const View &view, const features::Definition &definition, bool links) {
  if (!links)
    return {{"uri", view.uri}, {"range", json(view, definition.selection)}};
  return Json::array({{{"originSelectionRange", json(view, definition.origin)},
                       {"targetUri", view.uri},
                       {"targetRange", json(view, definition.target)},
                       {"targetSelectionRange", json(view, definition.selection)}}});
}

Json json(const View &view, const features::Action &action) {
  Json out = {{"title", action.title}, {"kind", action.kind}};
  if (!action.diagnostics.empty())
    out["diagnostics"] = json(view, action.diagnostics);
  if (action.kind == "quickfix")
    out["isPreferred"] = action.preferred;
  if (!action.complete)
    return out;
  if (!action.created) {
    out["edit"]["changes"][view.uri] = edits(view, action.edits);
    return out;
  }
  Json &changes = out["edit"]["documentChanges"] = Json::array();
  std::string uri = siblingUri(view.uri, action.created->ending);
  changes.push_back({{"kind", "create"}, {"uri", uri}, {"options", {{"overwrite", true}}}});
  changes.push_back({{"textDocument", {{"uri", uri}, {"version", nullptr}}}, {"edits", Json::array({{{"range", json(Range{})}, {"newText", action.created->text}}})}});
  if (!action.edits.empty())
    changes.push_back({{"textDocument", {{"uri", view.uri}, {"version", nullptr}}}, {"edits", edits(view, action.edits)}});
  return out;
}

Json json(const View &view, const features::CompletionItem &item) {
  Json out = {{"label", item.label},
              {"kind", completionKind(item.kind)},
              {"sortText", item.sort},
              {"textEdit", {{"range", json(view, item.replaces)}, {"newText", item.insert.empty() ? item.label : item.insert}}}};
  if (!item.detail.empty())
    out["detail"] = item.detail;
  if (!item.filter.empty())
    out["filterText"] = item.filter;
  if (!item.key.empty())
    out["data"] = {{"key", item.key}};
  if (item.preferred)
    out["preselect"] = true;
  return out;
}

Json json(const features::SignatureHelp &help) {
  const features::Signature &signature = help.signature;
  Json parameters = Json::array();
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    Span span = signature.labelSpan(i); // ASCII: equal in every encoding
    Json one = {{"label", Json::array({span.begin, span.end})}};
    if (!signature.parameters[i].documentation.empty())
      one["documentation"] = markdown(signature.parameters[i].documentation);
    parameters.push_back(std::move(one));
  }
  Json out = {{"label", signature.label()}, {"parameters", std::move(parameters)}};
  if (!signature.documentation.empty())
    out["documentation"] = markdown(signature.documentation);
  // No parameter: one past the last, which clients show as none.
  size_t active = help.active >= 0 ? static_cast<size_t>(help.active) : signature.parameters.size();
  return {{"signatures", Json::array({std::move(out)})}, {"activeSignature", 0}, {"activeParameter", active}};
}

Json json(const View &view, const features::CodeLens &lens) { return {{"range", json(view, lens.span)}, {"command", {{"title", lens.title}, {"command", ""}}}}; }

Json json(const View &view, const features::FormText &form) {
  SourceText generated("", form.text);
  Json map = Json::array();
  for (const auto &[source, text] : form.map)
    map.push_back(Json::array({json(view, source), json(rangeOf(generated, text, view.encoding))}));
  return {{"text", form.text}, {"languageId", form.languageId}, {"map", std::move(map)}};
}

} // namespace tilewright::lsp
