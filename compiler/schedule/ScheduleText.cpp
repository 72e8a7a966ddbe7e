#include "schedule/ScheduleText.h"

#include "instruction/Table.h"
#include "ir/PrintType.h"
#include "ir/PrintValue.h"
#include "support/Check.h"

#include <algorithm>
#include <set>

namespace tilewright::schedule {

using syntax::Kind;
using syntax::Node;
using syntax::Role;

namespace {

/// Axes under the names that the author gave the scopes around a region; scopes of a caller have none here.
layout::AxisNamer authoredAxes(const ir::FunctionPlan &plan, ir::RegionId region) {
  std::vector<layout::NamedMesh> scopes;
  for (; region != ir::kNone; region = plan.regions[static_cast<size_t>(region)].parent) {
    const ir::PlanRegion &one = plan.regions[static_cast<size_t>(region)];
    if (one.mesh)
      scopes.push_back({one.mesh, one.authoredName.empty() ? (one.kind == ir::RegionKind::Function ? "mesh" : "_") : one.authoredName});
  }
  std::reverse(scopes.begin(), scopes.end());
  return layout::axisNamer(std::move(scopes));
}

/// The innermost node of exactly this span that is an op.
Node opAt(Node node, Span span) {
  Node found;
  while (node) {
    if (node.span() == span && (node.is(Kind::Call) || node.is(Kind::BinOp) || node.is(Kind::UnaryOp) || node.is(Kind::Compare) || node.is(Kind::BoolOp)))
      found = node;
    Node next;
    for (Node child : node.children())
      if (child.span().begin <= span.begin && span.end <= child.span().end)
        next = child;
    node = next;
  }
  return found;
}

/// What the op reads, as it is written.
std::optional<std::vector<std::string>> operandTexts(Node op, const ir::OpSpec &spec, size_t count) {
  std::vector<std::string> texts;
  if (!op.is(Kind::Call)) {
    for (Node child : op.children())
      texts.emplace_back(child.source());
    return texts.size() == count ? std::optional(texts) : std::nullopt;
  }
  std::vector<Node> positional;
  std::vector<Node> arguments = op.childrenIn(Role::Argument);
  for (Node argument : arguments)
    if (!argument.is(Kind::Keyword))
      positional.push_back(argument);
  for (size_t i = 0; i < count; ++i) {
    Node given = i < positional.size() ? positional[i] : Node();
    for (Node argument : arguments)
      if (argument.is(Kind::Keyword) && argument.text() == spec.operands[i].name)
        given = argument.firstChild();
    if (!given)
      return std::nullopt;
    texts.emplace_back(given.source());
  }
  return texts;
}

void collectNames(Node node, std::set<std::string, std::less<>> &names) {
  if (node.is(Kind::Name))
    names.emplace(node.text());
  for (Node child : node.children())
    collectNames(child, names);
}

/// The statement around a node, if it is one of a block and begins its line.
Node statementAround(Node node) {
  while (node && !node.parent().is(Kind::Block))
    node = node.parent();
  return node;
}

} // namespace

ScheduleText scheduleText(const ir::Program &program, const Site &site, const Site::Row &row, const std::vector<std::string> &operands, const std::string &destinationName) {
  const ir::FunctionPlan &plan = program.functions[site.function];
  const ir::RegionId region = plan.at(site.value).region;
  const instruction::Row *contract = instruction::rowNamed(row.match.id);
  TW_CHECK(contract, "a row of a site is one of the table");
  // What is accumulated into begins at zero; what is only written begins as anything.
  const bool reads = contract->operands[contract->destination].access == instruction::Access::ReadWrite;
  ScheduleText text;
  text.destination = destinationName + " = tf." + (reads ? "zeros" : "empty") + "(" + ir::printTensorType(site.operands.back().type, authoredAxes(plan, region)) + ")";
  std::string list;
  size_t read = 0;
  for (size_t i = 0; i < contract->operands.size(); ++i) {
    if (i != contract->destination && read == operands.size())
      continue; // an optional one that the op does not give
    list += (list.empty() ? "" : ", ") + (i == contract->destination ? destinationName : operands[read++]);
  }
  if (contract->operands.size() == 1)
    list += ",";
  text.call = "tf.schedule((" + list + "), op=" + ir::printInstruction(row.match.instruction) + ")";
  return text;
}

std::optional<Fix> scheduleFix(const ir::Program &program, const Site &site, const Site::Row &row, const syntax::Tree &tree) {
  if (!row.match.accepted)
    return std::nullopt;
  const ir::PlanValue &value = program.functions[site.function].at(site.value);
  Node root(&tree, 0);
  Node op = opAt(root, value.span);
  if (!op)
    return std::nullopt;
  Node statement = statementAround(op);
  if (!statement || statement.is(Kind::For) || statement.is(Kind::With))
    return std::nullopt;
  const std::string_view text = tree.text;
  size_t line = text.rfind('\n', statement.span().begin);
  line = line == std::string_view::npos ? 0 : line + 1;
  const std::string_view indent = text.substr(line, statement.span().begin - line);
  if (indent.find_first_not_of(" \t") != std::string_view::npos)
    return std::nullopt;
  auto operands = operandTexts(op, ir::spec(value.op), site.operands.size() - 1);
  if (!operands)
    return std::nullopt;
  std::set<std::string, std::less<>> taken;
  collectNames(root, taken);
  std::string stem = (value.nameSpan.empty() ? std::string(ir::spec(value.op).mnemonic) : site.name) + "_dst", name = stem;
  for (int i = 2; taken.count(name); ++i)
    name = stem + "_" + std::to_string(i);
  ScheduleText written = scheduleText(program, site, row, *operands, name);
  Fix fix;
  fix.title = "schedule `" + (value.nameSpan.empty() ? std::string("tf.") + std::string(ir::spec(value.op).mnemonic) : site.name) + "` as " + row.match.id;
  fix.edits.push_back({{statement.span().begin, statement.span().begin}, written.destination + "\n" + std::string(indent)});
  fix.edits.push_back({value.span, written.call});
  return fix;
}

} // namespace tilewright::schedule
