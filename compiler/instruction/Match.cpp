#include "instruction/Match.h"
#include "instruction/Table.h"
#include "instruction/Tiles.h"
#include "instruction/Unify.h"
#include "instruction/Walk.h"
#include "layout/Print.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tilewright::instruction {

namespace {

// ---- the scope
/// The units of a level as the innermost scope that names it arranges them, axes of extent 1 included.
std::optional<layout::Mesh> levelNamed(const std::vector<std::shared_ptr<const layout::Mesh>> &scopes, std::string_view level) {
  for (size_t i = scopes.size(); i-- > 0;)
    for (size_t k = 0; scopes[i] && k < scopes[i]->topologies.size(); ++k)
      if (scopes[i]->topologies[k].name == level)
        return layout::levelMesh(*scopes[i], static_cast<int>(k));
  return std::nullopt;
}

/// The units of a mesh of one level, as numbers.
std::set<int64_t> unitsOf(const layout::Mesh &mesh) {
  std::set<int64_t> units{mesh.offset};
  for (size_t axis = 0; axis < mesh.shape.size(); ++axis) {
    std::set<int64_t> next;
    for (int64_t unit : units)
      for (int64_t i = 0; i < mesh.shape[axis]; ++i)
        next.insert(unit + i * mesh.strides[axis]);
    units = std::move(next);
  }
  return units;
}
constexpr int64_t kMostUnits = 1 << 16; // beyond what any level has; a larger mesh is compared by its extents alone

bool sameSet(const layout::Mesh &a, const layout::Mesh &b) {
  if (a.shape == b.shape && a.strides == b.strides)
    return a.offset == b.offset;
  if (a.positions() > kMostUnits || b.positions() > kMostUnits)
    return a.positions() == b.positions() && a.offset == b.offset;
  return unitsOf(a) == unitsOf(b);
}

bool injective(const layout::Mesh &mesh) {
  return mesh.positions() > kMostUnits || static_cast<int64_t>(unitsOf(mesh).size()) == mesh.positions();
}

// ---- texts
std::string quoted(const std::vector<std::string> &names) {
  std::string out = "(";
  for (const std::string &name : names)
    out += (out.size() > 1 ? ", '" : "'") + name + "'";
  return out + (names.size() == 1 ? ",)" : ")");
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}
std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// What a row says of a whole tensor, where its rank does not fit: `shape=(None,) dtype=bf16 storage=rmem, in any arrangement`.
std::string tensorPattern(const OperandCase &one) {
  const auto dtypeText = [](DType dtype) {
    const std::string text(name(dtype));
    return isInteger(dtype) ? "integerdtype(name='" + text + "', bit_width=" + std::to_string(bits(dtype)) + ", signed=true)" : text;
  };
  std::string out;
  if (one.shape)
    out += "shape=" + print(*one.shape);
  if (!one.dtype.symbol.empty()) {
    out += (out.empty() ? "dtype=" : " dtype=") + one.dtype.symbol;
  } else if (one.dtype.among.size() == 1) {
    out += (out.empty() ? "dtype=" : " dtype=") + std::string(name(one.dtype.among[0]));
  } else if (!one.dtype.among.empty()) {
    std::string list;
    for (DType dtype : one.dtype.among)
      list += (list.empty() ? "" : ", ") + dtypeText(dtype);
    out += (out.empty() ? "dtype=" : " dtype=") + ("orpattern(predicates=(), patterns=(" + list) + "))";
  }
  if (!one.storage.symbol.empty())
    out += (out.empty() ? "storage=" : " storage=") + one.storage.symbol;
  else if (one.storage.among.size() == 1)
    out += (out.empty() ? "storage=" : " storage=") + std::string(name(one.storage.among[0]));
  if (one.arrangements.empty())
    return out + ", in any arrangement";
  return out + ", held in " + std::to_string(one.arrangements.size()) + (one.arrangements.size() == 1 ? " arrangement" : " arrangements");
}

/// Shapes aligned at their last axes, extents of 1 stretched.
bool broadcasts(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i)
    if (a[a.size() - i] != b[b.size() - i] && a[a.size() - i] != 1 && b[b.size() - i] != 1)
      return false;
  return true;
}
std::optional<std::vector<int64_t>> broadcast(const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<int64_t> out;
  for (const auto &shape : shapes) {
    if (!broadcasts(out, shape))
      return std::nullopt;
    if (shape.size() > out.size())
      out.insert(out.begin(), shape.size() - out.size(), 1);
    for (size_t i = 1; i <= shape.size(); ++i)
      out[out.size() - i] = std::max(out[out.size() - i], shape[shape.size() - i]);
  }
  return out;
}

bool isSentence(const Rule &rule) { return rule.kind != Rule::Kind::Compare && rule.kind != Rule::Kind::In; }

// Switches that an operand opens itself, under the type that a refusal names their members by.
std::string branchType(const std::string &symbol) { return symbol == "swizzle" ? "TmaSwizzle" : symbol; }

