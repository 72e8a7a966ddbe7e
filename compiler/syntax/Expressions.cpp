// Expressions: one function per kind of node.
#include "syntax/Interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tilewright::syntax {

ValueRef Arguments::keyword(std::string_view name) const {
  for (const auto &[key, value] : keywords)
    if (key == name)
      return value;
  return nullptr;
}

bool FunctionShape::isLocal(std::string_view name) const { return std::binary_search(locals.begin(), locals.end(), name); }

Scope *Interpreter::root() const {
  Scope *scope = frame->scope.get();
  while (scope->parent)
    scope = scope->parent.get();
  return scope;
}

ValueRef Interpreter::lookupOrNull(std::string_view name) {
  const Scope *start = frame->scope.get(), *last = start;
  if (frame->shape && frame->shape->globals.count(name)) { // `global name`: the scopes between do not matter
    Scope *globals = root();
    if (auto found = globals->names.find(name); found != globals->names.end())
      return found->second;
    start = globals;
  }
  bool direct = true; // nothing but the expression's own scope lies between here and the code
  for (const Scope *scope = start; scope; scope = scope->parent.get()) {
    last = scope;
    if (scope->isClass && scope != start && !direct)
      continue;
    if (auto found = scope->names.find(name); found != scope->names.end())
      return found->second;
    if (scope == expression) {
      direct = start == expression;
      if (local)
        if (ValueRef value = (*local)(name))
          return value;
      continue;
    }
    direct = false;
    if (frame->shape && scope == frame->home && frame->shape->isLocal(name))
      raise("UnboundLocalError", "cannot access local variable '" + std::string(name) + "' where it is not associated with a value");
  }
  if (ValueRef builtin = builtinNamed(name))
    return builtin;
  if (last->starDsl && isDslName(name))
    return make(Opaque{std::string(name), false, {}, {}, here()});
  if (!last->starUnknown.empty())
    return unknownHere("`" + std::string(name) + "` may come from `" + last->starUnknown + "`, which is not read");
  if (last->broken)
    return makeUnknown("`" + std::string(name) + "` is not bound, but a statement of this file is not Python", here());
  return nullptr;
}

ValueRef Interpreter::lookup(std::string_view name) {
  ValueRef value = lookupOrNull(name);
  if (!value)
    raise("NameError", "name '" + std::string(name) + "' is not defined");
  return value;
}

ValueRef Interpreter::eval(Node node) {
  step();
  if (!node) // of a statement that is not quite Python
    return unknownHere("a part of this statement is missing");
  if (!node) // half-typed text can lack any part
    unknown("a part of this statement is missing");
  Node before = at;
  at = node;
  ValueRef value;
  switch (node.kind()) { // the frequent leaves need no guard
  case Kind::Name:
    value = lookup(node.text());
    break;
  case Kind::Integer:
    value = evalNumber(node);
    break;
  case Kind::True:
  case Kind::False:
    value = boolean(node.is(Kind::True));
    break;
  case Kind::None:
    value = none();
    break;
  case Kind::String:
    value = evalString(node);
    break;
  default: {
    Nested nested(*this);
    try {
      value = dispatch(node);
    } catch (Undetermined &undetermined) {
      charge(20);
      value = undetermined.unknown;
    }
    doubts_ += value->isUnknown();
  }
  }
  at = before;
  return value;
}

