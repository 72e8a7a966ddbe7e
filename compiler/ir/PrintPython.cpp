// Canonical DSL text of a planned function: same plan, same bytes.
#include "ir/Plan.h"

#include "ir/PrintType.h"
#include "ir/PrintValue.h"
#include "support/Check.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tilewright::ir {
namespace {

// ---- loop bounds in normal form ---------------------------------------------------------------------------------------------------
// constant + sum of coefficient * term, a term being a value or a floor division of such a sum; `a % m` is `a - m * (a // m)` with the
// coefficients of `a` reduced modulo m.
struct Sum;
struct Term {
  ValueId value = kNone;              // or:
  std::string opaque;                 // printed text of something not affine, which `tree` is, or:
  std::shared_ptr<const DimExpr> tree;
  std::shared_ptr<const Sum> floorOf; // floor(sum / divisor)
  int64_t divisor = 1;
};
struct Sum {
  int64_t constant = 0;
  std::vector<std::pair<Term, int64_t>> terms;
};

bool same(const Sum &a, const Sum &b);
bool same(const Term &a, const Term &b) {
  return a.value == b.value && a.opaque == b.opaque && a.divisor == b.divisor && !a.floorOf == !b.floorOf &&
         (!a.floorOf || same(*a.floorOf, *b.floorOf));
}
bool same(const Sum &a, const Sum &b) {
  if (a.constant != b.constant || a.terms.size() != b.terms.size())
    return false;
  for (size_t i = 0; i < a.terms.size(); ++i)
    if (a.terms[i].second != b.terms[i].second || !same(a.terms[i].first, b.terms[i].first))
      return false;
  return true;
}

// The open scopes of a region name mesh axes.
layout::AxisNamer axisNamer(const FunctionPlan &plan, RegionId region) {
  std::vector<layout::NamedMesh> scopes;
  for (RegionId at = region; at != kNone; at = plan.regions[static_cast<size_t>(at)].parent)
    if (const PlanRegion &scope = plan.regions[static_cast<size_t>(at)]; scope.mesh)
      scopes.insert(scopes.begin(), {scope.mesh, scope.name});
  return layout::axisNamer(std::move(scopes));
}

class Printer {
public:
  Printer(const Program &program, size_t function) : program_(program), plan_(program.functions[function]) {}
  std::vector<PrintedLine> run();
  DimExpr normalTree(const DimExpr &dim) const { return sumTree(normal(dim)); }
  std::string expression(ValueId value) {
    asExpression_ = true;
    return definition(plan_.at(value));
  }

private:
  layout::AxisNamer namer(RegionId region) const { return axisNamer(plan_, region); }
  void region(RegionId id, int indent);
  /// Spaces before the parts of a layout that a statement of the region takes several lines to say.
  int partsIndent(RegionId id) const {
    int depth = 3;
    for (; id > 0; id = plan_.regions[static_cast<size_t>(id)].parent)
      ++depth;
    return depth * 4;
  }
  void line(int indent, std::string text, ValueId value = kNone, RegionId region = kNone) {
    lines_.push_back({std::string(static_cast<size_t>(indent) * 4, ' ') + std::move(text), value, region});
  }
  std::string definition(const PlanValue &value) const; // what stands right of `=`
  std::string opText(const PlanValue &value) const;
  std::string name(ValueId id) const;                  // as an operand
  std::string tuple(const PlanValue &value) const;
  std::string subscriptOf(const PlanValue &slice) const;
  std::string attributeText(const Attribute &attribute, RegionId region) const;
  std::string dimText(const DimExpr &dim, bool nested, RegionId region) const;
  std::string valueInDim(ValueId id, RegionId region = kNone) const;
  std::string coordinate(const PlanValue &value) const;
  Sum normal(const DimExpr &dim) const;
  std::vector<const std::pair<Term, int64_t> *> sorted(const Sum &sum) const;
  std::string sumText(const Sum &sum, bool nested) const;
  DimExpr sumTree(const Sum &sum) const;
  std::string bound(const DimExpr &dim) const { return sumText(normal(dim), false); }
  std::string loopHeader(const PlanRegion &region) const;
  std::string meshHeader(const PlanRegion &region) const;

