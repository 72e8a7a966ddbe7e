#include "analysis/Scopes.h"

#include "analysis/Enumerate.h"

#include <algorithm>
#include <functional>

namespace tilewright::analysis {

void leavesOf(const ir::Type &type, std::vector<const ir::TensorType *> &leaves) {
  if (!type.isTuple) {
    leaves.push_back(&type.tensor);
    return;
  }
  for (const ir::Type &field : type.fields)
    leavesOf(field, leaves);
}

void unite(std::vector<int> &into, const std::vector<int> &more) {
  for (int one : more)
    if (auto place = std::lower_bound(into.begin(), into.end(), one); place == into.end() || *place != one)
      into.insert(place, one);
}

namespace {
size_t leafCount(const ir::Type &type) {
  std::vector<const ir::TensorType *> leaves;
  leavesOf(type, leaves);
  return leaves.size();
}

/// Positions of the axes of `to` among those of `from`, when a reshape only adds or drops axes of extent 1.
std::optional<std::vector<int>> onlyUnitAxes(const std::vector<int64_t> &from, const std::vector<int64_t> &to) {
  std::vector<int> axes(to.size(), -1);
  size_t at = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 1)
      continue;
    while (at < from.size() && from[at] == 1)
      ++at;
    if (at == from.size() || from[at] != to[i])
      return std::nullopt;
    axes[i] = static_cast<int>(at++);
  }
  while (at < from.size() && from[at] == 1)
    ++at;
  return at == from.size() ? std::optional(axes) : std::nullopt;
}

const std::vector<int64_t> *ints(const ir::Attributes &attributes, std::string_view name) {
  const ir::Attribute *attribute = ir::find(attributes, name);
  return attribute ? std::get_if<std::vector<int64_t>>(attribute) : nullptr;
}
} // namespace

const instruction::Row *rowOf(const ir::PlanValue &schedule) {
  const ir::Attribute *attribute = ir::find(schedule.attributes, "op");
  const auto *authored = attribute ? std::get_if<ir::Instruction>(attribute) : nullptr;
  return authored ? instruction::rowNamed(authored->name) : nullptr;
}

bool isProduct(const ir::PlanValue &schedule) {
  const instruction::Row *row = rowOf(schedule);
  return row && row->iteration.size() == 3;
}

size_t writtenOperand(const ir::PlanValue &schedule) {
  const instruction::Row *row = rowOf(schedule);
  return row && row->destination < schedule.operands.size() ? row->destination : schedule.operands.empty() ? 0 : schedule.operands.size() - 1;
}

Model::Model(const ir::Program &program, Levels levels, std::vector<int64_t> atOnce, const CancelToken &cancel)
    : program(program), levels(std::move(levels)), atOnce_(std::move(atOnce)), cancel_(cancel) {}

int Model::newScope(Scope scope) {
  scopes.push_back(std::move(scope));
  return static_cast<int>(scopes.size()) - 1;
}

int Model::enterMesh(int parent, int instance, ir::RegionId region, const std::shared_ptr<const layout::Mesh> &mesh, Scope::Kind kind) {
  MeshOccurrence occurrence;
  occurrence.mesh = mesh;
  occurrence.wave = mesh->positions();
  int level = mesh->shape.empty() ? -1 : levelOf(*mesh, 0, levels);
  if (level >= 0 && atOnce_[static_cast<size_t>(level)] > 0)
    occurrence.wave = std::min(occurrence.wave, atOnce_[static_cast<size_t>(level)]);
  int id = static_cast<int>(meshes.size());
  for (size_t axis = 0; axis < mesh->shape.size(); ++axis) {
    Variable variable;
    variable.extent = mesh->shape[axis];
    variable.mesh = id;
    variable.axis = static_cast<int>(axis);
    occurrence.axes.push_back(index.variable(variable));
  }
  meshes.push_back(std::move(occurrence));
  return newScope({kind, parent, instance, region, -1, 1, true, id});
}

