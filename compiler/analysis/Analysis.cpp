#include "analysis/Analysis.h"

#include "analysis/Footprint.h"
#include "analysis/Placement.h"
#include "analysis/Reuse.h"
#include "analysis/Roofline.h"
#include "analysis/Timeline.h"
#include "analysis/Work.h"
#include "support/Codes.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tilewright::analysis {
namespace {

constexpr FamilyInfo kFamilies[] = {
    {kComputeCost, "compute-cost", 0},
    {kMemory, "memory", 0},
    {kRoofline, "roofline", kComputeCost | kMemory},
    {kPerformance, "performance", kComputeCost | kMemory},
};

void scale(Counts &into, const Counts &counts, int64_t logical, int64_t all) {
  into.logical += counts.logical * logical;
  into.total += counts.total * all;
  into.perUnit.resize(std::max(into.perUnit.size(), counts.perUnit.size()));
  for (size_t i = 0; i < counts.perUnit.size(); ++i)
    into.perUnit[i] += counts.perUnit[i] * all;
}
void scale(Bytes &into, const Bytes &bytes, int64_t times) {
  into.read += bytes.read * times;
  into.write += bytes.write * times;
}
void scale(Traffic &into, const Traffic &traffic, int64_t logical, int64_t all) {
  scale(into.logical, traffic.logical, logical);
  scale(into.total, traffic.total, all);
  into.perUnit.resize(std::max(into.perUnit.size(), traffic.perUnit.size()));
  for (size_t i = 0; i < traffic.perUnit.size(); ++i)
    scale(into.perUnit[i], traffic.perUnit[i], all);
}

/// The default level: the coarsest declared one of which the target says how many units run at once.
int defaultLevel(const ir::Program &program) {
  for (size_t i = 0; i < program.topologies.size(); ++i)
    if (program.target && program.target->units(program.topologies[i].name))
      return static_cast<int>(i);
  return program.topologies.empty() ? -1 : 0;
}

/// The level whose units make up a wave: the coarsest declared one of which the machine runs more than one unit at once.
int parallelLevel(const ir::Program &program) {
  for (size_t i = 0; i < program.topologies.size(); ++i)
    if (program.target->units(program.topologies[i].name).value_or(0) > 1)
      return static_cast<int>(i);
  return -1;
}

bool measured(const ir::PlanValue &value) {
  switch (value.kind) {
  case ir::ValueKind::Op:
  case ir::ValueKind::Call:
  case ir::ValueKind::Coordinate:
  case ir::ValueKind::TupleItem: return true;
  case ir::ValueKind::DimArith: return value.printed;
  default: return false;
  }
}

class Driver {
public:
  Driver(std::shared_ptr<const ir::Program> program, const Options &options, DiagnosticSink &sink, const CancelToken &cancel)
      : program_(std::move(program)), options_(options), sink_(sink), cancel_(cancel) {}

  std::optional<Report> run() {
    report_.program = program_;
    report_.options = options_;
    report_.executed = closure(options_.families);
    if (!selectLevel())
      return std::nullopt;
    if (report_.executed == 0)
      return std::move(report_);
    std::vector<std::vector<std::shared_ptr<const layout::Mesh>>> contexts(program_->functions.size());
    std::vector<size_t> order = callOrder(contexts);
    records_.resize(program_->functions.size());
    aliases_.resize(program_->functions.size());
    for (size_t function : order) {
      if (!analyzeFunction(function, contexts[function]) || cancel_.raised())
        return std::nullopt;
    }
    for (FunctionReport &one : records_)
      report_.functions.push_back(std::move(one));
    return std::move(report_);
  }

private:
  Span place(size_t function) const { return program_->functions[function].span; }

