// The JSON of the protocol, one function per thing said or read. Readers throw Json::exception on a message of the wrong shape; the
// server answers that with InvalidParams.
#pragma once
#include "features/Actions.h"
#include "features/CodeLens.h"
#include "features/Completion.h"
#include "features/Definition.h"
#include "features/DocumentSymbols.h"
#include "features/FoldingRanges.h"
#include "features/Form.h"
#include "features/Hover.h"
#include "features/InlayHints.h"
#include "features/SignatureHelp.h"
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
  std::string_view docs = {}; // URI of the page about diagnostics, "" if there is none
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
Json json(const View &view, const features::Action &action);
Json json(const View &view, const features::CompletionItem &item);
Json json(const features::SignatureHelp &help);
Json json(const View &view, const features::CodeLens &lens);
Json json(const View &view, const features::FormText &form);

} // namespace tilewright::lsp
