#include "schedule/TileSite.h"

#include <algorithm>

namespace tilewright::schedule {
namespace {

using ir::FunctionPlan;
using ir::Op;
using ir::PlanValue;
using ir::ValueId;
using ir::ValueKind;

/// The matrix that a tile is a part of, and the values on the way there, the tile first.
struct Origin {
  std::vector<ValueId> path;
  const ir::TensorType *matrix = nullptr;
  bool sliced = false;
  int64_t buffers = 0; // of the ring that the tile lies in; 0: none
};

const ir::TensorType *tensorOf(const FunctionPlan &plan, ValueId value) {
  if (value < 0 || static_cast<size_t>(value) >= plan.values.size() || plan.at(value).type.isTuple)
    return nullptr;
  return &plan.at(value).type.tensor;
}

Origin originOf(const FunctionPlan &plan, ValueId value) {
  Origin origin;
  while (tensorOf(plan, value) && origin.path.size() < plan.values.size()) {
    const PlanValue &at = plan.at(value);
    origin.path.push_back(value);
    origin.matrix = &at.type.tensor;
    if (at.kind != ValueKind::Op || at.operands.empty())
      break;
    if (at.op == Op::Schedule) { // a copy: the source, then where it goes
      const ir::Attribute *op = ir::find(at.attributes, "op");
      const auto *instruction = op ? std::get_if<ir::Instruction>(op) : nullptr;
      if (!instruction || instruction->name.rfind("T.copy", 0) != 0)
        break;
      if (at.operands.size() > 1)
        if (const PlanValue &ring = plan.at(at.operands[1]); ring.kind == ValueKind::Op && ring.op == Op::Empty) {
          origin.path.push_back(at.operands[1]);
          if (const ir::Attribute *buffers = ir::find(ring.attributes, "buffers"))
            if (const auto *count = std::get_if<int64_t>(buffers))
              origin.buffers = std::max(origin.buffers, *count);
        }
    } else if (at.op == Op::Slice) {
      origin.sliced = true;
    } else if (at.op != Op::Reshard && at.op != Op::Cast) {
      break;
    }
    value = at.operands[0];
  }
  return origin;
}

/// What the result of the product is added to, kept in and stored through: values of the block's own shape.
std::vector<ValueId> resultsOf(const FunctionPlan &plan, const PlanValue &product) {
  std::vector<ValueId> out;
  const auto &shape = product.type.tensor.shape;
  for (size_t id = 0; id < plan.values.size(); ++id) {
    const PlanValue &value = plan.values[id];
    const bool makes = value.kind == ValueKind::Op && (value.op == Op::Zeros || value.op == Op::Empty || value.op == Op::Reshard);
    if (makes && !value.type.isTuple && value.type.tensor.shape == shape)
      out.push_back(static_cast<ValueId>(id));
  }
  return out;
}

std::optional<TileDtype> dtypeOf(ir::DType dtype) {
  switch (dtype) {
  case ir::DType::F16: return TileDtype::F16;
  case ir::DType::BF16: return TileDtype::Bf16;
  case ir::DType::F8E4M3: return TileDtype::Fp8;
  case ir::DType::F32: return TileDtype::Tf32; // four bytes an element
  default: return std::nullopt;
  }
}

/// Positions of the innermost mesh over threads around a region.
std::optional<int64_t> threadsAround(const FunctionPlan &plan, ir::RegionId region) {
  for (; region != ir::kNone; region = plan.regions[static_cast<size_t>(region)].parent) {
    const auto &mesh = plan.regions[static_cast<size_t>(region)].mesh;
    if (!mesh || mesh->topologies.empty() || mesh->topologies.back().name != "thread")
      continue;
    int64_t positions = 1;
    for (size_t axis = 0; axis < mesh->shape.size(); ++axis)
      if (mesh->levelOf(static_cast<int>(axis)) + 1 == static_cast<int>(mesh->topologies.size()))
        positions *= mesh->shape[axis];
    return positions;
  }
  return std::nullopt;
}

std::optional<TileInstruction> instructionOf(const ir::Instruction &scheduled) {
  for (const auto &[name, parameter] : scheduled.parameters)
    if (const auto *atoms = std::get_if<std::vector<ir::Instruction>>(&parameter); name == "atom" && atoms && !atoms->empty()) {
      const std::string &atom = atoms->front().name;
      const auto ends = [&](std::string_view ending) { return atom.size() >= ending.size() && atom.compare(atom.size() - ending.size(), ending.size(), ending) == 0; };
      if (ends("Wgmma"))
        return TileInstruction::Wgmma;
      if (atom.find("tcgen05") != std::string::npos || ends("Umma"))
        return TileInstruction::Tcgen05;
      if (ends("Mma"))
        return TileInstruction::Mma;
    }
  return std::nullopt;
}

} // namespace

std::vector<TileSite> tileSites(const ir::Program &program, size_t function) {
  std::vector<TileSite> sites;
  const FunctionPlan &plan = program.functions[function];
  if (!program.target || !tileDevice(*program.target))
    return sites;
  for (size_t id = 0; id < plan.values.size(); ++id) {
    const PlanValue &value = plan.values[id];
    if (value.kind != ValueKind::Op || value.type.isTuple)
      continue;
    TileSite site;
    site.value = static_cast<ValueId>(id);
    ValueId lhs = ir::kNone, rhs = ir::kNone;
    if (value.op == Op::MatMul && value.operands.size() >= 2) {
      lhs = value.operands[0];
      rhs = value.operands[1];
    } else if (value.op == Op::Schedule && value.operands.size() >= 3) {
      const ir::Attribute *op = ir::find(value.attributes, "op");
      const auto *scheduled = op ? std::get_if<ir::Instruction>(op) : nullptr;
      const auto instruction = scheduled ? instructionOf(*scheduled) : std::nullopt;
      if (!instruction)
        continue;
      site.instructionStated = true;
      site.config.instruction = *instruction;
      lhs = value.operands[1];
      rhs = value.operands[2];
    }
    const ir::TensorType *a = tensorOf(plan, lhs), *b = tensorOf(plan, rhs);
    if (!a || !b || a->shape.size() != 2 || b->shape.size() != 2 || value.type.tensor.shape.size() != 2 || a->shape[1] != b->shape[0])
      continue;
    const Origin left = originOf(plan, lhs), right = originOf(plan, rhs);
    const auto dtype = dtypeOf(a->dtype);
    if (!dtype || !left.matrix || !right.matrix || left.matrix->shape.size() != 2 || right.matrix->shape.size() != 2 || left.matrix->shape[1] != right.matrix->shape[0] ||
        (!left.sliced && !right.sliced))
      continue;
    site.problem = {left.matrix->shape[0], right.matrix->shape[1], left.matrix->shape[1], *dtype};
    site.config.blockM = a->shape[0];
    site.config.blockN = b->shape[1];
    site.config.blockK = a->shape[1];
    site.stagesStated = left.buffers > 0 || right.buffers > 0;
    site.config.stages = std::max<int64_t>({left.buffers, right.buffers, 1});
    site.inShared = a->storage == ir::Storage::Smem && b->storage == ir::Storage::Smem;
    if (!site.instructionStated)
      site.config.instruction = a->dtype == ir::DType::F32        ? TileInstruction::Simt
                                : program.target->hasWgmma()      ? TileInstruction::Wgmma
                                : program.target->hasTcgen05()    ? TileInstruction::Tcgen05
                                                                  : TileInstruction::Mma;
    const auto threads = threadsAround(plan, value.region);
    site.threadsStated = threads.has_value();
    site.config.threads = 256;
    for (const layout::Topology &level : program.topologies)
      if (level.name == "thread" && level.extent > 0)
        site.config.threads = level.extent;
    site.config.threads = threads.value_or(site.config.threads);
    const auto &sizes = {site.problem.m, site.problem.n, site.problem.k, site.config.blockM, site.config.blockN, site.config.blockK};
    if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size <= 0; }) || beyondArithmetic(site.problem, site.config, *tileDevice(*program.target)))
      continue;
    site.lhs = left.path;
    site.rhs = right.path;
    site.result = resultsOf(plan, value);
    for (ir::RegionId region = value.region; region != ir::kNone; region = plan.regions[static_cast<size_t>(region)].parent)
      if (plan.regions[static_cast<size_t>(region)].kind == ir::RegionKind::Loop)
        site.loops.push_back(region);
    sites.push_back(std::move(site));
  }
  return sites;
}

} // namespace tilewright::schedule
