// Statements in the order of the plan: operands of the returned value first. What only names bytes (a window, a reshape, an empty buffer
// outside registers) emits nothing where it stands; it is declared where it is used.
#include "schedule/FinalizeFunction.h"

#include "instruction/Table.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::schedule {
namespace {

const analysis::Sharing &sharingOf(const analysis::Report &report, size_t function) {
  static const analysis::Sharing none;
  for (const analysis::FunctionReport &one : report.functions)
    if (one.function == function)
      return one.record.sharing;
  return none;
}

} // namespace

FunctionLowering::FunctionLowering(FinalizeContext &context, size_t function)
    : context_(context), number_(function), plan_(context.report.program->functions[function]), sharing_(sharingOf(context.report, function)) {}

std::optional<tir::Function> FunctionLowering::run() {
  out_.name = plan_.name;
  out_.item = plan_.item;
  classify();
  if (context_.options.inPlace)
    rejoin();
  signature();
  findHomes();
  tir::Block block;
  frames_.push_back({ir::kNone, &block, {}});
  if (region(0).mesh)
    scope(0);
  else
    body(0);
  frames_.pop_back();
  if (failed_)
    return std::nullopt;
  out_.body = std::move(block);
  uniteNames(out_);
  return std::move(out_);
}

std::string FunctionLowering::nameOf(ir::ValueId id) const { return at(id).authored.empty() ? at(id).name : at(id).authored; }

void FunctionLowering::refuse(const ir::PlanValue &site, Code code, std::string message) {
  if (!failed_)
    context_.sink.add(code, site.span, std::move(message));
  failed_ = true;
}

FunctionLowering::Frame &FunctionLowering::frameOf(ir::RegionId region) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
    if (frame->region == region)
      return *frame;
  return frames_.front();
}

std::vector<std::shared_ptr<const layout::Mesh>> FunctionLowering::scopesAt(ir::RegionId id) const {
  std::vector<std::shared_ptr<const layout::Mesh>> scopes;
  for (; id != ir::kNone; id = region(id).parent)
    if (region(id).mesh)
      scopes.insert(scopes.begin(), region(id).mesh);
  return scopes;
}

void FunctionLowering::scope(ir::RegionId id) {
  const ir::PlanRegion &from = region(id);
  tir::Scope scope;
  scope.name = names_.fresh(scopeOf_.empty() ? "cta" : "scope");
  scope.mesh = from.mesh;
  if (from.selectedFrom != ir::kNone) {
    const layout::Mesh &mesh = *from.mesh;
    const bool relaid = from.header == "relaid";
    // A rearranged selection that begins at the first unit prints as a mesh of its own, however few units it has.
    if (!relaid || mesh.offset != 0 || mesh.strides != layout::compactStrides(mesh.shape)) {
      scope.spelling = relaid ? tir::Scope::Spelling::Refactored : tir::Scope::Spelling::Slice;
      scope.of = scopeOf_.at(from.selectedFrom);
      const layout::Mesh &around = *region(from.selectedFrom).mesh;
      scope.ranges = relaid ? layout::coveredRanges(around, mesh) : layout::selectedRanges(around, mesh);
    }
  }
  scopeOf_[id] = static_cast<tir::ScopeId>(out_.scopes.size());
  out_.scopes.push_back(std::move(scope));
  tir::Statement statement;
  statement.kind = tir::StatementKind::Scope;
  statement.scope = scopeOf_[id];
  statement.span = from.span;
  frames_.push_back({id, &statement.body, {}});
  body(id);
  frames_.pop_back();
  add(std::move(statement));
}

