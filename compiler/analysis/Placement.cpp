#include "analysis/Placement.h"

#include "analysis/Footprint.h"

#include <algorithm>
#include <climits>
#include <functional>
#include <set>

namespace tilewright::analysis {
namespace {

bool meet(const Tenant &a, const Tenant &b) {
  for (const auto &[start, end] : a.alive)
    for (const auto &[otherStart, otherEnd] : b.alive)
      if (start <= otherEnd && otherStart <= end)
        return true;
  return false;
}

int startOf(const Tenant &tenant) {
  int start = INT_MAX;
  for (const auto &span : tenant.alive)
    start = std::min(start, span.first);
  return start;
}

int64_t aligned(int64_t offset, int64_t align) { return (offset + align - 1) / align * align; }

/// First fit in the given order among those already placed.
void firstFit(std::vector<Tenant> &tenants, const std::vector<size_t> &order, const std::vector<std::vector<size_t>> &meeting) {
  for (size_t i : order) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (size_t other : meeting[i])
      if (tenants[other].offset >= 0)
        taken.push_back({tenants[other].offset, tenants[other].offset + tenants[other].bytes});
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    for (const auto &[low, high] : taken)
      if (at + tenants[i].bytes > low && high > at)
        at = aligned(high, tenants[i].align);
    tenants[i].offset = at;
  }
}

int64_t peakOf(const std::vector<Tenant> &tenants) {
  int64_t peak = 0;
  for (const Tenant &tenant : tenants)
    peak = std::max(peak, tenant.offset + tenant.bytes);
  return peak;
}
} // namespace

int64_t placeTenants(std::vector<Tenant> &tenants, bool smallest) {
  size_t count = tenants.size();
  std::vector<std::vector<size_t>> meeting(count);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 1; j < count; ++j)
      if (meet(tenants[i], tenants[j])) {
        meeting[i].push_back(j);
        meeting[j].push_back(i);
      }
  std::vector<size_t> free;
  for (size_t i = 0; i < count; ++i)
    if (tenants[i].offset < 0)
      free.push_back(i);
  auto early = [&](size_t a, size_t b) {
    int x = startOf(tenants[a]), y = startOf(tenants[b]);
    if (x != y)
      return x < y;
    return tenants[a].bytes != tenants[b].bytes ? tenants[a].bytes > tenants[b].bytes : tenants[a].order < tenants[b].order;
  };
  auto late = [&](size_t a, size_t b) {
    int x = startOf(tenants[a]), y = startOf(tenants[b]);
    return x != y ? x > y : tenants[a].order > tenants[b].order;
  };
  // Components of values that meet, parameters aside; one with three that all meet is placed in order of beginning.
  std::vector<int> component(count, -1);
  std::vector<bool> crowded;
  for (size_t i : free) {
    if (component[i] >= 0)
      continue;
    auto id = static_cast<int>(crowded.size());
    crowded.push_back(false);
    std::vector<size_t> open{i};
    component[i] = id;
    while (!open.empty()) {
      size_t at = open.back();
      open.pop_back();
      for (size_t other : meeting[at])
        if (tenants[other].offset < 0 && component[other] < 0) {
          component[other] = id;
          open.push_back(other);
        }
    }
  }
  for (size_t i : free)
    for (size_t j : meeting[i])
      if (j > i && component[j] == component[i] && !crowded[static_cast<size_t>(component[i])])
        for (size_t k : meeting[i])
          if (k > j && component[k] == component[i] && std::binary_search(meeting[j].begin(), meeting[j].end(), k)) {
            crowded[static_cast<size_t>(component[i])] = true;
            break;
          }
  std::vector<size_t> order = free;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (component[a] != component[b])
      return component[a] < component[b];
    return crowded[static_cast<size_t>(component[a])] ? early(a, b) : late(a, b);
  });
  std::vector<Tenant> fixed = tenants;
  firstFit(tenants, order, meeting);
  if (!smallest)
    return peakOf(tenants);
  auto large = [&](size_t a, size_t b) { return tenants[a].bytes != tenants[b].bytes ? tenants[a].bytes > tenants[b].bytes : early(a, b); };
  for (const std::function<bool(size_t, size_t)> &rule : {std::function<bool(size_t, size_t)>(early), std::function<bool(size_t, size_t)>(late), std::function<bool(size_t, size_t)>(large)}) {
    std::vector<Tenant> other = fixed;
    std::vector<size_t> otherOrder = free;
    std::sort(otherOrder.begin(), otherOrder.end(), rule);
    firstFit(other, otherOrder, meeting);
    if (peakOf(other) < peakOf(tenants))
      tenants = std::move(other);
  }
  return peakOf(tenants);
}

