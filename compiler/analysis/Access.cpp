#include "analysis/Access.h"

#include <algorithm>
#include <cstdio>

namespace tilewright::analysis {
namespace {

constexpr int kOwn = -1;   // the axis is walked by this boundary alone

/// Which axis of the iterations each axis of a boundary follows.
using AxisMap = std::vector<int>;

class Describer {
public:
  Describer(const ir::FunctionPlan &plan, ir::ValueId value, const Levels &levels) : plan_(plan), op_(plan.at(value)), levels_(levels) {}

  std::vector<Boundary> boundaries;

  void operand(size_t argument, bool read, bool write, AxisMap map = {}) { add(static_cast<int>(argument), 0, plan_.at(op_.operands[argument]).type.tensor, read, write, std::move(map)); }
  void result(bool write, AxisMap map = {}, size_t leaf = 0, bool footprint = true) {
    std::vector<const ir::TensorType *> leaves;
    leavesOf(op_.type, leaves);
    if (leaf >= leaves.size())
      return;
    add(-1, static_cast<int>(leaf), *leaves[leaf], false, write, std::move(map));
    boundaries.back().footprint = footprint;
  }
  void results(bool write) {
    std::vector<const ir::TensorType *> leaves;
    leavesOf(op_.type, leaves);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
      result(write, {}, leaf);
  }
  /// An operand that is a tuple of scalars, or one scalar: each is read where it is.
  void indices(size_t argument) {
    std::vector<const ir::TensorType *> leaves;
    leavesOf(plan_.at(op_.operands[argument]).type, leaves);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      add(static_cast<int>(argument), static_cast<int>(leaf), *leaves[leaf], true, false, {});
      boundaries.back().indices = true;
    }
  }
  /// Reads at most `coordinates` elements of a table chosen by data.
  void table(size_t argument, int64_t coordinates) {
    operand(argument, true, false);
    boundaries.back().most = coordinates;
  }

  AxisMap aligned(const ir::TensorType &type, size_t rank) const {
    AxisMap map;
    for (size_t i = 0; i < type.shape.size(); ++i)
      map.push_back(type.shape.size() - i > rank ? kOwn : static_cast<int>(rank - (type.shape.size() - i)));
    return map;
  }
  const ir::TensorType &type(size_t argument) const { return plan_.at(op_.operands[argument]).type.tensor; }

  void finish() {
    // Extent and split factors of every axis of the iterations, from every boundary that walks it.
    std::vector<int64_t> extents;
    for (size_t b = 0; b < boundaries.size(); ++b)
      for (size_t i = 0; i < maps_[b].size(); ++i)
        if (int axis = maps_[b][i]; axis >= 0) {
          if (extents.size() <= static_cast<size_t>(axis))
            extents.resize(static_cast<size_t>(axis) + 1, 1);
          extents[static_cast<size_t>(axis)] = std::max(extents[static_cast<size_t>(axis)], boundaries[b].type->shape[i]);
        }
    for (size_t b = 0; b < boundaries.size(); ++b)
      boundaries[b].logical = std::min(bytesOf(elementsOf(boundaries[b].type->shape), boundaries[b].type->dtype), capBytes(b));
    for (size_t level = 0; level < levels_.size(); ++level) {
      std::vector<int64_t> local = extents;
      for (size_t b = 0; b < boundaries.size(); ++b) {
        std::vector<int64_t> own = localShape(*boundaries[b].type, static_cast<int>(level), levels_);
        for (size_t i = 0; i < maps_[b].size(); ++i)
          if (int axis = maps_[b][i]; axis >= 0 && boundaries[b].type->shape[i] == extents[static_cast<size_t>(axis)])
            local[static_cast<size_t>(axis)] = std::min(local[static_cast<size_t>(axis)], own[i]);
      }
      for (size_t b = 0; b < boundaries.size(); ++b) {
        std::vector<int64_t> reached = localShape(*boundaries[b].type, static_cast<int>(level), levels_);
        for (size_t i = 0; i < maps_[b].size(); ++i)
          if (int axis = maps_[b][i]; axis >= 0 && boundaries[b].type->shape[i] == extents[static_cast<size_t>(axis)])
            reached[i] = std::min(reached[i], local[static_cast<size_t>(axis)]);
        boundaries[b].perUnit.push_back(std::min(bytesOf(elementsOf(reached), boundaries[b].type->dtype), capBytes(b)));
        if (static_cast<int>(level) == levels_.selected)
          boundaries[b].reached = std::move(reached);
      }
    }
    for (Boundary &boundary : boundaries)
      if (boundary.reached.empty())
        boundary.reached = boundary.type->shape;
  }

private:
  int64_t capBytes(size_t b) const { return boundaries[b].most == INT64_MAX ? INT64_MAX : bytesOf(boundaries[b].most, boundaries[b].type->dtype); }
  void add(int argument, int leaf, const ir::TensorType &type, bool read, bool write, AxisMap map) {
    Boundary boundary;
    boundary.argument = argument;
    boundary.leaf = leaf;
    boundary.type = &type;
    boundary.read = read;
    boundary.write = write;
    boundaries.push_back(std::move(boundary));
    map.resize(type.shape.size(), kOwn);
    maps_.push_back(std::move(map));
  }

