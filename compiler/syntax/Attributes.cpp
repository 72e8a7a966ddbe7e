// Attributes of every kind of value, and method resolution.
#include "syntax/Interpreter.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::syntax {

static bool isEnumeration(const ClassValue &type) {
  return type.flavor >= ClassValue::Flavor::Enum && type.flavor <= ClassValue::Flavor::StrEnum;
}

/// Is this a descriptor of ours: property, staticmethod, classmethod, cached_property?
static const InstanceValue *descriptor(const ValueRef &value, std::string_view kind) {
  const auto *instance = value->as<InstanceValue>();
  const auto *type = instance ? instance->type->as<Builtin>() : nullptr;
  return type && type->name == kind ? instance : nullptr;
}

std::vector<ValueRef> Interpreter::resolution(const ValueRef &type) {
  // Linearised as Python does for simple hierarchies: depth first, the last of duplicates stays.
  std::vector<ValueRef> order;
  std::function<void(const ValueRef &, int)> visit = [&](const ValueRef &one, int depth) {
    if (depth > 60)
      return;
    step();
    order.push_back(one);
    if (const auto *classValue = one->as<ClassValue>())
      for (const ValueRef &base : classValue->bases)
        visit(base, depth + 1);
  };
  visit(type, 0);
  std::vector<ValueRef> result;
  for (size_t i = 0; i < order.size(); ++i)
    if (std::none_of(order.begin() + static_cast<ptrdiff_t>(i) + 1, order.end(), [&](const ValueRef &later) { return later == order[i]; }))
      result.push_back(order[i]);
  return result;
}

ValueRef Interpreter::classAttribute(const ValueRef &type, std::string_view name, ValueRef *owner) {
  const auto *classValue = type->as<ClassValue>();
  if (!classValue)
    return nullptr;
  if (auto found = classValue->members->names.find(name); found != classValue->members->names.end()) {
    if (owner)
      *owner = type;
    return found->second;
  }
  if (classValue->bases.empty())
    return nullptr;
  for (const ValueRef &base : resolution(type)) {
    if (base->isUnknown() || isOpaque(*base))
      return nullptr;
    const auto *members = base->as<ClassValue>();
    if (!members)
      continue;
    if (auto found = members->members->names.find(name); found != members->members->names.end()) {
      if (owner)
        *owner = base;
      return found->second;
    }
  }
  return nullptr;
}

ValueRef Interpreter::special(const ValueRef &instance, std::string_view name) {
  const auto *value = instance->as<InstanceValue>();
  if (!value || !value->type->as<ClassValue>())
    return nullptr;
  ValueRef owner;
  ValueRef member = classAttribute(value->type, name, &owner);
  return member && !isNone(member) ? bindMember(member, owner, value->type, instance) : nullptr;
}

ValueRef Interpreter::bindMember(const ValueRef &member, const ValueRef &owner, const ValueRef &type, const ValueRef &instance) {
  if (const auto *method = descriptor(member, "staticmethod"))
    return method->fields.at("function");
  if (const auto *method = descriptor(member, "classmethod"))
    return bindMember(method->fields.at("function"), owner, type, type);
  if (instance && (descriptor(member, "property") || descriptor(member, "functools.cached_property"))) {
    const auto &fields = member->as<InstanceValue>()->fields;
    ValueRef getter = fields.at("fget");
    if (getter->as<FunctionValue>())
      return callFunction(getter, Arguments{{instance}, {}}, owner);
    return call(getter, List{instance});
  }
  if (instance && member->as<FunctionValue>()) {
    auto method = make(BoundMethod{instance, member});
    nest(*method, instance->depth);
    return method;
  }
  return member;
}

