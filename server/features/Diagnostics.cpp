#include "features/Diagnostics.h"

#include "features/Names.h"
#include "features/Tiles.h"
#include "features/Values.h"
#include "support/Codes.h"
#include "support/Quantity.h"
#include "support/Text.h"

#include <algorithm>

namespace tilewright::features {
namespace {
using analysis::Finding;
using syntax::Kind;
using syntax::Node;

/// Whose a capacity is, as the message says it.
std::string owner(const target::Target *target) {
  std::string text = target ? "`" + std::string(target->id()) + "`" : "the target";
  text += " gives ";
  return text;
}
std::string_view perUnit(std::string_view level) { return level == "smem" || level == "rmem" || level == "tmem" ? " per CTA" : ""; }

/// The value that a loop carry starts from; any other value is its own.
ir::ValueId originOf(const ir::FunctionPlan &plan, ir::ValueId value) {
  for (size_t steps = 0; steps <= plan.regions.size(); ++steps) {
    ir::ValueId before = value;
    for (const ir::PlanRegion &region : plan.regions)
      for (const ir::LoopCarry &carry : region.carries)
        if (carry.init != ir::kNone && (carry.inside == value || carry.result == value))
          value = carry.init;
    if (value == before)
      break;
  }
  return value;
}

/// Where a buffer is bound, else where it is made.
Span placeOf(const ir::FunctionPlan &plan, ir::ValueId value) {
  value = originOf(plan, value);
  if (value == ir::kNone || static_cast<size_t>(value) >= plan.values.size())
    return {};
  const ir::PlanValue &one = plan.at(value);
  return one.nameSpan.empty() ? one.span : one.nameSpan;
}

/// A buffer as its author knows it: labels carry the line of the report, `acc:20`.
std::string nameOf(const analysis::Lifetime &buffer) {
  size_t last = buffer.binding.find_last_not_of("0123456789");
  bool line = last != std::string::npos && last > 0 && last + 1 < buffer.binding.size() && buffer.binding[last] == ':';
  return line ? buffer.binding.substr(0, last) : buffer.binding;
}

/// The buffers alive at the peak of a level, in order of definition.
std::vector<const analysis::Lifetime *> aliveAtPeak(const analysis::FunctionRecord &record, std::string_view level) {
  std::vector<const analysis::Lifetime *> all, best;
  for (const analysis::Lifetime &one : record.lifetimes)
    if (one.level == level)
      all.push_back(&one);
  std::sort(all.begin(), all.end(), [](const auto *a, const auto *b) { return a->definedAt < b->definedAt; });
  int64_t most = 0;
  for (const analysis::Lifetime *moment : all) {
    std::vector<const analysis::Lifetime *> alive;
    int64_t sum = 0;
    for (const analysis::Lifetime *one : all)
      if (one->persistent || (one->definedAt <= moment->definedAt && moment->definedAt <= one->lastUsedAt)) {
        alive.push_back(one);
        sum += one->bytes;
      }
    if (sum > most) {
      most = sum;
      best = std::move(alive);
    }
  }
  return best;
}

Diagnostic overCapacity(const Finding &finding, const FunctionView &function, const ir::FunctionPlan &plan, const analysis::FunctionReport &report) {
  Code code = finding.level == "smem" ? Code::SmemOverCapacity : finding.level == "rmem" ? Code::RmemOverCapacity : finding.level == "gmem" ? Code::GmemOverCapacity : Code::StorageOverCapacity;
  Diagnostic out{code, info(code).severity, function.nameSpan, {}, {}, {}};
  out.message = "`" + plan.name + "` needs " + formatBytes(finding.bytes) + " of " + finding.level + " at once; " + owner(function.target()) + formatBytes(finding.capacity) + std::string(perUnit(finding.level));
  std::vector<const analysis::Lifetime *> alive = aliveAtPeak(report.record, finding.level);
  // The buffer that crosses the limit, counting in order of definition; one that is too large alone is named alone.
  const analysis::Lifetime *crossing = nullptr;
  int64_t sum = 0;
  for (const analysis::Lifetime *one : alive) {
    sum += one->bytes;
    if (!crossing && sum > finding.capacity)
      crossing = one;
    if (one->bytes > finding.capacity) {
      crossing = one;
      break;
    }
  }
  Span place = crossing ? placeOf(plan, crossing->value) : Span{};
  if (place.empty())
    place = placeOf(plan, finding.value);
  if (place.empty() && finding.region != ir::kNone && static_cast<size_t>(finding.region) < plan.regions.size())
    place = plan.regions[static_cast<size_t>(finding.region)].span;
  if (!place.empty())
    out.span = place;
  for (const analysis::Lifetime *one : alive) {
    Span where = placeOf(plan, one->value);
    if (!where.empty() && where != out.span)
      out.related.push_back({where, "`" + nameOf(*one) + "` holds " + formatBytes(one->bytes) + " of " + finding.level + " at the same time"});
    else if (one == crossing && one->bytes > finding.capacity)
      out.message += "; `" + nameOf(*one) + "` alone holds " + formatBytes(one->bytes);
  }
  return out;
}

/// The head of a `for` or `with`: its first line without the colon.
Span headSpan(const FunctionView &function, const syntax::Item &item, Span span) {
  if (span.empty() || span.end > item.tree->text.size())
    return span.empty() ? function.nameSpan : span;
  Node statement = enclosingStatement(item.tree->at(span.begin));
  if (!statement.is(Kind::For) && !statement.is(Kind::With))
    return span;
  Node body = statement.child(syntax::Role::Block);
  uint32_t end = statement.span().begin;
  for (Node child : statement.children())
    if (!body || child.span().begin < body.span().begin)
      end = std::max(end, child.span().end);
  return {statement.span().begin, end};
}

Diagnostic cacheRow(const Finding &finding, const FunctionView &function, const ir::FunctionPlan &plan, const syntax::Item &item) {
  bool window = finding.kind == Finding::Kind::ReuseWindow;
  Code code = window ? Code::ReuseWindowOverCache : Code::WorkingSetOverCache;
  Diagnostic out{code, finding.advisory ? Severity::Information : info(code).severity, function.nameSpan, {}, {}, {}};
  bool inPlan = finding.region != ir::kNone && static_cast<size_t>(finding.region) < plan.regions.size();
  if (inPlan && !plan.regions[static_cast<size_t>(finding.region)].span.empty())
    out.span = headSpan(function, item, plan.regions[static_cast<size_t>(finding.region)].span);
  Span buffer = placeOf(plan, finding.value);
  std::string target = function.target() ? "`" + std::string(function.target()->id()) + "`" : "the target";
  std::string limit = finding.level + " of " + target + " holds " + formatBytes(finding.capacity);
  std::string name = finding.value != ir::kNone && static_cast<size_t>(finding.value) < plan.values.size() ? plan.at(finding.value).name : std::string();
  if (window)
    out.message = "between two uses of the same data" + (name.empty() ? std::string() : " of `" + name + "`") + ", " + formatBytes(finding.bytes) + " pass through " + finding.level + "; " + limit + (finding.advisory ? " (the figure is an estimate)" : "");
  else
    out.message = "the first wave works on " + formatBytes(finding.bytes) + " at once; " + limit + (finding.advisory ? " (the figure is an estimate)" : "");
  if (!buffer.empty() && buffer != out.span)
    out.related.push_back({buffer, "this is what is used again"});
  return out;
}

Diagnostic made(Code code, Span span, std::string message) { return {code, info(code).severity, span, std::move(message), {}, {}}; }

/// What a window with constant starts reaches beyond its tensor, "" if it lies inside.
std::string windowOutside(const ir::FunctionPlan &plan, const ir::PlanValue &window) {
  const ir::Attribute *sizes = ir::find(window.attributes, "sizes"), *strides = ir::find(window.attributes, "strides");
  const auto *extents = sizes ? std::get_if<std::vector<int64_t>>(sizes) : nullptr;
  const auto *steps = strides ? std::get_if<std::vector<int64_t>>(strides) : nullptr;
  if (window.operands.size() < 2 || !extents)
    return {};
  const ir::PlanValue &starts = plan.at(window.operands[1]);
  const std::vector<int64_t> &shape = plan.at(window.operands[0]).type.tensor.shape;
  for (size_t axis = 0; axis < starts.operands.size() && axis < shape.size() && axis < extents->size(); ++axis) {
    const ir::PlanValue &start = plan.at(starts.operands[axis]);
    if (start.kind != ir::ValueKind::Constant)
      continue;
    const int64_t step = steps && axis < steps->size() ? (*steps)[axis] : 1, end = start.integer + ((*extents)[axis] - 1) * step + 1;
    if (start.integer < 0 || end > shape[axis])
      return "the window takes " + std::to_string(start.integer) + " to " + std::to_string(end - 1) + " of axis " + std::to_string(axis) + ", which has " + std::to_string(shape[axis]) +
             " elements" + (start.integer < 0 ? "; a negative bound does not count from the end here" : "");
  }
  return {};
}

/// What the analyses count as written although no machine could run it.
void addNonsense(const FunctionView &function, const syntax::Item &item, std::vector<Diagnostic> &out) {
  const ir::FunctionPlan &plan = *function.plan;
  for (const ir::PlanRegion &region : plan.regions) {
    if (region.span.empty())
      continue;
    if (region.mesh) {
      int64_t last = region.mesh->offset, units = 1;
      for (size_t i = 0; i < region.mesh->shape.size() && i < region.mesh->strides.size(); ++i)
        last += (region.mesh->shape[i] - 1) * region.mesh->strides[i];
      std::string levels;
      for (const layout::Topology &level : region.mesh->topologies) {
        units *= level.extent;
        levels += (levels.empty() ? "`" : " × `") + level.name + "`";
      }
      if (!region.mesh->topologies.empty() && last >= units)
        out.push_back(made(Code::MeshOverTopology, headSpan(function, item, region.span),
                           "the mesh reaches unit " + std::to_string(last) + "; the module declares " + std::to_string(units) + " of " + levels));
    }
    bool constant = region.start.kind == ir::DimExpr::Kind::Constant && region.stop.kind == ir::DimExpr::Kind::Constant;
    if (region.kind == ir::RegionKind::Loop && constant && region.start.constant >= region.stop.constant)
      out.push_back(made(Code::EmptyLoop, headSpan(function, item, region.span),
                         "the loop runs no iteration: it starts at " + std::to_string(region.start.constant) + " and ends at " + std::to_string(region.stop.constant)));
  }
  for (const ir::PlanValue &value : plan.values)
    if (value.kind == ir::ValueKind::Op && value.op == ir::Op::Slice && !value.span.empty())
      if (std::string reach = windowOutside(plan, value); !reach.empty())
        out.push_back(made(Code::WindowOutside, value.span, std::move(reach)));
  for (const ir::PlanValue &value : plan.values) {
    if (value.kind != ir::ValueKind::Op || value.op != ir::Op::Reshape || value.operands.empty() || value.span.empty())
      continue;
    const ir::TensorType &from = plan.at(value.operands[0]).type.tensor, &to = value.type.tensor;
    if (from.elements() != to.elements())
      out.push_back(made(Code::ReshapeCount, value.span, "a value of " + std::to_string(from.elements()) + " elements is read as one of " + std::to_string(to.elements())));
  }
}
} // namespace

namespace {
/// The remarks of a file of hundreds of functions name fewer places each, and those in fewer words: all of them are sent again after every
/// keystroke.
void thinOut(std::vector<Diagnostic> &all) {
  constexpr size_t kMostPlaces = 400; // in one file: 20 functions with all the places that one remark has
  const auto remarks = static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const Diagnostic &one) { return one.code == Code::NoCandidate; }));
  if (remarks == 0)
    return;
  const size_t each = std::max<size_t>(1, kMostPlaces / remarks);
  constexpr size_t kShort = 100;
  for (Diagnostic &one : all) {
    if (one.code != Code::NoCandidate || one.related.size() <= each)
      continue;
    one.related.erase(one.related.begin() + static_cast<std::ptrdiff_t>(each), one.related.end());
    for (Related &place : one.related)
      place.message = shortened(std::move(place.message), kShort);
  }
}
} // namespace

