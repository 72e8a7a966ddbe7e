// How an operand is reached. A window is a view over the address of its first element; a buffer of shared memory or of scratch is declared
// again in every body that uses it; a slot of a ring is indexed in place. A register value is passed through a view of all of it where it is
// shared out over units and its arrangement is the author's own (a declaration, or what has the type of one), and as it is otherwise.
#include "schedule/FinalizeFunction.h"
#include "support/Codes.h"


#include <algorithm>

namespace tilewright::schedule {
namespace {

enum View : int { kBuffer, kValue, kPart };

/// Whether a layout is an extent and a stride per axis. Where it begins does not count: the address of a window says that.
bool isPlain(const ir::TensorType &type) {
  if (!type.layout)
    return true;
  const layout::TensorLayout &layout = *type.layout;
  return !layout.mesh && !layout.swizzle && layout.shape.flat().size() == type.shape.size();
}

std::vector<int64_t> stridesOf(const ir::TensorType &type) {
  return type.layout && isPlain(type) ? layout::flatStrides(*type.layout) : layout::compactStrides(type.shape);
}

/// What the stride of an axis of one element is: none, or as it was.
enum class Single : uint8_t { Drop, Keep };
ir::TensorType windowType(const ir::TensorType &type, std::vector<int64_t> strides, Single single) {
  ir::TensorType out = type;
  layout::TensorLayout layout;
  layout.shape = layout::IntTuple::of(type.shape);
  for (size_t axis = 0; single == Single::Drop && axis < type.shape.size(); ++axis)
    if (type.shape[axis] == 1)
      strides[axis] = 0;
  layout.strides = layout::IntTuple::of(strides);
  out.layout = std::move(layout);
  return out;
}

bool allZero(const std::vector<tir::Range> &window) {
  return std::all_of(window.begin(), window.end(), [](const tir::Range &range) { return range.start.kind == tir::Expr::Kind::Integer && range.start.integer == 0; });
}

std::vector<tir::Range> fullWindow(const std::vector<int64_t> &shape) {
  std::vector<tir::Range> window;
  for (int64_t extent : shape)
    window.push_back({tir::Expr{}, extent});
  return window;
}

tir::Operand valueOperand(tir::ValueId id) {
  tir::Operand operand;
  operand.value = id;
  return operand;
}

} // namespace

tir::Operand FunctionLowering::known(int kind, int32_t of) const {
  auto found = frames_.back().views.find({kind, of});
  return valueOperand(found == frames_.back().views.end() ? tir::kNone : found->second);
}

tir::Operand FunctionLowering::declareView(std::string name, tir::View view) {
  tir::ValueId id = newValue(tir::ValueKind::View, std::move(name), view.type);
  tir::Statement statement;
  statement.kind = tir::StatementKind::View;
  statement.value = id;
  statement.views.push_back(std::move(view));
  statement.span = span_;
  add(std::move(statement));
  return valueOperand(id);
}

std::vector<ir::ValueId> FunctionLowering::elements(ir::ValueId tuple) const {
  return at(tuple).kind == ir::ValueKind::Tuple ? at(tuple).operands : std::vector{tuple};
}

bool FunctionLowering::isAuthored(ir::ValueId id, int depth) const {
  const ir::PlanValue &value = at(id);
  if (depth > 10000)
    return false;
  switch (value.kind) {
  case ir::ValueKind::Carry:
  case ir::ValueKind::LoopResult:
    for (const ir::PlanRegion &region : plan_.regions)
      for (const ir::LoopCarry &carry : region.carries)
        if (carry.inside == id || carry.result == id)
          return isAuthored(carry.init, depth + 1);
    return false;
  case ir::ValueKind::Op: break;
  default: return false;
  }
  switch (value.op) {
  case ir::Op::Empty:
  case ir::Op::Zeros: return true;
  case ir::Op::Schedule: return isAuthored(value.operands[destinationOf(value)], depth + 1);
  case ir::Op::Neg:
  case ir::Op::Abs:
  case ir::Op::LogicalNot:
  case ir::Op::Exp:
  case ir::Op::Log:
  case ir::Op::Exp2:
  case ir::Op::Log2:
  case ir::Op::Ceil:
  case ir::Op::Round:
  case ir::Op::Unary:
  case ir::Op::Clamp:
  case ir::Op::ReLU:
  case ir::Op::FullLike:
  case ir::Op::InsertSlice: return isAuthored(value.operands[0], depth + 1);
  default: return false;
  }
}

tir::Operand FunctionLowering::whole(BufferId id) {
  if (id < 0) {
    failed_ = true;
    return {};
  }
  Buffer &one = buffer(id);
  switch (one.kind) {
  case Buffer::Kind::Parameter:
  case Buffer::Kind::Output: return valueOperand(one.value);
  case Buffer::Kind::Register: declareRegister(id); return valueOperand(one.value);
  case Buffer::Kind::Ring: return slot(id);
  case Buffer::Kind::Unused: failed_ = true; return {};
  default: break;
  }
  if (tir::Operand declared = known(kBuffer, id); declared.value != tir::kNone)
    return declared;
  tir::View view;
  std::string name;
  if (one.name.empty())
    one.name = names_.fresh(authored(one.maker));
  if (one.kind == Buffer::Kind::Scratch) {
    view.base = valueOperand(one.value);
    view.window = {{tir::Expr{}, one.type->elements()}};
    view.type = isPlain(*one.type) ? windowType(*one.type, stridesOf(*one.type), Single::Keep) : *one.type;
    name = names_.fresh(one.name);
  } else {
    view.address = one.offset;
    view.type = *one.type;
    if (!view.type.layout)
      view.type.layout = layout::compact(view.type.shape);
    name = one.name;
  }
  tir::Operand operand = declareView(std::move(name), std::move(view));
  remember(kBuffer, id, operand);
  return operand;
}

/// The window of the place into which `insert` writes.
tir::Operand FunctionLowering::insertWindow(ir::ValueId insert, Written how) {
  const ir::PlanValue &op = at(insert);
  auto part = partOf_.find(insert);
  tir::View view;
  view.base = part == partOf_.end() ? whole(bufferOf(insert)) : partOf(part->second);
  const std::vector<ir::ValueId> starts = elements(op.operands[2]);
  const ir::TensorType &update = at(op.operands[1]).type.tensor;
  for (size_t axis = 0; axis < starts.size(); ++axis)
    view.window.push_back({indexOf(starts[axis], op), how == Written::Window ? update.shape[axis] : 1});
  if (how == Written::Part && allZero(view.window))
    view.window.clear();
  ir::TensorType type = update;
  type.storage = op.type.tensor.storage;
  view.type = windowType(type, part == partOf_.end() ? stridesOf(op.type.tensor) : stridesOf(out_.at(view.base.value).type),
                         how == Written::Window ? Single::Keep : Single::Drop);
  return declareView(names_.fresh(how == Written::Window ? "window" : "value"), std::move(view));
}

tir::Operand FunctionLowering::partOf(ir::ValueId insert) {
  if (tir::Operand declared = known(kPart, insert); declared.value != tir::kNone)
    return declared;
  tir::Operand operand = insertWindow(insert, Written::Part);
  remember(kPart, insert, operand);
  return operand;
}

tir::Operand FunctionLowering::windowOf(ir::ValueId id) {
  if (tir::Operand declared = known(kValue, id); declared.value != tir::kNone)
    return declared;
  const ir::PlanValue &value = at(id);
  const ir::PlanValue &from = at(value.operands[0]);
  if (from.type.tensor.storage == ir::Storage::Rmem) {
    refuse(value, Code::RegisterWindow, "`" + nameOf(id) + "` is a window of `" + nameOf(value.operands[0]) + "`, which lies in registers: they have no addresses");
    return {};
  }
  tir::View view;
  view.base = reach(value.operands[0]);
  if (value.op == ir::Op::Slice) {
    const std::vector<ir::ValueId> starts = elements(value.operands[1]);
    for (size_t axis = 0; axis < starts.size(); ++axis) {
      // A window of all of an axis begins at its first element, whatever variable says so.
      const bool all = from.type.tensor.shape[axis] == value.type.tensor.shape[axis];
      view.window.push_back({all ? integer(0) : indexOf(starts[axis], value), 1});
    }
    if (allZero(view.window))
      view.window.clear();
  }
  const ir::TensorType &type = value.type.tensor;
  view.type = isPlain(type) ? windowType(type, stridesOf(type), Single::Drop) : type;
  tir::Operand operand = declareView(names_.fresh("value"), std::move(view));
  remember(kValue, id, operand);
  return operand;
}

/// A window as a value that has its elements under a shape with more or fewer axes of one element.
tir::Operand FunctionLowering::sameRows(const tir::Operand &window, ir::ValueId id) {
  const ir::TensorType &type = at(id).type.tensor;
  const ir::TensorType shown = out_.at(window.value).type;
  if (type.shape == shown.shape)
    return window;
  if (tir::Operand declared = known(kValue, id); declared.value != tir::kNone)
    return declared;
  const std::vector<int64_t> steps = stridesOf(shown);
  std::vector<int64_t> strides;
  size_t axis = 0;
  for (int64_t extent : type.shape) {
    while (extent != 1 && axis < shown.shape.size() && shown.shape[axis] == 1)
      ++axis;
    strides.push_back(extent == 1 || axis >= steps.size() ? 0 : steps[axis++]);
  }
  ir::TensorType own = type;
  own.storage = shown.storage;
  tir::View view;
  view.base = window;
  view.type = windowType(own, std::move(strides), Single::Drop);
  tir::Operand operand = declareView(names_.fresh("value"), std::move(view));
  remember(kValue, id, operand);
  return operand;
}

tir::Operand FunctionLowering::reach(ir::ValueId id) {
  const ir::PlanValue &value = at(id);
  if (auto part = partOf_.find(id); part != partOf_.end())
    return sameRows(partOf(part->second), id);
  if (value.kind == ir::ValueKind::Op && (value.op == ir::Op::Slice || value.op == ir::Op::Reshape))
    return windowOf(id);
  if (value.kind == ir::ValueKind::Op && value.op == ir::Op::Schedule)
    return reach(value.operands[destinationOf(value)]);
  return whole(bufferOf(id));
}

tir::Operand FunctionLowering::operandOf(ir::ValueId id, const std::string &stem) {
  const ir::TensorType &type = at(id).type.tensor;
  tir::Operand base = reach(id);
  const bool shared = type.layout && type.layout->distributed();
  if (type.storage != ir::Storage::Rmem || type.shape.empty() || !shared || !isAuthored(id))
    return base;
  tir::View view;
  view.base = base;
  view.window = fullWindow(type.shape);
  view.type = type;
  return declareView(names_.fresh(stem), std::move(view));
}

/// A literal as the register that an instruction reads it from.
tir::Operand FunctionLowering::scalar(const ir::PlanValue &value) {
  ir::TensorType type;
  type.dtype = value.type.tensor.dtype;
  type.storage = ir::Storage::Rmem;
  tir::ValueId id = newValue(tir::ValueKind::Buffer, names_.fresh("scalar"), type);
  tir::Statement alloc;
  alloc.kind = tir::StatementKind::Alloc;
  alloc.value = id;
  alloc.span = span_;
  add(std::move(alloc));
  tir::Statement fill;
  fill.instruction.name = "T.fill";
  tir::Operand number;
  number.kind = ir::isFloat(type.dtype) ? tir::Operand::Kind::Number : tir::Operand::Kind::Integer;
  number.number = value.number;
  number.integer = value.integer;
  fill.operands = {valueOperand(id), number};
  fill.span = span_;
  add(std::move(fill));
  return valueOperand(id);
}

void FunctionLowering::emitIssues(const std::vector<instruction::Issue> &issues, const std::vector<std::string> &stems, const std::vector<ir::ValueId> &operands,
                                  const instruction::Instruction &instruction) {
  for (const instruction::Issue &issue : issues) {
    tir::Statement call;
    call.instruction = instruction;
    call.span = span_;
    for (size_t i = 0; i < operands.size(); ++i) {
      const instruction::Tile &tile = issue.operands[i];
      tir::View view;
      view.base = reach(operands[i]);
      for (size_t axis = 0; axis < tile.start.size(); ++axis)
        view.window.push_back({integer(tile.start[axis]), tile.extent[axis]});
      view.type = at(operands[i]).type.tensor;
      view.type.shape = tile.extent;
      view.type.layout = tile.layout;
      call.operands.push_back(declareView(names_.fresh(stems[i] + "_view"), std::move(view)));
    }
    add(std::move(call));
  }
}

} // namespace tilewright::schedule
