#include "instruction/Table.h"
#include "instruction/Rows.h"
#include "support/Text.h"

#include <algorithm>

namespace tilewright::instruction {

namespace {
std::vector<Row> made() {
  return {
#define TW_INSTRUCTION(function) row::function(),
#include "instruction/Instructions.def"
#undef TW_INSTRUCTION
  };
}

std::string afterDot(std::string_view text) { return std::string(text.substr(text.rfind('.') + 1)); }
} // namespace

// ---- spellings of the rows
namespace row {

MeshCase mesh(std::string_view pattern, const Rules &rules, When when) { return {std::move(when), parseMesh(pattern), parseRules(rules)}; }

MeshCase anyThreads() { return mesh("Mesh(('thread',), ComposedLayout(None, p0, Layout((*execution_shape,), (*execution_strides,))))"); }

Arrangement arrangement(std::string_view pattern, const Rules &rules, When when) { return {std::move(when), parseLayout(pattern), parseRules(rules)}; }

Operand inRegisters(std::string name, Access access) {
  Operand operand{std::move(name), access};
  operand.cases = {{{}, {}, {}, {{}, {Storage::Rmem}}, {}, {}}};
  return operand;
}

Between same(Between::Field field, std::string left, std::string right) { return {Between::Kind::Same, field, std::move(left), std::move(right)}; }
Between distinct(Between::Field field, std::string left, std::string right) { return {Between::Kind::Distinct, field, std::move(left), std::move(right)}; }

Parameter oneOf(std::string name, std::string enumType, std::vector<std::string> members) {
  Parameter parameter{std::move(name), Parameter::Kind::Enum};
  parameter.enumType = std::move(enumType);
  parameter.members = std::move(members);
  return parameter;
}

} // namespace row

std::string print(const When &when) {
  std::string out;
  for (const auto &[name, value] : when)
    out += (out.empty() ? "" : ", ") + name + "=" + value;
  return out;
}

std::string print(const Between &rule) {
  if (rule.kind == Between::Kind::SameWalk || rule.kind == Between::Kind::SameWalkIndexed)
    return rule.left + " and " + rule.right + " step 1 along the last mode of one tile axis, each grouped by tile axis" +
           (rule.kind == Between::Kind::SameWalkIndexed ? "; indexed vectors must not cross axis 0" : "");
  const char *field = rule.field == Between::Field::Shape ? ".shape" : rule.field == Between::Field::DType ? ".dtype" : ".storage";
  return rule.left + field + (rule.kind == Between::Kind::Same ? " = " : " != ") + rule.right + field;
}

// ---- the table
std::span<const Row> rows() {
  static const std::vector<Row> table = made();
  return table;
}

const Row *rowNamed(std::string_view id) {
  const auto table = rows();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Row &row) { return row.id == id; });
  return found == table.end() ? nullptr : &*found;
}

std::vector<const Row *> atomsOf(const Row &row, const target::Target *target) {
  std::vector<const Row *> atoms;
  for (const Parameter &parameter : row.parameters)
    if (parameter.kind == Parameter::Kind::Atom)
      for (const std::string &id : parameter.members)
        if (const Row *atom = rowNamed(id); !target || admits(*target, *atom))
          atoms.push_back(atom);
  return atoms;
}

bool admits(const target::Target &target, const Row &row) {
  const bool repeats = std::any_of(row.parameters.begin(), row.parameters.end(), [](const Parameter &one) { return one.kind == Parameter::Kind::Atom; });
  if (repeats)
    return !atomsOf(row, &target).empty();
  return row.capability.empty() || target.hasCapability(row.capability);
}

std::vector<MeshCase> meshesOn(const Row &row, const target::Target *target) {
  if (!target)
    return row.meshes;
  std::vector<MeshCase> meshes;
  if (row.everyLevel) {
    for (const std::string &level : target->issuers()) {
      meshes.push_back(row.meshes.front());
      meshes.back().mesh.level = level;
    }
    return meshes;
  }
  for (const MeshCase &mesh : row.meshes) {
    const bool ofAtom = !mesh.when.empty() && mesh.when.front().first == "atom";
    const Row *atom = ofAtom ? rowNamed(mesh.when.front().second) : nullptr;
    if (!atom || admits(*target, *atom))
      meshes.push_back(mesh);
  }
  return meshes;
}

// ---- parameters
std::string pathText(const InstructionParameter &value) {
  struct Visitor {
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(double number) const {
      std::string text = std::to_string(number);
      text.erase(text.find_last_not_of('0') + 1);
      return text.back() == '.' ? text + "0" : text;
    }
    std::string operator()(const std::string &text) const { return text; }
    std::string operator()(const Enumerator &enumerator) const { return enumerator.value; }
    std::string operator()(const std::vector<Instruction> &nested) const { return nested.empty() ? std::string() : nested.front().name; }
    std::string operator()(const std::vector<int64_t> &numbers) const { return print(BoundValue(numbers)); }
  };
  return std::visit(Visitor{}, value);
}

