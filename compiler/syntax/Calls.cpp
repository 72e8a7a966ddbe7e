// Calls: of functions, classes, bound methods and DSL names.
#include "syntax/Interpreter.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::syntax {

const FunctionShape &Interpreter::shapeOf(const Place &definition) {
  auto [entry, fresh] = shapes_.try_emplace({definition.tree.get(), definition.node.index()});
  FunctionShape &shape = entry->second;
  if (!fresh)
    return shape;
  Bindings bindings;
  Node body = definition.node.child(definition.node.is(Kind::Lambda) ? Role::Value : Role::Block);
  if (body)
    bindings.collect(body);
  if (Node parameters = definition.node.child(Role::Parameters))
    for (Node parameter : parameters.children())
      if (parameter.is(Kind::Parameter))
        bindings.names.insert(parameter.text());
  shape.globals = bindings.globals;
  shape.nonlocals = bindings.nonlocals;
  shape.generator = bindings.generator;
  for (std::string_view name : bindings.names)
    if (!shape.globals.count(name) && !shape.nonlocals.count(name))
      shape.locals.push_back(name);
  return shape;
}

ValueRef Interpreter::functionValue(Node definition, List decorators) {
  charge(5);
  FunctionValue function;
  function.name = definition.is(Kind::Lambda) ? "<lambda>" : std::string(definition.text());
  function.definition = {frame->tree, definition};
  function.closure = frame->scope;
  function.decorators = std::move(decorators);
  uint32_t depth = 0;
  if (Node parameters = definition.child(Role::Parameters))
    for (Node parameter : parameters.children())
      if (parameter.is(Kind::Parameter)) {
        Node value = parameter.child(Role::Value);
        function.defaults.push_back(value ? eval(value) : nullptr);
        if (value)
          depth = std::max(depth, function.defaults.back()->depth);
      }
  if (keeper->scopes.empty() || keeper->scopes.back() != frame->scope)
    keeper->scopes.push_back(frame->scope);
  auto value = make(std::move(function));
  nest(*value, depth);
  return value;
}

