#include "analysis/Aliases.h"

#include <algorithm>
#include <climits>
#include <numeric>

namespace tilewright::analysis {
namespace {

bool isElementwise(ir::Op op) {
  using ir::Op;
  switch (op) {
  case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::FloorDiv: case Op::Mod: case Op::Min: case Op::Max:
  case Op::CmpEq: case Op::CmpNe: case Op::CmpLt: case Op::CmpLe: case Op::CmpGt: case Op::CmpGe:
  case Op::LogicalAnd: case Op::LogicalOr: case Op::LogicalNot: case Op::Neg: case Op::Abs: case Op::Exp: case Op::Exp2: case Op::Log: case Op::Log2: case Op::Ceil: case Op::Round: case Op::Unary:
  case Op::Clamp: case Op::Softplus: case Op::Where: case Op::Cast: case Op::ReLU: case Op::Sigmoid: case Op::Tanh: case Op::Gelu: case Op::Silu:
  case Op::Local:
    return true;
  default: return false;
  }
}

class Joiner {
public:
  Joiner(const Model &model, int instance, const std::vector<Aliases> &callees, bool entry)
      : model_(model), instance_(model.instances[static_cast<size_t>(instance)]), plan_(model.plan(instance_)), callees_(callees), entry_(entry) {}

  Aliases run(Liveness live) {
    result_.live = std::move(live);
    adoptCallees();
    size_t count = values().size();
    result_.root.resize(count);
    std::iota(result_.root.begin(), result_.root.end(), 0);
    members_.resize(count);
    for (size_t i = 0; i < count; ++i)
      members_[i] = {static_cast<int>(i)};
    result_.joined.assign(count, false);
    markFormals();
    for (size_t i = 0; i < count; ++i)
      if (values()[i].names >= 0)
        merge(static_cast<int>(i), values()[i].names);
    carries(true);
    inserts(); // before what loops yield: an update that follows an inner loop brings that loop's carry along
    carries(false);
    inserts();
    windows();
    result_.stated = result_.root;
    inPlace();
    completeInserts();
    finish();
    return std::move(result_);
  }

private:
  std::vector<LiveValue> &values() { return result_.live.values; }
  const LiveValue &at(int live) { return values()[static_cast<size_t>(live)]; }
  int rootOf(int live) { return result_.root[static_cast<size_t>(live)]; }

  void adoptCallees() {
    for (const CallEvents &call : std::vector<CallEvents>(result_.live.calls)) {
      const ir::PlanValue &site = plan_.at(call.call);
      if (site.callee == ir::kNone || static_cast<size_t>(site.callee) >= callees_.size())
        continue;
      const Aliases &callee = callees_[static_cast<size_t>(site.callee)];
      const ir::FunctionPlan &other = model_.program.functions[static_cast<size_t>(site.callee)];
      // Where the callee's roots lie here: in an argument, in the result of the call, or in bytes of their own.
      std::map<int, int> place;
      for (size_t i = 0; i < callee.live.values.size(); ++i) {
        const LiveValue &formal = callee.live.values[i];
        if (formal.kind != LiveValue::Kind::Parameter)
          continue;
        auto argument = std::find(other.parameters.begin(), other.parameters.end(), formal.value) - other.parameters.begin();
        if (static_cast<size_t>(argument) < site.operands.size())
          place[callee.root[i]] = result_.live.seenFrom(site.operands[static_cast<size_t>(argument)], formal.leaf, site.region);
      }
      std::vector<const ir::TensorType *> leaves;
      leavesOf(site.type, leaves);
      for (size_t leaf = 0; leaf < leaves.size() && other.returned != ir::kNone; ++leaf) {
        int returned = callee.live.seenFrom(other.returned, static_cast<int>(leaf), 0);
        auto own = result_.live.defining.find({call.call, static_cast<int>(leaf)});
        if (returned < 0 || own == result_.live.defining.end())
          continue;
        int root = callee.root[static_cast<size_t>(returned)];
        if (auto known = place.find(root); known != place.end() && known->second >= 0) {
          values()[static_cast<size_t>(own->second)].names = known->second;
          result_.live.values[static_cast<size_t>(own->second)].listed = false;
        } else {
          place[root] = own->second;
        }
      }
      for (size_t i = 0; i < callee.live.values.size(); ++i) {
        const LiveValue &inner = callee.live.values[i];
        if (inner.kind == LiveValue::Kind::Parameter)
          continue;
        auto known = place.find(callee.root[i]);
        LiveValue foreign = inner;
        foreign.kind = LiveValue::Kind::Foreign;
        foreign.value = ir::kNone;
        foreign.region = site.region;
        foreign.start += call.origin;
        foreign.end += call.origin;
        foreign.listed = known == place.end() && inner.listed;
        foreign.owner = inner.owner ? inner.owner : &other;
        foreign.ownerValue = inner.owner ? inner.ownerValue : inner.value;
        foreign.uses.clear();
        foreign.names = known == place.end() ? foreignRoot(site.callee, callee.root[i]) : known->second;
        values().push_back(std::move(foreign));
        if (known == place.end() && values().back().names < 0)
          foreign_[{site.callee, callee.root[i]}] = static_cast<int>(values().size()) - 1;
      }
    }
  }
  int foreignRoot(int function, int root) {
    auto known = foreign_.find({function, root});
    return known == foreign_.end() ? -1 : known->second;
  }

