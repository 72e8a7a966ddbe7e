// Values of a function body: names, literals, operators, coordinates, tuples.
#include "ir/ImportFunction.h"

#include "support/Check.h"
#include "support/Closest.h"
#include "support/Codes.h"

#include <algorithm>
#include <functional>

using namespace mlir;

namespace tilewright::ir {

using syntax::Form;
using syntax::Kind;
using syntax::Node;
using syntax::Role;

namespace {

std::optional<Op> binaryOp(std::string_view text) {
  static const std::map<std::string_view, Op> kOps = {{"+", Op::Add}, {"-", Op::Sub}, {"*", Op::Mul}, {"/", Op::Div}, {"//", Op::FloorDiv}, {"%", Op::Mod}, {"@", Op::MatMul},
                                                      {"==", Op::CmpEq}, {"!=", Op::CmpNe}, {"<", Op::CmpLt}, {"<=", Op::CmpLe}, {">", Op::CmpGt}, {">=", Op::CmpGe},
                                                      {"and", Op::LogicalAnd}, {"or", Op::LogicalOr}};
  auto found = kOps.find(text);
  return found == kOps.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

syntax::ValueRef FunctionImporter::evaluate(Node expression, Bare bare) {
  return syntax::evaluateExpression(expression, tree_, function_.closure, [&](std::string_view name) -> syntax::ValueRef {
    auto found = environment_.find(name);
    if (found == environment_.end()) {
      // `dtype=f32`: where a type is written, the body of a schedule reads the bare name of a dtype or a storage like its string.
      if (bare == Bare::TypeNames && (dtypeNamed(name) || storageNamed(name))) {
        syntax::ValueRef known = function_.closure ? function_.closure->find(name) : nullptr;
        if (!known || known->as<syntax::Builtin>())
          return syntax::makeString(std::string(name));
      }
      return nullptr;
    }
    if (auto *constant = std::get_if<syntax::ValueRef>(&found->second))
      return *constant;
    if (auto *value = std::get_if<Value>(&found->second))
      if (auto literal = value->getDefiningOp<hir::ConstantOp>())
        if (auto integer = dyn_cast<IntegerAttr>(literal.getValue()))
          return syntax::makeInt(integer.getInt());
    return syntax::makeUnknown("`" + std::string(name) + "` is a value of the program, not a constant", {tree_, expression});
  });
}

// Python computes the annotations of a signature where it defines the function, unless the file puts that off (`from __future__ import
// annotations`): only then may they hold names that Python does not know.
FunctionImporter::Bare FunctionImporter::bareInAnnotations() const {
  return function_.closure && function_.closure->find("annotations") ? Bare::TypeNames : Bare::No;
}

bool FunctionImporter::checkDims(Node expression) {
  if (expression.is(Kind::Subscript) && expression.form() == Form::Plain && !(expression.child(Role::Callee).is(Kind::Name) && expression.child(Role::Callee).text() == "tuple")) {
    refuse(Code::BadDimension, expression.span(), "`" + std::string(expression.source().substr(0, 60)) + "` is not read in a shape or mesh layout; give the number a name first");
    return false;
  }
  for (Node child : expression.children())
    if (!checkDims(child))
      return false;
  return true;
}

Value FunctionImporter::constant(int64_t number, Span span, bool index) {
  TensorType type = scalar(DType::I64, Storage::Umat).tensor;
  if (index) {
    type.layout = layout::TensorLayout{};
    type.layout->shape = layout::IntTuple::tuple({});
    type.layout->strides = layout::IntTuple::tuple({});
  }
  Value made = create<hir::ConstantOp>(span, hir::toMlir(&program_.context, Type(type)), builder_.getI64IntegerAttr(number));
  setType(made) = type;
  return made;
}

Value FunctionImporter::constant(double number, Span span) {
  Type type = scalar(DType::F32, Storage::Umat);
  Value made = create<hir::ConstantOp>(span, hir::toMlir(&program_.context, type), builder_.getF64FloatAttr(number));
  setType(made) = type;
  return made;
}

Value FunctionImporter::literal(const syntax::Value &constantValue, Span span) {
  if (auto integer = constantValue.integer())
    return constant(*integer, span);
  if (auto *number = constantValue.as<double>())
    return constant(*number, span);
  if (auto *opaque = constantValue.as<syntax::Opaque>(); (opaque && opaque->callee == "DimVar") || constantValue.as<syntax::OpaqueOperation>()) {
    auto before = reader().sink.all().size();
    auto bound = reader().dim(constantValue, span);
    if (bound && reader().sink.all().size() == before)
      return constant(*bound, span);
    refused_ = true;
  }
  return {};
}

Value FunctionImporter::coordinate(const MeshScope &scope, int axis, Span span) {
  auto key = std::make_pair(scope.number, axis);
  auto found = coordinates_.find(key);
  if (found != coordinates_.end())
    return found->second;
  OpBuilder::InsertPoint point = builder_.saveInsertionPoint();
  builder_.setInsertionPointToStart(entry_);
  Value index = constant(static_cast<int64_t>(axis), span);
  Type type = scalar(DType::I64, Storage::Rmem);
  Value made = create<hir::CoordinateOp>(span, hir::toMlir(&program_.context, type), index, hir::toMlir(&program_.context, *scope.mesh),
                                         builder_.getStringAttr(scope.mesh->names[static_cast<size_t>(axis)]), builder_.getI64IntegerAttr(scope.number));
  setType(made) = type;
  builder_.restoreInsertionPoint(point);
  coordinates_[key] = made;
  return made;
}

Value FunctionImporter::tupleOf(const std::vector<Value> &elements, Span span) {
  std::vector<Type> fields;
  for (Value element : elements)
    fields.push_back(typeOf(element));
  Type type = Type::tuple(std::move(fields));
  Value made = create<hir::TupleOp>(span, hir::toMlir(&program_.context, type), ValueRange(elements));
  setType(made) = type;
  return made;
}

Value FunctionImporter::item(Value tuple, int64_t index, Span span) {
  Type field = typeOf(tuple).fields[static_cast<size_t>(index)];
  Value position = constant(index, span);
  Value made = create<hir::ItemOp>(span, hir::toMlir(&program_.context, field), tuple, position, builder_.getI64IntegerAttr(index));
  setType(made) = field;
  return made;
}

Value FunctionImporter::value(Node expression) {
  Span span = expression.span();
  switch (expression.kind()) {
  case Kind::Name: {
    auto found = environment_.find(expression.text());
    if (found != environment_.end()) {
      if (auto *known = std::get_if<Value>(&found->second))
        return *known;
      if (std::holds_alternative<Poison>(found->second)) {
        refused_ = true;
        return {};
      }
      if (std::holds_alternative<Window>(found->second)) {
        refuse(Code::UnsupportedExpression, span, "`" + std::string(expression.text()) + "` is the window of a tile loop: it selects a slice and is no number");
        return {};
      }
    }
    syntax::ValueRef known = evaluate(expression);
    size_t before = reader().sink.all().size();
    if (Value made = literal(*known, span))
      return made;
    if (reader().sink.all().size() != before)
      return {};
    if (auto *unknown = known->as<syntax::Unknown>())
      refuse(Code::UnknownValue, span, unknown->reason);
    else
      refuse(Code::UnsupportedExpression, span, "`" + std::string(expression.text()) + "` is " + syntax::repr(*known, 60) + ", which is no value of a schedule");
    return {};
  }
  case Kind::Integer:
  case Kind::Float:
  case Kind::True:
  case Kind::False: {
    syntax::ValueRef known = evaluate(expression);
    if (auto *flag = known->as<bool>()) {
      Type type = scalar(DType::Bool, Storage::Umat);
      Value made = create<hir::ConstantOp>(span, hir::toMlir(&program_.context, type), builder_.getBoolAttr(*flag));
      setType(made) = type;
      return made;
    }
    if (Value made = literal(*known, span))
      return made;
    refuse(Code::UnsupportedExpression, span, "the number does not fit a 64-bit integer or a float");
    return {};
  }
  case Kind::UnaryOp: {
    Node operand = expression.firstChild();
    if (expression.text() == "-" && (operand.is(Kind::Integer) || operand.is(Kind::Float)))
      if (Value made = literal(*evaluate(expression), span))
        return made;
    if (expression.text() != "-" && expression.text() != "not") {
      refuse(Code::UnsupportedExpression, span, "the operator `" + std::string(expression.text()) + "` is not read in a schedule");
      return {};
    }
    Value inner = value(operand);
    if (!inner)
      return {};
    return build(expression.text() == "-" ? Op::Neg : Op::LogicalNot, {inner}, {}, span, {operand.span()});
  }
  case Kind::BinOp:
  case Kind::Compare:
  case Kind::BoolOp:
    return binary(expression);
  case Kind::Attribute: {
    syntax::ValueRef known = evaluate(expression);
    std::string axisName;
    if (const MeshScope *scope = reader().scopeOf(*known, &axisName); scope && !axisName.empty()) {
      int axis = scope->mesh->axis(axisName);
      if (axis < 0) {
        auto &problem = refuse(Code::UnknownMeshAxis, expression.nameSpan(), "mesh `" + scope->alias + "` has no axis `" + axisName + "`");
        std::vector<std::string_view> names(scope->mesh->names.begin(), scope->mesh->names.end());
        if (std::string_view near = closest(axisName, names); !near.empty())
          problem.fixes.push_back({"use `" + std::string(near) + "`", {{expression.nameSpan(), std::string(near)}}});
        return {};
      }
      bool isOpen = std::find(open_.begin(), open_.end(), scope->number) != open_.end();
      if (!isOpen) {
        refuse(Code::BadMesh, span, "the mesh `" + scope->alias + "` is not open here");
        return {};
      }
      return coordinate(*scope, axis, span);
    }
    size_t before = reader().sink.all().size();
    if (Value made = literal(*known, span))
      return made;
    if (reader().sink.all().size() != before)
      return {};
    if (auto *unknown = known->as<syntax::Unknown>())
      refuse(Code::UnknownValue, span, unknown->reason);
    else
      refuse(Code::UnsupportedExpression, span, "`" + std::string(expression.source().substr(0, 60)) + "` is no value of a schedule");
    return {};
  }
  case Kind::Tuple: {
    std::vector<Value> elements;
    bool whole = true;
    for (Node element : expression.children()) {
      elements.push_back(value(element));
      whole &= static_cast<bool>(elements.back());
    }
    return whole ? tupleOf(elements, span) : Value();
  }
  case Kind::Subscript:
    return subscript(expression);
  case Kind::Call:
    return call(expression);
  case Kind::Error:
    refused_ = true;
    return {};
  default:
    break;
  }
  if (expression.has(syntax::kHasError)) {
    refused_ = true;
    return {};
  }
  refuse(Code::UnsupportedExpression, span, "this Python expression is not read in a schedule body");
  return {};
}

Value FunctionImporter::binary(Node expression) {
  std::vector<Node> operands;
  for (Node child : expression.children())
    operands.push_back(child);
  if (operands.size() < 2) {
    refused_ = true;
    return {};
  }
  std::string_view text = expression.text();
  if (expression.is(Kind::Compare) && operands.size() > 2) {
    refuse(Code::UnsupportedExpression, expression.span(), "a chained comparison is not read in a schedule: join two comparisons with `and`");
    return {};
  }
  auto op = binaryOp(text);
  if (!op) {
    refuse(Code::UnsupportedExpression, expression.span(), "the operator `" + std::string(text) + "` is not read in a schedule");
    return {};
  }
  Value left = value(operands[0]);
  Span span{operands[0].span().begin, operands[0].span().end};
  for (size_t i = 1; i < operands.size(); ++i) {
    Value right = value(operands[i]);
    if (!left || !right)
      return {};
    Span whole = operands.size() == 2 ? expression.span() : Span{span.begin, operands[i].span().end};
    left = build(*op, {left, right}, {}, whole, {span, operands[i].span()});
    span = whole;
  }
  return left;
}

} // namespace tilewright::ir
