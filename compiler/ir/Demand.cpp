// The demand order of a function. Values are visited operands first, depth first, from the returned value, with an explicit stack: a
// function of ten thousand statements is one long chain.
#include "ir/Demand.h"

#include "support/Check.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <set>

using namespace mlir;

namespace tilewright::ir {
namespace {

class Planner {
public:
  explicit Planner(hir::FuncOp function) : function_(function) {}
  FunctionPlan run();

private:
  struct Task {
    enum class Kind : uint8_t { Visit, Define, Open, Close } kind;
    Value value;
    Operation *op = nullptr;
    bool inlined = false;
  };
  void visit(Value value, bool inlined);
  void visitOp(Operation *op, bool inlined);
  void define(Operation *op, bool inlined);
  void open(Operation *op);
  void close(Operation *op);
  /// Pushes tasks so that they run in the given order.
  void schedule(std::vector<Task> tasks) { tasks_.insert(tasks_.end(), tasks.rbegin(), tasks.rend()); }
  static Task visitTask(Value value, bool inlined = false) { return {Task::Kind::Visit, value, nullptr, inlined}; }

  ValueId make(ValueKind kind, Value value);
  ValueId idOf(Value value);
  DimExpr dimOf(Value value);
  void leavesOf(Value bound, std::vector<Task> &tasks);
  void append(ValueId value) { plan_.regions[static_cast<size_t>(region_)].items.push_back({value, kNone}); }
  void nameEverything();

  hir::FuncOp function_;
  FunctionPlan plan_;
  std::vector<Task> tasks_;
  llvm::DenseMap<Value, ValueId> ids_;
  llvm::DenseSet<Operation *> defined_;
  llvm::DenseSet<Operation *> shown_;    // constants that have a line
  llvm::DenseSet<Value> projected_;      // results of multi-result regions whose projection is numbered
  llvm::DenseMap<Operation *, RegionId> regionOf_;
  std::map<int64_t, RegionId> scopeRegion_;
  RegionId region_ = 0;
  int number_ = 0;
  Operation *wrapper_ = nullptr;         // a mesh op that is the whole body