int Model::instantiate(size_t function, const std::vector<std::shared_ptr<const layout::Mesh>> &context) {
  int parent = -1;
  for (const std::shared_ptr<const layout::Mesh> &mesh : context)
    parent = enterMesh(parent, -1, ir::kNone, mesh, Scope::Kind::Context);
  int id = place(function, parent, -1, ir::kNone, 0);
  walk(id, 0, 0);
  return id;
}

int Model::place(size_t function, int parentScope, int callerInstance, ir::ValueId call, int depth) {
  (void)depth;
  const ir::FunctionPlan &plan = program.functions[function];
  Instance instance;
  instance.function = function;
  instance.parent = callerInstance;
  instance.call = call;
  instance.scopes.assign(plan.regions.size(), -1);
  instance.loops.resize(plan.values.size());
  instance.exprs.assign(plan.values.size(), index.unknown());
  instance.sources.resize(plan.values.size());
  int id = static_cast<int>(instances.size());
  instance.root = newScope({Scope::Kind::Function, parentScope, id, 0});
  instance.scopes[0] = instance.root;
  instances.push_back(std::move(instance));
  if (plan.regions[0].mesh)
    instances.back().scopes[0] = enterMesh(instances.back().root, id, 0, plan.regions[0].mesh, Scope::Kind::Mesh);
  // Literals inside an index are no steps of a body.
  for (size_t i = 0; i < plan.values.size(); ++i)
    if (plan.values[i].kind == ir::ValueKind::Constant && ir::isInteger(plan.values[i].type.tensor.dtype))
      instances.back().exprs[i] = index.constant(plan.values[i].integer);
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    ir::ValueId parameter = plan.parameters[i];
    auto slot = static_cast<size_t>(parameter);
    if (callerInstance >= 0) {
      const Instance &caller = instances[static_cast<size_t>(callerInstance)];
      const ir::PlanValue &site = this->plan(caller).at(call);
      if (i < site.operands.size()) {
        auto actual = static_cast<size_t>(site.operands[i]);
        instances.back().loops[slot] = caller.loops[actual];
        instances.back().exprs[slot] = caller.exprs[actual];
        instances.back().sources[slot] = caller.sources[actual];
      }
      continue;
    }
    std::vector<const ir::TensorType *> leaves;
    leavesOf(plan.at(parameter).type, leaves);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      Source source = newRoot(id, parameter, static_cast<int>(leaf), *leaves[leaf], Root::Kind::Parameter);
      instances.back().sources[slot].push_back(std::move(source));
    }
  }
  return id;
}

Source Model::newRoot(int instance, ir::ValueId value, int leaf, const ir::TensorType &type, Root::Kind kind) {
  const Instance &owner = instances[static_cast<size_t>(instance)];
  auto key = std::tuple(owner.function, value, leaf);
  if (owner.parent >= 0)
    if (auto known = calleeRoots_.find(key); known != calleeRoots_.end())
      return whole(known->second);
  Root root;
  root.kind = kind;
  root.instance = instance;
  root.value = value;
  root.leaf = leaf;
  root.type = type;
  root.shape = localShape(type, levels.selected, levels);
  roots.push_back(std::move(root));
  auto id = static_cast<int>(roots.size()) - 1;
  if (owner.parent >= 0)
    calleeRoots_[key] = id;
  return whole(id);
}

Source Model::whole(int root) {
  Source source;
  source.root = root;
  for (size_t axis = 0; axis < roots[static_cast<size_t>(root)].shape.size(); ++axis) {
    source.window.axes.push_back({index.constant(0), roots[static_cast<size_t>(root)].shape[axis], 1});
    source.viewAxes.push_back(static_cast<int>(axis));
  }
  return source;
}

