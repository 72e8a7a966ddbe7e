// tir::Program and the tir dialect: the same information, converted both ways.
#include "ir/TirDialect.h"
#include "ir/TirToMlir.h"
#include "support/Check.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseMap.h"
#include "support/Codes.h"

using namespace mlir;

namespace tilewright::ir::tirops {
namespace {

constexpr llvm::StringLiteral kSpellings[] = {"full", "slice", "refactored"};

class Builder {
public:
  Builder(MLIRContext *context, const tir::Program &program) : builder_(context), context_(context), program_(program) {}

  OwningOpRef<ModuleOp> run(const std::vector<std::string> &header) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context_));
    Operation *op = module->getOperation();
    if (program_.target)
      op->setAttr("tir.target", builder_.getStringAttr(program_.target->id()));
    if (!program_.module.empty())
      op->setAttr("tir.module", builder_.getStringAttr(program_.module));
    SmallVector<mlir::Attribute> levels, lines;
    for (const layout::Topology &level : program_.topologies)
      levels.push_back(builder_.getArrayAttr({builder_.getStringAttr(level.name), builder_.getI64IntegerAttr(level.extent)}));
    for (const std::string &line : header)
      lines.push_back(builder_.getStringAttr(line));
    op->setAttr("tir.topologies", builder_.getArrayAttr(levels));
    if (!lines.empty())
      op->setAttr("tir.header", builder_.getArrayAttr(lines));
    builder_.setInsertionPointToEnd(module->getBody());
    for (const tir::Function &function : program_.functions)
      this->function(function);
    return module;
  }