  // Names are given in this order; a capture takes one without being a value.
  struct Naming {
    ValueId value = kNone;
    std::string capture;
  };
  std::vector<Naming> naming_;
};

/// Whether a slice prints as a subscript: every start is a literal or the window of a tile loop.
bool isTileWindow(Value start, int64_t size, int64_t stride) {
  if (auto dim = start.getDefiningOp<hir::DimOp>())
    return dim->hasAttr("window");
  // Follow captures to the loop variable.
  while (auto argument = dyn_cast<BlockArgument>(start)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<hir::LoopOp>(parent)) {
      if (number == 0) {
        auto step = loop.getBounds()[2].getDefiningOp<hir::ConstantOp>();
        auto literal = step ? dyn_cast<IntegerAttr>(step.getValue()) : IntegerAttr();
        return loop.getTile() && literal && literal.getInt() == size && stride == 1;
      }
      number -= 1;
      if (number < loop.getInits().size())
        return false;
      start = loop.getCaptures()[number - static_cast<unsigned>(loop.getInits().size())];
    } else if (auto mesh = dyn_cast<hir::MeshOp>(parent)) {
      start = mesh.getCaptures()[number];
    } else {
      return false;
    }
  }
  return false;
}

bool printsAsSubscript(Operation *slice) {
  auto starts = slice->getOperand(1).getDefiningOp<hir::TupleOp>();
  auto sizes = slice->getAttrOfType<DenseI64ArrayAttr>("sizes"), strides = slice->getAttrOfType<DenseI64ArrayAttr>("strides");
  if (!starts || !sizes || !strides)
    return false;
  for (auto [axis, start] : llvm::enumerate(starts.getElements())) {
    if (start.getDefiningOp<hir::ConstantOp>())
      continue;
    if (!isTileWindow(start, sizes[static_cast<int64_t>(axis)], strides[static_cast<int64_t>(axis)]))
      return false;
  }
  return true;
}

FunctionPlan Planner::run() {
  plan_.module = function_.getModule().str();
  plan_.name = function_.getSymbol().str();
  plan_.span = hir::spanOf(function_.getLoc());
  plan_.regions.push_back({});
  plan_.regions[0].kind = RegionKind::Function;
  Block &entry = function_.getBody().front();
  for (auto [argument, label] : llvm::zip(entry.getArguments(), function_.getParameterNames())) {
    ValueId id = make(ValueKind::Parameter, argument);
    plan_.values[static_cast<size_t>(id)].name = cast<StringAttr>(label).str();
    plan_.values[static_cast<size_t>(id)].span = hir::spanOf(argument.getLoc());
    plan_.parameters.push_back(id);
  }
  auto returnOp = cast<hir::ReturnOp>(entry.getTerminator());
  if (hir::MeshAttr mesh = function_.getMeshAttr()) {
    plan_.regions[0].mesh = std::make_shared<layout::Mesh>(hir::fromMlir(mesh));
  } else if (auto whole = returnOp.getValue().getDefiningOp<hir::MeshOp>(); whole && whole.getNumResults() == 1 && !whole.getSelectedFrom()) {
    wrapper_ = whole;
    plan_.regions[0].mesh = std::make_shared<layout::Mesh>(hir::fromMlir(whole.getMesh()));
    plan_.regions[0].authoredName = whole.getAlias().str();
    plan_.regions[0].span = hir::spanOf(whole.getLoc());
  }
  if (plan_.regions[0].mesh)
    plan_.regions[0].name = "mesh";
  scopeRegion_[0] = 0;

  schedule({visitTask(returnOp.getValue())});
  while (!tasks_.empty()) {
    Task task = tasks_.back();
    tasks_.pop_back();
    switch (task.kind) {
    case Task::Kind::Visit:
      task.value ? visit(task.value, task.inlined) : visitOp(task.op, task.inlined);
      break;
    case Task::Kind::Define: define(task.op, task.inlined); break;
    case Task::Kind::Open: open(task.op); break;
    case Task::Kind::Close: close(task.op); break;
    }
  }
  plan_.returned = idOf(returnOp.getValue());
  plan_.annotatesReturn = !plan_.at(plan_.returned).type.isTuple;
  nameEverything();
  return std::move(plan_);
}

ValueId Planner::make(ValueKind kind, Value value) {
  auto id = static_cast<ValueId>(plan_.values.size());
  PlanValue made;
  made.kind = kind;
  made.type = hir::fromMlir(value.getType());
  made.region = region_;
  if (Operation *op = value.getDefiningOp()) {
    made.span = hir::spanOf(op->getLoc());
    made.nameSpan = hir::nameSpanOf(op);
    made.name = hir::nameOf(op).str();
  }
  plan_.values.push_back(std::move(made));
  ids_[value] = id;
  return id;
}

ValueId Planner::idOf(Value value) {
  auto found = ids_.find(value);
  if (found != ids_.end())
    return found->second;
  // A coordinate that only loop bounds read has no line and no number.
  if (auto coordinate = value.getDefiningOp<hir::CoordinateOp>()) {
    ValueId id = make(ValueKind::Coordinate, value);
    plan_.values[static_cast<size_t>(id)].axis = coordinate.getAxis().str();
    auto scope = scopeRegion_.find(coordinate.getScope());
    plan_.values[static_cast<size_t>(id)].mesh = scope == scopeRegion_.end() ? kNone : scope->second;
    plan_.values[static_cast<size_t>(id)].name.clear();
    return id;
  }
  TW_CHECK(false, "a value is planned before it is used");
}

void Planner::visit(Value value, bool inlined) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return; // block arguments are known when their region opens
  bool isRegion = isa<hir::LoopOp, hir::MeshOp>(op);
  if (isRegion && op->getNumResults() > 1 && defined_.contains(op)) {
    // The projection of one result is an index and an item, each with a number.
    if (projected_.insert(value).second) {
      number_ += 2;
      if (auto mesh = dyn_cast<hir::MeshOp>(op))
        naming_.push_back({kNone, cast<StringAttr>(mesh.getResultNames()[cast<OpResult>(value).getResultNumber()]).str()});
    }
    return;
  }
  if (isRegion && op->getNumResults() > 1) {
    schedule({{Task::Kind::Visit, {}, op, false}, visitTask(value, inlined)});
    return;
  }
  visitOp(op, inlined);
}