  const Program &program_;
  const FunctionPlan &plan_;
  std::vector<PrintedLine> lines_;
  bool asExpression_ = false;                          // operands without an authored name print in full
};

std::vector<PrintedLine> Printer::run() {
  const PlanRegion &body = plan_.regions[0];
  line(0, "from __future__ import annotations");
  line(0, "");
  line(0, "from tilefoundry.dsl import *");
  line(0, "");
  line(0, body.mesh ? "@func(mesh=" + layout::printMeshScope(*body.mesh) + ")" : "@func");
  if (plan_.parameters.empty()) {
    line(0, "def " + plan_.name + "(");
  } else {
    line(0, "def " + plan_.name + "(");
    for (size_t i = 0; i < plan_.parameters.size(); ++i) {
      const PlanValue &parameter = plan_.at(plan_.parameters[i]);
      line(1, parameter.name + ": " + printType(parameter.type, namer(0), 8) + (i + 1 < plan_.parameters.size() ? "," : ""));
    }
  }
  const Type &result = plan_.at(plan_.returned).type;
  line(0, result.isTuple ? "):" : ") -> " + printType(result, namer(0), 8) + ":");
  region(0, 1);
  line(1, "return " + name(plan_.returned));
  return std::move(lines_);
}

void Printer::region(RegionId id, int indent) {
  const PlanRegion &region = plan_.regions[static_cast<size_t>(id)];
  for (const PlanItem &item : region.items) {
    if (item.value != kNone) {
      const PlanValue &value = plan_.at(item.value);
      if (value.printed)
        line(indent, value.name + " = " + definition(value), item.value);
      continue;
    }
    const PlanRegion &inner = plan_.regions[static_cast<size_t>(item.region)];
    if (inner.kind == RegionKind::Loop) {
      for (const LoopCarry &carry : inner.carries)
        if (carry.renames && name(carry.init) != carry.name)
          line(indent, carry.name + " = " + name(carry.init));
      line(indent, loopHeader(inner), kNone, item.region);
      this->region(item.region, indent + 1);
      for (const LoopCarry &carry : inner.carries)
        line(indent + 1, carry.name + " = " + name(carry.yielded));
    } else {
      line(indent, meshHeader(inner), kNone, item.region);
      this->region(item.region, indent + 1);
    }
  }
}

std::string Printer::loopHeader(const PlanRegion &region) const {
  bool fromZero = region.start.kind == DimExpr::Kind::Constant && region.start.constant == 0;
  bool byOne = region.step.kind == DimExpr::Kind::Constant && region.step.constant == 1;
  std::string header = "for " + region.name + " in ";
  if (region.tile)
    return header + "tf.tile(" + (fromZero ? "" : bound(region.start) + ", ") + bound(region.stop) + ", " + bound(region.step) + "):";
  if (fromZero && byOne)
    return header + "range(" + bound(region.stop) + "):";
  return header + "range(" + bound(region.start) + ", " + bound(region.stop) + ", " + bound(region.step) + "):";
}

std::string Printer::meshHeader(const PlanRegion &region) const {
  if (region.selectedFrom != kNone) {
    const PlanRegion &parent = plan_.regions[static_cast<size_t>(region.selectedFrom)];
    // The slice of the parent that covers these positions.
    const layout::Mesh &from = *parent.mesh, &mesh = *region.mesh;
    std::vector<std::string> parts;
    size_t shown = 0;
    bool relaid = region.header == "relaid";
    const std::vector<layout::AxisRange> ranges = relaid ? layout::coveredRanges(from, mesh) : layout::selectedRanges(from, mesh);
    for (size_t axis = 0; axis < ranges.size(); ++axis) {
      const auto [start, stop] = ranges[axis];
      parts.push_back((start ? std::to_string(start) : "") + ":" + (stop == from.shape[axis] ? "" : std::to_string(stop)));
      if (parts.back() != ":")
        shown = axis + 1;
    }
    std::string slice = parent.name + "[";
    for (size_t axis = 0; axis < std::max<size_t>(shown, 1); ++axis)
      slice += (axis ? ", " : "") + parts[axis];
    slice += "]";
    if (!relaid)
      return "with " + slice + " as " + region.name + ":";
    bool plain = mesh.offset == 0 && mesh.strides == layout::compactStrides(mesh.shape);
    if (!plain) {
      std::string text = "with Mesh(" + slice + ", layout=" + layout::printTuple(mesh.shape) + ", names=(";
      for (size_t i = 0; i < mesh.names.size(); ++i)
        text += (i ? ", \"" : "\"") + mesh.names[i] + "\"";
      return text + (mesh.names.size() == 1 ? ",)) as " : ")) as ") + region.name + ":";
    }
    layout::Mesh whole = mesh;
    whole.composed = false;
    return "with " + layout::printMeshScope(whole) + " as " + region.name + ":";
  }
  return "with " + layout::printMeshScope(*region.mesh) + " as " + region.name + ":";
}

std::string Printer::coordinate(const PlanValue &value) const {
  const PlanRegion &scope = plan_.regions[static_cast<size_t>(value.mesh == kNone ? 0 : value.mesh)];
  return scope.name + "." + value.axis;
}

std::string Printer::name(ValueId id) const {
  const PlanValue &value = plan_.at(id);
  if (value.kind == ValueKind::Tuple)
    return tuple(value);
  if (asExpression_)
    return value.kind == ValueKind::Parameter || value.kind == ValueKind::Carry || value.kind == ValueKind::LoopResult || value.kind == ValueKind::Induction || !value.authored.empty()
               ? (value.authored.empty() ? value.name : value.authored)
               : definition(value);
  return value.name;
}

std::string Printer::tuple(const PlanValue &value) const {
  std::string text = "(";
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const PlanValue &element = plan_.at(value.operands[i]);
    text += (i ? ", " : "") + (value.inlineIndex && element.kind == ValueKind::Constant ? std::to_string(element.integer) : name(value.operands[i]));
  }
  return text + (value.operands.size() == 1 ? ",)" : ")");
}

