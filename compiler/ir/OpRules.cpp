#include "ir/OpRules.h"

#include "layout/Print.h"
#include "support/Check.h"

#include <algorithm>

namespace tilewright::ir::rules {

using layout::LogicalState;
using layout::StateKind;
using layout::TensorLayout;

Inferred fail(std::string error, int operand, std::string attribute) {
  Inferred result;
  result.error = std::move(error);
  result.operand = operand;
  result.attribute = std::move(attribute);
  return result;
}

Inferred done(TensorType type) {
  Inferred result;
  result.type = Type(std::move(type));
  return result;
}

const TensorType &tensor(const OpUse &use, size_t operand) {
  TW_CHECK(operand < use.operands.size() && !use.operands[operand].isTuple, "the operand is a tensor");
  return use.operands[operand].tensor;
}

std::string shapeText(const std::vector<int64_t> &shape) { return layout::printTuple(shape); }

std::string typeText(const TensorType &type) {
  return std::string(name(type.dtype)) + " " + shapeText(type.shape) + " in " + std::string(name(type.storage));
}

int64_t intOf(const OpUse &use, std::string_view name, int64_t otherwise) {
  const Attribute *value = find(use.attributes, name);
  const int64_t *number = value ? std::get_if<int64_t>(value) : nullptr;
  return number ? *number : otherwise;
}

bool boolOf(const OpUse &use, std::string_view name, bool otherwise) {
  const Attribute *value = find(use.attributes, name);
  const bool *flag = value ? std::get_if<bool>(value) : nullptr;
  return flag ? *flag : otherwise;
}

std::vector<int64_t> intsOf(const OpUse &use, std::string_view name) {
  const Attribute *value = find(use.attributes, name);
  const auto *list = value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
  return list ? *list : std::vector<int64_t>();
}

std::optional<DType> dtypeOf(const OpUse &use, std::string_view name) {
  const Attribute *value = find(use.attributes, name);
  const DType *dtype = value ? std::get_if<DType>(value) : nullptr;
  return dtype ? std::optional(*dtype) : std::nullopt;
}

std::string textOf(const OpUse &use, std::string_view name) {
  const Attribute *value = find(use.attributes, name);
  if (!value)
    return {};
  if (const auto *text = std::get_if<std::string>(value))
    return *text;
  const auto *enumerator = std::get_if<Enumerator>(value);
  return enumerator ? enumerator->value : std::string();
}

bool given(const OpUse &use, std::string_view name) {
  const Attribute *value = find(use.attributes, name);
  return value && !std::holds_alternative<std::monostate>(*value);
}

std::optional<int> axisOf(int64_t axis, size_t rank) {
  const auto limit = static_cast<int64_t>(rank);
  if (axis < -limit || axis >= limit)
    return std::nullopt;
  return static_cast<int>(axis < 0 ? axis + limit : axis);
}

std::optional<std::vector<int64_t>> broadcast(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  std::vector<int64_t> result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1, right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      return std::nullopt;
    result[result.size() - 1 - i] = left == 1 ? right : left;
  }
  return result;
}

Residency residency(const OpUse &use, std::span<const size_t> operands) {
  Residency result;
  for (size_t operand : operands) {
    const Storage storage = tensor(use, operand).storage;
    if (storage == Storage::Umat)
      continue;
    if (result.storage != Storage::Umat && result.storage != storage) {
      result.conflict = static_cast<int>(operand);
      result.with = result.storage;
      return result;
    }
    result.storage = storage;
  }
  return result;
}

Inferred storageConflict(const OpUse &use, const Residency &residency) {
  const auto operand = static_cast<size_t>(residency.conflict);
  return fail("operand " + std::to_string(operand) + " is in " + std::string(name(tensor(use, operand).storage)) + ", an earlier one in " +
                  std::string(name(residency.with)) + "; bring them together with `tf.reshard`",
              residency.conflict);
}

/// The mesh axis and the reduction of the first partial state of a layout.
static const layout::AxisState *partialState(const TensorType &type, size_t &axis) {
  if (!type.layout)
    return nullptr;
  for (size_t i = 0; i < type.layout->states.size(); ++i)
    if (type.layout->states[i].kind == StateKind::Partial) {
      axis = i;
      return &type.layout->states[i];
    }
  return nullptr;
}

