// The generated C++ of the tir dialect. Only files of this folder include it.
#pragma once
#include "ir/HirDialect.h"
#include "ir/Tir.h"
#include "ir/TirRules.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "TirDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "TirTypes.h.inc"
#define GET_OP_CLASSES
#include "TirOps.h.inc"

namespace tilewright::ir::tirops {

/// The plain type; null for what is no tensor of a known dtype and storage.
std::optional<TensorType> tensorOf(mlir::Type type);
/// The instruction that a dictionary states; null for a malformed one.
std::optional<Instruction> instructionOf(mlir::DictionaryAttr dictionary);
/// The operator of index arithmetic that an op is; null for other ops.
std::optional<tir::Expr::Kind> operatorOf(mlir::Operation *op);
/// The values that an index can take.
tir::Interval intervalOf(mlir::Value index);

/// The program as a module of the dialect, its header comments as `tir.header`; and back from a verified one.
mlir::OwningOpRef<mlir::ModuleOp> toMlir(mlir::MLIRContext *context, const tir::Program &program, const std::vector<std::string> &header);
tir::Program toProgram(mlir::ModuleOp module, std::vector<std::string> &header);

} // namespace tilewright::ir::tirops
