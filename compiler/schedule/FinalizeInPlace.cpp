// Finalize without what needs no copy. The analyses join a tile with its place in the output only where the place is one they can name; here
// every window is computed, unit by unit and iteration by iteration, and what the numbers prove is used: windows that never meet are written
// in place (no scratch of the size of the output, no copy of a tile), and where they leave nothing out the first fill of the output is not
// needed either.
#include "schedule/FinalizeFunction.h"
#include "support/Codes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace tilewright::schedule {
namespace {

constexpr int64_t kMostWindows = int64_t{1} << 20, kMostCells = int64_t{1} << 24;

/// Index arithmetic under known coordinates and loop variables.
class Evaluator {
public:
  explicit Evaluator(const ir::FunctionPlan &plan) : plan_(plan) {}
  std::map<ir::ValueId, int64_t> variables;                        // induction variables
  std::map<std::pair<ir::RegionId, std::string>, int64_t> coordinates;

  int64_t of(ir::ValueId id) const {
    const ir::PlanValue &value = plan_.at(id);
    switch (value.kind) {
    case ir::ValueKind::Constant: return value.integer;
    case ir::ValueKind::Induction: return variables.at(id);
    case ir::ValueKind::Coordinate: return coordinates.at({value.mesh == ir::kNone ? 0 : value.mesh, value.axis});
    case ir::ValueKind::DimArith: return of(value.dim);
    default: break;
    }
    const int64_t left = of(value.operands[0]);
    if (value.op == ir::Op::Neg)
      return -left;
    const int64_t right = of(value.operands[1]);
    switch (value.op) {
    case ir::Op::Add: return left + right;
    case ir::Op::Sub: return left - right;
    case ir::Op::Mul: return left * right;
    case ir::Op::FloorDiv: return floorDiv(left, right);
    case ir::Op::Mod: return left - floorDiv(left, right) * right;
    case ir::Op::Min: return std::min(left, right);
    default: return std::max(left, right);
    }
  }
  int64_t of(const ir::DimExpr &dim) const {
    using Kind = ir::DimExpr::Kind;
    switch (dim.kind) {
    case Kind::Constant: return dim.constant;
    case Kind::Value: return of(dim.value);
    case Kind::Neg: return -of(dim.operands[0]);
    default: break;
    }
    const int64_t left = of(dim.operands[0]), right = of(dim.operands[1]);
    switch (dim.kind) {
    case Kind::Add: return left + right;
    case Kind::Sub: return left - right;
    case Kind::Mul: return left * right;
    case Kind::FloorDiv: return floorDiv(left, right);
    case Kind::Mod: return left - floorDiv(left, right) * right;
    case Kind::Min: return std::min(left, right);
    default: return std::max(left, right);
    }
  }

private:
  static int64_t floorDiv(int64_t a, int64_t b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
  const ir::FunctionPlan &plan_;
};

/// The extents of a shape, axes of one element left out.
std::vector<int64_t> rowsOf(const std::vector<int64_t> &shape) {
  std::vector<int64_t> rows;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(rows), [](int64_t extent) { return extent != 1; });
  return rows;
}

} // namespace

