// Every op of the tir dialect. A body runs in order; what it defines is used below it in the same or an enclosed body, which MLIR's dominance
// check holds. Names of the printed form are the attribute `name`.
include "TirDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Tir_Op<string mnemonic, list<Trait> traits = []> : Op<Tir_Dialect, mnemonic, traits>;
class Tir_Body<string mnemonic> : Tir_Op<mnemonic, [SingleBlock, NoTerminator]>;

// ---- structure ----------------------------------------------------------------------------------------------------------------------
def Tir_FuncOp : Tir_Body<"func"> {
  let summary = "a function of a kernel";
  let description = [{
    Block arguments are the parameters: inputs, scratch, then `outputs` buffers that it writes. The module holds callees before their callers,
    the root last. Example: the DSL text
    ```python
    @prim_func(target=CudaTarget("nvidia.h200_sxm"), output_count=2)
    def run(x: Tensor[(8, 64), "f32"], out: Tensor[(8, 64), "bf16"], out_1: Tensor[(8, 64), "f32"]):
    ```
    is `"tir.func"() <{name = "run", parameterNames = ["x", "out", "out_1"], outputs = 2}> ({ ^bb0(%x: ..., %out: ..., %out_1: ...): ... })`.
  }];
  let arguments = (ins StrAttr:$name, ArrayAttr:$parameterNames, I64Attr:$outputs, DefaultValuedAttr<I64Attr, "0">:$item);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
def Tir_ScopeOp : Tir_Body<"scope"> {
  let summary = "the units of a mesh run the body";
  let description = [{
    One block argument per axis of `mesh`: the coordinate of the running unit (`cta.r`). `spelling` is how the DSL opens it: `full`
    (`with Mesh(...) as cta`), `slice` (`with scope[:1, :32] as scope_2`) or `refactored` (`with Mesh(scope[1:], layout=...) as scope_3`). A slice
    names the enclosing scope it is taken `of` by that scope's `number`, and has a start and a stop per axis of it in `ranges`; none means all.
    Example: `"tir.scope"() <{mesh = #hir.mesh<...>, name = "scope_2", number = 2, of = 1, ranges = array<i64: 0, 1, 0, 32>, spelling = "slice"}>`.
    The verifier holds that the slice lies inside its parent and selects the units of `mesh`.
  }];
  let arguments = (ins StrAttr:$name, Hir_MeshAttr:$mesh, StrAttr:$spelling, I64Attr:$number, OptionalAttr<I64Attr>:$of,
                       OptionalAttr<DenseI64ArrayAttr>:$ranges);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
def Tir_ForOp : Tir_Body<"for"> {
  let summary = "a counted loop of every unit";
  let description = [{The block argument is the loop variable. Example: `for k in range(0, 256, 64):` has the bounds 0, 256 and 64. The step is positive.}];
  let arguments = (ins Index:$start, Index:$stop, Index:$step, StrAttr:$name);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

// ---- buffers and views ----------------------------------------------------------------------------------------------------------------
def Tir_AllocOp : Tir_Op<"alloc"> {
  let summary = "registers of the units that hold a value";
  let description = [{
    `acc = T.alloc_tensor(tensor_type=Tensor[(64, 128), "f32", ..., "rmem"])`. Example: `%acc = tir.alloc "acc" : !hir.tensor<...>`.
    The verifier holds that the layout describes the shape.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Tir_SharedOp : Tir_Op<"shared"> {
  let summary = "a tile at a byte address of shared memory";
  let description = [{
    `ab = T.tensor_view(1024, dtype="bf16", storage="smem", layout=..., shape=(64, 64))`. Example: `%ab = tir.shared 1024 "ab" : !hir.tensor<...>`;
    a slot of a ring has no name, and nothing else may be without. An address is a multiple of 16; one past the target's capacity is accepted here, reports say so.
  }];
  let arguments = (ins I64Attr:$address, OptionalAttr<StrAttr>:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$address ($name^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Tir_ViewOp : Tir_Op<"view"> {
  let summary = "elements of a buffer seen under another layout or as a tile";
  let description = [{
    `value = T.tensor_view(T.ptr_of(x[r:r + 1, k:k + 1]), layout=((64, 64), (256, 1)), shape=(64, 64))`: begins at `starts`, one index per axis of the base,
    of which it takes `extents`; without starts, at the first element. Example:
    `%value = tir.view %x[%r, %k] array<i64: 1, 1> "value" : !hir.tensor<...> -> !hir.tensor<...>`.
    The verifier holds that dtype and storage are the base's, that the layout describes the shape, and that some unit finds the window inside the base.
  }];
  let arguments = (ins AnyType:$base, Variadic<Index>:$starts, DenseI64ArrayAttr:$extents, OptionalAttr<StrAttr>:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$base `[` $starts `]` $extents ($name^)? attr-dict `:` type($base) `->` type($result)";
  let hasVerifier = 1;
}
def Tir_RingOp : Tir_Op<"ring"> {
  let summary = "a staged buffer of several slots";
  let description = [{
    `ab_stages = (T.tensor_view(...), T.tensor_view(...))`. Example: `%ring = tir.ring "ab_stages"(%0, %1 : ...) -> <2 x ...>`. The verifier
    holds that the slots have one type and share no byte.
  }];
  let arguments = (ins Variadic<AnyType>:$slots, StrAttr:$name);
  let results = (outs Tir_RingType:$result);
  let assemblyFormat = "$name `(` $slots `:` type($slots) `)` attr-dict `->` type($result)";
  let hasVerifier = 1;
}
def Tir_SlotOp : Tir_Op<"slot"> {
  let summary = "one slot of a ring";
  let description = [{`ab_stages[(k // 64) % 2]`. Example: `%slot = tir.slot %ring[%i] : <2 x ...> -> ...`. The index is inside the ring.}];
  let arguments = (ins Tir_RingType:$ring, Index:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

// ---- work -----------------------------------------------------------------------------------------------------------------------------
def Tir_CallOp : Tir_Op<"call"> {
  let summary = "one instruction";
  let description = [{
    `T.copy(value, out)`; `instruction` has its name and its parameters in printed order. Example:
    `tir.call {instruction = "T.copy", parameters = []}(%value, %out : ...)`. The verifier holds that the instruction is known, that the operands are as
    many as it takes, and that each lives where the instruction reaches it.
  }];
  let arguments = (ins Variadic<AnyType>:$operands, DictionaryAttr:$instruction);
  let assemblyFormat = "$instruction `(` ($operands^ `:` type($operands))? `)` attr-dict";
  let hasVerifier = 1;
}
def Tir_InvokeOp : Tir_Op<"invoke"> {
  let summary = "runs another function of the kernel";
  let description = [{
    `twice(x, out)`: inputs, then the buffers that it writes. Example: `tir.invoke "twice"(%x, %out : ...)`. The verifier holds that the callee stands
    above and that buffers fit its parameters.
  }];
  let arguments = (ins Variadic<AnyType>:$operands, StrAttr:$callee);
  let assemblyFormat = "$callee `(` ($operands^ `:` type($operands))? `)` attr-dict";
  let hasVerifier = 1;
}

// ---- index arithmetic: never folded, it prints as it stands ---------------------------------------------------------------------------
def Tir_ConstantOp : Tir_Op<"constant", [AllTypesMatch<["value", "result"]>]> {
  let summary = "a literal: an index, or the value of a fill";
  let description = [{Example: `%zero = tir.constant 0.000000e+00 : f64`.}];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict";
}
def Tir_LoadOp : Tir_Op<"load"> {
  let summary = "the integer in a scalar buffer, as an index";
  let description = [{`stage_counter` in `ring[stage_counter % 3]`. Example: `%i = tir.load %counter : !hir.tensor<...>`. The buffer has no axes.}];
  let arguments = (ins AnyType:$buffer);
  let results = (outs Index:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}
class Tir_Binary<string mnemonic, string text, string dsl> : Tir_Op<mnemonic> {
  let summary = text;
  let description = "`" # dsl # "`. Example: `%c = tir." # mnemonic # " %a, %b`.";
  let arguments = (ins Index:$left, Index:$right);
  let results = (outs Index:$result);
  let assemblyFormat = "$left `,` $right attr-dict";
}
def Tir_AddOp : Tir_Binary<"add", "sum of indices", "a + b">;
def Tir_SubOp : Tir_Binary<"sub", "difference of indices", "a - b">;
def Tir_MulOp : Tir_Binary<"mul", "product of indices", "a * b">;
def Tir_FloorDivOp : Tir_Binary<"floor_div", "quotient of indices, rounded towards minus infinity", "a // b">;
def Tir_ModOp : Tir_Binary<"mod", "remainder of floor division", "a % b">;
def Tir_MinOp : Tir_Binary<"min", "the lesser index", "min(a, b)">;
def Tir_MaxOp : Tir_Binary<"max", "the greater index", "max(a, b)">;
def Tir_NegOp : Tir_Op<"neg"> {
  let summary = "an index negated";
  let description = "`-a`. Example: `%b = tir.neg %a`.";
  let arguments = (ins Index:$operand);
  let results = (outs Index:$result);
  let assemblyFormat = "$operand attr-dict";
}
