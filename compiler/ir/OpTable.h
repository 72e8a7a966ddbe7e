// Every HIR op in one place: its spelling, operands, attributes and type rule. The importer, the printer, hovers, completion and the
// documentation read these rows; the ODS definitions in HirOps.td carry the same mnemonics (a test compares the two).
//
// Adding an op: one TW_OP row in Ops.def, its signature and rule in the Ops*.cpp of its family, its ODS definition, and its work and
// access in analysis/.
#pragma once
#include "instruction/Advice.h"
#include "ir/Attributes.h"
#include "support/Diagnostic.h"
#include "target/Target.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::ir {

enum class Op : uint8_t {
#define TW_OP(Name, Mnemonic, Summary) Name,
#include "ir/Ops.def"
};

struct OperandSpec {
  std::string_view name;
  bool variadic = false;  // a sequence: concat([a, b]), stack
  bool optional = false;
  bool index = false;     // a tuple of i64 scalars: slice starts, insert_slice offsets
};
struct AttributeSpec {
  std::string_view name;
  enum class Kind : uint8_t { Int, Bool, Float, String, Ints, DType, Storage, Enum, Layout, Type, Instruction } kind;
  std::string_view enumType = {};                // Enum: `ReduceKind`
  std::vector<std::string_view> values = {};     // Enum: its members in lower case as authors write them
  std::optional<Attribute> defaultValue = {};    // absent: required
  enum class Print : uint8_t { Always, UnlessDefault } print = Print::UnlessDefault;
};

/// One use of an op, as its type rule sees it.
struct OpUse {
  Op op;
  std::vector<Type> operands;      // variadic operands flattened; an index operand is a tuple type
  std::vector<std::optional<std::vector<std::optional<int64_t>>>> constants; // per operand: values of index elements where literal
  Attributes attributes;           // complete: defaults filled in
};
struct InferContext {
  const target::Target *target = nullptr;
  std::shared_ptr<const layout::Mesh> mesh;                    // innermost scope, null outside any
  std::vector<std::shared_ptr<const layout::Mesh>> enclosing;  // all open scopes, outermost first
};
/// What a refusal of an instruction knows beyond its sentence; where its places are the importer knows.
struct InstructionRefusal {
  Code code;
  std::string parameter;     // of the instruction or its atom: the argument that is at fault
  bool allOperands = false;  // the operands together
  bool scope = false;        // the open mesh is part of it
  std::vector<instruction::Remedy> remedies;
};
/// The result type, or why there is none.
struct Inferred {
  Type type;
  std::string error;          // lower case; empty: fine
  int operand = -1;           // the operand or ...
  std::string attribute;      // ... attribute the error is about; neither: the whole call
  std::shared_ptr<const InstructionRefusal> refusal = {};
  bool failed() const { return !error.empty(); }
};
using InferRule = Inferred (*)(const OpUse &, const InferContext &);

struct OpSpec {
  Op op;
  std::string_view mnemonic;  // `matmul`: printed as tf.matmul
  std::string_view summary;
  std::vector<OperandSpec> operands;
  std::vector<AttributeSpec> attributes;
  InferRule infer;
  std::string_view family;    // "math", "nn", "shape", "tensor", "sharding", "schedule": groups for documentation
};
const OpSpec &spec(Op op);
std::span<const OpSpec> allOps();

/// A name under `tf.` as authors write it: `tf.square` is Op::Unary with kind=SQUARE; `tf.minimum` is Op::Min.
struct AuthoredOp {
  std::string_view name;
  Op op;
  Attributes fixed;
};
const AuthoredOp *authoredOp(std::string_view name);
std::span<const AuthoredOp> allAuthoredOps();

/// `tf.unary(x, kind="exp")` and `tf.binary(x, y, kind="add")` are the op named by the kind. The op of a kind with a mnemonic of its own;
/// null for the kinds that stay Op::Unary (its spec lists them) and for unknown ones. `family` is "unary" or "binary".
std::optional<Op> opOfKind(std::string_view family, std::string_view kind);

/// Infers with the row's rule.
Inferred infer(const OpUse &use, const InferContext &context);

} // namespace tilewright::ir
