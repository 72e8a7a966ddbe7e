// What each buffer becomes. The analyses say which values share bytes; a buffer that a returned value lies in is the output, a tile whose
// place in the output is known from the start is a window of it, and what is left in global memory is scratch that the caller provides.
#include "schedule/FinalizeFunction.h"

#include "support/Codes.h"

#include <algorithm>
#include <functional>

namespace tilewright::schedule {
namespace {

/// Tensor leaves of a type, in order.
void leavesOf(const ir::Type &type, std::vector<const ir::TensorType *> &leaves) {
  if (!type.isTuple) {
    leaves.push_back(&type.tensor);
    return;
  }
  for (const ir::Type &field : type.fields)
    leavesOf(field, leaves);
}

} // namespace

FunctionLowering::BufferId FunctionLowering::bufferOf(ir::ValueId value, int leaf) const {
  auto found = bufferOf_.find({value, leaf});
  return found == bufferOf_.end() ? -1 : found->second;
}

std::string FunctionLowering::authored(ir::ValueId value) const {
  const std::string &name = at(value).authored;
  return name.empty() ? "value" : name;
}

tir::ValueId FunctionLowering::newValue(tir::ValueKind kind, std::string name, ir::TensorType type) {
  out_.values.push_back({kind, std::move(name), std::move(type), false});
  return static_cast<tir::ValueId>(out_.values.size()) - 1;
}

tir::ValueId FunctionLowering::parameter(std::string name, ir::TensorType type) {
  tir::ValueId id = newValue(tir::ValueKind::Parameter, std::move(name), std::move(type));
  out_.parameters.push_back(id);
  return id;
}

void FunctionLowering::markPart(ir::ValueId value, ir::ValueId insert, int depth) {
  if (depth > 200 || bufferOf(value) != bufferOf(insert) || !partOf_.try_emplace(value, insert).second)
    return;
  const ir::PlanValue &part = at(value);
  if (part.kind == ir::ValueKind::Op && part.op == ir::Op::Schedule)
    for (ir::ValueId operand : part.operands)
      markPart(operand, insert, depth + 1);
  if (part.kind == ir::ValueKind::Op && (part.op == ir::Op::InsertSlice || part.op == ir::Op::Reshape))
    markPart(part.operands[0], insert, depth + 1);
  for (const ir::PlanRegion &region : plan_.regions)
    for (const ir::LoopCarry &carry : region.carries)
      if (carry.result == value || carry.inside == value) {
        markPart(carry.init, insert, depth + 1);
        markPart(carry.inside, insert, depth + 1);
        markPart(carry.yielded, insert, depth + 1);
      }
}

void FunctionLowering::classify() {
  // Values in the order of the walk; a loop's carries begin where it does.
  int next = 0;
  std::vector<std::pair<int, std::pair<ir::ValueId, int>>> order;
  auto meet = [&](ir::ValueId id) {
    if (id == ir::kNone || !rank_.try_emplace(id, next).second)
      return;
    ++next;
  };
  for (ir::ValueId parameter : plan_.parameters)
    meet(parameter);
  std::function<void(ir::RegionId)> walk = [&](ir::RegionId id) { // depth: regions, at most 200
    for (const ir::PlanItem &item : region(id).items) {
      if (item.region == ir::kNone) {
        meet(item.value);
        continue;
      }
      for (const ir::LoopCarry &carry : region(item.region).carries)
        meet(carry.inside);
      walk(item.region);
      for (const ir::LoopCarry &carry : region(item.region).carries)
        meet(carry.result);
    }
  };
  walk(0);
  buffers_.resize(sharing_.buffers.size());
  bufferOf_ = std::map<std::pair<ir::ValueId, int>, BufferId>(sharing_.bufferOf.begin(), sharing_.bufferOf.end());
  for (const auto &[key, id] : bufferOf_) {
    auto rank = rank_.find(key.first);
    if (rank == rank_.end())
      continue;
    Buffer &one = buffer(id);
    if (one.maker != ir::kNone && std::pair(rank_[one.maker], one.leaf) <= std::pair(rank->second, key.second))
      continue;
    std::vector<const ir::TensorType *> leaves;
    leavesOf(at(key.first).type, leaves);
    one.maker = key.first;
    one.leaf = key.second;
    one.type = leaves[static_cast<size_t>(key.second)];
  }
  for (size_t i = 0; i < buffers_.size(); ++i) {
    Buffer &one = buffers_[i];
    if (one.maker == ir::kNone)
      continue;
    one.offset = sharing_.buffers[i].offset;
    one.slot = sharing_.buffers[i].slot;
    const ir::PlanValue &maker = at(one.maker);
    if (maker.kind == ir::ValueKind::Op && maker.op == ir::Op::Empty)
      if (const ir::Attribute *copies = ir::find(maker.attributes, "buffers"))
        one.copies = std::get<int64_t>(*copies);
    switch (one.type->storage) {
    case ir::Storage::Gmem: one.kind = maker.kind == ir::ValueKind::Parameter ? Buffer::Kind::Parameter : Buffer::Kind::Scratch; break;
    case ir::Storage::Smem: one.kind = one.copies > 1 ? Buffer::Kind::Ring : Buffer::Kind::Shared; break;
    case ir::Storage::Rmem:
    case ir::Storage::Tmem: one.kind = Buffer::Kind::Register; break;
    default: break;
    }
  }
}

void FunctionLowering::signature() {
  for (ir::ValueId id : plan_.parameters) {
    tir::ValueId value = parameter(names_.fresh(at(id).name), at(id).type.tensor);
    if (BufferId own = bufferOf(id); own >= 0)
      buffer(own).value = value;
  }
  // The returned leaves.
  std::vector<std::pair<ir::ValueId, int>> returned;
  const ir::PlanValue &result = at(plan_.returned);
  if (result.kind == ir::ValueKind::Tuple)
    for (ir::ValueId element : result.operands)
      returned.push_back({element, 0});
  else if (result.type.isTuple)
    for (size_t leaf = 0; leaf < result.type.fields.size(); ++leaf)
      returned.push_back({plan_.returned, static_cast<int>(leaf)});
  else
    returned.push_back({plan_.returned, 0});
  std::vector<BufferId> outputs;
  for (auto [value, leaf] : returned) {
    BufferId id = bufferOf(value, leaf);
    if (id >= 0 && buffer(id).kind == Buffer::Kind::Parameter) {
      // What the function makes of a parameter goes to the output; the parameter itself is only read.
      BufferId own = id;
      id = static_cast<BufferId>(buffers_.size());
      buffers_.push_back({});
      buffers_.back().maker = value;
      buffers_.back().type = &at(value).type.tensor;
      for (auto &[key, place] : bufferOf_)
        if (place == own && at(key.first).kind != ir::ValueKind::Parameter) {
          place = id;
          untouched_.insert(key.first);
        }
    }
    if (id >= 0 && std::find(outputs.begin(), outputs.end(), id) != outputs.end())
      refuse(at(value), Code::CopyRefused, "`" + nameOf(value) + "` is returned twice, and nothing copies it: each result lies in memory of its own");
    if (id < 0) {
      outputs.push_back(-1);
      continue;
    }
    buffer(id).kind = Buffer::Kind::Output;
    outputs.push_back(id);
  }
  for (const auto &[value, rank] : rank_) {
    const ir::PlanValue &insert = at(value);
    if (insert.kind == ir::ValueKind::Op && insert.op == ir::Op::InsertSlice)
      markPart(insert.operands[1], value, 0);
  }
  // Scratch in the order in which it is first used, then what callees need, call by call.
  std::vector<BufferId> scratch;
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].kind == Buffer::Kind::Scratch)
      scratch.push_back(static_cast<BufferId>(i));
  std::sort(scratch.begin(), scratch.end(), [&](BufferId a, BufferId b) { return std::pair(rank_[buffer(a).maker], buffer(a).leaf) < std::pair(rank_[buffer(b).maker], buffer(b).leaf); });
  auto flat = [](int64_t elements, ir::DType dtype) {
    ir::TensorType type;
    type.shape = {elements};
    type.dtype = dtype;
    return type;
  };
  CallShape &shape = context_.shapes[number_];
  for (BufferId id : scratch) {
    ir::TensorType type = flat(buffer(id).type->elements(), buffer(id).type->dtype);
    shape.scratch.push_back(type);
    buffer(id).value = parameter(names_.fresh("scratch"), std::move(type));
  }
  std::vector<std::pair<int, ir::ValueId>> calls;
  for (const auto &[value, rank] : rank_)
    if (at(value).kind == ir::ValueKind::Call && at(value).callee != ir::kNone)
      calls.push_back({rank, value});
  std::sort(calls.begin(), calls.end());
  for (const auto &[rank, value] : calls)
    for (const ir::TensorType &type : context_.shapes[static_cast<size_t>(at(value).callee)].scratch) {
      shape.scratch.push_back(type);
      callScratch_[value].push_back(parameter(names_.fresh("scratch"), type));
    }
  for (size_t i = 0; i < returned.size(); ++i) {
    std::vector<const ir::TensorType *> leaves;
    leavesOf(at(returned[i].first).type, leaves);
    tir::ValueId value = parameter(names_.fresh("out"), *leaves[static_cast<size_t>(returned[i].second)]);
    out_.values[static_cast<size_t>(value)].output = true;
    if (outputs[i] >= 0)
      buffer(outputs[i]).value = value;
  }
  out_.outputs = static_cast<int>(returned.size());
}

