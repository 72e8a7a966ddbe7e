#include "ir/TirRules.h"

#include "ir/Types.h"

#include <algorithm>

namespace tilewright::ir::tir {
namespace {

using Bound = std::optional<int64_t>;

template <class Combine> Bound bound(Bound a, Bound b, Combine combine) {
  int64_t result = 0;
  if (!a || !b || !combine(*a, *b, &result))
    return std::nullopt;
  return result;
}
bool add(int64_t a, int64_t b, int64_t *result) { return !__builtin_add_overflow(a, b, result); }
bool sub(int64_t a, int64_t b, int64_t *result) { return !__builtin_sub_overflow(a, b, result); }
bool mul(int64_t a, int64_t b, int64_t *result) { return !__builtin_mul_overflow(a, b, result); }
bool least(int64_t a, int64_t b, int64_t *result) { return *result = std::min(a, b), true; }
bool greatest(int64_t a, int64_t b, int64_t *result) { return *result = std::max(a, b), true; }
int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }

} // namespace

Interval combined(Expr::Kind kind, const Interval &a, const Interval &b) {
  const bool positive = b.low && b.low == b.high && *b.low > 0; // a divisor
  switch (kind) {
  case Expr::Kind::Add: return {bound(a.low, b.low, add), bound(a.high, b.high, add)};
  case Expr::Kind::Sub: return {bound(a.low, b.high, sub), bound(a.high, b.low, sub)};
  case Expr::Kind::Neg: return {bound(0, a.high, sub), bound(0, a.low, sub)};
  case Expr::Kind::Min: return {bound(a.low, b.low, least), bound(a.high, b.high, least)};
  case Expr::Kind::Max: return {bound(a.low, b.low, greatest), bound(a.high, b.high, greatest)};
  case Expr::Kind::Mul: {
    Interval out;
    bool first = true;
    for (const Bound &x : {a.low, a.high})
      for (const Bound &y : {b.low, b.high}) {
        const Bound product = bound(x, y, mul);
        if (!product)
          return {};
        out.low = first ? *product : std::min(*out.low, *product);
        out.high = first ? *product : std::max(*out.high, *product);
        first = false;
      }
    return out;
  }
  case Expr::Kind::FloorDiv: {
    Interval out;
    if (positive && a.low)
      out.low = floorDiv(*a.low, *b.low);
    if (positive && a.high)
      out.high = floorDiv(*a.high, *b.low);
    return out;
  }
  case Expr::Kind::Mod: {
    if (!positive)
      return {};
    const int64_t m = *b.low;
    if (a.low && a.high && floorDiv(*a.low, m) == floorDiv(*a.high, m)) // within one round
      return {*a.low - floorDiv(*a.low, m) * m, *a.high - floorDiv(*a.high, m) * m};
    return {0, m - 1};
  }
  default: return {};
  }
}

std::string text(const Interval &interval) {
  const auto one = [](const Bound &bound) { return bound ? std::to_string(*bound) : std::string("…"); };
  return interval.low && interval.low == interval.high ? one(interval.low) : one(interval.low) + " to " + one(interval.high);
}

bool outside(const Interval &start, int64_t extent, int64_t axis) {
  if (start.low && start.low == start.high)
    return *start.low < 0 || *start.low > axis - extent;
  return (start.low && *start.low >= axis) || (start.high && *start.high < 0);
}

bool outsideRing(const Interval &index, int64_t slots) {
  if (index.low && index.high)
    return *index.low < 0 || *index.high >= slots;
  return (index.low && *index.low >= slots) || (index.high && *index.high < 0);
}

bool describes(const layout::TensorLayout &layout, const std::vector<int64_t> &shape) {
  bool byAxis = layout.shape.isTuple && layout.shape.elements.size() == shape.size();
  for (size_t axis = 0; byAxis && axis < shape.size(); ++axis)
    byAxis = layout.shape.elements[axis].product() == shape[axis];
  return byAxis || layout::axisOfModes(shape, layout.shape).has_value();
}

const instruction::Row *instructionRow(std::string_view name) {
  const instruction::Row *row = instruction::rowNamed(name);
  return row && row->kind == instruction::Row::Kind::Instruction ? row : nullptr;
}

std::optional<WrongCall> wrongCall(const std::string &instruction, const std::vector<std::optional<TensorType>> &operands) {
  const instruction::Row *row = instructionRow(instruction);
  if (!row)
    return WrongCall{"there is no instruction `" + instruction + "`", -1};
  size_t least = 0;
  std::string list;
  for (const instruction::Operand &one : row->operands) {
    least += !one.optional;
    list += (list.empty() ? "" : ", ") + one.name + (one.optional ? " (optional)" : "");
  }
  if (operands.size() < least || operands.size() > row->operands.size())
    return WrongCall{"`" + instruction + "` takes " + std::to_string(least) + (row->operands.size() > least ? " to " + std::to_string(row->operands.size()) : "") +
                         " operands, not " + std::to_string(operands.size()) + ": " + list,
                     -1};
  // What computes is finalized on any level (the fill of an output in global memory); what the hardware moves or multiplies reaches only its own.
  const bool fixed = !row->capability.empty() || instruction == "T.tiled_mma";
  for (size_t i = 0; i < operands.size(); ++i) {
    const instruction::Operand &wanted = row->operands[i];
    const auto number = static_cast<int>(i);
    if (!operands[i] && wanted.access != instruction::Access::Read)
      return WrongCall{"`" + wanted.name + "` of `" + instruction + "` is written and cannot be a literal", number};
    if (!operands[i] || !fixed)
      continue;
    std::vector<Storage> levels;
    bool any = wanted.cases.empty();
    for (const instruction::OperandCase &one : wanted.cases) {
      any |= one.storage.among.empty();
      levels.insert(levels.end(), one.storage.among.begin(), one.storage.among.end());
    }
    if (any || std::find(levels.begin(), levels.end(), operands[i]->storage) != levels.end())
      continue;
    std::string text;
    for (Storage level : levels)
      if (text.find(ir::name(level)) == std::string::npos)
        text += (text.empty() ? "" : " or ") + std::string(ir::name(level));
    return WrongCall{"`" + wanted.name + "` of `" + instruction + "` lies in " + text + ", not in " + std::string(ir::name(operands[i]->storage)), number};
  }
  return std::nullopt;
}

} // namespace tilewright::ir::tir
