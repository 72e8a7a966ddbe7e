#include "instruction/Advice.h"
#include "instruction/Table.h"
#include "instruction/Tiles.h"
#include "layout/Print.h"

#include <algorithm>

namespace tilewright::instruction {

namespace {

struct Context {
  const Use &use;
  const Match &refused;
  const Row *row = nullptr, *atom = nullptr;
  Instruction atomInstruction;
  std::vector<Remedy> remedies;

  const Operand *contract(size_t i) const {
    if (!row || i >= row->operands.size())
      return nullptr;
    const Operand &operand = row->operands[i];
    if (atom)
      for (const Operand &one : atom->operands)
        if (one.name == operand.ofAtom)
          return &one;
    return &operand;
  }
  std::string operandName(int i) const { return row && i >= 0 && static_cast<size_t>(i) < row->operands.size() ? row->operands[static_cast<size_t>(i)].name : "an operand"; }
  const OperandCase *caseOfOperand(size_t i) const {
    const Operand *operand = contract(i);
    return operand ? caseOf(*operand, bindingsOf(atom ? atomInstruction : use.instruction)) : nullptr;
  }
  std::string who() const { return "`" + refused.id + "`"; }
};

std::string list(const std::vector<std::string> &parts, std::string_view last = " or ") {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? std::string() : i + 1 == parts.size() ? std::string(last) : std::string(", ")) + parts[i];
  return out;
}

/// Offers a change if the use matches with it.
bool offer(Context &context, const Use &changed, Remedy remedy) {
  if (!match(changed).accepted)
    return false;
  context.remedies.push_back(std::move(remedy));
  return true;
}

Use withParameter(const Context &context, const std::string &parameter, const InstructionParameter &value) {
  Use changed = context.use;
  Instruction *target = &changed.instruction;
  if (context.atom)
    target = &std::get<std::vector<Instruction>>(changed.instruction.parameters.front().second).front();
  for (auto &[name, old] : target->parameters)
    if (name == parameter) {
      old = value;
      return changed;
    }
  target->parameters.emplace_back(parameter, value);
  return changed;
}

/// Another member for one of the parameters: the other major, the form that reads registers, the dtype of the operands.
void otherParameters(Context &context) {
  if (!context.atom)
    return;
  for (const Parameter &parameter : context.atom->parameters) {
    const InstructionParameter *now = find(context.atomInstruction, parameter.name);
    if (!now || (parameter.kind != Parameter::Kind::Enum && parameter.kind != Parameter::Kind::DType))
      continue;
    for (const std::string &member : parameter.members) {
      if (member == pathText(*now))
        continue;
      const bool isEnum = parameter.kind == Parameter::Kind::Enum;
      const InstructionParameter value = isEnum ? InstructionParameter(Enumerator{parameter.enumType, member}) : InstructionParameter(member);
      const Use changed = withParameter(context, parameter.name, value);
      const auto &atom = std::get<std::vector<Instruction>>(changed.instruction.parameters.front().second).front();
      if (!canonical(atom).error.empty())
        continue;
      const std::string text = isEnum ? parameter.enumType + "." + member : "\"" + member + "\"";
      offer(context, changed, {Remedy::Part::Parameter, "use " + parameter.name + "=" + text, parameter.name, text, -1, {}, {}});
    }
  }
}

/// The largest number that a parameter may have here.
void otherNumber(Context &context) {
  if (!context.atom)
    return;
  for (const Parameter &parameter : context.atom->parameters) {
    const InstructionParameter *now = find(context.atomInstruction, parameter.name);
    if (parameter.kind != Parameter::Kind::Int || !now || !std::holds_alternative<int64_t>(*now))
      continue;
    const int64_t current = std::get<int64_t>(*now);
    std::vector<int64_t> values;
    constexpr int64_t kLargest = 1024;
    for (int64_t value = 1; value <= kLargest; ++value)
      if (value != current && std::all_of(parameter.rules.begin(), parameter.rules.end(), [&](const Rule &rule) { return holds(rule, {{parameter.name, value}}).value_or(true); }))
        values.push_back(value);
    std::stable_sort(values.begin(), values.end(), [&](int64_t a, int64_t b) { return std::abs(a - current) < std::abs(b - current); });
    for (int64_t value : values) {
      const std::string text = std::to_string(value);
      if (offer(context, withParameter(context, parameter.name, value), {Remedy::Part::Parameter, "use " + parameter.name + "=" + text, parameter.name, text, -1, {}, {}}))
        return;
    }
  }
}

void otherSwizzles(Context &context, size_t i) {
  const TensorType &type = context.use.operands[i];
  if (type.storage != Storage::Smem || !type.layout || type.layout->mesh)
    return;
  for (int bits = 3; bits >= 0; --bits) {
    Use changed = context.use;
    layout::TensorLayout &layout = *changed.operands[i].layout;
    layout.swizzle = bits ? std::optional(layout::Swizzle{bits, 4, 3}) : std::nullopt;
    if (layout.swizzle == type.layout->swizzle)
      continue;
    const std::string title = bits ? "lay `" + context.operandName(static_cast<int>(i)) + "` out with Swizzle(" + std::to_string(bits) + ", 4, 3)"
                                   : "lay `" + context.operandName(static_cast<int>(i)) + "` out without a swizzle";
    if (offer(context, changed, {Remedy::Part::OperandLayout, title, {}, {}, static_cast<int>(i), layout, {}}))
      return;
  }
}

/// The registers that the atom reads of an operand of this shape: its fragment, the issues of an axis in front of it, groups in front of those.
std::optional<layout::TensorLayout> fragmentFor(const Context &context, size_t i) {
  const OperandCase *one = context.caseOfOperand(i);
  const Operand *operand = context.contract(i);
  if (!context.atom || !one || !one->shape || one->arrangements.size() != 1)
    return std::nullopt;
  const LayoutPattern &pattern = one->arrangements[0].layout;
  if (pattern.kind != LayoutPattern::Kind::Shard || !pattern.states || !pattern.inner->shape)
    return std::nullopt;
  std::optional<layout::Mesh> mesh;
  for (const auto &scope : context.use.scopes)
    mesh = mesh ? layout::compose(*mesh, *scope) : *scope;
  if (!mesh)
    return std::nullopt;
  const layout::Mesh threads = layout::levelMesh(*mesh, static_cast<int>(mesh->topologies.size()) - 1);
  const size_t frame = pattern.states->size();
  if (threads.shape.size() < frame)
    return std::nullopt;
  const size_t groups = threads.shape.size() - frame;
  Bindings bindings = bindingsOf(context.atomInstruction);
  std::vector<int64_t> single;
  for (const TuplePattern &element : one->shape->elements)
    single.push_back(evaluate(element.term, bindings).value_or(0));
  const TensorType &type = context.use.operands[i];
  if (type.shape.size() != single.size() || std::count(single.begin(), single.end(), 0) > 0)
    return std::nullopt;
  // The one symbol of a fragment is what is left of the extent.
  for (const auto *rules : {&one->rules, &operand->rules})
    for (const Rule &rule : *rules)
      if (rule.kind == Rule::Kind::Compare && rule.terms.size() == 2)
        for (const std::string &symbol : symbols(rule))
          if (!find(bindings, symbol))
            if (const auto right = evaluate(rule.terms[1], bindings))
              if (const auto solved = solve(rule.terms[0], *right, symbol, bindings))
                bindings.emplace_back(symbol, *solved);
  std::vector<int64_t> modes, strides;
  for (size_t m = 0; m < pattern.inner->shape->elements.size(); ++m) {
    const auto extent = evaluate(pattern.inner->shape->elements[m].term, bindings), step = evaluate(pattern.inner->strides->elements[m].term, bindings);
    if (!extent || !step)
      return std::nullopt;
    modes.push_back(*extent);
    strides.push_back(*step);
  }
  layout::TensorLayout fragment;
  fragment.shape = layout::IntTuple::of(modes);
  const auto axes = layout::axisOfModes(single, fragment.shape);
  if (!axes)
    return std::nullopt;
  // Only rows are shared out over groups: the first axis of the operand, one group axis.
  int64_t whole = 1;
  for (int64_t extent : single)
    whole *= extent;
  std::vector<int64_t> outModes, outStrides;
  std::vector<layout::AxisState> states(threads.shape.size());
  std::vector<int> moved(modes.size());
  for (size_t axis = 0; axis < single.size(); ++axis) {
    if (type.shape[axis] % single[axis] != 0)
      return std::nullopt;
    int64_t count = type.shape[axis] / single[axis];
    if (axis == 0 && groups == 1 && operand->name != "B" && count % threads.shape[0] == 0) {
      states[0] = {layout::StateKind::Split, static_cast<int>(outModes.size()), {}};
      outModes.push_back(threads.shape[0]);
      count /= threads.shape[0];
      outStrides.push_back(whole * count);
    }
    if (count > 1) {
      outModes.push_back(count);
      outStrides.push_back(whole);
      whole *= count;
    }
    for (size_t m = 0; m < modes.size(); ++m)
      if ((*axes)[m] == static_cast<int>(axis)) {
        moved[m] = static_cast<int>(outModes.size());
        outModes.push_back(modes[m]);
        outStrides.push_back(strides[m]);
      }
  }
  for (size_t unit = 0; unit < frame; ++unit)
    if ((*pattern.states)[unit].split)
      states[groups + unit] = {layout::StateKind::Split, moved[static_cast<size_t>((*pattern.states)[unit].mode)], {}};
  fragment.shape = layout::IntTuple::of(outModes);
  fragment.strides = layout::IntTuple::of(outStrides);
  fragment.states = std::move(states);
  fragment.mesh = std::make_shared<const layout::Mesh>(threads);
  return fragment;
}

void operandRemedies(Context &context, size_t i) {
  const TensorType &type = context.use.operands[i];
  const std::string name = context.operandName(static_cast<int>(i));
  const OperandCase *one = context.caseOfOperand(i);
  if (context.refused.field == Field::Storage && one)
    for (Storage storage : one->storage.among) {
      Use changed = context.use;
      changed.operands[i].storage = storage;
      offer(context, changed, {Remedy::Part::OperandStorage, "keep `" + name + "` in " + std::string(instruction::name(storage)), {}, std::string(instruction::name(storage)), static_cast<int>(i), {}, {}});
    }
  if (context.refused.field == Field::DType && one)
    for (DType dtype : one->dtype.among) {
      Use changed = context.use;
      changed.operands[i].dtype = dtype;
      offer(context, changed, {Remedy::Part::OperandDType, "make `" + name + "` " + std::string(instruction::name(dtype)), {}, std::string(instruction::name(dtype)), static_cast<int>(i), {}, {}});
    }
  if (type.storage == Storage::Rmem)
    if (const auto fragment = fragmentFor(context, i); fragment && fragment != type.layout) {
      Use changed = context.use;
      changed.operands[i].layout = fragment;
      offer(context, changed, {Remedy::Part::OperandLayout, "lay `" + name + "` out as the fragment that " + context.who() + " works on", {}, {}, static_cast<int>(i), fragment, {}});
    }
  otherSwizzles(context, i);
}

/// A scope of threads around a statement that stands in none.
void missingScope(Context &context) {
  std::optional<layout::Mesh> mesh;
  for (const auto &scope : context.use.scopes)
    mesh = mesh ? layout::compose(*mesh, *scope) : *scope;
  const Row *row = context.atom ? context.atom : context.row;
  if (row->meshes.empty() || !context.use.target)
    return;
  const MeshPattern &pattern = row->meshes.front().mesh;
  const std::string level = pattern.level.value_or("thread");
  const auto open = [&](const layout::Mesh &one) { return std::any_of(one.topologies.begin(), one.topologies.end(), [&](const layout::Topology &t) { return t.name == level; }); };
  if (mesh && open(*mesh))
    return;
  const LayoutPattern *inner = &pattern.layout;
  while (inner->inner)
    inner = inner->inner.get();
  layout::Mesh threads;
  for (size_t i = 0; inner->shape && !inner->shape->elements.empty() && i < inner->shape->elements[0].elements.size(); ++i) {
    const TuplePattern &extent = inner->shape->elements[0].elements[i], &step = inner->strides->elements[0].elements[i];
    if (extent.kind != TuplePattern::Kind::Leaf || extent.term.kind != Term::Kind::Number || step.term.kind != Term::Kind::Number)
      continue;
    threads.shape.push_back(extent.term.number);
    threads.strides.push_back(step.term.number);
    threads.names.push_back(std::string(1, static_cast<char>('a' + static_cast<int>(i))));
  }
  if (threads.shape.empty()) // any number of threads will do: one warp
    threads = layout::Mesh{{}, {32}, {1}, 0, false, {"t"}};
  threads.topologies = {{level, threads.positions()}};
  Use changed = context.use;
  changed.scopes.push_back(std::make_shared<const layout::Mesh>(threads));
  offer(context, changed, {Remedy::Part::Scope, "open a `with Mesh` of " + std::to_string(threads.positions()) + " threads around it", {}, {}, -1, {}, threads});
}

// ---- meanings
/// `((8, 8), 16):((512, 64), 1) | Swizzle(3, 4, 3)`.
std::string arrangement(const layout::TensorLayout &layout) {
  std::string out = layout::printTuple(layout.shape) + ":" + layout::printTuple(layout.strides ? *layout.strides : layout.shape.congruent(layout::flatStrides(layout)));
  if (layout.swizzle)
    out += " | Swizzle(" + std::to_string(layout.swizzle->bits) + ", " + std::to_string(layout.swizzle->base) + ", " + std::to_string(layout.swizzle->shift) + ")";
  return out;
}

std::string meshMeaning(const Context &context) {
  const Row *row = context.atom ? context.atom : context.row;
  if (row->everyLevel && context.use.target && meshesOn(*row, context.use.target).empty())
    return "`" + std::string(context.use.target->id()) + "` has no unit that issues it";
  const MeshPattern *pattern = row->meshes.empty() ? nullptr : &row->meshes.front().mesh;
  std::optional<layout::Mesh> mesh;
  for (const auto &scope : context.use.scopes)
    mesh = mesh ? layout::compose(*mesh, *scope) : *scope;
  const std::string level = pattern ? pattern->level.value_or("thread") : "thread";
  if (!mesh || mesh->topologies.back().name != level)
    return "it is issued by the units of a " + level + " mesh; open a `with Mesh((\"" + level + "\",), ...)` around it";
  const layout::Mesh units = layout::levelMesh(*mesh, static_cast<int>(mesh->topologies.size()) - 1);
  const LayoutPattern *inner = pattern ? &pattern->layout : nullptr;
  while (inner && inner->inner)
    inner = inner->inner.get();
  std::string wanted, alignment;
  int64_t count = 1;
  if (inner && inner->shape && !inner->shape->elements.empty()) {
    std::vector<std::string> extents, steps;
    for (size_t i = 0; i < inner->shape->elements[0].elements.size(); ++i) {
      const TuplePattern &extent = inner->shape->elements[0].elements[i];
      if (extent.kind != TuplePattern::Kind::Leaf || extent.term.kind != Term::Kind::Number)
        continue;
      extents.push_back(std::to_string(extent.term.number));
      steps.push_back(print(inner->strides->elements[0].elements[i]));
      count *= extent.term.number;
    }
    if (!extents.empty())
      wanted = "(" + list(extents, ", ") + (extents.size() == 1 ? ",)" : ")") + " with strides (" + list(steps, ", ") + (steps.size() == 1 ? ",)" : ")");
  }
  std::string out = "it is issued by " + (wanted.empty() ? "the threads of the scope" : std::to_string(count) + " threads arranged as " + wanted);
  if (context.atom)
    out += ", groups of them in front";
  if (count > 1)
    out += ", from a multiple of " + std::to_string(count);
  return out + "; the scope has " + layout::printTuple(units.shape) + " with strides " + layout::printTuple(units.strides) + " from " + std::to_string(units.offset);
}

std::string layoutMeaning(const Context &context, size_t i) {
  const std::string name = "`" + context.operandName(static_cast<int>(i)) + "`";
  const TensorType &type = context.use.operands[i];
  const layout::TensorLayout layout = type.layout ? *type.layout : layout::compact(type.shape);
  std::vector<std::string> accepted;
  if (const OperandCase *one = context.caseOfOperand(i)) {
    const Bindings bindings = bindingsOf(context.atom ? context.atomInstruction : context.use.instruction);
    for (const Arrangement &option : one->arrangements) {
      const bool excluded = std::any_of(option.when.begin(), option.when.end(), [&](const auto &when) {
        const BoundValue *bound = find(bindings, when.first);
        return bound && print(*bound) != when.second;
      });
      if (excluded || option.layout.kind == LayoutPattern::Kind::Any || option.layout.kind == LayoutPattern::Kind::Layout)
        continue;
      const LayoutPattern &shown = option.layout.kind == LayoutPattern::Kind::Shard ? *option.layout.inner : option.layout;
      if (std::find(accepted.begin(), accepted.end(), print(shown)) == accepted.end())
        accepted.push_back(print(shown));
    }
  }
  std::string out = name + " lies as " + arrangement(layout);
  if (!accepted.empty())
    out += "; one issue reads " + list(accepted) + (context.row->iteration.empty() ? "" : ", behind the modes that count the issues");
  return out;
}

std::string meaningOf(const Context &context) {
  const Match &refused = context.refused;
  const auto at = static_cast<size_t>(std::max(refused.operand, 0));
  const std::string operand = "`" + context.operandName(refused.operand) + "`";
  switch (refused.node) {
  case Node::Count: {
    std::vector<std::string> names;
    for (const Operand &one : context.row->operands)
      names.push_back(one.optional ? "`" + one.name + "` if wanted" : "`" + one.name + "`");
    return "write its operands as one tuple, the destination among them: " + list(names, " and ");
  }
  case Node::Mesh:
    return meshMeaning(context);
  case Node::Operand:
    switch (refused.field) {
    case Field::DType:
    case Field::Storage: {
      const OperandCase *one = context.caseOfOperand(at);
      const bool stored = refused.field == Field::Storage;
      std::vector<std::string> taken;
      if (one && stored)
        for (Storage storage : one->storage.among)
          taken.push_back(std::string(name(storage)));
      if (one && !stored)
        for (DType dtype : one->dtype.among)
          taken.push_back(std::string(name(dtype)));
      const std::string is = std::string(stored ? name(context.use.operands[at].storage) : name(context.use.operands[at].dtype));
      return operand + (stored ? " is kept in " : " is ") + is + (taken.empty() ? std::string() : ", where the instruction takes " + list(taken));
    }
    case Field::Shape: return operand + " has the shape " + layout::printTuple(context.use.operands[at].shape) + ", which is not one it takes";
    default: return layoutMeaning(context, at);
    }
  case Node::Between:
    return "what it reads and what it writes must go together in this";
  case Node::Scope:
    return "the units that hold " + operand + " are not those of this scope, so some would read what others hold";
  case Node::Repeat:
    return "`repeat` counts the issues along each dimension: the whole extent over that of one issue; it can be left out";
  case Node::Order:
    return "`order` names each of the " + std::to_string(refused.repeat.size()) + " dimensions once, the outermost loop first";
  case Node::Tiling:
    if (refused.operand >= 0 && refused.reason.starts_with("layout axis"))
      return operand + " lies as " + arrangement(context.use.operands[at].layout ? *context.use.operands[at].layout : layout::compact(context.use.operands[at].shape)) +
             "; an axis that is worked on in several issues begins with modes that count them, the tile of one issue behind, as in ((8, 8), (4, 16)) for four issues of 16";
    if (refused.reason.starts_with("iteration extent"))
      return "the instruction covers a dimension in whole issues; pad the tile or choose another size of issue";
    return "the operands do not come apart into issues of one size";
  case Node::Capability:
    return context.use.target ? "`" + std::string(context.use.target->id()) + "` has no such unit; `tilewright schedule facts --target " + std::string(context.use.target->id()) + "` lists what it has"
                              : std::string();
  case Node::Parameter:
  case Node::None:
    return {};
  }
  return {};
}
} // namespace