/// Every window that an insert_slice writes, in all units and iterations; null where that cannot be computed or is too much.
std::optional<std::vector<std::vector<int64_t>>> FunctionLowering::windowsOf(ir::ValueId insert) const {
  const ir::PlanValue &op = at(insert);
  const std::vector<ir::ValueId> starts = elements(op.operands[2]);
  // What the windows depend on: coordinates of threads matter where they are read, those of coarser units always.
  std::set<std::pair<ir::RegionId, std::string>> read;
  std::vector<ir::ValueId> open = starts;
  bool computable = true;
  std::function<void(const ir::DimExpr &)> collect = [&](const ir::DimExpr &dim) {
    if (dim.kind == ir::DimExpr::Kind::Value)
      open.push_back(dim.value);
    for (const ir::DimExpr &operand : dim.operands)
      collect(operand);
  };
  const std::vector<ir::RegionId> loops = loopsAround(op.region);
  for (ir::RegionId loop : loops)
    for (const ir::DimExpr *bound : {&region(loop).start, &region(loop).stop, &region(loop).step})
      collect(*bound);
  std::set<ir::ValueId> seen;
  while (!open.empty()) {
    ir::ValueId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second)
      continue;
    const ir::PlanValue &value = at(id);
    computable &= isIndex(id);
    if (value.kind == ir::ValueKind::Coordinate)
      read.insert({value.mesh == ir::kNone ? 0 : value.mesh, value.axis});
    else if (value.kind == ir::ValueKind::DimArith)
      collect(value.dim);
    else if (value.kind == ir::ValueKind::Op)
      open.insert(open.end(), value.operands.begin(), value.operands.end());
    else if (value.kind == ir::ValueKind::Induction)
      computable &= std::any_of(loops.begin(), loops.end(), [&](ir::RegionId loop) { return region(loop).induction == id; });
  }
  if (!computable)
    return std::nullopt;
  for (ir::RegionId at = op.region; at != ir::kNone; at = region(at).parent)
    if (const auto &mesh = region(at).mesh; mesh && !mesh->topologies.empty() && mesh->topologies.back().name != "thread")
      for (const std::string &axis : mesh->names)
        read.insert({at, axis});
  std::vector<std::vector<int64_t>> windows;
  Evaluator evaluator(plan_);
  const std::vector<std::pair<ir::RegionId, std::string>> coordinates(read.begin(), read.end());
  bool fits = true;
  std::function<void(size_t)> loopOver = [&](size_t depth) { // depth: nested loops
    if (depth == loops.size()) {
      fits &= static_cast<int64_t>(windows.size()) < kMostWindows;
      std::vector<int64_t> window;
      for (ir::ValueId start : starts)
        window.push_back(evaluator.of(start));
      if (fits)
        windows.push_back(std::move(window));
      return;
    }
    const ir::PlanRegion &loop = region(loops[depth]);
    const int64_t stop = evaluator.of(loop.stop), step = evaluator.of(loop.step);
    for (int64_t at = evaluator.of(loop.start); step > 0 && at < stop && fits; at += step) {
      evaluator.variables[loop.induction] = at;
      loopOver(depth + 1);
    }
  };
  std::function<void(size_t)> unitOver = [&](size_t depth) { // depth: axes of the meshes
    if (depth == coordinates.size()) {
      loopOver(0);
      return;
    }
    const layout::Mesh &mesh = *region(coordinates[depth].first).mesh;
    const int axis = mesh.axis(coordinates[depth].second);
    for (int64_t at = 0; axis >= 0 && at < mesh.shape[static_cast<size_t>(axis)] && fits; ++at) {
      evaluator.coordinates[coordinates[depth]] = at;
      unitOver(depth + 1);
    }
  };
  unitOver(0);
  if (!fits)
    return std::nullopt;
  return windows;
}

/// How the windows of some insert_slices lie in their tensor.
FunctionLowering::Coverage FunctionLowering::coverageOf(const std::vector<ir::ValueId> &inserts) const {
  const std::vector<int64_t> &shape = at(inserts.front()).type.tensor.shape;
  struct Placed {
    std::vector<std::vector<int64_t>> windows;
    std::vector<int64_t> extent;
  };
  std::vector<Placed> all;
  std::vector<int64_t> cell = shape;
  for (ir::ValueId insert : inserts) {
    std::optional<std::vector<std::vector<int64_t>>> windows = windowsOf(insert);
    if (!windows)
      return {Coverage::Kind::Unknown, "their places cannot be computed"};
    Placed placed{std::move(*windows), at(at(insert).operands[1]).type.tensor.shape};
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      cell[axis] = std::gcd(cell[axis], placed.extent[axis]);
      for (const std::vector<int64_t> &window : placed.windows) {
        if (window[axis] < 0 || window[axis] + placed.extent[axis] > shape[axis])
          return {Coverage::Kind::Unknown, "one reaches beyond the tensor, at " + std::to_string(window[axis]) + " on axis " + std::to_string(axis)};
        cell[axis] = std::gcd(cell[axis], window[axis]);
      }
    }
    all.push_back(std::move(placed));
  }
  std::vector<int64_t> cells;
  int64_t count = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    cells.push_back(shape[axis] / cell[axis]);
    count *= cells.back();
    if (count > kMostCells)
      return {Coverage::Kind::Unknown, "their places are too fine to compare"};
  }
  std::vector<bool> written(static_cast<size_t>(count), false);
  int64_t covered = 0;
  for (const Placed &placed : all)
    for (const std::vector<int64_t> &window : placed.windows) {
      std::vector<int64_t> at(shape.size(), 0);
      while (true) {
        int64_t index = 0;
        for (size_t axis = 0; axis < shape.size(); ++axis)
          index = index * cells[axis] + window[axis] / cell[axis] + at[axis];
        if (written[static_cast<size_t>(index)]) {
          std::string place;
          for (int64_t start : window)
            place += (place.empty() ? "(" : ", ") + std::to_string(start);
          return {Coverage::Kind::Overlapping, "the one at " + place + ") is written twice"};
        }
        written[static_cast<size_t>(index)] = true;
        ++covered;
        size_t axis = shape.size();
        while (axis > 0 && ++at[axis - 1] == placed.extent[axis - 1] / cell[axis - 1])
          at[--axis] = 0;
        if (axis == 0)
          break;
      }
    }
  if (covered < count)
    return {Coverage::Kind::Disjoint, "they leave out " + std::to_string(count - covered) + " of " + std::to_string(count) + " parts"};
  return {Coverage::Kind::Exact, {}};
}

