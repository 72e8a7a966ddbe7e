#include "instruction/Match.h"
#include "instruction/Table.h"
#include "instruction/Tiles.h"

#include <algorithm>

namespace tilewright::instruction {

namespace {
layout::TensorLayout layoutOf(const TensorType &type) { return type.layout ? *type.layout : layout::compact(type.shape); }

/// The whole of an operand as one window.
Tile whole(const TensorType &type) { return {std::vector<int64_t>(type.shape.size(), 0), type.shape, layoutOf(type)}; }

/// The offset of the first element of a window in the modes of its operand, elements counted before any swizzle.
int64_t offsetAt(const TensorType &type, const std::vector<int64_t> &start) {
  const layout::TensorLayout layout = layoutOf(type);
  const auto axes = layout::axisOfModes(type.shape, layout.shape);
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  std::vector<int64_t> rest = start;
  int64_t offset = 0;
  for (size_t i = extents.size(); axes && i-- > 0;) {
    int64_t &digits = rest[static_cast<size_t>((*axes)[i])];
    offset += digits % extents[i] * strides[i];
    digits /= extents[i];
  }
  return offset;
}

/// How the operands of an atom are cut: the issues of one group along each dimension, and the layout of one window of each operand.
struct Cut {
  const Row *row = nullptr, *atom = nullptr;
  std::vector<int64_t> serial;
  std::vector<layout::TensorLayout> layouts;
  std::string reason; // why an operand cannot be cut; empty: fine
  int operand = -1;

  size_t dimOf(const std::string &name) const { return static_cast<size_t>(std::find(row->iteration.begin(), row->iteration.end(), name) - row->iteration.begin()); }
  const Operand &contract(size_t i) const {
    return *std::find_if(atom->operands.begin(), atom->operands.end(), [&](const Operand &one) { return one.name == row->operands[i].ofAtom; });
  }
};

/// Null for an instruction without an atom.
std::optional<Cut> cut(const Use &use, const Match &accepted) {
  const InstructionParameter *parameter = find(accepted.instruction, "atom");
  const auto *nested = parameter ? std::get_if<std::vector<Instruction>>(parameter) : nullptr;
  Cut made;
  made.row = rowNamed(accepted.instruction.name);
  made.atom = nested && !nested->empty() ? rowNamed(nested->front().name) : nullptr;
  if (!made.row || !made.atom || accepted.repeat.size() != made.row->iteration.size())
    return std::nullopt;
  const size_t dims = made.row->iteration.size();
  size_t frame = 0;
  for (const LayoutPattern *pattern = &made.atom->meshes.front().mesh.layout; pattern; pattern = pattern->inner.get())
    if (pattern->shape)
      frame = pattern->shape->elements[0].elements.size();
  // Groups share out a dimension where an operand that threads hold says so; every operand of that dimension is cut alike.
  std::vector<int64_t> groups(dims, 1);
  made.serial = accepted.repeat;
  for (size_t i = 0; i < use.operands.size(); ++i) {
    if (use.operands[i].storage != Storage::Rmem)
      continue;
    const std::vector<int64_t> own = groupsOf(use.operands[i], frame);
    for (size_t axis = 0; axis < own.size(); ++axis) {
      int64_t &one = groups[made.dimOf(made.contract(i).dims[axis])];
      one = std::max(one, own[axis]);
    }
  }
  for (size_t d = 0; d < dims; ++d)
    made.serial[d] = std::max<int64_t>(1, accepted.repeat[d] / groups[d]);
  const std::shared_ptr<const layout::Mesh> issuers = use.scopes.empty() ? nullptr : use.scopes.back();
  // The layout of a window does not depend on which issue it is, but for where a swizzled one begins within a row.
  for (size_t i = 0; i < use.operands.size(); ++i) {
    std::vector<int64_t> counts;
    for (const std::string &dim : made.contract(i).dims)
      counts.push_back(made.serial[made.dimOf(dim)]);
    const TensorType &type = use.operands[i];
    const bool held = type.storage == Storage::Rmem && type.layout && type.layout->mesh;
    // Threads of all groups hold the window: the outermost modes of a repeated axis go, the others stay.
    Tiled tile = held ? heldByIssue(type, counts, type.layout->mesh->shape.size()) : leadingRemoved(type, counts);
    if (!tile.reason.empty() && made.reason.empty()) {
      made.reason = tile.reason;
      made.operand = static_cast<int>(i);
    }
    layout::TensorLayout layout = layoutOf(tile.type);
    layout.offset = 0;
    layout.window = false;
    if (!layout.mesh && issuers && type.storage == Storage::Smem) {
      const layout::Mesh level = layout::levelMesh(*issuers, static_cast<int>(issuers->topologies.size()) - 1);
      layout.states.assign(level.shape.size(), layout::AxisState{});
      layout.mesh = std::make_shared<const layout::Mesh>(level);
      layout.explicitState = true;
    }
    made.layouts.push_back(std::move(layout));
  }
  return made;
}
} // namespace

Tiled unissuable(const Use &use, const Match &matched) {
  const auto made = cut(use, matched);
  return made ? Tiled{{}, made->reason, made->operand} : Tiled{};
}

std::vector<Issue> issues(const Use &use, const Match &accepted) {
  const auto made = cut(use, accepted);
  if (!made) {
    Issue once;
    for (const TensorType &operand : use.operands)
      once.operands.push_back(whole(operand));
    return {once};
  }
  const size_t dims = made->serial.size();
  int64_t count = 1;
  for (int64_t serial : made->serial)
    count *= serial;
  std::vector<Issue> out;
  std::vector<int64_t> at(dims, 0);
  for (int64_t n = 0; n < count; ++n) {
    int64_t digits = n;
    for (size_t k = accepted.order.size(); k-- > 0;) { // the last of the order runs fastest
      const auto d = static_cast<size_t>(accepted.order[k]);
      at[d] = digits % made->serial[d];
      digits /= made->serial[d];
    }
    Issue issue;
    for (size_t i = 0; i < use.operands.size(); ++i) {
      const TensorType &type = use.operands[i];
      Tile tile{{}, {}, made->layouts[i]};
      for (size_t axis = 0; axis < type.shape.size(); ++axis) {
        const size_t d = made->dimOf(made->contract(i).dims[axis]);
        tile.extent.push_back(type.shape[axis] / made->serial[d]);
        tile.start.push_back(at[d] * tile.extent.back());
      }
      if (tile.layout.swizzle)
        tile.layout.offset = swizzleRemainder(*tile.layout.swizzle, offsetAt(type, tile.start), bits(type.dtype));
      issue.operands.push_back(std::move(tile));
    }
    out.push_back(std::move(issue));
  }
  return out;
}

} // namespace tilewright::instruction