  bool selectLevel() {
    levels_.declared = program_->topologies;
    levels_.selected = defaultLevel(*program_);
    if (!options_.topology.empty()) {
      levels_.selected = levels_.named(options_.topology);
      if (levels_.selected < 0) {
        std::string declared;
        for (const layout::Topology &topology : program_->topologies)
          declared += (declared.empty() ? "`" : ", `") + topology.name + "`";
        sink_.add(Code::UndeclaredLevel, place(0), "the module declares no topology level `" + options_.topology + "`" + (declared.empty() ? "" : "; it declares " + declared));
        return false;
      }
    }
    if (levels_.selected >= 0) {
      const layout::Topology &level = program_->topologies[static_cast<size_t>(levels_.selected)];
      report_.topology = level.name;
      report_.waveDeclared = level.extent;
      report_.waveCounted = level.extent;
      if (std::optional<int64_t> units = program_->target->units(level.name))
        report_.waveCounted = std::min(level.extent, *units);
    }
    if (report_.executed & kPerformance) {
      if (levels_.selected < 0) {
        sink_.add(Code::NoTopologyLevel, place(0), "performance needs a topology level whose unit the rates are stated for; the module declares none");
        return false;
      }
      if (program_->target->units(report_.topology).value_or(0) <= 0) {
        sink_.add(Code::UnstatedRate, place(0), "`" + std::string(program_->target->id()) + "` does not state how many units of `" + report_.topology + "` run at once");
        return false;
      }
    }
    return true;
  }

  /// Callees before callers, and the meshes in which each is called (its first call decides).
  std::vector<size_t> callOrder(std::vector<std::vector<std::shared_ptr<const layout::Mesh>>> &contexts) {
    size_t count = program_->functions.size();
    std::vector<size_t> order;
    std::vector<uint8_t> state(count, 0);
    std::vector<std::pair<size_t, size_t>> stack{{0, 0}};
    state[0] = 1;
    while (!stack.empty()) { // functions call each other without recursion, but deep chains should not use our stack
      auto &[function, next] = stack.back();
      const ir::FunctionPlan &plan = program_->functions[function];
      size_t found = count;
      for (; next < plan.values.size(); ++next) {
        const ir::PlanValue &value = plan.values[next];
        if (value.kind != ir::ValueKind::Call || value.callee == ir::kNone || state[static_cast<size_t>(value.callee)])
          continue;
        found = static_cast<size_t>(value.callee);
        std::vector<std::shared_ptr<const layout::Mesh>> around;
        for (ir::RegionId region = value.region; region != ir::kNone; region = plan.regions[static_cast<size_t>(region)].parent)
          if (plan.regions[static_cast<size_t>(region)].mesh)
            around.insert(around.begin(), plan.regions[static_cast<size_t>(region)].mesh);
        contexts[found] = contexts[function];
        contexts[found].insert(contexts[found].end(), around.begin(), around.end());
        ++next;
        break;
      }
      if (found == count) {
        order.push_back(function);
        stack.pop_back();
      } else {
        state[found] = 1;
        stack.push_back({found, 0});
      }
    }
    for (size_t i = 0; i < count; ++i)
      if (!state[i])
        order.insert(order.begin(), i);
    return order;
  }

  struct CallSite {
    ir::ValueId value;
    int scope;
    bool projection = false;
    Liveness::Projection projected{};
  };
  void sites(const Model &model, const Instance &instance, const ir::FunctionPlan &plan, const Liveness &live, ir::RegionId region, std::vector<CallSite> &all) {
    int scope = instance.scopes[static_cast<size_t>(region)];
    auto project = [&](std::pair<ir::ValueId, ir::RegionId> lead) {
      if (auto projected = live.projections.find(lead); projected != live.projections.end())
        for (const Liveness::Projection &projection : projected->second)
          all.push_back({projection.value, scope, true, projection});
    };
    for (const ir::PlanItem &item : plan.regions[static_cast<size_t>(region)].items) {
      project({item.value, item.region});
      if (item.region != ir::kNone)
        sites(model, instance, plan, live, item.region, all);
      else if (measured(plan.at(item.value)))
        all.push_back({item.value, scope});
    }
    project(Liveness::endOf(region));
  }