/// One use against one row.
class Matching {
public:
  Matching(const Use &use, const Row &row, const Instruction *atom) : use_(use), row_(row), atom_(atom), atomRow_(atom ? rowNamed(atom->name) : nullptr) {
    match_.id = atomRow_ ? atomRow_->id : row.id;
    match_.instruction = use.instruction;
    if (atom_) {
      unifier_.bindings = bindingsOf(*atom_);
    } else {
      // A dtype among the parameters is a symbol of its operands: `cast_dtype`.
      for (const Parameter &parameter : row.parameters)
        if (const auto *value = find(use.instruction, parameter.name); value && parameter.kind == Parameter::Kind::DType)
          unifier_.bindings.emplace_back(lower(row.className) + "_" + parameter.name, pathText(*value));
    }
    attributes_ = unifier_.bindings;
  }

  /// Mesh, operand count and what each operand is before its arrangement is asked.
  bool admitted() { return mesh() && count() && fields(); }
  Match run() {
    match_.accepted = admitted() && geometry() && scope() && layouts() && between() && verified() && capable() && issued();
    return result();
  }
  Match result() {
    for (const auto &[symbol, value] : unifier_.bindings)
      match_.path.push_back({symbol, print(value)});
    return std::move(match_);
  }
  const Row *atomRow() const { return atomRow_; }

private:
  bool refuse(Node node, std::string reason, int operand = -1) {
    match_.node = node;
    match_.reason = std::move(reason);
    match_.operand = operand;
    return false;
  }
  bool refuse(Node node, const std::string &who, const Misfit &misfit, int operand = -1) {
    match_.value = misfit.value;
    match_.pattern = misfit.pattern;
    return refuse(node, who + ": " + misfit.reason, operand);
  }
  bool refuse(Field field, const std::string &who, const Misfit &misfit, int operand) {
    match_.field = field;
    return refuse(Node::Operand, who, misfit, operand);
  }
  /// Refusals about extents speak of nothing that was bound on the way.
  bool refuseEarly(Node node, std::string reason, int operand = -1) {
    unifier_.bindings = attributes_;
    return refuse(node, std::move(reason), operand);
  }

  /// The operand of the atom, or of the row itself, that says what this operand is.
  const Operand &contract(size_t i) const {
    const Operand &operand = row_.operands[i];
    if (atomRow_ && !operand.ofAtom.empty())
      for (const Operand &one : atomRow_->operands)
        if (one.name == operand.ofAtom)
          return one;
    return operand;
  }
  const OperandCase *caseOfOperand(size_t i) const { return caseOf(contract(i), unifier_.bindings); }
  int indexOf(const std::string &operand) const {
    for (size_t i = 0; i < row_.operands.size(); ++i)
      if (row_.operands[i].name == operand)
        return static_cast<int>(i);
    return -1;
  }

  bool count() {
    std::vector<std::string> names;
    size_t least = 0;
    for (const Operand &operand : row_.operands) {
      names.push_back(operand.name);
      least += operand.optional ? 0 : 1;
    }
    if (use_.operands.size() >= least && use_.operands.size() <= names.size())
      return true;
    unifier_.bindings.clear();
    return refuse(Node::Count, row_.className + " expects operands " + quoted(names) + " (" + std::to_string(least) + ".." + std::to_string(names.size()) + "), got " +
                                   std::to_string(use_.operands.size()));
  }