  const ir::FunctionPlan &plan_;
  const ir::PlanValue &op_;
  const Levels &levels_;
  std::vector<AxisMap> maps_;
};

const std::vector<int64_t> *ints(const ir::PlanValue &op, std::string_view name) {
  const ir::Attribute *attribute = ir::find(op.attributes, name);
  return attribute ? std::get_if<std::vector<int64_t>>(attribute) : nullptr;
}
bool boolean(const ir::PlanValue &op, std::string_view name, bool otherwise) {
  const ir::Attribute *attribute = ir::find(op.attributes, name);
  const auto *value = attribute ? std::get_if<bool>(attribute) : nullptr;
  return value ? *value : otherwise;
}

AxisMap sequence(size_t rank) {
  AxisMap map(rank);
  for (size_t i = 0; i < rank; ++i)
    map[i] = static_cast<int>(i);
  return map;
}

void pointwise(Describer &d, const ir::PlanValue &op) {
  size_t rank = op.type.tensor.shape.size();
  for (size_t i = 0; i < op.operands.size(); ++i)
    d.operand(i, true, false, d.aligned(d.type(i), rank));
  d.result(true, sequence(rank));
}

/// Iterations of a product: batch axes, rows, columns, depth.
void product(Describer &d, const ir::PlanValue &op, size_t left, size_t right, size_t accumulator, bool accumulates) {
  size_t rank = accumulates ? d.type(accumulator).shape.size() : op.type.tensor.shape.size();
  auto depth = static_cast<int>(rank);
  AxisMap out = sequence(rank), a = d.aligned(d.type(left), rank), b = d.aligned(d.type(right), rank);
  if (a.size() >= 2)
    a[a.size() - 1] = depth;
  if (b.size() >= 2)
    b[b.size() - 2] = depth;
  if (accumulates) {
    d.operand(accumulator, true, true, out);
    d.operand(left, true, false, a);
    d.operand(right, true, false, b);
    d.result(false);
  } else {
    d.operand(left, true, false, a);
    d.operand(right, true, false, b);
    d.result(true, out);
  }
}

void reduction(Describer &d, const ir::PlanValue &op) {
  size_t rank = d.type(0).shape.size();
  AxisMap in = sequence(rank), out;
  std::vector<bool> reduced(rank, false);
  if (const std::vector<int64_t> *axes = ints(op, "axes"))
    for (int64_t axis : *axes) {
      int64_t at = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
      if (at >= 0 && at < static_cast<int64_t>(rank))
        reduced[static_cast<size_t>(at)] = true;
    }
  bool keeps = boolean(op, "keepdim", true);
  for (size_t i = 0; i < rank; ++i)
    if (!reduced[i])
      out.push_back(static_cast<int>(i));
    else if (keeps)
      out.push_back(kOwn);
  d.operand(0, true, false, in);
  d.result(true, out);
}

void everything(Describer &d, const ir::PlanValue &op) {
  for (size_t i = 0; i < op.operands.size(); ++i)
    d.operand(i, true, false);
  d.results(true);
}

void unread(Describer &d, const ir::PlanValue &op) {
  for (size_t i = 0; i < op.operands.size(); ++i)
    d.operand(i, false, false);
  d.results(false);
}

void describe(Describer &d, const ir::PlanValue &op, const Levels &levels) {
  using ir::Op;
  switch (op.op) {
  case Op::Zeros: d.result(true, {}, 0, false); return;
  case Op::FullLike:
    d.operand(0, false, false);
    d.result(true, {}, 0, false);
    return;
  case Op::Empty: case Op::Arange: case Op::Reshape: case Op::Bitcast: case Op::Local: unread(d, op); return;
  case Op::Slice:
    d.operand(0, false, false);
    d.indices(1);
    d.result(false);
    return;
  case Op::InsertSlice: {
    d.operand(0, false, false);
    size_t rank = d.type(1).shape.size();
    d.operand(1, true, false, sequence(rank));
    d.indices(2);
    d.result(true);
    return;
  }
  case Op::Reshard:
    if (sameBytes(d.type(0), op.type.tensor, levels)) {
      unread(d, op);
      return;
    }
    [[fallthrough]];
  case Op::Softmax: {
    size_t rank = op.type.tensor.shape.size();
    d.operand(0, true, false, sequence(rank));
    d.result(true, sequence(rank));
    return;
  }
  case Op::RmsNorm: case Op::LayerNorm: pointwise(d, op); return;
  case Op::Transpose: {
    size_t rank = op.type.tensor.shape.size();
    AxisMap in(rank, kOwn);
    const std::vector<int64_t> *axes = ints(op, "axes");
    if (!axes)
      axes = ints(op, "perm");
    for (size_t i = 0; axes && i < axes->size() && i < rank; ++i) {
      int64_t at = (*axes)[i] < 0 ? (*axes)[i] + static_cast<int64_t>(rank) : (*axes)[i];
      if (at >= 0 && at < static_cast<int64_t>(rank))
        in[static_cast<size_t>(at)] = static_cast<int>(i);
    }
    d.operand(0, true, false, in);
    d.result(true, sequence(rank));
    return;
  }
  case Op::Reduce: reduction(d, op); return;
  case Op::MatMul: product(d, op, 0, 1, 0, false); return;
  case Op::Schedule:
    if (isProduct(op) && op.operands.size() >= 3) {
      product(d, op, 1, 2, 0, true);
      return;
    }
    if (!op.operands.empty()) {
      using instruction::Access;
      const instruction::Row *row = rowOf(op);
      size_t written = writtenOperand(op), rank = d.type(written).shape.size();
      for (size_t i = 0; i < op.operands.size(); ++i) {
        if (row && row->id == "T.copy_async" && i == 0 && op.operands.size() > 2) {
          d.table(0, elementsOf(d.type(written).shape)); // the rows that an index chooses
          continue;
        }
        const Access access = row && i < row->operands.size() ? row->operands[i].access : i == written ? Access::Write : Access::Read;
        d.operand(i, access != Access::Write, access != Access::Read, d.aligned(d.type(i), rank));
      }
      d.result(false);
    }
    return;
  case Op::IndexSelect: d.table(0, elementsOf(op.type.tensor.shape)); d.operand(1, true, false); d.result(true); return;
  case Op::IndexCopy:
    d.operand(0, false, false);
    for (size_t i = 1; i < op.operands.size(); ++i)
      d.operand(i, true, false);
    d.result(true);
    return;
  case Op::CacheUpdate:
    d.operand(0, false, false);
    for (size_t i = 1; i < op.operands.size(); ++i)
      d.operand(i, true, false);
    d.result(true);
    return;
  case Op::Rope: {
    int64_t coordinates = elementsOf(d.type(0).shape) + elementsOf(d.type(1).shape);
    d.operand(0, true, false);
    d.operand(1, true, false);
    for (size_t i = 2; i < op.operands.size(); ++i)
      d.table(i, i < 4 ? coordinates : elementsOf(d.type(i).shape));
    d.results(true);
    return;
  }
  case Op::Conv2D: case Op::Concat: case Op::Split: case Op::Stack: case Op::RepeatInterleave: case Op::ArgMax: case Op::TopK: case Op::IndexAdd: case Op::Quant:
    everything(d, op);
    return;
  default: pointwise(d, op); return;
  }
}

/// Bytes that one unit hands to others when a value changes its split inside one storage.
std::map<std::string, Traffic> crossing(const ir::TensorType &from, const ir::TensorType &to, const Levels &levels, int64_t bytes, int64_t positions) {
  std::map<std::string, Traffic> crossed;
  if (from.storage != to.storage)
    return crossed;
  for (size_t level = 0; level < levels.size(); ++level) {
    int64_t units = 1;
    for (const AxisSplit &split : splitsOf(from, levels))
      if (split.level == static_cast<int>(level))
        units *= split.positions;
    if (units <= 1)
      continue;
    Traffic traffic;
    int64_t moved = bytes / units * (units - 1);
    traffic.logical = {moved, moved};
    for (size_t l = 0; l < levels.size(); ++l) {
      int64_t share = l < level ? moved : l == level ? moved / units : 0;
      traffic.perUnit.push_back({share, share});
    }
    int64_t total = moved * std::max<int64_t>(positions, 1);
    traffic.total = {total, total};
    crossed[levels.declared[level].name] = std::move(traffic);
  }
  return crossed;
}
} // namespace