  bool analyzeFunction(size_t function, const std::vector<std::shared_ptr<const layout::Mesh>> &context) {
    const ir::FunctionPlan &plan = program_->functions[function];
    std::vector<int64_t> atOnce;
    for (const layout::Topology &topology : levels_.declared)
      atOnce.push_back(program_->target->units(topology.name).value_or(0));
    Model model(*program_, levels_, atOnce, cancel_);
    int id = model.instantiate(function, context);
    if (cancel_.raised())
      return false;
    bool entry = function == 0;
    aliases_[function] = aliasesOf(model, id, aliases_, entry);
    FunctionReport &report = records_[function];
    report.function = function;
    FunctionRecord &record = report.record;
    record.cost.emplace();
    record.hasMemory = true;
    Labels labels(model, id);
    std::vector<CallSite> calls;
    sites(model, model.instances[static_cast<size_t>(id)], plan, aliases_[function].live, 0, calls);
    for (const CallSite &call : calls) {
      const Instance &instance = model.instances[static_cast<size_t>(id)];
      const ir::PlanValue &value = plan.at(call.value);
      CallRecord row;
      row.value = call.projection || !value.printed ? ir::kNone : call.value;
      row.label = value.name + (row.value == ir::kNone ? "" : ":" + std::to_string(value.line));
      std::vector<int> loops = model.loopsAround(call.scope);
      int64_t logical = 1, all = 1;
      for (int loop : loops) {
        const Scope &scope = model.scopes[static_cast<size_t>(loop)];
        all *= scope.trips;
        const std::vector<int> &varies = instance.loops[static_cast<size_t>(call.value)];
        if (std::find(varies.begin(), varies.end(), loop) != varies.end())
          logical *= scope.trips;
        if (!scope.exact)
          record.cost->precision = combine(record.cost->precision, Precision::UpperBound);
      }
      int64_t positions = model.positions(call.scope);
      CallMemory memory;
      ComputeCost cost;
      std::map<std::string, Traffic> communication;
      bool isCall = value.kind == ir::ValueKind::Call && !call.projection && value.callee != ir::kNone;
      if (isCall) {
        const FunctionRecord &callee = records_[static_cast<size_t>(value.callee)].record;
        cost = *callee.cost;
        memory.traffic = callee.traffic;
        memory.communication = callee.communication;
        record.cost->precision = combine(record.cost->precision, cost.precision);
      } else if (call.projection || value.kind == ir::ValueKind::TupleItem) {
        memory.operands = projectionRows(plan, value, call);
        memory.footprint.emplace();
      } else {
        cost = workOf(plan, call.value, levels_, positions);
        Movement movement = movementOf(plan, call.value, levels_, positions);
        memory.traffic = trafficOf(movement, levels_, positions);
        memory.communication = movement.communication;
        memory.operands = operandRows(plan, call.value, movement);
        if (!movement.structural)
          memory.footprint = footprintOf(model, accessesOf(model, id, call.value, call.scope, movement), labels);
      }
      for (const auto &[kind, counts] : cost.flops)
        scale(record.cost->flops[kind], counts, logical, all);
      for (const auto &[kind, counts] : cost.otherOps)
        scale(record.cost->otherOps[kind], counts, logical, all);
      for (const auto &[storage, traffic] : memory.traffic)
        scale(record.traffic[storage], traffic, logical, all);
      for (const auto &[level, traffic] : memory.communication)
        scale(record.communication[level], traffic, logical, all);
      if (report_.executed & kRoofline)
        row.roofline = rooflineOf(cost, isCall || !memory.footprint ? nullptr : &*memory.footprint, memory.traffic, *program_->target);
      row.cost = std::move(cost);
      row.memory = std::move(memory);
      report.calls.push_back(std::move(row));
      sitesOf_[function].push_back(call.value);
    }
    std::vector<GlobalAccess> accesses = accessesOf(model, id);
    record.footprint = functionFootprint(model, accesses, labels);
    if (model.truncated)
      record.footprint.precision = combine(record.footprint.precision, Precision::LowerBound);
    if (std::optional<target::Target::Cache> cache = program_->target->cache())
      record.windows = reuseWindows(model, id, accesses, record.footprint, labels, *cache);
    record.sharing = sharingOf(aliases_[function]);
    if (entry)
      placeFunction(model, id, report);
    else
      for (const Peak &peak : placementOf(model, id, aliases_[function], {}, *program_->target).peaks)
        if (int64_t &most = peaksOfCallees_[peak.level]; peak.level != ir::name(ir::Storage::Gmem) && peak.level != ir::name(ir::Storage::Smem))
          most = std::max(most, peak.peak);
    record.findings = findings(record.peaks, record.windows, record.footprint, program_->target->cache(), report_.waveCounted);
    for (Finding &finding : record.findings)
      if (finding.kind == Finding::Kind::OverCapacity)
        finding.value = largest(record.lifetimes, finding.level);
    if (report_.executed & kRoofline)
      record.roofline = rooflineOf(*record.cost, &record.footprint, record.traffic, *program_->target);
    if (report_.executed & kPerformance)
      return timeFunction(model, id, report, entry);
    return !cancel_.raised();
  }