bool Model::isWhole(const Source &source) const {
  if (source.root < 0 || source.widened)
    return false;
  int64_t elements = 1;
  for (const WindowAxis &axis : source.window.axes) {
    int64_t start = 1;
    if (!index.constantValue(axis.start, start) || start != 0 || axis.step != 1)
      return false;
    elements *= axis.extent;
  }
  return elements == elementsOf(roots[static_cast<size_t>(source.root)].shape);
}

int Model::frameOf(const std::vector<int64_t> &shape) {
  auto place = std::find(frames_.begin(), frames_.end(), shape);
  if (place == frames_.end())
    place = frames_.insert(frames_.end(), shape);
  return static_cast<int>(place - frames_.begin()) + 1;
}

Source Model::part(const Source &whole, const std::vector<WindowAxis> &part, const std::vector<int> &loops) {
  Source source = whole;
  if (source.root < 0)
    return source;
  if (source.opaque) {
    source.widened = true;
    return source;
  }
  unite(source.loops, loops);
  for (size_t i = 0; i < part.size() && i < source.viewAxes.size(); ++i) {
    int axis = source.viewAxes[i];
    if (axis < 0)
      continue;
    WindowAxis &window = source.window.axes[static_cast<size_t>(axis)];
    window.start = index.add(window.start, index.multiply(part[i].start, window.step));
    window.extent = std::min(window.extent, part[i].extent);
    window.step *= part[i].step;
  }
  return source;
}

int Model::occurrence(int scope, const layout::Mesh &mesh) const {
  for (; scope >= 0; scope = scopes[static_cast<size_t>(scope)].parent) {
    int id = scopes[static_cast<size_t>(scope)].mesh;
    if (id >= 0 && *meshes[static_cast<size_t>(id)].mesh == mesh)
      return id;
  }
  return -1;
}

int64_t Model::positions(int scope) const {
  // The innermost mesh of a level says how many of its units execute.
  std::vector<bool> counted(levels.size(), false);
  int64_t positions = 1;
  for (; scope >= 0; scope = scopes[static_cast<size_t>(scope)].parent) {
    int id = scopes[static_cast<size_t>(scope)].mesh;
    if (id < 0)
      continue;
    const layout::Mesh &mesh = *meshes[static_cast<size_t>(id)].mesh;
    std::vector<bool> here(levels.size(), false);
    for (size_t axis = 0; axis < mesh.shape.size(); ++axis) {
      int level = levelOf(mesh, static_cast<int>(axis), levels);
      if (level < 0 || level > levels.selected || counted[static_cast<size_t>(level)])
        continue;
      positions *= mesh.shape[axis];
      here[static_cast<size_t>(level)] = true;
    }
    for (size_t level = 0; level < here.size(); ++level)
      counted[level] = counted[level] || here[level];
  }
  return positions;
}

int64_t Model::waves(int scope) const {
  if (levels.selected < 0)
    return 1;
  // A mesh larger than its topology takes more waves too, and so does every parent of a unit below the level that runs in waves.
  auto level = static_cast<size_t>(levels.selected);
  int64_t wave = levels.declared[level].extent;
  if (atOnce_[level] > 0)
    wave = std::min(wave, atOnce_[level]);
  return wave > 0 ? std::max<int64_t>(1, (positions(scope) + wave - 1) / wave) : 1;
}

std::vector<int> Model::loopsAround(int scope) const {
  std::vector<int> loops;
  for (; scope >= 0; scope = scopes[static_cast<size_t>(scope)].parent)
    if (scopes[static_cast<size_t>(scope)].kind == Scope::Kind::Loop)
      loops.push_back(scope);
  return loops;
}

int Model::instanceOf(const Instance &caller, ir::ValueId call) const {
  for (const auto &[value, instance] : caller.callees)
    if (value == call)
      return instance;
  return -1;
}

