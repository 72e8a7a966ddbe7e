#include "features/AnalyzeJson.h"

#include "analysis/Analysis.h"

#include <nlohmann/json.hpp>

namespace tilewright::features {
namespace {
using Json = nlohmann::json; // sorts keys

using analysis::Bytes;
using analysis::Counts;
using analysis::Traffic;

Json json(const Bytes &bytes) { return {{"read", bytes.read}, {"write", bytes.write}}; }
Json json(const Counts &counts) { return {{"logical", counts.logical}, {"total", counts.total}, {"per_unit", counts.perUnit}}; }
Json json(const Traffic &traffic) {
  Json units = Json::array();
  for (const Bytes &unit : traffic.perUnit)
    units.push_back(json(unit));
  return {{"logical", json(traffic.logical)}, {"total", json(traffic.total)}, {"per_unit", units}};
}
template <typename Map> Json json(const Map &map) {
  Json object = Json::object();
  for (const auto &[name, value] : map)
    object[name] = json(value);
  return object;
}

class Writer {
public:
  explicit Writer(const analysis::Report &report) : report_(report), families_(report.options.families) {
    for (const layout::Topology &topology : report.program->topologies)
      levels_.push_back(topology.name);
  }

  Json write() const {
    Json root;
    root["target"] = std::string(report_.program->target->id());
    root["module"] = report_.program->module;
    root["requested"] = names(families_);
    root["executed"] = analysis::executionOrder(families_);
    root["topology"] = report_.topology.empty() ? Json() : Json(report_.topology);
    root["wave"] = report_.topology.empty() ? Json() : Json{{"counted", report_.waveCounted}, {"declared", report_.waveDeclared}};
    root["source"] = source();
    Json functions = Json::array();
    for (const analysis::FunctionReport &one : report_.functions)
      functions.push_back(function(one));
    root["functions"] = std::move(functions);
    return root;
  }

private:
  static Json names(uint8_t families) {
    Json list = Json::array();
    for (const analysis::FamilyInfo &info : analysis::allFamilies())
      if (families & info.family)
        list.push_back(std::string(info.name));
    return list;
  }

  /// The text report from its first function on, without the rows that `--operands` adds.
  std::string source() const {
    analysis::Report plain = report_;
    plain.options.operands = false;
    std::string text = analysis::renderText(plain);
    size_t at = 0;
    while (at < text.size() && text[at] == '#')
      at = text.find('\n', at) + 1;
    return text.substr(at < text.size() && text[at] == '\n' ? at + 1 : at);
  }

  Json cost(const analysis::ComputeCost &cost) const {
    return {{"flops", json(cost.flops)}, {"other_ops", json(cost.otherOps)}, {"precision", analysis::name(cost.precision)}, {"topologies", levels_}};
  }
  static Json traffic(const std::map<std::string, Traffic> &storage, const std::map<std::string, Traffic> &communication) {
    return {{"storage", json(storage)}, {"communication", json(communication)}};
  }
  static Json footprint(const analysis::Footprint &footprint) {
    Json buffers = Json::object();
    for (const analysis::Footprint::Buffer &buffer : footprint.buffers)
      buffers[buffer.label] = json(buffer.levels);
    return {{"buffers", std::move(buffers)}, {"precision", analysis::name(footprint.precision)}};
  }
  static Json roofline(const analysis::Roofline &roofline) {
    return {{"compute_ns", roofline.computeNs}, {"memory_ns", roofline.memoryNs}, {"ideal_ns", roofline.idealNs}, {"bound_by", roofline.boundBy}};
  }
  static Json timeline(const analysis::Interval &interval) {
    return {{"start_ns", interval.startNs}, {"end_ns", interval.endNs}, {"stride_ns", interval.strideNs}, {"trips", interval.trips}};
  }

  Json memory(const analysis::CallMemory &memory, bool stated) const {
    Json object;
    object["topologies"] = stated ? Json(levels_) : Json::array();
    object["traffic"] = traffic(memory.traffic, memory.communication);
    object["footprint"] = memory.footprint ? footprint(*memory.footprint) : Json();
    object["buffer_bytes"] = memory.bufferBytes ? Json(memory.bufferBytes) : Json();
    object["offsets"] = memory.offsets;
    if (!memory.operands.empty()) {
      Json rows = Json::array();
      for (const analysis::OperandTraffic &operand : memory.operands)
        rows.push_back({{"arg", operand.argument < 0 ? Json("result") : Json(operand.argument)},
                        {"name", operand.name},
                        {"type", operand.type},
                        {"read", operand.bytes.read},
                        {"write", operand.bytes.write}});
      object["operands"] = std::move(rows);
    }
    return object;
  }

