// The ops of the tir dialect: registration and verifiers. What they hold is what the printed form cannot say wrongly: see TirRules.h.
#include "ir/TirDialect.h"
#include "layout/Print.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

#include "TirDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "TirTypes.cpp.inc"
#define GET_OP_CLASSES
#include "TirOps.cpp.inc"

namespace tilewright::ir::tirops {

void TirDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "TirTypes.cpp.inc"
      >();
  registerOperations();
}

void TirDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "TirOps.cpp.inc"
      >();
}

std::optional<TensorType> tensorOf(mlir::Type type) {
  auto tensor = dyn_cast<hir::TensorType>(type);
  if (!tensor || !dtypeNamed(tensor.getDtype().getValue()) || !storageNamed(tensor.getStorage().getValue()))
    return std::nullopt;
  return hir::fromMlir(type).tensor;
}

namespace {
bool wellFormed(DictionaryAttr dictionary) {
  auto parameters = dyn_cast_or_null<ArrayAttr>(dictionary.get("parameters"));
  if (!parameters || !isa_and_nonnull<StringAttr>(dictionary.get("instruction")))
    return false;
  return llvm::all_of(parameters, [](mlir::Attribute one) {
    auto pair = dyn_cast<ArrayAttr>(one);
    if (!pair || pair.size() != 2 || !isa<StringAttr>(pair[0]))
      return false;
    if (auto nested = dyn_cast<DictionaryAttr>(pair[1]))
      return wellFormed(nested);
    if (auto member = dyn_cast<ArrayAttr>(pair[1]))
      return member.size() == 2 && isa<StringAttr>(member[0]) && isa<StringAttr>(member[1]);
    return isa<BoolAttr, IntegerAttr, FloatAttr, StringAttr, DenseI64ArrayAttr>(pair[1]);
  });
}
} // namespace

std::optional<Instruction> instructionOf(DictionaryAttr dictionary) {
  if (!wellFormed(dictionary))
    return std::nullopt;
  AttributeSpec spec{"instruction", AttributeSpec::Kind::Instruction};
  return std::get<Instruction>(hir::fromMlir(dictionary, spec));
}

std::optional<tir::Expr::Kind> operatorOf(Operation *op) {
  using Kind = tir::Expr::Kind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<AddOp>([](auto) { return Kind::Add; })
      .Case<SubOp>([](auto) { return Kind::Sub; })
      .Case<MulOp>([](auto) { return Kind::Mul; })
      .Case<FloorDivOp>([](auto) { return Kind::FloorDiv; })
      .Case<ModOp>([](auto) { return Kind::Mod; })
      .Case<MinOp>([](auto) { return Kind::Min; })
      .Case<MaxOp>([](auto) { return Kind::Max; })
      .Case<NegOp>([](auto) { return Kind::Neg; })
      .Default([](auto) { return std::nullopt; });
}

tir::Interval intervalOf(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast_or_null<ForOp>(owner)) {
      tir::Interval values{intervalOf(loop.getStart()).low, intervalOf(loop.getStop()).high};
      if (values.high)
        --*values.high;
      return values;
    }
    if (auto scope = dyn_cast_or_null<ScopeOp>(owner))
      if (auto shape = scope.getMesh().getShape(); argument.getArgNumber() < shape.size())
        return {0, shape[argument.getArgNumber()] - 1};
    return {};
  }
  Operation *op = index.getDefiningOp();
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return {integer.getInt(), integer.getInt()};
    return {};
  }
  if (auto kind = operatorOf(op))
    return tir::combined(*kind, intervalOf(op->getOperand(0)), intervalOf(op->getOperand(op->getNumOperands() - 1)));
  return {};
}

namespace {

LogicalResult verifyTensor(Operation *op, mlir::Type type, std::optional<TensorType> &plain) {
  plain = tensorOf(type);
  if (!plain)
    return op->emitOpError("makes ") << type << ", which is no tensor";
  if (plain->layout && !tir::describes(*plain->layout, plain->shape))
    return op->emitOpError("has a layout of modes ") << layout::printTuple(plain->layout->shape) << " that do not group into the axes " << layout::printTuple(plain->shape);
  return success();
}

/// What has no name in the printed form can only be a slot of a ring.
LogicalResult verifyNamed(Operation *op) {
  if (op->hasAttr("name") || llvm::all_of(op->getUsers(), [](Operation *user) { return isa<RingOp>(user); }))
    return success();
  return op->emitOpError("has no name, so only a ring can use it");
}

ScopeOp enclosing(Operation *op, int64_t number) {
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp())
    if (auto scope = dyn_cast<ScopeOp>(at); scope && static_cast<int64_t>(scope.getNumber()) == number)
      return scope;
  return {};
}

