#include "analysis/Reuse.h"

#include "support/Quantity.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::analysis {
namespace {

/// The innermost mesh around a scope whose axes are at the selected level.
int meshOfLevel(const Model &model, int scope) {
  for (; scope >= 0; scope = model.scopes[static_cast<size_t>(scope)].parent) {
    int mesh = model.scopes[static_cast<size_t>(scope)].mesh;
    if (mesh < 0)
      continue;
    const layout::Mesh &shape = *model.meshes[static_cast<size_t>(mesh)].mesh;
    for (size_t axis = 0; axis < shape.shape.size(); ++axis)
      if (levelOf(shape, static_cast<int>(axis), model.levels) == model.levels.selected && model.levels.selected >= 0)
        return mesh;
  }
  return -1;
}

/// Coordinates that an axis takes in the first wave.
int64_t unitsAlong(const MeshOccurrence &occurrence, size_t axis) {
  int64_t inner = 1;
  for (size_t i = axis + 1; i < occurrence.mesh->shape.size(); ++i)
    inner *= occurrence.mesh->shape[i];
  int64_t extent = occurrence.mesh->shape[axis];
  if (occurrence.wave >= occurrence.mesh->positions() || inner <= 0)
    return extent;
  return std::min(extent, (occurrence.wave - 1) / inner + 1);
}

/// Different coordinates along several axes of one mesh in the first wave.
int64_t unitsAlong(const MeshOccurrence &occurrence, const std::vector<size_t> &axes) {
  int64_t product = 1;
  for (size_t axis : axes)
    product *= occurrence.mesh->shape[axis];
  if (axes.size() == 1)
    return unitsAlong(occurrence, axes[0]);
  if (occurrence.wave >= occurrence.mesh->positions())
    return product;
  std::set<int64_t> seen;
  for (int64_t position = 0; position < occurrence.wave && static_cast<int64_t>(seen.size()) < product; ++position) {
    int64_t rest = position, key = 0, scale = 1;
    for (size_t axis = occurrence.mesh->shape.size(); axis-- > 0;) {
      int64_t extent = std::max<int64_t>(occurrence.mesh->shape[axis], 1);
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
        key += rest % extent * scale;
        scale *= extent;
      }
      rest /= extent;
    }
    seen.insert(key);
  }
  return static_cast<int64_t>(seen.size());
}

bool contains(const std::vector<int> &sorted, int one) { return std::find(sorted.begin(), sorted.end(), one) != sorted.end(); }

struct Held {
  std::vector<RootBytes> roots;
  int64_t holds = 0;
  Precision precision = Precision::Exact;
};

/// One iteration of `loop`: it and the loops around it stand at their first trip, those inside run to the end.
Held iterationOf(Model &model, const std::vector<GlobalAccess> &all, int loop) {
  Held window;
  Sweep how;
  std::vector<GlobalAccess> inside;
  for (const GlobalAccess &access : all) {
    std::vector<int> around = model.loopsAround(access.scope);
    auto place = std::find(around.begin(), around.end(), loop);
    if (place == around.end())
      continue;
    how.running.insert(how.running.end(), around.begin(), place);
    inside.push_back(access);
  }
  window.roots = rootBytes(model, inside, how, window.precision);
  for (const RootBytes &one : window.roots)
    window.holds += one.bytes;
  return window;
}

