#include "analysis/Liveness.h"

#include <algorithm>
#include <climits>
#include <set>

namespace tilewright::analysis {
namespace {

class Tracer {
public:
  Tracer(const Model &model, size_t function, const std::vector<Liveness> &callees) : model_(model), plan_(model.program.functions[function]), callees_(callees) {}

  Liveness run() {
    live_.regions.resize(plan_.regions.size());
    findExports();
    collectLiterals();
    settle(0, 0);
    for (ir::ValueId parameter : plan_.parameters) {
      int event = next();
      define(parameter, 0, event, LiveValue::Kind::Parameter);
    }
    RegionEvents &body = live_.regions[0];
    if (plan_.regions[0].mesh) {
      body.enter = next();
      body.begin = next();
    }
    walk(0);
    project(Liveness::endOf(0));
    if (plan_.regions[0].mesh) {
      body.exit = next();
      if (plan_.returned != ir::kNone)
        use(plan_.returned, 0, body.exit);
      body.defined = next();
    }
    live_.events = next_;
    return std::move(live_);
  }

private:
  int next() { return next_++; }

  // ---- which values cross the border of a mesh outwards
  ir::RegionId homeOf(ir::ValueId value) const {
    const ir::PlanValue &defined = plan_.at(value);
    return defined.kind == ir::ValueKind::Parameter ? 0 : defined.region;
  }
  bool insideOf(ir::RegionId region, ir::RegionId ancestor) const {
    for (; region != ir::kNone; region = plan_.regions[static_cast<size_t>(region)].parent)
      if (region == ancestor)
        return true;
    return false;
  }
  void noteUse(ir::ValueId value, ir::RegionId user, std::pair<ir::ValueId, ir::RegionId> item) {
    if (value == ir::kNone)
      return;
    if (auto loop = loopOf_.find(value); loop != loopOf_.end() && noted_.insert(value).second)
      first_.push_back({loop->second, value, leadTo(plan_.regions[static_cast<size_t>(loop->second)].parent, user, item)});
    for (ir::RegionId region = homeOf(value); region > 0 && !insideOf(user, region); region = plan_.regions[static_cast<size_t>(region)].parent) {
      if (plan_.regions[static_cast<size_t>(region)].kind != ir::RegionKind::Mesh)
        continue;
      std::vector<ir::ValueId> &exported = live_.exports[region];
      if (std::find(exported.begin(), exported.end(), value) != exported.end())
        continue;
      exported.push_back(value);
      first_.push_back({region, value, leadTo(plan_.regions[static_cast<size_t>(region)].parent, user, item)});
    }
  }
  /// The item of `outer` through which `user` reaches its use.
  std::pair<ir::ValueId, ir::RegionId> leadTo(ir::RegionId outer, ir::RegionId user, std::pair<ir::ValueId, ir::RegionId> item) const {
    for (ir::RegionId at = user; at != outer && at > 0; at = plan_.regions[static_cast<size_t>(at)].parent)
      if (plan_.regions[static_cast<size_t>(at)].parent == outer)
        return {ir::kNone, at};
    return item;
  }
  void noteBounds(const ir::DimExpr &dim, ir::RegionId user, std::pair<ir::ValueId, ir::RegionId> item) {
    if (dim.kind == ir::DimExpr::Kind::Value)
      noteUse(dim.value, user, item);
    for (const ir::DimExpr &operand : dim.operands)
      noteBounds(operand, user, item);
  }
  void scan(ir::RegionId region) {
    for (const ir::PlanItem &item : plan_.regions[static_cast<size_t>(region)].items) {
      std::pair<ir::ValueId, ir::RegionId> key{item.value, item.region};
      if (item.value != ir::kNone) {
        const ir::PlanValue &value = plan_.at(item.value);
        for (ir::ValueId operand : value.operands)
          noteUse(operand, region, key);
        noteBounds(value.dim, region, key);
        continue;
      }
      const ir::PlanRegion &inner = plan_.regions[static_cast<size_t>(item.region)];
      for (const ir::LoopCarry &carry : inner.carries)
        noteUse(carry.init, region, key);
      noteBounds(inner.start, region, key);
      noteBounds(inner.stop, region, key);
      scan(item.region);
      for (const ir::LoopCarry &carry : inner.carries)
        noteUse(carry.yielded, item.region, Liveness::endOf(item.region));
    }
  }
  void findExports() {
    for (size_t region = 0; region < plan_.regions.size(); ++region)
      if (plan_.regions[region].carries.size() > 1)
        for (const ir::LoopCarry &carry : plan_.regions[region].carries)
          if (carry.result != ir::kNone)
            loopOf_[carry.result] = static_cast<ir::RegionId>(region);
    scan(0);
    noteUse(plan_.returned, 0, Liveness::endOf(0));
    for (const auto &[region, value, lead] : first_) {
      if (plan_.regions[static_cast<size_t>(region)].kind == ir::RegionKind::Loop) {
        int index = 0;
        for (const ir::LoopCarry &carry : plan_.regions[static_cast<size_t>(region)].carries)
          if (carry.result == value)
            index = static_cast<int>(&carry - plan_.regions[static_cast<size_t>(region)].carries.data());
        live_.projections[lead].push_back({region, value, index});
        continue;
      }
      std::vector<ir::ValueId> &exported = live_.exports[region];
      if (exported.size() < 2)
        continue;
      auto index = static_cast<int>(std::find(exported.begin(), exported.end(), value) - exported.begin());
      live_.projections[lead].push_back({region, value, index});
    }
  }