  static ir::ValueId largest(const std::vector<Lifetime> &lifetimes, const std::string &level) {
    const Lifetime *most = nullptr;
    for (const Lifetime &lifetime : lifetimes)
      if (lifetime.level == level && (!most || lifetime.bytes > most->bytes))
        most = &lifetime;
    return most ? most->value : ir::kNone;
  }

  /// Rows of values that stand for one field of a tuple: of an op, of a loop's carries, of what a mesh hands out.
  std::vector<OperandTraffic> projectionRows(const ir::FunctionPlan &plan, const ir::PlanValue &value, const CallSite &call) {
    std::vector<ir::ValueId> fields;
    int index = value.item;
    std::string tuple;
    ir::Type type;
    if (value.kind == ir::ValueKind::TupleItem && !call.projection) {
      tuple = operandName(plan, value.operands[0]);
      type = plan.at(value.operands[0]).type;
    } else {
      index = call.projected.index;
      const ir::PlanRegion &from = plan.regions[static_cast<size_t>(call.projected.from)];
      if (from.kind == ir::RegionKind::Loop)
        for (const ir::LoopCarry &carry : from.carries)
          fields.push_back(carry.inside);
      else
        fields = exportsOf(call.projected.from, plan);
      std::vector<ir::Type> types;
      for (ir::ValueId field : fields) {
        tuple += (tuple.empty() ? "(" : ", ") + plan.at(field).name;
        types.push_back(plan.at(field).type);
      }
      tuple += ")";
      type = ir::Type::tuple(types);
    }
    return {{0, tuple, typeLabel(type), {}}, {1, std::to_string(index), "i64[] umat", {}}, {-1, value.name, typeLabel(value.type), {}}};
  }
  std::vector<ir::ValueId> exportsOf(ir::RegionId mesh, const ir::FunctionPlan &plan) {
    auto function = static_cast<size_t>(&plan - program_->functions.data());
    auto exported = aliases_[function].live.exports.find(mesh);
    return exported == aliases_[function].live.exports.end() ? std::vector<ir::ValueId>{} : exported->second;
  }