  bool mesh() {
    std::vector<MeshCase> cases;
    if (row_.everyLevel)
      cases = meshesOn(row_, use_.target);
    else
      for (const MeshCase &one : row_.meshes)
        if (one.when.empty() || !atomRow_ || one.when.front().second == atomRow_->id)
          cases.push_back(one);
    std::optional<layout::Mesh> whole; // the open scopes as one
    for (const auto &scope : use_.scopes)
      if (scope)
        whole = whole ? layout::compose(*whole, *scope) : *scope;
    const std::string stated = whole ? layout::printMesh(*whole) : "None";
    if (cases.empty())
      return refuse(Node::Mesh, "mesh", Misfit::mismatch(stated, "_"));
    // The innermost level issues what names none; T.copy is issued by the coarsest level of those that issue instructions.
    const std::string innermost = whole ? whole->topologies.back().name : std::string();
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const MeshCase &one) { return !one.mesh.level || levelNamed(use_.scopes, *one.mesh.level); });
    const MeshCase &chosen = found == cases.end() ? cases.front() : *found;
    const auto level = levelNamed(use_.scopes, chosen.mesh.level.value_or(innermost));
    if (!level)
      return refuse(Node::Mesh, "mesh", Misfit::mismatch(stated, print(chosen.mesh)));
    issuers_ = *level;
    if (Fit misfit = unifier_.mesh(chosen.mesh, *level))
      return refuse(Node::Mesh, "mesh", *misfit);
    for (const Rule &rule : chosen.rules) {
      if (!isSentence(rule)) {
        if (Fit misfit = unifier_.condition(rule))
          return refuse(Node::Mesh, "mesh", *misfit);
        continue;
      }
      const bool forward = rule.kind == Rule::Kind::Forward || rule.kind == Rule::Kind::ForwardPerMode;
      const bool holding = forward ? std::all_of(level->strides.begin(), level->strides.end(), [](int64_t step) { return step >= 0; }) : injective(*level);
      if (!holding)
        return refuse(Node::Mesh, "mesh", Misfit::unsatisfied(print(rule)));
    }
    return true;
  }

  bool fields() {
    for (size_t i = 0; i < use_.operands.size(); ++i) {
      const std::string &who = row_.operands[i].name;
      const int at = static_cast<int>(i);
      const OperandCase *one = caseOfOperand(i);
      if (!one)
        continue;
      const TensorType &type = use_.operands[i];
      const std::string dtype(name(type.dtype)), storage(name(type.storage));
      if (!one->dtype.symbol.empty()) {
        if (Fit misfit = unifier_.bind(one->dtype.symbol, dtype))
          return refuse(Field::DType, who, *misfit, at);
      } else if (!one->dtype.among.empty() && std::find(one->dtype.among.begin(), one->dtype.among.end(), type.dtype) == one->dtype.among.end()) {
        return refuse(Field::DType, who, Misfit::mismatch(dtype, std::string(name(one->dtype.among.front()))), at);
      }
      // Where a scalar will live is not decided yet, so it may live anywhere.
      if (!one->storage.symbol.empty()) {
        if (Fit misfit = unifier_.bind(one->storage.symbol, upper(storage)))
          return refuse(Field::Storage, who, *misfit, at);
      } else if (!one->storage.among.empty() && type.storage != Storage::Umat &&
                 std::find(one->storage.among.begin(), one->storage.among.end(), type.storage) == one->storage.among.end()) {
        return refuse(Field::Storage, who, Misfit::mismatch(storage, std::string(name(one->storage.among.front()))), at);
      }
      for (const auto *rules : {&one->rules, &contract(i).rules})
        for (const Rule &rule : *rules)
          if (!isSentence(rule))
            if (Fit misfit = unifier_.condition(rule)) {
              const std::vector<std::string> names = symbols(rule);
              const bool stored = std::find(names.begin(), names.end(), one->storage.symbol) != names.end();
              return refuse(stored ? Field::Storage : Field::DType, who, *misfit, at);
            }
    }
    return true;
  }

  /// A value that units hold can be read and written by all of them together, not by some and not by others besides.
  bool scope() {
    for (size_t i = 0; i < use_.operands.size(); ++i) {
      const auto &type = use_.operands[i];
      if (!type.layout || !type.layout->mesh)
        continue;
      const layout::Mesh &holder = *type.layout->mesh;
      // Registers of a coarser level are those of no unit that runs this.
      const bool coarser = issuers_ && std::none_of(holder.topologies.begin(), holder.topologies.end(),
                                                    [&](const layout::Topology &one) { return one.name == issuers_->topologies.back().name; });
      if (coarser && type.storage == Storage::Rmem)
        return refuse(Node::Scope,
                      "input " + std::to_string(i) + " is laid out more coarsely and kept in rmem, which does not reach the units this runs on; reshard it to smem or gmem first",
                      static_cast<int>(i));
      for (size_t level = 0; level < holder.topologies.size(); ++level) {
        const auto here = levelNamed(use_.scopes, holder.topologies[level].name);
        if (here && sameSet(layout::levelMesh(holder, static_cast<int>(level)), *here))
          continue;
        return refuse(Node::Scope,
                      "input " + std::to_string(i) + " is laid out more finely than the scope it runs in; write it inside that scope, or reshard it back first",
                      static_cast<int>(i));
      }
    }
    return true;
  }

  // ---- extents
  /// Extents of one issue along the iteration dimensions, where the contract fixes them; of the whole in `whole`.
  bool geometry() {
    std::vector<int64_t> whole, single;
    std::vector<std::string> named; // the parameter that states the extent of one issue
    const std::vector<std::string> &dims = row_.iteration;
    if (!dims.empty()) {
      whole.assign(dims.size(), 0);
      single.assign(dims.size(), 0);
      named.assign(dims.size(), {});
      for (size_t i = use_.operands.size(); i-- > 0;) { // the first operand is an accumulator, its extents follow from the others
        const Operand &operand = contract(i);
        const OperandCase *one = caseOfOperand(i);
        if (!one || !one->shape)
          continue;
        if (i > 0 && use_.operands[i].shape.size() != operand.dims.size())
          return refuseEarly(Node::Tiling, "single-issue and scheduled iteration ranks differ", static_cast<int>(i));
        for (size_t axis = 0; axis < operand.dims.size() && axis < use_.operands[i].shape.size(); ++axis) {
          const auto dim = static_cast<size_t>(std::find(dims.begin(), dims.end(), operand.dims[axis]) - dims.begin());
          if (i == 0 && whole[dim] != 0)
            continue;
          whole[dim] = use_.operands[i].shape[axis];
          const Term &term = one->shape->elements[axis].term;
          single[dim] = evaluate(term, unifier_.bindings).value_or(0);
          if (term.kind == Term::Kind::Symbol && find(attributes_, term.symbol))
            named[dim] = term.symbol;
        }
      }
    } else {
      const size_t destination = std::min(row_.destination, use_.operands.size() - 1);
      const bool reduces = row_.id == "T.reduce";
      whole = use_.operands[reduces ? 0 : destination].shape;
      if (reduces && !reducedAxes(whole.size()))
        return false;
      const OperandCase *one = caseOfOperand(destination);
      if (one && one->shape)
        for (const TuplePattern &element : one->shape->elements)
          if (const auto extent = evaluate(element.term, unifier_.bindings))
            single.push_back(*extent);
      if (single.size() != whole.size())
        single.clear();
      // A source of any shape is read whole, whatever one issue writes.
      if (!single.empty() && destination == 1 && use_.operands.size() == 2 && !(caseOfOperand(0) && caseOfOperand(0)->shape) && !broadcasts(use_.operands[0].shape, single))
        return refuseEarly(Node::Tiling, "cannot broadcast shapes " + layout::printTuple(use_.operands[0].shape) + " and " + layout::printTuple(single), 0);
    }
    std::vector<int64_t> repeat(whole.size(), 1);
    for (size_t i = 0; i < single.size(); ++i) {
      if (single[i] == 0)
        continue;
      if (whole[i] % single[i] != 0) {
        if (i < named.size())
          match_.parameter = named[i];
        return refuseEarly(Node::Tiling, "iteration extent " + std::to_string(whole[i]) + " is not divisible by single-issue extent " + std::to_string(single[i]), operandOfDim(i));
      }
      repeat[i] = whole[i] / single[i];
    }
    if (use_.repeat && *use_.repeat != repeat) {
      const bool open = single.empty() && row_.id != "T.fill" && std::any_of(use_.repeat->begin(), use_.repeat->end(), [](int64_t count) { return count > 1; });
      return refuseEarly(Node::Repeat, open ? "transfer tiling is not yet supported"
                                            : "repeat " + layout::printTuple(*use_.repeat) + " conflicts with inferred repeat " + layout::printTuple(repeat));
    }
    match_.repeat = repeat;
    match_.order.resize(whole.size());
    std::iota(match_.order.begin(), match_.order.end(), int64_t{0});
    if (use_.order) {
      std::vector<int64_t> sorted = *use_.order;
      std::sort(sorted.begin(), sorted.end());
      if (sorted != match_.order)
        return refuseEarly(Node::Order, "order " + layout::printTuple(*use_.order) + " is not a permutation of iteration dimensions");
      match_.order = *use_.order;
    }
    return tiles();
  }

  bool reducedAxes(size_t rank) {
    const auto *axes = find(use_.instruction, "axes");
    const auto *list = axes ? std::get_if<std::vector<int64_t>>(axes) : nullptr;
    for (size_t i = 0; list && i < list->size(); ++i)
      if ((*list)[i] >= static_cast<int64_t>(rank) || (*list)[i] < -static_cast<int64_t>(rank)) {
        refuseEarly(Node::Parameter, "Reduce axes " + layout::printTuple(*list) + " exceed source rank " + std::to_string(rank));
        match_.parameter = "axes";
        return false;
      }
    return true;
  }

  /// The first operand after the accumulator that has this dimension.
  int operandOfDim(size_t dim) const {
    for (size_t i = 1; i < use_.operands.size() && dim < row_.iteration.size(); ++i) {
      const std::vector<std::string> &dims = contract(i).dims;
      if (std::find(dims.begin(), dims.end(), row_.iteration[dim]) != dims.end())
        return static_cast<int>(i);
    }
    return -1;
  }

  /// Operands as one issue sees them.
  bool tiles() {
    tiles_ = use_.operands;
    if (row_.iteration.empty())
      return true;
    const size_t frame = atomRow_ && !atomRow_->meshes.empty() ? frameOf(*atomRow_) : 0;
    for (size_t i = 0; i < use_.operands.size(); ++i) {
      std::vector<int64_t> counts;
      for (const std::string &dim : contract(i).dims)
        counts.push_back(match_.repeat[static_cast<size_t>(std::find(row_.iteration.begin(), row_.iteration.end(), dim) - row_.iteration.begin())]);
      const TensorType &operand = use_.operands[i];
      const bool held = atomRow_ && operand.layout && operand.layout->mesh && operand.storage == Storage::Rmem;
      Tiled tile = held ? heldByIssue(operand, counts, frame) : leadingRemoved(operand, counts);
      if (!tile.reason.empty())
        return refuseEarly(Node::Tiling, tile.reason, static_cast<int>(i));
      if (atomRow_ && tile.type.layout) {
        tile.type.layout->offset = 0; // where the tile begins is an address
        tile.type.layout->window = false;
        if (!tile.type.layout->mesh && operand.storage == Storage::Smem)
          seenWhole(tile.type, frame);
      }
      // The pieces that are left must be what one issue takes; the extents that the operands share may disagree.
      const OperandCase *one = caseOfOperand(i);
      for (size_t axis = 0; one && one->shape && axis < one->shape->elements.size() && axis < tile.type.shape.size(); ++axis) {
        const auto extent = evaluate(one->shape->elements[axis].term, unifier_.bindings);
        if (extent && *extent != tile.type.shape[axis])
          return refuseEarly(Node::Tiling, row_.operands[i].name + ": axis " + std::to_string(axis) + " has " + std::to_string(operand.shape[axis]) + " elements, where " +
                                               std::to_string(counts[axis]) + " issues take " + std::to_string(*extent * counts[axis]),
                             static_cast<int>(i));
      }
      tiles_[i] = std::move(tile.type);
    }
    return true;
  }

  static size_t frameOf(const Row &atom) {
    const LayoutPattern *pattern = &atom.meshes.front().mesh.layout;
    while (pattern->inner)
      pattern = pattern->inner.get();
    return pattern->shape && !pattern->shape->elements.empty() ? pattern->shape->elements[0].elements.size() : 0;
  }

  /// A tile in shared memory is whole for every thread of the frame.
  void seenWhole(TensorType &type, size_t frame) const {
    layout::Mesh own = *issuers_;
    if (own.shape.size() > frame) {
      const auto cut = static_cast<ptrdiff_t>(own.shape.size() - frame);
      own.shape.erase(own.shape.begin(), own.shape.begin() + cut);
      own.strides.erase(own.strides.begin(), own.strides.begin() + cut);
      if (own.names.size() > frame)
        own.names.erase(own.names.begin(), own.names.begin() + cut);
    }
    type.layout->states.assign(own.shape.size(), layout::AxisState{});
    type.layout->mesh = std::make_shared<const layout::Mesh>(std::move(own));
  }

  // ---- arrangements
  bool layouts() {
    for (size_t i = 0; i < use_.operands.size(); ++i) {
      const OperandCase *one = caseOfOperand(i);
      if (!one)
        continue;
      const std::string &who = row_.operands[i].name;
      const int at = static_cast<int>(i);
      const TensorType &type = tiles_[i];
      if (one->shape) {
        if (one->shape->elements.size() != type.shape.size())
          return refuse(Field::Shape, who, Misfit::mismatch(subject(use_.operands[i]), tensorPattern(*one)), at);
        if (Fit misfit = unifier_.shape(*one->shape, type.shape))
          return refuse(Field::Shape, who, *misfit, at);
      }
      if (Fit misfit = arranged(type, *one, contract(i)))
        return refuse(Field::Layout, who, *misfit, at);
    }
    return true;
  }

  Fit arranged(const TensorType &type, const OperandCase &one, const Operand &operand) {
    const layout::TensorLayout layout = type.layout ? *type.layout : layout::compact(type.shape);
    if (one.arrangements.empty())
      return rules(type, layout, one, operand, nullptr, unifier_);
    struct Failure {
      Misfit misfit;
      Bindings bindings;
    };
    std::optional<Failure> first;
    std::string symbol, branches;
    for (const Arrangement &arrangement : one.arrangements) {
      const bool excluded = std::any_of(arrangement.when.begin(), arrangement.when.end(), [&](const auto &wanted) {
        const BoundValue *bound = find(unifier_.bindings, wanted.first);
        return bound && print(*bound) != wanted.second;
      });
      if (excluded)
        continue;
      Unifier trial = unifier_;
      for (const auto &[name, value] : arrangement.when) {
        if (find(trial.bindings, name))
          continue;
        symbol = name;
        branches += (branches.empty() ? "" : ", ") + branchType(name) + "." + value;
        trial.bindings.emplace_back(name, value);
      }
      Fit misfit = trial.layout(arrangement.layout, layout);
      if (!misfit)
        misfit = rules(type, layout, one, operand, &arrangement, trial);
      if (!misfit) {
        unifier_ = std::move(trial);
        return std::nullopt;
      }
      if (!first)
        first = Failure{std::move(*misfit), std::move(trial.bindings)};
    }
    if (!symbol.empty())
      return Misfit{symbol + " has no matching branch for " + subject(layout) + "; branches: " + branches, subject(layout), branches};
    if (!first)
      return std::nullopt;
    unifier_.bindings = std::move(first->bindings);
    return std::move(first->misfit);
  }

  /// What holds for every arrangement of the case and of the operand, then what holds for this one.
  Fit rules(const TensorType &type, const layout::TensorLayout &layout, const OperandCase &one, const Operand &operand, const Arrangement *arrangement, Unifier &unifier) const {
    for (const auto *rules : {&one.rules, &operand.rules, arrangement ? &arrangement->rules : nullptr}) {
      if (!rules)
        continue;
      for (const Rule &rule : *rules)
        if (Fit misfit = isSentence(rule) ? sentence(rule, type, layout, arrangement, unifier) : unifier.condition(rule))
          return misfit;
    }
    return std::nullopt;
  }

  static Fit sentence(const Rule &rule, const TensorType &type, const layout::TensorLayout &layout, const Arrangement *arrangement, Unifier &unifier) {
    const Fit unsatisfied = Misfit::unsatisfied(print(rule));
    const auto bound = [&](const std::vector<std::pair<std::string, int64_t>> &values) -> Fit {
      for (const auto &[symbol, value] : values)
        if (unifier.bind(symbol, value))
          return unsatisfied;
      return std::nullopt;
    };
    switch (rule.kind) {
    case Rule::Kind::PlainArrangement:
      if (arrangement && arrangement->layout.kind == LayoutPattern::Kind::Layout && (layout.swizzle || layout.offset != 0 || layout::isSharded(layout)))
        return unsatisfied;
      return std::nullopt;
    case Rule::Kind::TensorMap: {
      const auto steps = tensorMapSteps(layout, type.shape);
      return steps ? bound({{"step1", (*steps)[0]}, {"step2", (*steps)[1]}, {"step3", (*steps)[2]}, {"step4", (*steps)[3]}}) : unsatisfied;
    }
    case Rule::Kind::BoxDims: {
      // The innermost dim has a name of its own for each swizzle, the one the rules beside this one speak of first.
      std::string inner = "dim0";
      for (const Rule &other : arrangement->rules)
        if (!isSentence(other) && !other.terms.empty() && other.terms[0].kind == Term::Kind::Symbol) {
          inner = other.terms[0].symbol;
          break;
        }
      const auto &swizzle = arrangement->layout.swizzle;
      const int64_t span = swizzle ? (int64_t{16} << swizzle->bits.number) * 8 / bits(type.dtype) : 0;
      const auto dims = boxDims(layout, type.shape, span);
      return dims ? bound({{inner, (*dims)[0]}, {"dim1", (*dims)[1]}, {"dim2", (*dims)[2]}, {"dim3", (*dims)[3]}, {"dim4", (*dims)[4]}}) : unsatisfied;
    }
    case Rule::Kind::WholeVectors: {
      const auto width = vectorBytes(layout, type.shape, bits(type.dtype), integer(unifier.bindings, "width"));
      return width ? bound({{"width", *width}}) : unsatisfied;
    }
    default: // about the mesh of the operand, which fits its pattern
      return std::nullopt;
    }
  }

  // ---- between operands
  bool between() {
    for (const Between &rule : row_.between) {
      const int l = indexOf(rule.left), r = indexOf(rule.right);
      if (l < 0 || r < 0 || static_cast<size_t>(std::max(l, r)) >= use_.operands.size())
        continue;
      const TensorType &left = use_.operands[static_cast<size_t>(l)], &right = use_.operands[static_cast<size_t>(r)];
      const bool indexed = rule.kind == Between::Kind::SameWalkIndexed;
      if (indexed || rule.kind == Between::Kind::SameWalk) {
        const std::string reason = differentWalk(rule, left, right, indexed && use_.operands.size() > 2);
        if (!reason.empty())
          return refuse(Node::Between, reason + "; reads " + print(rule), r);
        continue;
      }
      const auto text = [&](const TensorType &type) {
        return rule.field == Between::Field::Shape   ? layout::printTuple(type.shape)
               : rule.field == Between::Field::DType ? std::string(name(type.dtype))
                                                     : std::string(name(type.storage));
      };
      if ((text(left) == text(right)) == (rule.kind == Between::Kind::Same))
        continue;
      const char *field = rule.field == Between::Field::Shape ? ".shape=" : rule.field == Between::Field::DType ? ".dtype=" : ".storage=";
      return refuse(Node::Between, rule.left + field + text(left) + " " + rule.right + field + text(right) + ", reads " + print(rule), r);
    }
    return true;
  }

  static std::string differentWalk(const Between &rule, const TensorType &left, const TensorType &right, bool indexed) {
    const auto layoutOf = [](const TensorType &type) { return type.layout ? *type.layout : layout::compact(type.shape); };
    const Walk source = walkOf(layoutOf(left), left.shape), destination = walkOf(layoutOf(right), right.shape);
    for (const auto &[who, type, walk] : {std::tuple{&rule.left, &left, &source}, std::tuple{&rule.right, &right, &destination}})
      if (!walk->grouped) {
        const layout::TensorLayout layout = layoutOf(*type);
        return *who + ".layout: Layout(shape=" + layout::printTuple(layout.shape) + ", strides=" + layout::printTuple(stridesOf(layout)) +
               ") is not one group of modes per axis of the " + layout::printTuple(type->shape) + " tile it arranges";
      }
    if (source.contiguous != destination.contiguous)
      return rule.left + " steps 1 along tile axis " + std::to_string(source.contiguous) + " and " + rule.right + " along tile axis " + std::to_string(destination.contiguous) +
             ": that is a transpose";
    for (const auto &[who, walk] : {std::pair{&rule.left, &source}, std::pair{&rule.right, &destination}})
      if (walk->axis < 0)
        return *who + " does not step 1 along the last mode of tile axis " + std::to_string(walk->contiguous);
    if (indexed && source.axis == 0)
      return rule.right + " does not step 1 along the last mode of tile axis 0";
    return {};
  }

  // ---- what a row does not express
  bool verified() {
    const auto &operands = use_.operands;
    if (row_.id == "T.binary") {
      const auto shape = broadcast({operands[0].shape, operands[1].shape});
      if (!shape || *shape != operands[2].shape)
        return refuse(Node::Between, "Binary: Binary: dst " + layout::printTuple(operands[2].shape) + " is not the broadcast of lhs " + layout::printTuple(operands[0].shape) +
                                         " and rhs " + layout::printTuple(operands[1].shape),
                      2);
    }
    if (row_.id == "T.where") {
      const auto shape = broadcast({operands[0].shape, operands[1].shape, operands[2].shape});
      if (!shape || *shape != operands[3].shape)
        return refuse(Node::Between, "Where: Where destination must have the broadcast shape of its inputs", 3);
    }
    if (row_.id == "T.copy_async") {
      if (operands.size() < 3 && find(use_.instruction, "fill")) {
        match_.parameter = "fill";
        return refuse(Node::Parameter, "CopyAsync: CopyAsync fill requires an index operand");
      }
      if (operands.size() == 3) {
        std::vector<int64_t> wanted = operands[0].shape;
        if (!wanted.empty() && !operands[2].shape.empty())
          wanted[0] = operands[2].shape[0];
        if (wanted != operands[1].shape)
          return refuse(Node::Between, "CopyAsync: CopyAsync indexed destination must have shape (index length, *source inner shape)", 1);
      }
    }
    if ((row_.id == "T.unary" || row_.id == "T.clamp" || row_.id == "T.copy_async") && operands.size() == 2 && !broadcasts(operands[0].shape, operands[1].shape))
      return refuseEarly(Node::Between, "cannot broadcast shapes " + layout::printTuple(operands[0].shape) + " and " + layout::printTuple(operands[1].shape), 1);
    if (row_.id == "T.reduce" && operands.size() > 2) {
      // Every warp of the mesh that holds the source posts one partial result; the mesh is that of all open levels.
      const TensorType &workspace = operands[2];
      std::vector<std::string> levels;
      for (const auto &scope : use_.scopes)
        for (const layout::Topology &topology : scope->topologies)
          if (std::find(levels.begin(), levels.end(), topology.name) == levels.end())
            levels.push_back(topology.name);
      int64_t threads = 1;
      for (const std::string &level : levels)
        threads *= levelNamed(use_.scopes, level)->positions();
      const int64_t slots = (threads + 31) / 32;
      if (workspace.shape.size() != 1 || workspace.shape[0] < slots)
        return refuse(Node::Between, "Reduce: Reduce workspace " + layout::printTuple(workspace.shape) + " must be rank-1 with at least " + std::to_string(slots) +
                                         " slots, one per warp of the source mesh",
                      2);
    }
    return true;
  }

  bool capable() {
    if (!use_.target || !atomRow_ || admits(*use_.target, *atomRow_))
      return true;
    return refuse(Node::Capability, row_.className + ": target does not support " + atomRow_->capability);
  }

  /// The windows of the issues of all groups, cut as the issues of one group were.
  bool issued() {
    const Tiled whole = unissuable(use_, match_);
    return whole.reason.empty() || refuseEarly(Node::Tiling, whole.reason, whole.axis);
  }

  const Use &use_;
  const Row &row_;
  const Instruction *atom_;
  const Row *atomRow_;
  Match match_;
  Unifier unifier_;
  Bindings attributes_;                 // what the parameters alone bind
  std::optional<layout::Mesh> issuers_; // the level that issues
  std::vector<TensorType> tiles_;       // operands as one issue sees them
};

