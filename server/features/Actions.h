// What can be done at a place: fixes, rewrites, forms written beside the source. One row of Actions.def and one file of actions/ each.
#pragma once
#include "session/Snapshot.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::features {

struct Action {
  std::string_view kind;                // of its row
  std::string title;                    // tells it from the others of its kind at one place
  std::vector<Edit> edits;              // of the file
  struct NewFile {
    std::string ending, text;           // `_tir.py` stands behind the stem of the source's name
  };
  std::optional<NewFile> created;       // a file beside the source, written anew if there is one
  std::vector<Diagnostic> diagnostics;  // that it answers
  bool preferred = false;
  bool complete = true;                 // false: edits are left for later
  std::string error;                    // complete, and it cannot be done: why
};

struct ActionRequest {
  const session::Snapshot &snapshot;
  Span span;                            // in the file: the selection
  bool edits = true;                    // false: what is costly may be left out, with `complete` false
};

struct ActionRow {
  std::string_view name, kind;
  void (*offer)(const ActionRequest &request, std::vector<Action> &out);
};
const std::vector<ActionRow> &actionRows();

/// Whether `kind` is `wanted` or a part of it: `refactor` wants `refactor.rewrite.tilewright.tile`; "" wants everything.
bool isKind(std::string_view kind, std::string_view wanted);

/// The actions of the wanted kinds; no kinds: of all.
std::vector<Action> actions(const ActionRequest &request, const std::vector<std::string> &wanted = {});

namespace offer {
#define TW_ACTION(Name, ActionKind) void Name(const ActionRequest &request, std::vector<Action> &out);
#include "features/Actions.def"
} // namespace offer

} // namespace tilewright::features