const InstructionParameter *find(const Instruction &instruction, std::string_view parameter) {
  for (const auto &[name, value] : instruction.parameters)
    if (name == parameter)
      return &value;
  return nullptr;
}

Bindings bindingsOf(const Instruction &instruction) {
  Bindings bindings;
  for (const auto &[name, value] : instruction.parameters) {
    if (const auto *number = std::get_if<int64_t>(&value))
      bindings.emplace_back(name, *number);
    else if (const auto *numbers = std::get_if<std::vector<int64_t>>(&value))
      bindings.emplace_back(name, *numbers);
    else
      bindings.emplace_back(name, pathText(value));
  }
  return bindings;
}

bool applies(const When &when, const Bindings &bindings) {
  return std::all_of(when.begin(), when.end(), [&](const auto &one) {
    const BoundValue *value = find(bindings, one.first);
    return value && print(*value) == one.second;
  });
}

const OperandCase *caseOf(const Operand &operand, const Bindings &bindings) {
  const auto found = std::find_if(operand.cases.begin(), operand.cases.end(), [&](const OperandCase &one) { return applies(one.when, bindings); });
  return found == operand.cases.end() ? nullptr : &*found;
}

namespace {
/// Members that a parameter may have under those bound before it; null where any value goes.
const std::vector<std::string> *membersUnder(const Parameter &parameter, const Bindings &bindings) {
  for (const Parameter::Case &one : parameter.cases)
    if (applies(one.when, bindings))
      return &one.members;
  return parameter.members.empty() ? nullptr : &parameter.members;
}

/// `T.cuda.sm90.Form.SS or T.cuda.sm90.Form.RS`, `bf16, f16 or fp8e4m3`.
std::string listed(const Parameter &parameter, const std::vector<std::string> &members) {
  std::string out;
  for (size_t i = 0; i < members.size(); ++i) {
    out += i == 0 ? "" : i + 1 == members.size() ? " or " : ", ";
    out += parameter.kind == Parameter::Kind::Enum ? parameter.enumType + "." + members[i] : parameter.kind == Parameter::Kind::Text ? "\"" + members[i] + "\"" : members[i];
  }
  return out;
}

/// A value as an author writes it: `'SS'`, `Major.MN`, `12`.
std::string authored(const InstructionParameter &value) {
  if (const auto *text = std::get_if<std::string>(&value))
    return dtypeNamed(*text) ? *text : "'" + *text + "'";
  if (const auto *enumerator = std::get_if<Enumerator>(&value))
    return afterDot(enumerator->type) + "." + enumerator->value;
  return pathText(value);
}

const char *kindName(const InstructionParameter &value) {
  return std::holds_alternative<std::string>(value) ? "str"
         : std::holds_alternative<bool>(value)      ? "bool"
         : std::holds_alternative<int64_t>(value)   ? "int"
         : std::holds_alternative<double>(value)    ? "float"
                                                    : "tuple";
}

/// Says why a parameter cannot have this value; "" if it can.
std::string refusal(const Row &row, const Parameter &parameter, const InstructionParameter &value, const Bindings &earlier) {
  const std::vector<std::string> *members = membersUnder(parameter, earlier);
  const std::string head = row.id + ": " + parameter.name + "=" + authored(value) + " is not one it takes";
  std::string where;
  for (const Parameter::Case &one : parameter.cases)
    if (applies(one.when, earlier))
      where = " with " + print(one.when);
  switch (parameter.kind) {
  case Parameter::Kind::Int: {
    const auto *number = std::get_if<int64_t>(&value);
    if (!number && row.kind == Row::Kind::Instruction)
      return row.id + ": " + parameter.name + " must be int, got " + kindName(value);
    if (!number)
      return head + "; it takes an integer";
    std::string rules;
    bool fine = true;
    for (const Rule &rule : parameter.rules) {
      rules += (rules.empty() ? "" : " and ") + print(rule);
      fine = fine && holds(rule, {{parameter.name, *number}}).value_or(true);
    }
    return fine ? std::string() : head + "; it takes " + rules;
  }
  case Parameter::Kind::DType: {
    const auto *text = std::get_if<std::string>(&value);
    if (!text || !dtypeNamed(*text))
      return head + "; it takes a dtype";
    break;
  }
  case Parameter::Kind::Enum: {
    const auto *enumerator = std::get_if<Enumerator>(&value);
    const std::vector<std::string> &all = members ? *members : parameter.members;
    if (!enumerator && row.kind == Row::Kind::Instruction)
      return row.id + ": " + parameter.name + " must be " + parameter.enumType + ", got " + kindName(value) + "; write one of " + listed(parameter, all);
    if (!enumerator)
      return head + "; it takes " + listed(parameter, all);
    break;
  }
  case Parameter::Kind::Atom: {
    const auto *nested = std::get_if<std::vector<Instruction>>(&value);
    const Row *atom = nested && nested->size() == 1 ? rowNamed(nested->front().name) : nullptr;
    return atom && atom->kind == Row::Kind::Atom ? std::string() : "`" + parameter.name + "` is a matrix instruction such as T.cuda.sm90.Wgmma(...)";
  }
  case Parameter::Kind::Text:
    if (!std::holds_alternative<std::string>(value))
      return head + "; it takes a text";
    break;
  case Parameter::Kind::Bool:
  case Parameter::Kind::Float:
  case Parameter::Kind::Ints:
    return {};
  }
  if (members && std::find(members->begin(), members->end(), pathText(value)) == members->end())
    return head + where + "; it takes " + listed(parameter, *members);
  return {};
}

/// The value of a parameter that is left out: the one member there is, or the default.
std::optional<InstructionParameter> implied(const Parameter &parameter, const Bindings &earlier) {
  const std::vector<std::string> *members = parameter.cases.empty() ? nullptr : membersUnder(parameter, earlier);
  if (members && members->size() == 1 && parameter.kind == Parameter::Kind::Enum)
    return Enumerator{parameter.enumType, members->front()};
  return parameter.defaultValue;
}
} // namespace