/// A use of an atom by its own name is one of the instruction that repeats it.
Use repeated(const Use &use) {
  Use whole = use;
  whole.instruction = Instruction{"T.tiled_mma", {{"atom", std::vector<Instruction>{use.instruction}}}};
  return whole;
}
const Instruction *atomOf(const Use &use) {
  const InstructionParameter *atom = find(use.instruction, "atom");
  const auto *nested = atom ? std::get_if<std::vector<Instruction>>(atom) : nullptr;
  return nested && !nested->empty() && rowNamed(nested->front().name) ? &nested->front() : nullptr;
}

// ---- open parameters
/// Every choice of the parameters that an atom leaves open and that are not numbers, in the order of their members; a default is taken.
std::vector<Instruction> variants(const Row &row, const Instruction &authored) {
  std::vector<Instruction> out{{row.id, {}}};
  for (const Parameter &parameter : row.parameters) {
    std::vector<Instruction> next;
    for (const Instruction &earlier : out) {
      const auto with = [&](const InstructionParameter &value) {
        next.push_back(earlier);
        next.back().parameters.emplace_back(parameter.name, value);
      };
      if (const InstructionParameter *given = find(authored, parameter.name)) {
        with(*given);
        continue;
      }
      const Bindings bindings = bindingsOf(earlier);
      std::vector<std::string> members = parameter.members;
      for (const Parameter::Case &one : parameter.cases)
        if (applies(one.when, bindings)) {
          members = one.members;
          break;
        }
      if (parameter.kind == Parameter::Kind::DType) {
        std::sort(members.begin(), members.end(), [](const std::string &a, const std::string &b) { return dtypeNamed(a) < dtypeNamed(b); });
        for (const std::string &member : members)
          with(member);
      } else if (parameter.kind == Parameter::Kind::Enum) {
        if (members.size() > 1 && parameter.defaultValue)
          with(*parameter.defaultValue);
        else
          for (const std::string &member : members)
            with(Enumerator{parameter.enumType, member});
      } else {
        next.push_back(earlier);
      }
    }
    out = std::move(next);
  }
  return out;
}

