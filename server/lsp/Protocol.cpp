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

Json edits(const View &view, const Fix &fix) {
  Json all = Json::array();
  for (const Edit &edit : fix.edits)
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
  if (!diagnostic.related.empty()) {
    Json &related = out["relatedInformation"] = Json::array();
    for (const Related &place : diagnostic.related)
      related.push_back({{"location", {{"uri", view.uri}, {"range", json(view, place.span)}}}, {"message", place.message}});
  }
  if (!diagnostic.fixes.empty()) {
    Json &fixes = out["data"]["fixes"] = Json::array();
    for (const Fix &fix : diagnostic.fixes)
      fixes.push_back({{"title", fix.title}, {"edits", edits(view, fix)}});
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

Json quickFixes(const View &view, const std::vector<Diagnostic> &diagnostics, Span span) {
  Json all = Json::array();
  for (const Diagnostic &one : diagnostics) {
    if (one.span.begin > span.end || one.span.end < span.begin)
      continue;
    for (const Fix &fix : one.fixes)
      all.push_back({{"title", fix.title},
                     {"kind", "quickfix"},
                     {"diagnostics", Json::array({json(view, one)})},
                     {"isPreferred", one.fixes.size() == 1},
                     {"edit", {{"changes", {{view.uri, edits(view, fix)}}}}}});
  }
  return all;
}

} // namespace tilewright::lsp