void FunctionLowering::loop(ir::RegionId id) {
  const ir::PlanRegion &from = region(id);
  ir::PlanValue site;
  site.region = from.parent;
  site.span = from.span;
  span_ = from.span;
  for (const ir::LoopCarry &carry : from.carries)
    if (bufferOf(carry.init) != bufferOf(carry.inside) && !copyWhole(carry.init, carry.inside, site))
      return;
  tir::Statement statement;
  statement.kind = tir::StatementKind::Loop;
  statement.span = from.span;
  statement.start = expression(normal(from.start));
  statement.stop = expression(normal(from.stop));
  statement.step = expression(normal(from.step));
  statement.value = newValue(tir::ValueKind::LoopVariable, from.authoredName, ir::scalar(ir::DType::I64, ir::Storage::Umat).tensor);
  variables_[from.induction] = statement.value;
  frames_.push_back({id, &statement.body, {}});
  body(id);
  span_ = from.span;
  site.region = id;
  for (const ir::LoopCarry &carry : from.carries)
    if (!failed_ && bufferOf(carry.yielded) != bufferOf(carry.inside))
      copyWhole(carry.yielded, carry.inside, site);
  if (auto counter = counters_.find(id); counter != counters_.end()) {
    tir::Statement step;
    step.instruction = {"T.binary", {{"kind", instruction::Enumerator{"BinaryKind", "ADD"}}}};
    for (tir::ValueId operand : {counter->second.counter, counter->second.one, counter->second.counter})
      step.operands.push_back({tir::Operand::Kind::Value, operand, {}, 0, 0});
    step.span = from.span;
    add(std::move(step));
  }
  frames_.pop_back();
  add(std::move(statement));
}

void FunctionLowering::body(ir::RegionId id) {
  for (const ir::PlanItem &item : region(id).items) {
    if (failed_)
      return;
    if (item.region == ir::kNone)
      value(item.value);
    else if (region(item.region).kind == ir::RegionKind::Loop)
      loop(item.region);
    else
      scope(item.region);
  }
}

void FunctionLowering::value(ir::ValueId id) {
  const ir::PlanValue &value = at(id);
  span_ = value.span;
  if (value.kind == ir::ValueKind::Call) {
    callFunction(value, id);
    return;
  }
  if (value.kind != ir::ValueKind::Op || isIndex(id))
    return;
  switch (value.op) {
  case ir::Op::Slice:
  case ir::Op::Reshape: break;
  case ir::Op::Empty:
    if (BufferId own = bufferOf(id); own >= 0 && buffer(own).kind == Buffer::Kind::Register)
      declareRegister(own);
    break;
  case ir::Op::Zeros:
  case ir::Op::FullLike: fill(value, id); break;
  case ir::Op::InsertSlice: insert(value, id); break;
  case ir::Op::Schedule: schedule(value); break;
  default: byDefault(value, id); break;
  }
}

void FunctionLowering::fill(const ir::PlanValue &value, ir::ValueId id) {
  ++calls_;
  if (unfilled_.count(id))
    return;
  tir::Statement fill;
  fill.instruction.name = "T.fill";
  tir::Operand number;
  number.kind = tir::Operand::Kind::Number;
  if (const ir::Attribute *given = ir::find(value.attributes, "value"))
    number.number = std::holds_alternative<double>(*given) ? std::get<double>(*given) : std::holds_alternative<int64_t>(*given) ? static_cast<double>(std::get<int64_t>(*given)) : 0;
  fill.operands = {reach(id), number};
  fill.span = span_;
  add(std::move(fill));
}

bool FunctionLowering::copyAllowed(const ir::TensorType &from, const ir::TensorType &to, ir::RegionId region, const ir::PlanValue &site) {
  instruction::Use use;
  use.instruction.name = "T.copy";
  use.operands = {from, to};
  use.scopes = scopesAt(region);
  use.target = context_.report.program->target;
  instruction::Match match = instruction::match(use);
  if (match.accepted)
    return true;
  refuse(site, Code::CopyRefused, "a value must be copied here, and nothing here can: " + refusalText(match));
  return false;
}

bool FunctionLowering::copyWhole(ir::ValueId from, ir::ValueId to, const ir::PlanValue &site) {
  if (!copyAllowed(at(from).type.tensor, at(to).type.tensor, site.region, site))
    return false;
  if (BufferId own = bufferOf(to); own >= 0 && buffer(own).kind == Buffer::Kind::Register)
    declareRegister(own);
  tir::Statement copy;
  copy.instruction.name = "T.copy";
  copy.operands.push_back(operandOf(from, "tile"));
  copy.operands.push_back(reach(to));
  copy.span = span_;
  add(std::move(copy));
  return !failed_;
}

