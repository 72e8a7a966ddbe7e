#include "ir/Instructions.h"

#include <algorithm>

namespace tilewright::ir {

namespace {
using Kind = AttributeSpec::Kind;
constexpr Storage kG = Storage::Gmem, kS = Storage::Smem, kR = Storage::Rmem;

const std::vector<std::string_view> &unaryKinds() {
  static const std::vector<std::string_view> kinds{"neg", "abs", "not", "square", "rsqrt", "exp", "log", "relu", "ceil", "round", "exp2", "log2"};
  return kinds;
}
const std::vector<std::string_view> &binaryKinds() {
  static const std::vector<std::string_view> kinds{"add", "sub", "mul", "div", "floor_div", "mod", "min", "max",
                                                   "eq",  "ne",  "lt",  "le",  "gt",        "ge",  "and", "or"};
  return kinds;
}

const std::vector<InstructionSpec> &rows() {
  static const std::vector<InstructionSpec> table{
      {"T.copy", {}, {{"src", {kG, kS, kR}}, {"dst", {kG, kS, kR}}}, 1, "", 0, true, true},
      {"T.copy_async", {{"fill", Kind::Float, {}, {}, Attribute()}}, {{"src", {kG}}, {"dst", {kS}}, {"index", {}, {DType::I32, DType::I64}, true}},
       1, "cp.async", 0, false, true},
      {"T.copy_async_tensor", {}, {{"src", {kG, kS}}, {"dst", {kG, kS}}}, 1, "cp.async.bulk.tensor", 32, true, true},
      {"T.ldmatrix", {}, {{"src", {kS}}, {"dst", {kR}, {DType::BF16}}}, 1, "ldmatrix", 32, false, false, {4, 8}, {1, 4}},
      {"T.tiled_mma", {{"atom", Kind::Instruction}}, {{"acc", {kR}, {DType::F32}}, {"lhs", {kS, kR}}, {"rhs", {kS, kR}}}, 0, "", 0, false, false},
      {"T.cast", {{"dtype", Kind::DType}}, {{"src", {kR}}, {"dst", {kR}}}, 1, "", 0, true, false},
      {"T.unary", {{"kind", Kind::Enum, "UnaryKind", unaryKinds()}}, {{"src", {kR}}, {"dst", {kR}}}, 1, "", 0, false, false},
      {"T.binary", {{"kind", Kind::Enum, "BinaryKind", binaryKinds()}}, {{"lhs", {kR}}, {"rhs", {kR}}, {"dst", {kR}}}, 2, "", 0, false, false},
      {"T.clamp", {{"min_val", Kind::Float}, {"max_val", Kind::Float}}, {{"src", {kR}}, {"dst", {kR}}}, 1, "", 0, false, true},
      {"T.relu", {}, {{"src", {kR}}, {"dst", {kR}}}, 1, "", 0, true, true},
      {"T.where", {}, {{"cond", {kR}, {DType::Bool}}, {"input", {kR}}, {"other", {kR}}, {"dst", {kR}}}, 3, "", 0, false, false},
      {"T.reduce", {{"axes", Kind::Ints}, {"keepdim", Kind::Bool}, {"kind", Kind::Enum, "ReduceKind", {"mean", "sum", "abs_max", "max", "min"}}},
       {{"src", {}, {DType::F32, DType::F16, DType::BF16}}, {"dst", {}, {DType::F32, DType::F16, DType::BF16}}, {"workspace", {kS}, {}, true}},
       1, "", 0, false, false},
      {"T.fill", {}, {{"dst", {kR}}, {"value"}}, 0, "", 0, false, false},
      {"T.arange", {{"start", Kind::Int, {}, {}, Attribute(int64_t{0})}, {"step", Kind::Int, {}, {}, Attribute(int64_t{1})}},
       {{"dst", {kR}, {DType::I32, DType::I64}}}, 0, "", 0, false, false},
  };
  return table;
}

const std::vector<AtomSpec> &atoms() {
  static const std::vector<AtomSpec> table{
      {"T.cuda.sm90.Wgmma",
       {{"n", Kind::Int},
        {"dtype", Kind::DType},
        {"form", Kind::Enum, "T.cuda.sm90.Form", {"ss", "rs"}},
        {"a_major", Kind::Enum, "T.cuda.sm90.Major", {"mn", "k"}},
        {"b_major", Kind::Enum, "T.cuda.sm90.Major", {"mn", "k"}}},
       "wgmma.mma_async", {4, 8, 4}, {32, 4, 1}},
      {"T.cuda.sm80.Mma", {}, "mma.sync", {4, 8}, {1, 4}},
  };
  return table;
}

const InstructionParameter *parameter(const Instruction &instruction, std::string_view name) {
  for (const auto &[key, value] : instruction.parameters)
    if (key == name)
      return &value;
  return nullptr;
}

std::string textOf(const InstructionParameter *value) {
  if (!value)
    return {};
  if (const auto *text = std::get_if<std::string>(value))
    return *text;
  const auto *enumerator = std::get_if<Enumerator>(value);
  return enumerator ? enumerator->value : std::string();
}

bool isDefault(const InstructionParameter &value, const Attribute &otherwise) {
  if (const auto *integer = std::get_if<int64_t>(&value))
    return std::holds_alternative<int64_t>(otherwise) && std::get<int64_t>(otherwise) == *integer;
  if (const auto *flag = std::get_if<bool>(&value))
    return std::holds_alternative<bool>(otherwise) && std::get<bool>(otherwise) == *flag;
  return false;
}

CanonicalInstruction wrong(const Instruction &authored, std::string error, std::string_view name = {}) {
  return {authored, std::move(error), std::string(name)};
}

/// Wgmma: SS reads A from shared memory, RS from registers; operands of two bytes may lie either way in shared memory, everything else
/// along K.
CanonicalInstruction canonicalWgmma(const Instruction &authored) {
  const auto *n = parameter(authored, "n");
  const int64_t *extent = n ? std::get_if<int64_t>(n) : nullptr;
  if (!extent)
    return wrong(authored, "`" + authored.name + "` needs `n`, the columns of one issue", "n");
  if (*extent < 8 || *extent > 256 || *extent % 8 != 0)
    return wrong(authored, "n=" + std::to_string(*extent) + " is no width of `" + authored.name + "`; it is a multiple of 8 from 8 to 256", "n");
  const auto dtype = dtypeNamed(textOf(parameter(authored, "dtype")));
  if (!parameter(authored, "dtype"))
    return wrong(authored, "`" + authored.name + "` needs `dtype`, that of its operands", "dtype");
  if (!dtype || (*dtype != DType::BF16 && *dtype != DType::F16 && *dtype != DType::F8E4M3))
    return wrong(authored, "`" + authored.name + "` multiplies bf16, f16 or fp8e4m3, not " + textOf(parameter(authored, "dtype")), "dtype");
  const InstructionParameter *form = parameter(authored, "form");
  if (!form)
    return wrong(authored, "`" + authored.name + "` needs `form`: T.cuda.sm90.Form.SS or T.cuda.sm90.Form.RS", "form");
  if (!std::holds_alternative<Enumerator>(*form) || (textOf(form) != "SS" && textOf(form) != "RS"))
    return wrong(authored, "`form` is T.cuda.sm90.Form.SS or T.cuda.sm90.Form.RS", "form");
  const bool eight = *dtype == DType::F8E4M3;
  CanonicalInstruction result{{authored.name, {}}, {}, {}};
  result.instruction.parameters = {{"n", *extent}, {"dtype", std::string(name(*dtype))}, {"form", *form}};
  for (std::string_view major : {"a_major", "b_major"}) {
    const bool onlyK = eight || (major == "a_major" && textOf(form) == "RS");
    const InstructionParameter *given = parameter(authored, major);
    if (given && (!std::holds_alternative<Enumerator>(*given) || (textOf(given) != "K" && textOf(given) != "MN")))
      return wrong(authored, "`" + std::string(major) + "` is T.cuda.sm90.Major.K or T.cuda.sm90.Major.MN", major);
    if (given && onlyK && textOf(given) != "K")
      return wrong(authored, "`" + std::string(major) + "` is K for " + (eight ? "fp8e4m3" : "operands in registers") + "; MN needs two-byte operands in shared memory", major);
    result.instruction.parameters.emplace_back(std::string(major), given ? *given : InstructionParameter(Enumerator{"T.cuda.sm90.Major", onlyK ? "K" : "MN"}));
  }
  return result;
}
} // namespace

std::span<const InstructionSpec> allInstructions() { return rows(); }

const InstructionSpec *instructionNamed(std::string_view name) {
  const auto found = std::find_if(rows().begin(), rows().end(), [&](const InstructionSpec &row) { return row.name == name; });
  return found == rows().end() ? nullptr : &*found;
}

const AtomSpec *atomNamed(std::string_view name) {
  const auto found = std::find_if(atoms().begin(), atoms().end(), [&](const AtomSpec &row) { return row.name == name; });
  return found == atoms().end() ? nullptr : &*found;
}

CanonicalInstruction canonical(const Instruction &authored) {
  const InstructionSpec *row = instructionNamed(authored.name);
  const AtomSpec *atom = atomNamed(authored.name);
  if (!row && !atom)
    return wrong(authored, "there is no instruction `" + authored.name + "`");
  const std::vector<AttributeSpec> &declared = row ? row->parameters : atom->parameters;
  for (const auto &[key, value] : authored.parameters)
    if (std::none_of(declared.begin(), declared.end(), [&name = key](const AttributeSpec &spec) { return spec.name == name; }))
      return wrong(authored, "`" + authored.name + "` has no parameter `" + key + "`", key);
  if (atom)
    return atom->parameters.empty() ? CanonicalInstruction{authored, {}, {}} : canonicalWgmma(authored);
  CanonicalInstruction result{{authored.name, {}}, {}, {}};
  for (const AttributeSpec &spec : declared) {
    const InstructionParameter *given = parameter(authored, spec.name);
    if (!given) {
      if (!spec.defaultValue)
        return wrong(authored, "`" + authored.name + "` needs `" + std::string(spec.name) + "`", spec.name);
      continue;
    }
    if (spec.defaultValue && isDefault(*given, *spec.defaultValue))
      continue;
    if (spec.kind == Kind::Instruction) {
      const auto *inner = std::get_if<std::vector<Instruction>>(given);
      if (!inner || inner->size() != 1 || !atomNamed(inner->front().name))
        return wrong(authored, "`" + std::string(spec.name) + "` is a matrix instruction such as T.cuda.sm90.Wgmma(...)", spec.name);
      CanonicalInstruction complete = canonical(inner->front());
      if (!complete.error.empty())
        return wrong(authored, complete.error, spec.name);
      result.instruction.parameters.emplace_back(std::string(spec.name), std::vector<Instruction>{complete.instruction});
      continue;
    }
    if (spec.kind == Kind::DType) {
      if (!dtypeNamed(textOf(given)))
        return wrong(authored, "`" + std::string(spec.name) + "` is a dtype", spec.name);
      result.instruction.parameters.emplace_back(std::string(spec.name), textOf(given));
      continue;
    }
    if (spec.kind == Kind::Enum && !std::holds_alternative<Enumerator>(*given))
      return wrong(authored, "`" + std::string(spec.name) + "` is a " + std::string(spec.enumType) + ", as in " + std::string(spec.enumType) + ".ADD", spec.name);
    result.instruction.parameters.emplace_back(std::string(spec.name), *given);
  }
  return result;
}

AtomShape shapeOf(const Instruction &atom) {
  if (atom.name == "T.cuda.sm80.Mma")
    return {16, 8, 16};
  const auto *n = parameter(atom, "n");
  const int64_t *extent = n ? std::get_if<int64_t>(n) : nullptr;
  const auto dtype = dtypeNamed(textOf(parameter(atom, "dtype")));
  return {64, extent ? *extent : 0, 256 / bits(dtype.value_or(DType::BF16))};
}

} // namespace tilewright::ir
