// Every op of the hir dialect. Structure first (functions, loops, mesh scopes, literals), then the computing ops: one line per row of
// Ops.def, whose operands, attributes and type rules are in the OpTable; their verifier infers the result type again and compares.
include "HirDialect.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Hir_Op<string mnemonic, list<Trait> traits = []> : Op<Hir_Dialect, mnemonic, traits>;

// A body whose statements stand in source order but may be read in any order.
class Hir_Scope<string mnemonic, list<Trait> traits = []>
    : Hir_Op<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<RegionKindInterface, ["getRegionKind"]>, SingleBlock])>;

def Hir_FuncOp : Hir_Scope<"func"> {
  let summary = "a function of a schedule module";
  let description = [{
    Block arguments are the parameters. The body ends in `hir.return`. Example:
    ```mlir
    "hir.func"() <{symbol = "gemm", module = "GRID", ...}> ({ ^bb0(%a: ...): ... }) : () -> ()
    ```
  }];
  let arguments = (ins StrAttr:$symbol, StrAttr:$module, ArrayAttr:$parameterNames, OptionalAttr<Hir_MeshAttr>:$mesh,
                       UnitAttr:$annotated);
  let regions = (region SizedRegion<1>:$body);
}

def Hir_LoopOp : Hir_Scope<"loop", [AttrSizedOperandSegments]> {
  let summary = "a counted loop with carried values";
  let description = [{
    `bounds` are start, stop and step: scalars made of literals, coordinates, outer loop variables and `hir.dim` arithmetic of them. Block
    arguments: the induction variable, the carried values, then the captures. The body ends in `hir.yield` of the next carried values; results
    are the carried values after the last trip. An op of the body with the attribute `kept` is computed even if no value needs it (it is the
    last statement).
  }];
  let arguments = (ins Variadic<AnyType>:$bounds, Variadic<AnyType>:$inits, Variadic<AnyType>:$captures,
                       StrAttr:$variable, ArrayAttr:$carryNames, ArrayAttr:$captureNames, UnitAttr:$tile);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
def Hir_MeshOp : Hir_Scope<"mesh"> {
  let summary = "an execution scope: the units of a mesh run the body";
  let description = [{Block arguments are the captures. `hir.yield` names the values used outside, which are the results.}];
  let arguments = (ins Variadic<AnyType>:$captures, Hir_MeshAttr:$mesh, I64Attr:$scope, StrAttr:$alias, ArrayAttr:$captureNames,
                       ArrayAttr:$resultNames, OptionalAttr<I64Attr>:$selectedFrom, UnitAttr:$relaid);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Hir_YieldOp : Hir_Op<"yield", [Terminator, ReturnLike]> {
  let summary = "ends a loop or mesh body";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
def Hir_ReturnOp : Hir_Op<"return", [Terminator, ReturnLike]> {
  let summary = "the value of a function";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value `:` type($value) attr-dict";
}
def Hir_ConstantOp : Hir_Op<"constant"> {
  let summary = "a literal or a module constant: a scalar i64 or f32";
  let arguments = (ins AnyAttr:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `->` type($result) attr-dict";
}
def Hir_CoordinateOp : Hir_Op<"coordinate"> {
  let summary = "position of the executing unit on a mesh axis";
  let description = [{`index` is the axis number as a literal; `scope` numbers the mesh scope in source order (0: the function's).}];
  let arguments = (ins AnyType:$index, Hir_MeshAttr:$mesh, StrAttr:$axis, I64Attr:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$index `,` $axis `of` $scope `,` $mesh attr-dict `:` type($index) `->` type($result)";
}
def Hir_DimOp : Hir_Op<"dim"> {
  let summary = "arithmetic of an inline index; costs nothing";
  let description = [{`kind` is one of add, sub, mul, floor_div, mod, min, max.}];
  let arguments = (ins StrAttr:$kind, AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}
def Hir_TupleOp : Hir_Op<"make_tuple"> {
  let summary = "several values as one";
  let arguments = (ins Variadic<AnyType>:$elements);
  let results = (outs AnyType:$result);
  let assemblyFormat = "($elements^ `:` type($elements) `->`)? type($result) attr-dict";
}
def Hir_ItemOp : Hir_Op<"item"> {
  let summary = "one field of a tuple";
  let arguments = (ins AnyType:$tuple, AnyType:$index, I64Attr:$field);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$tuple `[` $field `,` $index `]` attr-dict `:` type($tuple) `,` type($index) `->` type($result)";
}
def Hir_CallOp : Hir_Op<"call"> {
  let summary = "a call of another function in the same kernel";
  let arguments = (ins Variadic<AnyType>:$arguments, StrAttr:$callee, I64Attr:$function);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $result)";
}

// ---- the computing ops: rows of Ops.def ----------------------------------------------------------------------------------------
def InferredFromTable : NativeOpTrait<"InferredFromTable"> { let cppNamespace = "::tilewright::ir::hir"; }
class Hir_Compute<string mnemonic, string text> : Hir_Op<mnemonic, [InferredFromTable]> {
  let summary = text;
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs AnyType:$result);
  let assemblyFormat = "($operands^ `:` type($operands) `->`)? type($result) attr-dict";
}
// arithmetic, elementwise
def Hir_AddOp : Hir_Compute<"add", "elementwise sum">;
def Hir_SubOp : Hir_Compute<"sub", "elementwise difference">;
def Hir_MulOp : Hir_Compute<"mul", "elementwise product">;
def Hir_DivOp : Hir_Compute<"div", "elementwise quotient of floats">;
def Hir_FloorDivOp : Hir_Compute<"floor_div", "quotient of integers rounded towards minus infinity">;
def Hir_ModOp : Hir_Compute<"mod", "remainder of floor division">;
def Hir_MinOp : Hir_Compute<"min", "elementwise minimum">;
def Hir_MaxOp : Hir_Compute<"max", "elementwise maximum">;
def Hir_CmpEqOp : Hir_Compute<"cmp_eq", "elementwise equality">;
def Hir_CmpNeOp : Hir_Compute<"cmp_ne", "elementwise inequality">;
def Hir_CmpLtOp : Hir_Compute<"cmp_lt", "elementwise less than">;
def Hir_CmpLeOp : Hir_Compute<"cmp_le", "elementwise less than or equal">;
def Hir_CmpGtOp : Hir_Compute<"cmp_gt", "elementwise greater than">;
def Hir_CmpGeOp : Hir_Compute<"cmp_ge", "elementwise greater than or equal">;
def Hir_LogicalAndOp : Hir_Compute<"logical_and", "elementwise conjunction of bools">;
def Hir_LogicalOrOp : Hir_Compute<"logical_or", "elementwise disjunction of bools">;
def Hir_LogicalNotOp : Hir_Compute<"logical_not", "elementwise negation of bools">;
def Hir_NegOp : Hir_Compute<"neg", "elementwise negation">;
def Hir_AbsOp : Hir_Compute<"abs", "elementwise absolute value">;
def Hir_ExpOp : Hir_Compute<"exp", "elementwise natural exponential">;
def Hir_LogOp : Hir_Compute<"log", "elementwise natural logarithm">;
def Hir_Exp2Op : Hir_Compute<"exp2", "elementwise power of two">;
def Hir_Log2Op : Hir_Compute<"log2", "elementwise logarithm to base two">;
def Hir_CeilOp : Hir_Compute<"ceil", "elementwise rounding towards plus infinity">;
def Hir_RoundOp : Hir_Compute<"round", "elementwise rounding to the nearest integer, ties to even">;
def Hir_UnaryOp : Hir_Compute<"unary", "another elementwise function, named by its kind">;
def Hir_ClampOp : Hir_Compute<"clamp", "values limited to an interval">;
def Hir_SoftplusOp : Hir_Compute<"softplus", "elementwise log(1 + exp(x))">;
def Hir_WhereOp : Hir_Compute<"where", "elementwise choice by a bool">;
def Hir_CastOp : Hir_Compute<"cast", "conversion to another dtype">;
def Hir_BitcastOp : Hir_Compute<"bitcast", "the same bytes read as another shape">;
// neural network
def Hir_MatMulOp : Hir_Compute<"matmul", "matrix product over the last two axes">;
def Hir_Conv2DOp : Hir_Compute<"conv2d", "two-dimensional convolution">;
def Hir_ReLUOp : Hir_Compute<"relu", "elementwise max(x, 0)">;
def Hir_SigmoidOp : Hir_Compute<"sigmoid", "elementwise logistic function">;
def Hir_TanhOp : Hir_Compute<"tanh", "elementwise hyperbolic tangent">;
def Hir_GeluOp : Hir_Compute<"gelu", "elementwise Gaussian error linear unit">;
def Hir_SiluOp : Hir_Compute<"silu", "elementwise x * sigmoid(x)">;
def Hir_SoftmaxOp : Hir_Compute<"softmax", "normalized exponentials along an axis">;
def Hir_RmsNormOp : Hir_Compute<"rms_norm", "normalization by the root mean square of the last axis">;
def Hir_LayerNormOp : Hir_Compute<"layer_norm", "normalization by mean and variance of the last axis">;
def Hir_RopeOp : Hir_Compute<"rope", "rotary position embedding of queries and keys">;
// shape and tensor
def Hir_ZerosOp : Hir_Compute<"zeros", "a tensor of zeros">;
def Hir_EmptyOp : Hir_Compute<"empty", "an uninitialized buffer, `buffers` copies deep">;
def Hir_FullLikeOp : Hir_Compute<"full_like", "a tensor of one value, typed like another">;
def Hir_ArangeOp : Hir_Compute<"arange", "integers from start by step">;
def Hir_SliceOp : Hir_Compute<"slice", "a window of a tensor; a view">;
def Hir_InsertSliceOp : Hir_Compute<"insert_slice", "a tensor with one window replaced">;
def Hir_ReshapeOp : Hir_Compute<"reshape", "the same elements under another shape">;
def Hir_TransposeOp : Hir_Compute<"transpose", "axes in another order">;
def Hir_ConcatOp : Hir_Compute<"concat", "tensors one after another along an axis">;
def Hir_SplitOp : Hir_Compute<"split", "equal pieces along an axis, as a tuple">;
def Hir_StackOp : Hir_Compute<"stack", "tensors side by side along a new axis">;
def Hir_RepeatInterleaveOp : Hir_Compute<"repeat_interleave", "each slice along an axis repeated">;
def Hir_ReduceOp : Hir_Compute<"reduce", "reduction over axes">;
def Hir_ArgMaxOp : Hir_Compute<"argmax", "index of the largest element along an axis">;
def Hir_TopKOp : Hir_Compute<"topk", "largest elements and their indices, as a tuple">;
def Hir_IndexSelectOp : Hir_Compute<"index_select", "rows chosen by an index tensor">;
def Hir_IndexAddOp : Hir_Compute<"index_add", "rows added into a tensor at given indices">;
def Hir_IndexCopyOp : Hir_Compute<"index_copy", "rows written into a tensor at given indices">;
def Hir_CacheUpdateOp : Hir_Compute<"cache_update", "new rows written into a cache at a position">;
def Hir_QuantOp : Hir_Compute<"quant", "group-wise quantization, values and scales as a tuple">;
def Hir_RankOp : Hir_Compute<"rank", "number of axes, as a scalar">;
def Hir_ShapeOfOp : Hir_Compute<"shape_of", "extents, as a vector">;
// sharding and scheduling
def Hir_ReshardOp : Hir_Compute<"reshard", "the same value under another layout or in another storage">;
def Hir_LocalOp : Hir_Compute<"local", "one position's part of a split value">;
def Hir_ScheduleOp : Hir_Compute<"schedule", "work done by one named instruction">;
