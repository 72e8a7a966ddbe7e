// Rules of TIR that its importer and the verifiers of the dialect share.
#pragma once
#include "instruction/Table.h"
#include "ir/Tir.h"

#include <optional>
#include <string>

namespace tilewright::ir::tir {

inline constexpr int64_t kAddressStep = 16; // shared memory is handed out in steps of 16 bytes

/// The values that an index can take over all units and trips; an absent bound is not known.
struct Interval {
  std::optional<int64_t> low, high;
};
/// Of an operator over indices with these values; one operand for Neg.
Interval combined(Expr::Kind kind, const Interval &a, const Interval &b);
/// `a`, `a to b`, with `…` for an unknown bound.
std::string text(const Interval &interval);

/// Whether a window of an axis lies outside it: one at a known place in part, another for all values of its start. What only some units or trips
/// find outside is left to the author: the last tile of an uneven axis is such.
bool outside(const Interval &start, int64_t extent, int64_t axis);
/// Whether no value is a slot, or all are known and one is none.
bool outsideRing(const Interval &index, int64_t slots);

/// Whether the modes of a layout arrange the elements of a tensor of this shape.
bool describes(const layout::TensorLayout &layout, const std::vector<int64_t> &shape);

/// Whether bytes [a, a + size) and [b, b + size) meet.
inline bool overlap(int64_t a, int64_t b, int64_t size) { return a < b + size && b < a + size; }

/// The contract of an instruction that a statement can name; null for unknown ones and atoms.
const instruction::Row *instructionRow(std::string_view name);

/// What is wrong with the number of operands or with where one lives; "" if nothing. `operand` is the one it is about, -1 for their number.
struct WrongCall {
  std::string message;
  int operand = -1;
};
std::optional<WrongCall> wrongCall(const std::string &instruction, const std::vector<std::optional<TensorType>> &operands);

} // namespace tilewright::ir::tir
