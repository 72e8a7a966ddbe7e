// Where the name under the cursor is bound.
#pragma once
#include "session/Snapshot.h"

#include <optional>

namespace tilewright::features {

struct Definition {
  Span origin;     // the name under the cursor
  Span target;     // the statement that binds it
  Span selection;  // the name there
};
/// Spans are in the file.
std::optional<Definition> definition(const session::Snapshot &snapshot, uint32_t offset);

} // namespace tilewright::features