  Json regionMemory(const analysis::FunctionRecord &record) const {
    Json object;
    object["topologies"] = levels_;
    object["solver_status"] = record.placed ? "feasible" : "not_run";
    object["traffic"] = traffic(record.traffic, record.communication);
    object["footprint"] = footprint(record.footprint);
    Json windows = Json::array(), lifetimes = Json::array(), peaks = Json::array(), errors = Json::array(), advisories = Json::array();
    for (const analysis::ReuseWindow &window : record.windows)
      windows.push_back({{"buffer", window.buffer},
                         {"time", window.time},
                         {"space", window.space},
                         {"holds_bytes", window.holds},
                         {"reuse_bytes", window.reuse},
                         {"fits", window.fits},
                         {"precision", analysis::name(window.precision)}});
    for (const analysis::Lifetime &lifetime : record.lifetimes)
      lifetimes.push_back({{"binding", lifetime.binding},
                           {"memory_level", lifetime.level},
                           {"bytes", lifetime.bytes},
                           {"defined_at", lifetime.definedAt},
                           {"last_used_at", lifetime.lastUsedAt},
                           {"persistent", lifetime.persistent}});
    for (const analysis::Peak &peak : record.peaks)
      peaks.push_back({{"memory_level", peak.level}, {"peak_bytes", peak.peak}, {"persistent_bytes", peak.persistent}, {"capacity_bytes", peak.capacity ? Json(*peak.capacity) : Json()}});
    for (const analysis::Finding &finding : record.findings)
      (finding.advisory ? advisories : errors).push_back(finding.text);
    object["reuse_windows"] = std::move(windows);
    object["lifetimes"] = std::move(lifetimes);
    object["peaks"] = std::move(peaks);
    object["errors"] = std::move(errors);
    object["advisories"] = std::move(advisories);
    return object;
  }

  Json mesh(const analysis::MeshRecord &record) const {
    Json peaks = Json::array();
    for (const auto &[level, peak] : record.peaks) {
      std::optional<int64_t> capacity = report_.program->target->capacity(level);
      peaks.push_back({{"memory_level", level}, {"peak_bytes", peak}, {"persistent_bytes", 0}, {"capacity_bytes", capacity ? Json(*capacity) : Json()}});
    }
    Json memory{{"topologies", levels_},
                {"solver_status", "feasible"},
                {"traffic", traffic({}, {})},
                {"footprint", Json()},
                {"reuse_windows", Json::array()},
                {"lifetimes", Json::array()},
                {"peaks", std::move(peaks)},
                {"errors", Json::array()},
                {"advisories", Json::array()}};
    return {{"memory", std::move(memory)}, {"value", record.label}};
  }

  Json totals(const analysis::FunctionRecord &record) const {
    Json flops = Json::object(), moved = Json::object(), crossed = Json::object();
    if (record.cost && (analysis::statesWork(families_) || (families_ & analysis::kRoofline)))
      for (const auto &[dtype, counts] : record.cost->flops)
        flops[dtype] = counts.total;
    for (const auto &[storage, traffic] : record.traffic)
      moved[storage] = json(traffic.total);
    for (const auto &[level, traffic] : record.communication)
      crossed[level] = json(traffic.total);
    return {{"flops", std::move(flops)}, {"traffic", std::move(moved)}, {"communication", std::move(crossed)}};
  }

  Json function(const analysis::FunctionReport &one) const {
    const ir::FunctionPlan &plan = report_.program->functions[one.function];
    Json object;
    object["function"] = report_.program->module + "." + plan.name;
    object["loops"] = Json::array();
    Json calls = Json::array(), meshes = Json::array(), records = Json::object();
    for (const analysis::CallRecord &row : one.calls) {
      Json call;
      call["value"] = row.label;
      if ((families_ & analysis::kComputeCost) && row.cost)
        call["compute-cost"] = cost(*row.cost);
      if ((families_ & analysis::kMemory) && row.memory)
        call["memory"] = memory(*row.memory, row.memory->footprint || !row.memory->traffic.empty() || isCall(plan, row));
      if ((families_ & analysis::kRoofline) && row.roofline)
        call["roofline"] = roofline(*row.roofline);
      if ((families_ & analysis::kPerformance) && row.interval)
        call["performance"] = {{"timeline", timeline(*row.interval)}};
      calls.push_back(std::move(call));
    }
    if (families_ & analysis::kMemory)
      for (const analysis::MeshRecord &record : one.meshes)
        meshes.push_back(mesh(record));
    if ((families_ & analysis::kComputeCost) && one.record.cost)
      records["compute-cost"] = cost(*one.record.cost);
    if ((families_ & analysis::kMemory) && one.record.hasMemory)
      records["memory"] = regionMemory(one.record);
    if ((families_ & analysis::kRoofline) && one.record.roofline)
      records["roofline"] = roofline(*one.record.roofline);
    if ((families_ & analysis::kPerformance) && one.record.hasPerformance)
      records["performance"] = {{"timeline", timeline(one.record.timeline)}, {"waves", one.record.waves}};
    object["calls"] = std::move(calls);
    object["meshes"] = std::move(meshes);
    object["function_records"] = std::move(records);
    object["totals"] = totals(one.record);
    return object;
  }
  static bool isCall(const ir::FunctionPlan &plan, const analysis::CallRecord &row) { return row.value != ir::kNone && plan.at(row.value).kind == ir::ValueKind::Call; }

  const analysis::Report &report_;
  uint8_t families_;
  std::vector<std::string> levels_;
};
} // namespace

std::string analyzeJson(const analysis::Report &report) { return Writer(report).write().dump(2) + "\n"; }

} // namespace tilewright::features
