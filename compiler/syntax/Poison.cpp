// What a statement that is not run could have changed: names it binds, containers and instances it reaches, and the same of
// the functions it calls. All of that becomes the Unknown that kept the statement from running.
#include "syntax/Interpreter.h"

#include <algorithm>

namespace tilewright::syntax {

static Node rootOf(Node node) {
  while (node && !node.is(Kind::Name)) {
    if (node.is(Kind::Attribute))
      node = node.firstChild();
    else if (node.is(Kind::Subscript) || node.is(Kind::Call))
      node = node.child(Role::Callee);
    else
      return {};
  }
  return node;
}

void Interpreter::taint(const ValueRef &value, const ValueRef &reason, int depth) {
  if (!value || depth > 20)
    return;
  if (const auto *tuple_ = value->as<Value::Tuple>()) {
    for (const ValueRef &element : tuple_->elements)
      taint(element, reason, depth + 1);
    return;
  }
  bool changeable = value->as<Value::ListOf>() || value->as<Value::Dict>() || value->as<Value::SetOf>() || value->as<InstanceValue>() ||
                    value->as<Iterator>() || isOpaque(*value);
  if (const auto *instance = value->as<InstanceValue>()) {
    const auto *type = instance->type->as<ClassValue>();
    if (!type || (type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum) ||
        (type->flavor == ClassValue::Flavor::Dataclass && type->frozen))
      return;
  }
  const auto *unknown_ = reason->as<Unknown>();
  if (!changeable || value->owner != id || !unknown_)
    return;
  if (reading_)
    throw Undetermined{reason};
  step();
  ValueRef keep = value;
  // What it holds may have been changed through it as well.
  if (const auto *elements = value->sequence())
    for (const ValueRef &element : List(*elements))
      taint(element, reason, depth + 1);
  else if (const auto *dict = value->as<Value::Dict>())
    for (const auto &[key, held] : std::vector(dict->items))
      taint(held, reason, depth + 1);
  const_cast<Value &>(*keep).data = Unknown(*unknown_);
}

void Interpreter::poisonTarget(Node target, const ValueRef &reason) {
  if (!target)
    return;
  switch (target.kind()) {
  case Kind::Name:
    if (frame->scope.get() != frame->home)
      frame->scope->names.insert_or_assign(std::string(target.text()), reason);
    else
      bind(target.text(), reason, target);
    return;
  case Kind::Attribute:
  case Kind::Subscript: {
    Node root_ = rootOf(target);
    ValueRef object;
    try {
      object = root_ ? lookupOrNull(root_.text()) : nullptr;
    } catch (Raised &) {
    }
    if (!object)
      return;
    const auto *type = object->as<ClassValue>();
    const auto *module = object->as<ModuleValue>();
    Scope *members = type ? type->members.get() : module ? module->members.get() : nullptr;
    if (!members)
      return taint(object, reason);
    // `Class.name...`: that member is changed, or something it holds.
    Node member = target;
    while (member && !(member.is(Kind::Attribute) && member.firstChild() == root_))
      member = member.is(Kind::Attribute) ? member.firstChild() : member.child(Role::Callee);
    if (member && members->owner == id)
      members->names.insert_or_assign(std::string(member.text()), reason);
    return;
  }
  default:
    for (Node child : target.children())
      poisonTarget(child, reason);
  }
}

void Interpreter::poisonFunction(const ValueRef &callee, const ValueRef &reason) {
  const auto *function = callee->as<FunctionValue>();
  if (!function || std::find(poisoned_.begin(), poisoned_.end(), callee.get()) != poisoned_.end())
    return;
  Node body = function->definition.node.child(function->definition.node.is(Kind::Lambda) ? Role::Value : Role::Block);
  if (!body)
    return;
  Frame activation;
  activation.scope = std::make_shared<Scope>();
  activation.scope->parent = function->closure;
  activation.scope->owner = id;
  activation.tree = function->definition.tree;
  activation.shape = &shapeOf(function->definition);
  activation.home = activation.scope.get();
  activation.caller = frame;
  struct Enter {
    Interpreter &interpreter;
    Frame *before;
    ~Enter() {
      interpreter.frame = before;
      interpreter.poisoned_.pop_back();
    }
  } enter{*this, frame};
  poisoned_.push_back(callee.get());
  frame = &activation;
  for (std::string_view name : activation.shape->locals) // parameters too: their own effects were seen at the call
    activation.scope->names.emplace(std::string(name), reason);
  poison(body, reason);
}

static bool changesSelf(std::string_view method) {
  static const std::set<std::string_view> names = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
                                                   "popitem", "add", "discard", "difference_update", "intersection_update",
                                                   "symmetric_difference_update", "__setitem__", "__delitem__", "appendleft", "popleft"};
  return names.count(method) > 0;
}

