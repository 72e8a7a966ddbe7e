// What could stand behind `op=` of a tf.schedule, or behind `atom=` in it, in text that may be half typed: every instruction that the target
// has, matched against the operands as they are typed at this place.
#pragma once
#include "features/Cursor.h"
#include "session/Snapshot.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::features {

struct InstructionChoice {
  std::string id;      // `T.copy`, `T.cuda.sm90.Wgmma` for an atom
  std::string text;    // `T.copy()`, with its parameters where it matches
  bool accepted = false;
  std::string reason;  // why not; or what is repeated how
};
/// Accepted ones first. Null where the cursor is in no `op=` or `atom=`, or its operands cannot be typed.
std::optional<std::vector<InstructionChoice>> instructionChoices(const session::Snapshot &snapshot, const Cursor &cursor);

} // namespace tilewright::features
