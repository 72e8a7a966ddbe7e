// The builtin functions and types of Python.
#include "syntax/Interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tilewright::syntax {

namespace {

using Handler = ValueRef (*)(Interpreter &, Arguments &);
using Self = Interpreter &;

const std::set<std::string_view> &typeNames() {
  static const std::set<std::string_view> names = {
      "int", "float", "str", "bool", "list", "tuple", "dict", "set", "frozenset", "range", "slice", "object", "type", "bytes", "bytearray", "complex",
      "memoryview", "property", "staticmethod", "classmethod", "super", "enumerate", "zip", "map", "filter", "reversed", "NoneType", "function",
      "BaseException", "Exception", "ArithmeticError", "LookupError", "ZeroDivisionError", "OverflowError", "FloatingPointError", "IndexError", "KeyError",
      "NameError", "UnboundLocalError", "RuntimeError", "RecursionError", "NotImplementedError", "TypeError", "ValueError", "UnicodeError", "AttributeError",
      "AssertionError", "StopIteration", "ImportError", "ModuleNotFoundError", "OSError", "FileNotFoundError", "PermissionError", "TimeoutError", "EOFError",
      "MemoryError", "SystemError", "Warning", "UserWarning", "DeprecationWarning", "RuntimeWarning", "SystemExit", "KeyboardInterrupt", "GeneratorExit",
      "dataclasses.FrozenInstanceError", "enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag", "typing.NamedTuple"};
  return names;
}

bool isException(std::string_view name) {
  return name == "SystemExit" || name == "KeyboardInterrupt" || name == "GeneratorExit" || name == "StopIteration" || name.ends_with("Error") ||
         name.ends_with("Exception") || name.ends_with("Warning");
}

/// One keyword that must be given by name; removes it.
ValueRef option(Arguments &arguments, std::string_view name) {
  for (auto it = arguments.keywords.begin(); it != arguments.keywords.end(); ++it)
    if (it->first == name) {
      ValueRef value = it->second;
      arguments.keywords.erase(it);
      return value;
    }
  return nullptr;
}

/// Elements in any order: for what does not depend on it.
List anyOrder(Self self, const ValueRef &value) {
  if (const auto *set = value->as<Value::SetOf>())
    return set->elements;
  return self.items(value);
}

ValueRef extreme(Self self, Arguments &arguments, bool largest) {
  const char *name = largest ? "max" : "min";
  ValueRef key = option(arguments, "key"), absent = option(arguments, "default");
  if (!arguments.keywords.empty())
    self.raise("TypeError", std::string(name) + "() got an unexpected keyword argument '" + arguments.keywords[0].first + "'");
  if (arguments.positional.empty())
    self.raise("TypeError", std::string(name) + " expected at least 1 argument, got 0");
  List elements = arguments.positional.size() == 1 ? anyOrder(self, arguments.positional[0]) : arguments.positional;
  if (elements.empty()) {
    if (absent)
      return absent;
    self.raise("ValueError", std::string(name) + "() iterable argument is empty");
  }
  bool keyed = key && !isNone(key);
  ValueRef best = elements[0], bestKey = keyed ? self.call(key, List{best}) : best;
  if (bestKey->isUnknown())
    return bestKey;
  for (size_t i = 1; i < elements.size(); ++i) {
    ValueRef other = keyed ? self.call(key, List{elements[i]}) : elements[i];
    if (self.truth(self.compare(largest ? ">" : "<", other, bestKey))) {
      best = elements[i];
      bestKey = other;
    }
  }
  return best;
}

ValueRef toInt(Self self, Arguments &arguments) {
  auto values = self.take(arguments, "int", {"x", "base"}, 0);
  if (!values[0])
    return makeInt(0);
  const ValueRef &value = values[0];
  if (const auto *string = value->string()) {
    int64_t base = values[1] ? self.index(values[1]) : 10;
    std::string_view text = *string;
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
      text.remove_suffix(1);
    std::string_view digits = text;
    bool negative = false;
    if (!digits.empty() && (digits[0] == '+' || digits[0] == '-')) {
      negative = digits[0] == '-';
      digits.remove_prefix(1);
    }
    if (digits.size() > 2 && digits[0] == '0') {
      char letter = static_cast<char>(digits[1] | 0x20);
      int64_t implied = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
      if (implied && (base == 0 || base == implied)) {
        base = implied;
        digits.remove_prefix(2);
        if (digits[0] == '_')
          digits.remove_prefix(1);
      }
    }
    if (base == 0)
      base = 10;
    bool fine = !digits.empty() && base >= 2 && base <= 36 && digits.front() != '_' && digits.back() != '_' && digits.find("__") == digits.npos;
    if (fine && base == 10 && digits.size() > 4300)
      self.raise("ValueError", "Exceeds the limit (4300 digits) for integer string conversion: value has " + std::to_string(digits.size()) +
                                   " digits; use sys.set_int_max_str_digits() to increase the limit");
    ValueRef parsed = fine ? self.parseInteger(digits, static_cast<int>(base)) : nullptr;
    if (!parsed)
      self.raise("ValueError", "invalid literal for int() with base " + std::to_string(base) + ": " + quoted(*string));
    return negative ? self.unary("-", parsed) : parsed;
  }
  if (values[1])
    self.raise("TypeError", "int() can't convert non-string with explicit base");
  if (auto number = self.number(*value)) {
    if (number->kind == Number::Small)
      return makeInt(number->small);
    if (number->kind == Number::Big)
      return self.integer(*number->big);
    if (std::isnan(number->real))
      self.raise("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(number->real))
      self.raise("OverflowError", "cannot convert float infinity to integer");
    return self.integer(BigInt::fromDouble(number->real));
  }
  for (const char *name : {"__int__", "__index__", "__trunc__"})
    if (auto method = self.special(value, name))
      return self.call(method, List{});
  if (isOpaque(*value))
    self.unknown("`int` of " + repr(*value, 40) + " is not known");
  self.raise("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '" + std::string(typeName(*value)) + "'");
}

ValueRef toFloat(Self self, Arguments &arguments) {
  auto values = self.take(arguments, "float", {"x"}, 0);
  if (!values[0])
    return makeFloat(0);
  if (const auto *string = values[0]->string()) {
    std::string text;
    for (char c : *string)
      if (c != '_')
        text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    size_t begin = text.find_first_not_of(" \t\n\r\f\v"), end = text.find_last_not_of(" \t\n\r\f\v");
    text = begin == text.npos ? "" : text.substr(begin, end - begin + 1);
    size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
    std::string_view rest = std::string_view(text).substr(sign);
    if (rest == "inf" || rest == "infinity" || rest == "nan")
      return makeFloat(text[0] == '-' ? -(rest == "nan" ? NAN : INFINITY) : rest == "nan" ? NAN : INFINITY);
    char *stop = nullptr;
    double value = std::strtod(text.c_str(), &stop);
    bool plain = !rest.empty() && rest.find_first_not_of("0123456789.e+-") == rest.npos;
    if (!plain || *stop || stop == text.c_str())
      self.raise("ValueError", "could not convert string to float: " + quoted(*string));
    return makeFloat(value);
  }
  if (auto method = self.special(values[0], "__float__"))
    return self.call(method, List{});
  return makeFloat(self.real(values[0], "float() argument must be a string or a real number, not "));
}

/// bin, oct and hex.
ValueRef inBase(Self self, Arguments &arguments, const char *name, const char *spec) {
  ValueRef value = self.take(arguments, name, {"number"}, 1)[0];
  auto number = self.number(*value);
  if (!number || number->kind == Number::Float) {
    if (auto method = self.special(value, "__index__"))
      value = self.call(method, List{});
    else if (isOpaque(*value))
      self.unknown(std::string("`") + name + "` of " + repr(*value, 40) + " is not known");
    else
      self.raise("TypeError", "'" + std::string(typeName(*value)) + "' object cannot be interpreted as an integer");
  }
  return makeString(self.formatValue(value, spec));
}

ValueRef makeRange(Self self, Arguments &arguments) {
  auto values = self.take(arguments, "range", {"start", "stop", "step"}, 1);
  for (const ValueRef &value : values)
    if (value && isOpaque(*value))
      self.unknown("a range of " + repr(*value, 40) + " is not known");
  auto part = [&](const ValueRef &value) {
    auto number = self.number(*value);
    if (number && number->kind == Number::Big)
      self.unknown("a range beyond 64 bits is not evaluated");
    return self.index(value);
  };
  Value::Range range{0, 0, 1};
  if (values[1]) {
    range.start = part(values[0]);
    range.stop = part(values[1]);
  } else
    range.stop = part(values[0]);
  if (values[2])
    range.step = part(values[2]);
  if (range.step == 0)
    self.raise("ValueError", "range() arg 3 must not be zero");
  return self.make(range);
}

struct MapCursor final : Cursor {
  ValueRef function;
  std::vector<CursorRef> sources;
  ValueRef next(Interpreter &interpreter) override {
    Nested nested(interpreter);
    List arguments;
    for (const CursorRef &source : sources) {
      ValueRef element = source->next(interpreter);
      if (!element)
        return nullptr;
      arguments.push_back(std::move(element));
    }
    interpreter.step();
    return function ? interpreter.call(function, std::move(arguments)) : interpreter.tuple(std::move(arguments));
  }
};

struct ZipStrictCursor final : Cursor {
  std::vector<CursorRef> sources;
  ValueRef next(Interpreter &interpreter) override {
    Nested nested(interpreter);
    List elements;
    for (size_t i = 0; i < sources.size(); ++i) {
      ValueRef element = sources[i]->next(interpreter);
      if (!element) {
        bool uneven = i > 0;
        for (size_t j = 1; j < sources.size() && !uneven; ++j)
          uneven = sources[j]->next(interpreter) != nullptr;
        if (uneven)
          interpreter.raise("ValueError", "zip() argument " + std::to_string(i + 1) + " is shorter than argument 1");
        return nullptr;
      }
      elements.push_back(std::move(element));
    }
    interpreter.step();
    return interpreter.tuple(std::move(elements));
  }
};

struct FilterCursor final : Cursor {
  ValueRef function;
  CursorRef source;
  ValueRef next(Interpreter &interpreter) override {
    Nested nested(interpreter);
    while (ValueRef element = source->next(interpreter)) {
      interpreter.step();
      if (interpreter.truth(function ? interpreter.call(function, List{element}) : element))
        return element;
    }
    return nullptr;
  }
};

struct EnumerateCursor final : Cursor {
  CursorRef source;
  ValueRef count;
  ValueRef next(Interpreter &interpreter) override {
    Nested nested(interpreter);
    ValueRef element = source->next(interpreter);
    if (!element)
      return nullptr;
    ValueRef at = count;
    count = interpreter.binary("+", count, makeInt(1));
    return interpreter.pair(at, element);
  }
  std::optional<uint64_t> left() const override { return source->left(); }
};

struct ReversedCursor final : Cursor {
  ValueRef sequence;
  int64_t at;
  ValueRef next(Interpreter &interpreter) override {
    if (at < 0)
      return nullptr;
    return interpreter.subscript(sequence, makeInt(at--));
  }
  std::optional<uint64_t> left() const override { return static_cast<uint64_t>(at + 1); }
};

ValueRef sorted(Self self, Arguments &arguments) {
  ValueRef key = option(arguments, "key"), reverse = option(arguments, "reverse");
  auto values = self.take(arguments, "sorted", {"iterable"}, 1);
  ValueRef made = self.list(anyOrder(self, values[0]));
  Arguments options;
  if (key)
    options.keywords.emplace_back("key", key);
  if (reverse)
    options.keywords.emplace_back("reverse", reverse);
  ValueRef result = self.listMethod(made, "sort", options);
  return result->isUnknown() ? result : made;
}

ValueRef isAccess(Self self, Arguments &arguments, int kind) { // 0 getattr, 1 hasattr
  if (arguments.positional.size() < 2)
    self.raise("TypeError", "getattr expected at least 2 arguments");
  ValueRef object = arguments.positional[0];
  if (arguments.positional[1]->isUnknown())
    return arguments.positional[1];
  const std::string &name = self.text(arguments.positional[1], "attribute name must be string");
  ValueRef value;
  try {
    value = self.attributeOrNull(object, name);
  } catch (Raised &raised) {
    if (!self.isSubclass(raised.exception->as<InstanceValue>()->type, self.builtinNamed("AttributeError")))
      throw;
  }
  if (value && value->isUnknown())
    return value;
  if (value && isOpaque(*object) && (kind == 1 || arguments.positional.size() > 2))
    self.unknown("whether " + repr(*object, 40) + " has `" + name + "` is not known");
  if (kind == 1)
    return boolean(value != nullptr);
  if (value)
    return value;
  if (arguments.positional.size() > 2)
    return arguments.positional[2];
  return self.attribute(object, name);
}

const std::unordered_map<std::string_view, Handler> &table() {
  static const std::unordered_map<std::string_view, Handler> handlers = {
      {"abs", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "abs", {"x"}, 1);
         if (auto method = self.special(values[0], "__abs__"))
           return self.call(method, List{});
         auto number = self.number(*values[0]);
         if (!number && isOpaque(*values[0]))
           self.unknown("`abs` of " + repr(*values[0], 40) + " is not known");
         if (!number)
           self.raise("TypeError", "bad operand type for abs(): '" + std::string(typeName(*values[0])) + "'");
         if (number->kind == Number::Float)
           return makeFloat(std::fabs(number->real));
         BigInt wide = number->wide();
         return self.integer(wide.negative() ? -wide : wide);
       }},
      {"all", [](Self self, Arguments &arguments) -> ValueRef {
         auto cursor = self.iterate(self.take(arguments, "all", {"iterable"}, 1)[0]);
         while (ValueRef element = cursor->next(self)) {
           self.step();
           if (!self.truth(element))
             return boolean(false);
         }
         return boolean(true);
       }},
      {"any", [](Self self, Arguments &arguments) -> ValueRef {
         auto cursor = self.iterate(self.take(arguments, "any", {"iterable"}, 1)[0]);
         while (ValueRef element = cursor->next(self)) {
           self.step();
           if (self.truth(element))
             return boolean(true);
         }
         return boolean(false);
       }},
      {"bool", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "bool", {"x"}, 0);
         return boolean(values[0] && self.truth(values[0]));
       }},
      {"callable", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef value = self.take(arguments, "callable", {"x"}, 1)[0];
         if (isOpaque(*value))
           self.unknown("whether " + repr(*value, 40) + " is callable is not known");
         return boolean(value->as<FunctionValue>() || value->as<ClassValue>() || value->as<Builtin>() || value->as<BoundMethod>() || self.special(value, "__call__"));
       }},
      {"chr", [](Self self, Arguments &arguments) -> ValueRef {
         int64_t point = self.index(self.take(arguments, "chr", {"i"}, 1)[0]);
         if (point < 0 || point > 0x10ffff)
           self.raise("ValueError", "chr() arg not in range(0x110000)");
         if (point >= 0xd800 && point < 0xe000)
           self.unknown("lone surrogates are not evaluated");
         return makeString(encode(std::u32string(1, static_cast<char32_t>(point))));
       }},
      {"ord", [](Self self, Arguments &arguments) -> ValueRef {
         auto points = decode(self.text(self.take(arguments, "ord", {"c"}, 1)[0], "ord() expected string of length 1"));
         if (points.size() != 1)
           self.raise("TypeError", "ord() expected a character, but string of length " + std::to_string(points.size()) + " found");
         return makeInt(static_cast<int64_t>(points[0]));
       }},
      {"dict", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef made = self.dict({});
         self.dictMethod(made, "update", arguments);
         return made;
       }},
      {"divmod", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "divmod", {"a", "b"}, 2);
         auto a = self.number(*values[0]), b = self.number(*values[1]);
         if (a && b && (a->kind == Number::Float || b->kind == Number::Float) && values[1]->number() == 0.0)
           self.raise("ZeroDivisionError", "float divmod()");
         ValueRef quotient = self.binary("//", values[0], values[1]);
         return self.pair(quotient, self.binary("%", values[0], values[1]));
       }},
      {"enumerate", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "enumerate", {"iterable", "start"}, 1);
         auto cursor = std::make_shared<EnumerateCursor>();
         cursor->source = self.iterate(values[0]);
         cursor->count = values[1] ? values[1] : makeInt(0);
         return self.iterator(cursor, "enumerate", values[0]->depth);
       }},
      {"filter", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "filter", {"function", "iterable"}, 2);
         auto cursor = std::make_shared<FilterCursor>();
         cursor->function = isNone(values[0]) ? nullptr : values[0];
         cursor->source = self.iterate(values[1]);
         return self.iterator(cursor, "filter", values[1]->depth);
       }},
      {"float", toFloat},
      {"format", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "format", {"value", "spec"}, 1);
         return makeString(self.formatValue(values[0], values[1] ? self.text(values[1], "format() argument 2 must be str") : std::string()));
       }},
      {"frozenset", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "frozenset", {"iterable"}, 0);
         return self.setOf(values[0] ? anyOrder(self, values[0]) : List{}, true);
       }},
      {"getattr", [](Self self, Arguments &arguments) -> ValueRef { return isAccess(self, arguments, 0); }},
      {"hasattr", [](Self self, Arguments &arguments) -> ValueRef { return isAccess(self, arguments, 1); }},
      {"int", toInt},
      {"isinstance", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() != 2)
           self.raise("TypeError", "isinstance expected 2 arguments, got " + std::to_string(arguments.positional.size()));
         return boolean(self.isInstance(arguments.positional[0], arguments.positional[1]));
       }},
      {"issubclass", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "issubclass", {"cls", "classinfo"}, 2);
         if (!values[0]->as<ClassValue>() && !values[0]->as<Builtin>())
           self.raise("TypeError", "issubclass() arg 1 must be a class");
         return boolean(self.isSubclass(values[0], values[1]));
       }},
      {"iter", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() > 1)
           self.unknown("`iter` with a sentinel is not evaluated");
         ValueRef value = self.take(arguments, "iter", {"iterable"}, 1)[0];
         if (value->as<Iterator>())
           return value;
         return self.iterator(self.iterate(value), "iterator", value->depth);
       }},
      {"len", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef value = self.take(arguments, "len", {"obj"}, 1)[0];
         auto size = self.length(value);
         if (!size)
           self.raise("TypeError", "object of type '" + std::string(typeName(*value)) + "' has no len()");
         return makeInt(static_cast<int64_t>(*size));
       }},
      {"list", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "list", {"iterable"}, 0);
         return self.list(values[0] ? self.items(values[0]) : List{});
       }},
      {"map", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() < 2)
           self.raise("TypeError", "map() must have at least two arguments.");
         auto cursor = std::make_shared<MapCursor>();
         cursor->function = arguments.positional[0];
         uint32_t depth = 0;
         for (size_t i = 1; i < arguments.positional.size(); ++i) {
           cursor->sources.push_back(self.iterate(arguments.positional[i]));
           depth = std::max(depth, arguments.positional[i]->depth);
         }
         return self.iterator(cursor, "map", depth);
       }},
      {"max", [](Self self, Arguments &arguments) -> ValueRef { return extreme(self, arguments, true); }},
      {"min", [](Self self, Arguments &arguments) -> ValueRef { return extreme(self, arguments, false); }},
      {"next", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.empty())
           self.raise("TypeError", "next expected at least 1 argument, got 0");
         ValueRef value = arguments.positional[0];
         if (auto method = self.special(value, "__next__"))
           return self.call(method, List{});
         if (value->isUnknown())
           return value;
         if (!value->as<Iterator>())
           self.raise("TypeError", "'" + std::string(typeName(*value)) + "' object is not an iterator");
         if (ValueRef element = self.iterate(value)->next(self))
           return element;
         if (arguments.positional.size() > 1)
           return arguments.positional[1];
         self.raise("StopIteration", "");
       }},
      {"object", [](Self self, Arguments &) -> ValueRef { return self.make(InstanceValue{self.builtinNamed("object"), {}}); }},
      {"object.__init__", [](Self, Arguments &) -> ValueRef { return none(); }},
      {"object.__setattr__", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "__setattr__", {"self", "name", "value"}, 3);
         if (!values[0]->as<InstanceValue>())
           self.unknown("`object.__setattr__` of " + repr(*values[0], 40) + " is not evaluated");
         std::get<InstanceValue>(self.changing(values[0]).data).fields[self.text(values[1], "attribute name must be string")] = values[2];
         self.holds(values[0], values[2]);
         return none();
       }},
      {"pow", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "pow", {"base", "exp", "mod"}, 2);
         return self.power(values[0], values[1], values[2]);
       }},
      {"print", [](Self, Arguments &) -> ValueRef { return none(); }},
      {"property", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "property", {"fget", "fset", "fdel", "doc"}, 1);
         auto made = self.make(InstanceValue{self.builtinNamed("property"), {{"fget", values[0]}}});
         if (values[1])
           std::get<InstanceValue>(made->data).fields["fset"] = values[1];
         return made;
       }},
      {"property.setter", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "setter", {"self", "fset"}, 2);
         auto fields = values[0]->as<InstanceValue>()->fields;
         fields["fset"] = values[1];
         return self.make(InstanceValue{self.builtinNamed("property"), std::move(fields)});
       }},
      {"property.getter", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "getter", {"self", "fget"}, 2);
         auto fields = values[0]->as<InstanceValue>()->fields;
         fields["fget"] = values[1];
         return self.make(InstanceValue{self.builtinNamed("property"), std::move(fields)});
       }},
      {"property.deleter", [](Self self, Arguments &arguments) -> ValueRef { return self.take(arguments, "deleter", {"self", "fdel"}, 2)[0]; }},
      {"range", makeRange},
      {"repr", [](Self self, Arguments &arguments) -> ValueRef { return makeString(self.reprText(self.take(arguments, "repr", {"obj"}, 1)[0])); }},
      {"reversed", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef value = self.take(arguments, "reversed", {"sequence"}, 1)[0];
         if (auto method = self.special(value, "__reversed__"))
           return self.call(method, List{});
         if (value->as<Value::Dict>() || value->as<Value::View>()) {
           List elements = self.items(value);
           std::reverse(elements.begin(), elements.end());
           ValueRef held = self.list(std::move(elements));
           return self.iterator(self.iterate(held), "dict_reversekeyiterator", held->depth);
         }
         if (!value->sequence() && !value->string() && !value->as<Value::Range>() && !self.special(value, "__getitem__")) {
           if (isOpaque(*value))
             self.unknown("the elements of " + repr(*value, 40) + " are not known");
           self.raise("TypeError", "'" + std::string(typeName(*value)) + "' object is not reversible");
         }
         auto cursor = std::make_shared<ReversedCursor>();
         cursor->sequence = value;
         cursor->at = static_cast<int64_t>(*self.length(value)) - 1;
         return self.iterator(cursor, "reversed", value->depth);
       }},
      {"round", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "round", {"number", "ndigits"}, 1);
         return self.roundNumber(values[0], values[1]);
       }},
      {"set", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "set", {"iterable"}, 0);
         return self.setOf(values[0] ? anyOrder(self, values[0]) : List{});
       }},
      {"setattr", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() != 3)
           self.raise("TypeError", "setattr expected 3 arguments, got " + std::to_string(arguments.positional.size()));
         if (arguments.positional[1]->isUnknown()) {
           self.taint(arguments.positional[0], arguments.positional[1]);
           return none();
         }
         self.setAttribute(arguments.positional[0], self.text(arguments.positional[1], "attribute name must be string"), arguments.positional[2]);
         return none();
       }},
      {"slice", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "slice", {"start", "stop", "step"}, 1);
         if (!values[1])
           return self.make(Value::SliceOf{none(), values[0], none()});
         return self.make(Value::SliceOf{values[0], values[1], values[2] ? values[2] : none()});
       }},
      {"sorted", sorted},
      {"staticmethod", [](Self self, Arguments &arguments) -> ValueRef {
         return self.make(InstanceValue{self.builtinNamed("staticmethod"), {{"function", self.take(arguments, "staticmethod", {"function"}, 1)[0]}}});
       }},
      {"classmethod", [](Self self, Arguments &arguments) -> ValueRef {
         return self.make(InstanceValue{self.builtinNamed("classmethod"), {{"function", self.take(arguments, "classmethod", {"function"}, 1)[0]}}});
       }},
      {"str", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "str", {"object", "encoding"}, 0);
         return makeString(values[0] ? self.str(values[0]) : "");
       }},
      {"sum", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "sum", {"iterable", "start"}, 1);
         ValueRef total = values[1] ? values[1] : makeInt(0);
         if (total->string())
           self.raise("TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
         if (const auto *set = values[0]->as<Value::SetOf>())
           if (std::all_of(set->elements.begin(), set->elements.end(), [&](const ValueRef &one) { return one->integer().has_value(); }))
             values[0] = self.list(set->elements);
         auto cursor = self.iterate(values[0]);
         // Python 3.12 adds floats with compensation, so we do.
         bool compensating = false;
         double sum = 0, lost = 0;
         auto settle = [&] {
           if (compensating)
             total = makeFloat(std::isfinite(lost) ? sum + lost : sum);
           compensating = false;
         };
         while (ValueRef element = cursor->next(self)) {
           self.step();
           auto number = self.number(*element);
           bool isFloat = number && number->kind == Number::Float;
           if (!compensating && isFloat && total->as<double>()) {
             compensating = true;
             sum = *total->as<double>();
             lost = 0;
           }
           if (compensating && number && number->kind != Number::Big) {
             double x = isFloat ? number->real : static_cast<double>(number->small);
             if (isFloat) {
               double t = sum + x;
               lost += std::fabs(sum) >= std::fabs(x) ? (sum - t) + x : (x - t) + sum;
               sum = t;
             } else
               sum += x;
             continue;
           }
           settle();
           total = self.binary("+", total, element);
           if (total->isUnknown())
             return total;
         }
         settle();
         return total;
       }},
      {"super", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef owner, instance;
         if (arguments.positional.size() >= 2) {
           owner = arguments.positional[0];
           instance = arguments.positional[1];
         } else
           for (Frame *frame = self.frame; frame; frame = frame->caller)
             if (frame->owner) {
               owner = frame->owner;
               instance = frame->self;
               break;
             }
         if (!owner || !instance)
           self.raise("RuntimeError", "super(): no arguments");
         return self.make(InstanceValue{self.builtinNamed("super"), {{"class", owner}, {"self", instance}}});
       }},
      {"tuple", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "tuple", {"iterable"}, 0);
         if (values[0] && values[0]->as<Value::Tuple>() && !values[0]->as<Value::Tuple>()->type)
           return values[0];
         return self.tuple(values[0] ? self.items(values[0]) : List{});
       }},
      {"type", [](Self self, Arguments &arguments) -> ValueRef {
         if (arguments.positional.size() != 1)
           self.unknown("`type` with three arguments is not evaluated");
         return self.typeOf(arguments.positional[0]);
       }},
      {"zip", [](Self self, Arguments &arguments) -> ValueRef {
         ValueRef strict = option(arguments, "strict");
         uint32_t depth = 0;
         std::vector<CursorRef> sources;
         for (const ValueRef &source : arguments.positional) {
           sources.push_back(self.iterate(source));
           depth = std::max(depth, source->depth);
         }
         if (strict && self.truth(strict)) {
           auto cursor = std::make_shared<ZipStrictCursor>();
           cursor->sources = std::move(sources);
           return self.iterator(cursor, "zip", depth);
         }
         if (sources.empty())
           return self.iterator(self.iterate(self.tuple({})), "zip", 0);
         auto cursor = std::make_shared<MapCursor>();
         cursor->sources = std::move(sources);
         return self.iterator(cursor, "zip", depth);
       }},
      {"bin", [](Self self, Arguments &arguments) { return inBase(self, arguments, "bin", "#b"); }},
      {"oct", [](Self self, Arguments &arguments) { return inBase(self, arguments, "oct", "#o"); }},
      {"hex", [](Self self, Arguments &arguments) { return inBase(self, arguments, "hex", "#x"); }},
      {"ascii", [](Self self, Arguments &arguments) -> ValueRef {
         std::string made = self.reprText(self.take(arguments, "ascii", {"obj"}, 1)[0]);
         if (!isAscii(made))
           self.unknown("`ascii` of other characters is not evaluated");
         return makeString(made);
       }},
      {"dict.fromkeys", [](Self self, Arguments &arguments) -> ValueRef {
         auto values = self.take(arguments, "fromkeys", {"iterable", "value"}, 1);
         ValueRef made = self.dict({});
         for (const ValueRef &key : self.items(values[0]))
           self.setKey(made, key, values[1] ? values[1] : none());
         return made;
       }},
  };
  return handlers;
}