void Planner::visitOp(Operation *op, bool inlined) {
  if (defined_.contains(op)) {
    // A literal first met inside an index gets its line where it is first used as a value.
    if (!inlined && isa<hir::ConstantOp>(op) && shown_.insert(op).second) {
      ValueId id = ids_[op->getResult(0)];
      PlanValue &value = plan_.values[static_cast<size_t>(id)];
      std::vector<PlanItem> &items = plan_.regions[static_cast<size_t>(value.region)].items;
      items.erase(std::remove_if(items.begin(), items.end(), [&](const PlanItem &item) { return item.value == id; }), items.end());
      value.printed = true;
      value.region = region_;
      append(id);
    }
    return;
  }
  std::vector<Task> tasks;
  if (auto loop = dyn_cast<hir::LoopOp>(op)) {
    for (Value init : loop.getInits())
      tasks.push_back(visitTask(init));
    for (Value capture : loop.getCaptures())
      tasks.push_back(visitTask(capture));
    for (Value bound : loop.getBounds())
      leavesOf(bound, tasks);
    tasks.push_back({Task::Kind::Open, {}, op, false});
  } else if (auto mesh = dyn_cast<hir::MeshOp>(op)) {
    for (Value capture : mesh.getCaptures())
      tasks.push_back(visitTask(capture));
    tasks.push_back({Task::Kind::Open, {}, op, false});
  } else {
    bool subscript = isa<hir::SliceOp>(op) && printsAsSubscript(op);
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      bool inside = false;
      if (auto tuple = operand.getDefiningOp<hir::TupleOp>(); tuple && isa<hir::SliceOp, hir::InsertSliceOp>(op) && !defined_.contains(tuple)) {
        // Literals of an index print inside the statement that uses them; so does the arithmetic of a tile window.
        for (Value element : tuple.getElements())
          tasks.push_back(visitTask(element, element.getDefiningOp<hir::ConstantOp>() || (subscript && element.getDefiningOp<hir::DimOp>())));
        tasks.push_back({Task::Kind::Define, {}, tuple, true});
        continue;
      }
      if (isa<hir::ItemOp>(op) && index == 1)
        inside = true;
      if (isa<hir::DimOp>(op))
        inside = inlined;
      tasks.push_back(visitTask(operand, inside));
    }
    tasks.push_back({Task::Kind::Define, {}, op, inlined});
  }
  schedule(std::move(tasks));
}

// Values a loop bound reads that are computed by ops of their own.
void Planner::leavesOf(Value bound, std::vector<Task> &tasks) {
  std::vector<Value> stack{bound};
  while (!stack.empty()) {
    Value value = stack.back();
    stack.pop_back();
    Operation *op = value.getDefiningOp();
    if (!op || isa<hir::ConstantOp, hir::CoordinateOp>(op))
      continue;
    if (isa<hir::DimOp>(op))
      stack.insert(stack.end(), op->operand_begin(), op->operand_end());
    else
      tasks.push_back(visitTask(value));
  }
}

