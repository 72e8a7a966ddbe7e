#include "layout/Layout.h"

#include "support/Check.h"

#include <algorithm>

namespace tilewright::layout {

static std::string text(const std::vector<int64_t> &values) {
  std::string out = "(";
  for (size_t i = 0; i < values.size(); ++i)
    out += (i ? ", " : "") + std::to_string(values[i]);
  return out + (values.size() == 1 ? ",)" : ")");
}

Sharded canonicalShard(const Placement &placement, const std::vector<int64_t> &shape, const Mesh &mesh) {
  Sharded result;
  TensorLayout &layout = result.layout;
  std::vector<int64_t> extents;
  std::vector<AxisState> states(mesh.shape.size());
  std::vector<bool> used(mesh.shape.size());
  std::vector<int64_t> authored;
  bool split = false;
  for (size_t m = 0; m < placement.modes.size(); ++m) {
    const PlacedMode &mode = placement.modes[m];
    authored.push_back(mode.extent);
    int64_t rest = mode.extent, divisor = 1;
    const size_t first = extents.size();
    // Several axes on one mode share it out in mesh order, whatever order they are written in.
    std::vector<int> axes = mode.axes;
    std::sort(axes.begin(), axes.end());
    for (int axis : axes) {
      TW_CHECK(axis >= 0 && static_cast<size_t>(axis) < mesh.shape.size(), "a placed axis is one of the mesh");
      const int64_t extent = mesh.shape[static_cast<size_t>(axis)];
      divisor *= extent;
      if (used[static_cast<size_t>(axis)]) {
        result.error = "mesh axis `" + mesh.names[static_cast<size_t>(axis)] + "` splits two modes; it can split one";
        return result;
      }
      if (extent == 0 || rest % extent != 0) {
        result.error = "mode " + std::to_string(m) + " has extent " + std::to_string(mode.extent) +
                       ", which the " + std::to_string(divisor) + " positions of mesh axis `" +
                       mesh.names[static_cast<size_t>(axis)] + "` do not divide";
        return result;
      }
      used[static_cast<size_t>(axis)] = true;
      rest /= extent;
      states[static_cast<size_t>(axis)] = {StateKind::Split, static_cast<int>(extents.size()), {}};
      extents.push_back(extent);
      split = true;
    }
    if (rest != 1 || extents.size() == first)
      extents.push_back(rest);
  }
  if (placement.strides && placement.strides->size() != extents.size()) {
    result.error = "the layout has " + std::to_string(extents.size()) + " modes, split ones counted apart, and " +
                   std::to_string(placement.strides->size()) + " strides";
    return result;
  }
  layout.shape = IntTuple::of(extents);
  if (!axisOfModes(shape, layout.shape)) {
    result.error = "modes " + text(authored) + " do not group into the axes " + text(shape) + " of the tensor";
    return result;
  }
  if (placement.strides)
    layout.strides = IntTuple::of(*placement.strides);
  else if (!split && placement.states.empty())
    layout.strides = IntTuple::of(compactStrides(extents));
  layout.offset = placement.offset;
  layout.swizzle = placement.swizzle;
  for (const PlacedState &state : placement.states) {
    TW_CHECK(state.axis >= 0 && static_cast<size_t>(state.axis) < mesh.shape.size(), "a placed state names an axis of the mesh");
    if (states[static_cast<size_t>(state.axis)].kind == StateKind::Split) {
      result.error = "mesh axis `" + mesh.names[static_cast<size_t>(state.axis)] + "` splits a mode and cannot hold a partial value too";
      return result;
    }
    states[static_cast<size_t>(state.axis)] = {StateKind::Partial, -1, state.reduction};
  }
  if (!split && placement.states.empty() && !placement.explicitState)
    return result;
  layout.mesh = std::make_shared<const Mesh>(mesh);
  layout.states = std::move(states);
  layout.explicitState = placement.explicitState && !split && placement.states.empty();
  layout = withoutIdleLevels(std::move(layout));
  return result;
}

std::vector<LogicalState> logicalStates(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  std::vector<LogicalState> result;
  const auto axes = axisOfModes(shape, layout.shape);
  for (const AxisState &state : layout.states) {
    LogicalState logical{state.kind, -1, state.reduction};
    if (state.kind == StateKind::Split && axes && static_cast<size_t>(state.mode) < axes->size())
      logical.axis = (*axes)[static_cast<size_t>(state.mode)];
    result.push_back(std::move(logical));
  }
  return result;
}

std::optional<TensorLayout> factored(const std::vector<int64_t> &shape, const Mesh &mesh, const std::vector<LogicalState> &states) {
  TensorLayout layout;
  std::vector<int64_t> extents;
  layout.states.resize(states.size());
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].kind != StateKind::Split)
      layout.states[i] = {states[i].kind, -1, states[i].reduction};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t rest = shape[axis];
    const size_t first = extents.size();
    for (size_t i = 0; i < states.size(); ++i) {
      if (states[i].kind != StateKind::Split || states[i].axis != static_cast<int>(axis))
        continue;
      if (mesh.shape[i] == 0 || rest % mesh.shape[i] != 0)
        return std::nullopt;
      rest /= mesh.shape[i];
      layout.states[i] = {StateKind::Split, static_cast<int>(extents.size()), {}};
      extents.push_back(mesh.shape[i]);
    }
    if (rest != 1 || extents.size() == first)
      extents.push_back(rest);
  }
  layout.shape = IntTuple::of(extents);
  layout.strides = IntTuple::of(compactStrides(extents));
  layout.mesh = std::make_shared<const Mesh>(mesh);
  return withoutIdleLevels(std::move(layout));
}