/// The instruction with an integer parameter in its declared place.
Instruction withNumber(const Row &row, const Instruction &open, const std::string &name, int64_t value) {
  Instruction out{open.name, {}};
  for (const Parameter &parameter : row.parameters)
    if (parameter.name == name)
      out.parameters.emplace_back(name, value);
    else if (const InstructionParameter *given = find(open, parameter.name))
      out.parameters.emplace_back(parameter.name, *given);
  return out;
}

/// Values of an open integer parameter that divide every extent it stands for, largest first.
std::vector<int64_t> numbersFor(const Use &use, const Row &tiled, const Row &atom, const Parameter &parameter, const Instruction &open) {
  const Bindings bindings = bindingsOf(open);
  int64_t common = 0;
  for (size_t i = 0; i < use.operands.size() && i < tiled.operands.size(); ++i)
    for (const Operand &operand : atom.operands) {
      const OperandCase *one = operand.name == tiled.operands[i].ofAtom ? caseOf(operand, bindings) : nullptr;
      for (size_t axis = 0; one && one->shape && axis < one->shape->elements.size() && axis < use.operands[i].shape.size(); ++axis)
        if (one->shape->elements[axis].term.kind == Term::Kind::Symbol && one->shape->elements[axis].term.symbol == parameter.name)
          common = std::gcd(common, use.operands[i].shape[axis]);
    }
  std::vector<int64_t> out;
  constexpr int64_t kLargest = 1 << 12; // beyond what any rule about an extent of one issue admits
  for (int64_t value = std::min(common, kLargest); value > 0; --value)
    if (common % value == 0 &&
        std::all_of(parameter.rules.begin(), parameter.rules.end(), [&](const Rule &rule) { return holds(rule, {{parameter.name, value}}).value_or(true); }))
      out.push_back(value);
  return out;
}

