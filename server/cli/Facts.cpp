#include "cli/Commands.h"
#include "cli/Report.h"
#include "features/FactsJson.h"
#include "support/Closest.h"

#include <algorithm>

namespace tilewright::cli {

namespace {
std::string listed(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// The capabilities that a row asks for.
std::string needs(const instruction::Row &row) {
  std::string out;
  for (const std::string &capability : instruction::describe(row, nullptr, {}).capabilities)
    out += (out.empty() ? "" : " or ") + capability;
  return out;
}

/// What an unknown name means: the last part of one, whatever the case, or one with a slip of a letter or two; "" if nothing is near.
std::string meant(const std::string &typed, const std::vector<std::string> &names) {
  const auto last = [](std::string_view name) { return lower(name.substr(name.rfind('.') + 1)); };
  for (const std::string &name : names)
    if (lower(name) == lower(typed) || last(name) == last(typed))
      return name;
  return std::string(closest(typed, {names.begin(), names.end()}));
}
} // namespace

const target::Target *targetNamed(const std::string &id) {
  if (const target::Target *target = target::find(id))
    return target;
  std::vector<std::string> ids;
  for (const target::Target &target : target::all())
    ids.emplace_back(target.id());
  std::string near = meant(id, ids);
  for (const std::string &one : ids) // `h200` for `nvidia.h200_sxm`
    if (near.empty() && id.size() > 1 && one.find(id) != std::string::npos)
      near = one;
  fail(kRefused, "no target `" + id + "`" + (near.empty() ? "" : "; did you mean `" + near + "`?") + (near.empty() ? "; there are " : " There are ") + listed(ids));
  return nullptr;
}

int facts(const FactsArguments &arguments) {
  std::string instruction, out;
  for (const std::string &word : arguments.words) {
    const bool names = word.starts_with("T.") || (arguments.words.size() == 2 && &word == &arguments.words.front() && !arguments.words.back().starts_with("T."));
    std::string &slot = names ? instruction : out;
    if (!slot.empty())
      return fail(kUsage, names ? "two instructions, " + slot + " and " + word + "; facts reports one, or the inventory without a name" : "two outputs, " + slot + " and " + word);
    slot = word;
  }
  const target::Target *target = targetNamed(arguments.target);
  if (!target)
    return kRefused;
  if (instruction.empty())
    return write(out, arguments.json ? features::inventoryJson(*target) : instruction::renderInventory(*target));
  const std::vector<std::string> names = instruction::namesOn(*target);
  if (std::find(names.begin(), names.end(), instruction) == names.end()) {
    if (const instruction::Row *row = instruction::rowNamed(instruction); row && row->listed)
      return fail(kRefused, "`" + instruction + "` needs " + needs(*row) + ", which " + std::string(target->id()) + " has not; it has " + listed(names));
    const std::string near = meant(instruction, names);
    return fail(kRefused, "no instruction `" + instruction + "` on " + std::string(target->id()) + (near.empty() ? "; it has " : "; did you mean `" + near + "`? It has ") + listed(names));
  }
  const instruction::Facts report = instruction::factsOf(*instruction::rowNamed(instruction), *target);
  return write(out, arguments.json ? features::factsJson(report) : instruction::render(report));
}

} // namespace tilewright::cli
