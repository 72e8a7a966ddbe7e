// The hir dialect: authored schedules as a graph of values with loops and mesh scopes. Types and attributes carry what ir/Types.h and
// ir/Attributes.h say in plain data; HirTypes.cpp converts both ways.
#ifndef TW_HIR_DIALECT_TD
#define TW_HIR_DIALECT_TD
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Hir_Dialect : Dialect {
  let name = "hir";
  let summary = "Schedules as authored: values, meshes, loops and instruction choices";
  let cppNamespace = "::tilewright::ir::hir";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{ void registerOperations(); }];
}

class Hir_Attr<string name, string attrMnemonic> : AttrDef<Hir_Dialect, name> { let mnemonic = attrMnemonic; }

def Hir_MeshAttr : Hir_Attr<"Mesh", "mesh"> {
  let summary = "a named arrangement of the units of topology levels";
  let description = [{`levels` pairs each topology name with its extent; `shape` and `strides` have one entry per axis; `offset` is the first unit.}];
  let parameters = (ins "::mlir::ArrayAttr":$levels, "::mlir::DenseI64ArrayAttr":$shape, "::mlir::DenseI64ArrayAttr":$strides,
                        "int64_t":$offset, "bool":$composed, "::mlir::ArrayAttr":$names);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Hir_LayoutAttr : Hir_Attr<"Layout", "layout"> {
  let summary = "how the elements of a tensor are arranged and shared out";
  let description = [{`shape` and `strides` are nested arrays of integers; `states` has one string per mesh axis: `B`, `S(mode)`, `P(sum)`, `D`.}];
  let parameters = (ins "::mlir::ArrayAttr":$shape, OptionalParameter<"::mlir::ArrayAttr">:$strides, "int64_t":$offset,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$swizzle, OptionalParameter<"::tilewright::ir::hir::MeshAttr">:$mesh,
                        OptionalParameter<"::mlir::ArrayAttr">:$states, "bool":$stated,
                        DefaultValuedParameter<"bool", "false">:$window);
  let assemblyFormat = "`<` struct(params) `>`";
}

class Hir_Type<string name, string typeMnemonic> : TypeDef<Hir_Dialect, name> { let mnemonic = typeMnemonic; }

def Hir_TensorType : Hir_Type<"Tensor", "tensor"> {
  let summary = "a tensor: extents, element type, storage level, layout";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape, "::mlir::StringAttr":$dtype, "::mlir::StringAttr":$storage,
                        OptionalParameter<"::tilewright::ir::hir::LayoutAttr">:$layout);
  let assemblyFormat = "`<` $shape `,` $dtype `,` $storage (`,` $layout^)? `>`";
}
def Hir_TupleType : Hir_Type<"Tuple", "tuple"> {
  let summary = "several values as one";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::Type">:$fields);
  let assemblyFormat = "`<` `[` (`]`) : ($fields^ `]`)? `>`";
}
#endif
