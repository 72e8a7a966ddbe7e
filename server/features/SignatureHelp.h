// The call that the cursor is in, its parameters and the one being written. Works on half-typed calls.
#pragma once
#include "features/Signatures.h"

#include <optional>

namespace tilewright::features {

struct SignatureHelp {
  Signature signature;
  int active = -1; // the parameter under the cursor, -1: none
};
std::optional<SignatureHelp> signatureHelp(const session::Snapshot &snapshot, uint32_t offset);

} // namespace tilewright::features