ValueRef Interpreter::dispatch(Node node) {
  switch (node.kind()) {
  case Kind::Float:
    return evalNumber(node);
  case Kind::Ellipsis:
    return ellipsis();
  case Kind::StringConcat: {
    std::string joined;
    for (Node part : node.children()) {
      ValueRef value = eval(part);
      if (!value->string())
        return value;
      joined += *value->string();
      checkElements(joined.size());
    }
    return makeString(std::move(joined));
  }
  case Kind::FString:
    return evalFString(node);
  case Kind::BoolOp: {
    bool isAnd = node.text() == "and";
    ValueRef value;
    for (Node operand : node.children()) {
      if (value) {
        bool decided;
        try {
          decided = truth(value) != isAnd;
        } catch (Undetermined &undetermined) {
          for (Node rest = operand; rest; rest = rest.nextSibling())
            poison(rest, undetermined.unknown);
          return undetermined.unknown;
        }
        if (decided)
          return value;
      }
      value = eval(operand);
    }
    return value ? value : none();
  }
  case Kind::NamedExpr: {
    ValueRef value = eval(node.child(Role::Value));
    Node target = node.child(Role::Target);
    if (target)
      bind(target.text(), value, target);
    return value;
  }
  case Kind::BinOp: {
    ValueRef left = eval(node.child(Role::Left));
    ValueRef right = eval(node.child(Role::Right));
    return binary(node.text(), left, right);
  }
  case Kind::UnaryOp:
    return unary(node.text(), eval(node.firstChild()));
  case Kind::Lambda:
    return functionValue(node, {});
  case Kind::IfExp: {
    ValueRef test = eval(node.child(Role::Test));
    bool taken;
    try {
      taken = truth(test);
    } catch (Undetermined &undetermined) {
      poison(node.child(Role::Value), undetermined.unknown);
      poison(node.child(Role::Else), undetermined.unknown);
      throw;
    }
    Node branch = node.child(taken ? Role::Value : Role::Else);
    return branch ? eval(branch) : unknownHere(describe(node) + " is not evaluated");
  }
  case Kind::Dict:
    return evalDict(node);
  case Kind::Set:
    return setOf(evalElements(node));
  case Kind::List:
    return list(evalElements(node));
  case Kind::Tuple:
    return tuple(evalElements(node));
  case Kind::ListComp:
  case Kind::SetComp:
  case Kind::DictComp:
  case Kind::GeneratorExp:
    return evalComprehension(node);
  case Kind::Compare:
    return evalCompare(node);
  case Kind::Call:
    return evalCall(node);
  case Kind::Attribute: {
    ValueRef object = eval(node.firstChild());
    return attribute(object, node.text());
  }
  case Kind::Subscript:
    return evalSubscript(node);
  case Kind::Slice:
    return evalSlice(node);
  case Kind::Yield: {
    ValueRef value = node.firstChild() ? eval(node.firstChild()) : none();
    if (!frame->yields)
      unknown("`yield` is not evaluated here");
    checkElements(frame->yields->size() + 1);
    frame->yields->push_back(value);
    return none();
  }
  case Kind::YieldFrom: {
    ValueRef value = eval(node.firstChild());
    if (!frame->yields)
      unknown("`yield from` is not evaluated here");
    for (ValueRef &element : items(value))
      frame->yields->push_back(std::move(element));
    checkElements(frame->yields->size());
    return none();
  }
  case Kind::Imaginary:
    unknown("complex numbers are not evaluated");
  case Kind::Await:
    unknown("`await` is not evaluated");
  default:
    unknown(describe(node) + " is not evaluated");
  }
}

ValueRef Interpreter::parseInteger(std::string_view text, int base) {
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits += c;
  checkBits(digits.size() * 3 > 64 ? (base <= 2 ? digits.size() : base <= 8 ? digits.size() * 3 : base <= 10 ? digits.size() * 10 / 3 : digits.size() * 4) : 0);
  charge(digits.size() * digits.size() / 2048);
  auto value = BigInt::parse(digits, base);
  return value ? integer(std::move(*value)) : nullptr;
}

