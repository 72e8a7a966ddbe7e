#include "analysis/Footprint.h"

#include <algorithm>

namespace tilewright::analysis {
namespace {

bool isGlobal(const Root &root) { return root.type.storage == ir::Storage::Gmem; }

/// Mesh coordinates that divide a value at levels no finer than the selected one.
void addSplits(const Model &model, const ir::TensorType &type, int scope, std::vector<VariableId> &moves) {
  for (const AxisSplit &split : splitsOf(type, model.levels)) {
    if (split.level < 0 || split.level > model.levels.selected)
      continue;
    // Every position holds a part of its own, so the whole mesh moves the window, not only the axis that is split.
    int mesh = model.occurrence(scope, *type.layout->mesh);
    if (mesh >= 0)
      for (ExprId axis : model.meshes[static_cast<size_t>(mesh)].axes)
        moves.push_back(model.index.at(axis).variable);
  }
}

/// Where a unit's part starts when another value's split decides which part of `axis` it reaches.
ExprId partStart(Model &model, const ir::TensorType &divided, int axis, int scope, int64_t extent) {
  ExprId start = model.index.constant(0);
  bool found = false;
  for (const AxisSplit &split : splitsOf(divided, model.levels)) {
    if (split.logicalAxis != axis || split.level < 0 || split.level > model.levels.selected)
      continue;
    int mesh = model.occurrence(scope, *divided.layout->mesh);
    if (mesh < 0)
      return model.index.unknown();
    start = model.index.add(model.index.multiply(start, split.positions), model.meshes[static_cast<size_t>(mesh)].axes[static_cast<size_t>(split.meshAxis)]);
    found = true;
  }
  return found ? model.index.multiply(start, extent) : model.index.unknown();
}

Source narrowed(Model &model, const ir::PlanValue &op, const Boundary &boundary, const Source &source, int scope) {
  std::vector<WindowAxis> part;
  bool changes = false;
  std::vector<int64_t> own = localShape(*boundary.type, model.levels.selected, model.levels);
  for (size_t axis = 0; axis < own.size(); ++axis) {
    int64_t extent = axis < boundary.reached.size() ? boundary.reached[axis] : own[axis];
    ExprId start = model.index.constant(0);
    if (extent < own[axis] && !op.type.isTuple) {
      start = partStart(model, op.type.tensor, static_cast<int>(axis), scope, extent);
      if (!model.index.known(start))
        start = model.index.constant(0), extent = own[axis];
      else
        changes = true;
    }
    part.push_back({start, extent, 1});
  }
  return changes ? model.part(source, part, {}) : source;
}

} // namespace

std::vector<GlobalAccess> accessesOf(Model &model, int instanceId, ir::ValueId call, int scope, const Movement &movement) {
  std::vector<GlobalAccess> accesses;
  const Instance &instance = model.instances[static_cast<size_t>(instanceId)];
  const ir::FunctionPlan &plan = model.plan(instance);
  const ir::PlanValue &op = plan.at(call);
  for (const Boundary &boundary : movement.boundaries) {
    if ((!boundary.read && !boundary.write) || !boundary.footprint || boundary.type->storage != ir::Storage::Gmem)
      continue;
    ir::ValueId who = boundary.argument < 0 ? call : op.operands[static_cast<size_t>(boundary.argument)];
    const std::vector<Source> &sources = instance.sources[static_cast<size_t>(who)];
    if (static_cast<size_t>(boundary.leaf) >= sources.size() || sources[static_cast<size_t>(boundary.leaf)].root < 0)
      continue;
    Source source = sources[static_cast<size_t>(boundary.leaf)];
    if (!isGlobal(model.roots[static_cast<size_t>(source.root)]))
      continue;
    if (boundary.argument == -1 && op.kind == ir::ValueKind::Op && op.op == ir::Op::InsertSlice) {
      const ir::PlanValue &offsets = plan.at(op.operands[2]);
      std::vector<ir::ValueId> elements = offsets.kind == ir::ValueKind::Tuple ? offsets.operands : std::vector{op.operands[2]};
      std::vector<WindowAxis> part;
      for (size_t i = 0; i < elements.size() && i < boundary.reached.size(); ++i)
        part.push_back({instance.exprs[static_cast<size_t>(elements[i])], boundary.reached[i], 1});
      source = model.part(source, part, instance.loops[static_cast<size_t>(op.operands[2])]);
    } else if (boundary.argument == -1 && op.kind == ir::ValueKind::Op && op.op == ir::Op::CacheUpdate) {
      source.widened = true; // the rows written are known only at run time
    } else {
      source = narrowed(model, op, boundary, source, scope);
    }
    GlobalAccess access;
    access.instance = instanceId;
    access.call = call;
    access.scope = scope;
    access.read = boundary.read;
    access.made = boundary.argument < 0;
    access.root = source.root;
    access.reach.window = source.window;
    access.reach.widened = source.widened;
    access.reach.most = boundary.most;
    access.loops = source.loops;
    unite(access.loops, instance.loops[static_cast<size_t>(who)]);
    for (int loop : model.loopsAround(scope))
      access.reach.guards.push_back(model.scopes[static_cast<size_t>(loop)].variable);
    std::vector<VariableId> used;
    for (const WindowAxis &axis : source.window.axes)
      used.insert(used.end(), model.index.used(axis.start).begin(), model.index.used(axis.start).end());
    access.moves = model.index.closure(used);
    addSplits(model, *boundary.type, scope, access.moves);
    accesses.push_back(std::move(access));
  }
  return accesses;
}

namespace {
struct Gatherer {
  Model &model;
  std::vector<GlobalAccess> all;
  std::vector<int> order; // scopes, as their first call is met

