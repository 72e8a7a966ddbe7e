// The tir dialect: settled buffers, views and instructions. Tensor types, layouts and meshes are those of the hir dialect; an index is MLIR's.
#ifndef TW_TIR_DIALECT_TD
#define TW_TIR_DIALECT_TD
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "HirDialect.td"

def Tir_Dialect : Dialect {
  let name = "tir";
  let summary = "Kernels with every choice made: which bytes each value has, what every unit does, in which order";
  let cppNamespace = "::tilewright::ir::tirops";
  let dependentDialects = ["::tilewright::ir::hir::HirDialect"];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{ void registerOperations(); }];
}

class Tir_Type<string name, string typeMnemonic> : TypeDef<Tir_Dialect, name> { let mnemonic = typeMnemonic; }

def Tir_RingType : Tir_Type<"Ring", "ring"> {
  let summary = "a staged buffer: slots of one type";
  let parameters = (ins "int64_t":$slots, "::mlir::Type":$slot);
  let assemblyFormat = "`<` $slots `x` $slot `>`";
}
#endif
