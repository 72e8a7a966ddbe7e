#include "target/Facts.h"
#include "support/Digest.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tilewright::target {
namespace {

using Json = nlohmann::ordered_json;

enum class Kind : uint8_t { Integer, Text, List };
enum class Presence : uint8_t { Stated, Optional, Absent };
struct Leaf {
  std::string_view schema, path;
  Kind kind;
  std::string_view unit;
  Presence presence;
};
constexpr Leaf kLeaves[] = {
#define TW_FACT(schema, path, kind, unit, presence) {schema, path, Kind::kind, unit, Presence::presence},
#include "target/FactPaths.def"
#undef TW_FACT
};
constexpr std::string_view kOrigins[] = {"vendor", "derived", "reference", "measured", "estimated"};

std::string text(const Json &object, const char *key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

class Reader {
public:
  Reader(std::vector<std::string> &errors) : errors_(errors) {}

  FactsFile read(const Json &root) {
    if (!root.is_object()) {
      error("", "a facts file is one JSON object");
      return file_;
    }
    file_.id = text(root, "id");
    file_.schema = text(root, "schema");
    for (const auto &[key, value] : root.items())
      if (key != "kind" && key != "schema" && key != "id" && key != "architecture" && key != "facts")
        error(key, "not a key of a facts file");
    const std::string kind = file_.kind = text(root, "kind");
    file_.architecture = text(root, "architecture");
    if (file_.id.empty())
      error("id", "missing");
    if (kind != "architecture" && kind != "device")
      error("kind", "must be `architecture` or `device`");
    if (kind == "device" && file_.architecture.empty())
      error("architecture", "missing");
    if (kind == "architecture" && root.contains("architecture"))
      error("architecture", "only a device has one");
    if (std::none_of(std::begin(kLeaves), std::end(kLeaves), [&](const Leaf &leaf) { return leaf.schema == file_.schema; })) {
      error("schema", "no schema `" + file_.schema + "`");
      return file_;
    }
    if (!file_.schema.ends_with("." + kind))
      error("kind", "`" + kind + "` does not go with schema `" + file_.schema + "`");
    auto facts = root.find("facts");
    if (facts == root.end() || !facts->is_object()) {
      error("facts", "missing");
      return file_;
    }
    for (const auto &[path, value] : facts->items()) {
      auto leaf = std::find_if(std::begin(kLeaves), std::end(kLeaves), [&](const Leaf &l) { return l.schema == file_.schema && l.path == path; });
      if (leaf == std::end(kLeaves))
        error(path, "not a fact of `" + file_.schema + "`");
      else
        readLeaf(*leaf, value);
    }
    for (const Leaf &leaf : kLeaves)
      if (leaf.schema == file_.schema && leaf.presence != Presence::Absent && !facts->contains(leaf.path))
        error(leaf.path, "missing");
    return file_;
  }

private:
  void error(std::string_view path, std::string_view what) {
    std::string where = file_.id;
    if (!path.empty())
      where += (where.empty() ? "" : ": ") + std::string(path);
    errors_.push_back(where + (where.empty() ? "" : ": ") + std::string(what));
  }

  void readLeaf(const Leaf &leaf, const Json &value) {
    size_t before = errors_.size();
    if (!value.is_object())
      return error(leaf.path, "must be an object with `value` or `unavailable`");
    for (const auto &[key, part] : value.items())
      if (key != "value" && key != "unit" && key != "origin" && key != "conditions" && key != "source" && key != "unavailable")
        error(leaf.path, "unknown key `" + key + "`");
    Fact fact;
    fact.path = leaf.path;
    if (value.contains("unavailable")) {
      fact.conditions = text(value, "unavailable");
      if (leaf.presence == Presence::Stated)
        error(leaf.path, "must state a value");
      if (value.size() != 1 || fact.conditions.empty())
        error(leaf.path, "`unavailable` gives the reason and stands alone");
    } else {
      readValue(leaf, value, fact);
    }
    if (errors_.size() == before)
      file_.facts.push_back(std::move(fact));
  }

  void readValue(const Leaf &leaf, const Json &object, Fact &fact) {
    auto value = object.find("value");
    if (value == object.end())
      return error(leaf.path, "no `value`");
    switch (leaf.kind) {
    case Kind::Integer:
      if (value->is_number_integer() && *value > 0)
        fact.integer = value->get<int64_t>();
      else
        error(leaf.path, "must be a positive integer");
      break;
    case Kind::Text:
      fact.text = text(object, "value");
      if (fact.text.empty())
        error(leaf.path, "must be text");
      break;
    case Kind::List:
      if (!value->is_array() || value->empty() || !std::all_of(value->begin(), value->end(), [](const Json &item) { return item.is_string(); }))
        return error(leaf.path, "must be a list of text");
      fact.list = value->get<std::vector<std::string>>();
      break;
    }
    fact.unit = text(object, "unit");
    fact.origin = text(object, "origin");
    fact.conditions = text(object, "conditions");
    fact.source = text(object, "source");
    if (fact.unit != leaf.unit)
      error(leaf.path, "unit `" + fact.unit + "`, must be `" + std::string(leaf.unit) + "`");
    if (std::find(std::begin(kOrigins), std::end(kOrigins), fact.origin) == std::end(kOrigins))
      error(leaf.path, "origin `" + fact.origin + "`, must be vendor, derived, reference, measured or estimated");
    if (fact.conditions.empty())
      error(leaf.path, "no `conditions`");
    if (fact.source.empty())
      error(leaf.path, "no `source`");
  }

  std::vector<std::string> &errors_;
  FactsFile file_;
};

} // namespace

FactsFile readFacts(std::string_view json, std::vector<std::string> &errors) {
  Json root = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    errors.push_back("not JSON");
    return {};
  }
  FactsFile file = Reader(errors).read(root);
  file.digest = sha256(json);
  return file;
}

} // namespace tilewright::target