ValueRef Interpreter::callFunction(const ValueRef &calleeRef, Arguments arguments, ValueRef owner) {
  const ValueRef callee = calleeRef; // the caller's may be bound to something else meanwhile
  const FunctionValue &function = *callee->as<FunctionValue>();
  for (const ValueRef &decorator : function.decorators)
    if (isOpaque(*decorator) || decorator->isUnknown())
      return unknownHere("`" + function.name + "` is a schedule function and is not called here");
  if (function.definition.node.has(kAsync))
    return unknownHere("`" + function.name + "` is async and is not called");
  charge(5); // an activation costs more than other steps
  if (calls >= limits_.depth)
    limit(Code::DepthLimit, "calls nest deeper than " + std::to_string(limits_.depth) + ", the limit for constants");
  const FunctionShape &shape = shapeOf(function.definition);
  Frame activation;
  activation.scope = std::make_shared<Scope>();
  activation.scope->parent = function.closure;
  activation.scope->owner = id;
  activation.tree = function.definition.tree;
  activation.shape = &shape;
  activation.home = activation.scope.get();
  activation.owner = std::move(owner);
  activation.caller = frame;
  auto &names = activation.scope->names;

  // Parameters in order; `/` and `*` are markers, *rest and **others collect.
  std::vector<Node> parameters;
  if (Node list = function.definition.node.child(Role::Parameters))
    for (Node parameter : list.children())
      if (parameter.is(Kind::Parameter))
        parameters.push_back(parameter);
  size_t slash = 0;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].text() == "/" && !parameters[i].has(kStar))
      slash = i;
  size_t next = 0, accepted = 0;
  bool keywordOnly = false, variadic = false;
  std::vector<bool> used(arguments.keywords.size());
  Node others;
  std::vector<std::pair<size_t, Node>> missing;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Node parameter = parameters[i];
    std::string_view name = parameter.text();
    if (parameter.has(kDoubleStar)) {
      others = parameter;
      continue;
    }
    if (name == "*") {
      keywordOnly = true;
      continue;
    }
    if (parameter.has(kStar)) {
      List collected;
      for (; next < arguments.positional.size(); ++next)
        collected.push_back(arguments.positional[next]);
      names.insert_or_assign(std::string(name), tuple(std::move(collected)));
      keywordOnly = variadic = true;
      continue;
    }
    if (name == "/")
      continue;
    ValueRef value;
    if (!keywordOnly) {
      ++accepted;
      if (next < arguments.positional.size())
        value = arguments.positional[next++];
    }
    if (i >= slash || slash == 0)
      for (size_t k = 0; k < arguments.keywords.size(); ++k)
        if (arguments.keywords[k].first == name) {
          if (value)
            raise("TypeError", function.name + "() got multiple values for argument '" + std::string(name) + "'");
          value = arguments.keywords[k].second;
          used[k] = true;
        }
    if (!value && i < function.defaults.size())
      value = function.defaults[i];
    if (!value)
      raise("TypeError", function.name + "() missing 1 required " + (keywordOnly ? "keyword-only" : "positional") + " argument: '" +
                             std::string(name) + "'");
    names.insert_or_assign(std::string(name), std::move(value));
  }
  if (next < arguments.positional.size() && !variadic)
    raise("TypeError", function.name + "() takes " + std::to_string(accepted) + " positional argument" + (accepted == 1 ? "" : "s") + " but " +
                           std::to_string(arguments.positional.size()) + (arguments.positional.size() == 1 ? " was" : " were") + " given");
  std::vector<std::pair<ValueRef, ValueRef>> collected;
  for (size_t k = 0; k < arguments.keywords.size(); ++k)
    if (!used[k]) {
      if (!others)
        raise("TypeError", function.name + "() got an unexpected keyword argument '" + arguments.keywords[k].first + "'");
      collected.emplace_back(makeString(arguments.keywords[k].first), arguments.keywords[k].second);
    }
  if (others)
    names.insert_or_assign(std::string(others.text()), dict(std::move(collected)));
  if (activation.owner && !parameters.empty())
    if (auto self = names.find(parameters[0].text()); self != names.end())
      activation.self = self->second;

  struct Enter {
    Interpreter &interpreter;
    Frame *before;
    Node at;
    Enter(Interpreter &interpreter, Frame &frame) : interpreter(interpreter), before(interpreter.frame), at(interpreter.at) {
      interpreter.frame = &frame;
      ++interpreter.calls;
    }
    ~Enter() {
      interpreter.frame = before;
      interpreter.at = at;
      --interpreter.calls;
    }
  } enter(*this, activation);
  Nested nested(*this);
  if (function.definition.node.is(Kind::Lambda))
    return eval(function.definition.node.child(Role::Value));
  Node body = function.definition.node.child(Role::Block);
  if (!body)
    return none();
  if (!shape.generator) {
    if (block(body) == Flow::Lost) {
      poison(body, activation.result);
      return activation.result;
    }
    return activation.result ? activation.result : none();
  }
  // A generator function runs to its end when it is called: right as long as it ends and nothing changes in between.
  List yields;
  activation.yields = &yields;
  uint64_t stepsBefore = steps_, limitBefore = limits_.steps;
  limits_.steps = std::min(limitBefore, stepsBefore + 100'000);
  pollLimits();
  struct Restore {
    Interpreter &interpreter;
    uint64_t before;
    ~Restore() { interpreter.limitSteps(before); }
  } restore{*this, limitBefore};
  try {
    if (block(body) == Flow::Lost) {
      poison(body, activation.result);
      return activation.result;
    }
  } catch (LimitHit &hit) {
    if (hit.code == Code::DepthLimit || limits_.steps == limitBefore)
      throw;
    return unknownHere("the generator `" + function.name + "` does not end within what is evaluated of it");
  }
  uint32_t depth = 0;
  for (const ValueRef &element : yields)
    depth = std::max(depth, element->depth);
  ValueRef elements = list(std::move(yields));
  return iterator(iterate(elements), "generator", depth);
}

