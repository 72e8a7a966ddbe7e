#include "layout/Layout.h"

#include <algorithm>

namespace tilewright::layout {

int64_t Mesh::positions() const {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

int Mesh::axis(const std::string &name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

static int64_t unitsBelow(const Mesh &mesh, int level);

int Mesh::levelOf(int axis) const {
  const int last = static_cast<int>(topologies.size()) - 1;
  int level = 0;
  int64_t filled = 1;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    // A level that is covered in part ends where steps become smaller than its units, once some axis took whole units.
    const int64_t unit = level < last ? unitsBelow(*this, level) : 0;
    const bool part = level < last && strides[static_cast<size_t>(i)] < unit &&
                      std::any_of(strides.begin(), strides.begin() + i, [unit](int64_t step) { return step >= unit; });
    if (level < last && shape[static_cast<size_t>(i)] != 1 && (filled >= topologies[static_cast<size_t>(level)].extent || part)) {
      ++level;
      filled = 1;
    }
    if (i == axis)
      return level;
    filled *= shape[static_cast<size_t>(i)];
  }
  return std::max(last, 0);
}

/// Units of the levels below `level`.
static int64_t unitsBelow(const Mesh &mesh, int level) {
  int64_t units = 1;
  for (size_t i = static_cast<size_t>(level) + 1; i < mesh.topologies.size(); ++i)
    units *= std::max<int64_t>(mesh.topologies[i].extent, 1);
  return units;
}

Mesh levelMesh(const Mesh &mesh, int level) {
  if (mesh.topologies.size() <= 1)
    return mesh;
  const int64_t below = unitsBelow(mesh, level);
  Mesh result;
  result.topologies = {mesh.topologies[static_cast<size_t>(level)]};
  for (int i = 0; i < static_cast<int>(mesh.shape.size()); ++i) {
    if (mesh.levelOf(i) != level)
      continue;
    result.shape.push_back(mesh.shape[static_cast<size_t>(i)]);
    result.strides.push_back(mesh.strides[static_cast<size_t>(i)] / below);
    if (static_cast<size_t>(i) < mesh.names.size())
      result.names.push_back(mesh.names[static_cast<size_t>(i)]);
  }
  result.offset = mesh.offset / below % std::max<int64_t>(result.topologies[0].extent, 1);
  result.composed = result.offset != 0 || result.strides != compactStrides(result.shape);
  return result;
}

Mesh compose(const Mesh &outer, const Mesh &inner) {
  // Every level of the result with the mesh that states it.
  struct Part {
    Topology topology;
    Mesh mesh;
  };
  std::vector<Part> parts;
  const auto named = [&](const Topology &topology) {
    return std::any_of(inner.topologies.begin(), inner.topologies.end(),
                       [&](const Topology &other) { return other.name == topology.name; });
  };
  for (size_t i = 0; i < outer.topologies.size(); ++i)
    if (!named(outer.topologies[i]))
      parts.push_back({outer.topologies[i], levelMesh(outer, static_cast<int>(i))});
  if (parts.empty())
    return inner;
  for (size_t i = 0; i < inner.topologies.size(); ++i)
    parts.push_back({inner.topologies[i], levelMesh(inner, static_cast<int>(i))});
  Mesh result;
  for (size_t p = 0; p < parts.size(); ++p) {
    int64_t below = 1;
    for (size_t q = p + 1; q < parts.size(); ++q)
      below *= std::max<int64_t>(parts[q].topology.extent, 1);
    result.topologies.push_back(parts[p].topology);
    for (size_t i = 0; i < parts[p].mesh.shape.size(); ++i) {
      result.shape.push_back(parts[p].mesh.shape[i]);
      result.strides.push_back(parts[p].mesh.strides[i] * below);
      result.names.push_back(i < parts[p].mesh.names.size() ? parts[p].mesh.names[i] : std::string());
    }
    result.offset += parts[p].mesh.offset * below;
    result.composed |= parts[p].mesh.composed;
  }
  return result;
}

std::optional<UnitRange> unitsAt(const Mesh &mesh, int level) {
  const Mesh own = levelMesh(mesh, level);
  std::vector<std::pair<int64_t, int64_t>> modes; // stride, extent
  for (size_t i = 0; i < own.shape.size(); ++i)
    if (own.shape[i] != 1)
      modes.emplace_back(own.strides[i], own.shape[i]);
  std::sort(modes.begin(), modes.end());
  int64_t count = 1;
  for (const auto &[stride, extent] : modes) {
    if (stride != count)
      return std::nullopt;
    count *= extent;
  }
  return UnitRange{own.offset, count};
}

std::string replacementProblem(const Mesh &outer, const Mesh &inner) {
  for (size_t i = 0; i < inner.topologies.size(); ++i)
    for (size_t o = 0; o < outer.topologies.size(); ++o) {
      const std::string &level = inner.topologies[i].name;
      if (outer.topologies[o].name != level)
        continue;
      const auto mine = unitsAt(inner, static_cast<int>(i)), around = unitsAt(outer, static_cast<int>(o));
      if (!mine || !around)
        return "the positions of the " + std::string(mine ? "scope around" : "mesh") + " at level `" + level + "` are not consecutive; a scope inside another of its level takes a run of it";
      if (mine->first < around->first || mine->first + mine->count > around->first + around->count)
        return "the mesh takes `" + level + "` " + std::to_string(mine->first) + " to " + std::to_string(mine->first + mine->count - 1) + ", the scope around it has " +
               std::to_string(around->first) + " to " + std::to_string(around->first + around->count - 1);
    }
  return {};
}

bool sameUnits(const Mesh &a, const Mesh &b) {
  return a.topologies == b.topologies && a.shape == b.shape && a.strides == b.strides && a.offset == b.offset;
}

std::optional<Mesh> select(const Mesh &mesh, const std::vector<AxisRange> &ranges) {
  if (ranges.size() != mesh.shape.size())
    return std::nullopt;
  Mesh result = mesh;
  result.composed = true;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].start < 0 || ranges[i].start >= ranges[i].stop || ranges[i].stop > mesh.shape[i])
      return std::nullopt;
    result.shape[i] = ranges[i].stop - ranges[i].start;
    result.offset += ranges[i].start * mesh.strides[i];
  }
  return result;
}

static std::vector<AxisRange> rangesFrom(const Mesh &mesh, int64_t offset, const std::vector<int64_t> &extents) {
  std::vector<AxisRange> ranges;
  for (size_t axis = 0; axis < mesh.shape.size(); ++axis) {
    const int64_t stride = mesh.strides[axis];
    const int64_t start = stride ? offset / stride : 0;
    offset -= start * stride;
    ranges.push_back({start, start + extents[axis]});
  }
  return ranges;
}

std::vector<AxisRange> selectedRanges(const Mesh &mesh, const Mesh &selected) {
  return rangesFrom(mesh, selected.offset - mesh.offset, selected.shape);
}

std::vector<AxisRange> coveredRanges(const Mesh &mesh, const Mesh &rearranged) {
  std::vector<int64_t> extents;
  int64_t remaining = rearranged.positions();
  for (size_t axis = 0; axis < mesh.shape.size(); ++axis) {
    int64_t inner = 1;
    for (size_t later = axis + 1; later < mesh.shape.size(); ++later)
      inner *= mesh.shape[later];
    extents.push_back(std::min(std::max<int64_t>(1, remaining / inner), mesh.shape[axis]));
    remaining = std::min(remaining, inner);
  }
  return rangesFrom(mesh, rearranged.offset - mesh.offset, extents);
}

} // namespace tilewright::layout