std::vector<Match> matchAtom(const Use &use, const Row &tiled, const Row &atom, const Instruction &authored) {
  std::vector<Match> accepted;
  std::optional<Match> field, closed, open; // the first refusals of either kind; what is wrong where no number is left to try
  const auto useOf = [&](const Instruction &instruction) {
    Use one = use;
    one.instruction = Instruction{tiled.id, {{"atom", std::vector<Instruction>{instruction}}}};
    return one;
  };
  for (const Instruction &variant : variants(atom, authored)) {
    const Use left = useOf(variant);
    if (Matching matching(left, tiled, &std::get<std::vector<Instruction>>(left.instruction.parameters[0].second).front()); !matching.admitted()) {
      if (!field)
        field = matching.result();
      continue;
    }
    const auto number = std::find_if(atom.parameters.begin(), atom.parameters.end(),
                                     [&](const Parameter &one) { return one.kind == Parameter::Kind::Int && !find(variant, one.name); });
    std::vector<Instruction> complete;
    if (number == atom.parameters.end())
      complete.push_back(variant);
    else
      for (int64_t value : numbersFor(use, tiled, atom, *number, variant))
        complete.push_back(withNumber(atom, variant, number->name, value));
    for (const Instruction &instruction : complete) {
      Match one = match(useOf(instruction));
      if (one.accepted)
        accepted.push_back(std::move(one));
      else if (!closed)
        closed = std::move(one);
    }
    if (complete.empty() && !open) {
      Matching matching(left, tiled, &std::get<std::vector<Instruction>>(left.instruction.parameters[0].second).front());
      open = matching.run();
    }
  }
  if (!accepted.empty())
    return accepted;
  if (closed)
    return {std::move(*closed)};
  if (!field)
    field = std::move(open);
  return field ? std::vector<Match>{std::move(*field)} : std::vector<Match>{};
}