static Inferred partialError(const TensorType &type, size_t axis, const std::string &reduction, size_t operand) {
  const std::string &name = type.layout->mesh->names.size() > axis ? type.layout->mesh->names[axis] : std::to_string(axis);
  return fail("operand " + std::to_string(operand) + " holds partial results (`" + reduction + "`) over mesh axis `" + name +
                  "`, which this op does not commute with; complete it with a `tf.reshard` to `{B()}` first",
              static_cast<int>(operand));
}

std::optional<Inferred> refusePartial(const OpUse &use, std::span<const size_t> operands) {
  for (size_t operand : operands) {
    size_t axis = 0;
    if (const layout::AxisState *state = partialState(tensor(use, operand), axis))
      return partialError(tensor(use, operand), axis, state->reduction, operand);
  }
  return std::nullopt;
}

Propagated propagate(const OpUse &use, const std::vector<PropagatedOperand> &operands) {
  Propagated result;
  // Dimension each mesh axis divides, to see that operands agree.
  std::vector<std::optional<int>> dimension;
  std::vector<size_t> from;
  for (const PropagatedOperand &entry : operands) {
    const TensorType &type = tensor(use, entry.operand);
    if (!type.layout || !layout::isSharded(*type.layout))
      continue;
    if (!result.mesh) {
      result.mesh = type.layout->mesh;
      result.states.resize(result.mesh->shape.size());
      dimension.resize(result.mesh->shape.size());
      from.resize(result.mesh->shape.size());
    } else if (!layout::sameUnits(*result.mesh, *type.layout->mesh)) {
      result.error = fail("operand " + std::to_string(entry.operand) + " is shared out over another mesh than the operands before it; "
                              "`tf.reshard` one of them",
                          static_cast<int>(entry.operand));
      return result;
    }
    const std::vector<LogicalState> states = layout::logicalStates(*type.layout, type.shape);
    for (size_t i = 0; i < states.size(); ++i) {
      if (states[i].kind == StateKind::Partial) {
        result.states[i] = states[i];
        continue;
      }
      if (states[i].kind != StateKind::Split || states[i].axis < 0 || static_cast<size_t>(states[i].axis) >= entry.axes.size())
        continue;
      const int to = entry.axes[static_cast<size_t>(states[i].axis)];
      if (to == kConstant)
        continue;
      if (dimension[i] && *dimension[i] != to) {
        result.error = fail("mesh axis `" + result.mesh->names[i] + "` splits operand " + std::to_string(entry.operand) +
                                " along another dimension than operand " + std::to_string(from[i]) + "; `tf.reshard` one of them",
                            static_cast<int>(entry.operand));
        return result;
      }
      dimension[i] = to;
      from[i] = entry.operand;
      result.states[i] = to < 0 ? LogicalState{StateKind::Partial, -1, "sum"} : LogicalState{StateKind::Split, to, {}};
    }
  }
  return result;
}

std::optional<Inferred> requireUniformPartials(const OpUse &use) {
  for (size_t i = 1; i < use.operands.size(); ++i) {
    const auto partial = [&](size_t operand, size_t axis) -> std::string {
      const auto &layout = tensor(use, operand).layout;
      if (!layout || axis >= layout->states.size() || layout->states[axis].kind != StateKind::Partial)
        return {};
      return layout->states[axis].reduction;
    };
    const auto count = [&](size_t operand) { return tensor(use, operand).layout ? tensor(use, operand).layout->states.size() : 0; };
    for (size_t axis = 0; axis < std::max(count(0), count(i)); ++axis)
      if (partial(0, axis) != partial(i, axis))
        return fail("this and the first tensor are not partial results of the same reduction; complete them with a `tf.reshard` to `{B()}` first",
                    static_cast<int>(i));
  }
  return std::nullopt;
}

Inferred freshResult(const OpUse &use, const std::vector<PropagatedOperand> &operands, std::vector<int64_t> shape, DType dtype,
                     Storage storage, bool statedLayout) {
  TensorType type;
  type.shape = std::move(shape);
  type.dtype = dtype;
  type.storage = storage;
  Propagated shared = propagate(use, operands);
  if (shared.error)
    return *shared.error;
  if (shared.mesh) {
    type.layout = layout::factored(type.shape, *shared.mesh, shared.states);
    if (!type.layout)
      return fail("the result " + shapeText(type.shape) + " cannot be split as the operands are; `tf.reshard` them first");
  } else if (statedLayout) {
    type.layout = layout::compact(type.shape);
  }
  return done(std::move(type));
}

