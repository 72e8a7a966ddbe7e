// Modules: what the decorator states, which functions there are, and the import of one root with everything it calls.
#include "ir/ImportFunction.h"
#include "ir/PrintType.h"
#include "ir/Demand.h"

#include "support/Check.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::ir {

using syntax::Opaque;
using syntax::ValueRef;

namespace {

bool isDecoratedBy(const syntax::FunctionValue &function, std::string_view name) {
  for (const ValueRef &decorator : function.decorators)
    if (auto *opaque = decorator->as<Opaque>(); opaque && opaque->callee == name)
      return true;
  return false;
}

Span placeIn(const syntax::Place &place, const syntax::ModuleValue &module) {
  return place.tree == module.definition.tree && place.node ? place.node.span() : module.definition.node.nameSpan();
}

// The node of a keyword argument of the decorator, for places.
Span keywordPlace(const Opaque &decorator, const syntax::ModuleValue &module, std::string_view keyword) {
  if (decorator.place.tree == module.definition.tree && decorator.place.node)
    for (syntax::Node argument : decorator.place.node.children())
      if (argument.is(syntax::Kind::Keyword) && argument.text() == keyword)
        return argument.firstChild().span();
  return placeIn(decorator.place, module);
}

} // namespace

const syntax::FunctionValue *functionNamed(const syntax::ModuleValue &module, std::string_view name) {
  if (!module.members)
    return nullptr;
  auto found = module.members->names.find(name);
  if (found == module.members->names.end())
    return nullptr;
  auto *function = found->second->as<syntax::FunctionValue>();
  return function && isDecoratedBy(*function, "func") ? function : nullptr;
}

ModuleInfo readModule(const syntax::ModuleValue &module, const ImportOptions &options, DiagnosticSink &sink) {
  ModuleInfo info;
  info.name = module.name;
  info.value = &module;
  for (const std::string &member : module.order)
    if (functionNamed(module, member))
      info.functions.push_back(member);
  auto *decorator = module.decorator ? module.decorator->as<Opaque>() : nullptr;
  if (!decorator)
    return info;
  std::vector<layout::Topology> none;
  TypeReader reader{sink, options, none, [](int) { return nullptr; }, [] { return nullptr; }, &info.openDims};
  for (const auto &[key, value] : decorator->keywords) {
    Span place = keywordPlace(*decorator, module, key);
    if (key == "entry") {
      if (auto *text = value->string())
        info.entry = *text;
      if (!functionNamed(module, info.entry)) {
        std::string have;
        for (const std::string &name : info.functions)
          have += (have.empty() ? "" : ", ") + name;
        sink.add(Code::BadEntry, place, "the entry `" + info.entry + "` is no function of `" + module.name + "`" + (have.empty() ? "" : ", which has " + have));
        info.entry.clear();
      }
    } else if (key == "target" && !value->as<syntax::Value::NoneType>()) {
      auto *opaque = value->as<Opaque>();
      std::string id;
      if (opaque && opaque->called) {
        if (!opaque->arguments.empty() && opaque->arguments[0]->string())
          id = *opaque->arguments[0]->string();
        for (const auto &[argumentName, argument] : opaque->keywords)
          if (argument->string() && (argumentName == "device" || argumentName == "id" || argumentName == "name"))
            id = *argument->string();
        if (id.empty() && opaque->callee == "CpuTarget")
          id = "cpu";
      }
      info.targetName = id;
      info.target = target::find(id);
      if (!info.target) {
        std::string known;
        for (const target::Target &one : target::all())
          known += (known.empty() ? "" : ", ") + std::string(one.id());
        if (auto *unknown = value->as<syntax::Unknown>())
          sink.add(Code::UnknownValue, place, unknown->reason);
        else
          sink.add(Code::UnknownTarget, place, "the target `" + (id.empty() ? syntax::repr(*value, 60) : id) + "` is not known; known are " + known);
      }
    } else if (key == "topologies") {
      auto *levels = value->sequence();
      if (!levels) {
        if (auto *unknown = value->as<syntax::Unknown>())
          sink.add(Code::UnknownValue, place, unknown->reason);
        else
          sink.add(Code::UnknownTopology, place, "`topologies` is a tuple of `Topology(name, extent)`");
        continue;
      }
      for (const ValueRef &level : *levels) {
        Span at = place;
        if (auto *opaque = level->as<Opaque>())
          at = opaque->place.tree == module.definition.tree && opaque->place.node ? opaque->place.node.span() : place;
        if (auto topology = reader.topology(*level, at))
          info.topologies.push_back(std::move(*topology));
      }
    }
  }
  if (info.target)
    for (const layout::Topology &level : info.topologies) {
      auto supported = info.target->levels();
      Span place = keywordPlace(*decorator, module, "topologies");
      if (std::find(supported.begin(), supported.end(), level.name) == supported.end()) {
        std::string list;
        for (const std::string &one : supported)
          list += (list.empty() ? "" : ", ") + one;
        sink.add(Code::UnknownTopology, place, "`" + std::string(info.target->id()) + "` has no topology level `" + level.name + "`; it has " + (list.empty() ? "none" : list));
        continue;
      }
      auto limit = info.target->extentLimit(level.name);
      if (level.extent < 1 || (limit && level.extent > *limit))
        sink.add(Code::TopologyExtent, place,
                 "the level `" + level.name + "` has extent " + std::to_string(level.extent) + "; `" + std::string(info.target->id()) + "` takes 1 to " + (limit ? std::to_string(*limit) : std::string("any number")));
    }
  return info;
}

