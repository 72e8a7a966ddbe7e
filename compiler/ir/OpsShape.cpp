// Ops that rearrange: windows, reshapes, transposes, joining and splitting.
#include "ir/OpRules.h"

#include <algorithm>
#include <numeric>

namespace tilewright::ir::rules {

using layout::StateKind;
using layout::TensorLayout;

namespace {
using Kind = AttributeSpec::Kind;

/// Values of an index operand: one entry per axis, null where only known at run time.
std::vector<std::optional<int64_t>> indexValues(const OpUse &use, size_t operand, size_t rank) {
  if (operand < use.constants.size() && use.constants[operand])
    return *use.constants[operand];
  return std::vector<std::optional<int64_t>>(rank);
}

size_t indexCount(const Type &type) { return type.isTuple ? type.fields.size() : 1; }

std::optional<Inferred> checkIndex(const OpUse &use, size_t operand) {
  const Type &type = use.operands[operand];
  const auto fine = [](const Type &t) { return !t.isTuple && t.tensor.shape.empty() && isInteger(t.tensor.dtype); };
  if (type.isTuple) {
    for (const Type &field : type.fields)
      if (!fine(field))
        return fail("positions are integer scalars", static_cast<int>(operand));
  } else if (!fine(type)) {
    return fail("positions are integer scalars", static_cast<int>(operand));
  }
  return std::nullopt;
}

Inferred inferSlice(const OpUse &use, const InferContext &) {
  TensorType type = tensor(use, 0);
  const TensorType source = type;
  const std::vector<int64_t> sizes = intsOf(use, "sizes"), steps = intsOf(use, "strides");
  const size_t rank = source.shape.size();
  if (indexCount(use.operands[1]) != rank || sizes.size() != rank || steps.size() != rank)
    return fail("the window has " + std::to_string(sizes.size()) + " axes, the tensor " + std::to_string(rank), 1);
  if (auto error = checkIndex(use, 1))
    return *error;
  for (size_t axis = 0; axis < rank; ++axis)
    if (steps[axis] < 1)
      return fail("the step along axis " + std::to_string(axis) + " is positive", -1, "strides");
  const auto starts = indexValues(use, 1, rank);
  type.shape = sizes;

  // Extents (`shape_of`) are described by no layout of their shape; they lie one after another.
  const bool described = source.layout && layout::axisOfModes(source.shape, source.layout->shape);
  const TensorLayout layout = described ? *source.layout : layout::compact(source.shape);
  const auto axes = layout::axisOfModes(source.shape, layout.shape);
  if (!axes) {
    type.layout = layout::compact(sizes);
    return done(std::move(type));
  }
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  const std::vector<layout::LogicalState> states = layout::logicalStates(layout, source.shape);
  // New modes axis by axis. `moved` maps old flattened modes to new ones.
  std::vector<std::vector<int64_t>> newExtents(rank), newStrides(rank);
  std::vector<int> moved(extents.size(), -1);
  int64_t offset = layout.offset;
  bool known = true;
  int next = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    std::vector<size_t> modes;
    for (size_t i = 0; i < extents.size(); ++i)
      if ((*axes)[i] == static_cast<int>(axis))
        modes.push_back(i);
    const bool whole = sizes[axis] == source.shape[axis] && steps[axis] == 1;
    const bool split = std::any_of(states.begin(), states.end(), [&](const layout::LogicalState &state) {
      return state.kind == StateKind::Split && state.axis == static_cast<int>(axis);
    });
    const bool fixed = axis < starts.size() && starts[axis].has_value();
    const int64_t start = fixed ? *starts[axis] : 0;
    if (whole || modes.empty()) {
      for (size_t i : modes) {
        moved[i] = next++;
        newExtents[axis].push_back(extents[i]);
        newStrides[axis].push_back(strides[i]);
      }
      continue;
    }
    if (modes.size() == 1 && !split) {
      newExtents[axis].push_back(sizes[axis]);
      newStrides[axis].push_back(strides[modes[0]] * steps[axis]);
      moved[modes[0]] = next++;
      if (fixed)
        offset += start * strides[modes[0]];
      else
        known = false;
      continue;
    }
    // A group of modes: the window is its least-stepping modes, as many as the size takes.
    if (steps[axis] != 1)
      return fail("axis " + std::to_string(axis) + " is laid out in several modes and cannot be read with a step", -1, "strides");
    int64_t rest = sizes[axis];
    std::vector<size_t> order = modes; // fastest logical digit last
    std::vector<std::pair<size_t, int64_t>> kept;
    for (size_t i = order.size(); i-- > 0 && rest > 1;) {
      if (rest % extents[order[i]] == 0) {
        kept.push_back({order[i], extents[order[i]]});
        rest /= extents[order[i]];
      } else if (extents[order[i]] % rest == 0) {
        kept.push_back({order[i], rest});
        rest = 1;
      } else {
        return fail("a window of " + std::to_string(sizes[axis]) + " does not end between the modes of axis " + std::to_string(axis), -1, "sizes");
      }
    }
    if (rest > 1)
      return fail("a window of " + std::to_string(sizes[axis]) + " does not end between the modes of axis " + std::to_string(axis), -1, "sizes");
    if (fixed && start % sizes[axis] != 0)
      return fail("a window of " + std::to_string(sizes[axis]) + " from " + std::to_string(start) + " does not start between the modes of axis " +
                      std::to_string(axis),
                  1);
    for (const layout::AxisState &state : layout.states)
      if (state.kind == StateKind::Split && (*axes)[static_cast<size_t>(state.mode)] == static_cast<int>(axis) &&
          std::none_of(kept.begin(), kept.end(), [&](const auto &entry) {
            return entry.first == static_cast<size_t>(state.mode) && entry.second == extents[entry.first];
          }))
        return fail("the window cuts through axis " + std::to_string(axis) + " where it is split over the mesh; `tf.reshard` it first", 0);
    if (fixed) {
      int64_t digits = start;
      for (size_t i = order.size(); i-- > 0;) {
        offset += digits % extents[order[i]] * strides[order[i]];
        digits /= extents[order[i]];
      }
    } else {
      known = false;
    }
    std::reverse(kept.begin(), kept.end());
    if (kept.empty()) {
      newExtents[axis].push_back(1);
      newStrides[axis].push_back(strides[order.back()]);
      ++next;
    }
    for (const auto &[mode, extent] : kept) {
      newExtents[axis].push_back(extent);
      newStrides[axis].push_back(strides[mode]);
      moved[mode] = next++;
    }
  }
  TensorLayout window = layout;
  const bool perAxis = layout.shape.isTuple && layout.shape.elements.size() == rank && !layout.mesh;
  std::vector<layout::IntTuple> shapeModes, strideModes;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (perAxis && (newExtents[axis].size() != 1 || layout.shape.elements[axis].isTuple)) {
      shapeModes.push_back(newExtents[axis].size() == 1 ? layout::IntTuple(newExtents[axis][0]) : layout::IntTuple::of(newExtents[axis]));
      strideModes.push_back(newStrides[axis].size() == 1 ? layout::IntTuple(newStrides[axis][0]) : layout::IntTuple::of(newStrides[axis]));
      continue;
    }
    for (size_t i = 0; i < newExtents[axis].size(); ++i) {
      shapeModes.push_back(layout::IntTuple(newExtents[axis][i]));
      strideModes.push_back(layout::IntTuple(newStrides[axis][i]));
    }
  }
  window.shape = layout::IntTuple::tuple(std::move(shapeModes));
  window.strides = layout::IntTuple::tuple(std::move(strideModes));
  for (layout::AxisState &state : window.states)
    if (state.kind == StateKind::Split)
      state.mode = moved[static_cast<size_t>(state.mode)];
  // A view of a tensor without a layout is a layout of its own; one of a stated layout keeps the distance to its start.
  window.offset = source.layout && known ? offset : layout.offset;
  if (!source.layout)
    window.offset = 0;
  if (layout.mesh) {
    window.window = true;
    if (!layout.strides) { // declared without: there is nothing to measure the window in
      window.strides.reset();
      window.offset = 0;
    }
  }
  type.layout = std::move(window);
  return done(std::move(type));
}

