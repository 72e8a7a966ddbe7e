// Subscripts and index arithmetic: windows of tile loops, slices of constant size, items of tuples.
#include "ir/ImportFunction.h"

#include "support/Check.h"
#include "support/Codes.h"

#include <algorithm>
#include <functional>

using namespace mlir;

namespace tilewright::ir {

using syntax::Kind;
using syntax::Node;
using syntax::Role;

namespace {

int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

} // namespace

Value FunctionImporter::subscript(Node expression) {
  Node object = expression.child(Role::Callee);
  Value base = value(object);
  if (!base)
    return {};
  const Type type = typeOf(base);
  if (!type.isTuple)
    return slice(base, expression);
  std::vector<Node> indices = expression.childrenIn(Role::Argument);
  auto index = indices.size() == 1 ? evaluate(indices[0])->integer() : std::nullopt;
  if (!index) {
    refuse(Code::BadIndex, indices.empty() ? expression.span() : indices[0].span(), "an item of a tuple is chosen by a constant integer");
    return {};
  }
  auto count = static_cast<int64_t>(type.fields.size());
  int64_t field = *index < 0 ? *index + count : *index;
  if (field < 0 || field >= count) {
    refuse(Code::BadIndex, indices[0].span(), "item " + std::to_string(*index) + " of a tuple of " + std::to_string(count));
    return {};
  }
  return item(base, field, expression.span());
}

std::optional<Window> FunctionImporter::window(Node expression) {
  if (expression.is(Kind::Name)) {
    auto found = environment_.find(expression.text());
    if (found != environment_.end())
      if (auto *known = std::get_if<Window>(&found->second))
        return *known;
    return std::nullopt;
  }
  if (!expression.is(Kind::BinOp))
    return std::nullopt;
  Node left = expression.child(Role::Left), right = expression.child(Role::Right);
  std::string_view op = expression.text();
  auto base = window(left);
  Node other = right;
  if (!base && (op == "*" || op == "+")) {
    base = window(right);
    other = left;
  }
  if (!base)
    return std::nullopt;
  auto number = evaluate(other)->integer();
  if (!number || (op != "*" && op != "+" && op != "-") || (op == "*" && *number <= 0)) {
    refuse(Code::BadIndex, expression.span(), "a tile window can be scaled and moved by constants only");
    return std::nullopt;
  }
  if (op == "*") {
    base->scale = base->scale.value_or(1) * *number;
    base->offset *= *number;
  } else {
    base->offset += op == "+" ? *number : -*number;
    base->shifted = true;
  }
  return base;
}

std::optional<Dim> FunctionImporter::dim(Node expression) {
  Dim out;
  auto atom = [&](Value known) {
    out.kind = Dim::Kind::Atom;
    out.value = known;
    if (auto literalOp = known.getDefiningOp<hir::ConstantOp>())
      if (auto integer = dyn_cast<IntegerAttr>(literalOp.getValue())) {
        out.kind = Dim::Kind::Constant;
        out.constant = integer.getInt();
      }
    return out;
  };
  if (expression.is(Kind::Name)) {
    auto found = environment_.find(expression.text());
    if (found != environment_.end() && std::holds_alternative<Value>(found->second))
      return atom(std::get<Value>(found->second));
    if (found != environment_.end() && std::holds_alternative<Poison>(found->second)) {
      refused_ = true;
      return std::nullopt;
    }
    if (found != environment_.end() && std::holds_alternative<Window>(found->second)) {
      refuse(Code::BadIndex, expression.span(), "a tile window cannot be a slice bound: it is a slice itself");
      return std::nullopt;
    }
  }
  if (expression.is(Kind::BinOp)) {
    static const std::map<std::string_view, Dim::Kind> kKinds = {{"+", Dim::Kind::Add}, {"-", Dim::Kind::Sub}, {"*", Dim::Kind::Mul}, {"//", Dim::Kind::FloorDiv}, {"%", Dim::Kind::Mod}};
    auto kind = kKinds.find(expression.text());
    if (expression.text() == "/") {
      auto &problem = refuse(Code::IndexDivision, expression.span(), "an index is an integer: divide with `//`, not `/`");
      Span between{expression.child(Role::Left).span().end, expression.child(Role::Right).span().begin};
      std::string_view text = std::string_view(tree_->text).substr(between.begin, between.size());
      if (size_t at = text.find('/'); at != std::string_view::npos) {
        Span slash{between.begin + static_cast<uint32_t>(at), between.begin + static_cast<uint32_t>(at) + 1};
        problem.fixes.push_back({"divide with `//`", {{slash, "//"}}});
      }
      return std::nullopt;
    }
    if (kind != kKinds.end()) {
      auto left = dim(expression.child(Role::Left)), right = dim(expression.child(Role::Right));
      if (!left || !right)
        return std::nullopt;
      if (left->kind == Dim::Kind::Constant && right->kind == Dim::Kind::Constant) {
        bool named = left->value || right->value; // named inside the function: remembered so that loop headers can refuse it
        int64_t a = left->constant, b = right->constant, result = 0;
        bool overflow = false;
        switch (kind->second) {
        case Dim::Kind::Add: overflow = __builtin_add_overflow(a, b, &result); break;
        case Dim::Kind::Sub: overflow = __builtin_sub_overflow(a, b, &result); break;
        case Dim::Kind::Mul: overflow = __builtin_mul_overflow(a, b, &result); break;
        default:
          if (b == 0) {
            refuse(Code::BadIndex, expression.span(), "division by zero in an index");
            return std::nullopt;
          }
          result = kind->second == Dim::Kind::FloorDiv ? floorDiv(a, b) : a - floorDiv(a, b) * b;
        }
        if (overflow) {
          refuse(Code::BadIndex, expression.span(), "the index does not fit 64 bits");
          return std::nullopt;
        }
        out.constant = result;
        if (named)
          out.value = left->value ? left->value : right->value;
        return out;
      }
      out.kind = kind->second;
      out.operands = {*left, *right};
      return out;
    }
  }
  if (expression.is(Kind::Call)) {
    std::string spelled = dottedName(expression.child(Role::Callee));
    if (spelled.rfind("tf.", 0) != 0 && !functionNamed(module_, spelled)) {
      syntax::ValueRef known = evaluate(expression);
      if (auto number = reader().dim(*known, expression.span(), true)) {
        out.constant = *number;
        return out;
      }
    }
  } else if (expression.is(Kind::Integer) || expression.is(Kind::Name) || expression.is(Kind::Attribute) || expression.is(Kind::UnaryOp)) {
    syntax::ValueRef known = evaluate(expression);
    size_t before = reader().sink.all().size();
    if (!known->isUnknown())
      if (auto number = reader().dim(*known, expression.span(), !(known->as<syntax::Opaque>() && known->as<syntax::Opaque>()->callee == "DimVar"))) {
        out.constant = *number;
        return out;
      }
    if (reader().sink.all().size() != before) {
      refused_ = true;
      return std::nullopt;
    }
  }
  Value known = value(expression);
  if (!known)
    return std::nullopt;
  const Type &type = typeOf(known);
  if (type.isTuple || !type.tensor.shape.empty() || !isInteger(type.tensor.dtype)) {
    refuse(Code::BadIndex, expression.span(), "an index is an integer scalar, not " + describe(type));
    return std::nullopt;
  }
  return atom(known);
}

LinearDim linear(const Dim &dim) {
  std::function<std::string(const Dim &)> key = [&](const Dim &one) {
    if (one.kind == Dim::Kind::Atom)
      return "v" + std::to_string(reinterpret_cast<uintptr_t>(one.value.getAsOpaquePointer()));
    std::string text = "(" + std::to_string(static_cast<int>(one.kind));
    for (const Dim &operand : one.operands) {
      LinearDim inner = linear(operand);
      text += "," + std::to_string(inner.constant);
      for (const auto &[term, coefficient] : inner.terms)
        text += "+" + std::to_string(coefficient) + "*" + term;
    }
    return text + ")";
  };
  LinearDim out;
  auto addScaled = [&](const LinearDim &other, int64_t scale) {
    out.constant += scale * other.constant;
    for (const auto &[term, coefficient] : other.terms)
      if ((out.terms[term] += scale * coefficient) == 0)
        out.terms.erase(term);
  };
  switch (dim.kind) {
  case Dim::Kind::Constant: out.constant = dim.constant; return out;
  case Dim::Kind::Add:
    addScaled(linear(dim.operands[0]), 1);
    addScaled(linear(dim.operands[1]), 1);
    return out;
  case Dim::Kind::Sub:
    addScaled(linear(dim.operands[0]), 1);
    addScaled(linear(dim.operands[1]), -1);
    return out;
  case Dim::Kind::Mul: {
    LinearDim left = linear(dim.operands[0]), right = linear(dim.operands[1]);
    if (left.terms.empty())
      addScaled(right, left.constant);
    else if (right.terms.empty())
      addScaled(left, right.constant);
    else
      out.terms[key(dim)] = 1;
    return out;
  }
  default:
    out.terms[key(dim)] = 1;
    return out;
  }
}

Value FunctionImporter::emit(const Dim &dim, Span span) {
  if (dim.value)
    return dim.value;
  if (dim.kind == Dim::Kind::Constant)
    return constant(dim.constant, span, true);
  static const std::map<Dim::Kind, const char *> kNames = {{Dim::Kind::Add, "add"}, {Dim::Kind::Sub, "sub"}, {Dim::Kind::Mul, "mul"}, {Dim::Kind::FloorDiv, "floor_div"},
                                                           {Dim::Kind::Mod, "mod"}, {Dim::Kind::Min, "min"}, {Dim::Kind::Max, "max"}};
  Value left = emit(dim.operands[0], span), right = emit(dim.operands[1], span);
  TensorType type = scalar(DType::I64, Storage::Umat).tensor;
  type.layout = layout::TensorLayout{};
  type.layout->shape = layout::IntTuple::tuple({});
  type.layout->strides = layout::IntTuple::tuple({});
  Value made = create<hir::DimOp>(span, hir::toMlir(&program_.context, Type(type)), builder_.getStringAttr(kNames.at(dim.kind)), left, right);
  setType(made) = type;
  return made;
}

Value FunctionImporter::slice(Value tensor, Node expression) {
  const TensorType source = typeOf(tensor).tensor;
  std::vector<Node> indices = expression.childrenIn(Role::Argument);
  if (indices.size() != source.shape.size()) {
    refuse(Code::BadIndex, expression.span(), std::to_string(indices.size()) + " subscripts for a tensor of " + std::to_string(source.shape.size()) + " axes");
    return {};
  }
  std::vector<Value> starts;
  std::vector<int64_t> sizes, strides, windowed, kept;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    Node index = indices[axis];
    Span span = index.span();
    int64_t extent = source.shape[axis];
    size_t problems = reader().sink.all().size();
    if (auto tile = window(index)) {
      Value start = tile->start;
      // A moved or scaled window prints as `k * c + offset`, its arithmetic inside the subscript.
      if (tile->scale || tile->shifted) {
        Dim scaled;
        scaled.kind = Dim::Kind::Mul;
        Dim variable, factor;
        variable.kind = Dim::Kind::Atom;
        variable.value = start;
        factor.constant = tile->scale.value_or(1);
        scaled.operands = {variable, factor};
        Dim moved = scaled;
        if (tile->shifted) {
          Dim offset;
          offset.constant = tile->offset < 0 ? -tile->offset : tile->offset;
          moved = Dim{};
          moved.kind = tile->offset < 0 ? Dim::Kind::Sub : Dim::Kind::Add;
          moved.operands = {scaled, offset};
        }
        start = emit(moved, span);
        for (Operation *part = start.getDefiningOp(); isa_and_nonnull<hir::DimOp>(part); part = part->getOperand(0).getDefiningOp())
          part->setAttr("window", builder_.getUnitAttr());
      }
      starts.push_back(start);
      sizes.push_back(tile->size);
      strides.push_back(tile->scale.value_or(1));
      windowed.push_back(static_cast<int64_t>(axis));
      kept.push_back(static_cast<int64_t>(axis));
      continue;
    }
    if (reader().sink.all().size() != problems)
      return {};
    if (!index.is(Kind::Slice)) {
      auto position = dim(index);
      if (!position)
        return {};
      starts.push_back(emit(*position, span));
      sizes.push_back(1);
      strides.push_back(1);
      continue;
    }
    kept.push_back(static_cast<int64_t>(axis));
    Node startNode = index.child(Role::Left), stopNode = index.child(Role::Right), stepNode = index.child(Role::Step);
    Dim start, stop;
    stop.constant = extent;
    if (startNode) {
      auto read = dim(startNode);
      if (!read)
        return {};
      start = *read;
    }
    if (stopNode) {
      auto read = dim(stopNode);
      if (!read)
        return {};
      stop = *read;
    }
    int64_t step = 1;
    if (stepNode) {
      auto read = dim(stepNode);
      if (!read)
        return {};
      if (read->kind != Dim::Kind::Constant || read->constant <= 0) {
        refuse(Code::BadIndex, stepNode.span(), "the step of a slice must be a positive constant");
        return {};
      }
      step = read->constant;
    }
    // Bounds count from the begin of the axis, negative ones too, and a window may reach past its end: the editor says so (Diagnostics.cpp).
    LinearDim from = linear(start), to = linear(stop);
    if (from.terms != to.terms) {
      refuse(Code::BadIndex, span, "the window's size must be a constant: its start and stop must differ by a number known here");
      return {};
    }
    int64_t length = to.constant - from.constant;
    if (length <= 0) {
      refuse(Code::BadIndex, span, "the window is empty: it begins at or behind its end");
      return {};
    }
    if (startNode && stopNode)
      windowed.push_back(static_cast<int64_t>(axis));
    starts.push_back(start.kind == Dim::Kind::Constant && !start.value ? constant(start.constant, span) : emit(start, span));
    sizes.push_back((length + step - 1) / step);
    strides.push_back(step);
  }
  Value tuple = tupleOf(starts, expression.span());
  Value made = build(Op::Slice, {tensor, tuple}, {{"sizes", sizes}, {"strides", strides}}, expression.span(),
                     {expression.child(Role::Callee).span(), expression.span()});
  if (!made)
    return {};
  made.getDefiningOp()->setAttr("windowed", builder_.getDenseI64ArrayAttr(windowed));
  if (kept.size() == indices.size())
    return made;
  std::vector<int64_t> shape;
  for (int64_t axis : kept)
    shape.push_back(sizes[static_cast<size_t>(axis)]);
  return build(Op::Reshape, {made}, {{"new_shape", shape}}, expression.span(), {expression.span()});
}

} // namespace tilewright::ir
