#include "features/Signatures.h"

#include "features/Contracts.h"
#include "layout/Print.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace tilewright::features {
namespace {
using syntax::Kind;
using syntax::Node;
using syntax::Role;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

struct Spelling {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }
  std::string operator()(const std::string &value) const { return quoted(value); }
  std::string operator()(const std::vector<int64_t> &values) const {
    std::string text = "(";
    for (int64_t value : values)
      text += std::to_string(value) + ", ";
    if (values.size() > 1)
      text.resize(text.size() - 2);
    else if (values.size() == 1)
      text.pop_back();
    return text + ")";
  }
  std::string operator()(ir::DType value) const { return quoted(ir::name(value)); }
  std::string operator()(ir::Storage value) const { return quoted(ir::name(value)); }
  std::string operator()(const ir::Enumerator &value) const {
    std::string lower(value.value);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return quoted(lower);
  }
  std::string operator()(const layout::TensorLayout &) const { return "..."; }
  std::string operator()(const ir::TensorType &) const { return "..."; }
  std::string operator()(const ir::Instruction &value) const { return value.name + "(...)"; }
};

std::string_view kindName(ir::AttributeSpec::Kind kind) {
  using K = ir::AttributeSpec::Kind;
  switch (kind) {
  case K::Int: return "int";
  case K::Bool: return "bool";
  case K::Float: return "float";
  case K::String: return "str";
  case K::Ints: return "tuple of ints";
  case K::DType: return "dtype";
  case K::Storage: return "storage";
  case K::Enum: return "name";
  case K::Layout: return "layout";
  case K::Type: return "tensor type";
  case K::Instruction: return "instruction";
  }
  return "";
}

ValueKind valueKind(const ir::AttributeSpec &attribute) {
  using K = ir::AttributeSpec::Kind;
  if (!attribute.values.empty())
    return ValueKind::Choice;
  switch (attribute.kind) {
  case K::Bool: return ValueKind::Bool;
  case K::DType: return ValueKind::DType;
  case K::Storage: return ValueKind::Storage;
  case K::Instruction: return ValueKind::Instruction;
  default: return ValueKind::Other;
  }
}

struct ConstructRow {
  Construct construct;
  std::vector<SignatureParameter> parameters;
};
const std::vector<ConstructRow> &constructRows() {
  static const std::vector<ConstructRow> rows = [] {
    std::vector<ConstructRow> all;
    auto add = [&](std::string_view text, ValueKind kind, std::string_view meaning) {
      SignatureParameter one;
      one.name = one.text = text;
      one.kind = kind;
      one.documentation = meaning;
      all.back().parameters.push_back(std::move(one));
    };
#define TW_CONSTRUCT(Name, Bracket, Summary) all.push_back({{Name, Bracket, Summary}, {}});
#define TW_PARAMETER(Text, Kind, Meaning) add(Text, ValueKind::Kind, Meaning);
#include "features/Constructs.def"
    return all;
  }();
  return rows;
}

/// A `def` of this name anywhere in the file.
Node functionNamed(const session::Snapshot &snapshot, std::string_view name) {
  for (const syntax::Item &item : snapshot.file.items)
    for (uint32_t i = 0; i < item.tree->nodes.size(); ++i)
      if (item.tree->nodes[i].kind == Kind::FunctionDef)
        if (Node node(item.tree.get(), i); node.text() == name)
          return node;
  return {};
}
} // namespace

std::string codeBlock(std::string_view text) { return "```python\n" + std::string(text) + "\n```\n"; }

std::string spelled(const ir::Attribute &value) { return std::visit(Spelling(), value); }

std::string Signature::label() const {
  std::string text = name + bracket;
  for (size_t i = 0; i < parameters.size(); ++i)
    text += (i ? ", " : "") + parameters[i].text;
  return text + (bracket == '[' ? ']' : ')');
}

Span Signature::labelSpan(size_t parameter) const {
  auto at = static_cast<uint32_t>(name.size() + 1);
  for (size_t i = 0; i < parameter && i < parameters.size(); ++i)
    at += static_cast<uint32_t>(parameters[i].text.size() + 2);
  return {at, at + static_cast<uint32_t>(parameter < parameters.size() ? parameters[parameter].text.size() : 0)};
}