int ProgramImporter::import(const syntax::FunctionValue &function, const syntax::ModuleValue &module, std::string instance, Span callSite,
                            const std::vector<Type> *arguments, const std::vector<std::shared_ptr<const layout::Mesh>> &enclosing) {
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i].value->definition.node == function.definition.node && functions[i].value->definition.tree == function.definition.tree) {
      if (functions[i].done)
        return functions[i].op ? static_cast<int>(i) : -1;
      sink.add(Code::Recursion, callSite, "`" + function.name + "` calls itself; a kernel has no call stack, so functions are called without recursion");
      return -1;
    }
  size_t index = functions.size();
  functions.push_back({&function, &module, std::move(instance), {}, {}, {}, false});
  bool elsewhere = rootTree && function.definition.tree.get() != rootTree;
  FunctionImporter importer(*this, function, module, elsewhere);
  hir::FuncOp op = importer.run(arguments, enclosing);
  functions[index].op = op;
  functions[index].declared = importer.declared();
  functions[index].result = importer.result();
  functions[index].done = true;
  if (!op && elsewhere)
    sink.add(Code::CallMismatch, callSite, "`" + function.name + "` is refused itself; see its definition");
  return op ? static_cast<int>(index) : -1;
}

std::optional<Type> ProgramImporter::resultFor(const syntax::FunctionValue &function, const syntax::ModuleValue &module, const std::vector<Type> &arguments,
                                               const std::vector<std::shared_ptr<const layout::Mesh>> &enclosing) {
  FunctionImporter importer(*this, function, module, /*quiet=*/true);
  hir::FuncOp op = importer.run(&arguments, enclosing);
  if (!op)
    return std::nullopt;
  Type result = importer.result();
  op.erase();
  return result;
}

