#include "instruction/Facts.h"
#include "support/Text.h"

#include <algorithm>
#include <set>

namespace tilewright::instruction {

namespace {
using Lines = std::vector<std::string>;

std::string spaces(size_t count) { return std::string(count, ' '); }

void append(Lines &lines, const Lines &more, size_t indent = 0) {
  for (const std::string &line : more)
    lines.push_back(spaces(indent) + line);
}

/// `label  ` before the first line, as many spaces before the others.
Lines labelled(std::string_view label, size_t width, const Lines &lines) {
  Lines out;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string head = i == 0 ? std::string(label) : std::string();
    head.resize(width, ' ');
    out.push_back(head + lines[i]);
  }
  return out;
}

/// Blocks of lines behind labels of one width; no column where every label is empty.
Lines table(const std::vector<std::pair<std::string, Lines>> &blocks) {
  size_t width = 0;
  for (const auto &[label, lines] : blocks)
    width = std::max(width, label.size());
  Lines out;
  for (const auto &[label, lines] : blocks)
    append(out, labelled(label, width ? width + 2 : 0, lines));
  return out;
}

Lines texts(const std::vector<Rule> &rules) {
  Lines lines;
  for (const Rule &rule : rules)
    lines.push_back(print(rule));
  return lines;
}

/// The heading and the rules under it; nothing where there is none.
Lines predicates(const Lines &rules) {
  if (rules.empty())
    return {};
  Lines lines{"predicates:"};
  append(lines, rules, 2);
  return lines;
}

std::string afterDot(std::string_view text) { return std::string(text.substr(text.rfind('.') + 1)); }

// ---- meshes
void starRules(const TuplePattern &pattern, Lines &rules) {
  if (!pattern.among.empty()) {
    Lines values;
    for (int64_t value : pattern.among)
      values.push_back(std::to_string(value));
    rules.push_back(print(pattern.term) + " in {" + joined(values) + "}");
  }
  for (const TuplePattern &element : pattern.elements)
    starRules(element, rules);
}
void starRules(const LayoutPattern &pattern, Lines &rules) {
  if (pattern.shape)
    starRules(*pattern.shape, rules);
  if (pattern.inner)
    starRules(*pattern.inner, rules);
}

Lines meshRules(const MeshCase &mesh) {
  Lines rules;
  starRules(mesh.mesh.layout, rules);
  for (const std::string &rule : texts(mesh.rules))
    rules.push_back(rule);
  return rules;
}

Lines meshLines(const std::vector<MeshCase> &meshes) {
  if (meshes.empty()) { // no level of the target issues it
    Lines lines{"_"};
    append(lines, predicates({"_ in {}"}), 2);
    return lines;
  }
  std::vector<std::pair<std::string, Lines>> alternatives;
  for (const MeshCase &mesh : meshes)
    alternatives.push_back({print(mesh.when), {print(mesh.mesh)}});
  Lines lines = table(alternatives);
  // Rules that every alternative has come first, each of the others says where it holds.
  Lines common, own;
  for (const std::string &rule : meshRules(meshes.front()))
    if (std::all_of(meshes.begin(), meshes.end(), [&](const MeshCase &mesh) {
          const Lines all = meshRules(mesh);
          return std::find(all.begin(), all.end(), rule) != all.end();
        }))
      common.push_back(rule);
  for (const MeshCase &mesh : meshes)
    for (const std::string &rule : meshRules(mesh))
      if (std::find(common.begin(), common.end(), rule) == common.end())
        own.push_back(rule + " where " + print(mesh.when));
  append(common, own);
  append(lines, predicates(common), 2);
  return lines;
}

// ---- parameters
/// Members as reports write them: `Form.SS`, `bf16`.
Lines memberTexts(const Parameter &parameter, const std::vector<std::string> &members) {
  Lines out;
  for (const std::string &member : members)
    out.push_back(parameter.kind == Parameter::Kind::Enum ? afterDot(parameter.enumType) + "." + member : member);
  return out;
}

Lines rulesOf(const Parameter &parameter) {
  Lines rules = texts(parameter.rules);
  if (!parameter.members.empty() && parameter.cases.empty())
    rules.push_back(parameter.name + " in {" + joined(memberTexts(parameter, parameter.members)) + "}");
  return rules;
}

Lines parameterLines(const Parameter &parameter) {
  std::string otherwise;
  if (const auto *enumerator = parameter.defaultValue ? std::get_if<Enumerator>(&*parameter.defaultValue) : nullptr)
    otherwise = " (default " + afterDot(enumerator->type) + "." + enumerator->value + ")";
  if (parameter.cases.empty()) {
    Lines lines{"any value" + otherwise};
    append(lines, predicates(rulesOf(parameter)), 2);
    return lines;
  }
  std::vector<std::pair<std::string, Lines>> cases;
  for (const Parameter::Case &one : parameter.cases) {
    const Lines members = memberTexts(parameter, one.members);
    const std::string text = members.size() == 1 ? members.front() : parameter.name + " in {" + joined(members) + "}";
    cases.push_back({print(one.when), {text + (cases.empty() ? otherwise : std::string())}});
  }
  return table(cases);
}

// ---- operands
/// A set of dtypes is spelled as the reference spells it: in its own notation for a pattern that may be any of several.
std::string dtypeText(const DTypePattern &dtype) {
  if (!dtype.symbol.empty())
    return dtype.symbol;
  if (dtype.among.size() == 1)
    return std::string(name(dtype.among.front()));
  Lines patterns;
  for (DType one : dtype.among)
    patterns.push_back("integerdtype(name='" + std::string(name(one)) + "', bit_width=" + std::to_string(bits(one)) + ", signed=true)");
  return "orpattern(predicates=(), patterns=(" + joined(patterns) + "))";
}

std::string storageText(const StoragePattern &storage) { return !storage.symbol.empty() ? storage.symbol : std::string(name(storage.among.front())); }

/// One of several dtypes for people.
std::string plainDtypeText(const DTypePattern &dtype) {
  std::string out;
  for (DType one : dtype.among)
    out += (out.empty() ? "" : " or ") + std::string(name(one));
  return dtype.symbol.empty() ? out : dtype.symbol;
}

/// `shape=(64, n) dtype=f32 storage=rmem`.
std::string valueText(const OperandCase &one, std::string (*dtypes)(const DTypePattern &) = dtypeText) {
  Lines fields;
  if (one.shape)
    fields.push_back("shape=" + print(*one.shape));
  if (!one.dtype.symbol.empty() || !one.dtype.among.empty())
    fields.push_back("dtype=" + dtypes(one.dtype));
  if (!one.storage.symbol.empty() || !one.storage.among.empty())
    fields.push_back("storage=" + storageText(one.storage));
  return fields.empty() ? "any tensor" : joined(fields, " ");
}

Lines arrangementLines(const OperandCase &one) {
  std::vector<std::pair<std::string, Lines>> blocks;
  for (const Arrangement &arrangement : one.arrangements) {
    Lines lines{print(arrangement.layout)};
    append(lines, predicates(texts(arrangement.rules)), 2);
    blocks.push_back({print(arrangement.when), std::move(lines)});
  }
  return table(blocks);
}

Lines caseRules(const OperandCase &one) {
  Lines rules = texts(one.rules);
  if (one.dtype.symbol.empty() && one.dtype.among.size() > 1) {
    Lines names;
    for (DType dtype : one.dtype.among)
      names.emplace_back(name(dtype));
    rules.push_back("_ in {" + joined(names) + "}");
  }
  return rules;
}

Lines caseLines(const OperandCase &one, bool optional, const Lines &rules) {
  const size_t count = one.arrangements.size();
  const std::string held = count == 0 ? "in any arrangement" : "held in " + std::to_string(count) + (count == 1 ? " arrangement:" : " arrangements:");
  Lines lines{valueText(one) + ", " + held + (optional ? " (default None)" : "")};
  append(lines, arrangementLines(one), 2);
  append(lines, predicates(rules), 2);
  return lines;
}

Lines operandLines(const Operand &operand) {
  if (!operand.ofAtom.empty())
    return {"the " + operand.ofAtom + " operand of its atom"};
  if (operand.cases.size() == 1 && operand.cases.front().when.empty()) {
    Lines rules = caseRules(operand.cases.front());
    append(rules, texts(operand.rules));
    return caseLines(operand.cases.front(), operand.optional, rules);
  }
  std::vector<std::pair<std::string, Lines>> cases;
  for (const OperandCase &one : operand.cases)
    cases.push_back({print(one.when), caseLines(one, operand.optional, caseRules(one))});
  Lines lines = table(cases);
  append(lines, predicates(texts(operand.rules)), 2);
  return lines;
}

Lines capabilitiesOf(const Row &row, const target::Target *target) {
  Lines capabilities;
  for (const Row *atom : atomsOf(row, target))
    capabilities.push_back(atom->capability);
  if (capabilities.empty() && !row.capability.empty())
    capabilities.push_back(row.capability);
  return capabilities;
}

/// Whether nothing in `when` contradicts what is bound.
bool possible(const When &when, const Bindings &bindings) {
  return std::all_of(when.begin(), when.end(), [&](const auto &one) {
    const BoundValue *value = find(bindings, one.first);
    return !value || print(*value) == one.second;
  });
}
} // namespace