private:
  void function(const tir::Function &function) {
    function_ = &function;
    values_.assign(function.values.size(), Value());
    coordinates_.assign(function.scopes.size(), {});
    SmallVector<mlir::Attribute> names;
    SmallVector<mlir::Type> types;
    for (tir::ValueId id : function.parameters) {
      names.push_back(builder_.getStringAttr(function.at(id).name));
      types.push_back(typeOf(function.at(id).type));
    }
    location_ = hir::locationOf(context_, {});
    auto op = create<FuncOp>(builder_.getStringAttr(function.name), builder_.getArrayAttr(names), builder_.getI64IntegerAttr(function.outputs),
                             builder_.getI64IntegerAttr(static_cast<int64_t>(function.item)));
    OpBuilder::InsertionGuard guard(builder_);
    mlir::Block *body = builder_.createBlock(&op.getBody(), {}, types, SmallVector<Location>(types.size(), location_));
    for (size_t i = 0; i < function.parameters.size(); ++i)
      values_[static_cast<size_t>(function.parameters[i])] = body->getArgument(static_cast<unsigned>(i));
    block(function.body);
  }

  void block(const tir::Block &block) {
    for (const tir::Statement &statement : block) {
      location_ = hir::locationOf(context_, statement.span);
      this->statement(statement);
    }
  }

  void statement(const tir::Statement &statement) {
    using Kind = tir::StatementKind;
    const auto named = [&] { return builder_.getStringAttr(function_->at(statement.value).name); };
    switch (statement.kind) {
    case Kind::Alloc: define(statement.value, create<AllocOp>(typeOf(function_->at(statement.value).type), named())); break;
    case Kind::View: define(statement.value, view(statement.views.front(), named())); break;
    case Kind::Ring: {
      SmallVector<Value> slots;
      for (const tir::View &slot : statement.views)
        slots.push_back(view(slot, {})->getResult(0));
      auto type = RingType::get(context_, static_cast<int64_t>(slots.size()), typeOf(function_->at(statement.value).type));
      define(statement.value, create<RingOp>(type, slots, named()));
      break;
    }
    case Kind::Call: create<CallOp>(operands(statement.operands), cast<DictionaryAttr>(hir::toMlir(context_, ir::Attribute(statement.instruction)))); break;
    case Kind::FunctionCall:
      create<InvokeOp>(operands(statement.operands), builder_.getStringAttr(program_.functions[static_cast<size_t>(statement.callee)].name));
      break;
    case Kind::Loop: {
      Value start = index(statement.start), stop = index(statement.stop), step = index(statement.step);
      auto op = create<ForOp>(start, stop, step, named());
      OpBuilder::InsertionGuard guard(builder_);
      values_[static_cast<size_t>(statement.value)] = builder_.createBlock(&op.getBody(), {}, builder_.getIndexType(), location_)->getArgument(0);
      block(statement.body);
      break;
    }
    case Kind::Scope: {
      const tir::Scope &scope = function_->scopes[static_cast<size_t>(statement.scope)];
      SmallVector<int64_t> ranges;
      for (const layout::AxisRange &range : scope.ranges)
        ranges.append({range.start, range.stop});
      const bool whole = scope.spelling == tir::Scope::Spelling::Full;
      auto op = create<ScopeOp>(builder_.getStringAttr(scope.name), hir::toMlir(context_, *scope.mesh), builder_.getStringAttr(kSpellings[static_cast<size_t>(scope.spelling)]),
                                builder_.getI64IntegerAttr(statement.scope), whole ? IntegerAttr() : builder_.getI64IntegerAttr(scope.of),
                                whole || ranges.empty() ? DenseI64ArrayAttr() : builder_.getDenseI64ArrayAttr(ranges));
      OpBuilder::InsertionGuard guard(builder_);
      SmallVector<mlir::Type> axes(scope.mesh->shape.size(), builder_.getIndexType());
      mlir::Block *body = builder_.createBlock(&op.getBody(), {}, axes, SmallVector<Location>(axes.size(), location_));
      coordinates_[static_cast<size_t>(statement.scope)] = body;
      block(statement.body);
      break;
    }
    }
  }

  Operation *view(const tir::View &view, StringAttr name) {
    if (view.address)
      return create<SharedOp>(typeOf(view.type), builder_.getI64IntegerAttr(*view.address), name);
    Value base = operand(view.base);
    SmallVector<Value> starts;
    SmallVector<int64_t> extents;
    for (const tir::Range &range : view.window) {
      starts.push_back(index(range.start));
      extents.push_back(range.extent);
    }
    return create<ViewOp>(typeOf(view.type), base, starts, builder_.getDenseI64ArrayAttr(extents), name);
  }

  SmallVector<Value> operands(const std::vector<tir::Operand> &list) {
    SmallVector<Value> out;
    for (const tir::Operand &one : list)
      out.push_back(operand(one));
    return out;
  }

  Value operand(const tir::Operand &operand) {
    switch (operand.kind) {
    case tir::Operand::Kind::Value: return at(operand.value);
    case tir::Operand::Kind::Slot: {
      Value ring = at(operand.value), slot = index(operand.slot.front());
      return create<SlotOp>(typeOf(function_->at(operand.value).type), ring, slot);
    }
    case tir::Operand::Kind::Integer: return create<ConstantOp>(builder_.getI64IntegerAttr(operand.integer));
    case tir::Operand::Kind::Number: return create<ConstantOp>(builder_.getF64FloatAttr(operand.number));
    }
    return {};
  }

  Value index(const tir::Expr &expression) {
    using Kind = tir::Expr::Kind;
    switch (expression.kind) {
    case Kind::Integer: return create<ConstantOp>(builder_.getIndexAttr(expression.integer));
    case Kind::Number: break; // an index is no float
    case Kind::Value: {
      Value value = at(expression.value);
      return value.getType().isIndex() ? value : create<LoadOp>(builder_.getIndexType(), value).getResult();
    }
    case Kind::Coordinate: {
      mlir::Block *scope = coordinates_[static_cast<size_t>(expression.scope)];
      TW_CHECK(scope && static_cast<unsigned>(expression.axis) < scope->getNumArguments(), "a coordinate belongs to an axis of a scope above");
      return scope->getArgument(static_cast<unsigned>(expression.axis));
    }
    case Kind::Neg: return create<NegOp>(builder_.getIndexType(), index(expression.operands[0]));
    default: break;
    }
    Value left = index(expression.operands[0]), right = index(expression.operands[1]);
    mlir::Type type = builder_.getIndexType();
    switch (expression.kind) {
    case Kind::Add: return create<AddOp>(type, left, right);
    case Kind::Sub: return create<SubOp>(type, left, right);
    case Kind::Mul: return create<MulOp>(type, left, right);
    case Kind::FloorDiv: return create<FloorDivOp>(type, left, right);
    case Kind::Mod: return create<ModOp>(type, left, right);
    case Kind::Min: return create<MinOp>(type, left, right);
    default: return create<MaxOp>(type, left, right);
    }
  }

  Value at(tir::ValueId id) {
    TW_CHECK(id >= 0 && static_cast<size_t>(id) < values_.size() && values_[static_cast<size_t>(id)], "a value is defined above its uses");
    return values_[static_cast<size_t>(id)];
  }
  void define(tir::ValueId id, Operation *op) { values_[static_cast<size_t>(id)] = op->getResult(0); }
  mlir::Type typeOf(const TensorType &type) { return hir::toMlir(context_, ir::Type(type)); }
  template <class OpType, class... Arguments> OpType create(Arguments &&...arguments) { return builder_.create<OpType>(location_, std::forward<Arguments>(arguments)...); }

  OpBuilder builder_;
  MLIRContext *context_;
  const tir::Program &program_;
  const tir::Function *function_ = nullptr;
  Location location_ = UnknownLoc::get(context_);
  std::vector<Value> values_;
  std::vector<mlir::Block *> coordinates_;
};