void Model::walk(int id, ir::RegionId region, int depth) {
  const ir::FunctionPlan &plan = this->plan(instances[static_cast<size_t>(id)]);
  const ir::PlanRegion &body = plan.regions[static_cast<size_t>(region)];
  int scope = instances[static_cast<size_t>(id)].scopes[static_cast<size_t>(region)];
  for (const ir::PlanItem &item : body.items) {
    if (cancel_.raised())
      return;
    if (item.value != ir::kNone) {
      define(id, item.value, scope, depth);
      continue;
    }
    const ir::PlanRegion &inner = plan.regions[static_cast<size_t>(item.region)];
    if (inner.kind == ir::RegionKind::Mesh) {
      instances[static_cast<size_t>(id)].scopes[static_cast<size_t>(item.region)] = enterMesh(scope, id, item.region, inner.mesh, Scope::Kind::Mesh);
      walk(id, item.region, depth);
      continue;
    }
    int loop = newScope({Scope::Kind::Loop, scope, id, item.region});
    instances[static_cast<size_t>(id)].scopes[static_cast<size_t>(item.region)] = loop;
    Variable variable;
    variable.kind = Variable::Kind::Loop;
    variable.scope = loop;
    variable.start = scalar(instances[static_cast<size_t>(id)], inner.start);
    variable.stop = scalar(instances[static_cast<size_t>(id)], inner.stop);
    int64_t step = 1;
    variable.step = index.constantValue(scalar(instances[static_cast<size_t>(id)], inner.step), step) ? step : 1;
    ExprId expr = index.variable(variable);
    scopes[static_cast<size_t>(loop)].variable = index.at(expr).variable;
    countTrips(scopes[static_cast<size_t>(loop)]);
    if (inner.induction != ir::kNone) {
      instances[static_cast<size_t>(id)].loops[static_cast<size_t>(inner.induction)] = {loop};
      bool known = index.known(variable.start) && index.known(variable.stop);
      instances[static_cast<size_t>(id)].exprs[static_cast<size_t>(inner.induction)] = known ? expr : index.unknown();
    }
    for (const ir::LoopCarry &carry : inner.carries) {
      auto inside = static_cast<size_t>(carry.inside);
      instances[static_cast<size_t>(id)].loops[inside] = {loop};
      std::vector<const ir::TensorType *> leaves;
      leavesOf(plan.at(carry.inside).type, leaves);
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        Source source = newRoot(id, carry.inside, static_cast<int>(leaf), *leaves[leaf], Root::Kind::Carry);
        instances[static_cast<size_t>(id)].sources[inside].push_back(std::move(source));
      }
    }
    walk(id, item.region, depth);
    for (const ir::LoopCarry &carry : inner.carries) {
      if (carry.result == ir::kNone)
        continue;
      Instance &instance = instances[static_cast<size_t>(id)];
      instance.sources[static_cast<size_t>(carry.result)] = instance.sources[static_cast<size_t>(carry.inside)];
      // What comes out varies with what goes in and with what the body adds.
      instance.loops[static_cast<size_t>(carry.result)] = instance.loops[static_cast<size_t>(carry.init)];
      if (carry.yielded != ir::kNone)
        unite(instance.loops[static_cast<size_t>(carry.result)], instance.loops[static_cast<size_t>(carry.yielded)]);
    }
  }
}

void Model::countTrips(Scope &scope) {
  const Variable &variable = index.variableAt(scope.variable);
  if (variable.step <= 0 || !index.known(variable.start) || !index.known(variable.stop)) {
    scope.exact = variable.step > 0;
    return;
  }
  ExprId span = index.make(Expr::Form::Sub, variable.stop, variable.start);
  int64_t most = INT64_MIN, least = INT64_MAX;
  Sweep how;
  how.wholeMesh = true;
  how.allLoops = true;
  Swept swept = sweep(*this, index.used(span), how, [&](std::span<const int64_t> values) {
    int64_t value = index.evaluate(span, values);
    most = std::max(most, value);
    least = std::min(least, value);
  });
  if (most == INT64_MIN)
    return;
  scope.trips = most <= 0 ? 1 : (most - 1) / variable.step + 1;
  scope.exact = swept == Swept::Done && most == least;
}

