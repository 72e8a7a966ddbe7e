#include "features/Contracts.h"

#include "instruction/Facts.h"
#include "ir/OpTable.h"

#include <algorithm>
#include <cctype>

namespace tilewright::features {
namespace {
using instruction::Parameter;
using instruction::Row;

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

void addMember(std::vector<Enumeration> &all, std::string_view type, std::string member) {
  if (type.empty())
    return;
  auto found = std::find_if(all.begin(), all.end(), [&](const Enumeration &one) { return one.name == type; });
  if (found == all.end())
    found = all.insert(all.end(), {std::string(type), {}});
  if (std::find(found->members.begin(), found->members.end(), member) == found->members.end())
    found->members.push_back(std::move(member));
}

/// All values that a parameter lists, in whatever case.
std::vector<std::string> membersOf(const Parameter &parameter) {
  std::vector<std::string> all = parameter.members;
  for (const Parameter::Case &one : parameter.cases)
    for (const std::string &member : one.members)
      if (std::find(all.begin(), all.end(), member) == all.end())
        all.push_back(member);
  return all;
}

std::string_view kindName(Parameter::Kind kind) {
  switch (kind) {
  case Parameter::Kind::Int: return "int";
  case Parameter::Kind::Bool: return "bool";
  case Parameter::Kind::Float: return "float";
  case Parameter::Kind::Ints: return "tuple of ints";
  case Parameter::Kind::Text: return "text";
  case Parameter::Kind::DType: return "dtype";
  case Parameter::Kind::Enum: return "name";
  case Parameter::Kind::Atom: return "matrix instruction";
  }
  return "";
}
} // namespace

const std::vector<std::string> &instructionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row &row : instruction::rows())
      all.push_back(row.id);
    std::sort(all.begin(), all.end());
    return all;
  }();
  return names;
}

bool isInstruction(std::string_view name) { return instruction::rowNamed(name) != nullptr; }
bool isAtom(std::string_view name) {
  const Row *row = instruction::rowNamed(name);
  return row && row->kind == Row::Kind::Atom;
}

Signature instructionSignature(std::string_view name) {
  Signature out;
  out.name = name;
  const Row *row = instruction::rowNamed(name);
  if (!row)
    return out;
  out.documentation = row->summary;
  for (const Parameter &parameter : row->parameters) {
    SignatureParameter one;
    one.name = parameter.name;
    one.keyword = true;
    one.optional = parameter.optional;
    one.text = one.name + (one.optional ? "=" + (parameter.defaultValue ? instruction::pathText(*parameter.defaultValue) : "None") : ": " + std::string(kindName(parameter.kind)));
    switch (parameter.kind) {
    case Parameter::Kind::Atom: one.kind = ValueKind::Atom; break;
    case Parameter::Kind::Bool: one.kind = ValueKind::Bool; break;
    case Parameter::Kind::DType: one.kind = ValueKind::DType; break;
    case Parameter::Kind::Enum: one.kind = ValueKind::Choice; break;
    default: break;
    }
    for (const std::string &member : membersOf(parameter)) {
      if (parameter.kind == Parameter::Kind::Enum)
        one.choices.push_back(parameter.enumType + "." + member);
      else if (parameter.kind == Parameter::Kind::DType) {
        one.kind = ValueKind::Choice;
        one.choices.push_back("\"" + member + "\"");
      }
    }
    std::string rules;
    for (const instruction::Rule &rule : parameter.rules)
      rules += (rules.empty() ? "" : ", ") + instruction::print(rule);
    one.documentation = std::string(kindName(parameter.kind)) + (rules.empty() ? "" : ": `" + rules + "`");
    for (size_t i = 0; i < one.choices.size(); ++i)
      one.documentation += (i ? ", `" : ": `") + one.choices[i] + "`";
    out.parameters.push_back(std::move(one));
  }
  return out;
}

const std::vector<Enumeration> &enumerations() {
  static const std::vector<Enumeration> all = [] {
    std::vector<Enumeration> found;
    for (const ir::OpSpec &op : ir::allOps())
      for (const ir::AttributeSpec &attribute : op.attributes)
        if (attribute.kind == ir::AttributeSpec::Kind::Enum)
          for (std::string_view value : attribute.values)
            addMember(found, attribute.enumType, upper(value));
    for (const Row &row : instruction::rows())
      for (const Parameter &parameter : row.parameters)
        if (parameter.kind == Parameter::Kind::Enum)
          for (const std::string &member : membersOf(parameter))
            addMember(found, parameter.enumType, member);
    return found;
  }();
  return all;
}

const Enumeration *enumerationNamed(std::string_view name) {
  auto found = std::find_if(enumerations().begin(), enumerations().end(), [&](const Enumeration &one) { return one.name == name; });
  return found == enumerations().end() ? nullptr : &*found;
}

