// Values of TIR: buffers and slots, windows, views, index arithmetic.
#include "ir/ImportTirFunction.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::ir::tir {

using syntax::Kind;
using syntax::Node;
using syntax::Opaque;
using syntax::Role;
using syntax::ValueRef;

std::optional<Expr> Importer::expression(Node node) {
  const auto binary = [&](Expr::Kind kind, Node left, Node right) -> std::optional<Expr> {
    auto a = expression(left), b = expression(right);
    if (!a || !b)
      return std::nullopt;
    Expr out;
    out.kind = kind;
    out.operands = {std::move(*a), std::move(*b)};
    return out;
  };
  switch (node.kind()) {
  case Kind::Name: {
    const Binding *found = find(node.text());
    if (found && std::holds_alternative<Poison>(*found)) {
      refused_ = true;
      return std::nullopt;
    }
    if (auto *id = found ? std::get_if<ValueId>(found) : nullptr) {
      const Value &value = function_.at(*id);
      if (value.kind == ValueKind::Ring || !value.type.shape.empty()) {
        refuse(Code::UnsupportedExpression, node.span(), quoted(node.text()) + " is " + (value.kind == ValueKind::Ring ? "a ring" : describe(value.type)) + "; index arithmetic is made of scalars");
        return std::nullopt;
      }
      Expr out;
      out.kind = Expr::Kind::Value;
      out.value = *id;
      return out;
    }
    break;
  }
  case Kind::Attribute:
    if (Node object = node.firstChild(); object.is(Kind::Name))
      if (const Binding *found = find(object.text()))
        if (auto *scope = std::get_if<const MeshScope *>(found)) {
          Expr out;
          out.kind = Expr::Kind::Coordinate;
          out.scope = (*scope)->number;
          out.axis = (*scope)->mesh->axis(std::string(node.text()));
          if (out.axis < 0) {
            std::string list;
            for (const std::string &name : (*scope)->mesh->names)
              list += (list.empty() ? "" : ", ") + name;
            refuse(Code::UnknownMeshAxis, node.nameSpan(), "the mesh " + quoted(object.text()) + " has no axis " + quoted(node.text()) + (list.empty() ? "" : "; it has " + list));
            return std::nullopt;
          }
          return out;
        }
    break;
  case Kind::UnaryOp:
    if (node.text() == "-") {
      if (auto number = constant(node); number && node.firstChild().is(Kind::Integer)) {
        Expr out;
        out.integer = *number;
        return out;
      }
      auto inner = expression(node.firstChild());
      if (!inner)
        return std::nullopt;
      Expr out;
      out.kind = Expr::Kind::Neg;
      out.operands = {std::move(*inner)};
      return out;
    }
    break;
  case Kind::BinOp: {
    static constexpr std::pair<std::string_view, Expr::Kind> kOperators[] = {{"+", Expr::Kind::Add}, {"-", Expr::Kind::Sub}, {"*", Expr::Kind::Mul},
                                                                             {"//", Expr::Kind::FloorDiv}, {"%", Expr::Kind::Mod}};
    for (const auto &[sign, kind] : kOperators)
      if (node.text() == sign)
        return binary(kind, node.child(Role::Left), node.child(Role::Right));
    if (node.text() == "/") {
      refuse(Code::IndexDivision, node.span(), "index arithmetic is integer arithmetic: divide with `//`");
      return std::nullopt;
    }
    break;
  }
  case Kind::Call: {
    const std::string name = dottedName(node.child(Role::Callee));
    std::vector<Node> operands = node.childrenIn(Role::Argument);
    if ((name == "min" || name == "max") && operands.size() == 2)
      return binary(name == "min" ? Expr::Kind::Min : Expr::Kind::Max, operands[0], operands[1]);
    break;
  }
  case Kind::Error: refused_ = true; return std::nullopt;
  default: break;
  }
  const ValueRef value = evaluate(node);
  if (auto number = value->integer(); number && !std::get_if<bool>(&value->data)) {
    Expr out;
    out.integer = *number;
    return out;
  }
  if (node.has(syntax::kHasError)) {
    refused_ = true;
  } else if (auto *unknown = value->as<syntax::Unknown>()) {
    if (node.is(Kind::Name))
      unknownName(node);
    else
      refuse(Code::UnsupportedExpression, node.span(), unknown->reason);
  } else {
    refuse(Code::UnsupportedExpression, node.span(), quoted(node) + " is no index: that is made of integers, loop variables and coordinates");
  }
  return std::nullopt;
}

