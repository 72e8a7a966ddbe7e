// Which names code binds and which it reads from the scopes around it.
#include "syntax/Interpreter.h"

#include <algorithm>

namespace tilewright::syntax {

void Bindings::target(Node node) {
  switch (node.kind()) {
  case Kind::Name:
    names.insert(node.text());
    break;
  case Kind::Attribute:
  case Kind::Subscript:
    collect(node);
    break;
  default:
    for (Node child : node.children())
      target(child);
  }
}

static std::string_view boundByAlias(Node alias) {
  for (Node child : alias.children())
    if (child.is(Kind::Name))
      return child.text();
  std::string_view name = alias.text();
  return name.substr(0, name.find('.'));
}

void Bindings::collect(Node node) {
  switch (node.kind()) {
  case Kind::FunctionDef:
  case Kind::ClassDef:
    names.insert(node.text());
    for (Node child : node.children()) // a walrus in a decorator, a base or a default binds here
      if (child.role() == Role::Decorator || child.role() == Role::Argument)
        collect(child);
      else if (child.role() == Role::Parameters)
        for (Node parameter : child.children())
          if (Node value = parameter.child(Role::Value))
            collect(value);
    return;
  case Kind::Lambda:
    return;
  case Kind::NamedExpr:
  case Kind::AugAssign:
  case Kind::AnnAssign:
  case Kind::Assign:
  case Kind::For:
  case Kind::WithItem:
  case Kind::ExceptHandler:
    for (Node child : node.children())
      if (child.role() == Role::Target)
        target(child);
      else if (child.role() != Role::Annotation)
        collect(child);
    return;
  case Kind::Comprehension: // its own target is not bound around it
    for (Node child : node.children())
      if (child.role() != Role::Target)
        collect(child);
    return;
  case Kind::Delete:
    for (Node child : node.children())
      target(child);
    return;
  case Kind::Import:
  case Kind::ImportFrom:
    for (Node alias : node.children())
      if (alias.is(Kind::Alias) && alias.text() != "*")
        names.insert(boundByAlias(alias));
    return;
  case Kind::Global:
    for (Node name : node.children())
      globals.insert(name.text());
    return;
  case Kind::Nonlocal:
    for (Node name : node.children())
      nonlocals.insert(name.text());
    return;
  case Kind::TypeAlias:
    if (Node name = node.firstChild(); name.is(Kind::Name))
      names.insert(name.text());
    return;
  case Kind::MatchCase:
    for (Node child : node.children())
      if (child.role() == Role::Pattern)
        target(child);
      else
        collect(child);
    return;
  case Kind::Yield:
  case Kind::YieldFrom:
    generator = true;
    break;
  default:
    break;
  }
  for (Node child : node.children())
    collect(child);
}

namespace {

struct Reader {
  std::set<std::string_view> free;
  std::vector<std::set<std::string_view>> bound; // by the functions and comprehensions around

  void name(std::string_view name) {
    for (const auto &level : bound)
      if (level.count(name))
        return;
    free.insert(name);
  }
  void children(Node node) {
    for (Node child : node.children())
      read(child);
  }
  void function(Node node) {
    Bindings bindings;
    for (Node child : node.children()) {
      if (child.role() == Role::Parameters)
        for (Node parameter : child.children()) {
          bindings.names.insert(parameter.text());
          for (Node part : parameter.children())
            read(part);
        }
      else if (child.role() == Role::Decorator || child.role() == Role::Returns)
        read(child);
    }
    Node body = node.child(node.is(Kind::Lambda) ? Role::Value : Role::Block);
    if (!body)
      return;
    bindings.collect(body);
    for (std::string_view outer : bindings.globals)
      bindings.names.erase(outer);
    for (std::string_view outer : bindings.nonlocals)
      bindings.names.erase(outer);
    bound.push_back(std::move(bindings.names));
    read(body);
    bound.pop_back();
  }
  void comprehension(Node node) {
    Bindings bindings;
    for (Node clause : node.childrenIn(Role::Clause))
      if (Node target = clause.child(Role::Target))
        bindings.target(target);
    bound.push_back(std::move(bindings.names));
    children(node);
    bound.pop_back();
    // The first iterable is evaluated outside.
    if (Node clause = node.child(Role::Clause))
      if (Node iter = clause.child(Role::Iter))
        read(iter);
  }
  void read(Node node) {
    switch (node.kind()) {
    case Kind::Name:
      return name(node.text());
    case Kind::FunctionDef:
    case Kind::Lambda:
      return function(node);
    case Kind::ListComp:
    case Kind::SetComp:
    case Kind::DictComp:
    case Kind::GeneratorExp:
      return comprehension(node);
    case Kind::Alias:
      return;
    default:
      return children(node);
    }
  }
};

} // namespace

std::vector<std::string> freeNames(Node node) {
  if (!node)
    return {};
  Reader reader;
  reader.read(node);
  return {reader.free.begin(), reader.free.end()};
}

} // namespace tilewright::syntax