  // ---- live values
  int64_t bytesOfType(const ir::TensorType &type) const {
    int level = model_.levels.selected;
    if (type.storage == ir::Storage::Smem) {
      // Owned by a CTA: what threads share out stays in it.
      int owner = model_.levels.named("cta");
      return spanBytes(type, owner >= 0 ? std::min(owner, level) : level, model_.levels);
    }
    return bytesOf(elementsOf(localShape(type, level, model_.levels)), type.dtype);
  }
  static bool occupies(const ir::TensorType &type) { return type.storage != ir::Storage::Umat && type.storage != ir::Storage::Host; }

  int add(LiveValue value) {
    live_.values.push_back(std::move(value));
    return static_cast<int>(live_.values.size()) - 1;
  }

  void define(ir::ValueId id, ir::RegionId region, int event, LiveValue::Kind kind) {
    std::vector<const ir::TensorType *> leaves;
    leavesOf(plan_.at(id).type, leaves);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      if (!occupies(*leaves[leaf]))
        continue;
      LiveValue value;
      value.kind = kind;
      value.value = id;
      value.leaf = static_cast<int>(leaf);
      value.region = region;
      value.type = leaves[leaf];
      value.bytes = bytesOfType(*leaves[leaf]);
      value.start = value.end = event;
      value.persistent = kind == LiveValue::Kind::Parameter;
      value.listed = kind != LiveValue::Kind::Forward;
      live_.defining[{id, value.leaf}] = add(std::move(value));
    }
  }

  int forward(int target, ir::RegionId region, int event, LiveValue::Kind kind) {
    LiveValue value = live_.values[static_cast<size_t>(target)];
    value.kind = kind;
    value.region = region;
    value.start = value.end = event;
    value.persistent = false;
    value.listed = false;
    value.names = target;
    value.sameCoordinates = true;
    value.uses.clear();
    return add(std::move(value));
  }

  void touch(int live, int event) {
    LiveValue &value = live_.values[static_cast<size_t>(live)];
    value.uses.push_back(event);
    value.end = std::max(value.end, event);
  }