static const std::map<std::string_view, std::vector<std::string_view>> &methods() {
  static const std::map<std::string_view, std::vector<std::string_view>> table = {
      {"str", {"capitalize", "casefold", "center", "count", "encode", "endswith", "expandtabs", "find", "format", "format_map", "index", "isalnum", "isalpha",
               "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "join", "ljust",
               "lower", "lstrip", "maketrans", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit",
               "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "translate", "upper", "zfill"}},
      {"list", {"append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"}},
      {"tuple", {"count", "index"}},
      {"dict", {"clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"}},
      {"set", {"add", "clear", "copy", "difference", "difference_update", "discard", "intersection", "intersection_update", "isdisjoint", "issubset",
               "issuperset", "pop", "remove", "symmetric_difference", "symmetric_difference_update", "union", "update"}},
      {"frozenset", {"copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference", "union"}},
      {"int", {"bit_length", "bit_count", "conjugate", "to_bytes", "from_bytes", "as_integer_ratio", "is_integer"}},
      {"float", {"is_integer", "as_integer_ratio", "hex", "conjugate", "fromhex"}},
      {"range", {"count", "index"}}};
  return table;
}

ValueRef Interpreter::attributeOrNull(const ValueRef &object, std::string_view name) {
  if (object->isUnknown())
    return object;
  if (const auto *opaque = object->as<Opaque>()) {
    if (opaque->called)
      return opaqueOperation("." + std::string(name), {object});
    std::string callee = opaque->callee + "." + std::string(name);
    // Names of the DSL go by their own name, however its modules were imported.
    for (std::string_view module : {"tilefoundry.dsl.", "tilefoundry.target."})
      if (callee.rfind(module, 0) == 0)
        callee = callee.substr(module.size());
    if (callee.rfind("tilefoundry.", 0) == 0 && name[0] >= 'A' && name[0] <= 'Z' && std::none_of(opaque->callee.begin(), opaque->callee.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
      callee = std::string(name);
    if (callee.size() > 400)
      limit(Code::SizeLimit, "a dotted name of more than 400 characters");
    return make(Opaque{std::move(callee), false, {}, {}, here()});
  }
  if (object->as<OpaqueOperation>())
    return opaqueOperation("." + std::string(name), {object});
  if (const auto *instance = object->as<InstanceValue>()) {
    ValueRef owner, member = classAttribute(instance->type, name, &owner);
    if (member && descriptor(member, "property"))
      return bindMember(member, owner, instance->type, object);
    if (auto found = instance->fields.find(std::string(name)); found != instance->fields.end())
      return found->second;
    if (member) {
      ValueRef bound = bindMember(member, owner, instance->type, object);
      if (descriptor(member, "functools.cached_property"))
        setAttribute(object, name, bound);
      return bound;
    }
    if (name == "__class__")
      return instance->type;
    if (name == "__dict__") {
      std::vector<std::pair<ValueRef, ValueRef>> items;
      for (const auto &[key, value] : instance->fields)
        items.emplace_back(makeString(key), value);
      if (items.size() > 1)
        unknown("the order of `__dict__` is not kept");
      return dict(std::move(items));
    }
    if (const auto *type = instance->type->as<ClassValue>()) {
      if (isEnumeration(*type) && (name == "_value_" || name == "_name_"))
        return attributeOrNull(object, name.substr(1, name.size() - 2));
      if (type->flavor == ClassValue::Flavor::StrEnum || type->flavor == ClassValue::Flavor::IntEnum)
        return attributeOrNull(instance->fields.at("value"), name);
      if (ValueRef fallback = special(object, "__getattr__"))
        return call(fallback, List{makeString(std::string(name))});
      for (const ValueRef &base : resolution(instance->type))
        if (base->isUnknown() || isOpaque(*base))
          return unknownHere("`" + std::string(name) + "` may come from " + repr(*base, 60));
    } else if (const auto *type = instance->type->as<Builtin>()) {
      if (type->name == "super") {
        const ValueRef &self = instance->fields.at("self"), &from = instance->fields.at("class");
        ValueRef actual = self->as<ClassValue>() ? self : self->as<InstanceValue>() ? self->as<InstanceValue>()->type : from;
        bool past = false;
        for (const ValueRef &base : resolution(actual)) {
          if (past) {
            if (base->isUnknown() || isOpaque(*base))
              return unknownHere("`" + std::string(name) + "` may come from " + repr(*base, 60));
            if (const auto *members = base->as<ClassValue>())
              if (auto found = members->members->names.find(name); found != members->members->names.end())
                return bindMember(found->second, base, actual, self->as<ClassValue>() ? nullptr : self);
          }
          past |= base == from;
        }
        if (name == "__init__" || name == "__init_subclass__" || name == "__post_init__")
          return builtinNamed("object.__init__");
        return unknownHere("`super()." + std::string(name) + "` is not evaluated");
      }
      if (type->name == "functools.partial" && (name == "func" || name == "args" || name == "keywords"))
        return instance->fields.at(std::string(name));
      if (type->name == "property" && (name == "setter" || name == "getter" || name == "deleter"))
        return make(BoundMethod{object, builtinNamed("property." + std::string(name))});
    }
    return nullptr;
  }
  if (const auto *type = object->as<ClassValue>()) {
    ValueRef owner;
    if (ValueRef member = classAttribute(object, name, &owner))
      return bindMember(member, owner, object, nullptr);
    if (name == "__name__" || name == "__qualname__")
      return makeString(type->name);
    if (name == "__members__" && isEnumeration(*type)) {
      std::vector<std::pair<ValueRef, ValueRef>> items;
      for (const ValueRef &element : type->elements)
        items.emplace_back(element->as<InstanceValue>()->fields.at("name"), element);
      return dict(std::move(items));
    }
    if (type->flavor == ClassValue::Flavor::NamedTuple) {
      if (name == "_fields") {
        List names;
        for (const auto &field : type->fields)
          names.push_back(makeString(field.name));
        return tuple(std::move(names));
      }
      if (name == "_make")
        return make(BoundMethod{object, std::make_shared<Value>(Builtin{"namedtuple._make"})});
    }
    if (name == "__doc__" || name == "__module__" || name == "__dict__" || name == "__annotations__" || name == "__mro__" || name == "__bases__" ||
        name == "__dataclass_fields__")
      return unknownHere("`" + type->name + "." + std::string(name) + "` is not evaluated");
    for (const ValueRef &base : resolution(object))
      if (base->isUnknown() || isOpaque(*base))
        return unknownHere("`" + std::string(name) + "` may come from " + repr(*base, 60));
    return nullptr;
  }
  if (const auto *module = object->as<ModuleValue>()) {
    if (auto found = module->members->names.find(name); found != module->members->names.end())
      return found->second;
    if (name == "__name__")
      return makeString(module->name);
    return unknownHere("`" + module->name + "." + std::string(name) + "` is not evaluated: modules have attributes of their own");
  }
  if (const auto *tuple_ = object->as<Value::Tuple>(); tuple_ && tuple_->type) {
    const auto *type = tuple_->type->as<ClassValue>();
    for (size_t i = 0; i < type->fields.size() && i < tuple_->elements.size(); ++i)
      if (type->fields[i].name == name)
        return tuple_->elements[i];
    if (name == "_fields")
      return attributeOrNull(tuple_->type, name);
    if (name == "_replace" || name == "_asdict")
      return make(BoundMethod{object, std::make_shared<Value>(Builtin{"namedtuple." + std::string(name)})});
    ValueRef owner;
    if (ValueRef member = classAttribute(tuple_->type, name, &owner))
      return bindMember(member, owner, tuple_->type, object);
  }
  if (const auto *builtin = object->as<Builtin>())
    return libraryAttribute(builtin->name, name);
  if (const auto *function = object->as<FunctionValue>()) {
    if (name == "__name__" || name == "__qualname__")
      return makeString(function->name);
    return unknownHere("`" + function->name + "." + std::string(name) + "` is not evaluated");
  }
  if (const auto *method = object->as<BoundMethod>()) {
    if (name == "__self__")
      return method->self;
    if (name == "__func__")
      return method->function;
    return attributeOrNull(method->function, name);
  }
  if (const auto *range = object->as<Value::Range>()) {
    if (name == "start" || name == "stop" || name == "step")
      return makeInt(name == "start" ? range->start : name == "stop" ? range->stop : range->step);
  }
  if (const auto *slice = object->as<Value::SliceOf>()) {
    if (name == "start" || name == "stop" || name == "step")
      return name == "start" ? slice->start : name == "stop" ? slice->stop : slice->step;
  }
  if (auto numeric = number(*object)) {
    if (name == "real" || name == "numerator")
      return object->as<bool>() ? makeInt(numeric->small) : object;
    if (name == "imag")
      return numeric->kind == Number::Float ? makeFloat(0) : makeInt(0);
    if (name == "denominator" && numeric->kind != Number::Float)
      return makeInt(1);
  }
  std::string_view kind = object->as<bool>() ? "int" : typeName(*object);
  if (object->as<Value::Tuple>())
    kind = "tuple";
  if (name == "__class__")
    return typeOf(object);
  if (auto known = methods().find(kind); known != methods().end() && std::find(known->second.begin(), known->second.end(), name) != known->second.end()) {
    auto method = make(BoundMethod{object, std::make_shared<Value>(Builtin{std::string(kind) + "." + std::string(name)})});
    nest(*method, object->depth);
    return method;
  }
  if (name.size() > 4 && name.substr(0, 2) == "__")
    return unknownHere("`" + std::string(kind) + "." + std::string(name) + "` is not evaluated");
  return nullptr;
}

ValueRef Interpreter::attribute(const ValueRef &object, std::string_view name) {
  ValueRef value = attributeOrNull(object, name);
  if (value)
    return value;
  const auto *type = object->as<ClassValue>();
  const auto *builtin = object->as<Builtin>();
  raise("AttributeError", (type      ? "type object '" + type->name + "'"
                           : builtin ? "module '" + builtin->name + "'"
                                     : "'" + std::string(typeName(*object)) + "' object") +
                              " has no attribute '" + std::string(name) + "'");
}

void Interpreter::setAttribute(const ValueRef &object, std::string_view name, const ValueRef &value) {
  if (object->isUnknown())
    return;
  if (isOpaque(*object)) {
    taint(object, unknownHere("an attribute set on " + repr(*object, 40) + " is not evaluated"));
    return;
  }
  if (const auto *instance = object->as<InstanceValue>()) {
    const auto *type = instance->type->as<ClassValue>();
    if (type) {
      ValueRef owner, member = classAttribute(instance->type, name, &owner);
      if (const auto *property = member ? descriptor(member, "property") : nullptr) {
        auto setter = property->fields.find("fset");
        if (setter == property->fields.end())
          raise("AttributeError", "property '" + std::string(name) + "' of '" + type->name + "' object has no setter");
        callFunction(setter->second, Arguments{{object, value}, {}}, owner);
        return;
      }
      if (special(object, "__setattr__"))
        return taint(object, unknownHere("`" + type->name + ".__setattr__` is not evaluated"));
      if (type->flavor == ClassValue::Flavor::Dataclass && type->frozen)
        raise("dataclasses.FrozenInstanceError", "cannot assign to field '" + std::string(name) + "'");
    }
    std::get<InstanceValue>(changing(object).data).fields[std::string(name)] = value;
    holds(object, value);
    return;
  }
  Scope *scope = nullptr;
  if (const auto *type = object->as<ClassValue>())
    scope = type->members.get();
  else if (const auto *module = object->as<ModuleValue>())
    scope = module->members.get();
  if (scope) {
    if (scope->owner != id)
      unknown("`" + std::string(name) + "` was made while the file was read and is not changed here");
    scope->names.insert_or_assign(std::string(name), value);
    return;
  }
  if (object->as<FunctionValue>())
    return; // attributes of functions read as unknown
  raise("AttributeError", "'" + std::string(typeName(*object)) + "' object has no attribute '" + std::string(name) + "'");
}

void Interpreter::deleteAttribute(const ValueRef &object, std::string_view name) {
  if (const auto *instance = object->as<InstanceValue>(); instance && instance->fields.count(std::string(name))) {
    std::get<InstanceValue>(changing(object).data).fields.erase(std::string(name));
    return;
  }
  if (const auto *type = object->as<ClassValue>(); type && type->members->names.count(name) && type->members->owner == id) {
    type->members->names.erase(type->members->names.find(name));
    return;
  }
  if (!object->isUnknown() && !isOpaque(*object))
    raise("AttributeError", "'" + std::string(typeName(*object)) + "' object has no attribute '" + std::string(name) + "'");
}

// ---- types

ValueRef Interpreter::typeOf(const ValueRef &value) {
  if (value->isUnknown())
    return value;
  if (const auto *instance = value->as<InstanceValue>())
    return instance->type;
  if (const auto *tuple_ = value->as<Value::Tuple>(); tuple_ && tuple_->type)
    return tuple_->type;
  if (isOpaque(*value) || value->as<ModuleValue>())
    unknown("the type of " + repr(*value, 40) + " is not known");
  if (value->as<ClassValue>())
    return builtinNamed("type");
  if (const auto *builtin = value->as<Builtin>(); builtin && isBuiltinType(builtin->name))
    return builtinNamed("type");
  std::string_view name = typeName(*value);
  if (ValueRef known = builtinNamed(name))
    return known;
  return std::make_shared<Value>(Builtin{std::string(name)});
}

bool Interpreter::isSubclass(const ValueRef &type, const ValueRef &base) {
  if (type->isUnknown())
    throw Undetermined{type};
  if (base->isUnknown())
    throw Undetermined{base};
  if (isOpaque(*base) || isOpaque(*type))
    unknown("whether " + repr(*type, 40) + " is a " + repr(*base, 40) + " is not known");
  if (const auto *bases = base->as<Value::Tuple>()) {
    for (const ValueRef &one : bases->elements)
      if (isSubclass(type, isNone(one) ? typeOf(one) : one))
        return true;
    return false;
  }
  if (!base->as<ClassValue>() && !base->as<Builtin>())
    raise("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union");
  // The builtin classes' own hierarchy.
  static const std::map<std::string_view, std::string_view> parents = {
      {"bool", "int"}, {"Exception", "BaseException"}, {"ArithmeticError", "Exception"}, {"LookupError", "Exception"},
      {"ZeroDivisionError", "ArithmeticError"}, {"OverflowError", "ArithmeticError"}, {"FloatingPointError", "ArithmeticError"},
      {"IndexError", "LookupError"}, {"KeyError", "LookupError"}, {"NameError", "Exception"}, {"UnboundLocalError", "NameError"},
      {"RuntimeError", "Exception"}, {"RecursionError", "RuntimeError"}, {"NotImplementedError", "RuntimeError"}, {"TypeError", "Exception"},
      {"ValueError", "Exception"}, {"UnicodeError", "ValueError"}, {"AttributeError", "Exception"}, {"AssertionError", "Exception"},
      {"StopIteration", "Exception"}, {"ImportError", "Exception"}, {"ModuleNotFoundError", "ImportError"}, {"OSError", "Exception"},
      {"FileNotFoundError", "OSError"}, {"PermissionError", "OSError"}, {"TimeoutError", "OSError"}, {"EOFError", "Exception"}, {"MemoryError", "Exception"},
      {"SystemError", "Exception"}, {"Warning", "Exception"}, {"UserWarning", "Warning"}, {"DeprecationWarning", "Warning"},
      {"RuntimeWarning", "Warning"}, {"SystemExit", "BaseException"}, {"KeyboardInterrupt", "BaseException"}, {"GeneratorExit", "BaseException"},
      {"dataclasses.FrozenInstanceError", "AttributeError"}, {"enum.IntEnum", "enum.Enum"}, {"enum.StrEnum", "enum.Enum"}, {"enum.Flag", "enum.Enum"},
      {"enum.IntFlag", "enum.Flag"}, {"collections.OrderedDict", "dict"}};
  bool doubt = false;
  for (const ValueRef &one : resolution(type)) {
    if (same(*one, *base))
      return true;
    doubt |= one->isUnknown() || isOpaque(*one);
    if (const auto *wanted = base->as<Builtin>()) {
      if (wanted->name == "object")
        return true;
      const auto *classValue = one->as<ClassValue>();
      if (classValue && classValue->flavor == ClassValue::Flavor::NamedTuple && wanted->name == "tuple")
        return true;
      if (classValue && ((classValue->flavor == ClassValue::Flavor::IntEnum && wanted->name == "int") ||
                         (classValue->flavor == ClassValue::Flavor::StrEnum && wanted->name == "str")))
        return true;
      if (const auto *builtin = one->as<Builtin>()) {
        std::string_view name = builtin->name;
        for (int i = 0; i < 6 && name != wanted->name; ++i) {
          auto parent = parents.find(name);
          if (parent == parents.end())
            break;
          name = parent->second;
        }
        if (name == wanted->name)
          return true;
        // Abstract classes of collections.abc, typing and numbers.
        std::string_view abstract = wanted->name;
        if (abstract.rfind("collections.abc.", 0) == 0 || abstract.rfind("typing.", 0) == 0 || abstract.rfind("numbers.", 0) == 0) {
          abstract = abstract.substr(abstract.rfind('.') + 1);
          auto among = [&](std::initializer_list<std::string_view> names) { return std::find(names.begin(), names.end(), builtin->name) != names.end(); };
          if (abstract == "Sequence")
            return among({"str", "list", "tuple", "range", "bytes"});
          if (abstract == "Mapping" || abstract == "MutableMapping")
            return among({"dict"});
          if (abstract == "MutableSequence")
            return among({"list"});
          if (abstract == "Set")
            return among({"set", "frozenset", "dict_keys", "dict_items"});
          if (abstract == "Iterable" || abstract == "Collection" || abstract == "Sized" || abstract == "Container")
            return among({"str", "list", "tuple", "range", "dict", "set", "frozenset"});
          if (abstract == "Hashable")
            return !among({"list", "dict", "set"});
          if (abstract == "Number" || abstract == "Real" || abstract == "Complex")
            return among({"int", "float", "bool"});
          if (abstract == "Integral" || abstract == "Rational")
            return among({"int", "bool"});
          unknown("`isinstance` with `" + wanted->name + "` is not evaluated");
        }
      }
    }
  }
  if (doubt)
    unknown("the bases of " + repr(*type, 40) + " are not known");
  return false;
}

bool Interpreter::isInstance(const ValueRef &value, const ValueRef &type) {
  if (value->isUnknown())
    throw Undetermined{value};
  if (type->isUnknown())
    throw Undetermined{type};
  if (isOpaque(*value)) {
    // A DSL value is none of Python's own types.
    auto builtin = [](const ValueRef &one) {
      static const std::set<std::string_view> own = {"int", "float", "str", "bool", "list", "tuple", "dict", "set", "frozenset", "range", "slice"};
      const auto *named = one->as<Builtin>();
      return (named && own.count(named->name)) || isNone(one);
    };
    const auto *several = type->as<Value::Tuple>();
    if (several ? std::all_of(several->elements.begin(), several->elements.end(), builtin) : builtin(type))
      return false;
    unknown("whether " + repr(*value, 40) + " is a " + repr(*type, 40) + " is not known");
  }
  return isSubclass(typeOf(value), type);
}

} // namespace tilewright::syntax
