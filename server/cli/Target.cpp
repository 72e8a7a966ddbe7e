// target list, show, add, remove.
#include "cli/Commands.h"
#include "cli/Report.h"
#include "features/TargetJson.h"
#include "session/UserTargets.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace tilewright::cli {

namespace {
/// The class that a schedule makes the target with.
std::string className(const target::Target &target) {
  switch (target.family()) {
  case target::Family::Cuda: return "CudaTarget";
  case target::Family::Apple: return "AmxTarget";
  case target::Family::Cpu: return "CpuTarget";
  }
  return {};
}
std::string expression(const target::Target &target) {
  return className(target) + (target.documents().empty() ? "()" : "(\"" + std::string(target.id()) + "\")");
}

std::string listText() {
  size_t width = 0;
  std::set<std::string> classes;
  for (const target::Target &target : target::all()) {
    width = std::max(width, expression(target).size());
    classes.insert(className(target));
  }
  std::string out = "Available targets:\n\n", imports;
  for (const target::Target &target : target::all()) {
    std::string made = expression(target);
    made.resize(width, ' ');
    out += "  " + made + "  identity: " + std::string(target.id()) + (target.added() ? "  added" : "") + "\n";
  }
  for (const std::string &one : classes)
    imports += (imports.empty() ? "" : ", ") + one;
  return out + "\nfrom tilefoundry.target import " + imports + "\n\nFacts and their sources, of one target:\n  tilewright target show nvidia.h200_sxm\n";
}

std::string valueText(const target::Fact &fact) {
  if (fact.integer)
    return std::to_string(*fact.integer);
  if (fact.list.empty())
    return fact.text;
  std::string out = "[";
  for (size_t i = 0; i < fact.list.size(); ++i)
    out += (i ? ", '" : "'") + fact.list[i] + "'";
  return out + "]";
}

std::string showText(const target::Target &target) {
  if (target.documents().empty())
    return "identity: " + std::string(target.id()) + "\n" + expression(target) + "\nfacts: unavailable\n";
  std::string out;
  for (const target::Document &document : target.documents())
    out += document.kind + ": " + document.id + "\n  digest: " + document.digest + "\n";
  out += "facts:\n";
  for (const target::Fact &fact : target.facts()) {
    const std::string value = fact.origin.empty() ? "unavailable" : valueText(fact) + (fact.unit.empty() ? "" : " " + fact.unit) + " [" + fact.origin + "]";
    out += "  " + fact.path + ": " + value + "\n    conditions: " + fact.conditions + "\n";
    if (!fact.source.empty())
      out += "    source: " + fact.source + "\n";
  }
  return out;
}

int changed(const session::TargetChange &change, const char *done) {
  for (const std::string &error : change.errors)
    fail(kRefused, error);
  if (!change.errors.empty())
    return kRefused;
  std::printf("%s %s %s: %s\n", done, change.isDevice ? "target" : "architecture", change.id.c_str(), change.path.c_str());
  return kFine;
}
} // namespace

int targetList(bool json) { return write({}, json ? features::targetListJson() : listText()); }

int targetShow(const std::string &id, bool json) {
  const target::Target *target = targetNamed(id);
  return target ? write({}, json ? features::targetJson(*target) : showText(*target)) : kRefused;
}

int targetAdd(const std::string &file) { return changed(session::addUserTarget(session::userTargetsFolder(), file), "added"); }

int targetRemove(const std::string &id) { return changed(session::removeUserTarget(session::userTargetsFolder(), id), "removed"); }

void loadUserTargets() {
  for (const std::string &warning : session::loadUserTargets(session::userTargetsFolder()))
    std::fprintf(stderr, "tilewright: warning: %s\n", warning.c_str());
}

} // namespace tilewright::cli