  /// The live value through which `region` sees a leaf; crossing borders makes values that name the same bytes.
  int seen(ir::ValueId id, int leaf, ir::RegionId region) {
    auto own = live_.defining.find({id, leaf});
    if (own == live_.defining.end())
      return -1;
    auto key = std::tuple(id, leaf, region);
    if (auto known = live_.visible.find(key); known != live_.visible.end())
      return known->second;
    ir::RegionId home = live_.values[static_cast<size_t>(own->second)].region;
    int result = own->second;
    if (region == 0 && live_.regions[0].enter >= 0 && live_.values[static_cast<size_t>(result)].kind == LiveValue::Kind::Parameter) {
      // The mesh that wraps the whole body reads the parameters as its arguments.
      touch(result, live_.regions[0].enter);
      result = forward(result, 0, live_.regions[0].begin, LiveValue::Kind::Capture);
    } else if (home != region) {
      if (insideOf(region, home)) {
        // Inwards: the border of `region` itself, after the borders around it.
        int outer = seen(id, leaf, plan_.regions[static_cast<size_t>(region)].parent);
        const RegionEvents &events = live_.regions[static_cast<size_t>(region)];
        touch(outer, events.enter);
        result = forward(outer, region, events.begin, LiveValue::Kind::Capture);
        if (plan_.regions[static_cast<size_t>(region)].kind == ir::RegionKind::Loop)
          captured_[region].push_back(result);
      } else {
        // Outwards: out of the body that holds it, until one that contains `region`.
        int at = own->second;
        ir::RegionId from = home;
        while (from > 0 && !insideOf(region, from)) {
          ir::RegionId to = plan_.regions[static_cast<size_t>(from)].parent;
          auto step = std::tuple(id, leaf, to);
          if (auto known = live_.visible.find(step); known != live_.visible.end()) {
            at = known->second;
          } else {
            at = leave(at, from, to, id);
            live_.visible[step] = at;
          }
          from = to;
        }
        result = at;
        if (from != region) {
          int outer = seenBelow(id, leaf, region, from);
          result = outer;
        }
      }
    }
    live_.visible[key] = result;
    return result;
  }
  int seenBelow(ir::ValueId id, int leaf, ir::RegionId region, ir::RegionId from) {
    if (region == from)
      return live_.visible[std::tuple(id, leaf, from)];
    auto key = std::tuple(id, leaf, region);
    if (auto known = live_.visible.find(key); known != live_.visible.end())
      return known->second;
    int outer = seenBelow(id, leaf, plan_.regions[static_cast<size_t>(region)].parent, from);
    const RegionEvents &events = live_.regions[static_cast<size_t>(region)];
    touch(outer, events.enter);
    int result = forward(outer, region, events.begin, LiveValue::Kind::Capture);
    if (plan_.regions[static_cast<size_t>(region)].kind == ir::RegionKind::Loop)
      captured_[region].push_back(result);
    live_.visible[key] = result;
    return result;
  }
  int leave(int live, ir::RegionId from, ir::RegionId to, ir::ValueId id) {
    const RegionEvents &events = live_.regions[static_cast<size_t>(from)];
    if (events.exit < 0)
      return live;
    auto exported = live_.exports.find(from);
    if (exported != live_.exports.end() && exported->second.size() > 1) {
      int tuple = events.exit - 1;
      touch(live, tuple);
      int inside = forward(live, from, tuple, LiveValue::Kind::Forward);
      touch(inside, events.exit);
      int whole = forward(inside, to, events.defined, LiveValue::Kind::Forward);
      auto item = projected_.find({from, id});
      int event = item == projected_.end() ? events.defined : item->second;
      touch(whole, event);
      return forward(whole, to, event, LiveValue::Kind::Forward);
    }
    touch(live, events.exit);
    return forward(live, to, events.defined, LiveValue::Kind::Forward);
  }

  void use(ir::ValueId id, ir::RegionId region, int event) {
    if (id == ir::kNone)
      return;
    std::vector<const ir::TensorType *> leaves;
    leavesOf(plan_.at(id).type, leaves);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
      if (int live = seen(id, static_cast<int>(leaf), region); live >= 0)
        touch(live, event);
  }

  /// The operand whose bytes an op's result names, if the op moves nothing.
  ir::ValueId viewed(const ir::PlanValue &op, bool &sameCoordinates) const {
    sameCoordinates = false;
    switch (op.op) {
    case ir::Op::Slice:
    case ir::Op::Reshape:
    case ir::Op::Bitcast:
      sameCoordinates = plan_.at(op.operands[0]).type.tensor.shape == op.type.tensor.shape;
      return op.operands[0];
    case ir::Op::Reshard:
      sameCoordinates = true;
      return sameBytes(plan_.at(op.operands[0]).type.tensor, op.type.tensor, model_.levels) ? op.operands[0] : ir::kNone;
    case ir::Op::Schedule:
      sameCoordinates = true;
      return op.operands.empty() ? ir::kNone : op.operands[writtenOperand(op)];
    default: return ir::kNone;
    }
  }