  void meet(int scope) {
    if (std::find(order.begin(), order.end(), scope) == order.end())
      order.push_back(scope);
  }
  void walk(int instanceId, ir::RegionId region) { // depth: regions and calls, both bounded
    const ir::FunctionPlan &plan = model.plan(model.instances[static_cast<size_t>(instanceId)]);
    int scope = model.instances[static_cast<size_t>(instanceId)].scopes[static_cast<size_t>(region)];
    for (const ir::PlanItem &item : plan.regions[static_cast<size_t>(region)].items) {
      if (item.region != ir::kNone) {
        walk(instanceId, item.region);
        continue;
      }
      switch (plan.at(item.value).kind) {
      case ir::ValueKind::Call:
        if (int callee = model.instanceOf(model.instances[static_cast<size_t>(instanceId)], item.value); callee >= 0)
          walk(callee, 0);
        break;
      case ir::ValueKind::Op:
      case ir::ValueKind::Coordinate:
      case ir::ValueKind::TupleItem:
      case ir::ValueKind::DimArith: {
        meet(scope);
        std::vector<GlobalAccess> own = accessesOf(model, instanceId, item.value, scope, movementOf(plan, item.value, model.levels, 1));
        all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
        break;
      }
      default: break;
      }
    }
  }
};
} // namespace

std::vector<GlobalAccess> accessesOf(Model &model, int instance) {
  Gatherer gatherer{model, {}, {}};
  gatherer.walk(instance, 0);
  std::vector<size_t> rank(model.scopes.size(), 0);
  for (size_t i = 0; i < gatherer.order.size(); ++i)
    rank[static_cast<size_t>(gatherer.order[i])] = i;
  std::stable_sort(gatherer.all.begin(), gatherer.all.end(), [&](const GlobalAccess &a, const GlobalAccess &b) { return rank[static_cast<size_t>(a.scope)] < rank[static_cast<size_t>(b.scope)]; });
  return std::move(gatherer.all);
}

std::string labelOf(const ir::FunctionPlan &plan, ir::ValueId value, int leaf) {
  const ir::PlanValue &labelled = plan.at(value);
  std::string label = labelled.name;
  int line = labelled.line;
  int sharing = 0;
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const ir::PlanValue &other = plan.values[i];
    bool has = other.kind == ir::ValueKind::Parameter || other.kind == ir::ValueKind::Carry || other.kind == ir::ValueKind::Call || other.kind == ir::ValueKind::Op ||
               other.kind == ir::ValueKind::TupleItem || other.kind == ir::ValueKind::Coordinate || other.kind == ir::ValueKind::DimArith || other.kind == ir::ValueKind::Constant;
    sharing += has && other.name == label && (other.printed || other.kind == ir::ValueKind::Parameter || other.kind == ir::ValueKind::Carry);
  }
  if (labelled.kind == ir::ValueKind::Carry)
    for (const ir::PlanRegion &region : plan.regions)
      for (const ir::LoopCarry &carry : region.carries)
        if (carry.inside == value)
          line = region.line;
  if (labelled.type.isTuple)
    label += "[" + std::to_string(leaf) + "]";
  if (sharing > 1 && line > 0)
    label += ":" + std::to_string(line);
  return label;
}

Labels::Labels(const Model &model, int home) : model_(model), home_(home) {}

