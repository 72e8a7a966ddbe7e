// The text report: header rows, and after each printed line what the requested families say of its value. One form per quantity, shared by
// header and comments: `key=value` separated by spaces, `name:value` inside, parts of a comment separated by `; `.
#include "analysis/Analysis.h"
#include "support/Quantity.h"

#include <algorithm>

namespace tilewright::analysis {
namespace {

std::vector<std::string> levelNames(const Report &report) {
  std::vector<std::string> names;
  for (const layout::Topology &topology : report.program->topologies)
    names.push_back(topology.name);
  return names;
}

std::string quantity(const Counts &counts, const std::vector<std::string> &levels) {
  std::string text = std::to_string(counts.logical) + "@logical," + std::to_string(counts.total) + "@total";
  for (size_t i = 0; i < levels.size() && i < counts.perUnit.size(); ++i)
    text += "," + std::to_string(counts.perUnit[i]) + "@" + levels[i];
  return text;
}

std::string bytes(const Bytes &bytes) { return "r" + formatBytes(bytes.read) + "/w" + formatBytes(bytes.write); }

std::string quantity(const Traffic &traffic, const std::vector<std::string> &levels) {
  std::string text = bytes(traffic.logical) + "@logical," + bytes(traffic.total) + "@total";
  for (size_t i = 0; i < levels.size() && i < traffic.perUnit.size(); ++i)
    text += "," + bytes(traffic.perUnit[i]) + "@" + levels[i];
  return text;
}

/// `name:quantity` of each entry, joined by `;`.
template <typename Map> std::string entries(const Map &map, const std::vector<std::string> &levels) {
  std::string text;
  for (const auto &[name, value] : map)
    text += (text.empty() ? "" : ";") + name + ":" + quantity(value, levels);
  return text;
}

void key(std::string &text, const char *name, const std::string &value) {
  if (!value.empty())
    text += std::string(" ") + name + "=" + value;
}

std::string costText(const ComputeCost &cost, const std::vector<std::string> &levels, bool otherOps = true) {
  std::string text = "compute-cost";
  key(text, "flops", entries(cost.flops, levels));
  if (otherOps)
    key(text, "other-ops", entries(cost.otherOps, levels));
  return text + " precision=" + std::string(name(cost.precision));
}

std::string footprintText(const Footprint &footprint) {
  std::string text;
  for (const Footprint::Buffer &buffer : footprint.buffers) {
    int64_t logical = 0;
    for (const auto &[level, counts] : buffer.levels)
      logical += counts.logical;
    text += (text.empty() ? "" : ";") + buffer.label + ":" + formatBytes(logical);
  }
  return text;
}

void footprintKeys(std::string &text, const Footprint &footprint) {
  key(text, "footprint", footprintText(footprint));
  key(text, "footprint-precision", std::string(name(footprint.precision)));
}

/// Whether the row states movement at all: index arithmetic inside a slice does not.
bool statesMemory(const CallMemory &memory) { return memory.footprint || !memory.traffic.empty() || !memory.communication.empty(); }

std::string memoryText(const CallMemory &memory, const std::vector<std::string> &levels, bool operands) {
  std::string text = "memory";
  key(text, "traffic", entries(memory.traffic, levels));
  if (memory.footprint)
    footprintKeys(text, *memory.footprint);
  if (operands) {
    std::string rows;
    for (const OperandTraffic &row : memory.operands)
      rows += (rows.empty() ? "" : ";") + (row.argument < 0 ? std::string("result") : std::to_string(row.argument)) + ":" + bytes(row.bytes);
    key(text, "operands", rows);
  }
  return text;
}

std::string rooflineText(const Roofline &roofline) { return "roofline ideal-ns=" + std::to_string(roofline.idealNs) + " bound-by=" + roofline.boundBy; }

std::string intervalText(const Interval &interval) {
  std::string start = std::to_string(interval.startNs), end = std::to_string(interval.endNs);
  if (interval.trips == 1)
    return "performance=[" + start + "," + end + ")";
  std::string stride = std::to_string(interval.strideNs) + "t+";
  return "performance=[" + stride + start + "," + stride + end + ")*" + std::to_string(interval.trips);
}

const FunctionReport *find(const Report &report, size_t function) {
  for (const FunctionReport &one : report.functions)
    if (one.function == function)
      return &one;
  return nullptr;
}

/// A sentence inside a row: quoted, with quotes and backslashes escaped.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}
} // namespace

std::vector<std::string> headerRows(const Report &report, size_t function) {
  std::vector<std::string> rows;
  const ir::FunctionPlan &plan = report.program->functions[function];
  uint8_t families = report.options.families;
  const FunctionReport *one = find(report, function);
  if (!families || !one)
    return rows;
  std::vector<std::string> levels = levelNames(report);
  std::string first = "analysis target=" + std::string(report.program->target->id()) + " module=" + report.program->module + " function=" + plan.name;
  if (!report.topology.empty())
    first += " topology=" + report.topology + " wave=" + std::to_string(report.waveCounted) + "/" + std::to_string(report.waveDeclared);
  rows.push_back(std::move(first));
  std::string executed;
  for (std::string_view name : executionOrder(families))
    executed += (executed.empty() ? "" : ",") + std::string(name);
  rows.push_back("selection requested=" + familyNames(families) + " executed=" + executed);
  const FunctionRecord &record = one->record;
  if (record.cost && statesWork(families))
    rows.push_back(costText(*record.cost, levels));
  else if (record.cost && (families & kRoofline) && !record.cost->flops.empty())
    rows.push_back(costText(*record.cost, levels, false));
  if ((families & kMemory) && record.hasMemory) {
    std::string text = "memory";
    key(text, "traffic", entries(record.traffic, levels));
    footprintKeys(text, record.footprint);
    std::string peaks, persistent;
    for (const Peak &peak : record.peaks) {
      peaks += (peaks.empty() ? "" : ";") + peak.level + ":" + formatBytes(peak.peak);
      if (peak.persistent)
        persistent += (persistent.empty() ? "" : ";") + peak.level + ":" + formatBytes(peak.persistent);
    }
    key(text, "peak", peaks);
    key(text, "persistent", persistent);
    rows.push_back(std::move(text));
    for (const ReuseWindow &window : record.windows)
      rows.push_back("  buffer=" + window.buffer + " holds=" + formatBytes(window.holds) + " time=" + (window.time.empty() ? "none" : window.time) + " space=" + (window.space.empty() ? "none" : window.space) +
                     " reuse=" + formatBytes(window.reuse) + " fits=" + (window.fits ? "yes" : "no") + " precision=" + std::string(name(window.precision)));
    for (const Finding &finding : record.findings)
      rows.push_back(std::string(finding.advisory ? "  advisory=" : "  error=") + quoted(finding.text));
  }
  if ((families & kRoofline) && record.roofline && record.roofline->boundBy != "none")
    rows.push_back(rooflineText(*record.roofline));
  if ((families & kPerformance) && record.hasPerformance) {
    std::string text = "performance root=" + report.program->module + "::" + plan.name;
    if (record.predictedNs)
      text += " predicted-ns=" + std::to_string(record.predictedNs);
    rows.push_back(text + " waves=" + std::to_string(record.waves));
  }
  return rows;
}

std::string comment(const Report &report, size_t function, const ir::PrintedLine &line) {
  uint8_t families = report.options.families;
  const FunctionReport *one = find(report, function);
  const ir::FunctionPlan &plan = report.program->functions[function];
  if (line.region != ir::kNone) {
    if (!one || !(families & kMemory))
      return "";
    for (const MeshRecord &mesh : one->meshes)
      if (mesh.region == line.region) {
        std::string peaks;
        for (const auto &[level, peak] : mesh.peaks)
          peaks += (peaks.empty() ? "" : ";") + level + ":" + formatBytes(peak);
        return "memory peak=" + peaks;
      }
    return "";
  }
  if (line.value == ir::kNone)
    return "";
  const ir::PlanValue &value = plan.at(line.value);
  std::string text = ir::printType(plan, value.type, value.region);
  if (!one)
    return text;
  std::vector<std::string> levels = levelNames(report);
  for (const CallRecord &row : one->calls) {
    if (row.value != line.value)
      continue;
    if ((families & kComputeCost) && row.cost)
      text += "; " + costText(*row.cost, levels);
    if ((families & kMemory) && row.memory && statesMemory(*row.memory))
      text += "; " + memoryText(*row.memory, levels, report.options.operands);
    if ((families & kRoofline) && row.roofline && row.roofline->boundBy != "none")
      text += "; " + rooflineText(*row.roofline);
    if ((families & kPerformance) && row.interval)
      text += "; " + intervalText(*row.interval);
    break;
  }
  return text;
}

std::string renderText(const Report &report) {
  std::string text;
  for (size_t i = 0; i < report.program->functions.size(); ++i) {
    if (i)
      text += "\n";
    std::vector<std::string> rows = headerRows(report, i);
    for (const std::string &row : rows)
      text += "# " + row + "\n";
    if (!rows.empty())
      text += "\n";
    for (const ir::PrintedLine &line : ir::printFunction(*report.program, i)) {
      text += line.text;
      if (std::string note = comment(report, i, line); !note.empty())
        text += "  # " + note;
      text += "\n";
    }
  }
  return text;
}

} // namespace tilewright::analysis