void FunctionLowering::insert(const ir::PlanValue &value, ir::ValueId id) {
  if (auto part = partOf_.find(value.operands[1]); part != partOf_.end() && part->second == id)
    return; // made in place
  if (bufferOf(value.operands[0]) != bufferOf(id) && !untouched_.count(id) && !copyWhole(value.operands[0], id, value))
    return;
  const ir::TensorType &update = at(value.operands[1]).type.tensor;
  ir::TensorType target = update;
  target.storage = value.type.tensor.storage;
  target.layout.reset();
  if (!copyAllowed(update, target, value.region, value))
    return;
  tir::Statement copy;
  copy.instruction.name = "T.copy";
  copy.operands.push_back(operandOf(value.operands[1], "tile"));
  copy.operands.push_back(insertWindow(id, Written::Window));
  copy.span = span_;
  add(std::move(copy));
}

size_t FunctionLowering::destinationOf(const ir::PlanValue &schedule) const {
  const auto &instruction = std::get<instruction::Instruction>(*ir::find(schedule.attributes, "op"));
  const instruction::Row *row = instruction::rowNamed(instruction.name);
  return row ? row->destination : schedule.operands.size() - 1;
}

void FunctionLowering::schedule(const ir::PlanValue &value) {
  const auto &instruction = std::get<instruction::Instruction>(*ir::find(value.attributes, "op"));
  instruction::Use use;
  use.instruction = instruction;
  for (ir::ValueId operand : value.operands)
    use.operands.push_back(at(operand).type.tensor);
  use.scopes = scopesAt(value.region);
  use.target = context_.report.program->target;
  for (auto [label, into] : {std::pair("repeat", &use.repeat), std::pair("order", &use.order)})
    if (const ir::Attribute *given = ir::find(value.attributes, label))
      if (auto *numbers = std::get_if<std::vector<int64_t>>(given))
        *into = *numbers;
  instruction::Match match = instruction::match(use);
  if (!match.accepted) {
    refuse(value, Code::CopyRefused, refusalText(match));
    return;
  }
  emit(value, match.instruction, value.operands, destinationOf(value), instruction::find(instruction, "atom") ? instruction::issues(use, match) : std::vector<instruction::Issue>{});
}

void FunctionLowering::byDefault(const ir::PlanValue &value, ir::ValueId id) {
  std::optional<Site> site = candidateSite(*context_.report.program, number_, id);
  const std::vector<std::string> registered = instructionsFor(value.op);
  if (!site || registered.empty()) {
    refuse(value, Code::NoSelection, "`" + nameOf(id) + "` is made by `tf." + std::string(ir::spec(value.op).mnemonic) + "`, for which there is no instruction");
    return;
  }
  const Site::Row *row = defaultOf(*site);
  if (!row) {
    std::string list;
    for (const std::string &one : registered)
      list += (list.empty() ? "" : ", ") + one;
    refuse(value, Code::NoSelection, "`" + nameOf(id) + "` has several instructions [" + list + "] and none is the default; write tf.schedule to choose one");
    return;
  }
  if (!row->match.accepted) {
    refuse(value, Code::NoSelection, refusalText(row->match));
    return;
  }
  std::vector<ir::ValueId> operands = value.operands;
  const instruction::Row *contract = instruction::rowNamed(row->match.instruction.name);
  size_t destination = contract ? std::min(contract->destination, operands.size()) : operands.size();
  operands.insert(operands.begin() + static_cast<ptrdiff_t>(destination), id);
  emit(value, row->match.instruction, operands, destination, {});
}

