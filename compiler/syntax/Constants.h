// The Python around a schedule, evaluated without running it: module-level statements in order, functions that build
// modules, classes as namespaces, and later the constant expressions inside function bodies. A bounded interpreter of a
// Python subset; what lies outside it is *unknown* with a reason and a place, never a guess.
//
// A call to a name that comes from `tilefoundry.*` (`Layout`, `Topology`, `CudaTarget`, `DimVar`, `Mesh`, `tf.zeros`, ...) is
// not evaluated here: it becomes an Opaque value with its callee's dotted name, evaluated arguments and node, which the
// importer interprets. A class under @module(...) becomes a ModuleValue; a function under @func or @prim_func a
// FunctionValue with its decorators, never called here.
//
// Aliasing: a list, dict, set or instance is one shared Value that the evaluation which made it changes in place, so two names
// for one list see one list. When that evaluation ends the Value never changes again: a later evaluateExpression reads it, and
// an attempt to change it gives Unknown. Arguments of an Opaque are copied when it is made.
//
// An error of Python's ends the statement, not the file: names it would have bound become Unknown with the error's reason, the
// diagnostic and Evaluation::raised say where Python would have stopped, and the rest is still evaluated, so that an editor
// keeps its hints while one constant is half typed.
//
// Limits: steps per file, integer bits, elements, call depth; each has its diagnostic. Thread rule: one Evaluation belongs to
// one thread; Values are immutable and shared. Scopes are emptied when the last copy of the Evaluation that made them goes, so
// whoever keeps functions, classes or modules keeps the Evaluation.
#pragma once
#include "support/Cancel.h"
#include "support/Diagnostic.h"
#include "syntax/Ast.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace tilewright::syntax {

class BigInt; // BigInt.h; what fits int64_t is never a BigInt
class Cursor; // Cursor.h: the position of a Python iterator
struct HashIndex; // of a large dict or set
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
  /// Why: UnknownValue, or the code of an error or limit of which evaluate() has given the diagnostic already.
  Code code;
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
  std::vector<ValueRef> defaults;        // by Parameter node (markers `/` and `*` included), null where there is none
};
/// A class that is not a module: a namespace, a dataclass, an Enum.
struct ClassValue {
  enum class Flavor : uint8_t { Plain, Dataclass, Enum, IntEnum, StrEnum, NamedTuple };
  struct Field {
    std::string name;
    ValueRef value;       // default, null if there is none
    bool factory = false; // the default is made by calling `value`
    bool init = true, keywordOnly = false, inRepr = true, compared = true;
  };
  std::string name;
  Place definition;
  std::shared_ptr<Scope> members;
  std::vector<ValueRef> decorators, bases;
  Flavor flavor = Flavor::Plain;
  std::vector<Field> fields;     // of a dataclass or named tuple, inherited ones first
  std::vector<ValueRef> elements; // of an enumeration, in order; aliases left out
  bool frozen = false, ordered = false, comparable = true, initialized = true; // of a dataclass
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
struct Iterator { std::shared_ptr<Cursor> cursor; }; // zip(), map(), a generator expression, ...

struct Value {
  using List = std::vector<ValueRef>;
  struct Tuple {
    List elements;
    ValueRef type = nullptr; // the class of a named tuple
  };
  struct ListOf { List elements; };
  struct SetOf {
    List elements; // in order of insertion, which is not the order of iteration
    bool frozen = false;
    std::shared_ptr<HashIndex> index = nullptr;
  };
  struct Dict {
    std::vector<std::pair<ValueRef, ValueRef>> items;
    std::shared_ptr<HashIndex> index = nullptr;
  };
  /// What keys(), values() and items() give.
  struct View {
    enum Part : uint8_t { Keys, Values, Items } part;
    ValueRef dict;
  };
  struct NoneType {};
  struct EllipsisType {};
  struct Range { int64_t start, stop, step; };
  struct SliceOf { ValueRef start, stop, step; };

  std::variant<NoneType, bool, int64_t, std::shared_ptr<const BigInt>, double, std::string, Tuple, ListOf, SetOf, Dict, Range,
               SliceOf, EllipsisType, FunctionValue, ClassValue, InstanceValue, ModuleValue, BoundMethod, Builtin, Opaque,
               OpaqueOperation, Unknown, Iterator, View>
      data;
  uint32_t depth = 0; // of nesting, bounded so that readers may recurse
  uint64_t owner = 0; // the evaluation that may change a list, dict, set or instance

  Value() = default;
  template <class T>
    requires(!std::is_same_v<T, Value>)
  explicit Value(T part) : data(std::move(part)) {}

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
  /// Of a file's globals: names bound nowhere are the DSL's (`from tilefoundry.dsl import *`), or anything's (`from x import *`).
  bool starDsl = false;
  std::string starUnknown; // the module of such an import, "" if there is none
  bool broken = false;     // a statement of the file is not Python: a name bound nowhere may be its
  uint64_t owner = 0;      // the evaluation that may bind names here
  /// The value code in this scope reads: here, then in the parents that are not classes; null if absent.
  ValueRef find(std::string_view name) const;
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
  /// The item at which Python would have stopped, if one raises.
  std::optional<size_t> raised;
  /// Keeps the scopes alive; empties them, and so breaks their cycles, with the last copy.
  std::shared_ptr<void> scopes;
};
Evaluation evaluate(const File &file, const CancelToken &cancel = {}, const Limits &limits = {});

/// Evaluates one expression in a scope. `local` answers names before the scope does (null: not local). Used by the importer for the
/// constant parts of a schedule: `GM * GN`, `2 * Cfg.tile`, dtype f-strings, `Layout(...)` arguments. Steps count against a limit of its own.
/// Never null: what raises or exceeds a limit is an Unknown with that code. Names of a class scope are seen only if `scope` is that scope
/// itself; for code in the body of a function pass bodyScope().
ValueRef evaluateExpression(Node expression, const std::shared_ptr<const Tree> &tree, const std::shared_ptr<Scope> &scope,
                            const std::function<ValueRef(std::string_view)> &local = {}, const Limits &limits = {});

/// The scope whose names the body of a function sees: its closure, or the scope around the class it is defined in.
std::shared_ptr<Scope> bodyScope(const FunctionValue &function);

/// Names of the surrounding scopes that code under `node` reads, sorted: the key of memoised results together with digest().
std::vector<std::string> freeNames(Node node);

ValueRef makeInt(int64_t value);
ValueRef makeString(std::string value);
ValueRef makeUnknown(std::string reason, Place place);

} // namespace tilewright::syntax
