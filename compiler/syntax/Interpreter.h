// The evaluator behind Constants.h: one Interpreter runs one evaluate() or evaluateExpression(). Private to this folder.
//
// Python's exceptions travel as the C++ exception Raised, from the operation to the `try` statement or the top-level item; the
// limits and "this cannot be known" travel likewise. None of them leaves Constants.cpp.
//
// Its parts: Constants.cpp (entry points, items, limits), Imports.cpp, Statements.cpp, Poison.cpp (what a statement that is not
// run would have changed), Expressions.cpp, Operators.cpp, Equality.cpp, Subscripts.cpp, Calls.cpp, Attributes.cpp, Classes.cpp,
// Cursors.cpp, Builtins.cpp, Library.cpp (math, functools, itertools, operator), Strings.cpp, Containers.cpp, Text.cpp (repr
// and format). Value.cpp and FreeNames.cpp need no Interpreter.
#pragma once
#include "support/Codes.h"
#include "syntax/BigInt.h"
#include "syntax/Cursor.h"

#include <set>
#include <unordered_map>

namespace tilewright::syntax {

using List = Value::List;

struct Raised {
  ValueRef exception; // an instance: InstanceValue whose type is a Builtin or ClassValue
  Place place;
};
struct LimitHit {
  Code code;
  std::string reason;
  Place place;
};
/// The operation under way depends on a value that is not known; the innermost expression becomes that Unknown.
struct Undetermined {
  ValueRef unknown;
};
struct Cancelled {};

/// How a statement ended. Lost: control depends on an unknown test, so what follows in this loop or function may not run.
enum class Flow : uint8_t { Normal, Break, Continue, Return, Lost };

/// What the names of a function body mean; computed once per definition.
struct FunctionShape {
  std::vector<std::string_view> locals; // sorted
  std::set<std::string_view> globals, nonlocals;
  bool generator = false;
  bool isLocal(std::string_view name) const;
};

/// One activation: module level, a class body, or a function.
struct Frame {
  std::shared_ptr<Scope> scope;
  std::shared_ptr<const Tree> tree;
  const FunctionShape *shape = nullptr; // null outside functions
  Scope *home = nullptr;                // where statements bind: `scope` without those of comprehensions
  ValueRef owner, self;                 // for super()
  ValueRef result;                      // of `return`
  List *yields = nullptr;
  bool module = false;                  // the body of a class under @module
  Frame *caller = nullptr;
  ValueRef handled;                     // the exception an `except` block runs for
};

struct Arguments {
  List positional;
  std::vector<std::pair<std::string, ValueRef>> keywords;
  ValueRef keyword(std::string_view name) const;
};

/// Owns what could form cycles or deep chains: scopes closed over, containers and instances put into others.
struct Keeper {
  std::vector<std::shared_ptr<Scope>> scopes;
  List containers;
  ~Keeper();
};

struct HashIndex {
  std::unordered_multimap<uint64_t, uint32_t> places;
};

struct Number {
  enum Kind : uint8_t { Small, Big, Float } kind;
  int64_t small = 0;
  const BigInt *big = nullptr;
  double real = 0;
  BigInt wide() const { return kind == Big ? *big : BigInt(small); }
};

inline constexpr uint32_t kDeepestValue = 150;
inline constexpr int kDeepestNesting = 1500; // nested evaluations, so that a thread's stack suffices

class Interpreter {
public:
  Interpreter(const Limits &limits, const CancelToken *cancel);

  // ---- set up by Constants.cpp
  Evaluation *out = nullptr; // null for evaluateExpression
  size_t item = 0;
  std::shared_ptr<Keeper> keeper;
  const std::function<ValueRef(std::string_view)> *local = nullptr;
  Scope *expression = nullptr; // the scope that `local` answers for
  Frame *frame = nullptr;
  uint64_t id; // Value::owner of what this evaluation makes