Movement movementOf(const ir::FunctionPlan &plan, ir::ValueId value, const Levels &levels, int64_t positions) {
  Movement movement;
  const ir::PlanValue &op = plan.at(value);
  Describer describer(plan, value, levels);
  switch (op.kind) {
  case ir::ValueKind::DimArith: movement.structural = true; return movement;
  case ir::ValueKind::Op:
    describe(describer, op, levels);
    break;
  case ir::ValueKind::Coordinate:
    if (!op.operands.empty())
      describer.operand(0, false, false);
    describer.result(false);
    break;
  default: return movement;
  }
  if (op.op == ir::Op::InsertSlice && op.kind == ir::ValueKind::Op) {
    // The result is written where the update lies, nowhere else.
    describer.finish();
    for (size_t i = 0; i < describer.boundaries.size(); ++i)
      if (Boundary &written = describer.boundaries[i]; written.argument == -1)
        for (const Boundary &update : describer.boundaries)
          if (update.argument == 1) {
            written.logical = update.logical;
            written.perUnit = update.perUnit;
            written.reached = update.reached;
          }
  } else {
    describer.finish();
  }
  if (op.kind == ir::ValueKind::Op && op.op == ir::Op::CacheUpdate)
    for (Boundary &written : describer.boundaries)
      if (written.argument == -1 && describer.boundaries.size() > 2) {
        written.logical = describer.boundaries[1].logical;
        written.perUnit = describer.boundaries[1].perUnit;
      }
  if (op.kind == ir::ValueKind::Op && op.op == ir::Op::Reshard && describer.boundaries[0].read)
    movement.communication = crossing(plan.at(op.operands[0]).type.tensor, op.type.tensor, levels, describer.boundaries[0].logical, positions);
  movement.boundaries = std::move(describer.boundaries);
  return movement;
}