TensorLayout withoutIdleLevels(TensorLayout layout) {
  if (!layout.mesh || layout.mesh->topologies.size() < 2)
    return layout;
  const Mesh &mesh = *layout.mesh;
  const size_t levels = mesh.topologies.size();
  std::vector<bool> busy(levels);
  for (size_t i = 0; i < layout.states.size(); ++i)
    if (layout.states[i].kind != StateKind::Broadcast)
      busy[static_cast<size_t>(mesh.levelOf(static_cast<int>(i)))] = true;
  if (std::none_of(busy.begin(), busy.end(), [](bool b) { return b; }))
    busy.back() = true;
  if (std::all_of(busy.begin(), busy.end(), [](bool b) { return b; }))
    return layout;
  std::optional<Mesh> kept;
  std::vector<AxisState> states;
  for (size_t level = 0; level < levels; ++level) {
    if (!busy[level])
      continue;
    const Mesh part = levelMesh(mesh, static_cast<int>(level));
    kept = kept ? compose(*kept, part) : part;
    for (size_t i = 0; i < layout.states.size(); ++i)
      if (mesh.levelOf(static_cast<int>(i)) == static_cast<int>(level))
        states.push_back(layout.states[i]);
  }
  layout.mesh = std::make_shared<const Mesh>(std::move(*kept));
  layout.states = std::move(states);
  return layout;
}

std::vector<int64_t> localShape(const TensorLayout &layout, const std::vector<int64_t> &shape,
                                const std::vector<std::string> &levels) {
  std::vector<int64_t> result = shape;
  if (!layout.mesh)
    return result;
  const std::vector<LogicalState> states = logicalStates(layout, shape);
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].kind != StateKind::Split || states[i].axis < 0)
      continue;
    const size_t level = static_cast<size_t>(layout.mesh->levelOf(static_cast<int>(i)));
    if (level >= layout.mesh->topologies.size() ||
        std::find(levels.begin(), levels.end(), layout.mesh->topologies[level].name) == levels.end())
      continue;
    int64_t &extent = result[static_cast<size_t>(states[i].axis)];
    extent = layout.mesh->shape[i] == 0 ? extent : extent / layout.mesh->shape[i];
  }
  return result;
}

} // namespace tilewright::layout