ValueRef Interpreter::snapshot(const ValueRef &value, int depth) {
  bool changeable = value->as<Value::ListOf>() || value->as<Value::Dict>() || value->as<Value::SetOf>();
  const auto *tuple_ = value->as<Value::Tuple>();
  if ((!changeable && !(tuple_ && value->depth > 1)) || depth > static_cast<int>(kDeepestValue))
    return value;
  step();
  if (tuple_) {
    bool changed = false;
    List copied;
    for (const ValueRef &element : tuple_->elements) {
      copied.push_back(snapshot(element, depth + 1));
      changed |= copied.back() != element;
    }
    if (!changed)
      return value;
    auto made = make(Value::Tuple{std::move(copied), tuple_->type});
    nest(*made, value->depth);
    return made;
  }
  if (const auto *elements = value->as<Value::ListOf>()) {
    charge(elements->elements.size() / 4);
    List copied;
    for (const ValueRef &element : elements->elements)
      copied.push_back(snapshot(element, depth + 1));
    return list(std::move(copied));
  }
  if (const auto *items = value->as<Value::Dict>()) {
    charge(items->items.size() / 4);
    auto copied = items->items;
    for (auto &[key, held] : copied)
      held = snapshot(held, depth + 1);
    return dict(std::move(copied));
  }
  const auto &set = *value->as<Value::SetOf>();
  return setOf(set.elements, set.frozen);
}

ValueRef Interpreter::callOpaque(const ValueRef &callee, Arguments arguments) {
  uint32_t depth = callee->depth;
  for (ValueRef &argument : arguments.positional) {
    argument = snapshot(argument);
    depth = std::max(depth, argument->depth);
  }
  for (auto &[name, argument] : arguments.keywords) {
    argument = snapshot(argument);
    depth = std::max(depth, argument->depth);
  }
  std::shared_ptr<Value> value;
  if (const auto *opaque = callee->as<Opaque>(); opaque && !opaque->called)
    value = make(Opaque{opaque->callee, true, std::move(arguments.positional), std::move(arguments.keywords), here()});
  else {
    List operands{callee};
    operands.insert(operands.end(), arguments.positional.begin(), arguments.positional.end());
    for (auto &[name, argument] : arguments.keywords) // a keyword is the pair of its name and value
      operands.push_back(pair(makeString(name), argument));
    value = make(OpaqueOperation{"()", std::move(operands), here()});
  }
  nest(*value, depth);
  return value;
}