std::string Printer::definition(const PlanValue &value) const {
  switch (value.kind) {
  case ValueKind::Constant:
    if (value.type.tensor.dtype == DType::Bool)
      return value.integer ? "True" : "False";
    return isInteger(value.type.tensor.dtype) ? std::to_string(value.integer) : printFloat(value.number);
  case ValueKind::Coordinate: return coordinate(value);
  case ValueKind::DimArith: return dimText(value.dim, false, value.region);
  case ValueKind::TupleItem: return name(value.operands[0]) + "[" + std::to_string(value.item) + "]";
  case ValueKind::Call: {
    std::string callee = program_.functions[static_cast<size_t>(value.callee)].name;
    if (const Attribute *instance = find(value.attributes, "instance"))
      callee = std::get<std::string>(*instance);
    std::string text = callee + "(";
    for (size_t i = 0; i < value.operands.size(); ++i)
      text += (i ? ", " : "") + name(value.operands[i]);
    return text + ")";
  }
  default: return opText(value);
  }
}

std::string Printer::subscriptOf(const PlanValue &slice) const {
  const PlanValue &starts = plan_.at(slice.operands[1]);
  const auto &sizes = std::get<std::vector<int64_t>>(*find(slice.attributes, "sizes"));
  const auto &strides = std::get<std::vector<int64_t>>(*find(slice.attributes, "strides"));
  const std::vector<int64_t> &extents = plan_.at(slice.operands[0]).type.tensor.shape;
  std::string text = name(slice.operands[0]) + "[";
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const PlanValue &start = plan_.at(starts.operands[axis]);
    text += axis ? ", " : "";
    if (start.kind == ValueKind::Constant) {
      if (start.integer == 0 && sizes[axis] == extents[axis] && strides[axis] == 1)
        text += ":";
      else
        text += std::to_string(start.integer) + ":" + std::to_string(start.integer + sizes[axis] * strides[axis]) + (strides[axis] == 1 ? "" : ":" + std::to_string(strides[axis]));
    } else if (start.kind == ValueKind::DimArith) {
      // A moved window: (k * scale) +- offset; a scale of one that was not written is left out.
      const DimExpr &dim = start.dim;
      const DimExpr &scaled = dim.kind == DimExpr::Kind::Mul ? dim : dim.operands[0];
      std::string window = valueInDim(scaled.operands[0].value);
      if (dim.kind == DimExpr::Kind::Mul || scaled.operands[1].constant != 1)
        window += " * " + std::to_string(scaled.operands[1].constant);
      if (dim.kind != DimExpr::Kind::Mul)
        window += (dim.kind == DimExpr::Kind::Add ? " + " : " - ") + std::to_string(dim.operands[1].constant);
      text += window;
    } else {
      text += name(starts.operands[axis]);
    }
  }
  return text + "]";
}