namespace {

class Placer {
public:
  Placer(const Model &model, int instance, const Aliases &aliases, const target::Target &target)
      : plan_(model.plan(model.instances[static_cast<size_t>(instance)])), aliases_(aliases), live_(aliases.live), target_(target) {}

  Placed run(const std::vector<std::string> &moved) {
    rootOffset_.assign(live_.values.size(), -1);
    std::map<std::string, std::pair<int64_t, int64_t>> peaks; // peak, persistent
    for (const std::string &storage : moved)
      peaks[storage];
    for (const LiveValue &value : live_.values)
      peaks[std::string(ir::name(value.type->storage))];
    for (ir::Storage storage : {ir::Storage::Gmem, ir::Storage::Smem})
      if (auto entry = peaks.find(std::string(ir::name(storage))); entry != peaks.end())
        entry->second = placeStorage(storage);
    meshes();
    for (auto &[storage, peak] : peaks) {
      if (storage == ir::name(ir::Storage::Gmem) || storage == ir::name(ir::Storage::Smem))
        continue;
      ir::Storage level = *ir::storageNamed(storage);
      peak.first = fullest(level, 0, live_.events, [&](const LiveValue &value) { return !claimed(value); });
      for (const MeshRecord &mesh : placed_.meshes)
        if (auto own = mesh.peaks.find(storage); own != mesh.peaks.end())
          peak.first = std::max(peak.first, own->second);
    }
    for (const auto &[storage, peak] : peaks)
      placed_.peaks.push_back({storage, target_.capacity(storage), peak.first, peak.second});
    results();
    placed_.addresses = std::move(rootOffset_);
    return std::move(placed_);
  }

private:
  std::pair<int64_t, int64_t> placeStorage(ir::Storage storage) {
    std::vector<Tenant> tenants;
    std::vector<int> roots;
    int64_t persistent = 0;
    for (size_t i = 0; i < live_.values.size(); ++i) {
      auto root = static_cast<size_t>(aliases_.root[i]);
      if (live_.values[i].type->storage != storage || live_.values[root].type->storage != storage)
        continue;
      auto place = std::find(roots.begin(), roots.end(), static_cast<int>(root));
      if (place == roots.end()) {
        roots.push_back(static_cast<int>(root));
        Tenant tenant;
        tenant.bytes = aliases_.bytes[root];
        tenant.align = std::max<int64_t>(16, (ir::bits(live_.values[root].type->dtype) + 7) / 8);
        tenant.order = static_cast<int>(roots.size());
        tenants.push_back(std::move(tenant));
        place = roots.end() - 1;
      }
      tenants[static_cast<size_t>(place - roots.begin())].alive.push_back({live_.values[i].start, live_.values[i].end});
    }
    int64_t next = 0;
    for (size_t i = 0; i < roots.size(); ++i)
      if (live_.values[static_cast<size_t>(roots[i])].persistent) {
        tenants[i].offset = aligned(next, tenants[i].align);
        next = tenants[i].offset + tenants[i].bytes;
        persistent += tenants[i].bytes;
        tenants[i].alive.push_back({0, live_.events}); // nothing else may lie there
      }
    int64_t peak = placeTenants(tenants, storage == ir::Storage::Gmem);
    for (size_t i = 0; i < roots.size(); ++i)
      rootOffset_[static_cast<size_t>(roots[i])] = tenants[i].offset;
    return {peak, persistent};
  }

