#include "ir/ImportTypes.h"

#include "ir/PrintType.h"
#include "support/Codes.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tilewright::ir {

using syntax::Opaque;
using syntax::OpaqueOperation;
using syntax::Value;
using syntax::ValueRef;

namespace {

const ValueRef *keyword(const Opaque &call, std::string_view name) {
  for (const auto &[key, value] : call.keywords)
    if (key == name)
      return &value;
  return nullptr;
}

// Argument number `position` or keyword `name`.
const ValueRef *argument(const Opaque &call, size_t position, std::string_view name) {
  if (position < call.arguments.size())
    return &call.arguments[position];
  return keyword(call, name);
}

// The items between the brackets of `base[...]`, however the evaluator groups them.
std::vector<ValueRef> subscripts(const OpaqueOperation &operation) {
  std::vector<ValueRef> items(operation.operands.begin() + 1, operation.operands.end());
  if (items.size() == 1)
    if (auto *tuple = items[0]->as<Value::Tuple>())
      return tuple->elements;
  return items;
}

bool isCall(const Value &value, std::string_view callee) {
  auto *opaque = value.as<Opaque>();
  return opaque && opaque->callee == callee && opaque->called;
}

// `Layout(shape, strides)` or a bare tuple pair as int tuples.
std::optional<layout::IntTuple> intTuple(const TypeReader &reader, const Value &value, Span at) {
  if (auto *elements = value.sequence()) {
    std::vector<layout::IntTuple> parts;
    for (const ValueRef &element : *elements) {
      auto part = intTuple(reader, *element, at);
      if (!part)
        return std::nullopt;
      parts.push_back(std::move(*part));
    }
    return layout::IntTuple::tuple(std::move(parts));
  }
  auto number = reader.dim(value, at);
  if (!number)
    return std::nullopt;
  return layout::IntTuple(*number);
}

// A strided layout before it is bound to a mesh: modes (perhaps placed), strides, offset, swizzle, states.
struct Authored {
  const Value *modes = nullptr;
  const Value *strides = nullptr;
  int64_t offset = 0;
  std::optional<layout::Swizzle> swizzle;
  const Value *states = nullptr;
  bool plain = false; // Layout(...): nested modes allowed
};

std::optional<layout::Swizzle> swizzleOf(const Value &value) {
  auto *call = value.as<Opaque>();
  if (!call || !call->called || call->callee != "Swizzle")
    return std::nullopt;
  auto part = [&](size_t i, std::string_view name) -> std::optional<int64_t> {
    auto *found = argument(*call, i, name);
    return found ? (*found)->integer() : std::nullopt;
  };
  auto bits = part(0, "bits"), base = part(1, "base"), shift = part(2, "shift");
  if (!bits || !base || !shift)
    return std::nullopt;
  return layout::Swizzle{static_cast<int>(*bits), static_cast<int>(*base), static_cast<int>(*shift)};
}

bool isPlacement(const Value &value) {
  auto *operation = value.as<OpaqueOperation>();
  return operation && operation->op == "@";
}

// (modes, strides): two tuples of which the second holds no placement. `((2, 3), (4, 5))` is read so too.
bool isPair(const Value::List &elements) { return elements.size() == 2 && elements[0]->sequence() && elements[1]->sequence(); }

/// What `|` and `+` stand behind: a layout that names no axis of a mesh.
bool refusePlaced(const TypeReader &reader, const Authored &inner, std::string_view what, Span at);

std::optional<Authored> authored(const TypeReader &reader, const Value &value, Span at) {
  if (auto *operation = value.as<OpaqueOperation>(); operation && operation->operands.size() == 2) {
    const Value &left = *operation->operands[0], &right = *operation->operands[1];
    if (operation->op == "|") {
      auto inner = authored(reader, left, at);
      auto swizzle = swizzleOf(right);
      if (!swizzle) {
        reader.sink.add(Code::BadLayout, at, "the right side of `|` in a layout must be `Swizzle(bits, base, shift)`");
        return std::nullopt;
      }
      if (!inner || refusePlaced(reader, *inner, "swizzle", at))
        return std::nullopt;
      inner->swizzle = swizzle;
      return inner;
    }
    if (operation->op == "+") {
      auto inner = authored(reader, left, at);
      auto offset = reader.dim(right, at);
      if (!inner || !offset || refusePlaced(reader, *inner, "offset", at))
        return std::nullopt;
      inner->offset += *offset;
      return inner;
    }
    if (operation->op == "@" && right.as<Value::SetOf>()) {
      auto inner = authored(reader, left, at);
      if (inner)
        inner->states = &right;
      return inner;
    }
  }
  Authored out;
  if (auto *call = value.as<Opaque>(); call && call->called && call->callee == "Layout") {
    auto *shape = argument(*call, 0, "shape");
    auto *strides = argument(*call, 1, "strides");
    if (!shape) {
      reader.sink.add(Code::BadLayout, at, "`Layout` needs a shape");
      return std::nullopt;
    }
    out.modes = shape->get();
    if (strides && !(*strides)->as<Value::NoneType>())
      out.strides = strides->get();
    out.plain = true;
    return out;
  }
  if (auto *call = value.as<Opaque>(); call && call->called && call->callee == "ComposedLayout") {
    auto *inner = argument(*call, 0, "inner"), *offset = argument(*call, 1, "offset"), *outer = argument(*call, 2, "outer");
    std::optional<Authored> base = outer ? authored(reader, **outer, at) : std::nullopt;
    if (!base)
      return std::nullopt;
    if (offset)
      base->offset += (*offset)->integer().value_or(0);
    if (inner && !(*inner)->as<Value::NoneType>())
      base->swizzle = swizzleOf(**inner);
    return base;
  }
  auto *elements = value.sequence();
  if (!elements) {
    reader.sink.add(Code::BadLayout, at, "`" + syntax::repr(value, 60) + "` is no layout; write a tuple of extents, `(modes, strides)` or `Layout(...)`");
    return std::nullopt;
  }
  if (isPair(*elements)) {
    out.modes = (*elements)[0].get();
    out.strides = (*elements)[1].get();
  } else {
    out.modes = &value;
  }
  return out;
}

bool holdsPlacement(const Value &value) {
  if (isPlacement(value))
    return true;
  if (auto *elements = value.sequence())
    return std::any_of(elements->begin(), elements->end(), [](const ValueRef &element) { return holdsPlacement(*element); });
  return false;
}

bool refusePlaced(const TypeReader &reader, const Authored &inner, std::string_view what, Span at) {
  if (!inner.states && !holdsPlacement(*inner.modes))
    return false;
  reader.sink.add(Code::BadLayout, at, "a layout over a mesh takes no " + std::string(what) + " here; write `ShardLayout(layout=..., attrs=..., mesh=...)`");
  return true;
}

// Index of a scope's axis among the axes of the composed mesh. Axes of extent 1 have no level of their own there, so they are found by name
// and the others by their place among the real axes of their level.
int composedAxis(const layout::Mesh &composed, const layout::Mesh &declared, int axis) {
  const auto at = static_cast<size_t>(axis);
  if (declared.shape[at] == 1) {
    for (size_t i = composed.shape.size(); i-- > 0;)
      if (composed.shape[i] == 1 && at < declared.names.size() && i < composed.names.size() && composed.names[i] == declared.names[at])
        return static_cast<int>(i);
    return -1;
  }
  const std::string &level = declared.topologies[static_cast<size_t>(declared.levelOf(axis))].name;
  int within = 0;
  for (int i = 0; i < axis; ++i)
    within += declared.shape[static_cast<size_t>(i)] != 1 && declared.topologies[static_cast<size_t>(declared.levelOf(i))].name == level;
  for (int i = 0; i < static_cast<int>(composed.shape.size()); ++i)
    if (composed.shape[static_cast<size_t>(i)] != 1 && composed.topologies[static_cast<size_t>(composed.levelOf(i))].name == level && within-- == 0)
      return i;
  return -1;
}

// `_compute.group`, or a bare one-axis mesh.
std::optional<int> placedAxis(const TypeReader &reader, const Value &value, const layout::Mesh &composed, Span at) {
  std::string axisName;
  const MeshScope *scope = reader.scopeOf(value, &axisName);
  if (!scope) {
    reader.sink.add(Code::BadLayout, at, "the right side of `@` must be an axis of an open mesh, not `" + syntax::repr(value, 60) + "`");
    return std::nullopt;
  }
  int axis = 0;
  if (axisName.empty()) {
    if (scope->mesh->shape.size() != 1) {
      reader.sink.add(Code::BadLayout, at, "the mesh `" + scope->alias + "` has " + std::to_string(scope->mesh->shape.size()) + " axes: name one of them");
      return std::nullopt;
    }
  } else {
    axis = scope->mesh->axis(axisName);
  }
  if (axis < 0) {
    reader.sink.add(Code::UnknownMeshAxis, at, "mesh `" + scope->alias + "` has no axis `" + axisName + "`");
    return std::nullopt;
  }
  int found = composedAxis(composed, *scope->mesh, axis);
  if (found < 0)
    reader.sink.add(Code::BadLayout, at, "the axis `" + axisName + "` does not belong to the open mesh scope");
  return found < 0 ? std::nullopt : std::optional<int>(found);
}

std::optional<layout::PlacedMode> placedMode(const TypeReader &reader, const Value &value, const layout::Mesh *composed, Span at) {
  if (isPlacement(value)) {
    const auto &operation = *value.as<OpaqueOperation>();
    auto inner = placedMode(reader, *operation.operands[0], composed, at);
    if (!inner)
      return std::nullopt;
    if (!composed) {
      reader.sink.add(Code::BadLayout, at, "an axis is placed outside any mesh scope");
      return std::nullopt;
    }
    Value::List axes{operation.operands[1]};
    if (auto *several = operation.operands[1]->sequence())
      axes = *several;
    for (const ValueRef &one : axes) {
      auto axis = placedAxis(reader, *one, *composed, at);
      if (!axis)
        return std::nullopt;
      inner->axes.push_back(*axis);
    }
    return inner;
  }
  auto extent = reader.dim(value, at);
  if (!extent)
    return std::nullopt;
  return layout::PlacedMode{*extent, {}};
}

} // namespace

