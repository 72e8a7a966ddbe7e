// The parts of Python's standard library that constants use: math, functools, itertools, operator, collections, dataclasses,
// enum, copy. What is not here is unknown at its use.
#include "syntax/Interpreter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::syntax {

namespace {

using Handler = ValueRef (*)(Interpreter &, Arguments &);
using Self = Interpreter &;

double real(Self self, const ValueRef &value) { return self.real(value, "must be real number, not "); }

/// A function of one float; `domain` says where Python raises ValueError.
ValueRef ofFloat(Self self, Arguments &arguments, std::string_view name, double (*function)(double), bool (*domain)(double)) {
  double x = real(self, self.take(arguments, name, {"x"}, 1)[0]);
  if (std::isfinite(x) && !domain(x))
    self.raise("ValueError", "math domain error");
  double y = function(x);
  if (std::isinf(y) && std::isfinite(x))
    self.raise("OverflowError", "math range error");
  if (std::isnan(y) && !std::isnan(x))
    self.raise("ValueError", "math domain error");
  return makeFloat(y);
}

bool everywhere(double) { return true; }

/// Rounded to an integer: math.floor, math.ceil, math.trunc.
ValueRef rounded(Self self, Arguments &arguments, std::string_view name, double (*function)(double), const char *method) {
  ValueRef value = self.take(arguments, name, {"x"}, 1)[0];
  if (auto own = self.special(value, method))
    return self.call(own, List{});
  auto number = self.number(*value);
  if (number && number->kind != Number::Float)
    return self.integer(number->wide());
  double x = real(self, value);
  if (std::isnan(x))
    self.raise("ValueError", "cannot convert float NaN to integer");
  if (std::isinf(x))
    self.raise("OverflowError", "cannot convert float infinity to integer");
  return self.integer(BigInt::fromDouble(function(x)));
}

BigInt whole(Self self, const ValueRef &value) {
  if (value->isUnknown())
    throw Undetermined{value};
  auto number = self.number(*value);
  if (!number || number->kind == Number::Float) {
    if (isOpaque(*value))
      self.unknown(repr(*value, 40) + " is not a known integer");
    self.raise("TypeError", "'" + std::string(typeName(*value)) + "' object cannot be interpreted as an integer");
  }
  return number->wide();
}

BigInt magnitude(BigInt value) { return value.negative() ? -value : value; }

BigInt gcd(Self self, BigInt a, BigInt b) {
  BigInt quotient, remainder;
  while (!b.zero()) {
    self.charge((a.bits() / 32 + 1) * (b.bits() / 32 + 1) / 64 + 1);
    BigInt::floorDivide(a, b, quotient, remainder);
    a = std::move(b);
    b = std::move(remainder);
  }
  return a;
}

BigInt isqrt(Self self, const BigInt &n) {
  if (n.zero())
    return n;
  BigInt x = BigInt(1).shiftedLeft((n.bits() + 1) / 2), quotient, remainder;
  while (true) {
    self.charge((n.bits() / 32 + 1) * (n.bits() / 32 + 1) / 64 + 1);
    BigInt::floorDivide(n, x, quotient, remainder);
    BigInt y = (x + quotient).shiftedRight(1);
    if (y >= x)
      return x;
    x = std::move(y);
  }
}

/// log of any positive number, also of integers beyond the range of floats.
double logOf(Self self, const ValueRef &value, double (*function)(double)) {
  auto number = self.number(*value);
  if (number && number->kind == Number::Big && !number->big->negative() && number->big->bits() > 1000) {
    uint64_t shift = number->big->bits() - 100;
    return function(number->big->shiftedRight(shift).toDouble()) + static_cast<double>(shift) * function(2.0);
  }
  double x = real(self, value);
  if (x <= 0)
    self.raise("ValueError", "math domain error");
  return function(x);
}

struct ChainCursor final : Cursor {
  CursorRef outer, inner;
  ValueRef next(Interpreter &interpreter) override {
    Nested nested(interpreter);
    while (true) {
      interpreter.step();
      if (inner)
        if (ValueRef element = inner->next(interpreter))
          return element;
      ValueRef source = outer->next(interpreter);
      if (!source)
        return nullptr;
      inner = interpreter.iterate(source);
    }
  }
};

struct CountCursor final : Cursor {
  ValueRef at, by;
  ValueRef next(Interpreter &interpreter) override {
    ValueRef value = at;
    at = interpreter.binary("+", at, by);
    return value;
  }
};

struct RepeatCursor final : Cursor {
  List elements;
  size_t at = 0;
  std::optional<uint64_t> times; // of one element; none: for ever
  ValueRef next(Interpreter &interpreter) override {
    interpreter.step();
    if (elements.empty() || (times && *times == 0))
      return nullptr;
    if (times)
      --*times;
    ValueRef value = elements[at];
    at = (at + 1) % elements.size();
    return value;
  }
};

struct SliceCursor final : Cursor {
  CursorRef source;
  uint64_t at = 0, wanted, step;
  std::optional<uint64_t> stop;
  ValueRef next(Interpreter &interpreter) override {
    Nested nested(interpreter);
    if (stop && wanted >= *stop)
      return nullptr;
    ValueRef value;
    while (at <= wanted) {
      interpreter.step();
      value = source->next(interpreter);
      ++at;
      if (!value)
        return nullptr;
    }
    wanted += step;
    return value;
  }
};

struct WhileCursor final : Cursor { // takewhile and dropwhile
  ValueRef test;
  CursorRef source;
  bool take, done = false;
  ValueRef next(Interpreter &interpreter) override {
    Nested nested(interpreter);
    while (!(take && done)) {
      interpreter.step();
      ValueRef element = source->next(interpreter);
      if (!element || (!take && done))
        return element;
      bool holds = interpreter.truth(interpreter.call(test, List{element}));
      if (holds && take)
        return element;
      if (!holds) {
        done = true;
        if (!take)
          return element;
      }
    }
    return nullptr;
  }
};

ValueRef listed(Self self, List elements, std::string_view kind) {
  ValueRef held = self.list(std::move(elements));
  return self.iterator(self.iterate(held), kind, held->depth);
}

/// Rows of the combinatoric iterators, bounded before they are made.
struct Rows {
  Self self;
  List rows;
  void add(List row) {
    self.charge(row.size() / 2 + 1);
    self.checkElements(rows.size() + 1);
    rows.push_back(self.tuple(std::move(row)));
  }
};

ValueRef product(Self self, Arguments &arguments) {
  int64_t repeat = 1;
  for (const auto &[name, value] : arguments.keywords)
    if (name == "repeat")
      repeat = self.index(value);
  std::vector<List> pools;
  for (int64_t r = 0; r < repeat; ++r) {
    self.checkElements(pools.size() + arguments.positional.size());
    for (const ValueRef &pool : arguments.positional)
      pools.push_back(self.items(pool));
  }
  Rows rows{self, {}};
  uint64_t total = 1;
  for (const List &pool : pools) {
    if (__builtin_mul_overflow(total, pool.size(), &total))
      total = UINT64_MAX;
    if (pool.empty()) {
      total = 0;
      break;
    }
  }
  self.checkElements(total);
  if (total && !__builtin_mul_overflow(total, std::max<size_t>(1, pools.size()), &total))
    self.charge(total / 4);
  std::vector<size_t> at(pools.size());
  if (total)
    while (true) {
      List row;
      for (size_t i = 0; i < pools.size(); ++i)
        row.push_back(pools[i][at[i]]);
      rows.add(std::move(row));
      size_t i = pools.size();
      while (i && ++at[i - 1] == pools[i - 1].size())
        at[--i] = 0;
      if (i == 0)
        break;
    }
  return listed(self, std::move(rows.rows), "product");
}

enum class Choice { Permutations, Combinations, Repeated };

ValueRef choose(Self self, Arguments &arguments, std::string_view name, Choice choice) {
  auto values = self.take(arguments, name, {"iterable", "r"}, choice == Choice::Permutations ? 1 : 2);
  List pool = self.items(values[0]);
  auto size = static_cast<int64_t>(pool.size());
  int64_t r = values[1] && !isNone(values[1]) ? self.index(values[1]) : size;
  if (r < 0)
    self.raise("ValueError", "r must be non-negative");
  Rows rows{self, {}};
  if (r > size && choice != Choice::Repeated)
    return listed(self, {}, name);
  if (r > 1000)
    self.checkElements(UINT64_MAX);
  std::vector<size_t> at;
  List row;
  // Depth first without recursion: `at` is the path of indices.
  size_t next = 0;
  while (true) {
    self.step();
    if (static_cast<int64_t>(at.size()) == r) {
      row.clear();
      for (size_t i : at)
        row.push_back(pool[i]);
      rows.add(row);
    } else {
      while (choice == Choice::Permutations && next < pool.size() && std::find(at.begin(), at.end(), next) != at.end())
        ++next;
      if (next < pool.size()) {
        at.push_back(next);
        next = choice == Choice::Permutations ? 0 : choice == Choice::Combinations ? next + 1 : next;
        continue;
      }
    }
    if (at.empty())
      break;
    next = at.back() + 1;
    at.pop_back();
  }
  return listed(self, std::move(rows.rows), name);
}

ValueRef islice(Self self, Arguments &arguments) {
  size_t count = arguments.positional.size();
  if (count < 2 || count > 4)
    self.raise("TypeError", "islice expected at least 2 arguments, got " + std::to_string(count));
  auto part = [&](const ValueRef &value, int64_t absent) { return isNone(value) ? absent : self.index(value); };
  int64_t start = count > 2 ? part(arguments.positional[1], 0) : 0;
  int64_t stop = part(arguments.positional[count > 2 ? 2 : 1], -1);
  int64_t step = count > 3 ? part(arguments.positional[3], 1) : 1;
  bool open = isNone(arguments.positional[count > 2 ? 2 : 1]);
  if (start < 0 || (stop < 0 && !open) || step < 1)
    self.raise("ValueError", "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  auto cursor = std::make_shared<SliceCursor>();
  cursor->source = self.iterate(arguments.positional[0]);
  cursor->wanted = static_cast<uint64_t>(start);
  cursor->step = static_cast<uint64_t>(step);
  if (!open)
    cursor->stop = static_cast<uint64_t>(stop);
  return self.iterator(cursor, "islice", arguments.positional[0]->depth);
}

ValueRef field(Self self, Arguments &arguments) {
  auto made = self.make(InstanceValue{self.libraryAttribute("dataclasses", "Field"), {}});
  for (const auto &[name, value] : arguments.keywords) {
    std::get<InstanceValue>(made->data).fields[name] = value;
    self.holds(made, value);
  }
  return made;
}

ValueRef replaced(Self self, Arguments &arguments) {
  if (arguments.positional.size() != 1)
    self.raise("TypeError", "replace() takes 1 positional argument");
  const auto *instance = arguments.positional[0]->as<InstanceValue>();
  const auto *type = instance ? instance->type->as<ClassValue>() : nullptr;
  if (!type || type->flavor != ClassValue::Flavor::Dataclass)
    self.raise("TypeError", "replace() should be called on dataclass instances");
  Arguments made;
  for (const auto &entry : type->fields)
    if (entry.init) {
      ValueRef value = arguments.keyword(entry.name);
      if (!value)
        if (auto found = instance->fields.find(entry.name); found != instance->fields.end())
          value = found->second;
      if (value)
        made.keywords.emplace_back(entry.name, value);
    }
  for (const auto &[name, value] : arguments.keywords)
    if (!made.keyword(name))
      made.keywords.emplace_back(name, value);
  return self.instantiate(instance->type, std::move(made));
}

ValueRef plainData(Self self, const ValueRef &value, bool asDict) {
  Nested nested(self);
  self.step();
  const auto *instance = value->as<InstanceValue>();
  const auto *type = instance ? instance->type->as<ClassValue>() : nullptr;
  if (type && type->flavor == ClassValue::Flavor::Dataclass) {
    ValueRef made = self.dict({});
    List parts;
    for (const auto &entry : type->fields)
      if (auto found = instance->fields.find(entry.name); found != instance->fields.end()) {
        ValueRef part = plainData(self, found->second, asDict);
        if (asDict)
          self.setKey(made, makeString(entry.name), part);
        parts.push_back(part);
      }
    return asDict ? made : self.tuple(std::move(parts));
  }
  if (const auto *elements = value->sequence()) {
    List parts;
    for (const ValueRef &element : List(*elements))
      parts.push_back(plainData(self, element, asDict));
    return value->as<Value::ListOf>() ? self.list(std::move(parts)) : self.tuple(std::move(parts));
  }
  if (const auto *dict = value->as<Value::Dict>()) {
    ValueRef made = self.dict({});
    for (const auto &[key, held] : std::vector(dict->items))
      self.setKey(made, key, plainData(self, held, asDict));
    return made;
  }
  return value;
}

ValueRef copied(Self self, const ValueRef &value, bool deep) {
  Nested nested(self);
  self.step();
  auto inner = [&](const ValueRef &part) { return deep ? copied(self, part, true) : part; };
  if (value->isUnknown())
    return value;
  if (const auto *list = value->as<Value::ListOf>()) {
    List parts;
    for (const ValueRef &element : List(list->elements))
      parts.push_back(inner(element));
    return self.list(std::move(parts));
  }
  if (const auto *tuple = value->as<Value::Tuple>(); tuple && deep && !tuple->type) {
    List parts;
    for (const ValueRef &element : tuple->elements)
      parts.push_back(inner(element));
    return self.tuple(std::move(parts));
  }
  if (const auto *dict = value->as<Value::Dict>()) {
    ValueRef made = self.dict({});
    for (const auto &[key, held] : std::vector(dict->items))
      self.setKey(made, key, inner(held));
    return made;
  }
  if (const auto *set = value->as<Value::SetOf>())
    return self.setOf(set->elements, set->frozen);
  if (const auto *instance = value->as<InstanceValue>()) {
    const auto *type = instance->type->as<ClassValue>();
    if (!type || self.special(value, "__copy__") || self.special(value, "__deepcopy__"))
      self.unknown("a copy of " + repr(*value, 40) + " is not evaluated");
    if (type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum)
      return value;
    auto made = self.make(InstanceValue{instance->type, {}});
    for (const auto &[name, held] : std::map(instance->fields)) {
      ValueRef part = inner(held);
      std::get<InstanceValue>(made->data).fields[name] = part;
      self.holds(made, part);
    }
    return made;
  }
  if (value->as<Iterator>())
    self.unknown("a copy of an iterator is not evaluated");
  return value;
}

ValueRef namedtuple(Self self, Arguments &arguments) {
  auto values = self.take(arguments, "namedtuple", {"typename", "field_names", "rename", "defaults", "module"}, 2);
  std::vector<ClassValue::Field> fields;
  if (const auto *text = values[1]->string()) {
    std::string name;
    for (char c : *text + " ")
      if (c == ' ' || c == ',' || c == '\n' || c == '\t') {
        if (!name.empty())
          fields.push_back({name, nullptr});
        name.clear();
      } else
        name += c;
  } else
    for (const ValueRef &name : self.items(values[1]))
      fields.push_back({self.text(name, "Type names and field names must be strings"), nullptr});
  if (values[3] && !isNone(values[3])) {
    List defaults = self.items(values[3]);
    if (defaults.size() > fields.size())
      self.raise("TypeError", "Got more default values than field names");
    for (size_t i = 0; i < defaults.size(); ++i)
      fields[fields.size() - defaults.size() + i].value = defaults[i];
  }
  return self.namedTupleType(self.text(values[0], "typename must be a string"), std::move(fields));
}

ValueRef reduce(Self self, Arguments &arguments) {
  auto values = self.take(arguments, "reduce", {"function", "iterable", "initial"}, 2);
  auto cursor = self.iterate(values[1]);
  ValueRef total = values[2] ? values[2] : cursor->next(self);
  if (!total)
    self.raise("TypeError", "reduce() of empty iterable with no initial value");
  while (ValueRef element = cursor->next(self)) {
    self.step();
    total = self.call(values[0], List{total, element});
  }
  return total;
}

ValueRef partial(Self self, Arguments &arguments) {
  if (arguments.positional.empty())
    self.raise("TypeError", "type 'partial' takes at least one argument");
  ValueRef function = arguments.positional[0];
  List bound(arguments.positional.begin() + 1, arguments.positional.end());
  ValueRef keywords = self.dict({});
  for (const auto &[name, value] : arguments.keywords)
    self.setKey(keywords, makeString(name), value);
  ValueRef given = self.tuple(std::move(bound));
  auto made = self.make(InstanceValue{self.libraryAttribute("functools", "partial"), {{"func", function}, {"args", given}, {"keywords", keywords}}});
  self.nest(*made, std::max({function->depth, given->depth, keywords->depth}));
  return made;
}

template <int which> ValueRef operatorOf(Self self, Arguments &arguments) {
  static constexpr std::string_view ops[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@", "==", "!=", "<", "<=", ">", ">=", "is", "is not"};
  auto values = self.take(arguments, "operator", {"a", "b"}, 2);
  return which < 13 ? self.binary(ops[which], values[0], values[1]) : self.compare(ops[which], values[0], values[1]);
}

ValueRef same(Self, Arguments &arguments) { return arguments.positional.empty() ? none() : arguments.positional[0]; }

const std::unordered_map<std::string_view, Handler> &table() {
  static const std::unordered_map<std::string_view, Handler> handlers = {
      // ---- math
      {"math.ceil", [](Self self, Arguments &arguments) { return rounded(self, arguments, "ceil", std::ceil, "__ceil__"); }},
      {"math.floor", [](Self self, Arguments &arguments) { return rounded(self, arguments, "floor", std::floor, "__floor__"); }},
      {"math.trunc", [](Self self, Arguments &arguments) { return rounded(self, arguments, "trunc", std::trunc, "__trunc__"); }},
      {"math.sqrt", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "sqrt", std::sqrt, [](double x) { return x >= 0; }); }},
      {"math.exp", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "exp", std::exp, everywhere); }},
      {"math.exp2", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "exp2", std::exp2, everywhere); }},
      {"math.expm1", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "expm1", std::expm1, everywhere); }},
      {"math.cbrt", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "cbrt", std::cbrt, everywhere); }},
      {"math.log1p", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "log1p", std::log1p, [](double x) { return x > -1; }); }},
      {"math.sin", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "sin", std::sin, everywhere); }},
      {"math.cos", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "cos", std::cos, everywhere); }},
      {"math.tan", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "tan", std::tan, everywhere); }},
      {"math.asin", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "asin", std::asin, [](double x) { return x >= -1 && x <= 1; }); }},
      {"math.acos", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "acos", std::acos, [](double x) { return x >= -1 && x <= 1; }); }},
      {"math.atan", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "atan", std::atan, everywhere); }},
      {"math.sinh", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "sinh", std::sinh, everywhere); }},
      {"math.cosh", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "cosh", std::cosh, everywhere); }},
      {"math.tanh", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "tanh", std::tanh, everywhere); }},
      {"math.fabs", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "fabs", std::fabs, everywhere); }},
      {"math.degrees", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "degrees", [](double x) { return x * (180.0 / M_PI); }, everywhere); }},
      {"math.radians", [](Self self, Arguments &arguments) { return ofFloat(self, arguments, "radians", [](double x) { return x * (M_PI / 180.0); }, everywhere); }},
      {"math.log", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "log", {"x", "base"}, 1);
         double x = logOf(self, values[0], std::log);
         if (!values[1])
           return makeFloat(x);
         double base = logOf(self, values[1], std::log);
         if (base == 0)
           self.raise("ZeroDivisionError", "float division by zero");
         return makeFloat(x / base);
       }},
      {"math.log2", [](Self self, Arguments &arguments) { return makeFloat(logOf(self, self.take(arguments, "log2", {"x"}, 1)[0], std::log2)); }},
      {"math.log10", [](Self self, Arguments &arguments) { return makeFloat(logOf(self, self.take(arguments, "log10", {"x"}, 1)[0], std::log10)); }},
      {"math.pow", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "pow", {"x", "y"}, 2);
         double x = real(self, values[0]), y = real(self, values[1]), result = std::pow(x, y);
         if (std::isfinite(x) && std::isfinite(y)) {
           if (std::isnan(result) || (x == 0 && y < 0))
             self.raise("ValueError", "math domain error");
           if (std::isinf(result))
             self.raise("OverflowError", "math range error");
         }
         return makeFloat(result);
       }},
      {"math.fmod", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "fmod", {"x", "y"}, 2);
         double x = real(self, values[0]), y = real(self, values[1]);
         if (y == 0 || std::isinf(x))
           self.raise("ValueError", "math domain error");
         return makeFloat(std::fmod(x, y));
       }},
      {"math.atan2", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "atan2", {"y", "x"}, 2);
         return makeFloat(std::atan2(real(self, values[0]), real(self, values[1])));
       }},
      {"math.copysign", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "copysign", {"x", "y"}, 2);
         return makeFloat(std::copysign(real(self, values[0]), real(self, values[1])));
       }},
      {"math.ldexp", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "ldexp", {"x", "i"}, 2);
         int64_t by = std::clamp<int64_t>(self.index(values[1], "Expected an int as second argument to ldexp, not "), -100000, 100000);
         double result = std::ldexp(real(self, values[0]), static_cast<int>(by));
         if (std::isinf(result))
           self.raise("OverflowError", "math range error");
         return makeFloat(result);
       }},
      {"math.frexp", [](Self self, Arguments &arguments) -> ValueRef {
         int exponent = 0;
         double fraction = std::frexp(real(self, self.take(arguments, "frexp", {"x"}, 1)[0]), &exponent);
         return self.pair(makeFloat(fraction), makeInt(exponent));
       }},
      {"math.modf", [](Self self, Arguments &arguments) -> ValueRef {
         double integral = 0, fraction = std::modf(real(self, self.take(arguments, "modf", {"x"}, 1)[0]), &integral);
         return self.pair(makeFloat(fraction), makeFloat(integral));
       }},
      {"math.isnan", [](Self self, Arguments &arguments) { return boolean(std::isnan(real(self, self.take(arguments, "isnan", {"x"}, 1)[0]))); }},
      {"math.isinf", [](Self self, Arguments &arguments) { return boolean(std::isinf(real(self, self.take(arguments, "isinf", {"x"}, 1)[0]))); }},
      {"math.isfinite", [](Self self, Arguments &arguments) { return boolean(std::isfinite(real(self, self.take(arguments, "isfinite", {"x"}, 1)[0]))); }},
      {"math.isclose", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "isclose", {"a", "b", "rel_tol", "abs_tol"}, 2);
         double a = real(self, values[0]), b = real(self, values[1]);
         double relative = values[2] ? real(self, values[2]) : 1e-9, absolute = values[3] ? real(self, values[3]) : 0;
         if (a == b)
           return boolean(true);
         if (std::isinf(a) || std::isinf(b))
           return boolean(false);
         double apart = std::fabs(a - b);
         return boolean(apart <= std::fabs(relative * b) || apart <= std::fabs(relative * a) || apart <= absolute);
       }},
      {"math.hypot", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() > 2)
           self.unknown("`math.hypot` of more than two numbers is not evaluated");
         double x = arguments.positional.empty() ? 0 : real(self, arguments.positional[0]);
         return makeFloat(arguments.positional.size() == 2 ? std::hypot(x, real(self, arguments.positional[1])) : std::fabs(x));
       }},
      {"math.gcd", [](Self self, Arguments &arguments) -> ValueRef {
         BigInt result;
         for (const ValueRef &value : arguments.positional)
           result = gcd(self, result, magnitude(whole(self, value)));
         return self.integer(std::move(result));
       }},
      {"math.lcm", [](Self self, Arguments &arguments) -> ValueRef {
         BigInt result(1), quotient, remainder;
         for (const ValueRef &value : arguments.positional) {
           BigInt x = magnitude(whole(self, value));
           if (x.zero())
             return makeInt(0);
           BigInt::floorDivide(x, gcd(self, result, x), quotient, remainder);
           self.checkBits(result.bits() + quotient.bits());
           result = result * quotient;
         }
         return self.integer(std::move(result));
       }},
      {"math.factorial", [](Self self, Arguments &arguments) -> ValueRef {
         BigInt n = whole(self, self.take(arguments, "factorial", {"n"}, 1)[0]);
         if (n.negative())
           self.raise("ValueError", "factorial() not defined for negative values");
         auto small = n.small();
         if (!small || *small > 10000)
           self.checkBits(UINT64_MAX);
         BigInt result(1);
         for (int64_t i = 2; i <= *small; ++i) {
           self.charge(result.bits() / 512 + 1);
           self.checkBits(result.bits());
           result = result * BigInt(i);
         }
         return self.integer(std::move(result));
       }},
      {"math.comb", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "comb", {"n", "k"}, 2);
         BigInt n = whole(self, values[0]), k = whole(self, values[1]);
         if (n.negative() || k.negative())
           self.raise("ValueError", n.negative() ? "n must be a non-negative integer" : "k must be a non-negative integer");
         if (k > n)
           return makeInt(0);
         if (n - k < k)
           k = n - k;
         auto count = k.small();
         if (!count || *count > 100000)
           self.checkBits(UINT64_MAX);
         BigInt result(1), remainder;
         for (int64_t i = 1; i <= *count; ++i) {
           self.charge(result.bits() / 256 + 1);
           self.checkBits(result.bits());
           BigInt::floorDivide(result * (n - k + BigInt(i)), BigInt(i), result, remainder);
         }
         return self.integer(std::move(result));
       }},
      {"math.perm", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "perm", {"n", "k"}, 1);
         BigInt n = whole(self, values[0]), k = values[1] && !isNone(values[1]) ? whole(self, values[1]) : n;
         if (n.negative() || k.negative())
           self.raise("ValueError", n.negative() ? "n must be a non-negative integer" : "k must be a non-negative integer");
         if (k > n)
           return makeInt(0);
         auto count = k.small();
         if (!count || *count > 10000)
           self.checkBits(UINT64_MAX);
         BigInt result(1);
         for (int64_t i = 0; i < *count; ++i) {
           self.charge(result.bits() / 256 + 1);
           self.checkBits(result.bits());
           result = result * (n - BigInt(i));
         }
         return self.integer(std::move(result));
       }},
      {"math.isqrt", [](Self self, Arguments &arguments) -> ValueRef {
         BigInt n = whole(self, self.take(arguments, "isqrt", {"n"}, 1)[0]);
         if (n.negative())
           self.raise("ValueError", "isqrt() argument must be nonnegative");
         return self.integer(isqrt(self, n));
       }},
      {"math.prod", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "prod", {"iterable", "start"}, 1);
         ValueRef total = values[1] ? values[1] : makeInt(1);
         auto cursor = self.iterate(values[0]);
         while (ValueRef element = cursor->next(self)) {
           self.step();
           total = self.binary("*", total, element);
         }
         return total;
       }},
      {"math.fsum", [](Self self, Arguments &arguments) -> ValueRef {
         // Partial sums that do not overlap (Shewchuk), so the result is the exact sum, rounded once.
         std::vector<double> partials;
         for (const ValueRef &element : self.items(self.take(arguments, "fsum", {"seq"}, 1)[0])) {
           double x = real(self, element);
           if (!std::isfinite(x))
             self.unknown("`math.fsum` of infinities is not evaluated");
           size_t kept = 0;
           for (double y : partials) {
             self.step();
             if (std::fabs(x) < std::fabs(y))
               std::swap(x, y);
             double high = x + y, low = y - (high - x);
             if (low != 0)
               partials[kept++] = low;
             x = high;
           }
           partials.resize(kept);
           partials.push_back(x);
         }
         double high = 0, low = 0;
         size_t n = partials.size();
         if (n) {
           high = partials[--n];
           while (n) {
             double x = high, y = partials[--n];
             high = x + y;
             low = y - (high - x);
             if (low != 0)
               break;
           }
           if (n && ((low < 0 && partials[n - 1] < 0) || (low > 0 && partials[n - 1] > 0))) {
             double y = low * 2, x = high + y;
             if (y == x - high)
               high = x;
           }
         }
         return makeFloat(high);
       }},
      {"math.dist", [](Self self, Arguments &) -> ValueRef { self.unknown("`math.dist` is not evaluated"); }},
      // ---- functools
      {"functools.reduce", reduce},
      {"functools.partial", partial},
      {"functools.lru_cache", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() == 1 && !arguments.positional[0]->integer() && !isNone(arguments.positional[0]))
           return arguments.positional[0];
         return self.libraryAttribute("functools", "cache"); // with options: what it gives decorates
       }},
      {"functools.cache", same},
      {"functools.cached_property", [](Self self, Arguments &arguments) -> ValueRef {
         return self.make(InstanceValue{self.libraryAttribute("functools", "cached_property"), {{"fget", self.take(arguments, "cached_property", {"func"}, 1)[0]}}});
       }},
      {"functools.wraps", [](Self self, Arguments &) -> ValueRef { return self.libraryAttribute("functools", "cache"); }},
      {"functools.total_ordering", [](Self self, Arguments &) -> ValueRef { self.unknown("`functools.total_ordering` is not evaluated"); }},
      {"functools.cmp_to_key", [](Self self, Arguments &) -> ValueRef { self.unknown("`functools.cmp_to_key` is not evaluated"); }},
      // ---- itertools
      {"itertools.product", product},
      {"itertools.permutations", [](Self self, Arguments &arguments) { return choose(self, arguments, "permutations", Choice::Permutations); }},
      {"itertools.combinations", [](Self self, Arguments &arguments) { return choose(self, arguments, "combinations", Choice::Combinations); }},
      {"itertools.combinations_with_replacement",
       [](Self self, Arguments &arguments) { return choose(self, arguments, "combinations_with_replacement", Choice::Repeated); }},
      {"itertools.islice", islice},
      {"itertools.chain", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef sources = self.tuple(arguments.positional);
         auto cursor = std::make_shared<ChainCursor>();
         cursor->outer = self.iterate(sources);
         return self.iterator(cursor, "chain", sources->depth);
       }},
      {"itertools.chain.from_iterable", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef sources = self.take(arguments, "from_iterable", {"iterable"}, 1)[0];
         auto cursor = std::make_shared<ChainCursor>();
         cursor->outer = self.iterate(sources);
         return self.iterator(cursor, "chain", sources->depth);
       }},
      {"itertools.count", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "count", {"start", "step"}, 0);
         auto cursor = std::make_shared<CountCursor>();
         cursor->at = values[0] ? values[0] : makeInt(0);
         cursor->by = values[1] ? values[1] : makeInt(1);
         return self.iterator(cursor, "count", 0);
       }},
      {"itertools.cycle", [](Self self, Arguments &arguments) -> ValueRef {
         auto cursor = std::make_shared<RepeatCursor>();
         ValueRef source = self.take(arguments, "cycle", {"iterable"}, 1)[0];
         cursor->elements = self.items(source);
         return self.iterator(cursor, "cycle", source->depth);
       }},
      {"itertools.repeat", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "repeat", {"object", "times"}, 1);
         auto cursor = std::make_shared<RepeatCursor>();
         cursor->elements = {values[0]};
         if (values[1])
           cursor->times = static_cast<uint64_t>(std::max<int64_t>(0, self.index(values[1])));
         return self.iterator(cursor, "repeat", values[0]->depth);
       }},
      {"itertools.accumulate", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "accumulate", {"iterable", "func", "initial"}, 1);
         List sums;
         ValueRef total = values[2] && !isNone(values[2]) ? values[2] : nullptr;
         if (total)
           sums.push_back(total);
         for (const ValueRef &element : self.items(values[0])) {
           total = !total ? element : values[1] && !isNone(values[1]) ? self.call(values[1], List{total, element}) : self.binary("+", total, element);
           sums.push_back(total);
         }
         return listed(self, std::move(sums), "accumulate");
       }},
      {"itertools.starmap", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "starmap", {"function", "iterable"}, 2);
         List results;
         for (const ValueRef &row : self.items(values[1]))
           results.push_back(self.call(values[0], self.items(row)));
         return listed(self, std::move(results), "starmap");
       }},
      {"itertools.pairwise", [](Self self, Arguments &arguments) -> ValueRef {
         List elements = self.items(self.take(arguments, "pairwise", {"iterable"}, 1)[0]), pairs;
         for (size_t i = 1; i < elements.size(); ++i)
           pairs.push_back(self.pair(elements[i - 1], elements[i]));
         return listed(self, std::move(pairs), "pairwise");
       }},
      {"itertools.batched", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "batched", {"iterable", "n"}, 2);
         int64_t n = self.index(values[1]);
         if (n < 1)
           self.raise("ValueError", "n must be at least one");
         List batches, batch;
         for (const ValueRef &element : self.items(values[0])) {
           batch.push_back(element);
           if (static_cast<int64_t>(batch.size()) == n)
             batches.push_back(self.tuple(std::move(batch))), batch = {};
         }
         if (!batch.empty())
           batches.push_back(self.tuple(std::move(batch)));
         return listed(self, std::move(batches), "batched");
       }},
      {"itertools.zip_longest", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef fill = arguments.keyword("fillvalue");
         std::vector<List> columns;
         size_t longest = 0;
         for (const ValueRef &source : arguments.positional) {
           columns.push_back(self.items(source));
           longest = std::max(longest, columns.back().size());
         }
         Rows rows{self, {}};
         for (size_t i = 0; i < longest; ++i) {
           List row;
           for (const List &column : columns)
             row.push_back(i < column.size() ? column[i] : fill ? fill : none());
           rows.add(std::move(row));
         }
         return listed(self, std::move(rows.rows), "zip_longest");
       }},
      {"itertools.takewhile", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "takewhile", {"predicate", "iterable"}, 2);
         auto cursor = std::make_shared<WhileCursor>();
         cursor->test = values[0];
         cursor->source = self.iterate(values[1]);
         cursor->take = true;
         return self.iterator(cursor, "takewhile", values[1]->depth);
       }},
      {"itertools.dropwhile", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "dropwhile", {"predicate", "iterable"}, 2);
         auto cursor = std::make_shared<WhileCursor>();
         cursor->test = values[0];
         cursor->source = self.iterate(values[1]);
         cursor->take = false;
         return self.iterator(cursor, "dropwhile", values[1]->depth);
       }},
      // ---- operator
      {"operator.add", operatorOf<0>}, {"operator.sub", operatorOf<1>}, {"operator.mul", operatorOf<2>}, {"operator.truediv", operatorOf<3>},
      {"operator.floordiv", operatorOf<4>}, {"operator.mod", operatorOf<5>}, {"operator.pow", operatorOf<6>}, {"operator.lshift", operatorOf<7>},
      {"operator.rshift", operatorOf<8>}, {"operator.and_", operatorOf<9>}, {"operator.or_", operatorOf<10>}, {"operator.xor", operatorOf<11>},
      {"operator.matmul", operatorOf<12>}, {"operator.eq", operatorOf<13>}, {"operator.ne", operatorOf<14>}, {"operator.lt", operatorOf<15>},
      {"operator.le", operatorOf<16>}, {"operator.gt", operatorOf<17>}, {"operator.ge", operatorOf<18>}, {"operator.is_", operatorOf<19>},
      {"operator.is_not", operatorOf<20>},
      {"operator.neg", [](Self self, Arguments &arguments) { return self.unary("-", self.take(arguments, "neg", {"a"}, 1)[0]); }},
      {"operator.pos", [](Self self, Arguments &arguments) { return self.unary("+", self.take(arguments, "pos", {"a"}, 1)[0]); }},
      {"operator.not_", [](Self self, Arguments &arguments) { return self.unary("not", self.take(arguments, "not_", {"a"}, 1)[0]); }},
      {"operator.invert", [](Self self, Arguments &arguments) { return self.unary("~", self.take(arguments, "invert", {"a"}, 1)[0]); }},
      {"operator.contains", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "contains", {"a", "b"}, 2);
         return self.compare("in", values[1], values[0]);
       }},
      {"operator.getitem", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "getitem", {"a", "b"}, 2);
         return self.subscript(values[0], values[1]);
       }},
      {"operator.itemgetter", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef keys = self.tuple(arguments.positional);
         auto made = self.make(InstanceValue{self.libraryAttribute("operator", "itemgetter"), {{"keys", keys}}});
         self.nest(*made, keys->depth);
         return made;
       }},
      {"operator.attrgetter", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef keys = self.tuple(arguments.positional);
         auto made = self.make(InstanceValue{self.libraryAttribute("operator", "attrgetter"), {{"keys", keys}}});
         self.nest(*made, keys->depth);
         return made;
       }},
      // ---- dataclasses, collections, enum, copy, typing
      {"dataclasses.dataclass", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() == 1)
           return self.dataclass(arguments.positional[0], arguments);
         Arguments later{{self.libraryAttribute("dataclasses", "dataclass")}, arguments.keywords};
         return partial(self, later);
       }},
      {"dataclasses.field", field},
      {"dataclasses.replace", replaced},
      {"dataclasses.asdict", [](Self self, Arguments &arguments) { return plainData(self, self.take(arguments, "asdict", {"obj"}, 1)[0], true); }},
      {"dataclasses.astuple", [](Self self, Arguments &arguments) { return plainData(self, self.take(arguments, "astuple", {"obj"}, 1)[0], false); }},
      {"dataclasses.is_dataclass", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef value = self.take(arguments, "is_dataclass", {"obj"}, 1)[0];
         if (const auto *instance = value->as<InstanceValue>())
           value = instance->type;
         const auto *type = value->as<ClassValue>();
         return boolean(type && type->flavor == ClassValue::Flavor::Dataclass);
       }},
      {"collections.namedtuple", namedtuple},
      {"collections.OrderedDict", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef made = self.dict({});
         self.dictMethod(made, "update", arguments);
         return made;
       }},
      {"namedtuple._make", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "_make", {"cls", "iterable"}, 2);
         return self.instantiate(values[0], Arguments{self.items(values[1]), {}});
       }},
      {"namedtuple._replace", [](Self self, Arguments &arguments) -> ValueRef {
         const auto *tuple = arguments.positional.at(0)->as<Value::Tuple>();
         Arguments made;
         for (size_t i = 0; i < tuple->elements.size(); ++i) {
           const std::string &name = tuple->type->as<ClassValue>()->fields[i].name;
           ValueRef value = arguments.keyword(name);
           made.keywords.emplace_back(name, value ? value : tuple->elements[i]);
         }
         for (const auto &[name, value] : arguments.keywords)
           if (!made.keyword(name))
             self.raise("ValueError", "Got unexpected field names: ['" + name + "']");
         return self.instantiate(tuple->type, std::move(made));
       }},
      {"namedtuple._asdict", [](Self self, Arguments &arguments) -> ValueRef {
         const auto *tuple = arguments.positional.at(0)->as<Value::Tuple>();
         ValueRef made = self.dict({});
         for (size_t i = 0; i < tuple->elements.size(); ++i)
           self.setKey(made, makeString(tuple->type->as<ClassValue>()->fields[i].name), tuple->elements[i]);
         return made;
       }},
      {"enum.auto", [](Self self, Arguments &) -> ValueRef { return self.make(InstanceValue{self.libraryAttribute("enum", "auto"), {}}); }},
      {"enum.unique", same},
      {"enum.verify", [](Self self, Arguments &) -> ValueRef { return self.libraryAttribute("enum", "unique"); }},
      {"copy.copy", [](Self self, Arguments &arguments) { return copied(self, self.take(arguments, "copy", {"x"}, 1)[0], false); }},
      {"copy.deepcopy", [](Self self, Arguments &arguments) { return copied(self, self.take(arguments, "deepcopy", {"x"}, 1)[0], true); }},
      {"typing.cast", [](Self self, Arguments &arguments) -> ValueRef {
         return arguments.positional.size() == 2 ? arguments.positional[1] : self.unknownHere("`typing.cast` is not evaluated");
       }},
      {"typing.final", same},
      {"typing.override", same},
      {"typing.no_type_check", same},
      {"typing.runtime_checkable", same},
      {"abc.abstractmethod", same},
      {"contextlib.contextmanager", [](Self self, Arguments &) -> ValueRef { self.unknown("`contextlib.contextmanager` is not evaluated"); }},
  };
  return handlers;
}