/// A selection of a scope that begins at its first unit is not the mesh that the arrangements of its registers name, although it is the same
/// units; such a call opens that mesh once more.
bool FunctionLowering::reopens(ir::RegionId at) const {
  while (at != ir::kNone && !region(at).mesh)
    at = region(at).parent;
  return at != ir::kNone && region(at).selectedFrom != ir::kNone && region(at).header != "relaid" && region(at).mesh->offset == 0;
}

void FunctionLowering::emit(const ir::PlanValue &site, const instruction::Instruction &instruction, const std::vector<ir::ValueId> &operands, size_t destination,
                            const std::vector<instruction::Issue> &issues) {
  const int call = calls_++;
  const BufferId written = bufferOf(operands[destination]);
  if (written >= 0 && buffer(written).kind == Buffer::Kind::Register)
    declareRegister(written);
  bool sharded = false;
  for (ir::ValueId operand : operands)
    if (const auto &layout = at(operand).type.tensor.layout)
      sharded |= at(operand).type.tensor.storage == ir::Storage::Rmem && layout->mesh;
  tir::Statement again;
  const bool opens = sharded && reopens(site.region);
  if (opens) {
    ir::RegionId slice = site.region;
    while (!region(slice).mesh)
      slice = region(slice).parent;
    tir::Scope scope;
    scope.name = call ? "threads_" + std::to_string(call) : "threads";
    auto mesh = std::make_shared<layout::Mesh>(*region(slice).mesh);
    mesh->composed = false;
    scope.mesh = mesh;
    const layout::Mesh &around = *region(region(slice).selectedFrom).mesh;
    if (layout::sameUnits(*mesh, around)) {
      scope.spelling = tir::Scope::Spelling::Slice;
      scope.of = scopeOf_.at(region(slice).selectedFrom);
    }
    again.kind = tir::StatementKind::Scope;
    again.scope = static_cast<tir::ScopeId>(out_.scopes.size());
    again.span = span_;
    out_.scopes.push_back(std::move(scope));
    frames_.push_back({ir::kNone, &again.body, {}});
  }
  std::map<size_t, tir::Operand> scalars;
  for (size_t i = 0; i < operands.size(); ++i)
    if (at(operands[i]).kind == ir::ValueKind::Constant)
      scalars[i] = scalar(at(operands[i]));
  const instruction::Row *row = instruction::rowNamed(instruction.name);
  std::vector<std::string> stems;
  for (size_t i = 0; i < operands.size(); ++i)
    stems.push_back(row && i < row->operands.size() ? row->operands[i].name : "operand");
  if (!issues.empty()) {
    emitIssues(issues, stems, operands, instruction);
  } else {
    tir::Statement statement;
    statement.instruction = instruction;
    statement.span = span_;
    for (size_t i = 0; i < operands.size(); ++i) {
      auto literal = scalars.find(i);
      // A fill calls what it writes `tensor`.
      const std::string stem = instruction.name == "T.fill" ? "tensor" : stems[i];
      statement.operands.push_back(literal == scalars.end() ? operandOf(operands[i], stem + "_view") : literal->second);
    }
    add(std::move(statement));
  }
  if (opens) {
    frames_.pop_back();
    add(std::move(again));
  }
}

void FunctionLowering::callFunction(const ir::PlanValue &value, ir::ValueId id) {
  const CallShape &shape = context_.shapes[static_cast<size_t>(value.callee)];
  tir::Statement call;
  call.kind = tir::StatementKind::FunctionCall;
  call.callee = shape.number;
  call.span = span_;
  for (ir::ValueId argument : value.operands)
    call.operands.push_back(reach(argument));
  if (auto scratch = callScratch_.find(id); scratch != callScratch_.end())
    for (tir::ValueId one : scratch->second)
      call.operands.push_back({tir::Operand::Kind::Value, one, {}, 0, 0});
  if (value.type.isTuple)
    for (size_t leaf = 0; leaf < value.type.fields.size(); ++leaf)
      call.operands.push_back(whole(bufferOf(id, static_cast<int>(leaf))));
  else
    call.operands.push_back(reach(id));
  add(std::move(call));
}

} // namespace tilewright::schedule