  void nameAfter(ir::ValueId id, ir::ValueId target, int targetLeaf, int leaf, ir::RegionId region, bool sameCoordinates) {
    auto own = live_.defining.find({id, leaf});
    if (own == live_.defining.end())
      return;
    int other = seen(target, targetLeaf, region);
    if (other < 0)
      return;
    LiveValue &value = live_.values[static_cast<size_t>(own->second)];
    value.names = other;
    value.sameCoordinates = sameCoordinates;
    value.listed = false;
    value.bytes = live_.values[static_cast<size_t>(other)].bytes;
    value.copies = live_.values[static_cast<size_t>(other)].copies;
    value.slot = live_.values[static_cast<size_t>(other)].slot;
  }

  static size_t leafCount(const ir::Type &type) {
    std::vector<const ir::TensorType *> leaves;
    leavesOf(type, leaves);
    return leaves.size();
  }

  int outermostLoop(ir::RegionId region) const {
    int loop = -1;
    for (; region != ir::kNone; region = plan_.regions[static_cast<size_t>(region)].parent)
      if (plan_.regions[static_cast<size_t>(region)].kind == ir::RegionKind::Loop)
        loop = region;
    return loop;
  }

  void defineValue(ir::ValueId id, ir::RegionId region) {
    const ir::PlanValue &value = plan_.at(id);
    switch (value.kind) {
    case ir::ValueKind::Parameter:
    case ir::ValueKind::Induction:
    case ir::ValueKind::Carry:
    case ir::ValueKind::LoopResult: return;
    case ir::ValueKind::TupleItem: {
      int event = next();
      use(value.operands[0], value, region, event);
      define(id, region, event, LiveValue::Kind::Forward);
      const ir::Type &tuple = plan_.at(value.operands[0]).type;
      size_t skip = 0;
      for (int i = 0; i < value.item && i < static_cast<int>(tuple.fields.size()); ++i)
        skip += leafCount(tuple.fields[static_cast<size_t>(i)]);
      for (size_t leaf = 0; leaf < leafCount(value.type); ++leaf)
        nameAfter(id, value.operands[0], static_cast<int>(skip + leaf), static_cast<int>(leaf), region, true);
      return;
    }
    case ir::ValueKind::Tuple: {
      int event = next();
      for (ir::ValueId operand : value.operands)
        use(operand, region, event);
      define(id, region, event, LiveValue::Kind::Forward);
      int leaf = 0;
      for (ir::ValueId operand : value.operands) {
        size_t count = leafCount(plan_.at(operand).type);
        for (size_t i = 0; i < count; ++i)
          nameAfter(id, operand, static_cast<int>(i), leaf++, region, true);
      }
      return;
    }
    case ir::ValueKind::Call: {
      int event = next();
      for (ir::ValueId operand : value.operands)
        use(operand, region, event);
      CallEvents call{id, next_, 0};
      if (value.callee != ir::kNone && static_cast<size_t>(value.callee) < callees_.size()) {
        const Liveness &callee = callees_[static_cast<size_t>(value.callee)];
        next_ += callee.events;
        const ir::FunctionPlan &other = model_.program.functions[static_cast<size_t>(value.callee)];
        for (size_t i = 0; i < other.parameters.size() && i < value.operands.size(); ++i)
          for (const LiveValue &formal : callee.values)
            if (formal.value == other.parameters[i] && formal.kind == LiveValue::Kind::Parameter)
              if (int live = seen(value.operands[i], formal.leaf, region); live >= 0)
                for (int used : formal.uses)
                  touch(live, call.origin + used);
      }
      call.defined = next();
      live_.calls.push_back(call);
      define(id, region, call.defined, LiveValue::Kind::Result);
      return;
    }
    default: break;
    }
    int event = next();
    for (ir::ValueId operand : value.operands)
      use(operand, region, event);
    define(id, region, event, LiveValue::Kind::Result);
    if (value.kind != ir::ValueKind::Op)
      return;
    bool sameCoordinates = false;
    if (ir::ValueId target = viewed(value, sameCoordinates); target != ir::kNone) {
      nameAfter(id, target, 0, 0, region, sameCoordinates);
      return;
    }
    if (const ir::Attribute *attribute = ir::find(value.attributes, "buffers"))
      if (const auto *copies = std::get_if<int64_t>(attribute); copies && *copies > 1)
        if (auto own = live_.defining.find({id, 0}); own != live_.defining.end()) {
          LiveValue &ring = live_.values[static_cast<size_t>(own->second)];
          ring.copies = *copies;
          ring.slot = (ring.bytes + 15) / 16 * 16;
          ring.bytes *= *copies;
          // A ring outlives the iteration that fills it.
          if (int loop = outermostLoop(region); loop >= 0) {
            ring.start = live_.regions[static_cast<size_t>(loop)].begin;
            rings_[loop].push_back(own->second);
          }
        }
  }
  /// A static field of a tuple uses only its own leaves.
  void use(ir::ValueId tuple, const ir::PlanValue &item, ir::RegionId region, int event) {
    const ir::Type &type = plan_.at(tuple).type;
    size_t skip = 0;
    for (int i = 0; i < item.item && i < static_cast<int>(type.fields.size()); ++i)
      skip += leafCount(type.fields[static_cast<size_t>(i)]);
    for (size_t leaf = 0; leaf < leafCount(item.type); ++leaf)
      if (int live = seen(tuple, static_cast<int>(skip + leaf), region); live >= 0)
        touch(live, event);
  }

