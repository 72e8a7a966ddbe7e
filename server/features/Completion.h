// What can stand at the cursor: ops and instructions, arguments and their values, dtypes, storages, targets, axes of meshes, names in
// scope. Works on half-typed code.
#pragma once
#include "session/Snapshot.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::features {

enum class CompletionKind : uint8_t { Op, Instruction, Namespace, Enumeration, Member, Argument, Value, Variable, Constant, Function, Class, Keyword };

struct CompletionItem {
  std::string label;
  CompletionKind kind = CompletionKind::Variable;
  std::string detail;  // one line beside the label
  std::string insert;  // instead of the label, if not empty
  std::string filter;  // what typed text is compared with, the label if empty
  std::string sort;    // items are shown in its order
  std::string key;     // what documentation() takes, "" if there is none
  Span replaces;       // in the file
  bool preferred = false, refused = false;
};
/// In order of rank.
std::vector<CompletionItem> completion(const session::Snapshot &snapshot, uint32_t offset);

/// What an item is, as Markdown; empty if there is nothing to say. Of tables alone, so it holds whatever has become of the text.
std::string completionDocumentation(std::string_view key);

} // namespace tilewright::features
