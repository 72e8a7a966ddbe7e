// The plan of a function: what its returned value needs, in the order in which the reports list it. Computed once from the MLIR
// function by buildPlan (Demand.cpp); the printer, every analysis, finalize and the editor read it. Plain data, so nothing of MLIR
// outlives the analysis that made it.
//
// Order is operands first, depth first, from the returned value; statements the value does not reach are not here. Every value consumes
// a number in that order, literals and index tuples included; a value without an authored name is called v<number>.
#pragma once
#include "ir/Attributes.h"
#include "ir/OpTable.h"
#include "support/Source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::ir {

using ValueId = int32_t;
using RegionId = int32_t;
inline constexpr int32_t kNone = -1;

enum class ValueKind : uint8_t {
  Parameter,  // of the function
  Constant,   // literal or module constant: `integer` or `number`
  Coordinate, // position on a mesh axis: `mesh.bm` (its axis index is a Constant operand)
  Induction,  // loop variable
  Carry,      // carried value inside the loop
  LoopResult, // carried value after the loop; one per carry
  Tuple,      // operands are the elements: index tuples and tuple results
  TupleItem,  // operands[0][item]
  DimArith,   // arithmetic of an inline index (`i * 64` in `x[i*64:i*64+64]`): costs nothing; `dim` holds the expression
  Op,         // `op` with operands and attributes
  Call,       // of functions[callee]
};

/// Arithmetic over coordinates and loop variables: loop bounds and inline index arithmetic.
struct DimExpr {
  enum class Kind : uint8_t { Constant, Value, Add, Sub, Mul, FloorDiv, Mod, Min, Max, Neg } kind = Kind::Constant;
  int64_t constant = 0;
  ValueId value = kNone;           // a Coordinate, Induction or other scalar value
  std::vector<DimExpr> operands;
};

struct PlanValue {
  ValueKind kind = ValueKind::Op;
  Op op = {};
  Type type;
  std::vector<ValueId> operands;
  Attributes attributes;
  int64_t integer = 0;             // Constant of i64 or i32
  double number = 0;               // Constant of f32
  int item = 0;                    // TupleItem
  int callee = kNone;              // Call
  DimExpr dim;                     // DimArith
  std::string axis;                // Coordinate: mesh axis name
  RegionId mesh = kNone;           // Coordinate: the Mesh region (or kFunctionMesh) it belongs to
  RegionId region = 0;             // the region whose body computes it
  int number_ = kNone;             // the v<k> number it consumed; kNone for those that consume none
  std::string name;                // as printed: authored or v<k>
  std::string authored;            // as written, however often the name is bound; "" for an expression without one
  bool printed = false;            // has a line of its own
  int line = 0;                    // of its line in the printed section, from 1 at `from __future__`; 0: none
  Span span;                       // of the authored statement or expression, relative to the item
  Span nameSpan;                   // of the authored name it is bound to, empty if none
  bool inlineIndex = false;        // part of an index tuple that prints inside its user
};

struct LoopCarry {
  std::string name;
  ValueId init = kNone, inside = kNone, yielded = kNone, result = kNone;
  bool renames = false; // the first value keeps its own name, so `name = init` prints before the loop; else it takes the carried name
};

enum class RegionKind : uint8_t { Function, Loop, Mesh };
struct PlanItem { // a step of a region: a value or a nested region
  ValueId value = kNone;
  RegionId region = kNone;
};
struct PlanRegion {
  RegionKind kind = RegionKind::Function;
  RegionId parent = kNone;
  std::vector<PlanItem> items;     // in printed order; index tuples and inlined literals included (printed == false)
  Span span;                       // of the authored `for` or `with` header, relative to the item
  int line = 0;                    // printed line of the header
  // Loop
  ValueId induction = kNone;
  std::string name;                // authored loop variable; printed alias of a mesh
  DimExpr start, stop, step;
  bool tile = false;               // prints as tf.tile
  std::vector<LoopCarry> carries;
  // Mesh, and Function under @func(mesh=...) or wrapped by one with-mesh
  std::shared_ptr<const layout::Mesh> mesh;
  RegionId selectedFrom = kNone;   // `with threads[0, :32]`: the region of the parent mesh
  std::string header;              // what prints between `with` and ` as alias:`
  std::string authoredName;        // the alias in the source
};

struct FunctionPlan {
  std::string module, name;        // `Module`, `function`
  std::string instance;            // child module instance path, "" for the module's own
  std::vector<ValueId> parameters;
  ValueId returned = kNone;
  bool annotatesReturn = true;
  std::vector<PlanValue> values;
  std::vector<PlanRegion> regions; // 0 is the function
  Span span;                       // of the def line's name, relative to the item
  size_t item = 0;                 // index of the top-level item that holds the definition
  const PlanValue &at(ValueId id) const { return values[static_cast<size_t>(id)]; }
};

/// An entry function and everything it reaches, root first in depth-first order.
struct Program {
  std::string module;              // of the root
  const target::Target *target = nullptr;
  std::vector<layout::Topology> topologies; // of the module, coarsest first
  std::vector<FunctionPlan> functions;      // 0 is the root
};

/// One line of a printed function; the comment is added by whoever has records.
struct PrintedLine {
  std::string text;                // with indentation, without comment or newline
  ValueId value = kNone;           // the value this line defines
  RegionId region = kNone;         // the region this line opens
};
/// `from __future__ ...` through `return ...`: the canonical DSL text of one function (HIR form).
std::vector<PrintedLine> printFunction(const Program &program, size_t function);
/// The type as the printed text spells it at a place inside `region` (mesh aliases depend on it).
std::string printType(const FunctionPlan &plan, const Type &type, RegionId region);
/// What makes a value, as one expression: operands by the names that the author gave them, those without one in full.
std::string printExpression(const Program &program, size_t function, ValueId value);
/// A loop bound in the normal form in which it prints, as the tree of its parentheses.
DimExpr normalBound(const Program &program, size_t function, const DimExpr &bound);

} // namespace tilewright::ir