Facts factsOf(const Row &row, const target::Target &target) {
  Facts facts;
  facts.target = target.id();
  facts.id = row.id;
  facts.capabilities = capabilitiesOf(row, &target);
  facts.mesh = meshLines(meshesOn(row, &target));
  if (row.kind == Row::Kind::Atom) { // parameters of others are their statement's attributes
    std::vector<std::pair<std::string, Lines>> blocks;
    for (const Parameter &parameter : row.parameters)
      blocks.push_back({parameter.name, parameterLines(parameter)});
    append(facts.parameters, table(blocks), 4);
  }
  std::vector<std::pair<std::string, Lines>> blocks;
  for (const Operand &operand : row.operands)
    blocks.push_back({operand.name, operandLines(operand)});
  append(facts.operands, table(blocks), 4);
  for (const Between &rule : row.between)
    facts.between.push_back(print(rule));
  return facts;
}

std::string render(const Facts &facts) {
  Lines lines{facts.id};
  const auto field = [&](std::string_view label, const Lines &value) { append(lines, labelled(label, 19, value), 2); };
  field("target", {facts.target});
  if (!facts.capabilities.empty())
    field("target capability", {joined(facts.capabilities)});
  field("execution mesh", facts.mesh);
  const auto section = [&](std::string_view title, const Lines &content, size_t indent = 0) {
    if (content.empty())
      return;
    lines.push_back("  " + std::string(title));
    append(lines, content, indent);
  };
  section("parameters", facts.parameters);
  section("operands", facts.operands);
  section("between operands", facts.between, 4);
  return joined(lines, "\n") + "\n";
}