class Reader {
public:
  explicit Reader(const std::vector<std::string> &functions) : functions_(functions) {}

  tir::Function run(FuncOp op) {
    function_.name = op.getName().str();
    function_.outputs = static_cast<int>(op.getOutputs());
    function_.item = op.getItem();
    Block::BlockArgListType parameters = op.getBody().front().getArguments();
    for (auto [number, parameter] : llvm::enumerate(parameters)) {
      const tir::ValueId id = define(parameter, tir::ValueKind::Parameter, cast<StringAttr>(op.getParameterNames()[number]).str(), hir::fromMlir(parameter.getType()).tensor);
      function_.values.back().output = number + op.getOutputs() >= parameters.size();
      function_.parameters.push_back(id);
    }
    function_.body = block(op.getBody().front());
    return std::move(function_);
  }

private:
  tir::ValueId define(Value value, tir::ValueKind kind, std::string name, TensorType type) {
    const auto id = static_cast<tir::ValueId>(function_.values.size());
    function_.values.push_back({kind, std::move(name), std::move(type), false});
    ids_[value] = id;
    return id;
  }

  tir::Block block(mlir::Block &body) {
    tir::Block out;
    for (Operation &op : body) {
      tir::Statement made;
      made.span = hir::spanOf(op.getLoc());
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        made.kind = tir::StatementKind::Alloc;
        made.value = define(alloc.getResult(), tir::ValueKind::Buffer, alloc.getName().str(), hir::fromMlir(alloc.getResult().getType()).tensor);
      } else if (isa<SharedOp, ViewOp>(op)) {
        auto name = op.getAttrOfType<StringAttr>("name");
        if (!name) // of a ring
          continue;
        made.kind = tir::StatementKind::View;
        made.views.push_back(view(&op));
        made.value = define(op.getResult(0), tir::ValueKind::View, name.str(), made.views.front().type);
      } else if (auto ring = dyn_cast<RingOp>(op)) {
        made.kind = tir::StatementKind::Ring;
        for (Value slot : ring.getSlots())
          made.views.push_back(view(slot.getDefiningOp()));
        made.value = define(ring.getResult(), tir::ValueKind::Ring, ring.getName().str(), made.views.front().type);
      } else if (auto call = dyn_cast<CallOp>(op)) {
        made.kind = tir::StatementKind::Call;
        made.instruction = *instructionOf(call.getInstruction());
        for (Value one : call.getOperands())
          made.operands.push_back(operand(one));
      } else if (auto invoke = dyn_cast<InvokeOp>(op)) {
        made.kind = tir::StatementKind::FunctionCall;
        made.callee = static_cast<int>(std::find(functions_.begin(), functions_.end(), invoke.getCallee()) - functions_.begin());
        for (Value one : invoke.getOperands())
          made.operands.push_back(operand(one));
      } else if (auto loop = dyn_cast<ForOp>(op)) {
        made.kind = tir::StatementKind::Loop;
        made.start = index(loop.getStart());
        made.stop = index(loop.getStop());
        made.step = index(loop.getStep());
        made.value = define(loop.getBody().front().getArgument(0), tir::ValueKind::LoopVariable, loop.getName().str(), scalar(DType::I64, Storage::Umat).tensor);
        made.body = block(loop.getBody().front());
      } else if (auto scope = dyn_cast<ScopeOp>(op)) {
        made.kind = tir::StatementKind::Scope;
        made.scope = open(scope);
        made.body = block(scope.getBody().front());
      } else {
        continue; // index arithmetic and slots stand in the statements that use them
      }
      out.push_back(std::move(made));
    }
    return out;
  }

  tir::ScopeId open(ScopeOp op) {
    const auto id = static_cast<tir::ScopeId>(function_.scopes.size());
    scopes_[static_cast<int64_t>(op.getNumber())] = id;
    tir::Scope scope;
    scope.name = op.getName().str();
    scope.mesh = std::make_shared<layout::Mesh>(hir::fromMlir(op.getMesh()));
    scope.spelling = op.getSpelling() == kSpellings[0] ? tir::Scope::Spelling::Full : op.getSpelling() == kSpellings[1] ? tir::Scope::Spelling::Slice : tir::Scope::Spelling::Refactored;
    if (op.getOf())
      scope.of = scopes_[static_cast<int64_t>(*op.getOf())];
    if (auto ranges = op.getRanges())
      for (size_t i = 0; i + 1 < ranges->size(); i += 2)
        scope.ranges.push_back({(*ranges)[i], (*ranges)[i + 1]});
    function_.scopes.push_back(std::move(scope));
    coordinates_[&op.getBody().front()] = id;
    return id;
  }

  tir::View view(Operation *op) {
    tir::View out;
    out.type = hir::fromMlir(op->getResult(0).getType()).tensor;
    if (auto shared = dyn_cast<SharedOp>(op)) {
      out.address = static_cast<int64_t>(shared.getAddress());
      return out;
    }
    auto window = cast<ViewOp>(op);
    out.base = operand(window.getBase());
    for (auto [start, extent] : llvm::zip(window.getStarts(), window.getExtents()))
      out.window.push_back({index(start), extent});
    return out;
  }

  tir::Operand operand(Value value) {
    tir::Operand out;
    if (auto slot = value.getDefiningOp<SlotOp>()) {
      out.kind = tir::Operand::Kind::Slot;
      out.value = ids_.lookup(slot.getRing());
      out.slot = {index(slot.getIndex())};
    } else if (auto constant = value.getDefiningOp<ConstantOp>()) {
      if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
        out.kind = tir::Operand::Kind::Integer;
        out.integer = integer.getInt();
      } else if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
        out.kind = tir::Operand::Kind::Number;
        out.number = number.getValueAsDouble();
      }
    } else {
      out.value = ids_.lookup(value);
    }
    return out;
  }

  tir::Expr index(Value value) {
    using Kind = tir::Expr::Kind;
    tir::Expr out;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto scope = coordinates_.find(argument.getOwner()); scope != coordinates_.end()) {
        out.kind = Kind::Coordinate;
        out.scope = scope->second;
        out.axis = static_cast<int>(argument.getArgNumber());
      } else {
        out.kind = Kind::Value;
        out.value = ids_.lookup(value);
      }
      return out;
    }
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
        out.integer = integer.getInt();
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      out.kind = Kind::Value;
      out.value = ids_.lookup(load.getBuffer());
    } else if (auto kind = operatorOf(op)) {
      out.kind = *kind;
      for (Value one : op->getOperands())
        out.operands.push_back(index(one));
    }
    return out;
  }

  const std::vector<std::string> &functions_;
  tir::Function function_;
  llvm::DenseMap<Value, tir::ValueId> ids_;
  llvm::DenseMap<mlir::Block *, tir::ScopeId> coordinates_;
  std::map<int64_t, tir::ScopeId> scopes_;
};

} // namespace

