#include "features/InlayHints.h"

#include "features/Names.h"
#include "features/Values.h"
#include "support/Quantity.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tilewright::features {
namespace {
using syntax::Kind;
using syntax::Node;
using syntax::Role;

/// All calls of one statement together.
struct Cost {
  std::vector<analysis::Interval> intervals;
  std::map<std::string, analysis::Bytes> logical, total;
  int64_t idealNs = 0;
};

void add(Cost &cost, const analysis::CallRecord &call) {
  if (call.interval) {
    const analysis::Interval &next = *call.interval;
    // Calls of one statement run one after another; what touches is one interval.
    analysis::Interval *last = cost.intervals.empty() ? nullptr : &cost.intervals.back();
    if (last && last->endNs == next.startNs && last->strideNs == next.strideNs && last->trips == next.trips)
      last->endNs = next.endNs;
    else
      cost.intervals.push_back(next);
  }
  if (call.memory)
    for (const auto &[level, traffic] : call.memory->traffic) {
      cost.logical[level].read += traffic.logical.read;
      cost.logical[level].write += traffic.logical.write;
      cost.total[level].read += traffic.total.read;
      cost.total[level].write += traffic.total.write;
    }
  if (call.roofline)
    cost.idealNs += call.roofline->idealNs;
}

void append(std::string &label, std::string_view part) {
  if (!label.empty())
    label += " · ";
  label += part;
}

std::string labelOf(const Cost &cost, const HintOptions &options) {
  std::string label;
  if (options.time)
    for (const analysis::Interval &interval : cost.intervals)
      append(label, intervalText(interval) + " ns");
  if (options.bytes)
    for (const auto &[level, bytes] : cost.logical)
      if (std::string text = bytesText(bytes); !text.empty())
        append(label, level + " " + text);
  return label;
}

std::string tooltipOf(const Cost &cost) {
  std::string text;
  if (!cost.intervals.empty())
    text += "predicted to run at " + intervalText(cost.intervals.front()) + " ns" + (cost.idealNs ? "; no faster than " + std::to_string(cost.idealNs) + " ns for the whole grid by the roofline" : "") + "\n\n";
  if (!cost.logical.empty()) {
    text += "| level | read | write | read, whole grid | written, whole grid |\n|---|---|---|---|---|\n";
    for (const auto &[level, bytes] : cost.logical)
      text += "| " + level + " | " + formatBytes(bytes.read) + " | " + formatBytes(bytes.write) + " | " + formatBytes(cost.total.at(level).read) + " | " + formatBytes(cost.total.at(level).write) + " |\n";
  }
  return text;
}

std::string peakText(const std::string &level, int64_t peak, std::optional<int64_t> capacity) {
  return level + " " + formatBytes(peak) + (capacity ? " of " + formatBytes(*capacity) : std::string());
}

class Hints {
public:
  Hints(Span range, const HintOptions &options) : range_(range), options_(options) {}

  void function(const syntax::Item &item, const FunctionView &view) {
    const analysis::FunctionReport *report = view.report;
    const ir::FunctionPlan *plan = view.plan;
    if (!report || !plan)
      return;
    item_ = &item;
    const target::Target *target = view.target();
    statements(*plan, *report);

    std::string line;
    if (options_.time && report->record.hasPerformance)
      line = "predicted-ns=" + std::to_string(report->record.predictedNs) + " waves=" + std::to_string(report->record.waves);
    std::string peaks;
    if (options_.peaks)
      for (const analysis::Peak &peak : report->record.peaks)
        append(peaks, peakText(peak.level, peak.peak, peak.capacity));
    // The mesh that wraps the whole body is where its peaks belong; without one they stand on the function.
    Node wrapping = plan->regions.empty() ? Node() : header(plan->regions[0].span);
    if (wrapping && !peaks.empty())
      place(headerEnd(wrapping), "peak " + peaks, "what lives at once at most, against the capacity of the target");
    else if (!peaks.empty())
      append(line, "peak " + peaks);
    if (!line.empty()) {
      std::string tooltip;
      for (const std::string &row : analysis::headerRows(*view.result->report, view.index))
        tooltip += row + "\n";
      place(lineEnd(view.nameSpan.begin), line, tooltip.empty() ? tooltip : "```\n" + tooltip + "```");
    }
    if (options_.peaks)
      for (const analysis::MeshRecord &mesh : report->meshes) {
        if (mesh.region == ir::kNone || static_cast<size_t>(mesh.region) >= plan->regions.size())
          continue;
        Node with = header(plan->regions[static_cast<size_t>(mesh.region)].span);
        if (!with || with == wrapping)
          continue;
        std::string label;
        for (const auto &[level, bytes] : mesh.peaks)
          append(label, peakText(level, bytes, target ? target->capacity(level) : std::nullopt));
        if (!label.empty())
          place(headerEnd(with), "peak " + label, "what lives at once at most inside this scope, against the capacity of the target");
      }
  }