Inferred inferInsertSlice(const OpUse &use, const InferContext &) {
  const TensorType &dst = tensor(use, 0), &update = tensor(use, 1);
  const size_t rank = dst.shape.size();
  if (update.shape.size() != rank)
    return fail("the update has " + std::to_string(update.shape.size()) + " axes, the destination " + std::to_string(rank), 1);
  if (update.dtype != dst.dtype)
    return fail("the update is " + std::string(name(update.dtype)) + ", the destination " + std::string(name(dst.dtype)), 1);
  if (auto error = checkIndex(use, 2))
    return *error;
  if (indexCount(use.operands[2]) != rank)
    return fail("there are " + std::to_string(indexCount(use.operands[2])) + " offsets for " + std::to_string(rank) + " axes", 2);
  const auto starts = indexValues(use, 2, rank);
  for (size_t axis = 0; axis < rank && axis < starts.size(); ++axis)
    if (starts[axis] && (*starts[axis] < 0 || *starts[axis] + update.shape[axis] > dst.shape[axis]))
      return fail("the window [" + std::to_string(*starts[axis]) + ", " + std::to_string(*starts[axis] + update.shape[axis]) +
                      ") leaves axis " + std::to_string(axis) + " of " + std::to_string(dst.shape[axis]),
                  2);
  const auto partials = [](const TensorType &type) {
    std::vector<std::string> out;
    if (type.layout)
      for (const layout::AxisState &state : type.layout->states)
        out.push_back(state.kind == StateKind::Partial ? state.reduction : "");
    if (std::all_of(out.begin(), out.end(), [](const std::string &s) { return s.empty(); }))
      out.clear();
    return out;
  };
  if (partials(dst) != partials(update)) {
    constexpr size_t operands[] = {0, 1};
    if (auto error = refusePartial(use, operands))
      return *error;
  }
  return done(dst);
}