CanonicalInstruction canonical(const Instruction &authored) {
  const auto wrong = [&](std::string error, std::string_view parameter = {}) { return CanonicalInstruction{authored, std::move(error), std::string(parameter)}; };
  const Row *row = rowNamed(authored.name);
  if (!row)
    return wrong("there is no instruction `" + authored.name + "`");
  for (const auto &[name, value] : authored.parameters)
    if (std::none_of(row->parameters.begin(), row->parameters.end(), [&name = name](const Parameter &one) { return one.name == name; }))
      return wrong(row->id + " takes no parameter " + name, name);
  const bool complete = row->complete || row->kind == Row::Kind::Atom;
  CanonicalInstruction result{{authored.name, {}}, {}, {}};
  for (const Parameter &parameter : row->parameters) {
    const Bindings earlier = bindingsOf(result.instruction);
    const InstructionParameter *given = find(authored, parameter.name);
    if (!given) {
      const auto value = implied(parameter, earlier);
      if (!value && !parameter.optional) {
        if (parameter.kind == Parameter::Kind::Atom)
          return wrong("`" + authored.name + "` atom: None does not match one of " + joined(parameter.members), parameter.name);
        const std::vector<std::string> *members = membersUnder(parameter, earlier);
        return wrong("`" + authored.name + "` needs `" + parameter.name + "`" + (members && parameter.kind != Parameter::Kind::Atom ? ": " + listed(parameter, *members) : std::string()),
                     parameter.name);
      }
      if (value && complete)
        result.instruction.parameters.emplace_back(parameter.name, *value);
      continue;
    }
    if (std::string error = refusal(*row, parameter, *given, earlier); !error.empty())
      return wrong(std::move(error), parameter.name);
    if (parameter.kind == Parameter::Kind::Atom) {
      CanonicalInstruction atom = canonical(std::get<std::vector<Instruction>>(*given).front());
      if (!atom.error.empty())
        return wrong(atom.error, atom.parameter.empty() ? parameter.name : atom.parameter);
      result.instruction.parameters.emplace_back(parameter.name, std::vector<Instruction>{std::move(atom.instruction)});
      continue;
    }
    if (!complete && parameter.defaultValue == *given)
      continue;
    result.instruction.parameters.emplace_back(parameter.name, *given);
  }
  return result;
}

AtomShape shapeOf(const Instruction &atom) {
  AtomShape shape;
  const Row *row = rowNamed(atom.name);
  if (!row || row->kind != Row::Kind::Atom)
    return shape;
  const Bindings bindings = bindingsOf(atom);
  for (const Operand &operand : row->operands) {
    const OperandCase *one = caseOf(operand, bindings);
    for (size_t axis = 0; one && one->shape && axis < operand.dims.size() && axis < one->shape->elements.size(); ++axis) {
      int64_t &extent = operand.dims[axis] == "m" ? shape.m : operand.dims[axis] == "n" ? shape.n : shape.k;
      extent = evaluate(one->shape->elements[axis].term, bindings).value_or(0);
    }
  }
  return shape;
}

} // namespace tilewright::instruction