std::string Labels::of(int id) const {
  const Root &root = model_.roots[static_cast<size_t>(id)];
  const Instance &instance = model_.instances[static_cast<size_t>(root.instance)];
  const ir::FunctionPlan &plan = model_.plan(instance);
  std::string label = labelOf(plan, root.value, root.leaf);
  return root.instance == home_ ? label : plan.name + "::" + label;
}

Footprint::Buffer Labels::row(int id) const {
  const Root &root = model_.roots[static_cast<size_t>(id)];
  return {of(id), {}, model_.instances[static_cast<size_t>(root.instance)].function, root.value, root.leaf};
}

namespace {
struct Gathered {
  int root = -1;
  std::vector<Reach> reads, writes;
};

std::vector<Gathered> gather(const std::vector<GlobalAccess> &accesses, const std::vector<size_t> *which = nullptr) {
  std::vector<Gathered> roots;
  for (size_t i = 0; i < (which ? which->size() : accesses.size()); ++i) {
    const GlobalAccess &access = accesses[which ? (*which)[i] : i];
    auto place = std::find_if(roots.begin(), roots.end(), [&](const Gathered &one) { return one.root == access.root; });
    if (place == roots.end())
      place = roots.insert(roots.end(), {access.root, {}, {}});
    (access.made ? place->writes : place->reads).push_back(access.reach);
  }
  return roots;
}

int64_t touched(Model &model, const Gathered &gathered, const Sweep &how, Precision &precision, bool apart) {
  const Root &root = model.roots[static_cast<size_t>(gathered.root)];
  auto counted = [&](std::vector<Reach> reaches) -> int64_t {
    if (reaches.empty())
      return 0;
    Covered covered = cover(model, root.shape, std::move(reaches), how);
    precision = combine(precision, covered.precision);
    return bytesOf(covered.elements, root.type.dtype);
  };
  if (apart)
    return counted(gathered.reads) + counted(gathered.writes);
  std::vector<Reach> both = gathered.reads;
  both.insert(both.end(), gathered.writes.begin(), gathered.writes.end());
  return counted(std::move(both));
}

Footprint::Buffer &bufferOf(Footprint &footprint, const Labels &labels, int root) {
  Footprint::Buffer row = labels.row(root);
  for (Footprint::Buffer &buffer : footprint.buffers)
    if (buffer.label == row.label)
      return buffer;
  footprint.buffers.push_back(std::move(row));
  return footprint.buffers.back();
}
} // namespace

Footprint footprintOf(Model &model, const std::vector<GlobalAccess> &call, const Labels &labels) {
  Footprint footprint;
  for (const Gathered &gathered : gather(call)) {
    int64_t bytes = touched(model, gathered, {}, footprint.precision, false);
    Counts &counts = bufferOf(footprint, labels, gathered.root).levels["gmem"];
    counts.logical += bytes;
    counts.total += bytes * model.waves(call.front().scope);
  }
  return footprint;
}

std::vector<RootBytes> rootBytes(Model &model, const std::vector<GlobalAccess> &accesses, const Sweep &how, Precision &precision) {
  std::vector<RootBytes> bytes;
  for (const Gathered &gathered : gather(accesses))
    bytes.push_back({gathered.root, touched(model, gathered, how, precision, true)});
  return bytes;
}

Footprint functionFootprint(Model &model, const std::vector<GlobalAccess> &all, const Labels &labels) {
  Footprint footprint;
  for (const RootBytes &one : rootBytes(model, all, {}, footprint.precision))
    bufferOf(footprint, labels, one.root).levels["gmem"].logical += one.bytes;
  // Every chain of loops and meshes repeats its own union: waves times the trips around it.
  std::vector<std::pair<int, std::vector<size_t>>> chains;
  for (size_t i = 0; i < all.size(); ++i) {
    auto place = std::find_if(chains.begin(), chains.end(), [&](const auto &chain) { return chain.first == all[i].scope; });
    if (place == chains.end())
      place = chains.insert(chains.end(), {all[i].scope, {}});
    place->second.push_back(i);
  }
  for (const auto &[scope, members] : chains) {
    int64_t repeats = model.waves(scope);
    for (int loop : model.loopsAround(scope))
      repeats *= model.scopes[static_cast<size_t>(loop)].trips;
    Precision ignored = Precision::Exact;
    for (const Gathered &gathered : gather(all, &members))
      bufferOf(footprint, labels, gathered.root).levels["gmem"].total += touched(model, gathered, {}, ignored, true) * repeats;
  }
  return footprint;
}

} // namespace tilewright::analysis
