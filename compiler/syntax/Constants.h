// The Python around a schedule, evaluated without running it: module-level statements in order, functions that build
// modules, classes as namespaces, and later the constant expressions inside function bodies. A bounded interpreter of a
// Python subset; what lies outside it is *unknown* with a reason and a place, never a guess.
//
// A call to a name that comes from `tilefoundry.*` (`Layout`, `Topology`, `CudaTarget`, `DimVar`, `Mesh`, `tf.zeros`, ...) is
// not evaluated here: it becomes an Opaque value with its callee's dotted name, evaluated arguments and node, which the
// importer interprets. A class under @module(...) becomes a ModuleValue; a function under @func or @prim_func a
// FunctionValue with its decorators, never called here.
//
// Limits: steps per file, integer bits, elements, call depth; each has its diagnostic. Thread rule: one Evaluation belongs to
// one thread; Values are immutable and shared.
#pragma once
#include "support/Cancel.h"
#include "syntax/Ast.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::syntax {

class BigInt; // Constants.cpp; small values never allocate
struct Value;
using ValueRef = std::shared_ptr<const Value>;
struct Scope;

/// A place in a file: an item's tree keeps its nodes alive.
struct Place {
  std::shared_ptr<const Tree> tree;
  Node node;
};

struct Unknown {
  std::string reason; // lower case: "`os.environ` is not evaluated"
  Place place;
};
/// A call, attribute or name of the DSL: `Layout((2, 4), (4, 1))` is {"Layout", args}; `T.cuda.sm90.Form.SS` is {"T.cuda.sm90.Form.SS", no call}.
struct Opaque {
  std::string callee;
  bool called = false;
  std::vector<ValueRef> arguments;
  std::vector<std::pair<std::string, ValueRef>> keywords;
  Place place;
};
/// An operator or subscript the evaluator does not own because an operand is Opaque: `Layout(...) | Swizzle(...)`, `8 @ m.x`, `Tensor[...]`.
struct OpaqueOperation {
  std::string op; // `|`, `@`, `+`, `[]`, ...
  std::vector<ValueRef> operands;
  Place place;
};
struct FunctionValue {
  std::string name;
  Place definition;                      // FunctionDef or Lambda
  std::shared_ptr<Scope> closure;
  std::vector<ValueRef> decorators;      // outermost first
  std::vector<ValueRef> defaults;        // by parameter, null where there is none
};
/// A class that is not a module: a namespace, a dataclass, an Enum.
struct ClassValue {
  std::string name;
  Place definition;
  std::shared_ptr<Scope> members;
  std::vector<ValueRef> decorators, bases;
};
struct InstanceValue {
  ValueRef type;
  std::map<std::string, ValueRef> fields;
};
/// A class under @module(...): the import unit.
struct ModuleValue {
  std::string name;
  Place definition;                      // ClassDef
  ValueRef decorator;                    // Opaque {"module", keywords entry, target, topologies, ...}
  std::shared_ptr<Scope> members;        // its functions, child modules, other names
  std::vector<std::string> order;        // member names in order of definition
};
struct BoundMethod { ValueRef self, function; };
struct Builtin { std::string name; };    // `range`, `math.ceil`, ...

struct Value {
  using List = std::vector<ValueRef>;
  struct Tuple { List elements; };
  struct ListOf { List elements; };
  struct SetOf { List elements; };
  struct Dict { std::vector<std::pair<ValueRef, ValueRef>> items; };
  struct NoneType {};
  struct EllipsisType {};
  struct Range { int64_t start, stop, step; };
  struct SliceOf { ValueRef start, stop, step; };

  std::variant<NoneType, bool, int64_t, std::shared_ptr<const BigInt>, double, std::string, Tuple, ListOf, SetOf, Dict, Range,
               SliceOf, EllipsisType, FunctionValue, ClassValue, InstanceValue, ModuleValue, BoundMethod, Builtin, Opaque,
               OpaqueOperation, Unknown>
      data;

  template <class T> const T *as() const { return std::get_if<T>(&data); }
  bool isUnknown() const { return as<Unknown>() != nullptr; }
  /// The integer if this is one (bool counts) and fits 64 bits.
  std::optional<int64_t> integer() const;
  std::optional<double> number() const;
  const std::string *string() const { return as<std::string>(); }
  /// Elements of a tuple or list.
  const List *sequence() const;
};

/// Python's repr, bounded to `limit` characters; hovers and messages use it.
std::string repr(const Value &value, size_t limit = 200);
/// Type name as Python says it: `int`, `str`, `tuple`.
std::string_view typeName(const Value &value);
/// A digest of everything a value consists of; equal values have equal digests. Function and class values hash their source text and
/// the values of the names they refer to.
uint64_t digest(const Value &value);

/// Names of one lexical level and where each was last bound.
struct Scope {
  std::shared_ptr<Scope> parent;
  std::map<std::string, ValueRef, std::less<>> names;
  std::map<std::string, Place, std::less<>> places;
  bool isClass = false; // skipped when functions inside look names up
  ValueRef find(std::string_view name) const; // through parents; null if absent
};

struct Limits {
  uint64_t steps = 2'000'000;
  uint64_t integerBits = 1u << 16;
  uint64_t elements = 1u << 18;
  int depth = 100;
};

/// What evaluating a file's top level gives.
struct Evaluation {
  std::shared_ptr<Scope> globals;
  /// Modules in order of creation, whether bound to a name or returned by a factory; `item` is the index of the item being
  /// evaluated when the class statement ran (for one made by a factory: the item that called it).
  struct Made { size_t item; ValueRef module; };
  std::vector<Made> modules;
  /// Functions under @func or @prim_func outside any module, likewise.
  std::vector<Made> functions;
  /// Per item: what went wrong in it, spans relative to that item.
  std::vector<std::vector<Diagnostic>> diagnostics;
  bool importsDsl = false;     // imports tilefoundry.dsl
  bool importsTirx = false;    // imports tvm_tirx / tvm.script tirx
};
Evaluation evaluate(const File &file, const CancelToken &cancel = {}, const Limits &limits = {});

/// Evaluates one expression in a scope. `local` answers names before the scope does (null: not local). Used by the importer for the
/// constant parts of a schedule: `GM * GN`, `2 * Cfg.tile`, dtype f-strings, `Layout(...)` arguments. Steps count against a limit of its own.
ValueRef evaluateExpression(Node expression, const std::shared_ptr<const Tree> &tree, const std::shared_ptr<Scope> &scope,
                            const std::function<ValueRef(std::string_view)> &local = {}, const Limits &limits = {});

/// Names of the surrounding scopes that code under `node` reads, sorted: the key of memoised results together with digest().
std::vector<std::string> freeNames(Node node);

ValueRef makeInt(int64_t value);
ValueRef makeString(std::string value);
ValueRef makeUnknown(std::string reason, Place place);

} // namespace tilewright::syntax
