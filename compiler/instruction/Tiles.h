// The part of an operand that one issue of an instruction works on: how often an instruction repeats, the windows of its issues and the layouts of
// these. An axis that is repeated loses its leading modes; axes of the mesh in front of the threads of one issue are *groups*, which issue side by side.
// Private to matching.
// Thread rule: functions of their arguments.
#pragma once
#include "instruction/Match.h"
#include "instruction/Table.h"

namespace tilewright::instruction {

/// An operand cut down to one issue, or why it cannot be.
struct Tiled {
  TensorType type;
  std::string reason; // as reports print it; empty: fine
  int axis = -1;      // the axis of the operand that the reason is about
};

/// What one issue reads of an operand that every unit sees whole: `counts` issues along each axis.
Tiled leadingRemoved(const TensorType &operand, const std::vector<int64_t> &counts);

/// What the threads of one group hold of an operand for one issue: the mesh loses its groups, the axes that groups split lose those modes, and what is
/// still repeated is narrowed to its first part. `frame` is how many axes of the mesh one issue has.
Tiled heldByIssue(const TensorType &operand, std::vector<int64_t> counts, size_t frame);

/// How many groups share out each axis of an operand, for issues of a frame of that many axes.
std::vector<int64_t> groupsOf(const TensorType &operand, size_t frame);

/// Why the operands of a match of an atom cannot be cut into windows of all its groups, with the number of the operand as `axis`; no reason: they can.
Tiled unissuable(const Use &use, const Match &matched);

/// Splits where a window of swizzled shared memory begins: whole rows of the swizzle move the address, the rest stays in the layout.
int64_t swizzleRemainder(const layout::Swizzle &swizzle, int64_t offset, int elementBits);

} // namespace tilewright::instruction