Interval Importer::interval(const Expr &expression) const {
  switch (expression.kind) {
  case Expr::Kind::Integer: return {expression.integer, expression.integer};
  case Expr::Kind::Number: return {};
  case Expr::Kind::Value: {
    auto found = loops_.find(expression.value);
    return found == loops_.end() ? Interval{} : found->second;
  }
  case Expr::Kind::Coordinate: return {0, function_.scopes[static_cast<size_t>(expression.scope)].mesh->shape[static_cast<size_t>(expression.axis)] - 1};
  default: return combined(expression.kind, interval(expression.operands.front()), interval(expression.operands.back()));
  }
}

std::optional<TensorType> Importer::typeOf(const Operand &operand) const {
  if (operand.kind != Operand::Kind::Value && operand.kind != Operand::Kind::Slot)
    return std::nullopt;
  return function_.at(operand.value).type;
}

std::optional<Operand> Importer::buffer(Node node) {
  if (node.is(Kind::Name)) {
    const Binding *found = find(node.text());
    if (!found) {
      unknownName(node);
      return std::nullopt;
    }
    auto *id = std::get_if<ValueId>(found);
    if (!id) {
      if (std::holds_alternative<Poison>(*found))
        refused_ = true;
      else
        refuse(Code::UnsupportedExpression, node.span(), quoted(node.text()) + " is no buffer");
      return std::nullopt;
    }
    const Value &value = function_.at(*id);
    if (value.kind == ValueKind::Ring) {
      refuse(Code::RingSlot, node.span(), quoted(node.text()) + " is a ring of " + std::to_string(slots_[*id]) + " slots: name one, " + quoted(std::string(node.text()) + "[k % " + std::to_string(slots_[*id]) + "]"));
      return std::nullopt;
    }
    Operand out;
    out.value = *id;
    return out;
  }
  if (node.is(Kind::Subscript) && node.child(Role::Callee).is(Kind::Name)) {
    Node ring = node.child(Role::Callee);
    const Binding *found = find(ring.text());
    if (!found) {
      unknownName(ring);
      return std::nullopt;
    }
    auto *id = std::get_if<ValueId>(found);
    if (!id) {
      refused_ = true;
      if (!std::holds_alternative<Poison>(*found))
        refuse(Code::UnsupportedExpression, ring.span(), quoted(ring.text()) + " is no ring");
      return std::nullopt;
    }
    if (function_.at(*id).kind != ValueKind::Ring) {
      refuse(Code::BadView, node.span(), "a part of " + quoted(ring.text()) + " is a view: `T.tensor_view(T.ptr_of(" + std::string(node.source().substr(0, 40)) + "), layout=..., shape=...)`");
      return std::nullopt;
    }
    std::vector<Node> index = node.childrenIn(Role::Argument);
    if (index.size() != 1 || index[0].is(Kind::Slice)) {
      refuse(Code::RingSlot, node.span(), "a ring is read one slot at a time: " + quoted(std::string(ring.text()) + "[k % " + std::to_string(slots_[*id]) + "]"));
      return std::nullopt;
    }
    auto slot = expression(index[0]);
    if (!slot)
      return std::nullopt;
    const Interval values = interval(*slot);
    const int64_t slots = slots_[*id];
    if (outsideRing(values, slots)) {
      refuse(Code::RingSlot, index[0].span(), quoted(ring.text()) + " has slots 0 to " + std::to_string(slots - 1) + "; " + quoted(index[0]) + " is " + text(values));
      return std::nullopt;
    }
    Operand out;
    out.kind = Operand::Kind::Slot;
    out.value = *id;
    out.slot = {std::move(*slot)};
    return out;
  }
  refused_ = true;
  if (!node.has(syntax::kHasError))
    refuse(Code::UnsupportedExpression, node.span(), quoted(node) + " is no buffer");
  return std::nullopt;
}