ExprId Model::coordinate(const Instance &instance, const ir::PlanValue &value) const {
  int scope = value.mesh == ir::kNone ? instance.root : instance.scopes[static_cast<size_t>(value.mesh)];
  for (; scope >= 0; scope = scopes[static_cast<size_t>(scope)].parent) {
    int mesh = scopes[static_cast<size_t>(scope)].mesh;
    int axis = mesh < 0 ? -1 : meshes[static_cast<size_t>(mesh)].mesh->axis(value.axis);
    if (axis >= 0)
      return meshes[static_cast<size_t>(mesh)].axes[static_cast<size_t>(axis)];
  }
  return index.unknown();
}

ExprId Model::known(const Instance &instance, ir::ValueId value) const {
  const ir::PlanValue &named = plan(instance).at(value);
  // A coordinate that only a loop bound reads is no step of any body.
  if (named.kind == ir::ValueKind::Coordinate)
    return coordinate(instance, named);
  return instance.exprs[static_cast<size_t>(value)];
}

ExprId Model::scalar(const Instance &instance, const ir::DimExpr &dim) {
  switch (dim.kind) {
  case ir::DimExpr::Kind::Constant: return index.constant(dim.constant);
  case ir::DimExpr::Kind::Value: return known(instance, dim.value);
  case ir::DimExpr::Kind::Neg: return index.make(Expr::Form::Sub, index.constant(0), scalar(instance, dim.operands[0]));
  default: break;
  }
  static constexpr Expr::Form kForms[] = {Expr::Form::Add, Expr::Form::Sub, Expr::Form::Mul, Expr::Form::FloorDiv, Expr::Form::Mod, Expr::Form::Min, Expr::Form::Max};
  Expr::Form form = kForms[static_cast<size_t>(dim.kind) - static_cast<size_t>(ir::DimExpr::Kind::Add)];
  ExprId left = scalar(instance, dim.operands[0]);
  for (size_t i = 1; i < dim.operands.size(); ++i)
    left = index.make(form, left, scalar(instance, dim.operands[i]));
  return left;
}

void Model::collect(const Instance &instance, const ir::DimExpr &dim, std::vector<int> &loops) const {
  if (dim.kind == ir::DimExpr::Kind::Value)
    unite(loops, instance.loops[static_cast<size_t>(dim.value)]);
  for (const ir::DimExpr &operand : dim.operands)
    collect(instance, operand, loops);
}

