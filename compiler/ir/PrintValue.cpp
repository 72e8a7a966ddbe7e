#include "ir/PrintValue.h"

#include "layout/Print.h"

#include <charconv>
#include <cmath>

namespace tilewright::ir {

std::string printFloat(double value) {
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  if (std::isnan(value))
    return "nan";
  const double magnitude = std::fabs(value);
  char text[400]; // the longest fixed form has 17 digits before the point
  const bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  const auto end = std::to_chars(text, text + sizeof text, value, scientific ? std::chars_format::scientific : std::chars_format::fixed).ptr;
  std::string out(text, end);
  if (!scientific && out.find('.') == std::string::npos)
    out += ".0";
  return out;
}

std::string printParameter(const instruction::InstructionParameter &parameter) {
  struct Visitor {
    std::string operator()(int64_t integer) const { return std::to_string(integer); }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(double number) const { return printFloat(number); }
    std::string operator()(const std::string &text) const { return "\"" + text + "\""; }
    std::string operator()(const instruction::Enumerator &member) const { return member.type + "." + member.value; }
    std::string operator()(const std::vector<instruction::Instruction> &nested) const { return nested.empty() ? "None" : printInstruction(nested.front()); }
    std::string operator()(const std::vector<int64_t> &numbers) const { return layout::printTuple(numbers); }
  };
  return std::visit(Visitor{}, parameter);
}

std::string printInstruction(const instruction::Instruction &instruction) {
  std::string text = instruction.name + "(";
  for (size_t i = 0; i < instruction.parameters.size(); ++i)
    text += (i ? ", " : "") + instruction.parameters[i].first + "=" + printParameter(instruction.parameters[i].second);
  return text + ")";
}

} // namespace tilewright::ir
