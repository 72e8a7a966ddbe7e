// Class statements: modules, namespaces, dataclasses, enumerations, named tuples.
#include "syntax/Interpreter.h"

#include <algorithm>

namespace tilewright::syntax {

namespace {

/// Names bound in a class body, in the order of their statements.
std::vector<std::string> bodyOrder(const Scope &scope) {
  std::vector<std::pair<uint32_t, std::string>> places;
  for (const auto &[name, value] : scope.names) {
    auto place = scope.places.find(name);
    places.emplace_back(place == scope.places.end() ? UINT32_MAX : place->second.node.index(), name);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::string> order;
  for (auto &[place, name] : places)
    order.push_back(std::move(name));
  return order;
}

bool isField(const ValueRef &value) {
  const auto *instance = value->as<InstanceValue>();
  const auto *type = instance ? instance->type->as<Builtin>() : nullptr;
  return type && type->name == "dataclasses.Field";
}

/// Annotated names of a class body, in order, with the source of their annotation.
std::vector<std::pair<std::string, std::string>> annotatedNames(Node body) {
  std::vector<std::pair<std::string, std::string>> names;
  for (Node statement : body.children())
    if (statement.is(Kind::AnnAssign))
      if (Node target = statement.child(Role::Target); target.is(Kind::Name)) {
        Node annotation = statement.child(Role::Annotation);
        std::string name(target.text());
        if (std::none_of(names.begin(), names.end(), [&](const auto &known) { return known.first == name; }))
          names.emplace_back(std::move(name), annotation ? std::string(annotation.source()) : "");
      }
  return names;
}

} // namespace

void Interpreter::defineClass(Node node) {
  List decorators, bases;
  ValueRef doubt; // why instances cannot be evaluated
  for (Node child : node.children()) {
    if (child.role() == Role::Decorator)
      decorators.push_back(eval(child));
    else if (child.role() == Role::Argument && child.is(Kind::Keyword)) {
      ValueRef value = eval(child.firstChild());
      const auto *builtin = value->as<Builtin>();
      if (child.text() == "metaclass" && !(builtin && (builtin->name == "abc.ABCMeta" || builtin->name == "type" || builtin->name == "enum.EnumMeta")))
        doubt = unknownHere("a metaclass is not evaluated");
    } else if (child.role() == Role::Argument) {
      if (child.is(Kind::Starred))
        for (ValueRef &base : items(eval(child.firstChild())))
          bases.push_back(std::move(base));
      else
        bases.push_back(eval(child));
    }
  }
  ValueRef moduleDecorator;
  bool opaque = false;
  for (const ValueRef &decorator : decorators) {
    opaque |= isOpaque(*decorator);
    if (isModuleDecorator(*decorator))
      moduleDecorator = decorator;
  }

  ClassValue made;
  made.name = std::string(node.text());
  made.definition = {frame->tree, node};
  made.decorators = decorators;
  uint32_t depth = 0;
  bool namedTuple = false, enumBase = false, intBase = false, strBase = false;
  for (const ValueRef &base : bases) {
    ValueRef plain = base;
    if (const auto *operation = base->as<OpaqueOperation>(); operation && operation->op == "[]" && operation->operands[0]->as<Builtin>())
      plain = operation->operands[0]; // Generic[T]
    if (const auto *builtin = plain->as<Builtin>()) {
      const std::string &name = builtin->name;
      if (name == "object" || name == "typing.Generic" || name == "typing.Protocol" || name == "abc.ABC")
        continue;
      namedTuple |= name == "typing.NamedTuple";
      enumBase |= name.rfind("enum.", 0) == 0;
      intBase |= name == "int" || name == "enum.IntEnum" || name == "enum.IntFlag";
      strBase |= name == "str" || name == "enum.StrEnum";
      if (!isBuiltinType(name))
        plain = unknownHere("a class derived from `" + name + "` is not evaluated");
    } else if (const auto *type = plain->as<ClassValue>()) {
      enumBase |= type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum;
      intBase |= type->flavor == ClassValue::Flavor::IntEnum;
      strBase |= type->flavor == ClassValue::Flavor::StrEnum;
      if (classAttribute(plain, "__init_subclass__"))
        doubt = unknownHere("`__init_subclass__` is not evaluated");
    } else if (!plain->isUnknown() && !isOpaque(*plain))
      plain = unknownHere("a class derived from " + repr(*plain, 40) + " is not evaluated");
    depth = std::max(depth, plain->depth);
    made.bases.push_back(plain);
  }
  for (ValueRef &base : made.bases)
    if (const auto *builtin = base->as<Builtin>(); builtin && !enumBase && builtin->name != "typing.NamedTuple" &&
                                                   !isSubclass(base, builtinNamed("BaseException")))
      base = unknownHere("a class derived from `" + builtin->name + "` is not evaluated");
  if (doubt)
    made.bases.push_back(doubt);

  auto scope = std::make_shared<Scope>();
  scope->parent = frame->scope;
  scope->isClass = true;
  scope->owner = id;
  keeper->scopes.push_back(scope);
  keeper->scopes.push_back(frame->scope); // the class, bound there, leads back to it
  Frame body;
  body.scope = scope;
  body.tree = frame->tree;
  body.home = scope.get();
  body.caller = frame;
  body.module = moduleDecorator != nullptr;
  struct Enter {
    Interpreter &interpreter;
    Frame *before;
    ~Enter() { interpreter.frame = before; }
  };
  {
    Enter enter{*this, frame};
    frame = &body;
    if (Node block_ = node.child(Role::Block))
      block(block_);
  }
  at = node;

  if (moduleDecorator) {
    auto value = make(ModuleValue{made.name, made.definition, moduleDecorator, scope, bodyOrder(*scope)});
    nest(*value, moduleDecorator->depth);
    if (out)
      out->modules.push_back({item, value});
    bind(node.text(), value, node);
    return;
  }
  made.members = scope;
  // A class without fields or an initializer of its own makes its instances as its base does.
  if (!enumBase)
    for (const ValueRef &base : made.bases)
      if (const auto *type = base->as<ClassValue>(); type && !type->fields.empty()) {
        made.flavor = type->flavor;
        made.fields = type->fields;
        made.frozen = type->frozen;
        made.ordered = type->ordered;
        made.comparable = type->comparable;
        made.initialized = type->initialized && !classAttribute(base, "__init__");
        break;
      }
  if (namedTuple) {
    made.flavor = ClassValue::Flavor::NamedTuple;
    for (const auto &[name, annotation] : annotatedNames(node.child(Role::Block))) {
      auto found = scope->names.find(name);
      made.fields.push_back({name, found == scope->names.end() ? nullptr : found->second});
      if (found != scope->names.end())
        scope->names.erase(found);
    }
    made.bases.clear();
  }
  if (enumBase)
    made.flavor = intBase ? ClassValue::Flavor::IntEnum : strBase ? ClassValue::Flavor::StrEnum : ClassValue::Flavor::Enum;
  auto type = make(std::move(made));
  nest(*type, depth);
  ValueRef value = type;
  if (enumBase)
    value = enumeration(value, bodyOrder(*scope));
  if (!opaque)
    value = decorate(value, decorators, 0);
  bind(node.text(), std::move(value), node);
}

ValueRef Interpreter::enumeration(const ValueRef &type, const std::vector<std::string> &order) {
  auto &made = std::get<ClassValue>(changing(type).data);
  Scope &members = *made.members;
  bool flags = false;
  for (const ValueRef &base : resolution(type)) {
    if (base->isUnknown())
      return base;
    const auto *builtin = base->as<Builtin>();
    flags |= builtin && (builtin->name == "enum.Flag" || builtin->name == "enum.IntFlag");
  }
  for (const char *name : {"__new__", "_missing_", "_generate_next_value_"})
    if (classAttribute(type, name))
      return unknownHere(std::string("an enumeration with `") + name + "` is not evaluated");
  int64_t last = 0;
  bool lastIsInteger = true;
  for (const std::string &name : order) {
    ValueRef value = members.names.at(name);
    const auto *instance = value->as<InstanceValue>();
    const auto *kind = instance ? instance->type->as<Builtin>() : nullptr;
    bool descriptor = kind && (kind->name == "property" || kind->name == "staticmethod" || kind->name == "classmethod" || kind->name == "functools.cached_property");
    if (name[0] == '_' || value->as<FunctionValue>() || descriptor || value->as<ClassValue>())
      continue;
    if (kind && kind->name == "enum.auto") {
      if (made.flavor == ClassValue::Flavor::StrEnum) {
        std::string lower = name;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
        value = makeString(lower);
      } else if (!lastIsInteger)
        value = unknownHere("`auto()` after a value that is not an integer is not evaluated");
      else if (flags) {
        int64_t bit = 1;
        while (bit <= last && bit < INT64_MAX / 2)
          bit *= 2;
        value = makeInt(bit);
      } else
        value = makeInt(last + 1);
    }
    if (value->isUnknown())
      continue;
    auto integer_ = value->integer();
    lastIsInteger = integer_.has_value();
    if (integer_)
      last = std::max(last, *integer_);
    ValueRef same_;
    for (const ValueRef &known : made.elements)
      try {
        if (equals(known->as<InstanceValue>()->fields.at("value"), value))
          same_ = known;
      } catch (Undetermined &) {
      }
    if (!same_) {
      same_ = make(InstanceValue{type, {{"name", makeString(name)}, {"value", value}}});
      made.elements.push_back(same_);
      members.names.insert_or_assign(name, same_);
      if (auto init = special(same_, "__init__")) {
        const auto *parts = value->as<Value::Tuple>();
        call(init, parts ? parts->elements : List{value});
      }
    } else
      members.names.insert_or_assign(name, same_);
  }
  keeper->containers.push_back(type); // its elements refer back to it
  return type;
}

ValueRef Interpreter::namedTupleType(std::string name, std::vector<ClassValue::Field> fields) {
  ClassValue made;
  made.name = std::move(name);
  made.flavor = ClassValue::Flavor::NamedTuple;
  made.fields = std::move(fields);
  made.members = std::make_shared<Scope>();
  made.members->isClass = true;
  made.members->owner = id;
  return make(std::move(made));
}

ValueRef Interpreter::dataclass(const ValueRef &type, const Arguments &options) {
  auto option = [&](std::string_view name, bool absent) {
    ValueRef value = options.keyword(name);
    return value ? truth(value) : absent;
  };
  if (type->isUnknown())
    return type;
  if (!type->as<ClassValue>())
    raise("TypeError", "dataclass() should be called with a class");
  auto &made = std::get<ClassValue>(changing(type).data);
  made.flavor = ClassValue::Flavor::Dataclass;
  made.frozen = option("frozen", false);
  made.ordered = option("order", false);
  made.comparable = option("eq", true);
  made.initialized = option("init", true);
  bool keywordOnly = option("kw_only", false);
  std::vector<ClassValue::Field> fields;
  auto place = [&](ClassValue::Field field) {
    for (auto &known : fields)
      if (known.name == field.name) {
        known = std::move(field);
        return;
      }
    fields.push_back(std::move(field));
  };
  auto order = resolution(type);
  for (size_t i = order.size(); i-- > 1;)
    if (const auto *base = order[i]->as<ClassValue>(); base && base->flavor == ClassValue::Flavor::Dataclass)
      for (const auto &field : base->fields)
        place(field);
  Node body = made.definition.node ? made.definition.node.child(Role::Block) : Node();
  if (body)
    for (const auto &[name, annotation] : annotatedNames(body)) {
      if (annotation.find("KW_ONLY") != std::string::npos) {
        keywordOnly = true;
        continue;
      }
      if (annotation.find("ClassVar") != std::string::npos)
        continue;
      if (annotation.find("InitVar") != std::string::npos)
        return unknownHere("a dataclass with `InitVar` is not evaluated");
      ClassValue::Field field{name, nullptr};
      field.keywordOnly = keywordOnly;
      auto found = made.members->names.find(name);
      if (found != made.members->names.end()) {
        ValueRef value = found->second;
        if (isField(value)) {
          const auto &given = value->as<InstanceValue>()->fields;
          auto flag = [&](const char *key, bool absent) {
            auto entry = given.find(key);
            return entry == given.end() ? absent : truth(entry->second);
          };
          field.init = flag("init", true);
          field.inRepr = flag("repr", true);
          field.compared = flag("compare", true);
          field.keywordOnly = flag("kw_only", keywordOnly);
          if (auto factory = given.find("default_factory"); factory != given.end()) {
            field.value = factory->second;
            field.factory = true;
          } else if (auto absent = given.find("default"); absent != given.end())
            field.value = absent->second;
          if (field.value && !field.factory)
            found->second = field.value;
          else
            made.members->names.erase(found);
        } else {
          if (value->as<Value::ListOf>() || value->as<Value::Dict>() || (value->as<Value::SetOf>() && !value->as<Value::SetOf>()->frozen))
            raise("ValueError", "mutable default <class '" + std::string(typeName(*value)) + "'> for field " + name + " is not allowed: use default_factory");
          field.value = value;
        }
      }
      place(std::move(field));
    }
  const ClassValue::Field *before = nullptr;
  for (const auto &field : fields) {
    if (!field.init || field.keywordOnly)
      continue;
    if (!field.value && before && made.initialized)
      raise("TypeError", "non-default argument '" + field.name + "' follows default argument '" + before->name + "'");
    if (field.value)
      before = &field;
  }
  made.fields = std::move(fields);
  return type;
}

ValueRef Interpreter::exception(std::string_view type, std::string message) {
  List arguments;
  if (!message.empty())
    arguments.push_back(makeString(std::move(message)));
  ValueRef kind = builtinNamed(type);
  if (!kind)
    kind = std::make_shared<Value>(Builtin{std::string(type)});
  return make(InstanceValue{kind, {{"args", tuple(std::move(arguments))}}});
}

} // namespace tilewright::syntax