ValueRef Interpreter::call(const ValueRef &callee, Arguments arguments) {
  step();
  Nested nested(*this);
  if (callee->isUnknown())
    return callee;
  if (callee->as<FunctionValue>())
    return callFunction(callee, std::move(arguments));
  if (isOpaque(*callee))
    return callOpaque(callee, std::move(arguments));
  if (const auto *builtin = callee->as<Builtin>())
    return callBuiltin(builtin->name, arguments);
  if (callee->as<ClassValue>())
    return instantiate(callee, std::move(arguments));
  if (const auto *method = callee->as<BoundMethod>()) {
    if (const auto *builtin = method->function->as<Builtin>()) {
      if (builtin->name.rfind("namedtuple.", 0) == 0 || builtin->name.rfind("property.", 0) == 0) {
        arguments.positional.insert(arguments.positional.begin(), method->self);
        return callBuiltin(builtin->name, arguments);
      }
      return callMethod(method->self, std::string_view(builtin->name).substr(builtin->name.rfind('.') + 1), arguments);
    }
    arguments.positional.insert(arguments.positional.begin(), method->self);
    if (method->function->as<FunctionValue>()) {
      ValueRef owner;
      ValueRef type = method->self->as<ClassValue>() ? method->self : method->self->as<InstanceValue>() ? method->self->as<InstanceValue>()->type : nullptr;
      if (type && type->as<ClassValue>()) // which class on the way holds this function: super() continues after it
        for (const ValueRef &base : resolution(type))
          if (const auto *members = base->as<ClassValue>(); members && !owner)
            for (const auto &[name, member] : members->members->names) {
              const ValueRef *function = &member;
              if (const auto *wrapped = member->as<InstanceValue>())
                if (auto inner = wrapped->fields.find("function"); inner != wrapped->fields.end())
                  function = &inner->second;
              if (*function == method->function)
                owner = base;
            }
      return callFunction(method->function, std::move(arguments), owner ? owner : type);
    }
    return call(method->function, std::move(arguments));
  }
  if (const auto *instance = callee->as<InstanceValue>()) {
    if (const auto *type = instance->type->as<Builtin>(); type && type->name == "functools.partial") {
      const List &bound = *instance->fields.at("args")->sequence();
      arguments.positional.insert(arguments.positional.begin(), bound.begin(), bound.end());
      for (const auto &[key, value] : instance->fields.at("keywords")->as<Value::Dict>()->items)
        if (!arguments.keyword(*key->string()))
          arguments.keywords.emplace_back(*key->string(), value);
      return call(ValueRef(instance->fields.at("func")), std::move(arguments));
    }
    if (const auto *type = instance->type->as<Builtin>(); type && (type->name == "operator.itemgetter" || type->name == "operator.attrgetter")) {
      bool byItem = type->name == "operator.itemgetter";
      if (arguments.positional.size() != 1)
        raise("TypeError", "itemgetter expected 1 argument");
      List results;
      for (const ValueRef &part : *instance->fields.at("keys")->sequence()) {
        ValueRef value = arguments.positional[0];
        if (byItem)
          value = subscript(value, part);
        else
          for (std::string_view path = text(part, "attribute name must be a string"); !path.empty();) {
            size_t dot = std::min(path.find('.'), path.size());
            value = attribute(value, path.substr(0, dot));
            path.remove_prefix(std::min(path.size(), dot + 1));
          }
        results.push_back(value);
      }
      return results.size() == 1 ? results[0] : tuple(std::move(results));
    }
    if (auto method = special(callee, "__call__"))
      return call(method, std::move(arguments));
  }
  if (callee->as<ModuleValue>())
    return unknownHere("the module `" + callee->as<ModuleValue>()->name + "` is not called here");
  raise("TypeError", "'" + std::string(typeName(*callee)) + "' object is not callable");
}