std::string Printer::opText(const PlanValue &value) const {
  if (value.op == Op::Slice && find(value.attributes, "subscript"))
    return subscriptOf(value);
  const OpSpec &row = spec(value.op);
  std::string text = "tf." + std::string(row.mnemonic) + "(";
  bool first = true;
  auto separate = [&] {
    text += first ? "" : ", ";
    first = false;
  };
  size_t operand = 0;
  for (const OperandSpec &one : row.operands) {
    if (one.variadic) {
      size_t count = value.operands.size() - operand - static_cast<size_t>(std::count_if(&one + 1, row.operands.data() + row.operands.size(), [](const OperandSpec &) { return true; }));
      separate();
      text += "(";
      for (size_t i = 0; i < count; ++i)
        text += (i ? ", " : "") + name(value.operands[operand + i]);
      text += count == 1 ? ",)" : ")";
      operand += count;
      continue;
    }
    if (operand >= value.operands.size())
      break;
    separate();
    text += name(value.operands[operand++]);
  }
  for (const AttributeSpec &one : row.attributes) {
    const Attribute *given = find(value.attributes, one.name);
    if (!given || (one.print == AttributeSpec::Print::UnlessDefault && one.defaultValue && *given == *one.defaultValue))
      continue;
    separate();
    text += std::string(one.name) + "=" + attributeText(*given, value.region);
  }
  return text + ")";
}

std::string Printer::attributeText(const Attribute &attribute, RegionId region) const {
  struct Visitor {
    const Printer &printer;
    RegionId region;
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return printFloat(number); }
    std::string operator()(const std::string &text) const { return "\"" + text + "\""; }
    std::string operator()(const std::vector<int64_t> &numbers) const { return layout::printTuple(numbers); }
    std::string operator()(DType dtype) const { return "\"" + std::string(ir::name(dtype)) + "\""; }
    std::string operator()(Storage storage) const { return "\"" + std::string(ir::name(storage)) + "\""; }
    std::string operator()(const Enumerator &member) const { return member.type + "." + member.value; }
    std::string operator()(const layout::TensorLayout &layout) const { return layout::printLayout(layout, printer.namer(region), printer.partsIndent(region)); }
    std::string operator()(const TensorType &type) const { return printTensorType(type, printer.namer(region), printer.partsIndent(region)); }
    std::string operator()(const Instruction &instruction) const { return printInstruction(instruction); }
  };
  return std::visit(Visitor{*this, region}, attribute);
}

// ---- inline index arithmetic, as written ---------------------------------------------------------------------------------------

// A value of the same region stands in the arithmetic as the expression it is; one from outside by its name.
std::string Printer::valueInDim(ValueId id, RegionId region) const {
  const PlanValue &value = plan_.at(id);
  if (value.kind == ValueKind::Coordinate)
    return coordinate(value);
  if (value.kind == ValueKind::Op && value.region == region)
    return opText(value);
  return value.name;
}

std::string Printer::dimText(const DimExpr &dim, bool nested, RegionId region) const {
  static constexpr const char *kOperators[] = {"", "", " + ", " - ", " * ", " // ", " % "};
  switch (dim.kind) {
  case DimExpr::Kind::Constant: return std::to_string(dim.constant);
  case DimExpr::Kind::Value: return valueInDim(dim.value, region);
  case DimExpr::Kind::Min:
  case DimExpr::Kind::Max:
    return std::string(dim.kind == DimExpr::Kind::Min ? "min(" : "max(") + dimText(dim.operands[0], false, region) + ", " + dimText(dim.operands[1], false, region) + ")";
  case DimExpr::Kind::Neg: return "-" + dimText(dim.operands[0], true, region);
  default: break;
  }
  std::string text = dimText(dim.operands[0], true, region) + kOperators[static_cast<size_t>(dim.kind)] + dimText(dim.operands[1], true, region);
  return nested ? "(" + text + ")" : text;
}

