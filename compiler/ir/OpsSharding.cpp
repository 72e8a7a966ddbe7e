// Ops that change where a value lives and how it is shared out.
#include "ir/OpRules.h"

#include "layout/Print.h"

#include <algorithm>

namespace tilewright::ir::rules {

using layout::StateKind;
using layout::TensorLayout;

namespace {
using Kind = AttributeSpec::Kind;

/// How near a storage is to the units that compute: registers belong to a thread, shared memory to a CTA, the rest to all.
int nearness(Storage storage) {
  switch (storage) {
  case Storage::Rmem: return 2;
  case Storage::Smem:
  case Storage::Tmem: return 1;
  default: return 0;
  }
}

std::vector<bool> splitModes(const TensorLayout &layout, size_t modes) {
  std::vector<bool> split(modes);
  for (const layout::AxisState &state : layout.states)
    if (state.kind == StateKind::Split)
      split[static_cast<size_t>(state.mode)] = true;
  return split;
}

/// Strides of a layout that each position holds on its own: split and unit modes step nowhere.
std::vector<int64_t> ownStrides(const TensorLayout &layout) {
  std::vector<int64_t> extents = layout.shape.flat();
  const std::vector<bool> split = splitModes(layout, extents.size());
  for (size_t i = 0; i < extents.size(); ++i)
    if (split[i])
      extents[i] = 1;
  std::vector<int64_t> strides = layout::compactStrides(extents);
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] == 1)
      strides[i] = 0;
  return strides;
}

/// Whether each position of the source holds its part on its own.
bool holdsOwn(const TensorType &type) {
  if (!type.layout || !type.layout->mesh || !type.layout->strides)
    return false;
  const std::vector<int64_t> strides = type.layout->strides->flat();
  bool any = false;
  for (const layout::AxisState &state : type.layout->states)
    if (state.kind == StateKind::Split) {
      if (strides[static_cast<size_t>(state.mode)] != 0)
        return false;
      any = true;
    }
  return any;
}

Inferred inferReshard(const OpUse &use, const InferContext &) {
  const TensorType &x = tensor(use, 0);
  const Attribute *where = find(use.attributes, "storage");
  const Storage *stated = where ? std::get_if<Storage>(where) : nullptr;
  const Attribute *attribute = find(use.attributes, "layout");
  const TensorLayout *layout = attribute ? std::get_if<TensorLayout>(attribute) : nullptr;
  TensorType type = x;
  type.storage = stated ? *stated : x.storage;
  if (!layout) {
    if (type.storage != x.storage)
      return fail("moving from " + std::string(name(x.storage)) + " to " + std::string(name(type.storage)) + " needs a `layout`", -1, "storage");
    return done(std::move(type));
  }
  if (layout->shape.product() != x.elements() || !layout::axisOfModes(x.shape, layout->shape))
    return fail("the modes " + layout::printTuple(layout->shape) + " do not group into the axes " + shapeText(x.shape), -1, "layout");
  TensorLayout target = *layout;
  if (!target.strides) {
    const bool nested = std::any_of(target.shape.elements.begin(), target.shape.elements.end(), [](const auto &mode) { return mode.isTuple; });
    const std::vector<int64_t> extents = target.shape.flat();
    const int from = nearness(x.storage), to = nearness(type.storage);
    if (target.mesh && layout::isSharded(target))
      target.strides = layout::IntTuple::of(to > from || (to == from && holdsOwn(x)) ? ownStrides(target) : layout::compactStrides(extents));
    else if (!nested)
      target.strides = layout::IntTuple::of(layout::compactStrides(extents));
  }
  type.layout = std::move(target);
  return done(std::move(type));
}

Inferred inferLocal(const OpUse &use, const InferContext &) {
  TensorType type = tensor(use, 0);
  if (!type.layout || !type.layout->mesh)
    return fail("the operand is not shared out over a mesh, so there is no part of it to take", 0);
  const TensorLayout &layout = *type.layout;
  const auto axes = layout::axisOfModes(type.shape, layout.shape);
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  std::vector<int> splitBy(extents.size(), -1);
  for (size_t i = 0; i < layout.states.size(); ++i)
    if (layout.states[i].kind == StateKind::Split)
      splitBy[static_cast<size_t>(layout.states[i].mode)] = static_cast<int>(i);
  std::vector<int64_t> shape(type.shape.size(), 1), newStrides(type.shape.size(), 0);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    // Splits come first, in mesh order; what remains is one mode.
    int before = -1;
    bool residual = false, fine = axes.has_value();
    for (size_t i = 0; fine && i < extents.size(); ++i) {
      if ((*axes)[i] != static_cast<int>(axis))
        continue;
      newStrides[axis] = strides[i];
      if (splitBy[i] < 0) {
        fine = !residual || extents[i] == 1;
        residual = true;
        shape[axis] *= extents[i];
        continue;
      }
      fine = !residual && splitBy[i] > before;
      before = splitBy[i];
      if (extents[i] > layout.mesh->shape[static_cast<size_t>(splitBy[i])])
        shape[axis] *= extents[i] / layout.mesh->shape[static_cast<size_t>(splitBy[i])];
    }
    if (!fine)
      return fail("the part of axis " + std::to_string(axis) + " that a position holds is not one run: splits come outermost, in mesh order, "
                      "then the rest; `tf.reshard` it so",
                  0);
  }
  type.layout = layout::compact(shape);
  type.layout->strides = layout::IntTuple::of(newStrides);
  type.shape = std::move(shape);
  return done(std::move(type));
}
} // namespace

void addSharding(std::vector<OpSpec> &table) {
  table.push_back({Op::Reshard, {}, {}, {{"x"}},
                   {{"layout", Kind::Layout, {}, {}, Attribute()}, {"storage", Kind::Storage, {}, {}, Attribute()}}, inferReshard, "sharding"});
  table.push_back({Op::Local, {}, {}, {{"x"}}, {}, inferLocal, "sharding"});
}

} // namespace tilewright::ir::rules