  void project(std::pair<ir::ValueId, ir::RegionId> item) {
    auto wanted = live_.projections.find(item);
    if (wanted == live_.projections.end())
      return;
    for (const Liveness::Projection &projection : wanted->second) {
      next(); // which of them: a literal
      int event = next();
      projected_[{projection.from, projection.value}] = event;
      if (loopOf_.count(projection.value))
        for (auto &[key, live] : live_.defining)
          if (key.first == projection.value)
            live_.values[static_cast<size_t>(live)].start = live_.values[static_cast<size_t>(live)].end = event;
    }
  }

  // ---- literals that are no items: an event each, where the plan numbered them
  void collectLiterals() {
    std::set<ir::ValueId> placed;
    for (const ir::PlanRegion &region : plan_.regions)
      for (const ir::PlanItem &item : region.items)
        placed.insert(item.value);
    for (size_t i = 0; i < plan_.values.size(); ++i) {
      const ir::PlanValue &value = plan_.values[i];
      if (value.kind == ir::ValueKind::Constant && value.number_ != ir::kNone && !placed.count(static_cast<ir::ValueId>(i)))
        literals_[value.region].insert(value.number_);
    }
  }
  int firstNumber(ir::RegionId region) const { // depth: regions, at most 200
    auto own = literals_.find(region);
    int literal = own == literals_.end() || own->second.empty() ? INT_MAX : *own->second.begin();
    for (const ir::PlanItem &item : plan_.regions[static_cast<size_t>(region)].items) {
      int number = item.value != ir::kNone ? plan_.at(item.value).number_ : firstNumber(item.region);
      if (number != ir::kNone)
        return std::min(number, literal);
    }
    return ir::kNone;
  }
  /// A value with several operands demands them one after the other, so what it needs of a loop may be taken before the items of a later
  /// operand. The plan's numbers show where: each projection takes two of them.
  int settle(ir::RegionId region, int next) { // depth: regions, at most 200
    const std::vector<ir::PlanItem> &items = plan_.regions[static_cast<size_t>(region)].items;
    for (size_t i = 0; i < items.size(); ++i) {
      const ir::PlanItem &item = items[i];
      int number = item.value != ir::kNone ? plan_.at(item.value).number_ : firstNumber(item.region);
      if (number == ir::kNone)
        continue;
      int literals = 0;
      if (auto own = literals_.find(region); own != literals_.end())
        literals = static_cast<int>(std::distance(own->second.lower_bound(next), own->second.lower_bound(number)));
      int missing = (number - next - literals) / 2;
      auto here = live_.projections.find({item.value, item.region});
      missing -= here == live_.projections.end() ? 0 : static_cast<int>(here->second.size());
      std::vector<Liveness::Projection> early;
      for (size_t later = i + 1; missing > 0 && later <= items.size(); ++later) {
        auto lead = later < items.size() ? std::pair(items[later].value, items[later].region) : Liveness::endOf(region);
        auto waiting = live_.projections.find(lead);
        while (waiting != live_.projections.end() && missing > 0 && !waiting->second.empty()) {
          early.push_back(waiting->second.front());
          waiting->second.erase(waiting->second.begin());
          --missing;
        }
      }
      if (!early.empty()) {
        std::vector<Liveness::Projection> &all = live_.projections[{item.value, item.region}];
        all.insert(all.begin(), early.begin(), early.end());
      }
      next = number + 1;
      if (item.region == ir::kNone)
        continue;
      next = settle(item.region, number);
      auto exported = live_.exports.find(item.region);
      next += exported != live_.exports.end() && exported->second.size() > 1 ? 2 : 1;
    }
    if (auto end = live_.projections.find(Liveness::endOf(region)); end != live_.projections.end())
      next += 2 * static_cast<int>(end->second.size());
    return next;
  }

