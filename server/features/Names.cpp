#include "features/Names.h"

#include <algorithm>

namespace tilewright::features {
namespace {
using syntax::Kind;
using syntax::Node;
using syntax::Role;

bool touches(Span span, uint32_t at) { return span.begin <= at && at <= span.end; }

void namesInTarget(Node target, std::vector<Node> &out) {
  switch (target.kind()) {
  case Kind::Name: out.push_back(target); break;
  case Kind::Tuple:
  case Kind::List:
  case Kind::Starred:
    for (Node child : target.children())
      namesInTarget(child, out);
    break;
  default: break; // an attribute or element binds no name
  }
}

/// Names bound by `:=` inside an expression.
void namesInWalrus(Node node, std::vector<Node> &out) {
  if (node.is(Kind::Lambda) || node.is(Kind::Block))
    return;
  if (node.is(Kind::NamedExpr))
    if (Node target = node.child(Role::Target))
      namesInTarget(target, out);
  for (Node child : node.children())
    namesInWalrus(child, out);
}

std::string_view boundText(Node node) {
  if (node.is(Kind::Alias)) {
    std::string_view dotted = node.text();
    return dotted.substr(0, dotted.find('.'));
  }
  return node.text();
}

/// From where on the name has the value: a target is read before it is bound.
uint32_t boundAt(Node name, Node statement) {
  for (Node at = name; at && at != statement; at = at.parent())
    if (at.is(Kind::NamedExpr) || at.is(Kind::WithItem))
      return at.span().end;
  switch (statement.kind()) {
  case Kind::For:
    if (Node body = statement.child(Role::Block))
      return body.span().begin;
    return statement.span().end;
  case Kind::FunctionDef:
  case Kind::ClassDef: return statement.nameSpan().begin;
  case Kind::ExceptHandler: return statement.span().begin;
  default: return statement.span().end;
  }
}

struct Candidate {
  Node name, statement;
  uint32_t at;
};

/// Bindings of `text` in a scope: `statement` and everything nested in it except bodies of functions and classes.
void collect(Node statement, std::string_view text, std::vector<Candidate> &out) {
  for (Node name : boundNames(statement))
    if (boundText(name) == text)
      out.push_back({name, statement, boundAt(name, statement)});
  if (statement.is(Kind::FunctionDef) || statement.is(Kind::ClassDef))
    return;
  for (Node child : statement.children())
    if (child.is(Kind::Block) || child.is(Kind::ExceptHandler) || child.is(Kind::MatchCase) || isStatement(child.kind()))
      collect(child, text, out);
}

/// The nearest candidate at or before `use`, else the first after it.
const Candidate *nearest(const std::vector<Candidate> &candidates, uint32_t use) {
  const Candidate *best = nullptr;
  for (const Candidate &one : candidates)
    if (one.at <= use && (!best || one.at >= best->at))
      best = &one;
  return best ? best : candidates.empty() ? nullptr : &candidates.front();
}

std::optional<Node> parameterNamed(Node parameters, std::string_view text) {
  if (parameters)
    for (Node parameter : parameters.children())
      if (parameter.is(Kind::Parameter) && parameter.text() == text)
        return parameter;
  return std::nullopt;
}

/// A name in the scopes around `use` inside its own item.
std::optional<Binding> resolveInside(size_t item, Node use, std::string_view text) {
  Node below = use;
  bool throughFunction = false;
  for (Node at = use.parent(); at; below = at, at = at.parent()) {
    switch (at.kind()) {
    case Kind::ListComp:
    case Kind::SetComp:
    case Kind::DictComp:
    case Kind::GeneratorExp:
      for (Node clause : at.children()) {
        if (!clause.is(Kind::Comprehension))
          continue;
        std::vector<Node> names;
        if (Node target = clause.child(Role::Target))
          namesInTarget(target, names);
        for (Node name : names)
          if (name.text() == text)
            return Binding{item, name, enclosingStatement(at)};
      }
      break;
    case Kind::Lambda:
      if (below.role() == Role::Value)
        if (auto parameter = parameterNamed(at.child(Role::Parameters), text))
          return Binding{item, *parameter, enclosingStatement(at)};
      break;
    case Kind::FunctionDef: {
      if (below.role() != Role::Block)
        break; // decorators, defaults and annotations belong to the scope outside
      std::vector<Candidate> candidates;
      if (auto parameter = parameterNamed(at.child(Role::Parameters), text))
        candidates.push_back({*parameter, at, 0});
      if (Node body = at.child(Role::Block))
        for (Node statement : body.children())
          collect(statement, text, candidates);
      if (const Candidate *found = nearest(candidates, use.span().begin))
        return Binding{item, found->name, found->statement};
      throughFunction = true;
      break;
    }
    case Kind::ClassDef: {
      if (throughFunction || below.role() != Role::Block)
        break; // a class' names are not seen by the functions in it
      std::vector<Candidate> candidates;
      for (Node statement : below.children())
        collect(statement, text, candidates);
      if (const Candidate *found = nearest(candidates, use.span().begin))
        return Binding{item, found->name, found->statement};
      break;
    }
    default: break;
    }
  }
  return std::nullopt;
}

std::optional<Binding> resolveName(const syntax::File &file, size_t item, Node use, std::string_view text) {
  if (auto inside = resolveInside(item, use, text))
    return inside;
  // Module level: in this item before the use, then upwards, then below.
  std::vector<Candidate> candidates;
  auto scan = [&](size_t index) -> std::optional<Binding> {
    candidates.clear();
    collect(file.items[index].tree->root(), text, candidates);
    if (candidates.empty())
      return std::nullopt;
    const Candidate *found = index == item ? nearest(candidates, use.span().begin) : &candidates.back();
    return Binding{index, found->name, found->statement};
  };
  for (size_t i = item + 1; i-- > 0;)
    if (auto found = scan(i); found && (i != item || found->statement != enclosingStatement(use) || found->name == use))
      return found;
  for (size_t i = item; i < file.items.size(); ++i)
    if (auto found = scan(i))
      return found;
  return std::nullopt;
}

/// The strings of `names=(...)` of a mesh, through selections of other meshes; `owner` becomes the binding they stand in.
std::vector<Node> axisNames(const syntax::File &file, Binding mesh, Binding &owner, int depth = 0) {
  if (depth > 8)
    return {};
  Node context;
  for (Node at = mesh.name; at && at != mesh.statement.parent(); at = at.parent())
    if (at.is(Kind::WithItem))
      context = at.child(Role::Value);
  if (!context && mesh.statement.is(Kind::Assign))
    context = mesh.statement.child(Role::Value);
  if (!context)
    return {};
  owner = mesh;
  std::vector<Node> names;
  if (context.is(Kind::Call))
    for (Node argument : context.children())
      if (argument.is(Kind::Keyword) && argument.text() == "names")
        for (Node value : argument.children())
          for (Node element : value.children())
            if (element.is(Kind::String))
              names.push_back(element);
  if (!names.empty())
    return names;
  Node base = context;
  if (base.is(Kind::Call))
    base = base.child(Role::Argument);
  if (base && base.is(Kind::Subscript))
    base = base.child(Role::Callee);
  if (base && base.is(Kind::Name))
    if (auto outer = resolveName(file, mesh.item, base, base.text()); outer && outer->name != mesh.name)
      return axisNames(file, *outer, owner, depth + 1);
  return {};
}

std::optional<Binding> meshAxis(const syntax::File &file, const Binding &mesh, std::string_view axis) {
  Binding owner;
  for (Node name : axisNames(file, mesh, owner))
    if (syntax::stringValue(name) == axis)
      return Binding{owner.item, name, owner.statement};
  return std::nullopt;
}
} // namespace

Span Binding::nameSpan() const {
  if (name.is(Kind::Parameter) || name.is(Kind::FunctionDef) || name.is(Kind::ClassDef) || name.is(Kind::Keyword))
    return name.nameSpan();
  return name.span();
}

std::vector<std::string> meshAxes(const syntax::File &file, const Binding &mesh) {
  std::vector<std::string> names;
  Binding owner;
  for (Node name : axisNames(file, mesh, owner))
    if (auto value = syntax::stringValue(name))
      names.push_back(std::move(*value));
  return names;
}

bool isStatement(Kind kind) { return kind > Kind::Module && kind <= Kind::Continue && kind != Kind::Block && kind != Kind::WithItem && kind != Kind::MatchCase && kind != Kind::ExceptHandler && kind != Kind::Alias; }

Node enclosingStatement(Node node) {
  while (node && !isStatement(node.kind()) && node.parent())
    node = node.parent();
  return node;
}

Node enclosingFunction(Node node) {
  while (node && !node.is(Kind::FunctionDef))
    node = node.parent();
  return node;
}

std::vector<Node> boundNames(Node statement) {
  std::vector<Node> names;
  switch (statement.kind()) {
  case Kind::FunctionDef:
  case Kind::ClassDef:
    names.push_back(statement);
    return names;
  case Kind::Import:
  case Kind::ImportFrom:
    for (Node alias : statement.children()) {
      if (!alias.is(Kind::Alias))
        continue;
      Node as = alias.firstChild();
      if (as || alias.text() != "*")
        names.push_back(as ? as : alias);
    }
    return names;
  case Kind::TypeAlias:
    if (Node first = statement.firstChild(); first && first.is(Kind::Name))
      names.push_back(first);
    return names;
  default: break;
  }
  for (Node child : statement.children()) {
    if (child.role() == Role::Target)
      namesInTarget(child, names);
    else if (child.is(Kind::WithItem)) {
      if (Node target = child.child(Role::Target))
        namesInTarget(target, names);
      if (Node context = child.child(Role::Value))
        namesInWalrus(context, names);
    } else if (!child.is(Kind::Block) && !isStatement(child.kind()) && !child.is(Kind::ExceptHandler) && !child.is(Kind::MatchCase))
      namesInWalrus(child, names);
  }
  return names;
}

Node nameAt(const syntax::Tree &tree, uint32_t offset) {
  auto named = [&](uint32_t at) -> Node {
    Node node = tree.at(at);
    if (!node)
      return {};
    switch (node.kind()) {
    case Kind::Name: return touches(node.span(), offset) ? node : Node();
    case Kind::Alias: return node;
    case Kind::Attribute:
    case Kind::Parameter:
    case Kind::FunctionDef:
    case Kind::ClassDef:
    case Kind::Keyword: return touches(node.nameSpan(), offset) ? node : Node();
    default: return {};
    }
  };
  if (Node node = named(offset))
    return node;
  return offset > 0 ? named(offset - 1) : Node(); // the cursor stands behind the name
}

std::optional<Binding> resolve(const syntax::File &file, size_t item, Node use) {
  switch (use.kind()) {
  case Kind::Name: {
    // A name that is itself being bound is its own definition.
    Node statement = enclosingStatement(use);
    if (statement)
      for (Node name : boundNames(statement))
        if (name == use)
          return Binding{item, use, statement};
    return resolveName(file, item, use, use.text());
  }
  case Kind::Parameter:
  case Kind::FunctionDef:
  case Kind::ClassDef:
  case Kind::Alias: return Binding{item, use, enclosingStatement(use)};
  case Kind::Attribute: {
    Node object = use.firstChild();
    if (!object || !object.is(Kind::Name))
      return std::nullopt;
    auto owner = resolveName(file, item, object, object.text());
    if (!owner)
      return std::nullopt;
    if (auto axis = meshAxis(file, *owner, use.text()))
      return axis;
    if (!owner->name.is(Kind::ClassDef))
      return std::nullopt;
    std::vector<Candidate> candidates;
    if (Node body = owner->name.child(Role::Block))
      for (Node statement : body.children())
        collect(statement, use.text(), candidates);
    if (candidates.empty())
      return std::nullopt;
    return Binding{owner->item, candidates.back().name, candidates.back().statement};
  }
  default: return std::nullopt;
  }
}

} // namespace tilewright::features