  std::vector<InlayHint> take() {
    std::stable_sort(out_.begin(), out_.end(), [](const InlayHint &a, const InlayHint &b) { return a.offset < b.offset; });
    return std::move(out_);
  }

private:
  void statements(const ir::FunctionPlan &plan, const analysis::FunctionReport &report) {
    std::map<uint32_t, std::pair<Node, Cost>> costs; // by statement
    for (const analysis::CallRecord &call : report.calls) {
      if (call.value == ir::kNone || static_cast<size_t>(call.value) >= plan.values.size())
        continue;
      Span span = plan.at(call.value).span;
      if (span.empty() || span.end > item_->tree->text.size())
        continue;
      Node statement = enclosingStatement(item_->tree->at(span.begin));
      // The costs of a header's own expressions belong to its line, not to its body.
      auto &slot = costs[statement.index()];
      slot.first = statement;
      add(slot.second, call);
    }
    for (auto &[index, slot] : costs) {
      std::string label = labelOf(slot.second, options_);
      if (label.empty())
        continue;
      bool compound = static_cast<bool>(slot.first.child(Role::Block));
      place(compound ? headerEnd(slot.first) : slot.first.span().end, std::move(label), tooltipOf(slot.second));
    }
  }

  /// The `for` or `with` whose header begins at `span`.
  Node header(Span span) const {
    if (span.empty() || span.end > item_->tree->text.size())
      return {};
    Node node = item_->tree->at(span.begin);
    while (node && !node.is(Kind::With) && !node.is(Kind::For) && node.parent() && node.parent().span().begin == node.span().begin)
      node = node.parent();
    if (node && !node.is(Kind::With) && !node.is(Kind::For))
      node = enclosingStatement(node);
    return node && (node.is(Kind::With) || node.is(Kind::For)) ? node : Node();
  }

  /// Behind the colon of a compound statement.
  uint32_t headerEnd(Node statement) const {
    uint32_t after = statement.span().begin;
    Node body = statement.child(Role::Block);
    for (Node child : statement.children())
      if (!body || child.span().begin < body.span().begin)
        after = std::max(after, child.span().end);
    const std::string &text = item_->tree->text;
    size_t colon = text.find(':', after);
    return colon == std::string::npos ? after : static_cast<uint32_t>(colon + 1);
  }

  uint32_t lineEnd(uint32_t at) const {
    const std::string &text = item_->tree->text;
    size_t end = text.find_first_of("\r\n", at);
    return static_cast<uint32_t>(end == std::string::npos ? text.size() : end);
  }

  void place(uint32_t at, std::string label, std::string tooltip) {
    uint32_t offset = at + item_->offset;
    if (offset < range_.begin || offset > range_.end)
      return;
    out_.push_back({offset, std::move(label), std::move(tooltip)});
  }

  Span range_;
  const HintOptions &options_;
  const syntax::Item *item_ = nullptr;
  std::vector<InlayHint> out_;
};
} // namespace

std::vector<InlayHint> inlayHints(const session::Snapshot &snapshot, Span range, const HintOptions &options) {
  if (!snapshot.schedule || !snapshot.result)
    return {};
  Hints hints(range, options);
  for (const FunctionView &view : functionsOf(snapshot)) {
    const syntax::Item &item = snapshot.file.items[view.item];
    Span where = item.span();
    if (where.end >= range.begin && where.begin <= range.end)
      hints.function(item, view);
  }
  return hints.take();
}

} // namespace tilewright::features