ValueRef Interpreter::instantiate(const ValueRef &given, Arguments arguments) {
  const ValueRef typeRef = given;
  const ClassValue &type = *typeRef->as<ClassValue>();
  for (const ValueRef &base : resolution(typeRef))
    if (base->isUnknown() || isOpaque(*base))
      return unknownHere("an instance of `" + type.name + "` is not evaluated: " + (base->isUnknown() ? base->as<Unknown>()->reason : "its base is " + repr(*base, 40)));
  if (type.flavor >= ClassValue::Flavor::Enum && type.flavor <= ClassValue::Flavor::StrEnum) {
    if (type.elements.empty() || arguments.positional.size() != 1)
      unknown("making an enumeration by a call is not evaluated");
    for (const ValueRef &element : type.elements)
      if (element == arguments.positional[0] || equals(element->as<InstanceValue>()->fields.at("value"), arguments.positional[0]))
        return element;
    raise("ValueError", reprText(arguments.positional[0]) + " is not a valid " + type.name);
  }
  if (ValueRef maker = classAttribute(typeRef, "__new__"); maker && type.flavor != ClassValue::Flavor::NamedTuple)
    return unknownHere("`" + type.name + ".__new__` is not evaluated");
  bool generated = type.flavor == ClassValue::Flavor::NamedTuple ||
                   (type.flavor == ClassValue::Flavor::Dataclass && type.initialized && !type.members->names.count("__init__"));
  if (generated) {
    std::vector<ValueRef> values(type.fields.size());
    std::vector<bool> used(arguments.keywords.size());
    size_t next = 0;
    bool isTuple = type.flavor == ClassValue::Flavor::NamedTuple;
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const auto &field = type.fields[i];
      if (field.init && !field.keywordOnly && next < arguments.positional.size())
        values[i] = arguments.positional[next++];
      if (field.init)
        for (size_t k = 0; k < arguments.keywords.size(); ++k)
          if (arguments.keywords[k].first == field.name) {
            if (values[i])
              raise("TypeError", type.name + ".__init__() got multiple values for argument '" + field.name + "'");
            values[i] = arguments.keywords[k].second;
            used[k] = true;
          }
      if (!values[i] && field.value)
        values[i] = field.factory ? call(field.value, List{}) : field.value;
      if (!values[i] && field.init)
        raise("TypeError", type.name + ".__init__() missing 1 required positional argument: '" + field.name + "'");
    }
    if (next < arguments.positional.size())
      raise("TypeError", type.name + ".__init__() takes " + std::to_string(next + 1) + " positional arguments but " +
                             std::to_string(arguments.positional.size() + 1) + " were given");
    for (size_t k = 0; k < used.size(); ++k)
      if (!used[k])
        raise("TypeError", type.name + ".__init__() got an unexpected keyword argument '" + arguments.keywords[k].first + "'");
    if (isTuple) {
      uint32_t depth = 0;
      for (const ValueRef &value : values)
        depth = std::max(depth, value->depth);
      auto made = make(Value::Tuple{List(values.begin(), values.end()), typeRef});
      nest(*made, depth);
      return made;
    }
    auto made = make(InstanceValue{typeRef, {}});
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i]) {
        std::get<InstanceValue>(made->data).fields[type.fields[i].name] = values[i];
        holds(made, values[i]);
      }
    if (auto after = special(made, "__post_init__"))
      call(after, List{});
    return made;
  }
  auto made = make(InstanceValue{typeRef, {}});
  bool isException = isSubclass(typeRef, builtinNamed("BaseException"));
  if (isException)
    std::get<InstanceValue>(made->data).fields["args"] = tuple(arguments.positional);
  if (auto init = special(made, "__init__")) {
    ValueRef result = call(init, std::move(arguments));
    if (result->isUnknown())
      return result;
  } else if (!isException && (!arguments.positional.empty() || !arguments.keywords.empty())) {
    for (const ValueRef &base : resolution(typeRef))
      if (const auto *builtin = base->as<Builtin>(); builtin && builtin->name != "object")
        return unknownHere("an instance of `" + type.name + "` is not evaluated: its base is `" + builtin->name + "`");
    raise("TypeError", type.name + "() takes no arguments");
  }
  return made;
}

std::vector<ValueRef> Interpreter::take(Arguments &arguments, std::string_view function, std::initializer_list<std::string_view> names, size_t required) {
  std::vector<ValueRef> values(names.size());
  if (arguments.positional.size() > names.size())
    raise("TypeError", std::string(function) + "() takes at most " + std::to_string(names.size()) + " arguments (" +
                           std::to_string(arguments.positional.size()) + " given)");
  std::copy(arguments.positional.begin(), arguments.positional.end(), values.begin());
  for (const auto &[key, value] : arguments.keywords) {
    auto found = std::find(names.begin(), names.end(), key);
    if (found == names.end())
      raise("TypeError", std::string(function) + "() got an unexpected keyword argument '" + key + "'");
    values[static_cast<size_t>(found - names.begin())] = value;
  }
  for (size_t i = 0; i < required; ++i)
    if (!values[i])
      raise("TypeError", std::string(function) + "() missing required argument '" + std::string(names.begin()[i]) + "' (pos " + std::to_string(i + 1) + ")");
  for (const ValueRef &value : values)
    if (value && value->isUnknown())
      throw Undetermined{value};
  return values;
}

} // namespace tilewright::syntax