  // ---- limits and errors
  void step() { ++steps_ >= poll_ ? pollLimits() : void(); }
  void charge(uint64_t work);
  void checkElements(uint64_t count);
  void checkBits(uint64_t bits);
  Place here() const { return {frame ? frame->tree : nullptr, at}; }
  [[noreturn]] void raise(std::string_view type, std::string message);
  [[noreturn]] void raiseValue(ValueRef exception);
  [[noreturn]] void limit(Code code, std::string reason);
  [[noreturn]] void unknown(std::string reason);
  void limitSteps(uint64_t more);
  /// Unknown about the place evaluated now.
  ValueRef unknownHere(std::string reason);
  Node at;                 // what is evaluated now
  int nesting = 0, calls = 0, handlers = 0; // handlers: `try` statements under way

  // ---- making values
  template <class T> std::shared_ptr<Value> make(T part) {
    auto value = std::make_shared<Value>(std::move(part));
    value->owner = id;
    return value;
  }
  ValueRef integer(BigInt value);
  ValueRef tuple(List elements);
  ValueRef list(List elements);
  ValueRef pair(ValueRef a, ValueRef b);
  ValueRef dict(std::vector<std::pair<ValueRef, ValueRef>> items);
  ValueRef iterator(CursorRef cursor, std::string_view kind, uint32_t depth);
  void nest(Value &value, uint32_t child); // checks kDeepestValue
  /// The value to change in place; refuses what another evaluation made.
  Value &changing(const ValueRef &value);
  void holds(const ValueRef &container, const ValueRef &element); // after putting `element` into `container`

  // ---- statements
  Flow block(Node block);
  Flow exec(Node statement);
  void assign(Node target, const ValueRef &value);
  void bind(std::string_view name, ValueRef value, Node node);
  Scope *root() const; // the globals
  /// What `node`, which is not run, could have changed becomes `reason`.
  void poison(Node node, const ValueRef &reason);
  /// The container or instance, and what it holds, is no longer known.
  void taint(const ValueRef &value, const ValueRef &reason, int depth = 0);
  ValueRef functionValue(Node definition, List decorators);

  // ---- expressions
  ValueRef eval(Node expression);
  ValueRef lookup(std::string_view name);
  ValueRef lookupOrNull(std::string_view name);
  bool truth(const ValueRef &value); // throws Undetermined
  std::string formatValue(const ValueRef &value, std::string_view spec);

  // ---- operators
  ValueRef binary(std::string_view op, const ValueRef &left, const ValueRef &right, bool inPlace = false);
  ValueRef unary(std::string_view op, const ValueRef &operand);
  ValueRef compare(std::string_view op, const ValueRef &left, const ValueRef &right);
  ValueRef power(const ValueRef &base, const ValueRef &exponent, const ValueRef &modulus);
  bool equals(const ValueRef &a, const ValueRef &b);
  bool less(const ValueRef &a, const ValueRef &b);
  uint64_t hash(const ValueRef &value);
  bool contains(const ValueRef &container, const ValueRef &element);
  static bool same(const Value &a, const Value &b); // `is`

  // ---- subscripts
  ValueRef subscript(const ValueRef &object, const ValueRef &index);
  void setSubscript(const ValueRef &object, const ValueRef &index, const ValueRef &value);
  void deleteSubscript(const ValueRef &object, const ValueRef &index);
  struct Bounds { int64_t start, stop, step, count; };
  Bounds bounds(const Value::SliceOf &slice, int64_t size);

  // ---- dicts and sets
  ptrdiff_t findKey(const Value::Dict &dict, const ValueRef &key);
  void setKey(const ValueRef &dict, const ValueRef &key, const ValueRef &value);
  void eraseKey(const ValueRef &dict, size_t at);
  ptrdiff_t findElement(const Value::SetOf &set, const ValueRef &element);
  void addElement(Value &set, const ValueRef &element);
  ValueRef setOf(const List &elements, bool frozen = false);
  /// Elements of a set in the order in which Python would give them; throws Undetermined where that is not fixed.
  List setOrder(const ValueRef &set);

  // ---- iteration
  CursorRef iterate(const ValueRef &value);
  List items(const ValueRef &value);
  std::optional<uint64_t> length(const ValueRef &value); // nullopt: it has none
  CursorRef comprehensionCursor(Node comprehension, ValueRef first);
  void runComprehension(Node comprehension, const std::function<void()> &body);