/// The modes of a shared-out layout regrouped for another shape: whole axes merge, plain modes break where an axis ends, axes of extent 1
/// get a mode that steps nowhere. Null if a split mode would have to break.
std::optional<TensorLayout> regrouped(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  struct Mode {
    int64_t extent, stride;
    int old;
  };
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  std::vector<bool> split(extents.size());
  for (const layout::AxisState &state : layout.states)
    if (state.kind == StateKind::Split)
      split[static_cast<size_t>(state.mode)] = true;
  std::vector<Mode> from, to;
  for (size_t i = extents.size(); i-- > 0;)
    if (extents[i] != 1 || split[i])
      from.push_back({extents[i], strides[i], static_cast<int>(i)});
  for (int64_t rest : shape) {
    if (rest == 1) {
      to.push_back({1, 0, -1});
      continue;
    }
    while (rest != 1) {
      if (from.empty())
        return std::nullopt;
      Mode &mode = from.back();
      if (rest % mode.extent == 0) {
        rest /= mode.extent;
        to.push_back(mode);
        from.pop_back();
      } else if (mode.extent % rest == 0 && !split[static_cast<size_t>(mode.old)]) {
        mode.extent /= rest;
        to.push_back({rest, mode.stride * mode.extent, -1});
        rest = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  for (; !from.empty() && from.back().extent == 1; from.pop_back())
    to.push_back(from.back());
  if (!from.empty())
    return std::nullopt;
  TensorLayout result = layout;
  std::vector<int64_t> newExtents, newStrides;
  std::vector<int> moved(extents.size(), -1);
  for (const Mode &mode : to) {
    if (mode.old >= 0)
      moved[static_cast<size_t>(mode.old)] = static_cast<int>(newExtents.size());
    newExtents.push_back(mode.extent);
    newStrides.push_back(mode.stride);
  }
  result.shape = layout::IntTuple::of(newExtents);
  if (layout.strides)
    result.strides = layout::IntTuple::of(newStrides);
  for (layout::AxisState &state : result.states)
    if (state.kind == StateKind::Split)
      state.mode = moved[static_cast<size_t>(state.mode)];
  return result;
}

/// Strides of the axes that stay when exactly the axes of extent 1 are dropped; null if anything else changes.
std::optional<std::vector<int64_t>> withoutUnitAxes(const TensorLayout &layout, const std::vector<int64_t> &from, const std::vector<int64_t> &to) {
  if (layout.shape != layout::IntTuple::of(from) || to.size() >= from.size())
    return std::nullopt;
  const std::vector<int64_t> strides = layout::flatStrides(layout);
  std::vector<int64_t> extents, kept;
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1) {
      extents.push_back(from[i]);
      kept.push_back(strides[i]);
    }
  return extents == to ? std::optional(kept) : std::nullopt;
}

Inferred inferReshape(const OpUse &use, const InferContext &) {
  TensorType type = tensor(use, 0);
  const TensorType source = type;
  type.shape = intsOf(use, "new_shape");
  const bool sharded = source.layout && layout::isSharded(*source.layout);
  if (source.storage == Storage::Umat && type.shape.empty() && !sharded) {
    type.layout = layout::compact({});
    return done(std::move(type));
  }
  const TensorLayout layout = source.layout ? *source.layout : layout::compact(source.shape);
  if (layout.mesh) {
    type.layout = regrouped(layout, type.shape);
    if (!type.layout && sharded)
      return fail("the value is split over the mesh where axes of " + shapeText(type.shape) + " meet; `tf.reshard` it first", -1, "new_shape");
    return done(std::move(type));
  }
  TensorLayout result = layout::compact(type.shape);
  result.swizzle = layout.swizzle;
  result.offset = layout.offset;
  if (!isCompact(layout))
    if (const auto strides = withoutUnitAxes(layout, source.shape, type.shape))
      result.strides = layout::IntTuple::of(*strides);
  type.layout = std::move(result);
  return done(std::move(type));
}

Inferred inferTranspose(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0);
  const std::vector<int64_t> perm = intsOf(use, "perm");
  const size_t rank = x.shape.size();
  if (perm.size() != rank)
    return fail("`perm` has " + std::to_string(perm.size()) + " entries for " + std::to_string(rank) + " axes", -1, "perm");
  std::vector<int64_t> shape;
  PropagatedOperand map{0, AxisMap(rank, kConstant)};
  for (size_t i = 0; i < rank; ++i) {
    const int64_t from = perm[i];
    if (from < 0 || from >= static_cast<int64_t>(rank))
      return fail("`perm` names axis " + std::to_string(from) + " of " + shapeText(x.shape), -1, "perm");
    shape.push_back(x.shape[static_cast<size_t>(from)]);
    map.axes[static_cast<size_t>(from)] = static_cast<int>(i);
  }
  return freshResult(use, {map}, std::move(shape), x.dtype, x.storage, true);
}

Inferred inferConcat(const OpUse &use, const InferContext &) {
  if (use.operands.empty())
    return fail("there is nothing to join");
  const TensorType &first = tensor(use, 0);
  const size_t rank = first.shape.size();
  const auto axis = axisOf(intOf(use, "axis"), rank);
  if (!axis)
    return fail("axis " + std::to_string(intOf(use, "axis")) + " is not one of " + shapeText(first.shape), -1, "axis");
  std::vector<int64_t> shape = first.shape;
  std::vector<size_t> operands(use.operands.size());
  std::iota(operands.begin(), operands.end(), size_t{0});
  std::vector<PropagatedOperand> maps;
  for (size_t i : operands) {
    const TensorType &part = tensor(use, i);
    if (part.shape.size() != rank)
      return fail("this has " + std::to_string(part.shape.size()) + " axes, the first tensor " + std::to_string(rank), static_cast<int>(i));
    if (part.dtype != first.dtype)
      return fail("this is " + std::string(name(part.dtype)) + ", the first tensor " + std::string(name(first.dtype)), static_cast<int>(i));
    for (size_t a = 0; a < rank; ++a)
      if (a != static_cast<size_t>(*axis) && part.shape[a] != first.shape[a])
        return fail("axis " + std::to_string(a) + " has " + std::to_string(part.shape[a]) + " elements here and " +
                        std::to_string(first.shape[a]) + " in the first tensor",
                    static_cast<int>(i));
    if (i > 0)
      shape[static_cast<size_t>(*axis)] += part.shape[static_cast<size_t>(*axis)];
    if (part.layout)
      for (const layout::LogicalState &state : layout::logicalStates(*part.layout, part.shape))
        if (state.kind == StateKind::Split && state.axis == *axis)
          return fail("this is split along the axis that is joined; `tf.reshard` it first", static_cast<int>(i));
    AxisMap map(rank);
    std::iota(map.begin(), map.end(), 0);
    maps.push_back({i, std::move(map)});
  }
  const Residency where = residency(use, operands);
  if (where.conflict >= 0)
    return storageConflict(use, where);
  if (auto error = requireUniformPartials(use))
    return *error;
  return freshResult(use, maps, std::move(shape), first.dtype, where.storage, true);
}

Inferred inferStack(const OpUse &use, const InferContext &) {
  if (use.operands.empty())
    return fail("there is nothing to stack");
  const TensorType &first = tensor(use, 0);
  const size_t rank = first.shape.size();
  const auto axis = axisOf(intOf(use, "axis"), rank + 1);
  if (!axis)
    return fail("axis " + std::to_string(intOf(use, "axis")) + " is not one of the " + std::to_string(rank + 1) + " axes of the result", -1, "axis");
  std::vector<size_t> operands(use.operands.size());
  std::iota(operands.begin(), operands.end(), size_t{0});
  std::vector<PropagatedOperand> maps;
  for (size_t i : operands) {
    const TensorType &part = tensor(use, i);
    if (part.shape != first.shape)
      return fail("this is " + shapeText(part.shape) + ", the first tensor " + shapeText(first.shape), static_cast<int>(i));
    if (part.dtype != first.dtype)
      return fail("this is " + std::string(name(part.dtype)) + ", the first tensor " + std::string(name(first.dtype)), static_cast<int>(i));
    AxisMap map(rank);
    for (size_t a = 0; a < rank; ++a)
      map[a] = static_cast<int>(a) + (static_cast<int>(a) >= *axis ? 1 : 0);
    maps.push_back({i, std::move(map)});
  }
  const Residency where = residency(use, operands);
  if (where.conflict >= 0)
    return storageConflict(use, where);
  if (auto error = requireUniformPartials(use))
    return *error;
  std::vector<int64_t> shape = first.shape;
  shape.insert(shape.begin() + *axis, static_cast<int64_t>(use.operands.size()));
  return freshResult(use, maps, std::move(shape), first.dtype, where.storage, true);
}

Inferred inferSplit(const OpUse &use, const InferContext &) {
  TensorType part = tensor(use, 0);
  const auto axis = axisOf(intOf(use, "axis"), part.shape.size());
  if (!axis)
    return fail("axis " + std::to_string(intOf(use, "axis")) + " is not one of " + shapeText(part.shape), -1, "axis");
  const int64_t pieces = intOf(use, "num_splits");
  if (pieces < 1)
    return fail("`num_splits` is positive", -1, "num_splits");
  int64_t &extent = part.shape[static_cast<size_t>(*axis)];
  if (isSplitAlong(tensor(use, 0), *axis))
    return fail("the operand is split over the mesh along axis " + std::to_string(*axis) + "; `tf.reshard` it first", 0);
  if (extent % pieces != 0)
    return fail("axis " + std::to_string(*axis) + " of " + std::to_string(extent) + " elements does not split into " + std::to_string(pieces) +
                    " equal pieces",
                -1, "num_splits");
  extent /= pieces;
  if (part.layout) {
    if (layout::isSharded(*part.layout)) {
      std::vector<layout::LogicalState> states = layout::logicalStates(*part.layout, tensor(use, 0).shape);
      part.layout = layout::factored(part.shape, *part.layout->mesh, states);
      if (!part.layout)
        return fail("the pieces cannot be split over the mesh as the operand is; `tf.reshard` it first", 0);
    } else {
      part.layout = part.layout->mesh ? repeated(part.shape, *part.layout) : layout::compact(part.shape);
    }
  }
  Inferred result;
  result.type = Type::tuple(std::vector<Type>(static_cast<size_t>(pieces), Type(part)));
  return result;
}

Inferred inferRepeatInterleave(const OpUse &use, const InferContext &) {
  TensorType type = tensor(use, 0);
  const auto axis = axisOf(intOf(use, "axis"), type.shape.size());
  if (!axis)
    return fail("axis " + std::to_string(intOf(use, "axis")) + " is not one of " + shapeText(type.shape), -1, "axis");
  const int64_t repeats = intOf(use, "repeats");
  if (repeats < 0)
    return fail("`repeats` is not negative", -1, "repeats");
  if (type.layout && layout::isSharded(*type.layout))
    return fail("the operand is shared out over the mesh; `tf.reshard` it first", 0);
  type.shape[static_cast<size_t>(*axis)] *= repeats;
  type.layout.reset();
  return done(std::move(type));
}
} // namespace