OwningOpRef<ModuleOp> toMlir(MLIRContext *context, const tir::Program &program, const std::vector<std::string> &header) { return Builder(context, program).run(header); }

tir::Program toProgram(ModuleOp module, std::vector<std::string> &header) {
  tir::Program program;
  if (auto id = module->getAttrOfType<StringAttr>("tir.target"))
    program.target = target::find(id.getValue());
  if (auto name = module->getAttrOfType<StringAttr>("tir.module"))
    program.module = name.str();
  if (auto levels = module->getAttrOfType<ArrayAttr>("tir.topologies"))
    for (mlir::Attribute level : levels)
      if (auto pair = dyn_cast<ArrayAttr>(level); pair && pair.size() == 2 && isa<StringAttr>(pair[0]) && isa<IntegerAttr>(pair[1]))
        program.topologies.push_back({cast<StringAttr>(pair[0]).str(), cast<IntegerAttr>(pair[1]).getInt()});
  if (auto lines = module->getAttrOfType<ArrayAttr>("tir.header"))
    for (mlir::Attribute line : lines)
      if (auto text = dyn_cast<StringAttr>(line))
        header.push_back(text.str());
  std::vector<std::string> names;
  for (FuncOp function : module.getBody()->getOps<FuncOp>()) {
    program.functions.push_back(Reader(names).run(function));
    names.push_back(function.getName().str());
  }
  return program;
}

} // namespace tilewright::ir::tirops

namespace tilewright::ir::tir {

std::string printMlir(const Program &program, const std::vector<std::string> &header) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tirops::TirDialect>();
  OwningOpRef<ModuleOp> module = tirops::toMlir(&context, program, header);
  std::string out;
  llvm::raw_string_ostream stream(out);
  module->print(stream);
  stream << "\n";
  return out;
}

bool verify(const Program &program, DiagnosticSink &sink) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tirops::TirDialect>();
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &problem) {
    if (problem.getSeverity() == DiagnosticSeverity::Error)
      sink.add(Code::VerifierError, hir::spanOf(problem.getLocation()), problem.str());
    return success();
  });
  OwningOpRef<ModuleOp> module = tirops::toMlir(&context, program, {});
  return succeeded(mlir::verify(*module));
}

} // namespace tilewright::ir::tir
