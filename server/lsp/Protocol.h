// The JSON of the protocol, one function per thing said or read. Readers throw Json::exception on a message of the wrong shape; the
// server answers that with InvalidParams.
#pragma once
#include "features/Definition.h"
#include "features/DocumentSymbols.h"
#include "features/FoldingRanges.h"
#include "features/Hover.h"
#include "features/InlayHints.h"
#include "lsp/Convert.h"
#include "lsp/Message.h"
#include "support/Diagnostic.h"

#include <string>
#include <vector>

namespace tilewright::lsp {

/// A text and how the client counts in it.
struct View {
  const std::string &uri;
  const SourceText &text;
  Encoding encoding;
};

Position positionFrom(const Json &json);
Range rangeFrom(const Json &json);

Json json(Position position);
Json json(Range range);
Json json(const View &view, Span span);
Json json(const View &view, const Diagnostic &diagnostic);
Json json(const View &view, const std::vector<Diagnostic> &diagnostics);
Json json(const View &view, const features::InlayHint &hint);
Json json(const View &view, const features::Hover &hover);
Json json(const View &view, const features::Symbol &symbol);
Json json(const features::FoldingRange &fold);
Json json(const View &view, const features::Definition &definition, bool links);
/// The fixes of the diagnostics that touch `span`, as quick fixes.
Json quickFixes(const View &view, const std::vector<Diagnostic> &diagnostics, Span span);

} // namespace tilewright::lsp
