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

/// A sharded operand narrowed to one issue of all its groups: the outermost modes of a repeated axis go, the others stay.
layout::TensorLayout heldWindow(const TensorType &type, const std::vector<int64_t> &serial) {
  Tiled tile = heldByIssue(type, serial, type.layout->mesh->shape.size());
  return *tile.type.layout;
}
} // namespace

std::vector<Issue> issues(const Use &use, const Match &accepted) {
  const InstructionParameter *parameter = find(accepted.instruction, "atom");
  const auto *nested = parameter ? std::get_if<std::vector<Instruction>>(parameter) : nullptr;
  const Row *row = rowNamed(accepted.instruction.name), *atom = nested && !nested->empty() ? rowNamed(nested->front().name) : nullptr;
  if (!row || !atom || accepted.repeat.size() != row->iteration.size()) {
    Issue once;
    for (const TensorType &operand : use.operands)
      once.operands.push_back(whole(operand));
    return {once};
  }
  const std::vector<std::string> &dims = row->iteration;
  const auto dimOf = [&](const std::string &name) { return static_cast<size_t>(std::find(dims.begin(), dims.end(), name) - dims.begin()); };
  const auto contract = [&](size_t i) -> const Operand & {
    return *std::find_if(atom->operands.begin(), atom->operands.end(), [&](const Operand &one) { return one.name == row->operands[i].ofAtom; });
  };
  size_t frame = 0;
  for (const LayoutPattern *pattern = &atom->meshes.front().mesh.layout; pattern; pattern = pattern->inner.get())
    if (pattern->shape)
      frame = pattern->shape->elements[0].elements.size();
  // Groups share out a dimension where an operand that threads hold says so; every operand of that dimension is cut alike.
  std::vector<int64_t> groups(dims.size(), 1), serial = accepted.repeat;
  for (size_t i = 0; i < use.operands.size(); ++i) {
    if (use.operands[i].storage != Storage::Rmem)
      continue;
    const std::vector<int64_t> own = groupsOf(use.operands[i], frame);
    for (size_t axis = 0; axis < own.size(); ++axis)
      groups[dimOf(contract(i).dims[axis])] = std::max(groups[dimOf(contract(i).dims[axis])], own[axis]);
  }
  int64_t count = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    serial[d] = std::max<int64_t>(1, accepted.repeat[d] / groups[d]);
    count *= serial[d];
  }
  std::optional<layout::Mesh> scope;
  for (const auto &mesh : use.scopes)
    if (mesh)
      scope = scope ? layout::compose(*scope, *mesh) : *mesh;
  std::shared_ptr<const layout::Mesh> issuers;
  if (scope)
    issuers = std::make_shared<const layout::Mesh>(layout::levelMesh(*scope, static_cast<int>(scope->topologies.size()) - 1));

  // The layout of a window does not depend on which issue it is, but for where a swizzled one begins within a row.
  std::vector<layout::TensorLayout> layouts;
  for (size_t i = 0; i < use.operands.size(); ++i) {
    std::vector<int64_t> counts;
    for (const std::string &dim : contract(i).dims)
      counts.push_back(serial[dimOf(dim)]);
    const TensorType &type = use.operands[i];
    const bool held = type.storage == Storage::Rmem && type.layout && type.layout->mesh;
    layouts.push_back(held ? heldWindow(type, counts) : *leadingRemoved(type, counts).type.layout);
    layouts.back().offset = 0;
    layouts.back().window = false;
    if (!layouts.back().mesh && issuers && type.storage == Storage::Smem) {
      layouts.back().mesh = issuers;
      layouts.back().states.assign(issuers->shape.size(), layout::AxisState{});
      layouts.back().explicitState = true;
    }
  }

  std::vector<Issue> out;
  std::vector<int64_t> at(dims.size(), 0);
  for (int64_t n = 0; n < count; ++n) {
    int64_t digits = n;
    for (size_t k = accepted.order.size(); k-- > 0;) { // the last of the order runs fastest
      const auto d = static_cast<size_t>(accepted.order[k]);
      at[d] = digits % serial[d];
      digits /= serial[d];
    }
    Issue issue;
    for (size_t i = 0; i < use.operands.size(); ++i) {
      const TensorType &type = use.operands[i];
      Tile tile{{}, {}, layouts[i]};
      for (size_t axis = 0; axis < type.shape.size(); ++axis) {
        const size_t d = dimOf(contract(i).dims[axis]);
        tile.extent.push_back(type.shape[axis] / serial[d]);
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
