#include "schedule/Candidates.h"

#include "analysis/Distribution.h"
#include "instruction/Table.h"
#include "ir/PrintType.h"
#include "support/Check.h"

#include <algorithm>

namespace tilewright::schedule {

using instruction::Binding;
using instruction::Instruction;
using instruction::InstructionParameter;
using instruction::Match;
using instruction::Use;

namespace {

// ---- which instructions can do an op
// What an op of arithmetic is called as a kind of T.unary or T.binary.
struct Kind {
  ir::Op op;
  const char *kind;
};
constexpr Kind kUnary[] = {{ir::Op::Neg, "NEG"}, {ir::Op::Abs, "ABS"},   {ir::Op::LogicalNot, "NOT"}, {ir::Op::Exp, "EXP"},   {ir::Op::Log, "LOG"},
                           {ir::Op::Exp2, "EXP2"}, {ir::Op::Log2, "LOG2"}, {ir::Op::Ceil, "CEIL"},      {ir::Op::Round, "ROUND"}, {ir::Op::Unary, ""}};
constexpr Kind kBinary[] = {{ir::Op::Add, "ADD"},        {ir::Op::Sub, "SUB"},     {ir::Op::Mul, "MUL"},     {ir::Op::Div, "DIV"},
                            {ir::Op::FloorDiv, "FLOOR_DIV"}, {ir::Op::Mod, "MOD"},     {ir::Op::Min, "MIN"},     {ir::Op::Max, "MAX"},
                            {ir::Op::CmpEq, "EQ"},       {ir::Op::CmpNe, "NE"},    {ir::Op::CmpLt, "LT"},    {ir::Op::CmpLe, "LE"},
                            {ir::Op::CmpGt, "GT"},       {ir::Op::CmpGe, "GE"},    {ir::Op::LogicalAnd, "AND"}, {ir::Op::LogicalOr, "OR"}};

const char *kindIn(std::span<const Kind> kinds, ir::Op op) {
  for (const Kind &row : kinds)
    if (row.op == op)
      return row.kind;
  return nullptr;
}

struct Pairing {
  ir::Op op;
  std::vector<std::string> instructions;
};
const std::vector<Pairing> &pairings() {
  static const std::vector<Pairing> table = [] {
    std::vector<Pairing> rows{
        {ir::Op::MatMul, {"T.amx_fma16", "T.cuda.sm90.Wgmma", "T.cuda.sm80.Mma"}},
        {ir::Op::Reshard, {"T.copy_async", "T.copy_async_tensor", "T.copy", "T.ldmatrix"}},
        {ir::Op::Transpose, {"T.copy"}},
        {ir::Op::IndexSelect, {"T.copy_async"}},
        {ir::Op::Arange, {"T.arange"}},
        {ir::Op::Cast, {"T.cast"}},
        {ir::Op::Clamp, {"T.clamp"}},
        {ir::Op::Where, {"T.where"}},
        {ir::Op::ReLU, {"T.relu"}},
        {ir::Op::Reduce, {"T.reduce"}},
    };
    for (const Kind &row : kUnary)
      rows.push_back({row.op, {"T.unary"}});
    for (const Kind &row : kBinary)
      rows.push_back({row.op, {"T.binary"}});
    return rows;
  }();
  return table;
}

// ---- the instruction that an op would be
const ir::Attribute *attributeOf(const ir::PlanValue &value, std::string_view name) { return ir::find(value.attributes, name); }

/// An attribute of the op under the same name; nothing if it is not stated.
void carry(const ir::PlanValue &value, std::string_view name, Instruction &instruction) {
  const ir::Attribute *given = attributeOf(value, name);
  if (!given)
    return;
  if (auto *integer = std::get_if<int64_t>(given))
    instruction.parameters.emplace_back(name, *integer);
  else if (auto *flag = std::get_if<bool>(given))
    instruction.parameters.emplace_back(name, *flag);
  else if (auto *number = std::get_if<double>(given))
    instruction.parameters.emplace_back(name, *number);
  else if (auto *text = std::get_if<std::string>(given))
    instruction.parameters.emplace_back(name, *text);
  else if (auto *numbers = std::get_if<std::vector<int64_t>>(given))
    instruction.parameters.emplace_back(name, *numbers);
  else if (auto *member = std::get_if<ir::Enumerator>(given))
    instruction.parameters.emplace_back(name, *member);
  else if (auto *dtype = std::get_if<ir::DType>(given))
    instruction.parameters.emplace_back(name, std::string(instruction::name(*dtype)));
}

/// The value with its axes in another order: a transpose reads it so, element by element.
ir::TensorType permuted(const ir::TensorType &type, const std::vector<int64_t> &order) {
  ir::TensorType out = type;
  const layout::TensorLayout from = type.layout ? *type.layout : layout::compact(type.shape);
  const std::vector<int64_t> modes = from.shape.flat(), strides = layout::flatStrides(from);
  const auto axes = layout::axisOfModes(type.shape, from.shape);
  if (!axes || order.size() != type.shape.size())
    return out;
  std::vector<int64_t> newModes, newStrides;
  std::vector<int> at(modes.size(), -1); // where each mode goes
  for (size_t i = 0; i < order.size(); ++i) {
    const auto axis = static_cast<size_t>(order[i]);
    if (axis >= type.shape.size())
      return out;
    out.shape[i] = type.shape[axis];
    for (size_t mode = 0; mode < modes.size(); ++mode)
      if ((*axes)[mode] == static_cast<int>(axis)) {
        at[mode] = static_cast<int>(newModes.size());
        newModes.push_back(modes[mode]);
        newStrides.push_back(strides[mode]);
      }
  }
  layout::TensorLayout to = from;
  to.shape = layout::IntTuple::of(newModes);
  to.strides = layout::IntTuple::of(newStrides);
  for (layout::AxisState &state : to.states)
    if (state.kind == layout::StateKind::Split)
      state.mode = at[static_cast<size_t>(state.mode)];
  out.layout = std::move(to);
  return out;
}

Instruction instructionOf(const ir::PlanValue &value, std::string_view id) {
  Instruction made{std::string(id), {}};
  if (id.starts_with("T.cuda.")) // an atom, its parameters open
    return {"T.tiled_mma", {{"atom", std::vector<Instruction>{made}}}};
  if (id == "T.unary" || id == "T.binary") {
    const bool unary = id == "T.unary";
    const char *kind = unary ? kindIn(kUnary, value.op) : kindIn(kBinary, value.op);
    if (kind && *kind)
      made.parameters.emplace_back("kind", ir::Enumerator{unary ? "UnaryKind" : "BinaryKind", kind});
    else
      carry(value, "kind", made);
    return made;
  }
  for (std::string_view name : {"dtype", "min_val", "max_val", "axes", "keepdim", "kind", "start", "step"})
    carry(value, name, made);
  return made;
}

/// The operands of a use in the order of the instruction: the destination takes what the op makes, the others what it reads.
std::vector<ir::TensorType> operandsOf(const Site &site, const instruction::Row &row) {
  std::vector<ir::TensorType> all;
  size_t read = 0;
  for (size_t i = 0; i < row.operands.size(); ++i) {
    if (i == row.destination)
      all.push_back(site.operands.back().type);
    else if (read + 1 < site.operands.size())
      all.push_back(site.operands[read++].type);
  }
  return all;
}

// ---- where a value stands
/// The mesh scopes around a region of a function, outermost first.
std::vector<std::shared_ptr<const layout::Mesh>> scopesAround(const ir::FunctionPlan &plan, ir::RegionId region) {
  std::vector<std::shared_ptr<const layout::Mesh>> scopes;
  for (; region != ir::kNone; region = plan.regions[static_cast<size_t>(region)].parent)
    if (const auto &mesh = plan.regions[static_cast<size_t>(region)].mesh)
      scopes.push_back(mesh);
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

/// The scopes that a function is called in: those of its first call, calls in order of the functions.
std::vector<std::shared_ptr<const layout::Mesh>> scopesOfCall(const ir::Program &program, size_t function) {
  for (size_t caller = 0; caller < function; ++caller)
    for (const ir::PlanValue &value : program.functions[caller].values)
      if (value.kind == ir::ValueKind::Call && value.callee == static_cast<int>(function)) {
        auto scopes = scopesOfCall(program, caller);
        for (auto &inner : scopesAround(program.functions[caller], value.region))
          scopes.push_back(std::move(inner));
        return scopes;
      }
  return {};
}

std::vector<std::shared_ptr<const layout::Mesh>> scopesOf(const ir::Program &program, size_t function, ir::RegionId region) {
  auto scopes = scopesOfCall(program, function);
  for (auto &inner : scopesAround(program.functions[function], region))
    scopes.push_back(std::move(inner));
  return scopes;
}

std::string scopeText(const std::vector<std::shared_ptr<const layout::Mesh>> &scopes) {
  if (scopes.empty() || scopes.back()->topologies.empty())
    return "whole program";
  return "per " + scopes.back()->topologies.back().name;
}

// ---- sites
std::string spellingOf(ir::Op op) {
  if (kindIn(kUnary, op))
    return "tf.unary";
  if (kindIn(kBinary, op))
    return "tf.binary";
  return "tf." + std::string(ir::spec(op).mnemonic);
}

bool isScalarOfNoUnit(const ir::Type &type) { return !type.isTuple && type.tensor.shape.empty() && type.tensor.storage == ir::Storage::Umat; }

/// A site without its rows.
std::optional<Site> describe(const ir::Program &program, size_t function, ir::ValueId id) {
  const ir::FunctionPlan &plan = program.functions[function];
  const ir::PlanValue &value = plan.at(id);
  if (value.kind != ir::ValueKind::Op || instructionsFor(value.op).empty() || value.type.isTuple || isScalarOfNoUnit(value.type))
    return std::nullopt;
  if (value.op == ir::Op::Reshard && analysis::sameBytes(plan.at(value.operands[0]).type.tensor, value.type.tensor, {program.topologies, -1}))
    return std::nullopt; // another name for the same bytes
  Site site;
  site.function = function;
  site.value = id;
  site.name = value.nameSpan.empty() || value.authored.empty() ? "<value>" : value.authored;
  site.op = spellingOf(value.op);
  site.scope = scopeText(scopesOf(program, function, value.region));
  const ir::OpSpec &spec = ir::spec(value.op);
  for (size_t i = 0; i < value.operands.size() && i < spec.operands.size(); ++i) {
    const ir::Type &type = plan.at(value.operands[i]).type;
    if (type.isTuple)
      return std::nullopt;
    site.operands.push_back({std::string(spec.operands[i].name), type.tensor});
  }
  site.operands.push_back({"result", value.type.tensor});
  return site;
}

void matchAll(const ir::Program &program, Site &site) {
  const std::vector<std::string> &instructions = instructionsFor(program.functions[site.function].at(site.value).op);
  std::vector<Site::Row> refused;
  for (const std::string &instruction : instructions) {
    const instruction::Row *contract = instruction::rowNamed(instruction);
    TW_CHECK(contract, "the instructions of a pairing have rows");
    if (program.target && !instruction::admits(*program.target, *contract))
      continue;
    std::vector<Match> matches = instruction::matchOpen(useOf(program, site, instruction));
    TW_CHECK(!matches.empty(), "an open match says at least why there is none");
    Site::Row row;
    row.match = std::move(matches.front());
    row.others.assign(std::make_move_iterator(matches.begin() + 1), std::make_move_iterator(matches.end()));
    row.isDefault = row.match.accepted && instructions.size() == 1;
    (row.match.accepted ? site.rows : refused).push_back(std::move(row));
  }
  site.rows.insert(site.rows.end(), std::make_move_iterator(refused.begin()), std::make_move_iterator(refused.end()));
}

/// The values of a region and those inside it, in printed order.
void walk(const ir::FunctionPlan &plan, ir::RegionId region, std::vector<ir::ValueId> &order) {
  for (const ir::PlanItem &item : plan.regions[static_cast<size_t>(region)].items) {
    if (item.value != ir::kNone)
      order.push_back(item.value);
    if (item.region != ir::kNone)
      walk(plan, item.region, order);
  }
}

std::string joined(const std::vector<Binding> &path) {
  std::string text;
  for (const Binding &binding : path)
    text += (text.empty() ? "" : ", ") + binding.name + "=" + binding.value;
  return text;
}

} // namespace

const std::vector<std::string> &instructionsFor(ir::Op op) {
  static const std::vector<std::string> none;
  for (const Pairing &row : pairings())
    if (row.op == op)
      return row.instructions;
  return none;
}

std::vector<Binding> Site::Row::path() const {
  std::vector<Binding> path = match.path;
  std::vector<std::vector<std::string>> values;
  for (const Binding &binding : path)
    values.push_back({binding.value});
  for (const Match &other : others)
    for (const Binding &binding : other.path) {
      auto known = std::find_if(path.begin(), path.end(), [&](const Binding &one) { return one.name == binding.name; });
      if (known == path.end()) {
        path.push_back(binding);
        values.push_back({binding.value});
        continue;
      }
      auto &all = values[static_cast<size_t>(known - path.begin())];
      if (std::find(all.begin(), all.end(), binding.value) == all.end()) {
        all.push_back(binding.value);
        known->value += "|" + binding.value;
      }
    }
  return path;
}

std::vector<const Site::Row *> Site::accepted() const {
  std::vector<const Row *> chosen;
  for (const Row &row : rows)
    if (row.match.accepted)
      chosen.push_back(&row);
  return chosen;
}

std::optional<Site> candidateSite(const ir::Program &program, size_t function, ir::ValueId value) {
  std::optional<Site> site = describe(program, function, value);
  if (site)
    matchAll(program, *site);
  return site;
}

std::optional<Site> siteAt(const ir::Program &program, size_t function, uint32_t offset) {
  const ir::FunctionPlan &plan = program.functions[function];
  ir::ValueId best = ir::kNone;
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const ir::PlanValue &value = plan.values[i];
    const bool named = value.nameSpan.contains(offset);
    if (!named && !value.span.contains(offset))
      continue;
    if (best != ir::kNone && !named && plan.at(best).span.size() <= value.span.size())
      continue;
    if (describe(program, function, static_cast<ir::ValueId>(i)))
      best = static_cast<ir::ValueId>(i);
    if (named)
      break;
  }
  return best == ir::kNone ? std::nullopt : candidateSite(program, function, best);
}

std::vector<Site> candidateSites(const ir::Program &program) {
  std::vector<Site> sites;
  for (size_t function = 0; function < program.functions.size(); ++function) {
    std::vector<ir::ValueId> order;
    walk(program.functions[function], 0, order);
    for (ir::ValueId value : order)
      if (auto site = candidateSite(program, function, value))
        sites.push_back(std::move(*site));
  }
  return sites;
}

Use useOf(const ir::Program &program, const Site &site, std::string_view instruction) {
  const ir::PlanValue &value = program.functions[site.function].at(site.value);
  Use use;
  use.instruction = instructionOf(value, instruction);
  const instruction::Row *row = instruction::rowNamed(instruction);
  TW_CHECK(row, "a use is one of an instruction");
  use.operands = operandsOf(site, *row);
  if (const ir::Attribute *perm = value.op == ir::Op::Transpose ? attributeOf(value, "perm") : nullptr)
    if (auto *order = std::get_if<std::vector<int64_t>>(perm))
      use.operands.front() = permuted(use.operands.front(), *order);
  use.scopes = scopesOf(program, site.function, value.region);
  use.target = program.target;
  return use;
}

const Site::Row *defaultOf(const Site &site) {
  for (const Site::Row &row : site.rows)
    if (row.isDefault)
      return &row;
  return nullptr;
}

std::string labelOf(const ir::Program &program, const Site &site, const LineOf &lineOf) {
  return site.name + ":" + std::to_string(lineOf(site.function, program.functions[site.function].at(site.value).span));
}

std::string textOf(const Site::Operand &operand) {
  return operand.name + "=" + ir::printTensorType(operand.type, [](const layout::Mesh &, int) { return std::string(); }, 4);
}

std::string renderCandidates(const ir::Program &program, const std::vector<Site> &sites, std::string_view source, const LineOf &lineOf) {
  std::string text = "source " + std::string(source) + "\ntarget " + (program.target ? std::string(program.target->id()) : std::string("none")) + "\n";
  for (const Site &site : sites) {
    text += "  " + labelOf(program, site, lineOf) + "  " + site.op + "  " + site.scope;
    for (const Site::Operand &operand : site.operands)
      text += "  " + textOf(operand);
    text += "\n";
    for (const Site::Row &row : site.rows) {
      text += row.isDefault ? "    default     " : row.match.accepted ? "    candidate   " : "    refused     ";
      text += row.match.id;
      if (const std::string path = joined(row.path()); !path.empty())
        text += "  " + path;
      text += "\n";
      if (row.match.accepted)
        continue;
      text += "                  ";
      for (char c : row.match.reason)
        text += c == '\n' ? "\n                " : std::string(1, c);
      text += "\n";
    }
  }
  return text;
}

} // namespace tilewright::schedule