void Model::define(int id, ir::ValueId value, int scope, int depth) {
  auto slot = static_cast<size_t>(value);
  const ir::FunctionPlan &plan = this->plan(instances[static_cast<size_t>(id)]);
  const ir::PlanValue &defined = plan.at(value);
  std::vector<int> loops;
  for (ir::ValueId operand : defined.operands)
    if (operand != ir::kNone)
      unite(loops, instances[static_cast<size_t>(id)].loops[static_cast<size_t>(operand)]);
  Instance *instance = &instances[static_cast<size_t>(id)];
  switch (defined.kind) {
  case ir::ValueKind::Parameter:
  case ir::ValueKind::Induction:
  case ir::ValueKind::Carry:
  case ir::ValueKind::LoopResult: return; // defined by their function or loop
  case ir::ValueKind::Constant: break;
  case ir::ValueKind::Coordinate: instance->exprs[slot] = coordinate(*instance, defined); break;
  case ir::ValueKind::DimArith:
    collect(*instance, defined.dim, loops);
    instance->exprs[slot] = scalar(*instance, defined.dim);
    break;
  case ir::ValueKind::Tuple:
    for (ir::ValueId operand : defined.operands)
      for (const Source &source : instance->sources[static_cast<size_t>(operand)])
        instance->sources[slot].push_back(source);
    instance->loops[slot] = std::move(loops);
    return;
  case ir::ValueKind::TupleItem: {
    const ir::Type &tuple = plan.at(defined.operands[0]).type;
    size_t skip = 0;
    for (int i = 0; i < defined.item && i < static_cast<int>(tuple.fields.size()); ++i)
      skip += leafCount(tuple.fields[static_cast<size_t>(i)]);
    const std::vector<Source> all = instance->sources[static_cast<size_t>(defined.operands[0])];
    for (size_t i = 0; i < leafCount(defined.type) && skip + i < all.size(); ++i)
      instance->sources[slot].push_back(all[skip + i]);
    instance->loops[slot] = std::move(loops);
    return;
  }
  case ir::ValueKind::Call: {
    instance->loops[slot] = loops;
    if (defined.callee != ir::kNone && instances.size() < kMostInstances && depth < 200) {
      int callee = place(static_cast<size_t>(defined.callee), scope, id, value, depth + 1);
      instances[static_cast<size_t>(id)].callees.push_back({value, callee});
      walk(callee, 0, depth + 1);
      const Instance &inner = instances[static_cast<size_t>(callee)];
      ir::ValueId returned = this->plan(inner).returned;
      if (returned != ir::kNone)
        instances[static_cast<size_t>(id)].sources[slot] = inner.sources[static_cast<size_t>(returned)];
      return;
    }
    truncated = true;
    break;
  }
  case ir::ValueKind::Op:
    instance->loops[slot] = loops;
    defineOp(id, value);
    return;
  }
  instance->loops[slot] = std::move(loops);
  std::vector<const ir::TensorType *> leaves;
  leavesOf(defined.type, leaves);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    Source source = newRoot(id, value, static_cast<int>(leaf), *leaves[leaf], Root::Kind::Value);
    instances[static_cast<size_t>(id)].sources[slot].push_back(std::move(source));
  }
}