void Planner::define(Operation *op, bool inlined) {
  if (!defined_.insert(op).second)
    return;
  Value result = op->getResult(0);
  ValueKind kind = llvm::TypeSwitch<Operation *, ValueKind>(op)
                       .Case<hir::ConstantOp>([](auto) { return ValueKind::Constant; })
                       .Case<hir::CoordinateOp>([](auto) { return ValueKind::Coordinate; })
                       .Case<hir::DimOp>([](auto) { return ValueKind::DimArith; })
                       .Case<hir::TupleOp>([](auto) { return ValueKind::Tuple; })
                       .Case<hir::ItemOp>([](auto) { return ValueKind::TupleItem; })
                       .Case<hir::CallOp>([](auto) { return ValueKind::Call; })
                       .Default([](auto) { return ValueKind::Op; });
  ValueId id;
  if (auto known = ids_.find(result); known != ids_.end())
    id = known->second; // a coordinate that a loop bound has met
  else
    id = make(kind, result);
  std::vector<ValueId> operands;
  if (kind == ValueKind::TupleItem)
    operands = {idOf(op->getOperand(0))};
  else
    for (Value operand : op->getOperands())
      operands.push_back(idOf(operand));
  PlanValue &value = plan_.values[static_cast<size_t>(id)];
  value.operands = std::move(operands);
  value.number_ = number_++;
  value.region = region_;
  value.inlineIndex = inlined;
  value.printed = kind != ValueKind::Tuple && !inlined;
  if (auto constant = dyn_cast<hir::ConstantOp>(op)) {
    if (auto flag = dyn_cast<BoolAttr>(constant.getValue()))
      value.integer = flag.getValue();
    else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      value.integer = integer.getInt();
    else
      value.number = cast<FloatAttr>(constant.getValue()).getValueAsDouble();
    value.name.clear();
    if (!inlined)
      shown_.insert(op);
  } else if (auto coordinate = dyn_cast<hir::CoordinateOp>(op)) {
    value.axis = coordinate.getAxis().str();
    auto scope = scopeRegion_.find(coordinate.getScope());
    value.mesh = scope == scopeRegion_.end() ? kNone : scope->second;
    value.name = value.authored = hir::nameOf(op).str();
  } else if (auto call = dyn_cast<hir::CallOp>(op)) {
    value.callee = static_cast<int>(call.getFunction());
    if (auto instance = op->getAttrOfType<StringAttr>("instance"))
      value.attributes.emplace_back("instance", instance.str());
  } else if (auto item = dyn_cast<hir::ItemOp>(op)) {
    value.item = static_cast<int>(item.getField());
  } else if (isa<hir::DimOp>(op)) {
    DimExpr dim = dimOf(result);
    plan_.values[static_cast<size_t>(id)].dim = std::move(dim);
  } else if (kind == ValueKind::Op) {
    OpUse use = hir::opUse(op);
    value.op = use.op;
    value.attributes = std::move(use.attributes);
    if (isa<hir::SliceOp>(op) && printsAsSubscript(op))
      value.attributes.emplace_back("subscript", true);
  }
  append(id);
  if (kind != ValueKind::Tuple)
    naming_.push_back({id, ""});
}

DimExpr Planner::dimOf(Value value) {
  DimExpr out;
  if (auto constant = value.getDefiningOp<hir::ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
      out.constant = integer.getInt();
      return out;
    }
  if (auto dim = value.getDefiningOp<hir::DimOp>()) {
    static const std::map<StringRef, DimExpr::Kind> kKinds = {{"add", DimExpr::Kind::Add}, {"sub", DimExpr::Kind::Sub}, {"mul", DimExpr::Kind::Mul},
                                                              {"floor_div", DimExpr::Kind::FloorDiv}, {"mod", DimExpr::Kind::Mod}, {"min", DimExpr::Kind::Min}, {"max", DimExpr::Kind::Max}};
    out.kind = kKinds.at(dim.getKind());
    out.operands = {dimOf(dim.getLhs()), dimOf(dim.getRhs())}; // as deep as the expression, which the syntax bounds
    return out;
  }
  out.kind = DimExpr::Kind::Value;
  out.value = idOf(value);
  return out;
}

