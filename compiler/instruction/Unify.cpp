#include "instruction/Unify.h"
#include "layout/Print.h"

#include <algorithm>

namespace tilewright::instruction {

using layout::IntTuple;
using layout::TensorLayout;

Misfit Misfit::mismatch(std::string value, std::string pattern) { return {value + " does not match " + pattern, value, pattern}; }
Misfit Misfit::unsatisfied(const std::string &condition) { return {"could not satisfy " + condition, {}, {}}; }

// ---- values as refusals print them
IntTuple stridesOf(const TensorLayout &layout) { return layout.strides ? *layout.strides : layout.shape.congruent(layout::flatStrides(layout)); }

std::string printStates(const std::vector<layout::AxisState> &states) {
  std::string out = "(";
  for (size_t i = 0; i < states.size(); ++i) {
    out += i ? ", " : "";
    switch (states[i].kind) {
    case layout::StateKind::Broadcast: out += "B()"; break;
    case layout::StateKind::Split: out += "S(" + std::to_string(states[i].mode) + ")"; break;
    case layout::StateKind::Partial: out += "P(\"" + states[i].reduction + "\")"; break;
    case layout::StateKind::Dynamic: out += "Dynamic()"; break;
    }
  }
  return out + (states.size() == 1 ? ",)" : ")");
}

namespace {
std::string plain(const TensorLayout &layout, const std::string &indent) {
  const std::string strided = "Layout(" + layout::printTuple(layout.shape) + ", " + layout::printTuple(stridesOf(layout)) + ")";
  if (layout.offset == 0 && !layout.swizzle)
    return strided;
  std::string inner = "None";
  if (const auto &s = layout.swizzle)
    inner = "Swizzle(" + std::to_string(s->bits) + ", " + std::to_string(s->base) + ", " + std::to_string(s->shift) + ")";
  return "ComposedLayout(\n" + indent + "    inner=" + inner + ",\n" + indent + "    offset=" + std::to_string(layout.offset) + ",\n" + indent + "    outer=" + strided +
         ",\n" + indent + ")";
}

std::string sharded(const TensorLayout &layout, int indent) {
  const std::string margin(static_cast<size_t>(indent), ' '), part = ",\n" + margin + "    ";
  return "ShardLayout(\n" + margin + "    layout=" + plain(layout, margin + "    ") + part + "attrs=" + printStates(layout.states) + part +
         "mesh=" + layout::printMesh(*layout.mesh, indent + 4) + ",\n" + margin + ")";
}

std::string pair(const IntTuple &extents, const IntTuple &steps) { return "(" + layout::printTuple(extents) + ", " + layout::printTuple(steps) + ")"; }
} // namespace

std::string subject(const TensorLayout &layout) { return layout.mesh ? sharded(layout, 0) : plain(layout, {}); }

std::string subject(const TensorType &type) {
  std::string out = "Tensor[" + layout::printTuple(type.shape) + ", \"" + std::string(name(type.dtype)) + "\"";
  if (!type.layout)
    out += ", " + layout::printTuple(type.shape);
  else
    out += type.layout->mesh ? ",\n    " + sharded(*type.layout, 4) : ", " + layout::printLayout(*type.layout, {});
  if (type.storage != Storage::Gmem)
    out += ", \"" + std::string(name(type.storage)) + "\"";
  return out + "]";
}

// ---- terms
Fit Unifier::bind(const std::string &symbol, const BoundValue &value) {
  const BoundValue *bound = find(bindings, symbol);
  if (!bound)
    bindings.emplace_back(symbol, value);
  else if (*bound != value)
    return Misfit::mismatch(print(value), symbol);
  return std::nullopt;
}

Fit Unifier::term(const Term &pattern, int64_t value) {
  if (pattern.kind == Term::Kind::Any || pattern.kind == Term::Kind::None)
    return std::nullopt;
  if (pattern.kind == Term::Kind::Symbol)
    return bind(pattern.symbol, value);
  if (const auto wanted = evaluate(pattern, bindings)) {
    if (*wanted == value)
      return std::nullopt;
    return Misfit::mismatch(std::to_string(value), print(pattern));
  }
  std::vector<std::string> open;
  for (const std::string &symbol : symbols(pattern))
    if (!find(bindings, symbol))
      open.push_back(symbol);
  const auto solved = open.size() == 1 ? solve(pattern, value, open[0], bindings) : std::nullopt;
  if (!solved)
    return Misfit::mismatch(std::to_string(value), print(pattern));
  return bind(open[0], *solved);
}

Fit Unifier::condition(const Rule &rule) const {
  const auto holding = holds(rule, bindings);
  // A ground rule without a truth value asks for an entry that a list does not have.
  const auto ground = [&] {
    const std::vector<std::string> names = symbols(rule);
    return rule.kind == Rule::Kind::Compare && std::all_of(names.begin(), names.end(), [&](const std::string &one) { return find(bindings, one) != nullptr; });
  };
  if (holding ? *holding : !ground())
    return std::nullopt;
  return Misfit::unsatisfied(print(rule));
}

// ---- tuples
Fit Unifier::shape(const TuplePattern &pattern, const std::vector<int64_t> &extents) {
  if (pattern.kind != TuplePattern::Kind::Tuple || pattern.elements.size() != extents.size())
    return Misfit::mismatch(layout::printTuple(extents), print(pattern));
  for (size_t i = 0; i < extents.size(); ++i)
    if (Fit misfit = term(pattern.elements[i].term, extents[i]))
      return misfit;
  return std::nullopt;
}

/// A star binds last whenever it is met, so that a path lists it where it was last confirmed.
void Unifier::rebind(const std::string &symbol, const std::vector<IntTuple> &modes) {
  std::erase_if(bindings, [&](const auto &one) { return one.first == symbol; });
  std::vector<int64_t> flat;
  for (const IntTuple &mode : modes)
    if (!mode.isTuple)
      flat.push_back(mode.value);
  if (flat.size() == modes.size())
    bindings.emplace_back(symbol, flat);
  else
    bindings.emplace_back(symbol, layout::printTuple(IntTuple::tuple(modes)));
}

Fit Unifier::star(const TuplePattern &shape, const TuplePattern &strides, const std::vector<IntTuple> &extents, const std::vector<IntTuple> &steps) {
  for (const auto &[pattern, modes] : {std::pair{&shape, &extents}, std::pair{&strides, &steps}}) {
    if (pattern->among.empty())
      continue;
    for (const IntTuple &mode : *modes)
      if (std::find(pattern->among.begin(), pattern->among.end(), mode.isTuple ? -1 : mode.value) == pattern->among.end())
        return Misfit::mismatch(layout::printTuple(mode), std::to_string(pattern->among.front()));
  }
  for (const auto &[pattern, modes] : {std::pair{&shape, &extents}, std::pair{&strides, &steps}}) {
    if (pattern->term.kind != Term::Kind::Symbol)
      continue;
    const BoundValue *bound = find(bindings, pattern->term.symbol);
    const BoundValue before = bound ? *bound : BoundValue();
    const bool known = bound != nullptr;
    rebind(pattern->term.symbol, *modes);
    if (known && before != bindings.back().second) {
      std::string value;
      for (size_t i = 0; i < extents.size(); ++i)
        value += (i ? ", " : "") + pair(extents[i], steps[i]);
      for (const TuplePattern *one : {&shape, &strides})
        std::erase_if(bindings, [&](const auto &binding) { return binding.first == one->term.symbol; });
      return Misfit::mismatch("(" + value + (extents.size() == 1 ? ",)" : ")"), "*" + pattern->term.symbol);
    }
  }
  return std::nullopt;
}

Fit Unifier::modes(const LayoutPattern &owner, const TuplePattern &shape, const TuplePattern &strides, const IntTuple &extents, const IntTuple &steps) {
  const auto structure = [&] { return Misfit::mismatch(pair(extents, steps), print(owner)); };
  if (shape.kind == TuplePattern::Kind::Leaf) {
    if (extents.isTuple)
      return structure();
    if (Fit misfit = term(shape.term, extents.value))
      return misfit;
    return term(strides.term, steps.value);
  }
  if (!extents.isTuple)
    return structure();
  const auto isStar = [](const TuplePattern &one) { return one.kind == TuplePattern::Kind::Star; };
  const auto stars = static_cast<size_t>(std::count_if(shape.elements.begin(), shape.elements.end(), isStar));
  const size_t fixed = shape.elements.size() - stars, count = extents.elements.size();
  if (stars == 0 ? count != fixed : count < fixed)
    return structure();
  size_t at = 0;
  for (size_t i = 0; i < shape.elements.size(); ++i) {
    if (!isStar(shape.elements[i])) {
      if (Fit misfit = modes(owner, shape.elements[i], strides.elements[i], extents.elements[at], steps.elements[at]))
        return misfit;
      ++at;
      continue;
    }
    const auto from = static_cast<ptrdiff_t>(at), to = from + static_cast<ptrdiff_t>(count - fixed);
    if (Fit misfit = star(shape.elements[i], strides.elements[i], {extents.elements.begin() + from, extents.elements.begin() + to},
                          {steps.elements.begin() + from, steps.elements.begin() + to}))
      return misfit;
    at += count - fixed;
  }
  return std::nullopt;
}

// ---- layouts and meshes
Fit Unifier::layout(const LayoutPattern &pattern, const TensorLayout &value) {
  const auto whole = [&] { return Misfit::mismatch(subject(value), print(pattern)); };
  switch (pattern.kind) {
  case LayoutPattern::Kind::Any:
  case LayoutPattern::Kind::None:
  case LayoutPattern::Kind::Layout:
    return std::nullopt;
  case LayoutPattern::Kind::Strided:
    if (value.swizzle || value.offset != 0 || (value.mesh && layout::isSharded(value)))
      return whole();
    return modes(pattern, *pattern.shape, *pattern.strides, value.shape, stridesOf(value));
  case LayoutPattern::Kind::Composed: {
    if (value.mesh && layout::isSharded(value))
      return whole();
    const layout::Swizzle swizzle = value.swizzle.value_or(layout::Swizzle{});
    if (!pattern.swizzle && swizzle.bits != 0)
      return whole();
    if (pattern.swizzle) {
      if (Fit misfit = term(pattern.swizzle->bits, swizzle.bits))
        return misfit;
      for (const auto &[part, number] : {std::pair{&pattern.swizzle->base, swizzle.base}, std::pair{&pattern.swizzle->shift, swizzle.shift}})
        if (value.swizzle)
          if (Fit misfit = term(*part, number))
            return misfit;
    }
    if (Fit misfit = term(pattern.offset, value.offset))
      return misfit;
    TensorLayout strided = value;
    strided.swizzle.reset();
    strided.offset = 0;
    return layout(*pattern.inner, strided);
  }
  case LayoutPattern::Kind::Shard: {
    if (!value.mesh)
      return whole();
    TensorLayout held = value;
    held.mesh.reset();
    held.states.clear();
    if (Fit misfit = layout(*pattern.inner, held))
      return misfit;
    if (pattern.states) {
      std::vector<layout::AxisState> wanted;
      for (const StatePattern &state : *pattern.states)
        wanted.push_back({state.split ? layout::StateKind::Split : layout::StateKind::Broadcast, state.split ? state.mode : -1, {}});
      if (wanted != value.states)
        return Misfit::mismatch(printStates(value.states), printStates(wanted));
    }
    return mesh(*pattern.mesh, *value.mesh);
  }
  }
  return std::nullopt;
}

Fit Unifier::mesh(const MeshPattern &pattern, const layout::Mesh &value) {
  if (pattern.any)
    return std::nullopt;
  if (pattern.level && (value.topologies.size() != 1 || value.topologies[0].name != *pattern.level))
    return Misfit::mismatch(layout::printMesh(value), print(pattern));
  TensorLayout units; // one level: its axes are the modes within one mode
  units.shape = IntTuple::tuple({IntTuple::of(value.shape)});
  units.strides = IntTuple::tuple({IntTuple::of(value.strides)});
  units.offset = value.offset;
  return layout(pattern.layout, units);
}

} // namespace tilewright::instruction