std::vector<Diagnostic> diagnostics(const session::Snapshot &snapshot) {
  std::vector<Diagnostic> all;
  if (!snapshot.result)
    return all;
  if (!snapshot.schedule) {
    // Another file is none of our business, unless it is too large to tell, or unreadable and speaks of the DSL.
    bool ours = session::mentionsDsl(snapshot.file.source->text().substr(0, syntax::kLargestFile));
    for (const Diagnostic &one : snapshot.file.diagnostics)
      if (one.code == Code::FileTooLarge || ours)
        all.push_back(one);
    return all;
  }
  all = snapshot.result->diagnostics;
  thinOut(all);
  for (const FunctionView &view : functionsOf(snapshot)) {
    if (!view.plan)
      continue;
    const syntax::Item &item = snapshot.file.items[view.item];
    std::vector<Diagnostic> nonsense;
    addNonsense(view, item, nonsense);
    for (const Diagnostic &one : nonsense)
      all.push_back(shifted(one, item.offset));
    if (!view.report)
      continue;
    for (const Finding &finding : view.report->record.findings) {
      bool space = finding.kind == Finding::Kind::OverCapacity;
      all.push_back(shifted(space ? overCapacity(finding, view, *view.plan, *view.report) : cacheRow(finding, view, *view.plan, item), item.offset));
    }
  }
  for (Diagnostic &one : tileDiagnostics(snapshot))
    all.push_back(std::move(one));
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic &a, const Diagnostic &b) { return a.span < b.span; });
  return all;
}

} // namespace tilewright::features