/// Whether a layout describes a value of this shape mode by axis.
static bool describes(const TensorLayout &layout, const std::vector<int64_t> &shape) {
  if (!layout.shape.isTuple || layout.shape.elements.size() != shape.size())
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (layout.shape.elements[i].isTuple || layout.shape.elements[i].value != shape[i])
      return false;
  return true;
}

TensorLayout repeated(const std::vector<int64_t> &shape, const TensorLayout &like) {
  TensorLayout layout = layout::compact(shape);
  layout.mesh = like.mesh;
  layout.states.resize(like.states.size());
  layout.explicitState = true;
  return layout;
}

/// With strides stated, so that two ways to say the same compare equal.
static TensorLayout resolved(const std::optional<TensorLayout> &layout, const std::vector<int64_t> &shape) {
  if (!layout)
    return layout::compact(shape);
  TensorLayout result = *layout;
  if (!result.strides)
    result.strides = result.shape.congruent(layout::compactStrides(result.shape.flat()));
  return result;
}

/// Whether two layouts over the same units say the same; names of mesh axes do not count.
static bool sameArrangement(TensorLayout a, const TensorLayout &b) {
  if (a.mesh && b.mesh && layout::sameUnits(*a.mesh, *b.mesh))
    a.mesh = b.mesh;
  return a == b;
}

Inferred pointwise(const OpUse &use, const std::vector<size_t> &operands, DType dtype, Storage storage, const std::vector<int64_t> &atLeast) {
  TensorType type;
  type.dtype = dtype;
  type.storage = storage;
  type.shape = atLeast;
  for (size_t i = 0; i < operands.size(); ++i) {
    const TensorType &operand = tensor(use, operands[i]);
    const auto wide = broadcast(type.shape, operand.shape);
    if (!wide)
      return fail("shapes " + shapeText(type.shape) + " and " + shapeText(operand.shape) + " do not broadcast", static_cast<int>(operands[i]));
    type.shape = *wide;
  }
  std::vector<PropagatedOperand> shared;
  std::vector<const TensorType *> full; // operands of the result's shape
  for (size_t index : operands) {
    const TensorType &operand = tensor(use, index);
    PropagatedOperand entry{index, {}};
    for (size_t i = 0; i < operand.shape.size(); ++i) {
      const size_t to = type.shape.size() - operand.shape.size() + i;
      entry.axes.push_back(operand.shape[i] == 1 && type.shape[to] != 1 ? kConstant : static_cast<int>(to));
    }
    shared.push_back(std::move(entry));
    if (operand.shape == type.shape)
      full.push_back(&operand);
  }
  Propagated propagated = propagate(use, shared);
  if (propagated.error)
    return *propagated.error;
  if (propagated.mesh) {
    // A layout that already says this is kept, its strides with it; two that disagree on strides are laid out anew.
    std::optional<TensorLayout> kept;
    bool agree = true;
    for (const TensorType *operand : full) {
      if (!operand->layout || !layout::isSharded(*operand->layout))
        continue;
      if (layout::logicalStates(*operand->layout, operand->shape) != propagated.states)
        continue;
      agree = agree && (!kept || sameArrangement(*kept, *operand->layout));
      if (!kept)
        kept = operand->layout;
    }
    if (kept && agree)
      type.layout = kept;
    else
      type.layout = layout::factored(type.shape, *propagated.mesh, propagated.states);
    if (!type.layout)
      return fail("the result " + shapeText(type.shape) + " cannot be split as the operands are; `tf.reshard` them first");
    type.layout->offset = 0;
    type.layout->window = false;
    return done(std::move(type));
  }
  // Values that are only repeated pin the mesh, not the arrangement.
  for (size_t index : operands) {
    const TensorType &operand = tensor(use, index);
    if (operand.layout && operand.layout->mesh) {
      type.layout = repeated(type.shape, *operand.layout);
      return done(std::move(type));
    }
  }
  // Plain layouts: what the operands say in the same way, or the one that says something; it has to describe the result.
  std::optional<TensorLayout> stated;
  bool several = false;
  for (size_t index : operands) {
    const TensorType &operand = tensor(use, index);
    if (!operand.layout || (operand.shape.empty() && !type.shape.empty()))
      continue;
    several = several || (stated && !(resolved(stated, operand.shape) == resolved(operand.layout, operand.shape)));
    if (!stated)
      stated = operand.layout;
  }
  if (stated && !several && describes(*stated, type.shape)) {
    // A first operand that states nothing, and so is compact, speaks for a second one that is compact too.
    const TensorType &first = tensor(use, operands[0]);
    const bool unsaid = !first.layout && resolved(stated, type.shape) == layout::compact(type.shape);
    if (!unsaid)
      type.layout = stated;
  }
  if (!type.layout && !type.shape.empty() && (storage == Storage::Rmem || storage == Storage::Smem))
    type.layout = layout::compact(type.shape);
  return done(std::move(type));
}