/// Other names of the supported modules: types and things that only annotations use.
const std::set<std::string_view> &otherNames() {
  static const std::set<std::string_view> names = {
      "enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag", "enum.EnumMeta", "abc.ABC", "abc.ABCMeta", "dataclasses.Field",
      "dataclasses.KW_ONLY", "dataclasses.FrozenInstanceError", "collections.abc", "functools.cached_property", "functools.partial",
      "typing.NamedTuple", "typing.Any", "typing.Callable", "typing.ClassVar", "typing.Dict", "typing.Final", "typing.FrozenSet", "typing.Generic",
      "typing.Iterable", "typing.Iterator", "typing.List", "typing.Literal", "typing.Mapping", "typing.Optional", "typing.Protocol", "typing.Sequence",
      "typing.Set", "typing.Tuple", "typing.Type", "typing.Union", "typing.Annotated", "typing.NoReturn", "typing.Self", "typing.TypeAlias",
      "typing.Generator", "typing.Hashable", "typing.SupportsInt", "typing.MutableMapping", "typing.MutableSequence", "typing.Collection", "typing.Sized",
      "numbers.Number", "numbers.Integral", "numbers.Real", "numbers.Rational"};
  return names;
}

} // namespace

ValueRef Interpreter::libraryAttribute(const std::string &module, std::string_view name) {
  std::string full = module + "." + std::string(name);
  if (module == "math") {
    if (name == "pi")
      return makeFloat(M_PI);
    if (name == "e")
      return makeFloat(M_E);
    if (name == "tau")
      return makeFloat(2 * M_PI);
    if (name == "inf")
      return makeFloat(INFINITY);
    if (name == "nan")
      return makeFloat(NAN);
  }
  if (full == "typing.TYPE_CHECKING")
    return boolean(false);
  if (full == "sys.maxsize")
    return makeInt(INT64_MAX);
  if (module == "string" && (name == "ascii_lowercase" || name == "ascii_uppercase" || name == "digits" || name == "ascii_letters")) {
    std::string low = "abcdefghijklmnopqrstuvwxyz", high = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return makeString(name == "ascii_lowercase" ? low : name == "ascii_uppercase" ? high : name == "digits" ? "0123456789" : low + high);
  }
  if (table().count(full) || otherNames().count(full) || module == "collections.abc")
    return std::make_shared<Value>(Builtin{full});
  if (name == "__name__" && module.find('.') == module.npos)
    return makeString(module);
  if (isBuiltinType(module)) {
    if (full == "dict.fromkeys" || full == "object.__setattr__" || full == "object.__init__")
      return std::make_shared<Value>(Builtin{full});
    if (module == "str" || module == "list" || module == "dict" || module == "set" || module == "int" || module == "tuple" || module == "float")
      return std::make_shared<Value>(Builtin{full});
  }
  if (module == "math" && name.substr(0, 2) != "__")
    return nullptr;
  return unknownHere("`" + full + "` is not evaluated");
}

std::optional<ValueRef> Interpreter::callLibrary(std::string_view name, Arguments &arguments) {
  auto found = table().find(name);
  if (found == table().end())
    return std::nullopt;
  for (const ValueRef &argument : arguments.positional)
    if (argument->isUnknown())
      return argument;
  return found->second(*this, arguments);
}

} // namespace tilewright::syntax
