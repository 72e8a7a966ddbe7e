// From an MLIR function to its plan (ir/Plan.h): reachability, order, numbering, names.
#pragma once
#include "ir/HirDialect.h"
#include "ir/Plan.h"

namespace tilewright::ir {

/// The plan of a verified function. Callees are indices of the importer until importProgram renumbers them.
FunctionPlan buildPlan(hir::FuncOp function);

/// Line numbers of the printed section; needs the whole program (names of callees).
void finishPlan(Program &program, size_t function);

} // namespace tilewright::ir