namespace {
/// Callees of a plan in the order in which the returned value meets the calls: a call before the calls of its arguments, the first
/// values of a loop before what its trips yield.
std::vector<int> calleesOf(const FunctionPlan &plan) {
  std::vector<int> callees;
  std::vector<bool> seen(plan.values.size(), false);
  std::vector<ValueId> stack{plan.returned};
  while (!stack.empty()) {
    ValueId id = stack.back();
    stack.pop_back();
    if (id == kNone || seen[static_cast<size_t>(id)])
      continue;
    seen[static_cast<size_t>(id)] = true;
    const PlanValue &value = plan.at(id);
    std::vector<ValueId> next;
    if (value.kind != ValueKind::LoopResult)
      next = value.operands;
    if (value.kind == ValueKind::Call)
      callees.push_back(value.callee);
    if (value.kind == ValueKind::LoopResult)
      for (const PlanRegion &region : plan.regions) {
        if (std::none_of(region.carries.begin(), region.carries.end(), [&](const LoopCarry &carry) { return carry.result == id; }))
          continue;
        for (const LoopCarry &carry : region.carries)
          next.push_back(carry.init);
        for (const LoopCarry &carry : region.carries)
          next.push_back(carry.yielded);
      }
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  for (const PlanValue &value : plan.values) // what a region keeps for itself
    if (value.kind == ValueKind::Call && std::find(callees.begin(), callees.end(), value.callee) == callees.end())
      callees.push_back(value.callee);
  return callees;
}

using Scopes = std::vector<std::shared_ptr<const layout::Mesh>>;

/// The scopes around a region of a function that is called in those of `caller`, outermost first.
Scopes scopesOf(const FunctionPlan &plan, RegionId region, Scopes caller) {
  const size_t before = caller.size();
  for (; region != kNone; region = plan.regions[static_cast<size_t>(region)].parent)
    if (const auto &mesh = plan.regions[static_cast<size_t>(region)].mesh)
      caller.push_back(mesh);
  std::reverse(caller.begin() + static_cast<std::ptrdiff_t>(before), caller.end());
  return caller;
}

/// A function is one body with one set of types: every call that the result reaches gives it the same arguments in the same scope.
void checkCalls(const Program &program, DiagnosticSink &sink) {
  struct First {
    const FunctionPlan *plan = nullptr;
    const PlanValue *call = nullptr;
    Scopes scopes;
  };
  std::vector<First> first(program.functions.size()); // a function's first caller stands before it
  for (size_t caller = 0; caller < program.functions.size(); ++caller) {
    const FunctionPlan &plan = program.functions[caller];
    for (const PlanValue &value : plan.values) {
      if (value.kind != ValueKind::Call)
        continue;
      First &known = first[static_cast<size_t>(value.callee)];
      const Scopes scopes = scopesOf(plan, value.region, first[caller].scopes);
      if (!known.call) {
        known = {&plan, &value, scopes};
        continue;
      }
      std::string differs;
      for (size_t i = 0; i < value.operands.size() && i < known.call->operands.size() && differs.empty(); ++i) {
        const Type &one = known.plan->at(known.call->operands[i]).type, &other = plan.at(value.operands[i]).type;
        if (!(one == other))
          differs = "argument " + std::to_string(i) + " is " + describe(other) + " here and " + describe(one) + " in its first call";
      }
      if (differs.empty() && !std::equal(scopes.begin(), scopes.end(), known.scopes.begin(), known.scopes.end(), [](const auto &a, const auto &b) { return *a == *b; }))
        differs = "its scope is another one than in its first call";
      if (!differs.empty()) {
        Diagnostic &problem = sink.add(Code::CallMismatch, value.span, "`" + program.functions[static_cast<size_t>(value.callee)].name + "`: " + differs + "; a function has one set of types");
        if (plan.item == known.plan->item)
          problem.related.push_back({known.call->span, "its first call"});
      }
    }
  }
}
} // namespace

std::string printType(const ImportNotes::Name &name) { return printType(name.type, layout::axisNamer(name.scopes)); }

std::shared_ptr<const Program> importProgram(const ModuleInfo &module, std::string_view functionName, const ImportOptions &options, DiagnosticSink &sink,
                                             std::string *mlirText) {
  const syntax::FunctionValue *root = functionNamed(*module.value, functionName);
  if (!root)
    return nullptr;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<hir::HirDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> mlirModule = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  if (module.target)
    (*mlirModule)->setAttr("hir.target", mlir::StringAttr::get(&context, module.target->id()));
  ProgramImporter importer{context, *mlirModule, options, sink, module.target, module.topologies, {}, root->definition.tree.get(), {}};
  int index = importer.import(*root, *module.value, "", root->definition.node.nameSpan());
  if (index < 0 || sink.hasErrors())
    return nullptr;
  {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &problem) {
      if (problem.getSeverity() == mlir::DiagnosticSeverity::Error)
        sink.add(Code::VerifierError, hir::spanOf(problem.getLocation()), problem.str());
      return mlir::success();
    });
    if (mlir::failed(mlir::verify(*mlirModule)))
      return nullptr;
  }
  if (mlirText) {
    llvm::raw_string_ostream stream(*mlirText);
    mlirModule->print(stream);
    stream << "\n";
  }

  // Functions in root-first depth-first order of the calls their values need; a call no value needs does not reach its callee.
  auto program = std::make_shared<Program>();
  program->module = module.name;
  program->target = module.target;
  program->topologies = module.topologies;
  std::vector<int> order(importer.functions.size(), -1);
  std::vector<FunctionPlan> plans;
  std::vector<int> importIndex; // by plan
  std::vector<int> stack{index};
  while (!stack.empty()) {
    int next = stack.back();
    stack.pop_back();
    if (order[static_cast<size_t>(next)] >= 0)
      continue;
    order[static_cast<size_t>(next)] = static_cast<int>(plans.size());
    const auto &function = importer.functions[static_cast<size_t>(next)];
    plans.push_back(buildPlan(function.op));
    plans.back().instance = function.instance;
    if (options.itemOf)
      plans.back().item = options.itemOf(function.value->definition.tree);
    importIndex.push_back(next);
    const FunctionPlan &plan = plans.back();
    std::vector<int> callees = calleesOf(plan);
    stack.insert(stack.end(), callees.rbegin(), callees.rend());
  }
  for (FunctionPlan &plan : plans)
    for (PlanValue &value : plan.values)
      if (value.kind == ValueKind::Call)
        value.callee = order[static_cast<size_t>(value.callee)];
  program->functions = std::move(plans);
  checkCalls(*program, sink);
  if (sink.hasErrors())
    return nullptr;
  for (size_t i = 0; i < program->functions.size(); ++i)
    finishPlan(*program, i);
  return program;
}

} // namespace tilewright::ir
