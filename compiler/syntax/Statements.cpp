// Statements of Python.
#include "syntax/Interpreter.h"
#include "support/Codes.h"

#include <algorithm>
#include <utility>

namespace tilewright::syntax {

Flow Interpreter::block(Node block) {
  if (!block)
    return Flow::Normal;
  for (Node statement : block.children())
    if (Flow flow = exec(statement); flow != Flow::Normal)
      return flow;
  return Flow::Normal;
}

Flow Interpreter::exec(Node node) {
  step();
  Nested nested(*this);
  Node before = at;
  at = node;
  Flow flow;
  try {
    flow = execute(node);
  } catch (Undetermined &undetermined) {
    charge(20);
    ++doubts_;
    flow = skip(node, undetermined.unknown);
  }
  at = before;
  return flow;
}

Flow Interpreter::skip(Node node, const ValueRef &reason) {
  poison(node, reason);
  if (!loses(node))
    return Flow::Normal;
  frame->result = reason;
  return Flow::Lost;
}

bool Interpreter::loses(Node node, bool insideLoop) const {
  if (!node)
    return false;
  switch (node.kind()) {
  case Kind::Return:
    return true;
  case Kind::Break:
  case Kind::Continue:
    return !insideLoop;
  case Kind::Raise:
  case Kind::Assert:
    return handlers > 0; // else the program goes on only if it is not raised
  case Kind::FunctionDef:
  case Kind::ClassDef:
    return false;
  default:
    break;
  }
  bool loop = node.is(Kind::For) || node.is(Kind::While);
  for (Node child : node.children())
    if (loses(child, insideLoop || (loop && child.role() == Role::Block)))
      return true;
  return false;
}

Flow Interpreter::execute(Node node) {
  switch (node.kind()) {
  case Kind::ExprStmt: {
    Node value = node.firstChild();
    if (!value.is(Kind::String) && !value.is(Kind::Ellipsis)) // a docstring
      eval(value);
    return Flow::Normal;
  }
  case Kind::Assign: {
    ValueRef value = eval(node.child(Role::Value));
    for (Node child : node.children())
      if (child.role() == Role::Target)
        assign(child, value);
    return Flow::Normal;
  }
  case Kind::AnnAssign:
    if (Node value = node.child(Role::Value))
      assign(node.child(Role::Target), eval(value));
    return Flow::Normal;
  case Kind::AugAssign:
    augment(node);
    return Flow::Normal;
  case Kind::If:
    return execIf(node);
  case Kind::For:
    return execFor(node);
  case Kind::While:
    return execWhile(node);
  case Kind::Try:
    return execTry(node);
  case Kind::With:
    return execWith(node);
  case Kind::FunctionDef:
    defineFunction(node);
    return Flow::Normal;
  case Kind::ClassDef:
    defineClass(node);
    return Flow::Normal;
  case Kind::Return:
    frame->result = node.firstChild() ? eval(node.firstChild()) : none();
    return Flow::Return;
  case Kind::Raise: {
    if (!node.firstChild()) {
      for (Frame *one = frame; one; one = one->caller)
        if (one->handled)
          raiseValue(one->handled);
      raise("RuntimeError", "No active exception to reraise");
    }
    ValueRef value = eval(node.firstChild());
    if (value->isUnknown() || isOpaque(*value)) {
      at = node;
      limit(Code::ConstantError, "the statement " + describe(node) + " is reached, and what it raises is not known");
    }
    if (value->as<ClassValue>() || value->as<Builtin>())
      value = call(value, List{});
    if (!value->as<InstanceValue>() || !isSubclass(value->as<InstanceValue>()->type, builtinNamed("BaseException")))
      raise("TypeError", "exceptions must derive from BaseException");
    at = node;
    raiseValue(value);
  }
  case Kind::Assert: {
    Node test = node.child(Role::Test);
    bool holds;
    try {
      holds = truth(eval(test));
    } catch (Undetermined &) {
      return handlers > 0 ? skip(node, unknownHere("whether " + describe(test) + " holds is not known")) : Flow::Normal;
    }
    if (holds)
      return Flow::Normal;
    std::string message;
    for (Node child : node.children())
      if (child.role() != Role::Test) {
        ValueRef value = eval(child);
        try {
          message = value->isUnknown() ? "" : str(value);
        } catch (Undetermined &) {
        }
      }
    at = test;
    raise("AssertionError", message);
  }
  case Kind::Break:
    return Flow::Break;
  case Kind::Continue:
    return Flow::Continue;
  case Kind::Delete:
    for (Node child : node.children())
      remove(child);
    return Flow::Normal;
  case Kind::Import:
    importModules(node);
    return Flow::Normal;
  case Kind::ImportFrom:
    importNames(node);
    return Flow::Normal;
  case Kind::TypeAlias:
    if (Node name = node.firstChild(); name.is(Kind::Name))
      bind(name.text(), unknownHere("a type alias is not evaluated"), name);
    return Flow::Normal;
  case Kind::Pass:
  case Kind::Global:
  case Kind::Nonlocal:
  case Kind::Error:
    return Flow::Normal;
  case Kind::Block:
  case Kind::Module:
    return block(node);
  case Kind::Match: {
    ValueRef subject = eval(node.firstChild());
    return skip(node, subject->isUnknown() ? subject : unknownHere("`match` is not evaluated"));
  }
  default:
    eval(node);
    return Flow::Normal;
  }
}

Flow Interpreter::execIf(Node node) {
  Node test = node.child(Role::Test), otherwise = node.child(Role::Else);
  bool taken;
  try {
    taken = truth(eval(test));
  } catch (Undetermined &undetermined) {
    ++doubts_;
    return skip(node, undetermined.unknown);
  }
  if (taken)
    return block(node.child(Role::Block));
  if (!otherwise)
    return Flow::Normal;
  return otherwise.is(Kind::Block) ? block(otherwise) : exec(otherwise);
}

Flow Interpreter::execFor(Node node) {
  if (node.has(kAsync))
    unknown("`async for` is not evaluated");
  ValueRef iterable = eval(node.child(Role::Iter));
  Node target = node.child(Role::Target), body = node.child(Role::Block), otherwise = node.child(Role::Else);
  auto cursor = iterate(iterable);
  while (ValueRef element = cursor->next(*this)) {
    step();
    assign(target, element);
    Flow flow = block(body);
    if (flow == Flow::Break)
      return Flow::Normal;
    if (flow == Flow::Return)
      return flow;
    if (flow == Flow::Lost)
      return skip(node, frame->result);
  }
  return otherwise ? block(otherwise) : Flow::Normal;
}

Flow Interpreter::execWhile(Node node) {
  Node test = node.child(Role::Test), body = node.child(Role::Block), otherwise = node.child(Role::Else);
  while (truth(eval(test))) {
    step();
    Flow flow = block(body);
    if (flow == Flow::Break)
      return Flow::Normal;
    if (flow == Flow::Return)
      return flow;
    if (flow == Flow::Lost)
      return skip(node, frame->result);
  }
  return otherwise ? block(otherwise) : Flow::Normal;
}

Flow Interpreter::runHandlers(Node node, Raised &raised) {
  for (Node handler : node.childrenIn(Role::Handler)) {
    Node type = handler.child(Role::Value), target = handler.child(Role::Target);
    if (type) {
      ValueRef wanted = eval(type);
      if (!isSubclass(raised.exception->as<InstanceValue>()->type, wanted))
        continue;
    }
    if (target)
      bind(target.text(), raised.exception, target);
    ValueRef before = std::exchange(frame->handled, raised.exception);
    struct Restore {
      Frame &frame;
      ValueRef before;
      ~Restore() { frame.handled = std::move(before); }
    } restore{*frame, before};
    Flow flow = block(handler.child(Role::Block));
    if (target)
      frame->home->names.erase(std::string(target.text()));
    return flow;
  }
  throw raised;
}

Flow Interpreter::execTry(Node node) {
  Node otherwise = node.child(Role::Else), last = node.child(Role::Finally);
  bool caught = static_cast<bool>(node.child(Role::Handler));
  Flow flow = Flow::Normal;
  std::optional<Raised> pending;
  uint64_t doubtsBefore = doubts_;
  try {
    try {
      struct Handling {
        int &count, by;
        Handling(int &count, int by) : count(count), by(by) { count += by; }
        ~Handling() { count -= by; }
      };
      {
        Handling handling(handlers, caught);
        flow = block(node.child(Role::Block));
      }
      if (flow == Flow::Normal && otherwise)
        flow = block(otherwise);
      if (caught && flow != Flow::Lost && doubts_ != doubtsBefore) {
        // Something in the body is unknown, so it may have raised: then a handler ran instead.
        ValueRef reason = unknownHere("whether the `try` at this place raises is not known");
        for (Node handler : node.childrenIn(Role::Handler)) {
          poison(handler, reason);
          if (loses(handler) && flow == Flow::Normal) {
            frame->result = reason;
            flow = Flow::Lost;
          }
        }
        poison(node.child(Role::Block), reason);
      }
    } catch (Raised &raised) {
      at = node;
      charge(50);
      if (!caught)
        throw;
      Raised copy = raised;
      flow = runHandlers(node, copy);
    }
  } catch (Raised &raised) {
    if (!last)
      throw;
    pending = raised;
  }
  if (flow == Flow::Lost) {
    poison(node, frame->result);
    int by = caught ? 1 : 0;
    handlers -= by; // a raise in the body ends here
    bool lost = loses(node);
    handlers += by;
    if (!lost)
      flow = Flow::Normal;
  }
  if (last) {
    ValueRef result = frame->result;
    Flow after = block(last);
    if (after != Flow::Normal)
      return after;
    frame->result = result;
  }
  if (pending)
    throw *pending;
  return flow;
}

Flow Interpreter::execWith(Node node) {
  if (node.has(kAsync))
    unknown("`async with` is not evaluated");
  List exits;
  for (Node item : node.childrenIn(Role::Item)) {
    ValueRef context = eval(item.child(Role::Value)), entered = context;
    if (context->as<InstanceValue>()) {
      ValueRef enter = special(context, "__enter__"), exit = special(context, "__exit__");
      if (!enter || !exit)
        raise("TypeError", "'" + std::string(typeName(*context)) + "' object does not support the context manager protocol");
      entered = call(enter, List{});
      exits.push_back(exit);
    } else if (!context->isUnknown() && !isOpaque(*context))
      raise("TypeError", "'" + std::string(typeName(*context)) + "' object does not support the context manager protocol");
    if (Node target = item.child(Role::Target))
      assign(target, entered);
  }
  Flow flow = block(node.child(Role::Block));
  for (size_t i = exits.size(); i--;)
    call(exits[i], List{none(), none(), none()});
  return flow;
}

// ---- binding

void Interpreter::bind(std::string_view name, ValueRef value, Node node) {
  Scope *scope = frame->home;
  if (frame->shape && frame->shape->globals.count(name))
    scope = root();
  else if (frame->shape && frame->shape->nonlocals.count(name)) {
    for (scope = frame->home->parent.get(); scope && (scope->isClass || !scope->names.count(name)); scope = scope->parent.get()) {
    }
    if (!scope)
      raise("NameError", "no binding for nonlocal '" + std::string(name) + "' found");
  }
  if (scope->owner != id)
    unknown("`" + std::string(name) + "` was bound while the file was read and is not changed here");
  if (auto found = scope->names.find(name); found != scope->names.end())
    found->second = std::move(value);
  else
    scope->names.emplace(std::string(name), std::move(value));
  if (!frame->shape && scope == frame->home)
    scope->places.insert_or_assign(std::string(name), Place{frame->tree, node});
}

void Interpreter::assign(Node target, const ValueRef &value) {
  if (!target)
    return;
  switch (target.kind()) {
  case Kind::Name:
    if (frame->scope.get() != frame->home) // the target of a comprehension
      frame->scope->names.insert_or_assign(std::string(target.text()), value);
    else
      bind(target.text(), value, target);
    return;
  case Kind::Attribute: {
    ValueRef object = eval(target.firstChild());
    at = target;
    setAttribute(object, target.text(), value);
    return;
  }
  case Kind::Subscript: {
    ValueRef object = eval(target.child(Role::Callee));
    ValueRef index = evalIndex(target);
    at = target;
    setSubscript(object, index, value);
    return;
  }
  case Kind::Starred:
    return assign(target.firstChild(), value);
  default:
    if (target.is(Kind::Tuple) || target.is(Kind::List))
      return unpack(target, value);
    poisonTarget(target, value->isUnknown() ? value : unknownHere("an assignment to " + describe(target) + " is not evaluated"));
  }
}

void Interpreter::unpack(Node target, const ValueRef &value) {
  std::vector<Node> targets;
  size_t starred = SIZE_MAX;
  for (Node child : target.children()) {
    if (child.is(Kind::Starred))
      starred = targets.size();
    targets.push_back(child);
  }
  List elements;
  try {
    auto cursor = iterate(value);
    // One more than needed shows an excess; an endless iterator is not run to its end.
    while (ValueRef element = cursor->next(*this)) {
      step();
      elements.push_back(std::move(element));
      if (starred == SIZE_MAX && elements.size() > targets.size())
        break;
      checkElements(elements.size());
    }
  } catch (Undetermined &undetermined) {
    for (Node one : targets)
      poisonTarget(one, undetermined.unknown);
    return;
  }
  at = target;
  if (starred == SIZE_MAX) {
    if (elements.size() > targets.size())
      raise("ValueError", "too many values to unpack (expected " + std::to_string(targets.size()) + ")");
    if (elements.size() < targets.size())
      raise("ValueError", "not enough values to unpack (expected " + std::to_string(targets.size()) + ", got " + std::to_string(elements.size()) + ")");
    for (size_t i = 0; i < targets.size(); ++i)
      assign(targets[i], elements[i]);
    return;
  }
  size_t after = targets.size() - starred - 1;
  if (elements.size() < starred + after)
    raise("ValueError", "not enough values to unpack (expected at least " + std::to_string(starred + after) + ", got " + std::to_string(elements.size()) + ")");
  for (size_t i = 0; i < starred; ++i)
    assign(targets[i], elements[i]);
  assign(targets[starred], list(List(elements.begin() + static_cast<ptrdiff_t>(starred), elements.end() - static_cast<ptrdiff_t>(after))));
  for (size_t i = 0; i < after; ++i)
    assign(targets[starred + 1 + i], elements[elements.size() - after + i]);
}

void Interpreter::augment(Node node) {
  Node target = node.child(Role::Target), operand = node.child(Role::Value);
  auto combine = [&](const ValueRef &before) {
    ValueRef value = eval(operand);
    at = node;
    try {
      return binary(node.text(), before, value, true);
    } catch (Undetermined &undetermined) {
      ++doubts_;
      taint(before, undetermined.unknown);
      return undetermined.unknown;
    }
  };
  if (target.is(Kind::Name)) {
    ValueRef before = lookup(target.text());
    bind(target.text(), combine(before), target);
  } else if (target.is(Kind::Attribute)) {
    ValueRef object = eval(target.firstChild());
    ValueRef value = combine(attribute(object, target.text()));
    setAttribute(object, target.text(), value);
  } else if (target.is(Kind::Subscript)) {
    ValueRef object = eval(target.child(Role::Callee));
    ValueRef index = evalIndex(target);
    if (object->isUnknown())
      return;
    ValueRef value = combine(subscript(object, index));
    setSubscript(object, index, value);
  } else
    unknown(describe(node) + " is not evaluated");
}

void Interpreter::remove(Node target) {
  switch (target.kind()) {
  case Kind::Name: {
    Scope *scope = frame->shape && frame->shape->globals.count(target.text()) ? root() : frame->home;
    auto found = scope->names.find(target.text());
    if (found == scope->names.end())
      raise("NameError", "name '" + std::string(target.text()) + "' is not defined");
    scope->names.erase(found);
    return;
  }
  case Kind::Attribute:
    return deleteAttribute(eval(target.firstChild()), target.text());
  case Kind::Subscript: {
    ValueRef object = eval(target.child(Role::Callee));
    return deleteSubscript(object, evalIndex(target));
  }
  default:
    for (Node child : target.children())
      remove(child);
  }
}

// ---- functions

ValueRef Interpreter::decorate(ValueRef value, const List &decorators, size_t from) {
  for (size_t i = decorators.size(); i-- > from;) {
    const ValueRef &decorator = decorators[i];
    value = decorator->isUnknown() ? decorator : call(decorator, List{value});
  }
  return value;
}

void Interpreter::defineFunction(Node node) {
  List decorators;
  for (Node child : node.children())
    if (child.role() == Role::Decorator)
      decorators.push_back(eval(child));
  bool schedule = std::any_of(decorators.begin(), decorators.end(), [](const ValueRef &one) { return isScheduleDecorator(*one); });
  bool opaque = std::any_of(decorators.begin(), decorators.end(), [](const ValueRef &one) { return isOpaque(*one); });
  ValueRef value;
  if (schedule || opaque) {
    value = functionValue(node, decorators);
    if (schedule && out && !frame->module)
      out->functions.push_back({item, value});
  } else
    value = decorate(functionValue(node, {}), decorators, 0);
  bind(node.text(), std::move(value), node);
}

} // namespace tilewright::syntax