  // ---- calls
  ValueRef call(const ValueRef &callee, Arguments arguments);
  ValueRef call(const ValueRef &callee, List positional) { return call(callee, Arguments{std::move(positional), {}}); }
  ValueRef callFunction(const ValueRef &function, Arguments arguments, ValueRef owner = nullptr);
  ValueRef instantiate(const ValueRef &type, Arguments arguments);
  ValueRef callBuiltin(const std::string &name, Arguments &arguments);
  std::optional<ValueRef> callLibrary(std::string_view name, Arguments &arguments);
  ValueRef callMethod(const ValueRef &self, std::string_view method, Arguments &arguments);
  ValueRef stringMethod(const std::string &self, std::string_view method, Arguments &arguments);
  ValueRef listMethod(const ValueRef &self, std::string_view method, Arguments &arguments);
  ValueRef dictMethod(const ValueRef &self, std::string_view method, Arguments &arguments);
  ValueRef setMethod(const ValueRef &self, std::string_view method, Arguments &arguments);
  const FunctionShape &shapeOf(const Place &definition);
  /// Arguments by parameter name; raises TypeError on excess. A missing one is null.
  std::vector<ValueRef> take(Arguments &arguments, std::string_view function, std::initializer_list<std::string_view> names,
                             size_t required);

  // ---- attributes and classes
  ValueRef attribute(const ValueRef &object, std::string_view name);
  ValueRef attributeOrNull(const ValueRef &object, std::string_view name); // null: AttributeError
  void setAttribute(const ValueRef &object, std::string_view name, const ValueRef &value);
  void deleteAttribute(const ValueRef &object, std::string_view name);
  /// Through the class and its bases; `owner` becomes the class it was found in.
  ValueRef classAttribute(const ValueRef &type, std::string_view name, ValueRef *owner = nullptr);
  ValueRef bindMember(const ValueRef &member, const ValueRef &owner, const ValueRef &type, const ValueRef &instance);
  /// The special method of an instance, bound, or null.
  ValueRef special(const ValueRef &instance, std::string_view name);
  std::vector<ValueRef> resolution(const ValueRef &type); // method resolution order
  bool isSubclass(const ValueRef &type, const ValueRef &base);
  bool isInstance(const ValueRef &value, const ValueRef &type);
  ValueRef typeOf(const ValueRef &value);
  void defineClass(Node definition);
  ValueRef dataclass(const ValueRef &type, const Arguments &options);
  ValueRef namedTupleType(std::string name, std::vector<ClassValue::Field> fields);
  ValueRef enumeration(const ValueRef &type, const std::vector<std::string> &order);
  ValueRef exception(std::string_view type, std::string message);

  // ---- imports and names
  void importModules(Node statement);
  void importNames(Node statement);
  ValueRef builtinNamed(std::string_view name); // null if there is none
  ValueRef libraryAttribute(const std::string &module, std::string_view name);

  // ---- text
  std::string str(const ValueRef &value);
  std::string reprText(const ValueRef &value);
  std::string formatNumber(const Number &number, const ValueRef &value, std::string_view spec);
  std::string percentFormat(const std::string &format, const ValueRef &values);
  std::string formatString(const std::string &format, Arguments &arguments);