void Interpreter::poison(Node node, const ValueRef &reason) {
  if (!node)
    return;
  step();
  Nested nested(*this);
  switch (node.kind()) {
  case Kind::FunctionDef:
  case Kind::ClassDef:
    bind(node.text(), reason, node);
    return;
  case Kind::Lambda:
    return;
  case Kind::Assign:
  case Kind::AugAssign:
  case Kind::AnnAssign:
  case Kind::For:
  case Kind::WithItem:
  case Kind::NamedExpr:
  case Kind::ExceptHandler:
    for (Node child : node.children())
      if (child.role() == Role::Target) {
        if (!node.is(Kind::AnnAssign) || node.child(Role::Value))
          poisonTarget(child, reason);
        if (node.is(Kind::AugAssign) && child.is(Kind::Name))
          if (auto found = frame->home->names.find(child.text()); found != frame->home->names.end())
            taint(ValueRef(found->second), reason);
      } else if (child.role() != Role::Annotation)
        poison(child, reason);
    return;
  case Kind::Comprehension:
    for (Node child : node.children())
      if (child.role() != Role::Target)
        poison(child, reason);
    return;
  case Kind::Delete:
    for (Node child : node.children())
      poisonTarget(child, reason);
    return;
  case Kind::Import:
  case Kind::ImportFrom:
  case Kind::TypeAlias:
  case Kind::MatchCase: {
    Bindings bindings;
    if (node.is(Kind::MatchCase)) {
      for (Node child : node.children())
        if (child.role() == Role::Pattern)
          bindings.target(child);
        else
          poison(child, reason);
    } else
      bindings.collect(node);
    for (std::string_view name : bindings.names)
      bind(name, reason, node);
    return;
  }
  case Kind::Call: {
    Node callee = node.child(Role::Callee), root_ = rootOf(callee);
    ValueRef object;
    try {
      object = root_ ? lookupOrNull(root_.text()) : nullptr;
    } catch (Raised &) {
    }
    if (object) {
      if (callee == root_) {
        poisonFunction(object, reason);
        const auto *builtin = object->as<Builtin>();
        if (object->as<FunctionValue>() || object->as<ClassValue>() || (builtin && (builtin->name == "next" || builtin->name == "setattr")))
          for (Node child : node.children())
            if (child.role() == Role::Argument)
              if (Node argument = rootOf(child.is(Kind::Keyword) || child.is(Kind::Starred) ? child.firstChild() : child))
                try {
                  taint(lookupOrNull(argument.text()), reason);
                } catch (Raised &) {
                }
      } else if (callee.is(Kind::Attribute)) {
        if (object->as<ClassValue>() && callee.firstChild() == root_) {
          if (ValueRef member = classAttribute(object, callee.text()))
            poisonFunction(member, reason);
        } else if (object->as<ClassValue>() || object->as<ModuleValue>()) {
          if (changesSelf(callee.text()))
            poisonTarget(callee.firstChild(), reason);
        } else if (object->as<InstanceValue>() || changesSelf(callee.text()))
          taint(object, reason);
      }
    }
    break;
  }
  default:
    break;
  }
  for (Node child : node.children())
    poison(child, reason);
}

} // namespace tilewright::syntax