  void markFormals() {
    formal_.assign(values().size(), false);
    if (entry_)
      return;
    for (size_t i = 0; i < values().size(); ++i)
      formal_[i] = values()[i].kind == LiveValue::Kind::Parameter;
  }

  void merge(int holder, int target) {
    int a = rootOf(holder), b = rootOf(target);
    if (a == b)
      return;
    for (int member : members_[static_cast<size_t>(a)])
      result_.root[static_cast<size_t>(member)] = b;
    std::vector<int> &into = members_[static_cast<size_t>(b)];
    into.insert(into.end(), members_[static_cast<size_t>(a)].begin(), members_[static_cast<size_t>(a)].end());
    members_[static_cast<size_t>(a)].clear();
  }

  const std::vector<int> &membersOf(int root) { return members_[static_cast<size_t>(root)]; }
  int startOf(int root) {
    int start = INT_MAX;
    for (int member : membersOf(root))
      start = std::min(start, at(member).start);
    return start;
  }
  int endOf(int root) {
    int end = -1;
    for (int member : membersOf(root))
      end = std::max(end, at(member).end);
    return end;
  }
  int64_t bytesOfRoot(int root) {
    int64_t bytes = 0;
    for (int member : membersOf(root))
      bytes = std::max(bytes, at(member).bytes);
    return bytes;
  }
  bool owned(int root) { // by the caller
    for (int member : membersOf(root))
      if (at(member).persistent || formal_[static_cast<size_t>(member)])
        return true;
    return false;
  }

  /// Whether element i of a live value is element i of its root's bytes.
  bool sameElements(int live) {
    for (size_t steps = 0; at(live).names >= 0 && steps < values().size(); ++steps) {
      if (!at(live).sameCoordinates)
        return false;
      live = at(live).names;
    }
    return true;
  }

  bool knownWindow(const ir::PlanValue &insert) {
    const ir::PlanValue &offsets = plan_.at(insert.operands[2]);
    std::vector<ir::ValueId> elements = offsets.kind == ir::ValueKind::Tuple ? offsets.operands : std::vector{insert.operands[2]};
    for (ir::ValueId element : elements)
      if (!model_.index.known(instance_.exprs[static_cast<size_t>(element)]))
        return false;
    return true;
  }

  /// At the event that makes the earliest member of A: whatever its op reads of B it reads where it writes.
  bool readsWhereItWrites(int a, int b, int event) {
    int maker = -1;
    for (int member : membersOf(a))
      if (at(member).start == event && at(member).kind == LiveValue::Kind::Result && at(member).names < 0)
        maker = member;
    if (maker < 0)
      return false;
    const ir::PlanValue &op = plan_.at(at(maker).value);
    if (op.kind != ir::ValueKind::Op)
      return false;
    bool insert = op.op == ir::Op::InsertSlice;
    if (!insert && !isElementwise(op.op))
      return false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      std::vector<const ir::TensorType *> leaves;
      leavesOf(plan_.at(op.operands[i]).type, leaves);
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        int read = result_.live.seenFrom(op.operands[i], static_cast<int>(leaf), op.region);
        if (read < 0 || rootOf(read) != b)
          continue;
        if (!sameElements(read))
          return false;
        if (insert ? i != 0 || !knownWindow(op) : leaves[leaf]->shape != op.type.tensor.shape && op.op != ir::Op::Local)
          return false;
      }
    }
    return true;
  }

  bool tie(int holder, int target) {
    int a = rootOf(holder), b = rootOf(target);
    if (a == b)
      return true;
    if (owned(b) || owned(a) || at(holder).type->storage != at(target).type->storage || bytesOfRoot(a) > bytesOfRoot(b))
      return false;
    int end = endOf(b), start = startOf(a);
    if (end > start || (end == start && !readsWhereItWrites(a, b, start)))
      return false;
    merge(holder, target);
    return true;
  }