std::vector<InventoryEntry> inventory(const target::Target &target) {
  std::vector<InventoryEntry> entries;
  for (const Row &row : rows())
    if (row.listed && row.kind == Row::Kind::Instruction && admits(target, row))
      entries.push_back({&row, capabilitiesOf(row, &target)});
  return entries;
}

std::string renderInventory(const target::Target &target) {
  std::vector<std::pair<std::string, Lines>> blocks;
  for (const InventoryEntry &entry : inventory(target))
    blocks.push_back({entry.row->id, {entry.capabilities.empty() ? "all targets" : joined(entry.capabilities)}});
  Lines lines{"target " + std::string(target.id()), "instructions"};
  append(lines, table(blocks), 2);
  return joined(lines, "\n") + "\n";
}

std::vector<std::string> namesOn(const target::Target &target) {
  Lines names;
  for (const Row &row : rows())
    if (row.listed && admits(target, row))
      names.push_back(row.id);
  return names;
}

Contract describe(const Row &row, const target::Target *target, const Instruction &given) {
  Contract contract;
  contract.id = row.id;
  contract.summary = row.summary;
  contract.capabilities = capabilitiesOf(row, target);
  contract.admitted = !target || admits(*target, row);
  if (!contract.admitted)
    contract.capabilities = capabilitiesOf(row, nullptr);
  const Bindings bindings = bindingsOf(given);
  for (const MeshCase &mesh : meshesOn(row, target)) {
    if (!possible(mesh.when, bindings))
      continue;
    contract.participants.push_back({print(mesh.when), print(mesh.mesh), meshRules(mesh)});
  }
  for (const Parameter &parameter : row.parameters) {
    Contract::Line line{parameter.name, {}, {}};
    if (const InstructionParameter *value = find(given, parameter.name))
      line.text = pathText(*value);
    const Lines values = remainingValues(row, given, parameter.name, target);
    if (!parameter.rules.empty())
      line.details = texts(parameter.rules); // shorter than the values they leave
    else if (!values.empty())
      line.details.push_back("one of " + joined(values));
    if (parameter.optional)
      line.details.push_back(parameter.defaultValue ? "default " + pathText(*parameter.defaultValue) : "may be left out");
    contract.parameters.push_back(std::move(line));
  }
  for (const Operand &operand : row.operands) {
    if (!operand.ofAtom.empty()) {
      contract.operands.push_back({operand.name, "the " + operand.ofAtom + " operand of its atom", {}});
      continue;
    }
    for (const OperandCase &one : operand.cases) {
      if (!possible(one.when, bindings))
        continue;
      Contract::Line line{operand.name, valueText(one, plainDtypeText), {}};
      OperandCase narrowed = one;
      std::erase_if(narrowed.arrangements, [&](const Arrangement &arrangement) { return !possible(arrangement.when, bindings); });
      line.details = arrangementLines(narrowed);
      append(line.details, texts(one.rules));
      append(line.details, texts(operand.rules));
      if (operand.optional)
        line.details.push_back("may be left out");
      contract.operands.push_back(std::move(line));
    }
  }
  for (const Between &rule : row.between)
    contract.between.push_back(print(rule));
  contract.cost = row.cost;
  contract.ptx = row.ptx;
  contract.source = row.source;
  return contract;
}

