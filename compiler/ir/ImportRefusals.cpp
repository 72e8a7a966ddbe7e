// Refusals of instructions: where in the text they are, what else the text says about it, and which edits lift them.
#include "instruction/Table.h"
#include "ir/ImportFunction.h"
#include "layout/Print.h"

#include <algorithm>

namespace tilewright::ir {

using instruction::Remedy;
using syntax::Form;
using syntax::Kind;
using syntax::Node;
using syntax::Role;

namespace {
/// The keyword of a call, or of a call within its arguments.
Node keywordIn(Node node, const std::string &name) {
  for (Node child : node.children()) {
    if (child.is(Kind::Keyword) && child.text() == name)
      return child;
    if (Node found = keywordIn(child, name))
      return found;
  }
  return {};
}

Node around(Node node, Kind kind) {
  while (node && !node.is(kind))
    node = node.parent();
  return node;
}

/// The last statement before `offset` that binds the name.
void lastAssignment(Node node, std::string_view name, uint32_t offset, Node &found) {
  for (Node child : node.children()) {
    if (child.span().begin >= offset)
      return;
    if (child.is(Kind::Assign))
      for (Node target : child.childrenIn(Role::Target))
        if (target.is(Kind::Name) && target.text() == name && child.span().end <= offset)
          found = child.child(Role::Value);
    lastAssignment(child, name, offset, found);
  }
}

/// The destination of a `tf.schedule`, whose type its result has.
Node destinationOf(Node schedule) {
  Node operands;
  for (Node argument : schedule.childrenIn(Role::Argument))
    if (!argument.is(Kind::Keyword) || argument.text() == "operands") {
      operands = argument.is(Kind::Keyword) ? argument.firstChild() : argument;
      break;
    }
  Node op = keywordIn(schedule, "op").firstChild();
  const instruction::Row *row = op.is(Kind::Call) ? instruction::rowNamed(dottedName(op.child(Role::Callee))) : nullptr;
  if (!row || !operands)
    return {};
  size_t i = 0;
  for (Node element : operands.children())
    if (i++ == row->destination)
      return element;
  return {};
}

/// `Tensor[...]` among the arguments of a call.
Node tensorType(Node call) {
  for (Node argument : call.childrenIn(Role::Argument)) {
    Node value = argument.is(Kind::Keyword) ? argument.firstChild() : argument;
    if (value.is(Kind::Subscript) && value.form() == Form::TensorType)
      return value;
  }
  return {};
}
} // namespace

Node FunctionImporter::nodeOf(Span span) const {
  Node node = tree_->at(span.begin);
  while (node && !(node.span() == span))
    node = node.parent();
  return node;
}

std::optional<Span> FunctionImporter::argumentOf(Node instruction, const std::string &parameter) const {
  if (parameter.empty())
    return std::nullopt;
  Node keyword = keywordIn(instruction, parameter);
  return keyword ? std::optional(keyword.span()) : std::nullopt;
}

/// The `Tensor[...]` that says how an operand lies: of the buffer it was written into, or of the parameter.
Node FunctionImporter::declarationOf(Node operand) const {
  Node function = around(operand, Kind::FunctionDef);
  constexpr int kLongest = 16; // results that are written into the results before them
  for (int step = 0; operand && step < kLongest; ++step) {
    if (operand.is(Kind::Name)) {
      Node value;
      lastAssignment(function, operand.text(), operand.span().begin, value);
      if (!value) {
        for (Node parameter : function.child(Role::Parameters).children())
          if (parameter.text() == operand.text())
            return parameter.child(Role::Annotation);
        return {};
      }
      operand = value;
      continue;
    }
    if (!operand.is(Kind::Call))
      return {};
    const std::string callee = dottedName(operand.child(Role::Callee));
    if (callee != "tf.schedule")
      return callee.rfind("tf.", 0) == 0 ? tensorType(operand) : Node();
    operand = destinationOf(operand);
  }
  return {};
}

std::optional<Edit> FunctionImporter::edit(const Remedy &remedy, Span call, const std::vector<Span> &operands, const std::map<std::string, Span> &attributes) {
  const auto written = [&](const char *name) -> std::optional<Span> {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::nullopt : std::optional(found->second);
  };
  switch (remedy.part) {
  case Remedy::Part::Repeat:
  case Remedy::Part::Order:
    if (const auto at = written(remedy.part == Remedy::Part::Repeat ? "repeat" : "order"))
      return Edit{*at, remedy.text};
    return std::nullopt;
  case Remedy::Part::Parameter: {
    const auto op = written("op");
    Node instruction = op ? nodeOf(*op) : Node();
    if (Node keyword = keywordIn(instruction, remedy.parameter))
      return Edit{keyword.firstChild().span(), remedy.text};
    // A default that was left out: written behind the last argument of the atom.
    Node atom = keywordIn(instruction, "atom").firstChild();
    Node last;
    if (atom.is(Kind::Call))
      for (Node argument : atom.childrenIn(Role::Argument))
        last = argument;
    if (!last)
      return std::nullopt;
    return Edit{{last.span().end, last.span().end}, ", " + remedy.parameter + "=" + remedy.text};
  }
  case Remedy::Part::Scope: {
    Node statement = nodeOf(call);
    while (statement && !statement.is(Kind::Assign) && !statement.is(Kind::Return) && !statement.is(Kind::ExprStmt))
      statement = statement.parent();
    // A return leaves the function, and with it every scope around it.
    if (!statement || !remedy.mesh || !statement.parent().is(Kind::Block))
      return std::nullopt;
    const std::string_view text = tree_->text;
    const uint32_t begin = statement.span().begin;
    const size_t line = text.rfind('\n', begin) + 1;
    const std::string indent(text.substr(line, begin - line));
    if (indent.find_first_not_of(' ') != std::string::npos)
      return std::nullopt;
    std::string names;
    for (const std::string &name : remedy.mesh->names)
      names += (names.empty() ? "\"" : ", \"") + name + "\"";
    const std::string shape = layout::printTuple(remedy.mesh->shape);
    const bool rowMajor = remedy.mesh->strides == layout::compactStrides(remedy.mesh->shape);
    return Edit{{begin, begin},
                "with Mesh((\"" + remedy.mesh->topologies[0].name + "\",), layout=" + (rowMajor ? shape : "(" + shape + ", " + layout::printTuple(remedy.mesh->strides) + ")") +
                    ", names=(" + names + (remedy.mesh->names.size() == 1 ? ",)" : ")") + ") as threads:\n" + indent + "    "};
  }
  case Remedy::Part::OperandLayout:
  case Remedy::Part::OperandStorage:
  case Remedy::Part::OperandDType:
    break;
  }
  if (remedy.operand < 0 || static_cast<size_t>(remedy.operand) >= operands.size())
    return std::nullopt;
  Node declared = declarationOf(nodeOf(operands[static_cast<size_t>(remedy.operand)]));
  if (!declared || declared.parent().is(Kind::Parameter)) // what a caller passes is not for this place to change
    return std::nullopt;
  const std::vector<Node> parts = declared.childrenIn(Role::Argument);
  if (parts.size() < 2)
    return std::nullopt;
  const bool endsInStorage = parts.size() > 2 && parts.back().is(Kind::String);
  if (remedy.part == Remedy::Part::OperandDType)
    return Edit{parts[1].span(), "\"" + remedy.text + "\""};
  if (remedy.part == Remedy::Part::OperandStorage) {
    if (endsInStorage)
      return Edit{parts.back().span(), "\"" + remedy.text + "\""};
    return Edit{{parts.back().span().end, parts.back().span().end}, ", \"" + remedy.text + "\""};
  }
  // Axes are written by the names that hold where the buffer is declared; a name must stand for one mesh throughout.
  std::vector<layout::NamedMesh> names;
  for (int number : open_) {
    const MeshScope &scope = scopes_[static_cast<size_t>(number)];
    if (scope.alias.empty() || !scope.mesh)
      continue;
    const bool same = std::all_of(scopes_.begin(), scopes_.end(),
                                  [&](const MeshScope &other) { return other.alias != scope.alias || (other.mesh && layout::sameUnits(*other.mesh, *scope.mesh)); });
    if (same)
      names.push_back({scope.mesh, scope.alias});
  }
  const std::string text = layout::printLayout(*remedy.layout, layout::axisNamer(names));
  if (text.find('\n') != std::string::npos)
    return std::nullopt;
  for (const layout::NamedMesh &name : names) {
    if (text.find("@ " + name.alias + ".") == std::string::npos)
      continue;
    bool bound = false;
    for (Node scope = around(declared, Kind::With); scope && !bound; scope = around(scope.parent(), Kind::With))
      for (Node item : scope.childrenIn(Role::Item))
        bound |= item.child(Role::Target).text() == name.alias;
    if (!bound)
      return std::nullopt;
  }
  const bool statesLayout = parts.size() > (endsInStorage ? 3u : 2u);
  if (statesLayout)
    return Edit{parts[2].span(), text};
  return Edit{{parts[1].span().end, parts[1].span().end}, ", " + text};
}

void FunctionImporter::refuseInstruction(const Inferred &inferred, Span call, const std::vector<Span> &operands, const std::map<std::string, Span> &attributes) {
  const InstructionRefusal &refusal = *inferred.refusal;
  Span place = call;
  if (inferred.operand >= 0 && static_cast<size_t>(inferred.operand) < operands.size())
    place = operands[static_cast<size_t>(inferred.operand)];
  else if (refusal.allOperands && !operands.empty())
    place = {operands.front().begin, operands.back().end};
  else if (const auto found = attributes.find(inferred.attribute); found != attributes.end())
    place = argumentOf(nodeOf(found->second), refusal.parameter).value_or(found->second);
  std::vector<Fix> fixes;
  for (const Remedy &remedy : refusal.remedies)
    if (const auto change = edit(remedy, call, operands, attributes))
      fixes.push_back({remedy.title, {*change}});
  std::vector<Related> related;
  if (inferred.operand >= 0 && static_cast<size_t>(inferred.operand) < operands.size())
    if (Node declared = declarationOf(nodeOf(place)))
      related.push_back({declared.span(), "the operand lies as this says"});
  if (refusal.scope)
    if (Node scope = around(nodeOf(call), Kind::With)) {
      const std::vector<Node> items = scope.childrenIn(Role::Item);
      if (!items.empty())
        related.push_back({items[0].span(), "the units that issue it are those of this scope"});
    }
  if (!(place == call))
    related.push_back({call, "in this `tf.schedule`"});
  Diagnostic &problem = refuse(refusal.code, place, inferred.error);
  problem.related = std::move(related);
  problem.fixes = std::move(fixes);
}

} // namespace tilewright::ir
