// One form of a schedule as text, with the places that belong together: what a window beside the source shows and follows.
#pragma once
#include "session/Snapshot.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::features {

struct FormText {
  std::string text, languageId;
  std::vector<std::pair<Span, Span>> map; // in the source and in the text, in order of the text
  std::string error;                      // why there is no text
};
/// `form` is ast, hir or tir. Of the function around `offset`, else of the first entry.
FormText formText(const session::Snapshot &snapshot, std::string_view form, std::optional<uint32_t> offset);

} // namespace tilewright::features