  bool insideOf(ir::RegionId region, ir::RegionId ancestor) const {
    for (; region != ir::kNone; region = plan_.regions[static_cast<size_t>(region)].parent)
      if (region == ancestor)
        return true;
    return false;
  }
  static const layout::Mesh *holderOf(const LiveValue &value) {
    if (!value.type->layout || !value.type->layout->mesh)
      return nullptr;
    for (const layout::AxisState &state : value.type->layout->states)
      if (state.kind == layout::StateKind::Split)
        return value.type->layout->mesh.get();
    return nullptr;
  }
  static bool contains(const layout::Mesh &mesh, const layout::Mesh &holder) {
    if (mesh.topologies.size() != holder.topologies.size())
      return false;
    for (size_t i = 0; i < mesh.topologies.size(); ++i)
      if (mesh.topologies[i].name != holder.topologies[i].name)
        return false;
    auto last = [](const layout::Mesh &one) {
      int64_t unit = one.offset;
      for (size_t i = 0; i < one.shape.size(); ++i)
        unit += (one.shape[i] - 1) * (i < one.strides.size() ? one.strides[i] : 1);
      return unit;
    };
    return mesh.offset <= holder.offset && last(mesh) >= last(holder);
  }
  bool belongs(const LiveValue &value, ir::RegionId region) const {
    const layout::Mesh &mesh = *plan_.regions[static_cast<size_t>(region)].mesh;
    if (const layout::Mesh *holder = holderOf(value))
      return contains(mesh, *holder);
    return insideOf(value.region, region);
  }
  bool claimed(const LiveValue &value) const {
    for (size_t region = 0; region < plan_.regions.size(); ++region)
      if (plan_.regions[region].mesh && (plan_.regions[region].kind == ir::RegionKind::Mesh || region == 0) && belongs(value, static_cast<ir::RegionId>(region)))
        return true;
    return false;
  }

  /// The most that is alive at one event of a window: each shared place once, at its largest.
  template <typename Counts> int64_t fullest(ir::Storage storage, int from, int to, Counts counts) const {
    std::vector<const LiveValue *> values;
    std::vector<int> roots;
    std::set<int> events;
    for (size_t i = 0; i < live_.values.size(); ++i) {
      const LiveValue &value = live_.values[i];
      if (value.type->storage != storage || value.end < from || value.start > to || !counts(value))
        continue;
      values.push_back(&value);
      roots.push_back(aliases_.root[i]);
      events.insert(std::max(value.start, from)); // a sum grows only where something begins
    }
    int64_t most = 0;
    for (int event : events) {
      std::map<int, int64_t> alive;
      for (size_t i = 0; i < values.size(); ++i)
        if (values[i]->start <= event && event <= values[i]->end) {
          int64_t &bytes = alive[roots[i]];
          bytes = std::max(bytes, values[i]->bytes);
        }
      int64_t sum = 0;
      for (const auto &[root, bytes] : alive)
        sum += bytes;
      most = std::max(most, sum);
    }
    return most;
  }

  void meshes() { closeMesh(0); }
  void closeMesh(ir::RegionId region) { // depth: regions, at most 200
    const ir::PlanRegion &body = plan_.regions[static_cast<size_t>(region)];
    for (const ir::PlanItem &item : body.items)
      if (item.region != ir::kNone)
        closeMesh(item.region);
    if (!body.mesh || body.kind == ir::RegionKind::Loop)
      return;
    const RegionEvents &events = live_.regions[static_cast<size_t>(region)];
    MeshRecord record;
    record.region = region;
    for (ir::Storage storage : {ir::Storage::Rmem, ir::Storage::Smem, ir::Storage::Tmem})
      if (int64_t peak = fullest(storage, events.enter, events.exit, [&](const LiveValue &value) { return belongs(value, region); }); peak > 0)
        record.peaks[std::string(ir::name(storage))] = peak;
    if (record.peaks.empty())
      return;
    record.label = "mesh" + std::to_string(placed_.meshes.size());
    placed_.meshes.push_back(std::move(record));
  }