void Planner::open(Operation *op) {
  if (!defined_.insert(op).second)
    return;
  RegionId parent = region_;
  RegionId id = parent;
  if (op != wrapper_) {
    id = static_cast<RegionId>(plan_.regions.size());
    plan_.regions.push_back({});
    plan_.regions[static_cast<size_t>(id)].parent = parent;
    plan_.regions[static_cast<size_t>(id)].span = hir::spanOf(op->getLoc());
    plan_.regions[static_cast<size_t>(parent)].items.push_back({kNone, id});
  }
  regionOf_[op] = id;
  std::vector<Task> tasks;
  Block &body = op->getRegion(0).front();
  for (Operation &inner : body)
    if (inner.hasAttr("kept"))
      tasks.push_back({Task::Kind::Visit, {}, &inner, false});
  if (auto loop = dyn_cast<hir::LoopOp>(op)) {
    DimExpr start = dimOf(loop.getBounds()[0]), stop = dimOf(loop.getBounds()[1]), step = dimOf(loop.getBounds()[2]);
    region_ = id;
    Value variable = body.getArgument(0);
    ValueId induction = make(ValueKind::Induction, variable);
    plan_.values[static_cast<size_t>(induction)].name = loop.getVariable().str();
    plan_.values[static_cast<size_t>(induction)].nameSpan = hir::nameSpanOf(op);
    plan_.values[static_cast<size_t>(induction)].span = hir::nameSpanOf(op);
    if (!variable.use_empty())
      naming_.push_back({induction, ""});
    std::vector<LoopCarry> carries;
    for (auto [i, init] : llvm::enumerate(loop.getInits())) {
      LoopCarry carry;
      carry.name = cast<StringAttr>(loop.getCarryNames()[i]).str();
      carry.init = idOf(init);
      carry.renames = isa<BlockArgument>(init) || isa<hir::LoopOp>(init.getDefiningOp());
      carry.inside = make(ValueKind::Carry, body.getArgument(static_cast<unsigned>(1 + i)));
      plan_.values[static_cast<size_t>(carry.inside)].name = carry.name;
      plan_.values[static_cast<size_t>(carry.inside)].span = hir::spanOf(op->getLoc());
      naming_.push_back({carry.inside, ""});
      carries.push_back(std::move(carry));
    }
    for (auto [i, capture] : llvm::enumerate(loop.getCaptures())) {
      ids_[body.getArgument(static_cast<unsigned>(1 + carries.size() + i))] = idOf(capture);
      naming_.push_back({kNone, cast<StringAttr>(loop.getCaptureNames()[i]).str()});
    }
    PlanRegion &region = plan_.regions[static_cast<size_t>(id)];
    region.kind = RegionKind::Loop;
    region.induction = induction;
    region.start = std::move(start);
    region.stop = std::move(stop);
    region.step = std::move(step);
    region.tile = loop.getTile();
    region.carries = std::move(carries);
    region.name = loop.getVariable().str();
    region.authoredName = region.name;
  } else {
    auto mesh = cast<hir::MeshOp>(op);
    scopeRegion_[static_cast<int64_t>(mesh.getScope())] = id;
    region_ = id;
    for (auto [i, capture] : llvm::enumerate(mesh.getCaptures())) {
      ids_[body.getArgument(static_cast<unsigned>(i))] = idOf(capture);
      naming_.push_back({kNone, cast<StringAttr>(mesh.getCaptureNames()[i]).str()});
    }
    PlanRegion &region = plan_.regions[static_cast<size_t>(id)];
    if (op != wrapper_) {
      region.kind = RegionKind::Mesh;
      region.mesh = std::make_shared<layout::Mesh>(hir::fromMlir(mesh.getMesh()));
      region.authoredName = mesh.getAlias().str();
      if (auto from = mesh.getSelectedFrom())
        if (auto found = scopeRegion_.find(static_cast<int64_t>(*from)); found != scopeRegion_.end())
          region.selectedFrom = found->second;
      if (mesh.getRelaid())
        region.header = "relaid"; // replaced when lines are finished
    }
  }
  for (Value yielded : body.getTerminator()->getOperands())
    tasks.push_back(visitTask(yielded));
  tasks.push_back({Task::Kind::Close, {}, op, false});
  schedule(std::move(tasks));
}