namespace {
int64_t floorMod(int64_t a, int64_t m) { return (a % m + m) % m; }
void add(Sum &into, const Term &term, int64_t coefficient) {
  for (size_t i = 0; i < into.terms.size(); ++i)
    if (same(into.terms[i].first, term)) {
      into.terms[i].second += coefficient;
      if (into.terms[i].second == 0)
        into.terms.erase(into.terms.begin() + static_cast<long>(i));
      return;
    }
  if (coefficient)
    into.terms.emplace_back(term, coefficient);
}
void add(Sum &into, const Sum &other, int64_t scale) {
  into.constant += scale * other.constant;
  for (const auto &[term, coefficient] : other.terms)
    add(into, term, scale * coefficient);
}
} // namespace

Sum Printer::normal(const DimExpr &dim) const {
  Sum out;
  auto opaque = [&] {
    Term term;
    term.opaque = dimText(dim, true, kNone);
    term.tree = std::make_shared<const DimExpr>(dim);
    add(out, term, 1);
    return out;
  };
  switch (dim.kind) {
  case DimExpr::Kind::Constant: out.constant = dim.constant; return out;
  case DimExpr::Kind::Value: {
    Term term;
    term.value = dim.value;
    add(out, term, 1);
    return out;
  }
  case DimExpr::Kind::Neg: add(out, normal(dim.operands[0]), -1); return out;
  case DimExpr::Kind::Add:
    add(out, normal(dim.operands[0]), 1);
    add(out, normal(dim.operands[1]), 1);
    return out;
  case DimExpr::Kind::Sub:
    add(out, normal(dim.operands[0]), 1);
    add(out, normal(dim.operands[1]), -1);
    return out;
  case DimExpr::Kind::Mul: {
    Sum left = normal(dim.operands[0]), right = normal(dim.operands[1]);
    if (left.terms.empty())
      add(out, right, left.constant);
    else if (right.terms.empty())
      add(out, left, right.constant);
    else
      return opaque();
    return out;
  }
  case DimExpr::Kind::FloorDiv:
  case DimExpr::Kind::Mod: {
    Sum inner = normal(dim.operands[0]), divisor = normal(dim.operands[1]);
    if (!divisor.terms.empty() || divisor.constant <= 0)
      return opaque();
    int64_t m = divisor.constant;
    // floor((m*q + r) / m) = q + floor(r / m): multiples of the divisor leave the division. The coefficients that stay are the smallest in
    // magnitude, the constant is non-negative.
    Sum whole, rest;
    rest.constant = floorMod(inner.constant, m);
    whole.constant = (inner.constant - rest.constant) / m;
    for (const auto &[term, coefficient] : inner.terms) {
      int64_t r = floorMod(coefficient, m);
      if (2 * r > m)
        r -= m;
      add(rest, term, r);
      add(whole, term, (coefficient - r) / m);
    }
    // What divides every coefficient and the divisor leaves both.
    int64_t common = m;
    for (const auto &[term, coefficient] : rest.terms)
      common = std::gcd(common, coefficient);
    Sum reduced = rest;
    reduced.constant /= common;
    for (auto &[term, coefficient] : reduced.terms)
      coefficient /= common;
    Term quotient;
    quotient.floorOf = std::make_shared<const Sum>(reduced);
    quotient.divisor = m / common;
    if (dim.kind == DimExpr::Kind::FloorDiv) {
      out = whole;
      if (rest.terms.empty())
        out.constant += rest.constant / m;
      else
        add(out, quotient, 1);
      return out;
    }
    out = rest;
    if (!rest.terms.empty())
      add(out, quotient, -m);
    return out;
  }
  default: return opaque();
  }
}

// Coordinates first, then variables in order of their loops, then quotients; the constant last.
std::vector<const std::pair<Term, int64_t> *> Printer::sorted(const Sum &sum) const {
  std::vector<const std::pair<Term, int64_t> *> terms;
  for (const auto &term : sum.terms)
    terms.push_back(&term);
  auto rank = [&](const Term &term) { return term.value == kNone ? 2 : plan_.at(term.value).kind == ValueKind::Coordinate ? 0 : 1; };
  std::stable_sort(terms.begin(), terms.end(), [&](auto *a, auto *b) {
    int left = rank(a->first), right = rank(b->first);
    return left != right ? left < right : left == 1 && a->first.value < b->first.value;
  });
  return terms;
}