std::optional<Operand> Importer::operand(Node node) {
  if (node.is(Kind::Name)) {
    if (const Binding *found = find(node.text()); found && !std::holds_alternative<ValueRef>(*found))
      return buffer(node);
  } else if (node.is(Kind::Subscript)) {
    return buffer(node);
  }
  const ValueRef value = evaluate(node);
  Operand out;
  if (auto number = value->integer(); number && !std::get_if<bool>(&value->data)) {
    out.kind = Operand::Kind::Integer;
    out.integer = *number;
    return out;
  }
  if (auto *number = value->as<double>()) {
    out.kind = Operand::Kind::Number;
    out.number = *number;
    return out;
  }
  return buffer(node);
}

std::optional<std::vector<Range>> Importer::window(Node subscript, const TensorType &of) {
  std::vector<Node> axes = subscript.childrenIn(Role::Argument);
  if (axes.size() == 1 && axes[0].is(Kind::Tuple))
    axes = childrenOf(axes[0]);
  if (axes.size() != of.shape.size()) {
    refuse(Code::BadView, subscript.span(), quoted(subscript.child(Role::Callee)) + " has " + std::to_string(of.shape.size()) + " axes, the window states " + std::to_string(axes.size()));
    return std::nullopt;
  }
  std::vector<Range> out;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    Node one = axes[axis];
    Range range;
    if (!one.is(Kind::Slice)) {
      auto start = expression(one);
      if (!start)
        return std::nullopt;
      range.start = std::move(*start);
    } else if (Node left = one.child(Role::Left), right = one.child(Role::Right), step = one.child(Role::Step); !step) {
      auto start = left ? expression(left) : std::optional<Expr>(Expr{});
      Expr whole;
      whole.integer = of.shape[axis];
      auto stop = right ? expression(right) : std::optional<Expr>(whole);
      if (!start || !stop)
        return std::nullopt;
      // `start + extent`, or two integers.
      if (stop->kind == Expr::Kind::Add && stop->operands[0] == *start && stop->operands[1].kind == Expr::Kind::Integer) {
        range.extent = stop->operands[1].integer;
      } else if (stop->kind == Expr::Kind::Integer && start->kind == Expr::Kind::Integer) {
        range.extent = stop->integer - start->integer;
      } else {
        refuse(Code::BadIndex, one.span(), "a window is as long as its stop says beyond its start: write `" + std::string(left ? left.source() : "0") + ":" + std::string(left ? left.source() : "0") + " + extent`");
        return std::nullopt;
      }
      range.start = std::move(*start);
    } else {
      refuse(Code::BadIndex, step.span(), "a window takes consecutive elements");
      return std::nullopt;
    }
    if (range.extent <= 0) {
      refuse(Code::BadIndex, one.span(), quoted(one) + " selects nothing");
      return std::nullopt;
    }
    const Interval values = interval(range.start);
    if (outside(values, range.extent, of.shape[axis])) {
      refuse(Code::WindowOutside, one.span(), quoted(one) + " begins at " + text(values) + " and takes " + std::to_string(range.extent) + "; axis " + std::to_string(axis) + " of " +
                                                  quoted(subscript.child(Role::Callee)) + " has " + std::to_string(of.shape[axis]));
      return std::nullopt;
    }
    out.push_back(std::move(range));
  }
  return out;
}