void addShape(std::vector<OpSpec> &table) {
  OperandSpec starts{"starts"}, offsets{"offsets"}, inputs{"inputs"};
  starts.index = offsets.index = true;
  inputs.variadic = true;
  table.push_back({Op::Slice, {}, {}, {{"x"}, starts}, {{"sizes", Kind::Ints}, {"strides", Kind::Ints}}, inferSlice, "shape"});
  table.push_back({Op::InsertSlice, {}, {}, {{"dst"}, {"update"}, offsets}, {}, inferInsertSlice, "shape"});
  table.push_back({Op::Reshape, {}, {}, {{"x"}}, {{"new_shape", Kind::Ints}}, inferReshape, "shape"});
  table.push_back({Op::Transpose, {}, {}, {{"x"}}, {{"perm", Kind::Ints}}, inferTranspose, "shape"});
  table.push_back({Op::Concat, {}, {}, {inputs}, {{"axis", Kind::Int}}, inferConcat, "shape"});
  table.push_back({Op::Stack, {}, {}, {inputs}, {{"axis", Kind::Int}}, inferStack, "shape"});
  table.push_back({Op::Split, {}, {}, {{"x"}}, {{"axis", Kind::Int}, {"num_splits", Kind::Int}}, inferSplit, "shape"});
  table.push_back({Op::RepeatInterleave, {}, {}, {{"x"}}, {{"repeats", Kind::Int}, {"axis", Kind::Int}}, inferRepeatInterleave, "shape"});
}

} // namespace tilewright::ir::rules