void Planner::close(Operation *op) {
  RegionId id = regionOf_[op];
  Operation *terminator = op->getRegion(0).front().getTerminator();
  if (isa<hir::MeshOp>(op) && op->getNumResults() > 1)
    ++number_; // the tuple of what leaves the scope
  ++number_;   // the region itself
  region_ = op == wrapper_ ? region_ : plan_.regions[static_cast<size_t>(id)].parent;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    ValueId inner = idOf(terminator->getOperand(static_cast<unsigned>(i)));
    if (isa<hir::MeshOp>(op)) {
      ids_[result] = inner;
      continue;
    }
    ValueId outer = make(ValueKind::LoopResult, result);
    LoopCarry &carry = plan_.regions[static_cast<size_t>(id)].carries[i];
    carry.yielded = inner;
    carry.result = outer;
    PlanValue &value = plan_.values[static_cast<size_t>(outer)];
    value.name = carry.name;
    value.operands = {inner};
    value.span = plan_.regions[static_cast<size_t>(id)].span;
    value.nameSpan = {};
  }
}

void Planner::nameEverything() {
  std::set<std::string> used;
  auto allocate = [&](const std::string &wanted) {
    std::string name = wanted;
    for (int i = 2; !used.insert(name).second; ++i)
      name = wanted + "_" + std::to_string(i);
    return name;
  };
  for (PlanValue &value : plan_.values)
    if (value.kind != ValueKind::Coordinate)
      value.authored = value.name;
  for (ValueId parameter : plan_.parameters)
    used.insert(plan_.at(parameter).name);
  // What a loop carries is known by the carried name from its first value on.
  std::map<ValueId, std::string> forced;
  for (const PlanRegion &region : plan_.regions)
    for (const LoopCarry &carry : region.carries)
      if (!carry.renames)
        forced[carry.init] = carry.name;
  for (const Naming &one : naming_) {
    if (one.value == kNone) {
      allocate(one.capture);
      continue;
    }
    PlanValue &value = plan_.values[static_cast<size_t>(one.value)];
    if (value.kind == ValueKind::Carry) {
      used.insert(value.name);
    } else if (auto carry = forced.find(one.value); carry != forced.end()) {
      value.name = carry->second;
      used.insert(value.name);
    } else if (value.name.empty()) {
      value.name = "v" + std::to_string(value.number_);
    } else {
      value.name = allocate(value.name);
    }
  }
  // Variables no expression reads are named last.
  std::set<ValueId> named;
  for (const Naming &one : naming_)
    named.insert(one.value);
  for (PlanRegion &region : plan_.regions)
    if (region.kind == RegionKind::Loop && !named.count(region.induction))
      plan_.values[static_cast<size_t>(region.induction)].name = allocate(region.name);
  std::set<std::string> aliases;
  if (plan_.regions[0].mesh)
    aliases.insert("mesh");
  for (PlanRegion &region : plan_.regions) {
    if (region.kind == RegionKind::Loop)
      region.name = plan_.at(region.induction).name;
    if (region.kind != RegionKind::Mesh)
      continue;
    std::string level = region.mesh->topologies.empty() ? "mesh" : region.mesh->topologies.back().name;
    region.name = level;
    for (int i = 2; !aliases.insert(region.name).second; ++i)
      region.name = level + "_" + std::to_string(i);
  }
}

} // namespace

FunctionPlan buildPlan(hir::FuncOp function) { return Planner(function).run(); }

void finishPlan(Program &program, size_t function) {
  FunctionPlan &plan = program.functions[function];
  int line = 0;
  for (const PrintedLine &printed : printFunction(program, function)) {
    ++line;
    if (printed.value != kNone && plan.at(printed.value).line == 0)
      plan.values[static_cast<size_t>(printed.value)].line = line;
    if (printed.region != kNone)
      plan.regions[static_cast<size_t>(printed.region)].line = line;
    line += static_cast<int>(std::count(printed.text.begin(), printed.text.end(), '\n'));
  }
}

} // namespace tilewright::ir