/// Names that exist but whose calls are not evaluated.
constexpr std::string_view kUnevaluated[] = {"bytes", "bytearray", "memoryview", "complex", "id", "hash", "input", "open", "eval", "exec", "compile", "globals",
                                             "locals", "vars", "dir", "delattr", "help", "breakpoint", "__import__", "anext", "aiter"};

} // namespace

bool isBuiltinType(std::string_view name) { return typeNames().count(name) > 0; }

ValueRef Interpreter::builtinNamed(std::string_view name) {
  static const std::unordered_map<std::string_view, ValueRef> names = [] {
    std::unordered_map<std::string_view, ValueRef> made;
    auto add = [&](std::string_view name_) { made.emplace(name_, std::make_shared<Value>(Builtin{std::string(name_)})); };
    for (const auto &[known, handler] : table())
      add(known);
    for (std::string_view known : typeNames())
      add(known);
    for (std::string_view known : kUnevaluated)
      add(known);
    add("NotImplemented");
    made.insert_or_assign("Ellipsis", ellipsis());
    made.insert_or_assign("__debug__", boolean(true));
    return made;
  }();
  auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

ValueRef Interpreter::callBuiltin(const std::string &name, Arguments &arguments) {
  if (auto found = table().find(name); found != table().end())
    return found->second(*this, arguments);
  if (isException(name) && name.find('.') == name.npos) {
    uint32_t depth = 0;
    for (const ValueRef &argument : arguments.positional)
      depth = std::max(depth, argument->depth);
    auto made = make(InstanceValue{builtinNamed(name), {{"args", tuple(std::move(arguments.positional))}}});
    nest(*made, depth + 1);
    return made;
  }
  if (auto result = callLibrary(name, arguments))
    return *result;
  size_t dot = name.find('.');
  if (dot != name.npos && isBuiltinType(std::string_view(name).substr(0, dot)) && !arguments.positional.empty()) {
    ValueRef self = arguments.positional[0]; // `str.upper(x)`
    arguments.positional.erase(arguments.positional.begin());
    return callMethod(self, std::string_view(name).substr(dot + 1), arguments);
  }
  return unknownHere("`" + name + "` is not evaluated");
}

// ---- conversions the builtins share

int64_t Interpreter::index(const ValueRef &value, std::string_view what) {
  if (value->isUnknown())
    throw Undetermined{value};
  auto numeric = number(*value);
  if (numeric && numeric->kind == Number::Small)
    return numeric->small;
  if (numeric && numeric->kind == Number::Big)
    raise("OverflowError", "Python int too large to convert to C ssize_t");
  if (auto method = special(value, "__index__"))
    return index(call(method, List{}), what);
  if (isOpaque(*value))
    unknown(repr(*value, 40) + " is not a known integer");
  std::string name(typeName(*value));
  raise("TypeError", what.empty() ? "'" + name + "' object cannot be interpreted as an integer" : std::string(what) + name);
}

double Interpreter::real(const ValueRef &value, std::string_view what) {
  if (value->isUnknown())
    throw Undetermined{value};
  auto numeric = number(*value);
  if (!numeric) {
    if (isOpaque(*value))
      unknown(repr(*value, 40) + " is not a known number");
    std::string name(typeName(*value));
    raise("TypeError", std::string(what) + (what.ends_with("or a real number, not ") ? "'" + name + "'" : name));
  }
  if (numeric->kind == Number::Float)
    return numeric->real;
  double result = numeric->kind == Number::Small ? static_cast<double>(numeric->small) : numeric->big->toDouble();
  if (std::isinf(result))
    raise("OverflowError", "int too large to convert to float");
  return result;
}

const std::string &Interpreter::text(const ValueRef &value, std::string_view what) {
  if (value->isUnknown())
    throw Undetermined{value};
  if (const auto *string = value->string())
    return *string;
  if (const auto *instance = value->as<InstanceValue>())
    if (const auto *type = instance->type->as<ClassValue>(); type && type->flavor == ClassValue::Flavor::StrEnum)
      if (const auto *string = instance->fields.at("value")->string())
        return *string;
  if (isOpaque(*value))
    unknown(repr(*value, 40) + " is not a known string");
  raise("TypeError", std::string(what) + ", not " + std::string(typeName(*value)));
}

ValueRef Interpreter::roundNumber(const ValueRef &value, const ValueRef &digits) {
  if (auto method = special(value, "__round__"))
    return call(method, digits ? List{digits} : List{});
  auto numeric = number(*value);
  if (!numeric) {
    if (isOpaque(*value))
      unknown("`round` of " + repr(*value, 40) + " is not known");
    raise("TypeError", "type " + std::string(typeName(*value)) + " doesn't define __round__ method");
  }
  bool whole = !digits || isNone(digits);
  int64_t places = whole ? 0 : index(digits);
  if (numeric->kind != Number::Float) {
    if (whole || places >= 0)
      return integer(numeric->wide());
    if (places < -20000)
      return makeInt(0);
    // Half to even among multiples of 10**-places.
    ValueRef unit = power(makeInt(10), makeInt(-places), nullptr);
    BigInt size = number(*unit)->wide(), quotient, remainder;
    BigInt::floorDivide(numeric->wide(), size, quotient, remainder);
    auto order = remainder + remainder <=> size;
    if (order > 0 || (order == 0 && quotient.odd()))
      quotient = quotient + BigInt(1);
    return integer(quotient * size);
  }
  double real = numeric->real;
  if (whole) {
    if (std::isnan(real))
      raise("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(real))
      raise("OverflowError", "cannot convert float infinity to integer");
    return integer(BigInt::fromDouble(std::nearbyint(real)));
  }
  if (!std::isfinite(real) || places > 330)
    return makeFloat(real);
  if (places < -310)
    return makeFloat(std::copysign(0.0, real));
  if (places >= 0) { // printing rounds correctly, half to even
    std::string buffer(400 + static_cast<size_t>(places), '\0');
    std::snprintf(buffer.data(), buffer.size(), "%.*f", static_cast<int>(places), real);
    return makeFloat(std::strtod(buffer.c_str(), nullptr));
  }
  // The same on the left of the point: exactly, on the number's integral part and what is cut off.
  double floor_ = std::floor(std::fabs(real));
  BigInt size = number(*power(makeInt(10), makeInt(-places), nullptr))->wide(), quotient, remainder;
  BigInt::floorDivide(BigInt::fromDouble(floor_), size, quotient, remainder);
  auto order = remainder + remainder <=> size;
  bool above = std::fabs(real) > floor_;
  if (order > 0 || (order == 0 && (above || quotient.odd())))
    quotient = quotient + BigInt(1);
  double result = (quotient * size).toDouble();
  if (std::isinf(result))
    raise("OverflowError", "rounded value too large to represent");
  return makeFloat(std::copysign(result, real));
}

} // namespace tilewright::syntax