/// Registers are declared in the innermost body that encloses every use.
void FunctionLowering::useIn(ir::ValueId id, ir::RegionId region) {
  std::vector<const ir::TensorType *> leaves;
  leavesOf(at(id).type, leaves);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    BufferId own = bufferOf(id, static_cast<int>(leaf));
    if (own < 0)
      continue;
    Buffer &one = buffer(own);
    if (one.home == ir::kNone) {
      one.home = region;
      continue;
    }
    std::set<ir::RegionId> around;
    for (ir::RegionId at = one.home; at != ir::kNone; at = this->region(at).parent)
      around.insert(at);
    ir::RegionId common = region;
    while (!around.count(common))
      common = this->region(common).parent;
    one.home = common;
  }
}

void FunctionLowering::findHomes() {
  for (Buffer &one : buffers_)
    one.home = ir::kNone;
  std::function<void(ir::RegionId)> walk = [&](ir::RegionId id) { // depth: regions, at most 200
    for (const ir::PlanItem &item : region(id).items) {
      if (item.region == ir::kNone) {
        const ir::PlanValue &value = at(item.value);
        if (value.kind != ir::ValueKind::Tuple)
          useIn(item.value, id);
        for (ir::ValueId operand : value.operands)
          useIn(operand, id);
        continue;
      }
      for (const ir::LoopCarry &carry : region(item.region).carries) {
        useIn(carry.init, id);
        useIn(carry.inside, id);
        useIn(carry.yielded, id);
        if (carry.result != ir::kNone)
          useIn(carry.result, id);
      }
      walk(item.region);
    }
  };
  walk(0);
}

void FunctionLowering::declareRegister(BufferId id) {
  Buffer &one = buffer(id);
  if (one.value != tir::kNone)
    return;
  one.value = newValue(tir::ValueKind::Buffer, names_.fresh(authored(one.maker)), *one.type);
  tir::Statement statement;
  statement.kind = tir::StatementKind::Alloc;
  statement.value = one.value;
  statement.span = span_;
  frameOf(one.home == ir::kNone ? 0 : one.home).block->push_back(std::move(statement));
}

} // namespace tilewright::schedule