  // ---- conversions
  std::optional<Number> number(const Value &value) const;
  int64_t index(const ValueRef &value, std::string_view what = {}); // an integer that fits, else TypeError or OverflowError
  double real(const ValueRef &value, std::string_view what);
  const std::string &text(const ValueRef &value, std::string_view what);
  ValueRef roundNumber(const ValueRef &value, const ValueRef &digits);
  ValueRef parseInteger(std::string_view text, int base);
  ValueRef trueDivide(const Number &a, const Number &b);

private:
  void pollLimits();
  ValueRef evalCall(Node node);
  ValueRef evalSubscript(Node node);
  ValueRef evalCompare(Node node);
  ValueRef evalComprehension(Node node);
  ValueRef evalString(Node node);
  ValueRef evalFString(Node node);
  ValueRef evalNumber(Node node);
  ValueRef evalDict(Node node);
  ValueRef evalIndex(Node subscript);
  ValueRef evalSlice(Node node);
  List evalElements(Node parent);
  ValueRef dispatch(Node node);
  Flow execute(Node node);
  Flow execFor(Node node);
  Flow execWhile(Node node);
  Flow execIf(Node node);
  Flow execTry(Node node);
  Flow runHandlers(Node node, Raised &raised);
  Flow execWith(Node node);
  Flow skip(Node node, const ValueRef &reason);
  /// May control leave `node` other than by its end? Breaks of loops inside it do not count.
  bool loses(Node node, bool insideLoop = false) const;
  void unpack(Node target, const ValueRef &value);
  void augment(Node node);
  void remove(Node target);
  void defineFunction(Node node);
  void poisonTarget(Node target, const ValueRef &reason);
  void poisonFunction(const ValueRef &function, const ValueRef &reason);
  ValueRef arithmetic(char op, bool twice, const Number &a, const Number &b);
  ValueRef opaqueOperation(std::string_view op, List operands);
  ValueRef snapshot(const ValueRef &value, int depth = 0);
  ValueRef callOpaque(const ValueRef &callee, Arguments arguments);
  ValueRef decorate(ValueRef value, const List &decorators, size_t from);
  void runClauses(const std::vector<Node> &clauses, size_t at, ValueRef first, const std::function<void()> &body);
  int order(std::string_view op, const ValueRef &a, const ValueRef &b, bool &ordered);

  Limits limits_;
  const CancelToken *cancel_;
  uint64_t steps_ = 0, poll_ = 0;
  std::map<std::pair<const Tree *, uint32_t>, FunctionShape> shapes_;
  std::vector<const Value *> poisoned_; // functions whose bodies are being poisoned
  uint64_t doubts_ = 0;                 // how often something came out unknown: it might have raised instead
  int reading_ = 0;                     // a container is being printed: nothing may change
  friend class ComprehensionCursor;
};

/// Counts nested evaluations.
struct Nested {
  explicit Nested(Interpreter &interpreter) : interpreter(interpreter) {
    if (++interpreter.nesting > kDeepestNesting) {
      --interpreter.nesting;
      interpreter.limit(Code::DepthLimit, "evaluation nests deeper than tilewright follows");
    }
  }
  ~Nested() { --interpreter.nesting; }
  Interpreter &interpreter;
};

// ---- values without an Interpreter (Value.cpp)
ValueRef none();
ValueRef boolean(bool value);
ValueRef makeFloat(double value);
ValueRef ellipsis();
bool isNone(const ValueRef &value);
bool isOpaque(const Value &value); // Opaque or OpaqueOperation
bool isDslName(std::string_view name);
bool isBuiltinType(std::string_view name);
/// Is this a decorator that makes a class a module, or a function a schedule?
bool isModuleDecorator(const Value &value);
bool isScheduleDecorator(const Value &value);
std::string floatText(double value);
/// Code points of UTF-8 text.
std::u32string decode(std::string_view text);
std::string encode(std::u32string_view text);
bool isAscii(std::string_view text);
std::string quoted(std::string_view text);
std::string describe(Node node); // the source text, shortened, in backticks

/// Text of a value as `repr` gives it, up to `limit` characters; `hook` may answer for an instance.
struct ReprWriter {
  std::string out;
  size_t limit;
  std::function<std::optional<std::string>(const ValueRef &)> hook;
  std::vector<const Value *> open;
  bool full() const { return out.size() > limit; }
  void write(const Value &value, const ValueRef *shared = nullptr);
  void write(const ValueRef &value);
};

/// Names that `node` binds in the scope it belongs to, inner functions and classes not entered.
struct Bindings {
  std::set<std::string_view> names, globals, nonlocals;
  bool generator = false;
  void collect(Node node);
  void target(Node node);
};

} // namespace tilewright::syntax