  /// Initial values in the order of the loops; yielded values in the order in which they are made, so inner loops come first.
  void carries(bool initial) {
    struct Candidate {
      int event, holder, target;
      ir::RegionId loop;
    };
    std::vector<Candidate> candidates;
    for (size_t region = 0; region < plan_.regions.size(); ++region) {
      const ir::PlanRegion &loop = plan_.regions[region];
      for (const ir::LoopCarry &carry : loop.carries) {
        std::vector<const ir::TensorType *> leaves;
        leavesOf(plan_.at(carry.inside).type, leaves);
        for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
          auto phi = result_.live.defining.find({carry.inside, static_cast<int>(leaf)});
          if (phi == result_.live.defining.end())
            continue;
          auto body = static_cast<ir::RegionId>(region);
          int init = result_.live.seenFrom(carry.init, static_cast<int>(leaf), loop.parent), yielded = result_.live.seenFrom(carry.yielded, static_cast<int>(leaf), body);
          if (initial && init >= 0)
            candidates.push_back({at(phi->second).start, phi->second, init, body});
          if (!initial && yielded >= 0)
            candidates.push_back({at(yielded).start, yielded, phi->second, body});
        }
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) { return a.event < b.event; });
    for (const Candidate &candidate : candidates) {
      if (initial)
        tie(candidate.holder, candidate.target);
      else
        yieldTie(candidate.holder, candidate.target, candidate.loop);
    }
  }

  bool inside(ir::RegionId region, ir::RegionId ancestor) const {
    for (; region != ir::kNone; region = plan_.regions[static_cast<size_t>(region)].parent)
      if (region == ancestor)
        return true;
    return false;
  }

  /// What a loop yields takes the carried value's place when the body has read that for the last time.
  void yieldTie(int yielded, int phi, ir::RegionId loop) {
    int a = rootOf(yielded), b = rootOf(phi);
    if (a == b || owned(b) || owned(a) || at(yielded).type->storage != at(phi).type->storage || bytesOfRoot(a) > bytesOfRoot(b))
      return;
    const RegionEvents &events = result_.live.regions[static_cast<size_t>(loop)];
    int start = INT_MAX;
    bool made = false;
    for (int member : membersOf(a))
      if (inside(at(member).region, loop)) {
        start = std::min(start, at(member).start);
        made = made || ((at(member).kind == LiveValue::Kind::Result || at(member).kind == LiveValue::Kind::Foreign) && at(member).names < 0) || at(member).kind == LiveValue::Kind::Foreign;
      }
    if (!made)
      return;
    int end = -1;
    for (int member : membersOf(b)) {
      for (int used : at(member).uses)
        if (used > events.begin && used < events.back)
          end = std::max(end, used);
      if (at(member).kind == LiveValue::Kind::Foreign && at(member).start > events.begin && at(member).end < events.back)
        end = std::max(end, at(member).end);
    }
    if (end > start || (end == start && !readsWhereItWrites(a, b, start)))
      return;
    merge(yielded, phi);
  }

  template <typename Visit> void everyInsert(Visit visit) {
    for (size_t i = 0; i < values().size(); ++i) {
      if (values()[i].kind != LiveValue::Kind::Result || values()[i].value == ir::kNone)
        continue;
      const ir::PlanValue &op = plan_.at(values()[i].value);
      if (op.kind == ir::ValueKind::Op && op.op == ir::Op::InsertSlice)
        visit(static_cast<int>(i), op);
    }
  }

  void inserts() {
    everyInsert([&](int live, const ir::PlanValue &op) {
      int destination = result_.live.seenFrom(op.operands[0], 0, op.region);
      if (destination < 0)
        return;
      // Into a parameter's bytes too, unless the old value is read later.
      int a = rootOf(live), b = rootOf(destination);
      if (a != b && owned(b) && !owned(a) && knownWindow(op) && endOf(b) <= startOf(a) && bytesOfRoot(a) <= bytesOfRoot(b)) {
        merge(live, destination);
        return;
      }
      tie(live, destination);
    });
  }
  void completeInserts() {
    everyInsert([&](int live, const ir::PlanValue &op) {
      int destination = result_.live.seenFrom(op.operands[0], 0, op.region);
      result_.joined[static_cast<size_t>(live)] = destination >= 0 && rootOf(live) == rootOf(destination);
    });
  }

  /// An update is made where it will be inserted, if that place is known when it is made and nobody reads the destination in between.
  void windows() {
    everyInsert([&](int live, const ir::PlanValue &op) {
      int destination = result_.live.seenFrom(op.operands[0], 0, op.region), update = result_.live.seenFrom(op.operands[1], 0, op.region);
      if (destination < 0 || update < 0 || rootOf(live) != rootOf(destination))
        return;
      int a = rootOf(update), b = rootOf(live), event = at(live).start;
      if (a == b || owned(a) || owned(b) || at(update).type->storage != at(live).type->storage || bytesOfRoot(a) > bytesOfRoot(b) || endOf(a) > event)
        return;
      if (!sameElements(update) || plan_.at(op.operands[1]).type.tensor.shape.size() != op.type.tensor.shape.size())
        return;
      int start = startOf(a), maker = -1;
      for (int member : membersOf(a))
        if (at(member).kind == LiveValue::Kind::Result && at(member).names < 0 && (maker < 0 || at(member).start < at(maker).start))
          maker = member;
      if (maker < 0)
        return;
      // A carried value without a place before its loop has no maker.
      for (int member : membersOf(a))
        if (at(member).kind == LiveValue::Kind::Carry && at(member).start < at(maker).start)
          return;
      for (int member : membersOf(b))
        for (int used : at(member).uses)
          if (used >= start && used < event)
            return;
      if (!visibleAt(op, at(maker).region, start) || !visibleDestination(b, at(maker).region, start))
        return;
      merge(update, live);
    });
  }
  bool visibleDestination(int root, ir::RegionId region, int event) {
    for (int member : membersOf(root))
      if (at(member).start < event && inside(region, at(member).region))
        return true;
    return false;
  }
  bool visibleAt(const ir::PlanValue &insert, ir::RegionId region, int event) {
    const ir::PlanValue &offsets = plan_.at(insert.operands[2]);
    std::vector<ir::ValueId> elements = offsets.kind == ir::ValueKind::Tuple ? offsets.operands : std::vector{insert.operands[2]};
    for (ir::ValueId element : elements) {
      ExprId start = instance_.exprs[static_cast<size_t>(element)];
      if (!model_.index.known(start))
        return false;
      for (VariableId id : model_.index.used(start)) {
        const Variable &variable = model_.index.variableAt(id);
        if (variable.kind == Variable::Kind::Loop && !inside(region, model_.scopes[static_cast<size_t>(variable.scope)].region))
          return false;
      }
    }
    (void)event;
    return true;
  }

  void inPlace() {
    for (size_t i = 0; i < values().size(); ++i) {
      LiveValue &made = values()[i];
      if (made.kind != LiveValue::Kind::Result || made.names >= 0 || made.value == ir::kNone)
        continue;
      const ir::PlanValue &op = plan_.at(made.value);
      if (op.kind != ir::ValueKind::Op || !isElementwise(op.op))
        continue;
      for (ir::ValueId operand : op.operands) {
        int read = result_.live.seenFrom(operand, 0, op.region);
        if (read < 0 || at(read).end > made.start || at(read).type->storage != made.type->storage || (at(read).type->shape != op.type.tensor.shape && op.op != ir::Op::Local))
          continue;
        if (tie(static_cast<int>(i), read))
          break;
      }
    }
  }

  void finish() {
    size_t count = values().size();
    result_.bytes.assign(count, 0);
    result_.boundary.assign(count, false);
    for (size_t i = 0; i < count; ++i) {
      auto root = static_cast<size_t>(result_.root[i]);
      result_.bytes[root] = std::max({result_.bytes[root], values()[i].bytes, values()[i].slot * values()[i].copies});
      if (formal_[i])
        result_.boundary[root] = true;
    }
    if (entry_ || plan_.returned == ir::kNone)
      return;
    std::vector<const ir::TensorType *> leaves;
    leavesOf(plan_.at(plan_.returned).type, leaves);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
      if (int returned = result_.live.seenFrom(plan_.returned, static_cast<int>(leaf), 0); returned >= 0)
        result_.boundary[static_cast<size_t>(rootOf(returned))] = true;
  }

  const Model &model_;
  const Instance &instance_;
  const ir::FunctionPlan &plan_;
  const std::vector<Aliases> &callees_;
  bool entry_;
  Aliases result_;
  std::vector<std::vector<int>> members_;
  std::vector<bool> formal_;
  std::map<std::pair<int, int>, int> foreign_;
};
} // namespace

Aliases aliasesOf(const Model &model, int instance, const std::vector<Aliases> &callees, bool entry) {
  std::vector<Liveness> lives(model.program.functions.size());
  for (size_t i = 0; i < callees.size(); ++i)
    lives[i] = callees[i].live;
  size_t function = model.instances[static_cast<size_t>(instance)].function;
  return Joiner(model, instance, callees, entry).run(livenessOf(model, function, lives));
}

} // namespace tilewright::analysis