Advice advise(const Use &use, const Match &refused) {
  Context context{use, refused, rowNamed(use.instruction.name), nullptr, {}, {}};
  if (!context.row)
    return {};
  if (const InstructionParameter *parameter = find(use.instruction, "atom"))
    if (const auto *nested = std::get_if<std::vector<Instruction>>(parameter); nested && !nested->empty()) {
      context.atom = rowNamed(nested->front().name);
      context.atomInstruction = nested->front();
    }
  Advice advice{meaningOf(context), {}};
  const auto operand = refused.operand >= 0 && static_cast<size_t>(refused.operand) < use.operands.size() ? std::optional(static_cast<size_t>(refused.operand)) : std::nullopt;
  switch (refused.node) {
  case Node::Repeat: {
    Use changed = use;
    changed.repeat.reset();
    const Match inferred = match(changed);
    if (inferred.accepted)
      context.remedies.push_back({Remedy::Part::Repeat, "use repeat=" + layout::printTuple(inferred.repeat), {}, layout::printTuple(inferred.repeat), -1, {}, {}});
    break;
  }
  case Node::Order: {
    Use changed = use;
    changed.order.reset();
    const Match inferred = match(changed);
    if (inferred.accepted)
      context.remedies.push_back({Remedy::Part::Order, "use order=" + layout::printTuple(inferred.order), {}, layout::printTuple(inferred.order), -1, {}, {}});
    break;
  }
  case Node::Tiling:
    otherNumber(context);
    break;
  case Node::Mesh:
    missingScope(context);
    break;
  case Node::Operand:
    otherParameters(context);
    if (operand)
      operandRemedies(context, *operand);
    break;
  default:
    break;
  }
  advice.remedies = std::move(context.remedies);
  return advice;
}

} // namespace tilewright::instruction