  static Sharing sharingOf(const Aliases &aliases) {
    Sharing sharing;
    std::map<int, int> buffers;
    for (const auto &[key, live] : aliases.live.defining) {
      const bool inRegisters = aliases.live.values[static_cast<size_t>(live)].type->storage == ir::Storage::Rmem;
      auto root = static_cast<size_t>((inRegisters ? aliases.stated : aliases.root)[static_cast<size_t>(live)]);
      auto [at, fresh] = buffers.try_emplace(static_cast<int>(root), static_cast<int>(sharing.buffers.size()));
      if (fresh)
        sharing.buffers.push_back({aliases.bytes[root], aliases.live.values[root].slot, -1});
      sharing.bufferOf[key] = at->second;
    }
    return sharing;
  }

  /// Addresses of shared memory in the entry and in the functions it calls, whose buffers lie among its own.
  void address(const Aliases &entry, const std::vector<int64_t> &addresses) {
    for (size_t i = 0; i < entry.live.values.size(); ++i) {
      const LiveValue &value = entry.live.values[i];
      if (value.type->storage != ir::Storage::Smem)
        continue;
      size_t function = value.owner ? static_cast<size_t>(value.owner - program_->functions.data()) : 0;
      Sharing &sharing = records_[function].record.sharing;
      auto buffer = sharing.bufferOf.find({value.owner ? value.ownerValue : value.value, value.leaf});
      if (buffer != sharing.bufferOf.end())
        sharing.buffers[static_cast<size_t>(buffer->second)].offset = addresses[static_cast<size_t>(entry.root[i])];
    }
  }

  void placeFunction(const Model &model, int instance, FunctionReport &report) {
    std::vector<std::string> moved;
    for (const auto &[storage, traffic] : report.record.traffic)
      moved.push_back(storage);
    Placed placed = placementOf(model, instance, aliases_[report.function], moved, *program_->target);
    report.record.placed = true;
    address(aliases_[report.function], placed.addresses);
    report.record.peaks = std::move(placed.peaks);
    // What the units of a callee hold at once is counted in the scopes that the callee opens.
    for (Peak &peak : report.record.peaks)
      if (auto callees = peaksOfCallees_.find(peak.level); callees != peaksOfCallees_.end())
        peak.peak = std::max(peak.peak, callees->second);
    report.record.lifetimes = std::move(placed.lifetimes);
    report.meshes = std::move(placed.meshes);
    const std::vector<ir::ValueId> &values = sitesOf_[report.function];
    for (size_t i = 0; i < report.calls.size(); ++i) {
      if (report.calls[i].value == ir::kNone)
        continue;
      if (auto offsets = placed.offsets.find(values[i]); offsets != placed.offsets.end())
        report.calls[i].memory->offsets = offsets->second;
      if (auto bytes = placed.bufferBytes.find(values[i]); bytes != placed.bufferBytes.end())
        report.calls[i].memory->bufferBytes = bytes->second;
    }
  }

