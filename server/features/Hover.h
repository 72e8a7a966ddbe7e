// What is under the cursor: a value's type, layout, storage, lifetime, cost and traffic; an op's signature; a constant's value; a
// hardware fact with its source. Silent outside what only we know.
#pragma once
#include "session/Snapshot.h"

#include <optional>
#include <string>

namespace tilewright::features {

struct Hover {
  Span span;             // in the file
  std::string markdown;
};
std::optional<Hover> hover(const session::Snapshot &snapshot, uint32_t offset);

} // namespace tilewright::features