/// Values by what reads them: an op, a loop that carries them, the return.
void FunctionLowering::rejoin() {
  std::map<ir::ValueId, std::vector<ir::ValueId>> readers;
  std::set<ir::ValueId> returned{plan_.returned};
  if (at(plan_.returned).kind == ir::ValueKind::Tuple)
    returned.insert(at(plan_.returned).operands.begin(), at(plan_.returned).operands.end());
  for (const auto &[id, rank] : rank_)
    for (ir::ValueId operand : at(id).operands)
      if (at(id).kind != ir::ValueKind::LoopResult && !(id == plan_.returned && at(id).kind == ir::ValueKind::Tuple))
        readers[operand].push_back(id);
  struct Carried {
    ir::RegionId region;
    const ir::LoopCarry *carry;
  };
  std::map<ir::ValueId, std::vector<Carried>> entering, leaving; // by initial value, by yielded value
  for (size_t region = 0; region < plan_.regions.size(); ++region)
    for (const ir::LoopCarry &carry : plan_.regions[region].carries) {
      entering[carry.init].push_back({static_cast<ir::RegionId>(region), &carry});
      leaving[carry.yielded].push_back({static_cast<ir::RegionId>(region), &carry});
    }
  auto merge = [&](ir::ValueId value, BufferId into) {
    BufferId own = bufferOf(value);
    for (auto &[key, place] : bufferOf_)
      if (own >= 0 && place == own)
        place = into;
    if (own >= 0 && own != into)
      buffer(own).kind = Buffer::Kind::Unused;
  };
  std::vector<std::pair<int, ir::ValueId>> heads;
  for (const auto &[id, rank] : rank_) {
    const ir::PlanValue &value = at(id);
    if (value.kind == ir::ValueKind::Op && (value.op == ir::Op::Zeros || value.op == ir::Op::FullLike || value.op == ir::Op::Empty) && value.type.tensor.storage == ir::Storage::Gmem)
      heads.push_back({rank, id});
  }
  std::sort(heads.begin(), heads.end());
  for (const auto &[rank, head] : heads) {
    // The chain that updates the tensor, and what else reads a link of it.
    std::vector<ir::ValueId> chain{head}, inserts;
    std::set<ir::ValueId> linked{head};
    bool isReturned = false;
    ir::ValueId otherReader = ir::kNone;
    auto link = [&](ir::ValueId id) {
      if (id != ir::kNone && linked.insert(id).second)
        chain.push_back(id);
    };
    for (size_t i = 0; i < chain.size(); ++i) {
      ir::ValueId one = chain[i];
      isReturned |= returned.count(one) > 0;
      for (ir::ValueId reader : readers[one]) {
        const ir::PlanValue &op = at(reader);
        if (op.kind == ir::ValueKind::Op && op.op == ir::Op::InsertSlice && op.operands[0] == one && op.operands[1] != one) {
          inserts.push_back(reader);
          link(reader);
        } else {
          otherReader = reader;
        }
      }
      for (const Carried &carried : entering[one]) {
        link(carried.carry->inside);
        link(carried.carry->result);
      }
    }
    std::sort(inserts.begin(), inserts.end());
    inserts.erase(std::unique(inserts.begin(), inserts.end()), inserts.end());
    if (!isReturned || inserts.empty())
      continue;
    // Each link is followed by one: a tensor that two branches update has two contents.
    bool single = true;
    for (ir::ValueId one : chain) {
      size_t next = entering[one].size();
      for (ir::ValueId reader : readers[one])
        next += linked.count(reader);
      next += returned.count(one);
      single &= next <= 1;
      for (const Carried &carried : leaving[one])
        single &= linked.count(carried.carry->inside) > 0;
    }
    for (const ir::PlanRegion &loop : plan_.regions)
      for (const ir::LoopCarry &carry : loop.carries)
        if (linked.count(carry.inside))
          single &= linked.count(carry.yielded) > 0;
    auto keep = [&](const std::string &why) {
      const ir::PlanValue &place = at(inserts.front());
      context_.sink.add(Code::KeptCopies, place.span, "`" + nameOf(inserts.front()) + "` keeps its copies: " + why);
    };
    if (otherReader != ir::kNone || !single) {
      keep(otherReader != ir::kNone ? "`" + nameOf(otherReader) + "` reads `" + nameOf(head) + "` while it is being written" : "`" + nameOf(head) + "` is updated in two ways");
      continue;
    }
    Coverage coverage = coverageOf(inserts);
    if (coverage.kind == Coverage::Kind::Unknown || coverage.kind == Coverage::Kind::Overlapping) {
      keep("its windows are not proven to be disjoint; " + coverage.why);
      continue;
    }
    const BufferId whole = bufferOf(head);
    for (ir::ValueId one : chain)
      merge(one, whole);
    if (coverage.kind == Coverage::Kind::Exact)
      unfilled_.insert(head);
    else if (at(head).op != ir::Op::Empty)
      context_.sink.add(Code::KeptCopies, at(head).span, "`" + nameOf(head) + "` is filled first: its windows are disjoint, but " + coverage.why);
    for (ir::ValueId insert : inserts)
      adopt(insert, whole, readers);
  }
}

