#include "features/CandidatesJson.h"

#include <nlohmann/json.hpp>

namespace tilewright::features {
namespace {
using Json = nlohmann::ordered_json;

Json json(const schedule::Site::Row &row) {
  Json path = Json::array();
  for (const instruction::Binding &binding : row.path())
    path.push_back({{"name", binding.name}, {"value", binding.value}});
  Json out = {{"id", row.match.id}, {"path", std::move(path)}, {"reason", row.match.accepted ? std::string() : row.match.reason}};
  if (row.isDefault)
    out["default"] = true;
  return out;
}
} // namespace

std::string candidatesJson(const SiteReport &report, std::string_view source) {
  Json lines = Json::array();
  for (const schedule::Site &site : report.sites) {
    Json operands = Json::array(), candidates = Json::array(), refused = Json::array();
    for (const schedule::Site::Operand &operand : site.operands)
      operands.push_back(schedule::textOf(operand));
    for (const schedule::Site::Row &row : site.rows)
      (row.match.accepted ? candidates : refused).push_back(json(row));
    lines.push_back({{"line", schedule::labelOf(*report.program, site, report.lineOf)},
                     {"op", site.op},
                     {"scope", site.scope},
                     {"operands", std::move(operands)},
                     {"candidates", std::move(candidates)},
                     {"refused", std::move(refused)}});
  }
  Json out = {{"source", source}, {"target", report.program->target->id()}, {"lines", std::move(lines)}};
  return out.dump(2) + "\n";
}

} // namespace tilewright::features