std::optional<View> Importer::view(Node call, std::string_view of) {
  auto parts = arguments(call);
  if (!parts)
    return std::nullopt;
  Node callee = call.child(Role::Callee);
  for (const auto &[key, value] : parts->keywords)
    if (key != "dtype" && key != "storage" && key != "layout" && key != "shape") {
      refuse(Code::UnknownKeyword, value.parent().nameSpan(), "`T.tensor_view` has no parameter " + quoted(key) + "; it has dtype, storage, layout, shape");
      return std::nullopt;
    }
  if (parts->positional.size() != 1) {
    refuse(Code::WrongArity, callee.span(), "`T.tensor_view` takes an address or a pointer, not " + std::to_string(parts->positional.size()) + " arguments");
    return std::nullopt;
  }
  Node first = parts->positional[0], shape = parts->keyword("shape"), layout = parts->keyword("layout"), dtype = parts->keyword("dtype"), storage = parts->keyword("storage");
  View out;
  if (first.is(Kind::Call)) {
    if (dottedName(first.child(Role::Callee)) != "T.ptr_of") {
      refuse(Code::BadView, first.span(), "a view is over a byte address or `T.ptr_of(...)`, not " + quoted(first));
      return std::nullopt;
    }
    auto inner = arguments(first);
    if (!inner || inner->positional.size() != 1 || !inner->keywords.empty()) {
      refuse(Code::WrongArity, first.child(Role::Callee).span(), "`T.ptr_of` takes one buffer or a window of one");
      return std::nullopt;
    }
    Node base = inner->positional[0];
    // `x[a:b, c:d]`, `ring[k % 2][a:b]`, `ring[k % 2]`, `x`
    Node windowed;
    if (base.is(Kind::Subscript)) {
      Node object = base.child(Role::Callee);
      const Binding *found = object.is(Kind::Name) ? find(object.text()) : nullptr;
      auto *id = found ? std::get_if<ValueId>(found) : nullptr;
      if (!id || function_.at(*id).kind != ValueKind::Ring) {
        windowed = base;
        base = object;
      }
    }
    auto read = buffer(base);
    if (!read)
      return std::nullopt;
    out.base = std::move(*read);
    const TensorType based = *typeOf(out.base);
    if (windowed) {
      auto ranges = window(windowed, based);
      if (!ranges)
        return std::nullopt;
      out.window = std::move(*ranges);
    }
    out.type.dtype = based.dtype;
    out.type.storage = based.storage;
    if (dtype) {
      auto stated = reader().dtype(*evaluate(dtype), dtype.span());
      if (stated && *stated != based.dtype)
        refuse(Code::BadView, dtype.span(), "a view has the dtype of what it shows: " + std::string(name(based.dtype)));
      if (!stated || *stated != based.dtype)
        return std::nullopt;
    }
    if (storage) {
      auto stated = reader().storage(*evaluate(storage), storage.span());
      if (stated && *stated != based.storage)
        refuse(Code::BadView, storage.span(), "a view lives where what it shows lives: " + std::string(name(based.storage)));
      if (!stated || *stated != based.storage)
        return std::nullopt;
    }
  } else {
    auto address = constant(first);
    if (!address) {
      refuse(Code::BadView, first.span(), "a view is over a byte address or `T.ptr_of(...)`, not " + quoted(first));
      return std::nullopt;
    }
    if (!dtype || !storage) {
      refuse(Code::MissingAttribute, callee.span(), "a view over an address states `dtype=` and `storage=`");
      return std::nullopt;
    }
    auto element = reader().dtype(*evaluate(dtype), dtype.span());
    auto level = reader().storage(*evaluate(storage), storage.span());
    if (!element || !level)
      return std::nullopt;
    if (*level != Storage::Smem) {
      refuse(Code::BadView, storage.span(), "addresses are of shared memory: " + quoted(name(*level)) + " has none");
      return std::nullopt;
    }
    if (*address < 0 || *address % kAddressStep != 0) {
      refuse(Code::BadAddress, first.span(), "the address " + std::to_string(*address) + " of " + quoted(of) + " is no multiple of " + std::to_string(kAddressStep) + " bytes");
      return std::nullopt;
    }
    out.address = *address;
    out.type.dtype = *element;
    out.type.storage = *level;
  }
  if (!shape) {
    refuse(Code::MissingAttribute, callee.span(), "`T.tensor_view` needs `shape=`");
    return std::nullopt;
  }
  const ValueRef extents = evaluate(shape);
  auto *elements = extents->sequence();
  if (!elements) {
    refuse(Code::BadType, shape.span(), "the shape of a view is a tuple of extents, not " + quoted(shape));
    return std::nullopt;
  }
  for (const ValueRef &one : *elements) {
    auto extent = reader().dim(*one, shape.span());
    if (extent && *extent <= 0)
      refuse(Code::BadDimension, shape.span(), "an extent must be positive, not " + std::to_string(*extent));
    if (!extent || *extent <= 0)
      return std::nullopt;
    out.type.shape.push_back(*extent);
  }
  if (layout) {
    out.type.layout = reader().layoutOf(*evaluate(layout), out.type.shape, layout.span());
    if (!out.type.layout)
      return std::nullopt;
    if (!describes(*out.type.layout, out.type.shape)) {
      refuse(Code::BadLayout, layout.span(), "the modes " + layout::printTuple(out.type.layout->shape) + " do not group into the axes " + layout::printTuple(out.type.shape) + " of the view");
      return std::nullopt;
    }
  }
  return out;
}

} // namespace tilewright::ir::tir