std::map<std::string, Traffic> trafficOf(const Movement &movement, const Levels &levels, int64_t positions) {
  std::map<std::string, Traffic> traffic;
  for (const Boundary &boundary : movement.boundaries) {
    bool umat = boundary.type->storage == ir::Storage::Umat;
    if ((!boundary.read && !boundary.write) || (umat && boundary.argument < 0) || boundary.logical == 0)
      continue;
    Traffic &entry = traffic[std::string(umat ? ir::name(ir::Storage::Rmem) : ir::name(boundary.type->storage))];
    entry.perUnit.resize(levels.size());
    auto count = [&](int64_t Bytes::*direction) {
      entry.logical.*direction += boundary.logical;
      int64_t unit = boundary.logical;
      for (size_t level = 0; level < levels.size(); ++level) {
        entry.perUnit[level].*direction += boundary.perUnit[level];
        if (static_cast<int>(level) == levels.selected)
          unit = boundary.perUnit[level];
      }
      entry.total.*direction += unit * positions;
    };
    if (boundary.read)
      count(&Bytes::read);
    if (boundary.write)
      count(&Bytes::write);
  }
  return traffic;
}

std::string typeLabel(const ir::Type &type) {
  const ir::Type *first = &type;
  while (first->isTuple && !first->fields.empty())
    first = &first->fields[0];
  std::string text(ir::name(first->tensor.dtype));
  text += '[';
  for (size_t i = 0; i < first->tensor.shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(first->tensor.shape[i]);
  text += type.isTuple && type.fields.size() > 1 ? "]+ " : "] ";
  return text + std::string(ir::name(first->tensor.storage));
}

std::string operandName(const ir::FunctionPlan &plan, ir::ValueId value) {
  const ir::PlanValue &operand = plan.at(value);
  if (operand.kind == ir::ValueKind::Constant && operand.inlineIndex)
    return std::to_string(operand.integer);
  if (operand.kind == ir::ValueKind::Tuple) {
    std::string text = "(";
    for (size_t i = 0; i < operand.operands.size(); ++i)
      text += (i ? ", " : "") + operandName(plan, operand.operands[i]);
    return text + (operand.operands.size() == 1 ? ",)" : ")");
  }
  return operand.name;
}

std::vector<OperandTraffic> operandRows(const ir::FunctionPlan &plan, ir::ValueId value, const Movement &movement) {
  std::vector<OperandTraffic> rows;
  const ir::PlanValue &op = plan.at(value);
  for (const Boundary &boundary : movement.boundaries) {
    if (rows.empty() || rows.back().argument != boundary.argument) {
      OperandTraffic row;
      row.argument = boundary.argument;
      ir::ValueId who = boundary.argument < 0 ? value : op.operands[static_cast<size_t>(boundary.argument)];
      row.name = operandName(plan, who);
      row.type = typeLabel(plan.at(who).type);
      rows.push_back(std::move(row));
    }
    if (boundary.read)
      rows.back().bytes.read += boundary.logical;
    if (boundary.write)
      rows.back().bytes.write += boundary.logical;
  }
  return rows;
}

} // namespace tilewright::analysis
