// tf.schedule: work done by one named instruction. The result is the destination, with its type.
#include "instruction/Table.h"
#include "ir/OpRules.h"

#include <algorithm>

namespace tilewright::ir::rules {

namespace {
using Kind = AttributeSpec::Kind;
using instruction::Between;
using instruction::Row;

std::string names(const std::vector<instruction::Operand> &operands) {
  std::string out;
  for (const instruction::Operand &operand : operands)
    out += (out.empty() ? "`" : ", `") + std::string(operand.name) + (operand.optional ? "` if given" : "`");
  return out;
}

/// The thread level of the open scopes.
std::optional<layout::Mesh> threads(const InferContext &context) {
  std::optional<layout::Mesh> scope;
  for (const auto &mesh : context.enclosing)
    scope = scope ? layout::compose(*scope, *mesh) : *mesh;
  if (!scope && context.mesh)
    scope = *context.mesh;
  for (size_t level = 0; scope && level < scope->topologies.size(); ++level)
    if (scope->topologies[level].name == "thread")
      return layout::levelMesh(*scope, static_cast<int>(level));
  return std::nullopt;
}

/// The threads that an instruction is issued by.
struct Issuers {
  int64_t count = 0;                                   // in a row, from a multiple of it
  std::vector<int64_t> frame = {}, frameStrides = {}; // the last axes of the mesh; empty: any arrangement
  bool groups = false;                                 // several groups may issue side by side
  bool idle = false;                                   // axes of extent 1 may stand before the frame
};

/// Read off a mesh pattern: the extents that are numbers, in a row behind a star or alone. Those with symbols take any threads.
Issuers issuersOf(const instruction::MeshCase &one) {
  Issuers issuers;
  const instruction::LayoutPattern *layout = &one.mesh.layout;
  while (layout->inner)
    layout = layout->inner.get();
  if (!layout->shape || layout->shape->elements.size() != 1)
    return issuers;
  const auto &shape = layout->shape->elements[0].elements, &strides = layout->strides->elements[0].elements;
  for (size_t i = 0; i < shape.size() && i < strides.size(); ++i) {
    if (shape[i].kind == instruction::TuplePattern::Kind::Star) {
      (shape[i].among == std::vector<int64_t>{1} ? issuers.idle : issuers.groups) = true;
      continue;
    }
    const auto extent = instruction::evaluate(shape[i].term, {}), step = instruction::evaluate(strides[i].term, {});
    if (!extent || !step)
      return {};
    issuers.frame.push_back(*extent);
    issuers.frameStrides.push_back(*step);
    issuers.count = std::max<int64_t>(issuers.count, 1) * *extent;
  }
  return issuers.frame.empty() ? Issuers{} : issuers;
}

/// Where an operand may live and what it may be made of, over all cases of its row; empty: anywhere, anything.
template <typename T, typename Member> std::vector<T> among(const instruction::Operand &operand, Member member) {
  std::vector<T> all;
  for (const instruction::OperandCase &one : operand.cases) {
    if ((one.*member).among.empty())
      return {};
    all.insert(all.end(), (one.*member).among.begin(), (one.*member).among.end());
  }
  return all;
}

bool between(const Row &row, Between::Kind kind, Between::Field field, std::string_view left, std::string_view right) {
  return std::any_of(row.between.begin(), row.between.end(),
                     [&](const Between &rule) { return rule.kind == kind && rule.field == field && rule.left == left && rule.right == right; });
}

std::optional<Inferred> checkThreads(const Instruction &instruction, const Issuers &issuers, const InferContext &context) {
  const auto scope = threads(context);
  const std::string who = "`" + instruction.name + "` is issued by " + std::to_string(issuers.count) + " threads";
  if (!scope)
    return fail(who + "; open a `with Mesh` of them");
  const int64_t positions = scope->positions();
  if (issuers.groups ? positions == 0 || positions % issuers.count != 0 : positions != issuers.count)
    return fail(who + ", the scope has " + std::to_string(positions));
  if (scope->offset % issuers.count != 0)
    return fail(who + " from a multiple of " + std::to_string(issuers.count) + ", the scope starts at " + std::to_string(scope->offset));
  const size_t axes = scope->shape.size(), own = issuers.frame.size();
  if (axes < own || !std::equal(issuers.frame.begin(), issuers.frame.end(), scope->shape.end() - static_cast<ptrdiff_t>(own)) ||
      !std::equal(issuers.frameStrides.begin(), issuers.frameStrides.end(), scope->strides.end() - static_cast<ptrdiff_t>(own)) ||
      (!issuers.groups && !issuers.idle && own > 0 && axes != own))
    return fail(who + " arranged as layout=(" + shapeText(issuers.frame) + ", " + shapeText(issuers.frameStrides) + "), the scope has layout=(" +
                shapeText(scope->shape) + ", " + shapeText(scope->strides) + ")");
  return std::nullopt;
}

/// A tensor copy walks global memory by one dimension for each mode: one of them steps by 1, the others by multiples of 16 bytes.
std::optional<Inferred> checkTensorMap(const OpUse &use, size_t operand) {
  const TensorType &type = tensor(use, operand);
  if (type.storage != Storage::Gmem)
    return std::nullopt;
  const layout::TensorLayout layout = type.layout ? *type.layout : layout::compact(type.shape);
  const std::vector<int64_t> extents = layout.shape.flat(), strides = layout::flatStrides(layout);
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] != 1 && strides[i] != 1 && strides[i] * bits(type.dtype) % 128 != 0)
      return fail("`T.copy_async_tensor` walks gmem in steps of whole 16 bytes; a mode of this operand steps by " + std::to_string(strides[i]) + " " +
                      std::string(name(type.dtype)),
                  static_cast<int>(operand));
  return std::nullopt;
}

