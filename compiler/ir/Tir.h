// TIR as plain data: settled buffers, views, instructions. Finalize makes it from a plan, ImportTir reads it from the DSL, PrintTir spells
// it, the MLIR dialect `tir` carries the same information (TirToMlir converts both ways; its verifiers are the rules of the form).
// Statements run in order. Every name is a Value; expressions refer to values by number, never by text.
// Invariants:
// - A value is defined once, by a parameter, a statement or a loop, before its uses and in an enclosing block; a ring is defined whole.
// - `names` are unique within a function.
// Thread rule: immutable once built.
#pragma once
#include "instruction/Instruction.h"
#include "support/Source.h"
#include "target/Target.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::ir::tir {

using instruction::Instruction;
using instruction::Storage;
using instruction::DType;
using instruction::TensorType;

using ValueId = int32_t;
using ScopeId = int32_t;
inline constexpr int32_t kNone = -1;

/// Index arithmetic: loop bounds, window starts, ring slots.
struct Expr {
  enum class Kind : uint8_t {
    Integer,    // integer
    Number,     // number: the value of a fill
    Value,      // value: a loop variable, a scalar buffer (stage_counter)
    Coordinate, // scope, axis: `cta.persistent`
    Add, Sub, Mul, FloorDiv, Mod, Min, Max, Neg,
  } kind = Kind::Integer;
  int64_t integer = 0;
  double number = 0;
  ValueId value = kNone;
  ScopeId scope = kNone;
  int axis = 0;
  std::vector<Expr> operands;
  bool operator==(const Expr &) const = default;
};

/// `start:start + extent` of one axis.
struct Range {
  Expr start;
  int64_t extent = 1;
  bool operator==(const Range &) const = default;
};

/// What an instruction or a view reads: a value, a slot of a ring, or a literal.
struct Operand {
  enum class Kind : uint8_t { Value, Slot, Integer, Number } kind = Kind::Value;
  ValueId value = kNone;      // Value: a buffer, view or parameter; Slot: the ring
  std::vector<Expr> slot;     // Slot: one expression
  int64_t integer = 0;
  double number = 0;
  bool operator==(const Operand &) const = default;
};

/// `T.tensor_view(...)`: a typed window. Over an address of shared memory, or over the elements of another value.
struct View {
  std::optional<int64_t> address;        // shared memory: byte address; else `base`
  Operand base;
  std::vector<Range> window;             // of `base`; empty: `T.ptr_of(base)`
  TensorType type;                       // shape, dtype, storage; layout stated
};

enum class ValueKind : uint8_t { Parameter, Buffer, View, Ring, LoopVariable };
struct Value {
  ValueKind kind = ValueKind::Buffer;
  std::string name;
  TensorType type;                       // of one slot for a ring
  bool output = false;                   // Parameter: the function writes it
};

struct Statement;
using Block = std::vector<Statement>;

enum class StatementKind : uint8_t { Alloc, View, Ring, Call, FunctionCall, Loop, Scope };
struct Statement {
  StatementKind kind = StatementKind::Call;
  ValueId value = kNone;                 // Alloc, View, Ring, Loop (its variable): what it defines
  std::vector<View> views;               // View: one; Ring: one per slot
  Instruction instruction;               // Call: `T.copy`, with its printed parameters
  std::vector<Operand> operands;         // Call, FunctionCall
  int callee = kNone;                    // FunctionCall
  Expr start, stop, step;                // Loop
  ScopeId scope = kNone;                 // Scope
  Block body;                            // Loop, Scope
  Span span;                             // of the authored statement it comes from, relative to `item` of its function; empty: none
};

/// A mesh scope. `mesh` is the composed mesh as its own level sees it; how the header spells it is stated, because a selection and a full mesh
/// can be the same units.
struct Scope {
  std::string name;                      // `cta`, `scope_1`
  std::shared_ptr<const layout::Mesh> mesh;
  enum class Spelling : uint8_t { Full, Slice, Refactored } spelling = Spelling::Full;
  ScopeId of = kNone;                    // Slice, Refactored: the scope that is sliced
  std::vector<layout::AxisRange> ranges; // one per axis of `of`; a Slice without any is all of it, opened again: `with scope as scope_1`
};

struct Function {
  std::string name;
  std::vector<ValueId> parameters;       // inputs, scratch, outputs
  int outputs = 1;
  std::vector<Value> values;
  std::vector<Scope> scopes;
  Block body;
  size_t item = 0;                       // top-level item of the authored function
  const Value &at(ValueId id) const { return values[static_cast<size_t>(id)]; }
};

/// A finalized entry and every function it reaches, callees first; the root is the last.
struct Program {
  std::string module;                    // of the root; printed when a helper is called
  const target::Target *target = nullptr;
  std::vector<layout::Topology> topologies;
  std::vector<Function> functions;
};

/// One printed line, or the lines of one ring; `span` as in Statement, of the statement it belongs to.
struct PrintedLine {
  std::string text;
  int function = kNone;
  Span span;
};
/// The program as DSL text, `from __future__ ...` to the end; `header` (comment lines without indentation) stands above the root function.
std::vector<PrintedLine> print(const Program &program, const std::vector<std::string> &header);

} // namespace tilewright::ir::tir