/// Whether units that differ in one coordinate reach different windows. An expression can name a coordinate and not move with it: a loop that
/// starts at `c // 2` starts at 0 for two units. Loops stand at their first trip.
bool moves(const Model &model, const GlobalAccess &access, VariableId coordinate) {
  if (std::find(access.moves.begin(), access.moves.end(), coordinate) == access.moves.end())
    return false;
  std::vector<VariableId> used;
  for (const WindowAxis &axis : access.reach.window.axes) {
    if (!model.index.known(axis.start))
      return true;
    used.insert(used.end(), model.index.used(axis.start).begin(), model.index.used(axis.start).end());
  }
  const std::vector<VariableId> variables = model.index.closure(used);
  if (std::find(variables.begin(), variables.end(), coordinate) == variables.end())
    return true; // each position holds a part of its own
  std::vector<int64_t> values(model.index.variables(), 0);
  auto startsAt = [&](int64_t position, bool last) {
    for (VariableId id : variables) // outer variables come first
      if (const Variable &one = model.index.variableAt(id); one.kind == Variable::Kind::Loop)
        values[static_cast<size_t>(id)] = model.index.evaluate(one.start, values);
      else
        values[static_cast<size_t>(id)] = id == coordinate ? position : last ? one.extent - 1 : 0;
    std::vector<int64_t> starts;
    for (const WindowAxis &axis : access.reach.window.axes)
      starts.push_back(model.index.evaluate(axis.start, values));
    return starts;
  };
  const int64_t extent = std::min<int64_t>(model.index.variableAt(coordinate).extent, 4096);
  for (bool last : {false, true}) {
    const std::vector<int64_t> first = startsAt(0, last);
    for (int64_t position = 1; position < extent; ++position)
      if (startsAt(position, last) != first)
        return true;
  }
  return false;
}
} // namespace

std::vector<ReuseWindow> reuseWindows(Model &model, int instanceId, const std::vector<GlobalAccess> &all, const Footprint &footprint, const Labels &labels, const target::Target::Cache &cache) {
  std::vector<ReuseWindow> rows;
  Held wave;
  wave.roots = rootBytes(model, all, {}, wave.precision);
  for (const Footprint::Buffer &buffer : footprint.buffers)
    for (const auto &[level, counts] : buffer.levels)
      wave.holds += counts.logical;
  std::map<int, Held> iterations;
  std::vector<int> order;
  for (const GlobalAccess &access : all)
    if (access.read && !contains(order, access.root))
      order.push_back(access.root);
  // Where the function itself reaches memory, what its callees reach is seen from its own mesh, not from those that they open.
  const bool own = std::any_of(all.begin(), all.end(), [&](const GlobalAccess &access) { return access.instance == instanceId; });
  for (int id : order) {
    const Root &root = model.roots[static_cast<size_t>(id)];
    bool shared = root.kind == Root::Kind::Parameter || root.kind == Root::Kind::Insert;
    int time = -1;
    size_t timeDepth = SIZE_MAX;
    std::vector<std::pair<int, size_t>> axes; // mesh occurrence, axis
    for (const GlobalAccess &access : all) {
      if (access.root != id || !access.read)
        continue;
      std::vector<int> around = model.loopsAround(access.scope);
      for (size_t i = around.size(); i-- > 0;) {
        const Scope &loop = model.scopes[static_cast<size_t>(around[i])];
        size_t depth = around.size() - 1 - i;
        if (loop.instance != instanceId || loop.trips <= 1 || contains(access.loops, around[i]))
          continue;
        if (depth < timeDepth) {
          time = around[i];
          timeDepth = depth;
        }
        break;
      }
      int seenFrom = access.scope;
      while (own && seenFrom >= 0 && model.scopes[static_cast<size_t>(seenFrom)].instance != instanceId)
        seenFrom = model.scopes[static_cast<size_t>(seenFrom)].parent;
      int mesh = shared && seenFrom >= 0 ? meshOfLevel(model, seenFrom) : -1;
      if (mesh < 0)
        continue;
      const MeshOccurrence &occurrence = model.meshes[static_cast<size_t>(mesh)];
      for (size_t axis = 0; axis < occurrence.axes.size(); ++axis) {
        VariableId coordinate = model.index.at(occurrence.axes[axis]).variable;
        if (unitsAlong(occurrence, axis) > 1 && levelOf(*occurrence.mesh, static_cast<int>(axis), model.levels) == model.levels.selected &&
            std::find(axes.begin(), axes.end(), std::pair(mesh, axis)) == axes.end() && !moves(model, access, coordinate))
          axes.push_back({mesh, axis});
      }
    }
    if (time < 0 && axes.empty())
      continue;
    std::sort(axes.begin(), axes.end());
    ReuseWindow row;
    row.root = root.instance == instanceId ? root.value : ir::kNone;
    row.buffer = labels.of(id);
    row.function = model.instances[static_cast<size_t>(root.instance)].function;
    row.made = root.value;
    row.leaf = root.leaf;
    int64_t repeats = 1;
    std::map<int, std::vector<size_t>> byMesh;
    for (const auto &[mesh, axis] : axes)
      byMesh[mesh].push_back(axis);
    for (const auto &[mesh, own] : byMesh)
      repeats *= unitsAlong(model.meshes[static_cast<size_t>(mesh)], own);
    for (const auto &[mesh, axis] : axes) {
      const MeshOccurrence &occurrence = model.meshes[static_cast<size_t>(mesh)];
      row.space += (row.space.empty() ? "" : ",") + model.levels.declared[static_cast<size_t>(model.levels.selected)].name + "." + occurrence.mesh->names[axis];
    }
    const Held *window = &wave;
    if (time >= 0) {
      const Scope &loop = model.scopes[static_cast<size_t>(time)];
      repeats *= loop.trips;
      row.loop = loop.region;
      row.time = model.plan(model.instances[static_cast<size_t>(loop.instance)]).regions[static_cast<size_t>(loop.region)].authoredName;
      auto place = iterations.find(time);
      if (place == iterations.end())
        place = iterations.emplace(time, iterationOf(model, all, time)).first;
      window = &place->second;
    }
    int64_t bytes = 0;
    for (const RootBytes &one : window->roots)
      if (one.root == id)
        bytes = one.bytes;
    row.holds = window->holds;
    row.precision = window->precision;
    row.reuse = (repeats - 1) * bytes;
    row.fits = row.holds < cache.bytes;
    if (row.reuse > 0)
      rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ReuseWindow &a, const ReuseWindow &b) { return a.reuse > b.reuse; });
  return rows;
}