DimExpr Printer::sumTree(const Sum &sum) const {
  auto constant = [](int64_t value) {
    DimExpr out;
    out.constant = value;
    return out;
  };
  auto join = [](DimExpr::Kind kind, DimExpr left, DimExpr right) {
    DimExpr out;
    out.kind = kind;
    out.operands = {std::move(left), std::move(right)};
    return out;
  };
  std::optional<DimExpr> whole;
  for (const auto *one : sorted(sum)) {
    const Term &term = one->first;
    DimExpr part;
    if (term.tree) {
      part = *term.tree;
    } else if (term.value != kNone) {
      part.kind = DimExpr::Kind::Value;
      part.value = term.value;
    } else {
      part = join(DimExpr::Kind::FloorDiv, sumTree(*term.floorOf), constant(term.divisor));
    }
    int64_t coefficient = one->second;
    bool minus = coefficient < 0 && (whole || coefficient == -1);
    int64_t magnitude = minus ? -coefficient : coefficient;
    if (magnitude != 1)
      part = join(DimExpr::Kind::Mul, constant(magnitude), std::move(part));
    if (!whole && minus)
      whole = constant(0);
    whole = whole ? join(minus ? DimExpr::Kind::Sub : DimExpr::Kind::Add, std::move(*whole), std::move(part)) : std::move(part);
  }
  if (!whole)
    return constant(sum.constant);
  if (sum.constant)
    whole = join(sum.constant < 0 ? DimExpr::Kind::Sub : DimExpr::Kind::Add, std::move(*whole), constant(sum.constant < 0 ? -sum.constant : sum.constant));
  return std::move(*whole);
}

std::string Printer::sumText(const Sum &sum, bool nested) const {
  auto termText = [&](const Term &term) {
    if (!term.opaque.empty())
      return term.opaque;
    if (term.value != kNone)
      return valueInDim(term.value);
    return "(" + sumText(*term.floorOf, true) + " // " + std::to_string(term.divisor) + ")";
  };
  std::vector<const std::pair<Term, int64_t> *> terms = sorted(sum);
  std::string text;
  int parts = 0;
  for (const auto *one : terms) {
    int64_t coefficient = one->second;
    bool minus = coefficient < 0 && (parts > 0 || coefficient == -1);
    if (minus && parts == 0) {
      text = "0";
      parts = 1;
    }
    int64_t magnitude = minus ? -coefficient : coefficient;
    std::string part = magnitude == 1 ? termText(one->first) : "(" + std::to_string(magnitude) + " * " + termText(one->first) + ")";
    if (parts == 0)
      text = part;
    else
      text = (parts > 1 ? "(" + text + ")" : text) + (minus ? " - " : " + ") + part;
    ++parts;
  }
  if (parts == 0)
    return std::to_string(sum.constant);
  if (sum.constant) {
    text = (parts > 1 ? "(" + text + ")" : text) + (sum.constant < 0 ? " - " : " + ") + std::to_string(sum.constant < 0 ? -sum.constant : sum.constant);
    ++parts;
  }
  if (parts == 1 && text.size() > 1 && text[0] == '(' && !nested && terms.size() == 1 && terms[0]->second != 1 && terms[0]->first.opaque.empty())
    return text.substr(1, text.size() - 2);
  return nested && parts > 1 ? "(" + text + ")" : text;
}

} // namespace

std::vector<PrintedLine> printFunction(const Program &program, size_t function) { return Printer(program, function).run(); }

std::string printExpression(const Program &program, size_t function, ValueId value) { return Printer(program, function).expression(value); }

DimExpr normalBound(const Program &program, size_t function, const DimExpr &bound) { return Printer(program, function).normalTree(bound); }

std::string printType(const FunctionPlan &plan, const Type &type, RegionId region) {
  return layout::oneLine(printType(type, axisNamer(plan, region))); // for comments and hovers
}

} // namespace tilewright::ir