ValueRef Interpreter::evalNumber(Node node) {
  std::string_view text = node.text();
  if (node.is(Kind::Float)) {
    std::string digits;
    for (char c : text)
      if (c != '_')
        digits += c;
    return makeFloat(std::strtod(digits.c_str(), nullptr));
  }
  if (text.size() < 18 && !(text.size() > 1 && text[0] == '0')) {
    int64_t value = 0;
    for (char c : text)
      if (c >= '0' && c <= '9')
        value = value * 10 + (c - '0');
    return makeInt(value);
  }
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    char letter = static_cast<char>(text[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    if (base != 10)
      text.remove_prefix(2);
  }
  ValueRef value = parseInteger(text, base);
  return value ? value : unknownHere(describe(node) + " is not an integer");
}

ValueRef Interpreter::evalString(Node node) {
  std::string_view text = node.text();
  for (char c : text) {
    if (c == '"' || c == '\'')
      break;
    if ((c | 0x20) == 'b')
      return unknownHere("bytes are not evaluated");
  }
  auto value = stringValue(node);
  if (!value)
    return unknownHere(describe(node) + " is not a string that Python accepts");
  if (value->size() > limits_.elements)
    checkElements(value->size());
  return makeString(std::move(*value));
}

ValueRef Interpreter::evalFString(Node node) {
  std::string text;
  for (Node part : node.children()) {
    if (part.is(Kind::String) || part.is(Kind::FString)) {
      ValueRef literal = part.is(Kind::FString) ? evalFString(part) : [&]() -> ValueRef {
        auto value = stringValue(part);
        return value ? makeString(std::move(*value)) : unknownHere(describe(part) + " is not a string that Python accepts");
      }();
      if (!literal->string())
        return literal;
      text += *literal->string();
    } else if (part.is(Kind::FValue)) {
      Node expression = part.child(Role::Value);
      ValueRef value = eval(expression);
      if (value->isUnknown())
        return value;
      Node format = part.child(Role::Format);
      std::string_view conversion = part.text();
      if (part.has(kDebug)) {
        const std::string &source = part.tree().text;
        size_t begin = part.span().begin + 1, end = expression.span().end;
        while (end < part.span().end && source[end] != '=')
          ++end;
        for (++end; end < part.span().end && (source[end] == ' ' || source[end] == '\t' || source[end] == '\n');)
          ++end;
        text += source.substr(begin, end - begin);
        if (conversion.empty() && !format)
          conversion = "r";
      }
      if (conversion == "r" || conversion == "a")
        value = makeString(reprText(value));
      else if (conversion == "s")
        value = makeString(str(value));
      std::string spec;
      if (format) {
        ValueRef evaluated = eval(format);
        if (!evaluated->string())
          return evaluated;
        spec = *evaluated->string();
      }
      text += formatValue(value, spec);
    } else
      return unknownHere(describe(node) + " is not evaluated");
    checkElements(text.size());
  }
  return makeString(std::move(text));
}

List Interpreter::evalElements(Node parent) {
  List elements;
  elements.reserve(parent.childCount());
  for (Node child : parent.children())
    if (child.is(Kind::Starred)) {
      ValueRef value = eval(child.firstChild());
      for (ValueRef &element : items(value))
        elements.push_back(std::move(element));
      checkElements(elements.size());
    } else
      elements.push_back(eval(child));
  return elements;
}

ValueRef Interpreter::evalDict(Node node) {
  ValueRef made = dict({});
  for (Node child : node.children()) {
    if (child.is(Kind::DictItem)) {
      ValueRef key = eval(child.child(Role::Key));
      ValueRef value = eval(child.child(Role::Value));
      setKey(made, key, value);
    } else {
      Arguments arguments{{eval(child.is(Kind::Starred) || child.is(Kind::DoubleStarred) ? child.firstChild() : child)}, {}};
      if (arguments.positional[0]->isUnknown())
        return arguments.positional[0];
      if (!arguments.positional[0]->as<Value::Dict>())
        raise("TypeError", "'" + std::string(typeName(*arguments.positional[0])) + "' object is not a mapping");
      dictMethod(made, "update", arguments);
    }
  }
  return made;
}

ValueRef Interpreter::evalComprehension(Node node) {
  if (node.is(Kind::GeneratorExp)) {
    Node clause = node.child(Role::Clause);
    if (!clause)
      unknown(describe(node) + " is not evaluated");
    ValueRef first = eval(clause.child(Role::Iter));
    return iterator(comprehensionCursor(node, first), "generator", first->depth);
  }
  Node value = node.child(Role::Value);
  ValueRef made;
  try {
    if (node.is(Kind::ListComp)) {
      List elements;
      runComprehension(node, [&] {
        checkElements(elements.size() + 1);
        elements.push_back(eval(value));
      });
      made = list(std::move(elements));
    } else if (node.is(Kind::SetComp)) {
      auto set = make(Value::SetOf{});
      runComprehension(node, [&] { addElement(*set, eval(value)); });
      made = set;
    } else {
      made = dict({});
      runComprehension(node, [&] {
        ValueRef key = eval(node.child(Role::Key));
        setKey(made, key, eval(value));
      });
    }
  } catch (Undetermined &undetermined) {
    poison(node, undetermined.unknown);
    throw;
  }
  return made;
}

ValueRef Interpreter::evalCompare(Node node) {
  std::string_view operators = node.text();
  ValueRef left, result;
  for (Node operand : node.children()) {
    if (!left) {
      left = eval(operand);
      continue;
    }
    if (result) {
      bool holds;
      try {
        holds = truth(result);
      } catch (Undetermined &undetermined) {
        poison(operand, undetermined.unknown);
        throw;
      }
      if (!holds)
        return result;
    }
    size_t end = operators.find('\n');
    std::string_view op = operators.substr(0, end);
    operators = end == operators.npos ? std::string_view() : operators.substr(end + 1);
    ValueRef right = eval(operand);
    result = compare(op, left, right);
    left = right;
  }
  return result ? result : left;
}

ValueRef Interpreter::evalSlice(Node node) {
  auto part = [&](Role role) {
    Node child = node.child(role);
    return child ? eval(child) : none();
  };
  ValueRef start = part(Role::Left), stop = part(Role::Right), step = part(Role::Step);
  uint32_t depth = std::max({start->depth, stop->depth, step->depth});
  auto value = make(Value::SliceOf{start, stop, step});
  nest(*value, depth);
  return value;
}

ValueRef Interpreter::evalIndex(Node subscript) {
  Node only;
  size_t count = 0;
  bool starred = false;
  for (Node child : subscript.children())
    if (child.role() == Role::Argument) {
      only = child;
      ++count;
      starred |= child.is(Kind::Starred);
    }
  if (count == 1 && !starred && !subscript.has(kTrailingComma))
    return eval(only);
  List elements;
  for (Node child : subscript.children())
    if (child.role() == Role::Argument) {
      if (child.is(Kind::Starred))
        for (ValueRef &element : items(eval(child.firstChild())))
          elements.push_back(std::move(element));
      else
        elements.push_back(eval(child));
    }
  return tuple(std::move(elements));
}

ValueRef Interpreter::evalSubscript(Node node) {
  ValueRef object = eval(node.child(Role::Callee));
  if (object->isUnknown())
    return object;
  ValueRef index = evalIndex(node);
  return subscript(object, index);
}

/// Library functions that change their first argument.
static bool changesArgument(std::string_view name) {
  for (std::string_view one : {"shuffle", "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right",
                               "fill", "update", "setattr"})
    if (name == one)
      return true;
  return false;
}

ValueRef Interpreter::evalCall(Node node) {
  Node calleeNode = node.child(Role::Callee);
  ValueRef self, callee;
  std::string_view method;
  if (calleeNode.is(Kind::Attribute)) {
    Node before = at;
    at = calleeNode;
    ValueRef object = eval(calleeNode.firstChild());
    const auto *tupleObject = object->as<Value::Tuple>();
    if (object->string() || object->as<Value::ListOf>() || object->as<Value::Dict>() || object->as<Value::SetOf>() || (tupleObject && !tupleObject->type)) {
      self = object;
      method = calleeNode.text();
    } else
      callee = attribute(object, calleeNode.text());
    at = before;
  } else
    callee = eval(calleeNode);
  Arguments arguments;
  for (Node child : node.children()) {
    if (child.role() != Role::Argument)
      continue;
    switch (child.kind()) {
    case Kind::Keyword: {
      ValueRef value = eval(child.firstChild());
      if (arguments.keyword(child.text()))
        raise("TypeError", "got multiple values for keyword argument '" + std::string(child.text()) + "'");
      arguments.keywords.emplace_back(std::string(child.text()), std::move(value));
      break;
    }
    case Kind::Starred: {
      ValueRef value = eval(child.firstChild());
      for (ValueRef &element : items(value))
        arguments.positional.push_back(std::move(element));
      break;
    }
    case Kind::DoubleStarred: {
      ValueRef value = eval(child.firstChild());
      if (value->isUnknown())
        return value;
      const auto *mapping = value->as<Value::Dict>();
      if (!mapping)
        raise("TypeError", "argument after ** must be a mapping, not " + std::string(typeName(*value)));
      for (const auto &[key, held] : mapping->items) {
        if (!key->string())
          raise("TypeError", "keywords must be strings");
        if (arguments.keyword(*key->string()))
          raise("TypeError", "got multiple values for keyword argument '" + *key->string() + "'");
        arguments.keywords.emplace_back(*key->string(), held);
      }
      break;
    }
    default:
      arguments.positional.push_back(eval(child));
    }
  }
  if (self)
    return callMethod(self, method, arguments);
  if (callee->isUnknown()) {
    std::string_view name = calleeNode.is(Kind::Attribute) || calleeNode.is(Kind::Name) ? calleeNode.text() : std::string_view();
    if (changesArgument(name))
      for (const ValueRef &argument : arguments.positional)
        taint(argument, callee);
    return callee;
  }
  return call(callee, std::move(arguments));
}

} // namespace tilewright::syntax