bool isSplitAlong(const TensorType &type, int axis) {
  if (!type.layout)
    return false;
  const auto states = layout::logicalStates(*type.layout, type.shape);
  return std::any_of(states.begin(), states.end(), [&](const LogicalState &state) { return state.kind == StateKind::Split && state.axis == axis; });
}

TensorLayout reducedLayout(const TensorType &x, const std::vector<bool> &reduced, bool keepdim, const std::vector<int64_t> &shape) {
  if (!x.layout->mesh)
    return layout::compact(shape);
  if (!layout::isSharded(*x.layout))
    return repeated(shape, *x.layout);
  const auto axes = layout::axisOfModes(x.shape, x.layout->shape);
  TW_CHECK(axes.has_value(), "the modes of a typed value follow its axes");
  const std::vector<int64_t> from = x.layout->shape.flat();
  std::vector<int> splitBy(from.size(), -1);
  for (size_t i = 0; i < x.layout->states.size(); ++i)
    if (x.layout->states[i].kind == StateKind::Split)
      splitBy[static_cast<size_t>(x.layout->states[i].mode)] = static_cast<int>(i);
  // Modes axis by axis: a kept axis of extent 1 gets a mode of its own; those it had stand as ones before the last axis of the result,
  // and those of the last axes at the end.
  int last = static_cast<int>(x.shape.size()) - 1;
  while (!keepdim && last > 0 && reduced[static_cast<size_t>(last)])
    --last;
  TensorLayout layout = *x.layout;
  std::vector<int64_t> extents;
  size_t ones = 0, after = 0;
  for (int axis = 0; axis < static_cast<int>(x.shape.size()); ++axis) {
    const bool gone = reduced[static_cast<size_t>(axis)];
    if (axis == last)
      extents.insert(extents.end(), ones, 1);
    if (gone && keepdim && axis < last)
      extents.push_back(1);
    for (size_t i = 0; i < from.size(); ++i) {
      if ((*axes)[i] != axis)
        continue;
      if (gone && splitBy[i] >= 0)
        layout.states[static_cast<size_t>(splitBy[i])] = {};
      if (!gone) {
        if (splitBy[i] >= 0)
          layout.states[static_cast<size_t>(splitBy[i])].mode = static_cast<int>(extents.size());
        extents.push_back(from[i]);
      } else if (axis == last) {
        extents.push_back(1);
      } else if (axis > last) {
        ++after;
      } else {
        ones += from[i] != 1 || splitBy[i] >= 0;
      }
    }
  }
  extents.insert(extents.end(), after, 1);
  std::vector<int64_t> strides = layout::compactStrides(extents);
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] == 1)
      strides[i] = 0;
  layout.shape = layout::IntTuple::of(extents);
  layout.strides = layout::IntTuple::of(strides);
  layout.offset = 0;
  layout.window = false;
  layout.swizzle.reset();
  layout.explicitState = !layout::isSharded(layout);
  return layout::withoutIdleLevels(std::move(layout));
}

Inferred sameType(const OpUse &use, Commutes commutes, std::optional<DType> dtype) {
  TensorType type = tensor(use, 0);
  if (type.layout)
    for (size_t i = 0; i < type.layout->states.size(); ++i) {
      const layout::AxisState &state = type.layout->states[i];
      if (state.kind != StateKind::Partial)
        continue;
      const bool fine = (commutes == Commutes::Sum && state.reduction == "sum") ||
                        (commutes == Commutes::MaxMin && (state.reduction == "max" || state.reduction == "min"));
      if (!fine)
        return partialError(type, i, state.reduction, 0);
    }
  if (dtype)
    type.dtype = *dtype;
  return done(std::move(type));
}

} // namespace tilewright::ir::rules