Match unknown(const Use &use) {
  Match match;
  match.id = use.instruction.name;
  match.node = Node::Parameter;
  match.reason = "there is no instruction `" + use.instruction.name + "`";
  match.instruction = use.instruction;
  return match;
}
} // namespace

Match match(const Use &use) {
  const Row *row = rowNamed(use.instruction.name);
  if (!row)
    return unknown(use);
  if (row->kind == Row::Kind::Atom)
    return match(repeated(use));
  const bool repeats = std::any_of(row->operands.begin(), row->operands.end(), [](const Operand &one) { return !one.ofAtom.empty(); });
  const Instruction *atom = atomOf(use);
  if (repeats && !atom) {
    Match refused = unknown(use);
    std::string ids;
    for (const Row *one : atomsOf(*row, nullptr))
      ids += (ids.empty() ? "" : ", ") + one->id;
    refused.parameter = "atom";
    refused.reason = "atom: None does not match one of " + ids;
    return refused;
  }
  return Matching(use, *row, atom).run();
}

std::vector<Match> matchOpen(const Use &use) {
  const Row *row = rowNamed(use.instruction.name);
  if (!row)
    return {unknown(use)};
  if (row->kind == Row::Kind::Atom)
    return matchAtom(use, *rowNamed("T.tiled_mma"), *row, use.instruction);
  if (const Instruction *atom = atomOf(use))
    return matchAtom(use, *row, *rowNamed(atom->name), *atom);
  const std::vector<const Row *> atoms = atomsOf(*row, use.target);
  if (atoms.empty())
    return {match(use)};
  std::vector<Match> accepted, refused;
  for (const Row *atom : atoms)
    for (Match &one : matchAtom(use, *row, *atom, Instruction{atom->id, {}}))
      (one.accepted ? accepted : refused).push_back(std::move(one));
  accepted.insert(accepted.end(), std::make_move_iterator(refused.begin()), std::make_move_iterator(refused.end()));
  return accepted;
}

} // namespace tilewright::instruction