  void results() {
    std::vector<size_t> order;
    for (size_t i = 0; i < live_.values.size(); ++i)
      if (live_.values[i].listed)
        order.push_back(i);
    // A function's own values as the plan met them (a coordinate where a loop bound first reads it), then those inside its calls.
    std::map<ir::ValueId, int64_t> met;
    std::function<void(const ir::DimExpr &, int64_t)> read = [&](const ir::DimExpr &dim, int64_t at) {
      if (dim.kind == ir::DimExpr::Kind::Value && plan_.at(dim.value).kind == ir::ValueKind::Coordinate)
        met.try_emplace(dim.value, std::min(at, int64_t{2} * dim.value));
      for (const ir::DimExpr &operand : dim.operands)
        read(operand, at);
    };
    for (const ir::PlanRegion &region : plan_.regions) {
      int64_t at = INT64_MAX; // a loop reads its bounds before its initial values
      for (const ir::LoopCarry &carry : region.carries)
        if (plan_.at(carry.init).kind == ir::ValueKind::Op)
          at = std::min(at, int64_t{2} * carry.init - 1);
      read(region.start, at);
      read(region.stop, at);
    }
    auto key = [&](ir::ValueId value) {
      auto early = met.find(value);
      return early == met.end() ? int64_t{2} * value : early->second;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      bool foreignA = live_.values[a].owner, foreignB = live_.values[b].owner;
      return foreignA != foreignB ? foreignB : !foreignA && key(live_.values[a].value) < key(live_.values[b].value);
    });
    for (size_t i : order) {
      const LiveValue &value = live_.values[i];
      Lifetime lifetime;
      lifetime.binding = value.owner ? value.owner->name + "::" + labelOf(*value.owner, value.ownerValue, value.leaf) : labelOf(plan_, value.value, value.leaf);
      lifetime.level = ir::name(value.type->storage);
      lifetime.bytes = value.bytes;
      lifetime.definedAt = value.start;
      lifetime.lastUsedAt = value.end;
      lifetime.persistent = value.persistent;
      lifetime.value = value.value;
      if (value.type->storage == ir::Storage::Smem)
        lifetime.offset = rootOffset_[static_cast<size_t>(aliases_.root[i])];
      placed_.lifetimes.push_back(std::move(lifetime));
    }
    for (size_t i = 0; i < live_.values.size(); ++i) {
      const LiveValue &value = live_.values[i];
      bool addressed = value.type->storage == ir::Storage::Gmem || value.type->storage == ir::Storage::Smem;
      if (!value.listed || value.kind != LiveValue::Kind::Result || !addressed || aliases_.joined[i])
        continue;
      int64_t one = value.copies > 1 ? value.slot : value.bytes;
      std::vector<int64_t> &offsets = placed_.offsets[value.value];
      for (int64_t copy = 0; copy < value.copies; ++copy)
        offsets.push_back(rootOffset_[static_cast<size_t>(aliases_.root[i])] + copy * one);
      if (!plan_.at(value.value).type.isTuple)
        placed_.bufferBytes[value.value] = one;
    }
  }

  const ir::FunctionPlan &plan_;
  const Aliases &aliases_;
  const Liveness &live_;
  const target::Target &target_;
  std::vector<int64_t> rootOffset_;
  Placed placed_;
};
} // namespace

Placed placementOf(const Model &model, int instance, const Aliases &aliases, const std::vector<std::string> &moved, const target::Target &target) {
  return Placer(model, instance, aliases, target).run(moved);
}

} // namespace tilewright::analysis
