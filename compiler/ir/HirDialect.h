// The generated C++ of the hir dialect and the conversions between its types and the plain data of ir/Types.h.
// Only files of this folder include it.
#pragma once
#include "ir/Attributes.h"
#include "ir/OpTable.h"
#include "support/Source.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace tilewright::ir::hir {
/// Infers the type of a computing op from the OpTable again and compares it with the stated one.
mlir::LogicalResult verifyInferred(mlir::Operation *op);

template <typename Concrete>
struct InferredFromTable : mlir::OpTrait::TraitBase<Concrete, InferredFromTable> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyInferred(op); }
};
} // namespace tilewright::ir::hir

#include "HirDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "HirAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "HirTypes.h.inc"
#define GET_OP_CLASSES
#include "HirOps.h.inc"

namespace tilewright::ir::hir {

mlir::Type toMlir(mlir::MLIRContext *context, const Type &type);
Type fromMlir(mlir::Type type);
mlir::Attribute toMlir(mlir::MLIRContext *context, const Attribute &attribute);
Attribute fromMlir(mlir::Attribute attribute, const AttributeSpec &spec);
MeshAttr toMlir(mlir::MLIRContext *context, const layout::Mesh &mesh);
layout::Mesh fromMlir(MeshAttr mesh);
LayoutAttr toMlir(mlir::MLIRContext *context, const layout::TensorLayout &layout);
layout::TensorLayout fromMlir(LayoutAttr layout);

/// The row of the OpTable a computing op belongs to; nullopt for the structural ops.
std::optional<Op> tableOp(mlir::Operation *op);
/// The op use as its type rule sees it; `lookThrough` resolves a block argument to the captured value so that literal indices are seen.
OpUse opUse(mlir::Operation *op);

/// Source places: an op's location holds the bytes of its statement or expression, the attributes `sym` and `sym_at` the authored name it
/// is bound to and that name's place. Locations live as long as their context, which is one analysis.
mlir::Location locationOf(mlir::MLIRContext *context, Span span);
Span spanOf(mlir::Location location);
void setName(mlir::Operation *op, llvm::StringRef name, Span place);
llvm::StringRef nameOf(mlir::Operation *op);
Span nameSpanOf(mlir::Operation *op);

} // namespace tilewright::ir::hir