int Signature::parameterFor(std::string_view keyword, int position) const {
  if (!keyword.empty()) {
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].name == keyword)
        return static_cast<int>(i);
    return -1;
  }
  return position < static_cast<int>(parameters.size()) && !parameters[static_cast<size_t>(position)].keyword ? position : -1;
}

Signature opSignature(const ir::AuthoredOp &authored) {
  const ir::OpSpec &op = ir::spec(authored.op);
  Signature out;
  out.name = "tf." + std::string(authored.name);
  out.documentation = std::string(op.summary);
  for (const ir::OperandSpec &operand : op.operands) {
    SignatureParameter one;
    one.name = operand.name;
    one.text = operand.variadic ? "[" + std::string(operand.name) + ", ...]" : std::string(operand.name);
    one.kind = ValueKind::Operand;
    one.optional = operand.optional;
    if (operand.optional)
      one.text += "=None";
    one.documentation = operand.variadic ? "values, as a list or tuple" : operand.index ? "an index for each axis, as a tuple" : operand.optional ? "a value; may be left out" : "a value";
    out.parameters.push_back(std::move(one));
  }
  for (const ir::AttributeSpec &attribute : op.attributes) {
    if (ir::find(authored.fixed, attribute.name))
      continue;
    SignatureParameter one;
    one.name = attribute.name;
    one.optional = attribute.defaultValue.has_value();
    one.text = std::string(attribute.name) + (attribute.defaultValue ? "=" + spelled(*attribute.defaultValue) : ": " + std::string(kindName(attribute.kind)));
    one.kind = valueKind(attribute);
    one.documentation = std::string(kindName(attribute.kind));
    for (size_t i = 0; i < attribute.values.size(); ++i) {
      one.choices.push_back(quoted(attribute.values[i]));
      one.documentation += (i ? ", `" : ": `") + one.choices.back() + "`";
    }
    if (one.optional)
      one.documentation += "; default `" + spelled(*attribute.defaultValue) + "`";
    out.parameters.push_back(std::move(one));
  }
  return out;
}

std::string opMarkdown(const ir::AuthoredOp &authored) {
  const ir::OpSpec &op = ir::spec(authored.op);
  Signature signature = opSignature(authored);
  std::string text = codeBlock(signature.label()) + "\n" + std::string(op.summary);
  if (authored.name != op.mnemonic)
    text += "; the same as `tf." + std::string(op.mnemonic) + "`" + (authored.fixed.empty() ? "" : " with " + authored.fixed.front().first + " fixed");
  std::string choices;
  for (const SignatureParameter &parameter : signature.parameters)
    if (!parameter.choices.empty()) {
      choices += "- `" + parameter.name + "`: ";
      for (size_t i = 0; i < parameter.choices.size(); ++i)
        choices += (i ? ", `" : "`") + parameter.choices[i] + "`";
      choices += "\n";
    }
  return text + "\n" + (choices.empty() ? "" : "\n" + choices);
}

const std::vector<Construct> &allConstructs() {
  static const std::vector<Construct> all = [] {
    std::vector<Construct> names;
    for (const ConstructRow &row : constructRows())
      names.push_back(row.construct);
    return names;
  }();
  return all;
}

std::optional<Signature> signatureOf(const session::Snapshot &snapshot, std::string_view callee) {
  for (const ConstructRow &row : constructRows())
    if (row.construct.name == callee) {
      Signature out;
      out.name = callee;
      out.bracket = row.construct.bracket;
      out.parameters = row.parameters;
      out.documentation = row.construct.summary;
      return out;
    }
  if (callee.substr(0, 3) == "tf.") {
    const ir::AuthoredOp *op = ir::authoredOp(callee.substr(3));
    return op ? std::optional(opSignature(*op)) : std::nullopt;
  }
  if (isInstruction(callee))
    return instructionSignature(callee);
  if (callee.find('.') != std::string_view::npos)
    return std::nullopt;
  Node definition = functionNamed(snapshot, callee);
  if (!definition)
    return std::nullopt;
  Signature out;
  out.name = callee;
  if (Node parameters = definition.child(Role::Parameters))
    for (Node parameter : parameters.children()) {
      SignatureParameter one;
      one.name = parameter.text();
      one.text = layout::oneLine(parameter.source());
      out.parameters.push_back(std::move(one));
    }
  if (Node returns = definition.child(Role::Returns))
    out.documentation = "returns `" + layout::oneLine(returns.source()) + "`";
  return out;
}

} // namespace tilewright::features
