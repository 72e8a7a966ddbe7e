#include "instruction/AdviseParameter.h"
#include "instruction/Table.h"

#include <algorithm>
#include <cctype>

namespace tilewright::instruction {

std::optional<Remedy> adviseParameter(const Instruction &authored, const std::string &parameter) {
  const Row *row = rowNamed(authored.name);
  if (!row)
    return std::nullopt;
  for (const auto &[name, value] : authored.parameters)
    if (const auto *nested = std::get_if<std::vector<Instruction>>(&value); nested && !nested->empty())
      if (auto remedy = adviseParameter(nested->front(), parameter))
        return remedy;
  const auto declared = std::find_if(row->parameters.begin(), row->parameters.end(), [&](const Parameter &one) { return one.name == parameter; });
  const InstructionParameter *given = find(authored, parameter);
  if (declared == row->parameters.end() || !given)
    return std::nullopt;
  const auto use = [&](const std::string &text) { return Remedy{Remedy::Part::Parameter, "use " + parameter + "=" + text, parameter, text, -1, {}, {}}; };
  if (const auto *number = std::get_if<int64_t>(given); number && declared->kind == Parameter::Kind::Int) {
    const auto fits = [&](int64_t value) {
      return std::all_of(declared->rules.begin(), declared->rules.end(), [&](const Rule &rule) { return holds(rule, {{parameter, value}}).value_or(false); });
    };
    constexpr int64_t kFar = 1 << 12;
    for (int64_t away = 1; away < kFar; ++away)
      for (const int64_t value : {*number - away, *number + away})
        if (fits(value))
          return use(std::to_string(value));
    return std::nullopt;
  }
  if (declared->kind != Parameter::Kind::Enum)
    return std::nullopt;
  std::vector<std::string> members = declared->members;
  const Bindings bindings = bindingsOf(authored);
  for (const Parameter::Case &one : declared->cases)
    if (applies(one.when, bindings)) {
      members = one.members;
      break;
    }
  const std::string text = pathText(*given);
  for (const std::string &member : members) {
    const bool named = std::equal(member.begin(), member.end(), text.begin(), text.end(), [](unsigned char a, unsigned char b) { return std::toupper(a) == std::toupper(b); });
    if (members.size() == 1 || named)
      return use(declared->enumType + "." + member);
  }
  return std::nullopt;
}

} // namespace tilewright::instruction
