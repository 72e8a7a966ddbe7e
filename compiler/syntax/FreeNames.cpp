// Which names code binds and which it reads from the scopes around it.
#include "syntax/Interpreter.h"

#include <algorithm>

namespace tilewright::syntax {

void Bindings::target(Node node) {
  if (!node)
    return;
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

using Names = std::vector<std::string_view>;

void addAlias(Node node, Names &names) {
  for (Node alias : node.children())
    if (alias.is(Kind::Alias) && alias.text() != "*")
      names.push_back(boundByAlias(alias));
}

/// One walk over the code. Names read in a function are kept apart until its end, when what it binds is known.
struct Reader {
  struct Level {
    Names read, bound, outer; // outer: global and nonlocal
    bool function = true;     // false: a comprehension, whose walrus binds around it
  };
  std::vector<Level> levels{1};

  Names &read() { return levels.back().read; }
  void bind(std::string_view name) {
    size_t at = levels.size() - 1;
    while (at && !levels[at].function)
      --at;
    levels[at].bound.push_back(name);
  }
  void close() {
    Level inner = std::move(levels.back());
    levels.pop_back();
    for (auto *names : {&inner.bound, &inner.outer})
      std::sort(names->begin(), names->end());
    for (std::string_view name : inner.read)
      if (!std::binary_search(inner.bound.begin(), inner.bound.end(), name) || std::binary_search(inner.outer.begin(), inner.outer.end(), name))
        read().push_back(name);
  }
  void children(Node node) {
    for (Node child : node.children())
      walk(child);
  }
  /// A target: names in it are bound, everything else is read.
  void target(Node node) {
    if (node.is(Kind::Name)) {
      if (levels.back().function)
        bind(node.text());
      else
        levels.back().bound.push_back(node.text());
      if (levels.size() == 1)
        read().push_back(node.text());
    } else if (node.is(Kind::Attribute) || node.is(Kind::Subscript))
      children(node);
    else
      for (Node child : node.children())
        target(child);
  }
  void function(Node node) {
    Node parameters = node.child(Role::Parameters);
    for (Node child : node.children())
      if (child.role() == Role::Decorator || child.role() == Role::Returns)
        walk(child);
    if (parameters)
      for (Node parameter : parameters.children())
        children(parameter); // annotations and defaults are evaluated outside
    levels.emplace_back();
    if (parameters)
      for (Node parameter : parameters.children())
        levels.back().bound.push_back(parameter.text());
    if (Node body = node.child(node.is(Kind::Lambda) ? Role::Value : Role::Block))
      walk(body);
    close();
  }
  void comprehension(Node node) {
    if (Node clause = node.child(Role::Clause)) // the first iterable is evaluated outside
      if (Node iter = clause.child(Role::Iter))
        walk(iter);
    levels.emplace_back();
    levels.back().function = false;
    children(node);
    close();
  }
  void walk(Node node) {
    if (!node)
      return;
    switch (node.kind()) {
    case Kind::Name:
      read().push_back(node.text());
      return;
    case Kind::FunctionDef:
      if (levels.size() > 1)
        bind(node.text());
      return function(node);
    case Kind::Lambda:
      return function(node);
    case Kind::ListComp:
    case Kind::SetComp:
    case Kind::DictComp:
    case Kind::GeneratorExp:
      return comprehension(node);
    case Kind::ClassDef:
      if (levels.size() > 1)
        bind(node.text());
      return children(node);
    case Kind::Import:
    case Kind::ImportFrom:
      return addAlias(node, levels.back().bound);
    case Kind::Global:
    case Kind::Nonlocal:
      for (Node name : node.children())
        levels.back().outer.push_back(name.text());
      return;
    case Kind::NamedExpr:
      if (Node name = node.child(Role::Target); name && levels.size() > 1)
        bind(name.text());
      if (Node value = node.child(Role::Value))
        walk(value);
      return;
    case Kind::Assign:
    case Kind::AugAssign:
    case Kind::AnnAssign:
    case Kind::For:
    case Kind::WithItem:
    case Kind::ExceptHandler:
    case Kind::Comprehension:
    case Kind::MatchCase:
      for (Node child : node.children())
        if (child.role() == Role::Target || child.role() == Role::Pattern)
          target(child);
        else
          walk(child);
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
  reader.walk(node);
  Names &names = reader.read();
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return {names.begin(), names.end()};
}

} // namespace tilewright::syntax
