// Which slot of a ring an iteration uses. The slots are declared outside the outermost loop around the ring. The iterations of all loops
// around it are numbered in order, `((outer - start) // step) * inner trips + ...`; where an inner loop does not always make the same number
// of trips no such number exists, and a register counts.
#include "schedule/FinalizeFunction.h"

#include <algorithm>

namespace tilewright::schedule {

std::vector<ir::RegionId> FunctionLowering::loopsAround(ir::RegionId id) const {
  std::vector<ir::RegionId> loops;
  for (; id != ir::kNone; id = region(id).parent)
    if (region(id).kind == ir::RegionKind::Loop)
      loops.insert(loops.begin(), id);
  return loops;
}

namespace {
struct Trip {
  ir::DimExpr start, stop, step;
  bool fixed() const {
    using Kind = ir::DimExpr::Kind;
    return start.kind == Kind::Constant && stop.kind == Kind::Constant && step.kind == Kind::Constant && step.constant > 0;
  }
  int64_t count() const { return std::max<int64_t>(0, (stop.constant - start.constant + step.constant - 1) / step.constant); }
};
} // namespace

void FunctionLowering::declareRing(BufferId id) {
  Buffer &ring = buffer(id);
  if (ring.value != tir::kNone)
    return;
  ring.home = at(ring.maker).region;
  ring.value = newValue(tir::ValueKind::Ring, names_.fresh(authored(ring.maker) + "_stages"), *ring.type);
  tir::Statement statement;
  statement.kind = tir::StatementKind::Ring;
  statement.value = ring.value;
  statement.span = span_;
  for (int64_t slot = 0; slot < ring.copies; ++slot) {
    tir::View view;
    view.address = ring.offset + slot * ring.slot;
    view.type = *ring.type;
    statement.views.push_back(std::move(view));
  }
  std::vector<ir::RegionId> loops = loopsAround(ring.home);
  tir::Block *outside = frames_.front().block;
  if (!loops.empty())
    outside = frameOf(region(loops.front()).parent).block;
  outside->push_back(std::move(statement));
  bool counted = false;
  for (size_t i = 1; i < loops.size(); ++i) {
    const ir::PlanRegion &loop = region(loops[i]);
    counted |= !Trip{normal(loop.start), normal(loop.stop), normal(loop.step)}.fixed();
  }
  if (!counted || counters_.count(loops.back()))
    return;
  ir::TensorType scalar;
  scalar.dtype = ir::DType::I64;
  scalar.storage = ir::Storage::Rmem;
  Counter counter;
  for (auto [stem, value, first] : {std::tuple("stage_counter", &counter.counter, int64_t{0}), std::tuple("stage_one", &counter.one, int64_t{1})}) {
    *value = newValue(tir::ValueKind::Buffer, names_.fresh(stem), scalar);
    tir::Statement alloc;
    alloc.kind = tir::StatementKind::Alloc;
    alloc.value = *value;
    alloc.span = span_;
    outside->push_back(std::move(alloc));
    tir::Statement fill;
    fill.instruction.name = "T.fill";
    tir::Operand number;
    number.kind = tir::Operand::Kind::Integer;
    number.integer = first;
    fill.operands = {tir::Operand{tir::Operand::Kind::Value, *value, {}, 0, 0}, number};
    fill.span = span_;
    outside->push_back(std::move(fill));
  }
  counters_[loops.back()] = counter;
}

tir::Operand FunctionLowering::slot(BufferId id) {
  declareRing(id);
  const Buffer &ring = buffer(id);
  tir::Operand operand;
  operand.kind = tir::Operand::Kind::Slot;
  operand.value = ring.value;
  std::vector<ir::RegionId> loops = loopsAround(ring.home);
  if (loops.empty()) {
    operand.slot.push_back(integer(0));
    return operand;
  }
  tir::Expr ordinal;
  if (auto counter = counters_.find(loops.back()); counter != counters_.end()) {
    ordinal.kind = tir::Expr::Kind::Value;
    ordinal.value = counter->second.counter;
  } else {
    bool first = true;
    for (ir::RegionId loopId : loops) {
      const ir::PlanRegion &loop = region(loopId);
      Trip trip{normal(loop.start), normal(loop.stop), normal(loop.step)};
      tir::Expr own = expression(loop.induction);
      if (trip.start.kind != ir::DimExpr::Kind::Constant || trip.start.constant != 0)
        own = join(tir::Expr::Kind::Sub, std::move(own), expression(trip.start));
      if (trip.step.kind != ir::DimExpr::Kind::Constant || trip.step.constant != 1)
        own = join(tir::Expr::Kind::FloorDiv, std::move(own), expression(trip.step));
      ordinal = first ? std::move(own) : join(tir::Expr::Kind::Add, join(tir::Expr::Kind::Mul, std::move(ordinal), integer(trip.count())), std::move(own));
      first = false;
    }
  }
  operand.slot.push_back(join(tir::Expr::Kind::Mod, std::move(ordinal), integer(ring.copies)));
  return operand;
}

} // namespace tilewright::schedule