const MeshScope *TypeReader::scopeOf(const Value &value, std::string *axis) const {
  auto *opaque = value.as<Opaque>();
  if (!opaque || opaque->called || opaque->callee.rfind(kScopePrefix, 0) != 0)
    return nullptr;
  std::string_view rest = std::string_view(opaque->callee).substr(kScopePrefix.size());
  size_t dot = rest.find('.');
  int number = -1;
  std::from_chars(rest.data(), rest.data() + std::min(dot, rest.size()), number);
  if (axis && dot != std::string_view::npos)
    *axis = std::string(rest.substr(dot + 1));
  return scope(number);
}

std::optional<int64_t> TypeReader::dim(const Value &value, Span at, bool quiet) const {
  if (auto integer = value.integer())
    return integer;
  if (auto *call = value.as<Opaque>(); call && call->callee == "DimVar") {
    auto *label = argument(*call, 0, "name");
    std::string dimName = label && (*label)->string() ? *(*label)->string() : std::string();
    if (options.statedDims && std::find(options.statedDims->begin(), options.statedDims->end(), dimName) == options.statedDims->end())
      options.statedDims->push_back(dimName);
    int64_t lo = 1, hi = std::numeric_limits<int64_t>::max();
    if (auto *low = argument(*call, 1, "lo"))
      lo = (*low)->integer().value_or(lo);
    if (auto *high = argument(*call, 2, "hi"))
      hi = (*high)->integer().value_or(hi);
    auto bound = options.dims.find(dimName);
    if (bound != options.dims.end()) {
      if (bound->second >= lo && bound->second <= hi)
        return bound->second;
      if (!quiet)
        sink.add(Code::DimensionRange, at,
                 "the dimension `" + dimName + "` is declared as [" + std::to_string(lo) + ", " + std::to_string(hi) + "] and cannot be " + std::to_string(bound->second));
      return std::nullopt;
    }
    if (openDims && std::find(openDims->begin(), openDims->end(), dimName) == openDims->end()) {
      openDims->push_back(dimName);
      if (!quiet) {
        sink.add(Code::OpenDimension, at,
                 "the dimension `" + dimName + "` is declared as [" + std::to_string(lo) + ", " + std::to_string(hi) + "] and has no value; bind it with --dim " +
                     dimName + "=EXTENT");
      }
    }
    return std::nullopt;
  }
  if (auto *call = value.as<Opaque>(); call && call->called && call->callee == "ceildiv" && call->arguments.size() == 2) {
    auto a = dim(*call->arguments[0], at, quiet), b = dim(*call->arguments[1], at, quiet);
    if (a && b && *b > 0)
      return (*a + *b - 1) / *b;
    return std::nullopt;
  }
  if (auto *operation = value.as<OpaqueOperation>(); operation && operation->operands.size() == 2) {
    auto a = dim(*operation->operands[0], at, quiet), b = dim(*operation->operands[1], at, quiet);
    if (!a || !b)
      return std::nullopt;
    int64_t result = 0;
    if (operation->op == "+" && !__builtin_add_overflow(*a, *b, &result))
      return result;
    if (operation->op == "-" && !__builtin_sub_overflow(*a, *b, &result))
      return result;
    if (operation->op == "*" && !__builtin_mul_overflow(*a, *b, &result))
      return result;
    if (operation->op == "//" && *b > 0)
      return *a / *b - (*a % *b < 0);
    if (operation->op == "%" && *b > 0)
      return (*a % *b + *b) % *b;
  }
  if (!quiet) {
    if (auto *unknown = value.as<syntax::Unknown>())
      sink.add(Code::UnknownValue, at, unknown->reason);
    else
      sink.add(Code::BadDimension, at, "`" + syntax::repr(value, 60) + "` is no extent: an integer or a DimVar is needed here");
  }
  return std::nullopt;
}