/// Whether two meshes hold the same units, in any order.
bool sameSet(const layout::Mesh &a, const layout::Mesh &b) {
  const auto units = [](const layout::Mesh &mesh) {
    std::vector<int64_t> all{mesh.offset};
    for (size_t axis = 0; axis < mesh.shape.size(); ++axis) {
      std::vector<int64_t> next;
      for (int64_t unit : all)
        for (int64_t i = 0; i < mesh.shape[axis]; ++i)
          next.push_back(unit + i * mesh.strides[axis]);
      all = std::move(next);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  return units(a) == units(b);
}

} // namespace

LogicalResult FuncOp::verify() {
  Block &body = getBody().front();
  if (getParameterNames().size() != body.getNumArguments())
    return emitOpError("has ") << body.getNumArguments() << " parameters and " << getParameterNames().size() << " names";
  if (static_cast<int64_t>(getOutputs()) < 0 || static_cast<int64_t>(getOutputs()) > static_cast<int64_t>(body.getNumArguments()))
    return emitOpError("writes ") << getOutputs() << " of its " << body.getNumArguments() << " parameters";
  std::optional<TensorType> plain;
  for (BlockArgument parameter : body.getArguments())
    if (failed(verifyTensor(*this, parameter.getType(), plain)))
      return failure();
  return success();
}

LogicalResult ScopeOp::verify() {
  const layout::Mesh mesh = hir::fromMlir(getMesh());
  Block &body = getBody().front();
  if (mesh.shape.size() != mesh.strides.size())
    return emitOpError("has a mesh of ") << mesh.shape.size() << " axes and " << mesh.strides.size() << " strides";
  if (body.getNumArguments() != mesh.shape.size() || !llvm::all_of(body.getArgumentTypes(), [](mlir::Type type) { return type.isIndex(); }))
    return emitOpError("has one coordinate, an index, per axis of its mesh");
  if (getSpelling() == "full")
    return success();
  if (getSpelling() != "slice" && getSpelling() != "refactored")
    return emitOpError("is spelled `") << getSpelling() << "`; there are full, slice and refactored";
  ScopeOp parent = getOf() ? enclosing(*this, static_cast<int64_t>(*getOf())) : ScopeOp();
  if (!parent)
    return emitOpError("selects from a scope that does not enclose it");
  const layout::Mesh from = hir::fromMlir(parent.getMesh());
  std::vector<layout::AxisRange> ranges;
  ArrayRef<int64_t> flat = getRanges().value_or(ArrayRef<int64_t>());
  if (flat.empty()) {
    for (int64_t extent : from.shape)
      ranges.push_back({0, extent});
  } else if (flat.size() != 2 * from.shape.size()) {
    return emitOpError("selects along ") << flat.size() / 2 << " axes of a mesh that has " << from.shape.size();
  } else {
    for (size_t axis = 0; axis < from.shape.size(); ++axis)
      ranges.push_back({flat[2 * axis], flat[2 * axis + 1]});
  }
  const std::optional<layout::Mesh> selected = layout::select(from, ranges);
  if (!selected)
    return emitOpError("selects positions that `") << parent.getName() << "` does not have";
  if (selected->positions() != mesh.positions() || mesh.positions() > (1 << 20) || !sameSet(*selected, mesh))
    return emitOpError("has a mesh of other units than it selects from `") << parent.getName() << "`";
  return success();
}

LogicalResult ForOp::verify() {
  if (getBody().front().getNumArguments() != 1 || !getBody().front().getArgument(0).getType().isIndex())
    return emitOpError("has one variable, an index");
  if (const tir::Interval step = intervalOf(getStep()); !step.low || *step.low <= 0)
    return emitOpError("has a step of ") << tir::text(step) << "; a step is a positive constant";
  return success();
}

LogicalResult AllocOp::verify() {
  std::optional<TensorType> plain;
  return verifyTensor(*this, getResult().getType(), plain);
}

LogicalResult SharedOp::verify() {
  std::optional<TensorType> plain;
  if (failed(verifyTensor(*this, getResult().getType(), plain)))
    return failure();
  if (plain->storage != Storage::Smem)
    return emitOpError("lies in ") << name(plain->storage).data() << ", which has no addresses";
  if (const auto address = static_cast<int64_t>(getAddress()); address < 0 || address % tir::kAddressStep != 0)
    return emitOpError("lies at ") << address << ", which is no multiple of " << tir::kAddressStep << " bytes";
  return verifyNamed(*this);
}

LogicalResult ViewOp::verify() {
  std::optional<TensorType> plain;
  const std::optional<TensorType> base = tensorOf(getBase().getType());
  if (!base)
    return emitOpError("shows ") << getBase().getType() << ", which is no tensor";
  if (failed(verifyTensor(*this, getResult().getType(), plain)))
    return failure();
  if (plain->dtype != base->dtype || plain->storage != base->storage)
    return emitOpError("shows ") << name(base->dtype).data() << " in " << name(base->storage).data() << " as " << name(plain->dtype).data() << " in " << name(plain->storage).data();
  ArrayRef<int64_t> extents = getExtents();
  if (getStarts().size() != extents.size() || (!extents.empty() && extents.size() != base->shape.size()))
    return emitOpError("has a window of ") << getStarts().size() << " starts and " << extents.size() << " extents over " << base->shape.size() << " axes";
  for (auto [axis, start] : llvm::enumerate(getStarts()))
    if (const tir::Interval values = intervalOf(start); extents[axis] <= 0 || tir::outside(values, extents[axis], base->shape[axis]))
      return emitOpError("has a window that begins at ") << tir::text(values) << " and takes " << extents[axis] << " of the " << base->shape[axis] << " elements of axis " << axis;
  return verifyNamed(*this);
}

LogicalResult RingOp::verify() {
  auto ring = cast<RingType>(getResult().getType());
  if (getSlots().empty() || ring.getSlots() != static_cast<int64_t>(getSlots().size()))
    return emitOpError("is a ring of ") << ring.getSlots() << " slots made of " << getSlots().size();
  const std::optional<TensorType> plain = tensorOf(ring.getSlot());
  if (!plain)
    return emitOpError("has slots that are no tensors");
  std::vector<int64_t> addresses;
  for (auto [number, slot] : llvm::enumerate(getSlots())) {
    if (slot.getType() != ring.getSlot())
      return emitOpError("has another type in slot ") << number << " than its slots have";
    if (auto shared = slot.getDefiningOp<SharedOp>()) {
      const auto address = static_cast<int64_t>(shared.getAddress());
      for (auto [other, taken] : llvm::enumerate(addresses))
        if (tir::overlap(address, taken, plain->bytes()))
          return emitOpError("has slot ") << number << " over slot " << other;
      addresses.push_back(address);
    } else if (!slot.getDefiningOp<ViewOp>()) {
      return emitOpError("has a slot that is no view");
    }
  }
  return success();
}

LogicalResult SlotOp::verify() {
  RingType ring = getRing().getType();
  if (getResult().getType() != ring.getSlot())
    return emitOpError("gives another type than the slots have");
  if (const tir::Interval index = intervalOf(getIndex()); tir::outsideRing(index, ring.getSlots()))
    return emitOpError("reads slot ") << tir::text(index) << " of a ring of " << ring.getSlots();
  return success();
}

LogicalResult CallOp::verify() {
  const std::optional<Instruction> instruction = instructionOf(getInstruction());
  if (!instruction)
    return emitOpError("states no instruction: a name and parameters");
  std::vector<std::optional<TensorType>> operands;
  for (Value operand : getOperands()) {
    if (!isa<hir::TensorType>(operand.getType()) && !operand.getDefiningOp<ConstantOp>())
      return emitOpError("has an operand that is neither a tensor nor a literal");
    operands.push_back(tensorOf(operand.getType()));
  }
  if (auto wrong = tir::wrongCall(instruction->name, operands))
    return emitOpError() << wrong->message;
  return success();
}

LogicalResult InvokeOp::verify() {
  auto caller = (*this)->getParentOfType<FuncOp>();
  auto module = (*this)->getParentOfType<ModuleOp>();
  if (!caller || !module)
    return emitOpError("stands outside a function of a module");
  for (FuncOp callee : module.getBody()->getOps<FuncOp>()) {
    if (callee == caller)
      break;
    if (callee.getName() != getCallee())
      continue;
    Block::BlockArgListType parameters = callee.getBody().front().getArguments();
    if (parameters.size() != getOperands().size())
      return emitOpError("gives ") << getOperands().size() << " buffers to `" << getCallee() << "`, which takes " << parameters.size();
    for (auto [number, pair] : llvm::enumerate(llvm::zip(parameters, getOperands()))) {
      const std::optional<TensorType> wanted = tensorOf(std::get<0>(pair).getType()), given = tensorOf(std::get<1>(pair).getType());
      if (!wanted || !given || wanted->shape != given->shape || wanted->dtype != given->dtype)
        return emitOpError("gives `") << getCallee() << "` another tensor than parameter " << number << " is";
    }
    return success();
  }
  return emitOpError("calls `") << getCallee() << "`, which no function above is named";
}

LogicalResult LoadOp::verify() {
  const std::optional<TensorType> buffer = tensorOf(getBuffer().getType());
  if (!buffer || !buffer->shape.empty() || !isInteger(buffer->dtype))
    return emitOpError("reads ") << getBuffer().getType() << ", which is no integer";
  return success();
}

} // namespace tilewright::ir::tirops