/// Makes an update where it will be written, if it is made by an instruction into an empty buffer and its place is known by then.
void FunctionLowering::adopt(ir::ValueId insert, BufferId into, const std::map<ir::ValueId, std::vector<ir::ValueId>> &readers) {
  auto keep = [&](const std::string &why) {
    context_.sink.add(Code::KeptCopies, at(insert).span, "`" + nameOf(at(insert).operands[1]) + "` is copied to its place: " + why);
  };
  ir::ValueId update = at(insert).operands[1];
  if (bufferOf(update) == into)
    return;
  std::vector<ir::ValueId> made{update};
  while (at(made.back()).kind == ir::ValueKind::Op) {
    const ir::PlanValue &last = at(made.back());
    if (last.op == ir::Op::Schedule)
      made.push_back(last.operands[destinationOf(last)]);
    else if (last.op == ir::Op::Reshape && rowsOf(last.type.tensor.shape) == rowsOf(at(last.operands[0]).type.tensor.shape))
      made.push_back(last.operands[0]);
    else
      break;
  }
  const ir::PlanValue &root = at(made.back());
  if (root.kind != ir::ValueKind::Op || root.op != ir::Op::Empty || root.type.tensor.storage != ir::Storage::Gmem) {
    keep("no instruction writes it into an empty buffer of its own");
    return;
  }
  // Another reader would find its elements in the output, which is fine; another writer would not be.
  for (ir::ValueId one : made)
    if (auto all = readers.find(one); all != readers.end())
      for (ir::ValueId reader : all->second)
        if (at(reader).kind == ir::ValueKind::Op && at(reader).op == ir::Op::InsertSlice && reader != insert) {
          keep("it is written to two places");
          return;
        }
  // The loops and meshes that its place depends on must be open where it is made.
  const ir::RegionId home = made.size() > 1 ? at(made[made.size() - 2]).region : root.region;
  std::set<ir::RegionId> around;
  for (ir::RegionId region = home; region != ir::kNone; region = this->region(region).parent)
    around.insert(region);
  std::vector<ir::ValueId> open = elements(at(insert).operands[2]);
  std::function<void(const ir::DimExpr &)> collect = [&](const ir::DimExpr &dim) {
    if (dim.kind == ir::DimExpr::Kind::Value)
      open.push_back(dim.value);
    for (const ir::DimExpr &operand : dim.operands)
      collect(operand);
  };
  while (!open.empty()) {
    const ir::PlanValue &value = at(open.back());
    const ir::ValueId id = open.back();
    open.pop_back();
    bool visible = true;
    if (value.kind == ir::ValueKind::Induction)
      visible = std::any_of(around.begin(), around.end(), [&](ir::RegionId region) { return this->region(region).induction == id && this->region(region).kind == ir::RegionKind::Loop; });
    else if (value.kind == ir::ValueKind::Coordinate)
      visible = around.count(value.mesh == ir::kNone ? 0 : value.mesh) > 0;
    else if (value.kind == ir::ValueKind::DimArith)
      collect(value.dim);
    else if (value.kind == ir::ValueKind::Op)
      open.insert(open.end(), value.operands.begin(), value.operands.end());
    if (!visible) {
      keep("its place is not known where it is made");
      return;
    }
  }
  const BufferId own = bufferOf(made.back());
  for (auto &[key, place] : bufferOf_)
    if (own >= 0 && place == own)
      place = into;
  if (own >= 0)
    buffer(own).kind = Buffer::Kind::Unused;
}

} // namespace tilewright::schedule