  bool timeFunction(const Model &model, int id, FunctionReport &report, bool entry) {
    const ir::FunctionPlan &plan = program_->functions[report.function];
    const Instance &instance = model.instances[static_cast<size_t>(id)];
    std::map<ir::ValueId, int64_t> durations;
    for (const CallRecord &row : report.calls) {
      if (row.value == ir::kNone)
        continue;
      const ir::PlanValue &value = plan.at(row.value);
      if (value.kind == ir::ValueKind::Call && value.callee != ir::kNone) {
        durations[row.value] = spans_[static_cast<size_t>(value.callee)];
        continue;
      }
      Duration duration = durationOf(*row.cost, row.memory->traffic, static_cast<size_t>(levels_.selected), report_.topology, *program_->target);
      if (!duration.missing.empty()) {
        std::string_view kind = duration.missing;
        bool service = kind == "integer" || kind == "predicate" || kind == "select" || kind == "special";
        sink_.add(Code::UnstatedRate, value.span.empty() ? place(report.function) : value.span,
                  "`" + value.name + "` needs a rate for " + duration.missing + (service ? " operations" : kind == "gmem" ? " traffic" : " arithmetic") + "; `" + std::string(program_->target->id()) + "` states none per " + report_.topology);
        return false;
      }
      durations[row.value] = duration.ns;
    }
    TimedFunction timed = intervalsOf(
        plan,
        [&](ir::ValueId value) {
          auto known = durations.find(value);
          return known == durations.end() ? int64_t{0} : known->second;
        },
        [&](ir::RegionId region) { return model.scopes[static_cast<size_t>(instance.scopes[static_cast<size_t>(region)])].trips; });
    std::map<ir::ValueId, Interval> intervals(timed.intervals.begin(), timed.intervals.end());
    for (CallRecord &row : report.calls)
      if (auto interval = intervals.find(row.value); row.value != ir::kNone && interval != intervals.end())
        row.interval = interval->second;
    spans_.resize(program_->functions.size());
    spans_[report.function] = timed.span;
    FunctionRecord &record = report.record;
    record.hasPerformance = true;
    int parallel = parallelLevel(*program_);
    if (parallel >= 0) {
      const layout::Topology &level = program_->topologies[static_cast<size_t>(parallel)];
      int64_t units = *program_->target->units(level.name);
      record.waves = std::max<int64_t>(1, (level.extent + units - 1) / units);
    }
    record.predictedNs = timed.span * record.waves;
    if (entry) {
      Roofline bound = rooflineOf(*record.cost, &record.footprint, record.traffic, *program_->target);
      record.predictedNs = std::max(record.predictedNs, bound.idealNs);
    }
    record.timeline = {0, record.predictedNs, 0, 1};
    return true;
  }

  std::shared_ptr<const ir::Program> program_;
  const Options &options_;
  DiagnosticSink &sink_;
  const CancelToken &cancel_;
  Levels levels_;
  Report report_;
  std::vector<FunctionReport> records_;
  std::vector<Aliases> aliases_;
  std::vector<int64_t> spans_;
  std::map<size_t, std::vector<ir::ValueId>> sitesOf_;
  std::map<std::string, int64_t> peaksOfCallees_; // by storage of units, not of the device or a CTA
};
} // namespace

std::string_view name(Precision precision) {
  switch (precision) {
  case Precision::Exact: return "exact";
  case Precision::UpperBound: return "upper_bound";
  case Precision::LowerBound: return "lower_bound";
  case Precision::Unknown: return "unknown";
  }
  return "unknown";
}

std::span<const FamilyInfo> allFamilies() { return kFamilies; }

uint8_t closure(uint8_t families) {
  uint8_t all = families;
  for (const FamilyInfo &info : kFamilies)
    if (families & info.family)
      all |= info.needs;
  // Time is read against the roofline's floor, which the report lists as run.
  if (families & kPerformance)
    all |= kRoofline;
  return all;
}

std::vector<std::string_view> executionOrder(uint8_t requested) {
  std::vector<std::string_view> order;
  uint8_t done = 0;
  auto run = [&](uint8_t families) {
    for (const FamilyInfo &info : kFamilies)
      if (families & info.family & ~done) {
        order.push_back(info.name);
        done |= info.family;
      }
  };
  for (const FamilyInfo &info : kFamilies) {
    if (!(requested & info.family))
      continue;
    run(static_cast<uint8_t>(closure(info.family) & ~info.family));
    run(info.family);
  }
  return order;
}

bool statesWork(uint8_t requested) { return (requested & kComputeCost) || ((closure(requested) & kComputeCost) && std::popcount(requested) > 1); }

std::string familyNames(uint8_t families) {
  std::string names;
  for (const FamilyInfo &info : kFamilies)
    if (families & info.family)
      names += (names.empty() ? "" : ",") + std::string(info.name);
  return names;
}

std::optional<Report> analyze(std::shared_ptr<const ir::Program> program, const Options &options, DiagnosticSink &sink, const CancelToken &cancel) {
  return Driver(std::move(program), options, sink, cancel).run();
}

} // namespace tilewright::analysis