void Model::defineOp(int id, ir::ValueId value) {
  auto slot = static_cast<size_t>(value);
  Instance &instance = instances[static_cast<size_t>(id)];
  const ir::FunctionPlan &plan = this->plan(instance);
  const ir::PlanValue &op = plan.at(value);
  auto sourceOf = [&](size_t operand) -> const Source * {
    if (operand >= op.operands.size())
      return nullptr;
    const std::vector<Source> &sources = instance.sources[static_cast<size_t>(op.operands[operand])];
    return sources.size() == 1 ? &sources[0] : nullptr;
  };
  auto exprOf = [&](size_t operand) { return instance.exprs[static_cast<size_t>(op.operands[operand])]; };
  auto literal = [&](size_t operand) { return plan.at(op.operands[operand]).kind == ir::ValueKind::Constant; };

  // Address arithmetic: a divisor must be a literal or a constant of the module, and so must one side of a product.
  if (op.operands.size() == 2 && op.type.tensor.shape.empty() && !op.type.isTuple && ir::isInteger(op.type.tensor.dtype)) {
    ExprId left = exprOf(0), right = exprOf(1);
    switch (op.op) {
    case ir::Op::Add: instance.exprs[slot] = index.make(Expr::Form::Add, left, right); break;
    case ir::Op::Sub: instance.exprs[slot] = index.make(Expr::Form::Sub, left, right); break;
    case ir::Op::Min: instance.exprs[slot] = index.make(Expr::Form::Min, left, right); break;
    case ir::Op::Max: instance.exprs[slot] = index.make(Expr::Form::Max, left, right); break;
    case ir::Op::Mul:
      if (literal(0) || literal(1))
        instance.exprs[slot] = index.make(Expr::Form::Mul, left, right);
      break;
    case ir::Op::FloorDiv:
      if (literal(1))
        instance.exprs[slot] = index.make(Expr::Form::FloorDiv, left, right);
      break;
    case ir::Op::Mod:
      if (literal(1))
        instance.exprs[slot] = index.make(Expr::Form::Mod, left, right);
      break;
    default: break;
    }
  }

  const Source *first = sourceOf(0);
  switch (op.op) {
  case ir::Op::Slice: {
    if (!first || op.operands.size() < 2)
      break;
    const ir::PlanValue &starts = plan.at(op.operands[1]);
    std::vector<ir::ValueId> elements = starts.kind == ir::ValueKind::Tuple ? starts.operands : std::vector{op.operands[1]};
    const std::vector<int64_t> *steps = ints(op.attributes, "strides");
    std::vector<WindowAxis> part;
    for (size_t i = 0; i < elements.size() && i < op.type.tensor.shape.size(); ++i)
      part.push_back({instance.exprs[static_cast<size_t>(elements[i])], op.type.tensor.shape[i], steps && i < steps->size() ? (*steps)[i] : 1});
    instance.sources[slot] = {this->part(*first, part, instance.loops[static_cast<size_t>(op.operands[1])])};
    return;
  }
  case ir::Op::Reshape:
  case ir::Op::Bitcast: {
    if (!first)
      break;
    Source source = *first;
    const ir::TensorType &from = plan.at(op.operands[0]).type.tensor;
    std::optional<std::vector<int>> axes;
    if (op.op == ir::Op::Reshape || from.shape == op.type.tensor.shape)
      axes = onlyUnitAxes(from.shape, op.type.tensor.shape);
    if (axes && !source.opaque) {
      std::vector<int> mapped;
      for (int axis : *axes)
        mapped.push_back(axis < 0 ? -1 : source.viewAxes[static_cast<size_t>(axis)]);
      source.viewAxes = std::move(mapped);
    } else if (isWhole(source)) {
      // All of the buffer under another shape: its parts are counted in that shape.
      std::vector<int64_t> shape = localShape(op.type.tensor, levels.selected, levels);
      source.window.frame = frameOf(shape);
      source.window.axes.clear();
      source.viewAxes.clear();
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        source.window.axes.push_back({index.constant(0), shape[axis], 1});
        source.viewAxes.push_back(static_cast<int>(axis));
      }
      if (!isWhole(source)) { // a reshape to another count
        source = *first;
        source.opaque = true;
        source.viewAxes.clear();
      }
    } else {
      source.opaque = true;
      source.viewAxes.clear();
    }
    instance.sources[slot] = {std::move(source)};
    return;
  }
  case ir::Op::Reshard: {
    const ir::TensorType &from = plan.at(op.operands[0]).type.tensor;
    if (!first || !sameBytes(from, op.type.tensor, levels))
      break;
    Source source = *first;
    // A split of the same bytes names one unit's part; parts are counted in their own coordinates.
    std::vector<int64_t> before = localShape(from, levels.selected, levels), after = localShape(op.type.tensor, levels.selected, levels);
    for (size_t i = 0; i < after.size() && i < source.viewAxes.size(); ++i)
      if (source.viewAxes[i] >= 0 && before[i] != after[i])
        source.window.axes[static_cast<size_t>(source.viewAxes[i])].extent = after[i];
    instance.sources[slot] = {std::move(source)};
    return;
  }
  case ir::Op::Local:
    if (!first)
      break;
    instance.sources[slot] = {*first};
    return;
  case ir::Op::Schedule: {
    // The result is the operand that the instruction writes: the destination of a copy, the accumulator of a product.
    if (const Source *written = sourceOf(writtenOperand(op))) {
      instance.sources[slot] = {*written};
      return;
    }
    break;
  }
  default: break;
  }
  Root::Kind kind = op.op == ir::Op::InsertSlice ? Root::Kind::Insert : Root::Kind::Value;
  std::vector<const ir::TensorType *> leaves;
  leavesOf(op.type, leaves);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    Source source = newRoot(id, value, static_cast<int>(leaf), *leaves[leaf], kind);
    instances[static_cast<size_t>(id)].sources[slot].push_back(std::move(source));
  }
}

} // namespace tilewright::analysis