std::vector<std::string> remainingValues(const Row &row, const Instruction &given, std::string_view parameter, const target::Target *target) {
  const auto found = std::find_if(row.parameters.begin(), row.parameters.end(), [&](const Parameter &one) { return one.name == parameter; });
  if (found == row.parameters.end())
    return {};
  Instruction others = given;
  std::erase_if(others.parameters, [&](const auto &one) { return one.first == parameter; });
  Lines values;
  const auto fits = [&](const std::string &member) { // later parameters that are given depend on this one
    Instruction with = others;
    with.parameters.emplace_back(found->name, member);
    const Bindings bindings = bindingsOf(with);
    for (const Parameter &later : row.parameters) {
      const InstructionParameter *value = find(others, later.name);
      if (!value || later.cases.empty())
        continue;
      const bool some = std::any_of(later.cases.begin(), later.cases.end(), [&](const Parameter::Case &one) {
        return possible(one.when, bindings) && std::find(one.members.begin(), one.members.end(), pathText(*value)) != one.members.end();
      });
      if (!some)
        return false;
    }
    return true;
  };
  const auto spelled = [&](const std::string &member) {
    const bool quoted = found->kind == Parameter::Kind::DType || found->kind == Parameter::Kind::Text;
    return found->kind == Parameter::Kind::Enum ? found->enumType + "." + member : quoted ? "\"" + member + "\"" : member;
  };
  const auto add = [&](const std::string &member) {
    const std::string text = spelled(member);
    if (std::find(values.begin(), values.end(), text) == values.end() && fits(member))
      values.push_back(text);
  };
  switch (found->kind) {
  case Parameter::Kind::Int:
    // Bounds are the outer terms of a chained comparison of numbers.
    for (const Rule &rule : found->rules)
      if (rule.kind == Rule::Kind::Compare && rule.terms.size() == 3 && rule.terms[0].kind == Term::Kind::Number && rule.terms[2].kind == Term::Kind::Number)
        for (int64_t number = rule.terms[0].number; number <= rule.terms[2].number; ++number)
          if (std::all_of(found->rules.begin(), found->rules.end(), [&](const Rule &one) { return holds(one, {{found->name, number}}).value_or(false); }))
            values.push_back(std::to_string(number));
    return values;
  case Parameter::Kind::Bool:
    return {"True", "False"};
  case Parameter::Kind::Float:
  case Parameter::Kind::Ints:
    return {};
  case Parameter::Kind::Atom:
    for (const Row *atom : atomsOf(row, target))
      values.push_back(atom->id);
    return values;
  case Parameter::Kind::DType:
    if (found->members.empty())
      for (const char *dtype : {"bool", "i32", "i64", "f32", "f16", "bf16", "fp8e4m3"})
        add(dtype);
    break;
  case Parameter::Kind::Enum:
  case Parameter::Kind::Text:
    break;
  }
  const Bindings bindings = bindingsOf(others);
  if (found->cases.empty()) {
    for (const std::string &member : found->members)
      add(member);
    return values;
  }
  for (const Parameter::Case &one : found->cases)
    if (possible(one.when, bindings))
      for (const std::string &member : one.members)
        add(member);
  return values;
}

} // namespace tilewright::instruction
