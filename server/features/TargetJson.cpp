#include "features/TargetJson.h"

#include <nlohmann/json.hpp>

namespace tilewright::features {

namespace {
using Json = nlohmann::ordered_json;

Json valueOf(const target::Fact &fact) {
  if (fact.integer)
    return *fact.integer;
  if (!fact.list.empty())
    return fact.list;
  return fact.origin.empty() ? Json(nullptr) : Json(fact.text);
}
Json orNull(std::string_view text) { return text.empty() ? Json(nullptr) : Json(std::string(text)); }
} // namespace

std::string targetListJson() {
  Json root;
  root["targets"] = Json::array();
  for (const target::Target &target : target::all())
    root["targets"].push_back({{"id", std::string(target.id())}, {"architecture", orNull(target.architecture())}, {"added", target.added()}});
  return root.dump(2) + "\n";
}

std::string targetJson(const target::Target &target) {
  Json root;
  root["id"] = std::string(target.id());
  root["documents"] = Json::array();
  for (const target::Document &document : target.documents())
    root["documents"].push_back({{"kind", document.kind}, {"id", document.id}, {"digest", document.digest}});
  root["facts"] = Json::array();
  for (const target::Fact &fact : target.facts())
    root["facts"].push_back({{"path", fact.path},
                             {"value", valueOf(fact)},
                             {"unit", orNull(fact.unit)},
                             {"origin", orNull(fact.origin)},
                             {"conditions", orNull(fact.conditions)},
                             {"source", orNull(fact.source)}});
  return root.dump(2) + "\n";
}

} // namespace tilewright::features