  void literalsBefore(ir::RegionId region, int number) {
    auto waiting = literals_.find(region);
    if (waiting == literals_.end() || number == ir::kNone)
      return;
    while (!waiting->second.empty() && *waiting->second.begin() < number) {
      next();
      waiting->second.erase(waiting->second.begin());
    }
  }

  void walk(ir::RegionId region) { // depth: regions, at most 200
    for (const ir::PlanItem &item : plan_.regions[static_cast<size_t>(region)].items) {
      literalsBefore(region, item.value != ir::kNone ? plan_.at(item.value).number_ : firstNumber(item.region));
      project({item.value, item.region});
      if (item.value != ir::kNone) {
        defineValue(item.value, region);
        continue;
      }
      const ir::PlanRegion &inner = plan_.regions[static_cast<size_t>(item.region)];
      RegionEvents &events = live_.regions[static_cast<size_t>(item.region)];
      events.enter = next();
      events.begin = next();
      if (inner.kind == ir::RegionKind::Mesh) {
        walk(item.region);
        project(Liveness::endOf(item.region));
        auto exported = live_.exports.find(item.region);
        if (exported != live_.exports.end() && exported->second.size() > 1)
          next();
        events.exit = next();
        events.defined = next();
        continue;
      }
      for (const ir::LoopCarry &carry : inner.carries) {
        use(carry.init, region, events.enter);
        define(carry.inside, item.region, events.begin, LiveValue::Kind::Carry);
      }
      walk(item.region);
      project(Liveness::endOf(item.region));
      events.back = next();
      for (const ir::LoopCarry &carry : inner.carries)
        use(carry.yielded, item.region, events.back);
      for (int live : captured_[item.region])
        live_.values[static_cast<size_t>(live)].end = std::max(live_.values[static_cast<size_t>(live)].end, events.back);
      for (int live : rings_[item.region])
        live_.values[static_cast<size_t>(live)].end = std::max(live_.values[static_cast<size_t>(live)].end, events.back);
      events.exit = next();
      events.defined = next();
      for (const ir::LoopCarry &carry : inner.carries) {
        std::vector<const ir::TensorType *> leaves;
        leavesOf(plan_.at(carry.inside).type, leaves);
        for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
          auto inside = live_.defining.find({carry.inside, static_cast<int>(leaf)});
          if (inside == live_.defining.end())
            continue;
          touch(inside->second, events.exit);
          if (carry.result != ir::kNone) {
            int result = forward(inside->second, region, events.defined, LiveValue::Kind::Forward);
            live_.values[static_cast<size_t>(result)].value = carry.result;
            live_.defining[{carry.result, static_cast<int>(leaf)}] = result;
          }
        }
      }
    }
  }

  const Model &model_;
  const ir::FunctionPlan &plan_;
  const std::vector<Liveness> &callees_;
  Liveness live_;
  int next_ = 0;
  std::vector<std::tuple<ir::RegionId, ir::ValueId, std::pair<ir::ValueId, ir::RegionId>>> first_;
  std::map<std::pair<ir::RegionId, ir::ValueId>, int> projected_;
  std::map<ir::RegionId, std::vector<int>> captured_, rings_;
  std::map<ir::ValueId, ir::RegionId> loopOf_; // results of loops that carry more than one value
  std::set<ir::ValueId> noted_;
  std::map<ir::RegionId, std::set<int>> literals_;
};
} // namespace

int Liveness::seenFrom(ir::ValueId value, int leaf, ir::RegionId region) const {
  if (auto known = visible.find({value, leaf, region}); known != visible.end())
    return known->second;
  auto own = defining.find({value, leaf});
  return own == defining.end() ? -1 : own->second;
}

Liveness livenessOf(const Model &model, size_t function, const std::vector<Liveness> &callees) { return Tracer(model, function, callees).run(); }

} // namespace tilewright::analysis
