// The ops of the hir dialect: registration, verifiers, and their connection with the OpTable.
#include "ir/HirDialect.h"
#include "support/Check.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

#include "HirDialect.cpp.inc"
#define GET_OP_CLASSES
#include "HirOps.cpp.inc"

namespace tilewright::ir::hir {

void HirDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "HirOps.cpp.inc"
      >();
}

RegionKind FuncOp::getRegionKind(unsigned) { return RegionKind::Graph; }
RegionKind LoopOp::getRegionKind(unsigned) { return RegionKind::Graph; }
RegionKind MeshOp::getRegionKind(unsigned) { return RegionKind::Graph; }

namespace {
LogicalResult verifyCaptures(Operation *op, Region &body, size_t first, OperandRange captures) {
  if (body.front().getNumArguments() != first + captures.size())
    return op->emitOpError("has ") << body.front().getNumArguments() << " block arguments for " << first + captures.size() << " values";
  for (auto [argument, capture] : llvm::zip(body.front().getArguments().drop_front(first), captures))
    if (argument.getType() != capture.getType())
      return op->emitOpError("captures a value as another type");
  return success();
}
} // namespace

LogicalResult LoopOp::verify() {
  if (getBounds().size() != 3)
    return emitOpError("needs start, stop and step");
  if (getInits().size() != getResults().size() || getCarryNames().size() != getInits().size())
    return emitOpError("must have one result and one name per carried value");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getValues().size() != getInits().size())
    return emitOpError("must yield one value per carried value");
  for (auto [init, result] : llvm::zip(getInits(), getResults()))
    if (init.getType() != result.getType())
      return emitOpError("result type differs from the carried value's");
  return verifyCaptures(*this, getBody(), 1 + getInits().size(), getCaptures());
}

LogicalResult MeshOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getValues().size() != getResults().size())
    return emitOpError("must yield its results");
  for (auto [value, result] : llvm::zip(yield.getValues(), getResults()))
    if (value.getType() != result.getType())
      return emitOpError("result type differs from the yielded value's");
  return verifyCaptures(*this, getBody(), 0, getCaptures());
}

std::optional<Op> tableOp(Operation *op) {
  static const llvm::StringMap<Op> kByMnemonic = [] {
    llvm::StringMap<Op> map;
    for (const OpSpec &row : allOps())
      map[row.mnemonic] = row.op;
    return map;
  }();
  auto found = kByMnemonic.find(op->getName().stripDialect());
  if (found == kByMnemonic.end() || op->getName().getDialectNamespace() != "hir")
    return std::nullopt;
  return found->second;
}

namespace {
// The literal behind a value, if it is one.
std::optional<int64_t> literal(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return integer.getInt();
  return std::nullopt;
}
} // namespace

OpUse opUse(Operation *op) {
  OpUse use;
  auto kind = tableOp(op);
  TW_CHECK(kind, "only computing ops have a row in the OpTable");
  use.op = *kind;
  for (Value operand : op->getOperands()) {
    use.operands.push_back(fromMlir(operand.getType()));
    std::optional<std::vector<std::optional<int64_t>>> constants;
    if (auto tuple = operand.getDefiningOp<TupleOp>()) {
      constants.emplace();
      for (Value element : tuple.getElements())
        constants->push_back(literal(element));
    }
    use.constants.push_back(std::move(constants));
  }
  for (const AttributeSpec &attribute : spec(*kind).attributes)
    if (mlir::Attribute value = op->getAttr(StringRef(attribute.name)))
      use.attributes.emplace_back(attribute.name, fromMlir(value, attribute));
  return use;
}

LogicalResult verifyInferred(Operation *op) {
  if (!tableOp(op))
    return op->emitOpError("has no row in the op table");
  InferContext context;
  for (Operation *scope = op->getParentOp(); scope; scope = scope->getParentOp())
    if (auto mesh = dyn_cast<MeshOp>(scope))
      context.enclosing.insert(context.enclosing.begin(), std::make_shared<layout::Mesh>(fromMlir(mesh.getMesh())));
  if (auto function = op->getParentOfType<FuncOp>())
    if (MeshAttr mesh = function.getMeshAttr())
      context.enclosing.insert(context.enclosing.begin(), std::make_shared<layout::Mesh>(fromMlir(mesh)));
  for (const auto &scope : context.enclosing)
    context.mesh = context.mesh ? std::make_shared<layout::Mesh>(layout::compose(*context.mesh, *scope)) : scope;
  if (auto targetName = op->getParentOfType<ModuleOp>() ? op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>("hir.target") : StringAttr())
    context.target = target::find(targetName.getValue());
  Inferred inferred = infer(opUse(op), context);
  if (inferred.failed())
    return op->emitOpError() << inferred.error;
  if (!(inferred.type == fromMlir(op->getResult(0).getType())))
    return op->emitOpError("is stated to give ") << op->getResult(0).getType() << " but gives " << toMlir(op->getContext(), inferred.type);
  return success();
}

Location locationOf(MLIRContext *context, Span span) { return FileLineColLoc::get(context, "", span.begin, span.end); }

Span spanOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return {place.getLine(), place.getColumn()};
  return {};
}

void setName(Operation *op, StringRef name, Span place) {
  Builder b(op->getContext());
  op->setAttr("sym", b.getStringAttr(name));
  op->setAttr("sym_at", b.getDenseI64ArrayAttr({place.begin, place.end}));
}

StringRef nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>("sym");
  return name ? name.getValue() : StringRef();
}

Span nameSpanOf(Operation *op) {
  auto at = op->getAttrOfType<DenseI64ArrayAttr>("sym_at");
  return at ? Span{static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[1])} : Span{};
}

} // namespace tilewright::ir::hir