std::vector<Finding> findings(const std::vector<Peak> &peaks, const std::vector<ReuseWindow> &windows, const Footprint &footprint, const std::optional<target::Target::Cache> &cache, int64_t waveUnits) {
  std::vector<Finding> errors, advisories;
  auto proved = [](Precision precision) { return precision == Precision::Exact || precision == Precision::LowerBound; };
  auto add = [&](Finding finding, Precision precision) {
    finding.advisory = !proved(precision);
    (finding.advisory ? advisories : errors).push_back(std::move(finding));
  };
  for (const Peak &peak : peaks)
    if (peak.capacity && peak.peak > *peak.capacity) {
      Finding finding{Finding::Kind::OverCapacity};
      finding.text = peak.level + " placement peak " + formatBytes(peak.peak) + " exceeds capacity " + formatBytes(*peak.capacity);
      finding.level = peak.level;
      finding.bytes = peak.peak;
      finding.capacity = *peak.capacity;
      add(std::move(finding), Precision::Exact);
    }
  if (cache) {
    std::set<std::string> named;
    for (const ReuseWindow &window : windows) {
      const std::string &name = window.time.empty() ? window.space : window.time;
      if (window.fits || !named.insert(name).second)
        continue;
      Finding finding{Finding::Kind::ReuseWindow};
      finding.text = cache->name + " reuse window " + name + " holds " + formatBytes(window.holds) + " at a " + std::to_string(waveUnits) + "-unit wave, exceeding capacity " + formatBytes(cache->bytes);
      finding.level = cache->name;
      finding.bytes = window.holds;
      finding.capacity = cache->bytes;
      finding.region = window.loop;
      finding.value = window.root;
      add(std::move(finding), window.precision);
    }
    int64_t set = 0;
    for (const Footprint::Buffer &buffer : footprint.buffers)
      for (const auto &[level, counts] : buffer.levels)
        set += counts.logical;
    if (set >= cache->bytes) {
      Finding finding{Finding::Kind::WorkingSet};
      finding.text = cache->name + " working set " + formatBytes(set) + " at the first iteration of a " + std::to_string(waveUnits) + "-unit wave exceeds capacity " + formatBytes(cache->bytes);
      finding.level = cache->name;
      finding.bytes = set;
      finding.capacity = cache->bytes;
      add(std::move(finding), footprint.precision);
    }
  }
  errors.insert(errors.end(), std::make_move_iterator(advisories.begin()), std::make_move_iterator(advisories.end()));
  return errors;
}

} // namespace tilewright::analysis