std::optional<DType> TypeReader::dtype(const Value &value, Span at) const {
  std::string spelled;
  if (auto *text = value.string())
    spelled = *text;
  else if (auto *opaque = value.as<Opaque>(); opaque && !opaque->called)
    spelled = opaque->callee.substr(opaque->callee.rfind('.') + 1);
  if (auto found = dtypeNamed(spelled))
    return found;
  if (auto *unknown = value.as<syntax::Unknown>())
    sink.add(Code::UnknownValue, at, unknown->reason);
  else
    sink.add(Code::BadDType, at, "`" + (spelled.empty() ? syntax::repr(value, 60) : spelled) + "` is no dtype; known are bool, i32, i64, f32, f16, bf16, fp8e4m3, f8e8m0, f4e2m1");
  return std::nullopt;
}

std::optional<Storage> TypeReader::storage(const Value &value, Span at) const {
  std::string spelled;
  if (auto *text = value.string())
    spelled = *text;
  else if (auto *opaque = value.as<Opaque>(); opaque && !opaque->called) {
    spelled = opaque->callee.substr(opaque->callee.rfind('.') + 1);
    std::transform(spelled.begin(), spelled.end(), spelled.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  if (auto found = storageNamed(spelled))
    return found;
  sink.add(Code::BadStorage, at, "`" + (spelled.empty() ? syntax::repr(value, 60) : spelled) + "` is no storage level; known are host, gmem, smem, rmem, tmem, umat");
  return std::nullopt;
}

std::optional<layout::TensorLayout> TypeReader::layoutOf(const Value &value, const std::vector<int64_t> &shape, Span at) const {
  if (auto *call = value.as<Opaque>(); call && call->called) {
    if (call->callee == "ShardLayout")
      return shardLayout(*call, shape, at);
    // A window of a shared-out value: where it begins, around the layout of the whole.
    auto *outer = call->callee == "ComposedLayout" ? argument(*call, 2, "outer") : nullptr;
    if (outer && isCall(**outer, "ShardLayout")) {
      auto *inner = argument(*call, 0, "inner"), *offset = argument(*call, 1, "offset");
      auto whole = layoutOf(**outer, shape, at);
      auto begin = offset ? dim(**offset, at) : std::optional<int64_t>(0);
      if (!whole || !begin)
        return std::nullopt;
      whole->window = true;
      whole->offset += *begin;
      if (inner && !(*inner)->as<Value::NoneType>())
        whole->swizzle = swizzleOf(**inner);
      return whole;
    }
  }
  auto parts = authored(*this, value, at);
  if (!parts)
    return std::nullopt;
  std::shared_ptr<const layout::Mesh> mesh = composed();
  bool placed = holdsPlacement(*parts->modes);
  // The layout of these modes, none of which a mesh axis splits, as far as it is stated.
  const auto unplaced = [&](layout::IntTuple modes) -> std::optional<layout::TensorLayout> {
    layout::TensorLayout plain;
    plain.shape = std::move(modes);
    if (parts->strides) {
      auto strides = intTuple(*this, *parts->strides, at);
      if (!strides)
        return std::nullopt;
      if (strides->flat().size() != plain.shape.flat().size()) {
        sink.add(Code::BadLayout, at, "the layout has " + std::to_string(plain.shape.flat().size()) + " modes and " + std::to_string(strides->flat().size()) + " strides");
        return std::nullopt;
      }
      plain.strides = std::move(*strides);
    }
    plain.offset = parts->offset;
    plain.swizzle = parts->swizzle;
    return plain;
  };
  if (!placed && !parts->states) {
    auto modes = intTuple(*this, *parts->modes, at);
    auto plain = modes ? unplaced(std::move(*modes)) : std::nullopt;
    if (plain && !plain->strides && !parts->plain) // `Layout(shape)` leaves them open
      plain->strides = plain->shape.congruent(layout::compactStrides(plain->shape.flat()));
    return plain;
  }
  if (!mesh) {
    sink.add(Code::BadLayout, at, "a layout is placed on a mesh outside any mesh scope");
    return std::nullopt;
  }
  const Value::SetOf *states = parts->states ? parts->states->as<Value::SetOf>() : nullptr;
  const bool repeated = states && std::all_of(states->elements.begin(), states->elements.end(), [](const ValueRef &one) { return isCall(*one, "B"); });
  if (auto nesting = !placed && repeated ? intTuple(*this, *parts->modes, at) : std::nullopt;
      nesting && std::any_of(nesting->elements.begin(), nesting->elements.end(), [](const layout::IntTuple &mode) { return mode.isTuple; })) {
    // `Layout(nested, nested) @ {B()}`: modes keep their nesting, since no axis splits one.
    auto plain = unplaced(std::move(*nesting));
    if (!plain)
      return std::nullopt;
    plain->mesh = mesh;
    plain->states.resize(mesh->shape.size());
    plain->explicitState = true;
    return layout::withoutIdleLevels(std::move(*plain));
  }
  layout::Placement placement;
  auto *modes = parts->modes->sequence();
  if (!modes) {
    sink.add(Code::BadLayout, at, "a placed layout is a tuple of modes");
    return std::nullopt;
  }
  std::function<bool(const Value::List &)> flatten = [&](const Value::List &list) {
    for (const ValueRef &one : list) {
      if (auto *nested = one->sequence()) {
        if (!flatten(*nested))
          return false;
        continue;
      }
      auto mode = placedMode(*this, *one, mesh.get(), at);
      if (!mode)
        return false;
      placement.modes.push_back(std::move(*mode));
    }
    return true;
  };
  if (!flatten(*modes))
    return std::nullopt;
  if (parts->strides) {
    auto strides = intTuple(*this, *parts->strides, at);
    if (!strides)
      return std::nullopt;
    placement.strides = strides->flat();
    if (placement.strides->size() != placement.modes.size()) {
      sink.add(Code::BadLayout, at, "the layout has " + std::to_string(placement.modes.size()) + " modes and " + std::to_string(placement.strides->size()) + " strides");
      return std::nullopt;
    }
  }
  placement.offset = parts->offset;
  placement.swizzle = parts->swizzle;
  if (parts->states) {
    placement.explicitState = true;
    auto *set = parts->states->as<Value::SetOf>();
    for (const ValueRef &element : set->elements) {
      if (isCall(*element, "B"))
        continue;
      auto *operation = element->as<OpaqueOperation>();
      auto *state = operation && operation->op == "@" ? operation->operands[1]->as<Opaque>() : nullptr;
      if (!state || state->callee != "P" || state->arguments.size() != 1 || !state->arguments[0]->string()) {
        sink.add(Code::BadLayout, at, "a value state is `B()` or `mesh.axis @ P(\"sum\")`, not `" + syntax::repr(*element, 60) + "`");
        return std::nullopt;
      }
      auto axis = placedAxis(*this, *operation->operands[0], *mesh, at);
      if (!axis)
        return std::nullopt;
      placement.states.push_back({*axis, *state->arguments[0]->string()});
    }
  }
  layout::Sharded sharded = layout::canonicalShard(placement, shape, *mesh);
  if (!sharded.error.empty()) {
    sink.add(Code::BadLayout, at, sharded.error);
    return std::nullopt;
  }
  return sharded.layout;
}

std::optional<layout::TensorLayout> TypeReader::shardLayout(const Opaque &call, const std::vector<int64_t> &shape, Span at) const {
  auto *whole = argument(call, 0, "layout"), *attrs = argument(call, 1, "attrs"), *over = argument(call, 2, "mesh");
  if (!whole || !attrs || !over) {
    sink.add(Code::BadLayout, at, "`ShardLayout` needs `layout=`, `attrs=` and `mesh=`");
    return std::nullopt;
  }
  auto parts = authored(*this, **whole, at);
  auto units = mesh(**over, at);
  if (!parts || !units)
    return std::nullopt;
  auto modes = intTuple(*this, *parts->modes, at);
  if (!modes)
    return std::nullopt;
  layout::TensorLayout out;
  out.shape = std::move(*modes);
  if (parts->strides) {
    auto strides = intTuple(*this, *parts->strides, at);
    if (!strides)
      return std::nullopt;
    out.strides = std::move(*strides);
  }
  out.offset = parts->offset;
  out.swizzle = parts->swizzle;
  out.mesh = units->mesh;
  const std::vector<int64_t> extents = out.shape.flat();
  if (out.strides && out.strides->flat().size() != extents.size()) {
    sink.add(Code::BadLayout, at, "the layout has " + std::to_string(extents.size()) + " modes and " + std::to_string(out.strides->flat().size()) + " strides");
    return std::nullopt;
  }
  if (!layout::axisOfModes(shape, out.shape)) {
    sink.add(Code::BadLayout, at, "modes " + layout::printTuple(out.shape) + " do not group into the axes " + layout::printTuple(shape) + " of the tensor");
    return std::nullopt;
  }
  auto *states = (*attrs)->sequence();
  if (!states || states->size() != out.mesh->shape.size()) {
    sink.add(Code::BadLayout, at, "a mesh of " + std::to_string(out.mesh->shape.size()) + " axes needs as many `attrs`");
    return std::nullopt;
  }
  for (size_t axis = 0; axis < states->size(); ++axis) {
    const Value &one = *(*states)[axis];
    auto *state = one.as<Opaque>();
    if (isCall(one, "B")) {
      out.states.push_back({});
      continue;
    }
    if (isCall(one, "S") && state->arguments.size() == 1) {
      auto mode = state->arguments[0]->integer();
      if (!mode || *mode < 0 || static_cast<size_t>(*mode) >= extents.size()) {
        sink.add(Code::BadLayout, at, "`" + syntax::repr(one, 60) + "` names no mode: the layout has " + std::to_string(extents.size()));
        return std::nullopt;
      }
      if (extents[static_cast<size_t>(*mode)] != out.mesh->shape[axis]) {
        sink.add(Code::BadLayout, at, "mode " + std::to_string(*mode) + " has extent " + std::to_string(extents[static_cast<size_t>(*mode)]) +
                                          ", the mesh axis that splits it " + std::to_string(out.mesh->shape[axis]));
        return std::nullopt;
      }
      out.states.push_back({layout::StateKind::Split, static_cast<int>(*mode), {}});
      continue;
    }
    if (isCall(one, "P") && state->arguments.size() == 1 && state->arguments[0]->string()) {
      out.states.push_back({layout::StateKind::Partial, -1, *state->arguments[0]->string()});
      continue;
    }
    if (isCall(one, "Dynamic")) {
      out.states.push_back({layout::StateKind::Dynamic, -1, {}});
      continue;
    }
    sink.add(Code::BadLayout, at, "what a mesh axis does to a value is `S(mode)`, `B()` or `P(\"sum\")`, not `" + syntax::repr(one, 60) + "`");
    return std::nullopt;
  }
  out.explicitState = !layout::isSharded(out);
  return out;
}

std::optional<TensorType> TypeReader::tensorType(const Value &value, Span at, bool *isConst) const {
  auto *operation = value.as<OpaqueOperation>();
  auto *base = operation && operation->op == "[]" && !operation->operands.empty() ? operation->operands[0]->as<Opaque>() : nullptr;
  if (!base || (base->callee != "Tensor" && base->callee != "ConstTensor")) {
    if (auto *unknown = value.as<syntax::Unknown>())
      sink.add(Code::UnknownValue, at, unknown->reason);
    else
      sink.add(Code::BadType, at, "`" + syntax::repr(value, 60) + "` is no tensor type; write `Tensor[shape, dtype]`");
    return std::nullopt;
  }
  if (isConst)
    *isConst = base->callee == "ConstTensor";
  std::vector<ValueRef> slots = subscripts(*operation);
  if (slots.size() < 2 || slots.size() > 4) {
    sink.add(Code::BadType, at, "`Tensor[...]` takes a shape, a dtype and optionally a layout and a storage level, not " + std::to_string(slots.size()) + " items");
    return std::nullopt;
  }
  TensorType type;
  // The shape slot may place its axes: `(32, 256 @ mesh.k)`, `(modes, strides)`, `... @ {B()}`.
  const Value *shapeValue = slots[0].get();
  bool placed = false;
  if (auto *stated = shapeValue->as<OpaqueOperation>(); stated && stated->op == "@") {
    placed = true;
    shapeValue = stated->operands[0].get();
  }
  auto *extents = shapeValue->sequence();
  if (!extents) {
    sink.add(Code::BadType, at, "the shape of a tensor is a tuple of extents, not `" + syntax::repr(*shapeValue, 60) + "`");
    return std::nullopt;
  }
  const Value::List *modes = extents;
  if (isPair(*extents)) {
    modes = (*extents)[0]->sequence();
    placed = true;
  }
  bool whole = true;
  for (const ValueRef &extent : *modes) {
    const Value *plain = extent.get();
    while (isPlacement(*plain)) {
      placed = true;
      plain = plain->as<OpaqueOperation>()->operands[0].get();
    }
    auto number = dim(*plain, at);
    if (number && *number <= 0) {
      sink.add(Code::BadDimension, at, "an extent must be positive, not " + std::to_string(*number));
      number.reset();
    }
    whole &= number.has_value();
    type.shape.push_back(number.value_or(1));
  }
  auto element = dtype(*slots[1], at);
  if (!element || !whole)
    return std::nullopt;
  type.dtype = *element;
  if (placed) {
    type.layout = layoutOf(*slots[0], type.shape, at);
    if (!type.layout)
      return std::nullopt;
  }
  for (size_t i = 2; i < slots.size(); ++i) {
    const Value &slot = *slots[i];
    auto *opaque = slot.as<Opaque>();
    if (slot.as<Value::NoneType>())
      continue;
    if (slot.string() || (opaque && !opaque->called && opaque->callee.rfind("StorageKind.", 0) == 0)) {
      auto level = storage(slot, at);
      if (!level)
        return std::nullopt;
      type.storage = *level;
      continue;
    }
    type.layout = layoutOf(slot, type.shape, at);
    if (!type.layout)
      return std::nullopt;
  }
  return type;
}

std::optional<Type> TypeReader::annotation(const Value &value, Span at) const {
  if (auto *operation = value.as<OpaqueOperation>(); operation && operation->op == "[]") {
    auto *opaque = operation->operands[0]->as<Opaque>();
    auto *builtin = operation->operands[0]->as<syntax::Builtin>();
    if ((opaque && opaque->callee == "Tuple") || (builtin && builtin->name == "tuple")) {
      std::vector<Type> fields;
      for (const ValueRef &field : subscripts(*operation)) {
        auto type = annotation(*field, at);
        if (!type)
          return std::nullopt;
        fields.push_back(std::move(*type));
      }
      return Type::tuple(std::move(fields));
    }
  }
  auto tensor = tensorType(value, at);
  if (!tensor)
    return std::nullopt;
  return Type(std::move(*tensor));
}

std::optional<layout::Topology> TypeReader::topology(const Value &value, Span at) const {
  layout::Topology out;
  if (auto *text = value.string()) {
    out.name = *text;
    for (const layout::Topology &declared : topologies)
      if (declared.name == out.name)
        return declared;
    sink.add(Code::UnknownTopology, at, "the module declares no topology level `" + out.name + "`");
    return std::nullopt;
  }
  auto *call = value.as<Opaque>();
  if (!call || !call->called || call->callee != "Topology") {
    sink.add(Code::UnknownTopology, at, "`" + syntax::repr(value, 60) + "` is no topology level; write its name or `Topology(name, extent)`");
    return std::nullopt;
  }
  auto *label = argument(*call, 0, "name"), *size = argument(*call, 1, "size");
  if (!size)
    size = keyword(*call, "extent");
  if (!label || !(*label)->string() || !size) {
    sink.add(Code::UnknownTopology, at, "`Topology` needs a name and an extent");
    return std::nullopt;
  }
  out.name = *(*label)->string();
  auto extent = dim(**size, at);
  if (!extent)
    return std::nullopt;
  out.extent = *extent;
  return out;
}

std::optional<MeshScope> TypeReader::mesh(const Value &value, Span at) const {
  if (const MeshScope *open = scopeOf(value)) {
    MeshScope again = *open;
    return again;
  }
  // A slice of an open mesh: `threads[0, :32]`.
  if (auto *operation = value.as<OpaqueOperation>(); operation && operation->op == "[]") {
    const MeshScope *parent = scopeOf(*operation->operands[0]);
    if (!parent) {
      sink.add(Code::BadMesh, at, "only an open mesh can be sliced here");
      return std::nullopt;
    }
    if (parent->sliced) {
      sink.add(Code::BadMesh, at, "`" + parent->alias + "` is a slice already; slice the mesh that it is a part of");
      return std::nullopt;
    }
    std::vector<layout::AxisRange> ranges;
    for (const ValueRef &item : subscripts(*operation)) {
      size_t axis = ranges.size();
      if (axis >= parent->mesh->shape.size()) {
        sink.add(Code::BadMesh, at, "the mesh has " + std::to_string(parent->mesh->shape.size()) + " axes and is sliced along more");
        return std::nullopt;
      }
      int64_t extent = parent->mesh->shape[axis];
      auto clamp = [&](int64_t bound) { return bound < 0 ? bound + extent : bound; };
      if (auto *slice = item->as<Value::SliceOf>()) {
        auto bound = [&](const ValueRef &part, int64_t otherwise) -> std::optional<int64_t> {
          if (!part || part->as<Value::NoneType>())
            return otherwise;
          auto number = dim(*part, at);
          return number ? std::optional(clamp(*number)) : std::nullopt;
        };
        auto start = bound(slice->start, 0), stop = bound(slice->stop, extent), step = bound(slice->step, 1);
        if (!start || !stop || !step)
          return std::nullopt;
        if (*step != 1) {
          sink.add(Code::BadMesh, at, "a mesh slice takes consecutive positions: its step must be 1");
          return std::nullopt;
        }
        ranges.push_back({*start, *stop});
      } else {
        auto index = dim(*item, at);
        if (!index)
          return std::nullopt;
        ranges.push_back({clamp(*index), clamp(*index) + 1});
      }
    }
    while (ranges.size() < parent->mesh->shape.size())
      ranges.push_back({0, parent->mesh->shape[ranges.size()]});
    auto selected = layout::select(*parent->mesh, ranges);
    if (!selected) {
      sink.add(Code::BadMesh, at, "the slice selects no position of the mesh, or positions it does not have");
      return std::nullopt;
    }
    MeshScope out;
    out.mesh = std::make_shared<layout::Mesh>(std::move(*selected));
    out.selectedFrom = parent->number;
    out.ranges = std::move(ranges);
    out.sliced = true;
    return out;
  }
  auto *call = value.as<Opaque>();
  if (!call || !call->called || call->callee != "Mesh") {
    sink.add(Code::BadMesh, at, "`" + syntax::repr(value, 60) + "` is no mesh; write `Mesh((level,), layout=..., names=...)` or a slice of an open one");
    return std::nullopt;
  }
  auto *over = argument(*call, 0, "topologies"), *shapeValue = argument(*call, 1, "layout"), *namesValue = argument(*call, 2, "names");
  if (!over || !shapeValue) {
    sink.add(Code::BadMesh, at, "`Mesh` needs the levels it is over and a layout");
    return std::nullopt;
  }
  // The layout: extents, (extents, strides), or Layout(...).
  layout::Mesh out;
  const Value *modes = shapeValue->get(), *strides = nullptr;
  if (auto *moved = modes->as<Opaque>(); moved && moved->called && moved->callee == "ComposedLayout") { // of units that begin elsewhere
    auto *offset = argument(*moved, 1, "offset"), *outer = argument(*moved, 2, "outer");
    if (!offset || !outer) {
      sink.add(Code::BadMesh, at, "the layout of a mesh that does not begin at its first unit states `offset=` and `outer=`");
      return std::nullopt;
    }
    auto first = dim(**offset, at);
    if (!first)
      return std::nullopt;
    out.offset = *first;
    out.composed = true;
    modes = outer->get();
  }
  if (auto *plain = modes->as<Opaque>(); plain && plain->called && plain->callee == "Layout") {
    auto *inner = argument(*plain, 0, "shape");
    auto *steps = argument(*plain, 1, "strides");
    modes = inner ? inner->get() : modes;
    strides = steps ? steps->get() : nullptr;
  } else if (auto *pair = modes->sequence(); pair && isPair(*pair)) {
    modes = (*pair)[0].get();
    strides = (*pair)[1].get();
  }
  auto shape = intTuple(*this, *modes, at);
  if (!shape)
    return std::nullopt;
  out.shape = shape->flat();
  for (int64_t extent : out.shape)
    if (extent <= 0) {
      sink.add(Code::BadMesh, at, "a mesh axis must have a positive extent, not " + std::to_string(extent));
      return std::nullopt;
    }
  out.strides = layout::compactStrides(out.shape);
  if (strides) {
    auto steps = intTuple(*this, *strides, at);
    if (!steps)
      return std::nullopt;
    if (steps->flat().size() != out.shape.size()) {
      sink.add(Code::BadMesh, at, "the mesh layout has " + std::to_string(out.shape.size()) + " axes and " + std::to_string(steps->flat().size()) + " strides");
      return std::nullopt;
    }
    out.composed |= steps->flat() != out.strides;
    out.strides = steps->flat();
  }
  out.composed |= out.offset != 0;
  if (namesValue) {
    auto *labels = (*namesValue)->sequence();
    if (!labels || labels->size() != out.shape.size()) {
      sink.add(Code::BadMesh, at, "a mesh of " + std::to_string(out.shape.size()) + " axes needs as many names");
      return std::nullopt;
    }
    for (const ValueRef &label : *labels) {
      if (!label->string()) {
        sink.add(Code::BadMesh, at, "mesh axis names are strings");
        return std::nullopt;
      }
      out.names.push_back(*label->string());
    }
  }
  MeshScope result;
  // Mesh(threads[1:3, :], layout=...): the slice's positions under another layout.
  if (!(*over)->sequence()) {
    auto selection = mesh(**over, at);
    if (!selection)
      return std::nullopt;
    const layout::Mesh &from = *selection->mesh;
    if (out.positions() != from.positions()) {
      sink.add(Code::BadMesh, at, "the layout has " + std::to_string(out.positions()) + " positions, the selection " + std::to_string(from.positions()));
      return std::nullopt;
    }
    out.topologies = from.topologies;
    out.offset = from.offset;
    // Each new axis must step evenly over the selection.
    std::vector<int64_t> steps;
    for (size_t axis = 0; axis < out.shape.size(); ++axis) {
      auto unitAt = [&](int64_t position) {
        int64_t unit = 0;
        for (size_t i = from.shape.size(); i-- > 0;) {
          unit += position % from.shape[i] * from.strides[i];
          position /= from.shape[i];
        }
        return unit;
      };
      int64_t step = out.shape[axis] > 1 ? unitAt(out.strides[axis]) : out.strides[axis];
      for (int64_t k = 1; k < out.shape[axis]; ++k)
        if (unitAt(k * out.strides[axis]) != k * step) {
          sink.add(Code::BadMesh, at, "axis " + std::to_string(axis) + " of the mesh does not step evenly over the selected positions");
          return std::nullopt;
        }
      steps.push_back(step);
    }
    out.strides = std::move(steps);
    out.composed = true;
    result.selectedFrom = selection->selectedFrom >= 0 ? selection->selectedFrom : selection->number;
    result.relaid = true;
    result.ranges = selection->ranges;
    result.sliced = selection->sliced;
  } else {
    for (const ValueRef &level : *(*over)->sequence()) {
      auto found = topology(*level, at);
      if (!found)
        return std::nullopt;
      bool declared = topologies.empty();
      for (const layout::Topology &one : topologies)
        declared |= one.name == found->name;
      if (!declared) {
        sink.add(Code::UnknownTopology, at, "the module declares no topology level `" + found->name + "`");
        return std::nullopt;
      }
      out.topologies.push_back(std::move(*found));
    }
  }
  result.mesh = std::make_shared<layout::Mesh>(std::move(out));
  return result;
}

std::optional<Instruction> TypeReader::instruction(const Value &value, Span at) const {
  auto *call = value.as<Opaque>();
  if (!call || call->callee.rfind("T.", 0) != 0 || !call->called) {
    sink.add(Code::BadAttribute, at, "`" + syntax::repr(value, 60) + "` is no instruction; write `T.name(...)`");
    return std::nullopt;
  }
  Instruction out;
  out.name = call->callee;
  if (!call->arguments.empty()) {
    sink.add(Code::BadAttribute, at, "`" + call->callee + "` takes keywords only");
    return std::nullopt;
  }
  for (const auto &[key, given] : call->keywords) {
    if (given->as<Value::NoneType>())
      continue; // as if left out
    auto one = parameter(call->callee, key, *given, at);
    if (!one)
      return std::nullopt;
    out.parameters.emplace_back(key, std::move(*one));
  }
  return out;
}

std::optional<InstructionParameter> TypeReader::parameter(std::string_view instructionName, std::string_view label, const Value &given, Span at) const {
  if (auto *elements = given.sequence()) {
    std::vector<int64_t> numbers;
    for (const ValueRef &element : *elements) {
      auto number = dim(*element, at);
      if (!number)
        return std::nullopt;
      numbers.push_back(*number);
    }
    return numbers;
  }
  if (auto *flag = std::get_if<bool>(&given.data))
    return *flag;
  if (auto integer = given.integer())
    return *integer;
  if (auto *number = given.as<double>())
    return *number;
  if (auto *text = given.string())
    return *text;
  if (auto *nested = given.as<Opaque>(); nested && nested->called) {
    auto inner = instruction(given, at);
    if (!inner)
      return std::nullopt;
    return std::vector<Instruction>{std::move(*inner)};
  } else if (nested) {
    size_t dot = nested->callee.rfind('.');
    if (nested->callee.rfind("DType.", 0) == 0) // another spelling of its name
      return nested->callee.substr(dot + 1);
    return dot == std::string::npos ? InstructionParameter(nested->callee)
                                    : InstructionParameter(Enumerator{nested->callee.substr(0, dot), nested->callee.substr(dot + 1)});
  }
  if (given.as<Value::NoneType>())
    return std::nullopt;
  if (auto *unknown = given.as<syntax::Unknown>())
    sink.add(Code::UnknownValue, at, unknown->reason);
  else
    sink.add(Code::BadAttribute, at, "`" + std::string(label) + "` of `" + std::string(instructionName) + "` cannot be `" + syntax::repr(given, 60) + "`");
  return std::nullopt;
}

bool accepts(const Type &declared, const Type &actual) {
  if (declared.isTuple != actual.isTuple)
    return false;
  if (declared.isTuple) {
    if (declared.fields.size() != actual.fields.size())
      return false;
    for (size_t i = 0; i < declared.fields.size(); ++i)
      if (!accepts(declared.fields[i], actual.fields[i]))
        return false;
    return true;
  }
  const TensorType &a = declared.tensor, &b = actual.tensor;
  if (a.shape != b.shape || a.dtype != b.dtype)
    return false;
  if (a.storage != b.storage && a.storage != Storage::Umat)
    return false;
  if (!a.layout)
    return true;
  layout::TensorLayout stated = *a.layout, given = b.layout ? *b.layout : layout::compact(b.shape); // what is not stated is compact
  if (!stated.strides)
    given.strides.reset();
  stated.explicitState = given.explicitState = false;
  return stated == given;
}

std::string describe(const Type &type) {
  return printType(type, [](const layout::Mesh &mesh, int axis) { return mesh.names[static_cast<size_t>(axis)]; });
}

} // namespace tilewright::ir
