#include "features/FactsJson.h"

#include <nlohmann/json.hpp>

namespace tilewright::features {

namespace {
using Json = nlohmann::ordered_json;

/// Null for all targets, the one, or all of those that its atoms ask for.
Json capability(const std::vector<std::string> &capabilities) {
  if (capabilities.empty())
    return nullptr;
  if (capabilities.size() == 1)
    return capabilities.front();
  return capabilities;
}
} // namespace

std::string factsJson(const instruction::Facts &facts) {
  std::string mesh;
  for (const std::string &line : facts.mesh)
    mesh += (mesh.empty() ? "" : "\n") + line;
  Json root;
  root["target"] = facts.target;
  root["id"] = facts.id;
  root["capability"] = capability(facts.capabilities);
  root["execution_mesh"] = mesh;
  root["parameters"] = facts.parameters;
  root["operands"] = facts.operands;
  root["between"] = facts.between;
  return root.dump(2) + "\n";
}

std::string inventoryJson(const target::Target &target) {
  Json root;
  root["target"] = std::string(target.id());
  root["instructions"] = Json::array();
  for (const instruction::InventoryEntry &entry : instruction::inventory(target)) {
    Json one;
    one["id"] = entry.row->id;
    one["capability"] = capability(entry.capabilities);
    root["instructions"].push_back(std::move(one));
  }
  return root.dump(2) + "\n";
}

} // namespace tilewright::features