/// Extents of the iteration space and of one issue of it.
struct Issue {
  std::vector<int64_t> whole, single;
};

std::optional<Inferred> checkMma(const OpUse &use, const Instruction &atom, const InferContext &context, Issue &issue) {
  const TensorType &acc = tensor(use, 0), &lhs = tensor(use, 1), &rhs = tensor(use, 2);
  const Row &row = *instruction::rowNamed(atom.name);
  if (context.target && !context.target->hasCapability(row.capability))
    return fail(std::string(context.target->id()) + " has no " + std::string(row.capability) + ", which `" + atom.name + "` needs", -1, "op");
  Issuers issuers = issuersOf(row.meshes.front());
  issuers.groups = true;
  if (auto error = checkThreads(atom, issuers, context))
    return error;
  for (size_t operand : {size_t{0}, size_t{1}, size_t{2}})
    if (tensor(use, operand).shape.size() != 2)
      return fail("this is a matrix, not " + shapeText(tensor(use, operand).shape), static_cast<int>(operand));
  DType dtype = DType::BF16;
  bool fromShared = false;
  for (const auto &[key, value] : atom.parameters) {
    if (key == "dtype")
      dtype = dtypeNamed(std::get<std::string>(value)).value_or(dtype);
    if (key == "form")
      fromShared = std::get<Enumerator>(value).value == "SS";
  }
  const bool wgmma = atom.name == "T.cuda.sm90.Wgmma";
  for (size_t operand : {size_t{1}, size_t{2}})
    if (tensor(use, operand).dtype != dtype)
      return fail("`" + atom.name + "` multiplies " + std::string(name(dtype)) + ", this is " + std::string(name(tensor(use, operand).dtype)),
                  static_cast<int>(operand));
  const Storage left = wgmma && fromShared ? Storage::Smem : Storage::Rmem, right = wgmma ? Storage::Smem : Storage::Rmem;
  if (lhs.storage != left)
    return fail("`" + atom.name + "` reads `lhs` from " + std::string(name(left)) + ", this is in " + std::string(name(lhs.storage)), 1);
  if (rhs.storage != right)
    return fail("`" + atom.name + "` reads `rhs` from " + std::string(name(right)) + ", this is in " + std::string(name(rhs.storage)), 2);
  if (lhs.shape[1] != rhs.shape[0])
    return fail("the contracted extents differ: " + std::to_string(lhs.shape[1]) + " and " + std::to_string(rhs.shape[0]), 2);
  if (acc.shape[0] != lhs.shape[0] || acc.shape[1] != rhs.shape[1])
    return fail("the accumulator is " + shapeText(acc.shape) + ", the product " + shapeText({lhs.shape[0], rhs.shape[1]}), 0);
  const instruction::AtomShape shape = instruction::shapeOf(atom);
  issue.whole = {acc.shape[0], acc.shape[1], lhs.shape[1]};
  issue.single = {shape.m, shape.n, shape.k};
  return std::nullopt;
}

std::optional<Inferred> checkRepeat(const OpUse &use, const Instruction &instruction, const Issue &issue) {
  const size_t dims = issue.whole.size();
  std::vector<int64_t> counts(dims, 1);
  for (size_t i = 0; i < dims; ++i) {
    if (issue.single.empty())
      continue;
    if (issue.single[i] == 0 || issue.whole[i] % issue.single[i] != 0)
      return fail("dimension " + std::to_string(i) + " of " + std::to_string(issue.whole[i]) + " is not a multiple of the " +
                  std::to_string(issue.single[i]) + " of one issue");
    counts[i] = issue.whole[i] / issue.single[i];
  }
  if (given(use, "repeat")) {
    const std::vector<int64_t> repeat = intsOf(use, "repeat");
    if (repeat.size() != dims)
      return fail("`repeat` has " + std::to_string(repeat.size()) + " counts for " + std::to_string(dims) + " dimensions", -1, "repeat");
    if (repeat != counts)
      return fail(issue.single.empty() ? "`" + instruction.name + "` is issued once, so `repeat` is all ones"
                                       : "`repeat` is " + shapeText(counts) + " here, the whole over one issue; it says " + shapeText(repeat),
                  -1, "repeat");
  }
  if (given(use, "order")) {
    std::vector<int64_t> order = intsOf(use, "order");
    std::sort(order.begin(), order.end());
    bool permutation = order.size() == dims;
    for (size_t i = 0; permutation && i < dims; ++i)
      permutation = order[i] == static_cast<int64_t>(i);
    if (!permutation)
      return fail("`order` names each of the " + std::to_string(dims) + " dimensions once", -1, "order");
  }
  return std::nullopt;
}