namespace {
/// Text of a table cell as code: `|` would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? "\\|" : c == '\n' ? std::string(" ") : std::string(1, c);
  return out.empty() ? out : "`" + out + "`";
}

void addRows(std::string &table, const char *part, const std::vector<instruction::Contract::Line> &lines) {
  for (const instruction::Contract::Line &line : lines) {
    bool first = true;
    auto row = [&](const std::string &text) {
      table += "| " + std::string(first ? part : "") + " | " + (first ? cell(line.name) : std::string()) + " | " + cell(text) + " |\n";
      first = false;
    };
    if (!line.text.empty())
      row(line.text);
    for (const std::string &detail : line.details) {
      size_t begin = detail.find_first_not_of(' ');
      if (begin != std::string::npos && detail.substr(begin) != "predicates:")
        row(detail.substr(begin));
    }
    if (first)
      row("");
  }
}
} // namespace

std::string contractMarkdown(std::string_view name, const instruction::Instruction &given, const target::Target *target) {
  const Row *row = instruction::rowNamed(name);
  if (!row)
    return {};
  instruction::Contract contract = instruction::describe(*row, target, given);
  std::string text = codeBlock(instructionSignature(name).label()) + "\n" + contract.summary + "\n";
  std::string needs;
  for (const std::string &capability : contract.capabilities)
    needs += (needs.empty() ? "`" : ", `") + capability + "`";
  if (!contract.admitted)
    text += "\n**`" + std::string(target->id()) + "` has no " + needs + "**\n";
  else if (!needs.empty())
    text += "\nneeds " + needs + (target ? " of `" + std::string(target->id()) + "`" : std::string()) + "\n";
  std::string table;
  addRows(table, "issued by", contract.participants);
  addRows(table, "parameter", contract.parameters);
  addRows(table, "operand", contract.operands);
  for (const std::string &rule : contract.between)
    table += "| between | | " + cell(rule) + " |\n";
  if (!table.empty())
    text += "\n| part | name | contract |\n|---|---|---|\n" + table;
  if (!contract.cost.empty())
    text += "\ncost: " + contract.cost + "\n";
  if (!contract.ptx.empty())
    text += "\nPTX: `" + contract.ptx + "`" + (contract.source.empty() ? "" : contract.source.rfind("http", 0) == 0 ? " ([source](" + contract.source + "))" : " (" + contract.source + ")") + "\n";
  return text;
}

std::string parameterMarkdown(std::string_view name, std::string_view parameter, const instruction::Instruction &given, const target::Target *target) {
  const Row *row = instruction::rowNamed(name);
  if (!row)
    return {};
  for (const SignatureParameter &one : instructionSignature(name).parameters) {
    if (one.name != parameter)
      continue;
    std::string text = codeBlock(one.text) + "\nparameter of `" + row->id + "`: " + one.documentation + "\n";
    std::vector<std::string> left = instruction::remainingValues(*row, given, parameter, target);
    if (!left.empty() && left.size() <= 40) {
      text += "\nwith the other parameters as given: ";
      for (size_t i = 0; i < left.size(); ++i)
        text += (i ? ", `" : "`") + left[i] + "`";
      text += "\n";
    }
    return text;
  }
  return {};
}

std::string enumerationMarkdown(std::string_view name) {
  const Enumeration *whole = enumerationNamed(name);
  std::string_view member;
  if (!whole)
    if (size_t dot = name.rfind('.'); dot != std::string_view::npos) {
      whole = enumerationNamed(name.substr(0, dot));
      member = name.substr(dot + 1);
    }
  if (!whole || (!member.empty() && std::find(whole->members.begin(), whole->members.end(), member) == whole->members.end()))
    return {};
  std::string text = codeBlock(name) + "\n";
  if (member.empty()) {
    text += "one of ";
    for (size_t i = 0; i < whole->members.size(); ++i)
      text += (i ? ", `" : "`") + whole->members[i] + "`";
    text += "\n";
  }
  // Whose parameter it is, and what the row asks for under it.
  for (const Row &row : instruction::rows())
    for (const Parameter &parameter : row.parameters) {
      if (parameter.enumType != whole->name)
        continue;
      text += "\n`" + parameter.name + "` of `" + row.id + "`";
      if (member.empty()) {
        text += "\n";
        continue;
      }
      instruction::Instruction given{row.id, {{parameter.name, instruction::Enumerator{whole->name, std::string(member)}}}};
      std::string table;
      addRows(table, "operand", instruction::describe(row, nullptr, given).operands);
      text += "\n" + (row.parameters.size() > 1 && !table.empty() && &parameter == &*std::find_if(row.parameters.begin(), row.parameters.end(), [&](const Parameter &one) { return one.enumType == whole->name; })
                          ? "\n| part | name | contract |\n|---|---|---|\n" + table
                          : std::string());
    }
  return text;
}

} // namespace tilewright::features