Inferred inferSchedule(const OpUse &use, const InferContext &context) {
  const Attribute *attribute = find(use.attributes, "op");
  const Instruction *authored = attribute ? std::get_if<Instruction>(attribute) : nullptr;
  if (!authored)
    return fail("`op` names the instruction, as in `op=T.copy()`", -1, "op");
  const instruction::CanonicalInstruction complete = instruction::canonical(*authored);
  if (!complete.error.empty())
    return fail(complete.error, -1, "op");
  const Instruction &instruction = complete.instruction;
  const Row *row = instruction::rowNamed(instruction.name);
  if (row->kind == Row::Kind::Atom)
    return fail("`" + instruction.name + "` is no instruction of its own; `T.tiled_mma(atom=...)` repeats it", -1, "op");
  if (!row->capability.empty() && context.target && !context.target->hasCapability(row->capability))
    return fail(std::string(context.target->id()) + " has no " + std::string(row->capability) + ", which `" + instruction.name + "` needs", -1, "op");
  const auto least = static_cast<size_t>(std::count_if(row->operands.begin(), row->operands.end(), [](const auto &o) { return !o.optional; }));
  if (use.operands.size() < least || use.operands.size() > row->operands.size())
    return fail("`" + instruction.name + "` takes " + names(row->operands) + ", got " + std::to_string(use.operands.size()) +
                (use.operands.size() == 1 ? " operand" : " operands"));
  for (size_t i = 0; i < use.operands.size(); ++i) {
    const instruction::Operand &operand = row->operands[i];
    const TensorType &type = tensor(use, i);
    const auto storages = among<Storage>(operand, &instruction::OperandCase::storage);
    if (!storages.empty() && std::find(storages.begin(), storages.end(), type.storage) == storages.end()) {
      std::string where;
      for (Storage storage : storages)
        where += (where.empty() ? "" : " or ") + std::string(name(storage));
      return fail("`" + std::string(operand.name) + "` of `" + instruction.name + "` lives in " + where + ", this is in " +
                      std::string(name(type.storage)),
                  static_cast<int>(i));
    }
    const auto dtypes = among<DType>(operand, &instruction::OperandCase::dtype);
    if (!dtypes.empty() && std::find(dtypes.begin(), dtypes.end(), type.dtype) == dtypes.end()) {
      std::string what;
      for (DType dtype : dtypes)
        what += (what.empty() ? "" : " or ") + std::string(name(dtype));
      return fail("`" + std::string(operand.name) + "` of `" + instruction.name + "` is " + what + ", this is " + std::string(name(type.dtype)),
                  static_cast<int>(i));
    }
  }
  Issue issue;
  if (instruction.name == "T.tiled_mma") {
    const auto &atom = std::get<std::vector<Instruction>>(instruction.parameters.at(0).second).front();
    if (auto error = checkMma(use, atom, context, issue))
      return *error;
  } else {
    const TensorType &source = tensor(use, 0), &destination = tensor(use, row->destination);
    const Issuers issuers = issuersOf(row->meshes.front());
    if (issuers.count > 0)
      if (auto error = checkThreads(instruction, issuers, context))
        return *error;
    const std::string &first = row->operands[0].name, &written = row->operands[row->destination].name;
    if (between(*row, Between::Kind::Same, Between::Field::Shape, first, written) && source.shape != destination.shape)
      return fail("`" + instruction.name + "` moves " + shapeText(source.shape) + " to " + shapeText(destination.shape) + "; the shapes are the same",
                  static_cast<int>(row->destination));
    if (between(*row, Between::Kind::Same, Between::Field::DType, first, written) && source.dtype != destination.dtype)
      return fail("`" + instruction.name + "` moves " + std::string(name(source.dtype)) + " to " + std::string(name(destination.dtype)) +
                      "; the dtypes are the same",
                  static_cast<int>(row->destination));
    if (instruction.name == "T.copy_async_tensor" && source.storage == destination.storage)
      return fail("`T.copy_async_tensor` moves between gmem and smem; both operands are in " + std::string(name(source.storage)), 1);
    if (instruction.name == "T.copy_async_tensor")
      for (size_t operand : {size_t{0}, size_t{1}})
        if (auto error = checkTensorMap(use, operand))
          return *error;
    issue.whole = destination.shape;
  }
  if (auto error = checkRepeat(use, instruction, issue))
    return *error;
  return done(tensor(use, row->destination));
}
} // namespace

void addSchedule(std::vector<OpSpec> &table) {
  OperandSpec operands{"operands"};
  operands.variadic = true;
  table.push_back({Op::Schedule, {}, {}, {operands},
                   {{"op", Kind::Instruction},
                    {"repeat", Kind::Ints, {}, {}, Attribute()},
                    {"order", Kind::Ints, {}, {}, Attribute()}},
                   inferSchedule, "schedule"});
}

} // namespace tilewright::ir::rules
