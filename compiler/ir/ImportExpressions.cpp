// Values, calls, subscripts and index arithmetic of a function body.
#include "ir/ImportFunction.h"
#include "ir/Instructions.h"

#include "support/Check.h"

#include <algorithm>
#include <functional>

using namespace mlir;

namespace tilewright::ir {

using syntax::Form;
using syntax::Kind;
using syntax::Node;
using syntax::Role;

namespace {

int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// The name closest to what was typed, if it is close.
std::string_view closest(std::string_view typed, const std::vector<std::string_view> &names) {
  auto distance = [](std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
      row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= b.size(); ++j) {
        size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
        diagonal = row[j];
        row[j] = next;
      }
    }
    return row[b.size()];
  };
  std::string_view best;
  size_t least = typed.size() < 5 ? 2 : 3;
  for (std::string_view name : names)
    if (size_t d = distance(typed, name); d < least) {
      least = d;
      best = name;
    }
  return best;
}

std::string dottedName(Node callee) {
  if (callee.is(Kind::Name))
    return std::string(callee.text());
  if (callee.is(Kind::Attribute))
    return dottedName(callee.firstChild()) + "." + std::string(callee.text());
  return "";
}

std::optional<Op> binaryOp(std::string_view text) {
  static const std::map<std::string_view, Op> kOps = {{"+", Op::Add}, {"-", Op::Sub}, {"*", Op::Mul}, {"/", Op::Div}, {"//", Op::FloorDiv}, {"%", Op::Mod}, {"@", Op::MatMul},
                                                      {"==", Op::CmpEq}, {"!=", Op::CmpNe}, {"<", Op::CmpLt}, {"<=", Op::CmpLe}, {">", Op::CmpGt}, {">=", Op::CmpGe},
                                                      {"and", Op::LogicalAnd}, {"or", Op::LogicalOr}};
  auto found = kOps.find(text);
  return found == kOps.end() ? std::nullopt : std::optional(found->second);
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}
std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

} // namespace

syntax::ValueRef FunctionImporter::evaluate(Node expression) {
  return syntax::evaluateExpression(expression, tree_, function_.closure, [&](std::string_view name) -> syntax::ValueRef {
    auto found = environment_.find(name);
    if (found == environment_.end())
      return nullptr;
    if (auto *constant = std::get_if<syntax::ValueRef>(&found->second))
      return *constant;
    if (auto *value = std::get_if<Value>(&found->second))
      if (auto literal = value->getDefiningOp<hir::ConstantOp>())
        if (auto integer = dyn_cast<IntegerAttr>(literal.getValue()))
          return syntax::makeInt(integer.getInt());
    return syntax::makeUnknown("`" + std::string(name) + "` is a value of the program, not a constant", {tree_, expression});
  });
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

Value FunctionImporter::call(Node expression) {
  Node callee = expression.child(Role::Callee);
  std::string spelled = dottedName(callee);
  if (spelled.rfind("tf.", 0) == 0) {
    std::string opName = spelled.substr(3);
    if (opName == "unary" || opName == "binary") {
      // `tf.unary(x, kind="exp")` is the op its kind names.
      for (Node argument : expression.childrenIn(Role::Argument))
        if (argument.is(Kind::Keyword) && argument.text() == "kind") {
          syntax::ValueRef kind = evaluate(argument.firstChild());
          std::string text;
          if (auto *plain = kind->string())
            text = lower(*plain);
          else if (auto *opaque = kind->as<syntax::Opaque>())
            text = lower(opaque->callee.substr(opaque->callee.rfind('.') + 1));
          if (auto named = opOfKind(opName, text)) {
            AuthoredOp direct{spec(*named).mnemonic, *named, {{"kind", std::string()}}};
            return opCall(direct, expression);
          }
        }
    }
    if (const AuthoredOp *op = authoredOp(opName))
      return opCall(*op, expression);
    auto &problem = refuse(Code::UnknownOp, callee.nameSpan(), "`tf` has no op `" + opName + "`");
    std::vector<std::string_view> names;
    for (const AuthoredOp &op : allAuthoredOps())
      names.push_back(op.name);
    if (std::string_view near = closest(opName, names); !near.empty()) {
      problem.message += "; is `" + std::string(near) + "` meant?";
      problem.fixes.push_back({"use `tf." + std::string(near) + "`", {{callee.nameSpan(), std::string(near)}}});
    }
    return {};
  }
  if (callee.is(Kind::Name) && !environment_.count(callee.text())) {
    if (const syntax::FunctionValue *function = functionNamed(module_, callee.text()))
      return functionCall(*function, module_, "", expression);
  }
  // A child module held by this one is called as an instance: its entry, or `child.function(...)`.
  Node owner = callee.is(Kind::Attribute) ? callee.firstChild() : callee;
  if (owner.is(Kind::Name))
    if (auto member = module_.members ? module_.members->names.find(owner.text()) : decltype(module_.members->names.find(owner.text()))();
        module_.members && member != module_.members->names.end())
      if (auto *child = member->second->as<syntax::ModuleValue>()) {
        DiagnosticSink childSink;
        std::string function = callee.is(Kind::Attribute) ? std::string(callee.text()) : readModule(*child, program_.options, childSink).entry;
        if (const syntax::FunctionValue *found = functionNamed(*child, function))
          return functionCall(*found, *child, std::string(owner.text()), expression);
        refuse(Code::UnknownFunction, callee.span(), "the module `" + child->name + "` has no function `" + function + "`");
        return {};
      }
  if (spelled.rfind("T.", 0) == 0)
    refuse(Code::UnsupportedCall, callee.span(), "an instruction is no value: it implements a statement as the `op=` of `tf.schedule`");
  else
    refuse(Code::UnsupportedCall, callee.span(), "`" + (spelled.empty() ? std::string(callee.source().substr(0, 40)) : spelled) + "` cannot be called in a schedule: only `tf` ops and functions of this module can");
  return {};
}

Value FunctionImporter::functionCall(const syntax::FunctionValue &callee, const syntax::ModuleValue &module, std::string instance, Node expression) {
  std::vector<Value> arguments;
  std::vector<Type> types;
  for (Node argument : expression.childrenIn(Role::Argument)) {
    if (argument.is(Kind::Keyword) || argument.is(Kind::Starred) || argument.is(Kind::DoubleStarred)) {
      refuse(Code::CallMismatch, argument.span(), "a schedule function is called with positional arguments");
      return {};
    }
    Value made = value(argument);
    if (!made)
      return {};
    arguments.push_back(made);
    types.push_back(typeOf(made));
  }
  if (opensMesh_ && open_.empty()) {
    refuse(Code::OutsideMesh, expression.span(), "a call outside any mesh scope, in a function that opens one: move it inside `with Mesh(...)`");
    return {};
  }
  std::vector<std::shared_ptr<const layout::Mesh>> enclosing = callerScopes_;
  for (int number : open_)
    enclosing.push_back(scopes_[static_cast<size_t>(number)].mesh);
  size_t known = program_.functions.size();
  int index = program_.import(callee, module, instance, expression.span(), &types, enclosing);
  if (index < 0) {
    refused_ = true;
    return {};
  }
  bool first = static_cast<size_t>(index) >= known;
  const std::vector<Type> declaredTypes = program_.functions[static_cast<size_t>(index)].declared;
  if (declaredTypes.size() != arguments.size()) {
    refuse(Code::CallMismatch, expression.span(), "`" + callee.name + "` takes " + std::to_string(declaredTypes.size()) + " arguments and is given " + std::to_string(arguments.size()));
    return {};
  }
  std::vector<Node> nodes = expression.childrenIn(Role::Argument);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type &declared = declaredTypes[i];
    if (!accepts(declared, types[i])) {
      refuse(Code::CallMismatch, nodes[i].span(), "argument " + std::to_string(i) + " is " + describe(types[i]) + "; `" + callee.name + "` declares " + describe(declared));
      return {};
    }
  }
  Type result = program_.functions[static_cast<size_t>(index)].result;
  if (!first) {
    auto specialized = program_.resultFor(callee, module, types, enclosing);
    if (!specialized) {
      refuse(Code::CallMismatch, expression.span(), "the body of `" + callee.name + "` does not accept these arguments here");
      return {};
    }
    result = *specialized;
  }
  Value made = create<hir::CallOp>(expression.span(), hir::toMlir(&program_.context, result), ValueRange(arguments), builder_.getStringAttr(callee.name), builder_.getI64IntegerAttr(index));
  if (!instance.empty())
    made.getDefiningOp()->setAttr("instance", builder_.getStringAttr(instance));
  setType(made) = result;
  return made;
}

Value FunctionImporter::opCall(const AuthoredOp &authored, Node expression) {
  const OpSpec &row = spec(authored.op);
  const std::string spelled = "tf." + std::string(authored.name);
  std::vector<Node> operandNodes(row.operands.size());
  std::map<std::string, Node> attributeNodes;
  size_t position = 0;
  bool fixedKind = !authored.fixed.empty();
  for (Node argument : expression.childrenIn(Role::Argument)) {
    if (argument.is(Kind::Starred) || argument.is(Kind::DoubleStarred)) {
      refuse(Code::WrongArity, argument.span(), "`" + spelled + "` is called with its operands written out");
      return {};
    }
    if (argument.is(Kind::Keyword)) {
      std::string label(argument.text());
      if (fixedKind && label == "kind")
        continue;
      auto operand = std::find_if(row.operands.begin(), row.operands.end(), [&](const OperandSpec &one) { return one.name == label; });
      auto attribute = std::find_if(row.attributes.begin(), row.attributes.end(), [&](const AttributeSpec &one) { return one.name == label; });
      if (operand != row.operands.end()) {
        operandNodes[static_cast<size_t>(operand - row.operands.begin())] = argument.firstChild();
      } else if (attribute != row.attributes.end()) {
        attributeNodes[label] = argument.firstChild();
      } else {
        std::vector<std::string_view> names;
        std::string list;
        for (const AttributeSpec &one : row.attributes) {
          names.push_back(one.name);
          list += (list.empty() ? "" : ", ") + std::string(one.name);
        }
        auto &problem = refuse(Code::UnknownKeyword, argument.nameSpan(), "`" + spelled + "` has no attribute `" + label + "`" + (list.empty() ? "" : "; it has " + list));
        if (std::string_view near = closest(label, names); !near.empty())
          problem.fixes.push_back({"use `" + std::string(near) + "`", {{argument.nameSpan(), std::string(near)}}});
        return {};
      }
      continue;
    }
    if (position < row.operands.size())
      operandNodes[position] = argument;
    else if (position - row.operands.size() < row.attributes.size())
      attributeNodes[std::string(row.attributes[position - row.operands.size()].name)] = argument;
    else {
      refuse(Code::WrongArity, argument.span(), "`" + spelled + "` takes at most " + std::to_string(row.operands.size() + row.attributes.size()) + " arguments");
      return {};
    }
    ++position;
  }

  std::vector<Value> operands;
  std::vector<Span> operandSpans;
  for (size_t i = 0; i < row.operands.size(); ++i) {
    Node node = operandNodes[i];
    const OperandSpec &operand = row.operands[i];
    if (!node) {
      if (operand.optional)
        continue;
      refuse(Code::WrongArity, expression.span(), "`" + spelled + "` needs the operand `" + std::string(operand.name) + "`");
      return {};
    }
    if (operand.variadic) {
      if (!node.is(Kind::List) && !node.is(Kind::Tuple)) {
        refuse(Code::WrongArity, node.span(), "`" + std::string(operand.name) + "` of `" + spelled + "` is a list or tuple of values");
        return {};
      }
      for (Node element : node.children()) {
        operands.push_back(value(element));
        operandSpans.push_back(element.span());
        if (!operands.back())
          return {};
      }
      continue;
    }
    if (operand.index && (node.is(Kind::Tuple) || node.is(Kind::List))) {
      std::vector<Value> elements;
      for (Node element : node.children()) {
        if (auto slice = window(element); slice && !slice->scale && !slice->shifted)
          elements.push_back(slice->start);
        else
          elements.push_back(value(element));
        if (!elements.back())
          return {};
      }
      operands.push_back(tupleOf(elements, node.span()));
      operandSpans.push_back(node.span());
      continue;
    }
    operands.push_back(value(node));
    operandSpans.push_back(node.span());
    if (!operands.back())
      return {};
  }

  std::vector<int64_t> shape;
  if (!operands.empty() && !typeOf(operands[0]).isTuple)
    shape = typeOf(operands[0]).tensor.shape;
  Attributes attributes;
  std::map<std::string, Span> attributeSpans;
  for (const AttributeSpec &one : row.attributes) {
    auto given = attributeNodes.find(std::string(one.name));
    if (const Attribute *fixed = find(authored.fixed, one.name); fixed && given == attributeNodes.end()) {
      attributes.emplace_back(one.name, *fixed);
    } else if (given != attributeNodes.end()) {
      auto read = attribute(one, given->second, shape);
      if (!read)
        return {};
      attributeSpans[std::string(one.name)] = given->second.span();
      attributes.emplace_back(one.name, std::move(*read));
    } else if (one.defaultValue) {
      attributes.emplace_back(one.name, *one.defaultValue);
    } else {
      refuse(Code::MissingAttribute, expression.span(), "`" + spelled + "` needs `" + std::string(one.name) + "`");
      return {};
    }
  }
  return build(authored.op, std::move(operands), std::move(attributes), expression.span(), operandSpans, attributeSpans);
}

std::optional<Attribute> FunctionImporter::attribute(const AttributeSpec &spec, Node expression, const std::vector<int64_t> &shape) {
  Span span = expression.span();
  TypeReader types = reader();
  size_t before = types.sink.all().size();
  auto finish = [&](std::optional<Attribute> result) -> std::optional<Attribute> {
    if (!result)
      refused_ = true;
    return result;
  };
  using AttributeKind = AttributeSpec::Kind;
  if ((spec.kind == AttributeKind::Type || spec.kind == AttributeKind::Layout) && spec.kind == AttributeKind::Type && !checkDims(expression))
    return std::nullopt;
  syntax::ValueRef known = evaluate(expression);
  if (known->as<syntax::Value::NoneType>())
    return Attribute(std::monostate{});
  if (auto *unknown = known->as<syntax::Unknown>()) {
    refuse(Code::UnknownValue, span, unknown->reason);
    return std::nullopt;
  }
  auto bad = [&](const std::string &needed) {
    refuse(Code::BadAttribute, span, "`" + std::string(spec.name) + "` must be " + needed + ", not `" + syntax::repr(*known, 60) + "`");
    return std::optional<Attribute>();
  };
  switch (spec.kind) {
  case AttributeKind::Int: {
    if (known->as<bool>())
      return bad("an integer");
    auto number = types.dim(*known, span, true);
    return number ? std::optional<Attribute>(*number) : bad("an integer");
  }
  case AttributeKind::Bool:
    if (auto *flag = known->as<bool>())
      return Attribute(*flag);
    return bad("True or False");
  case AttributeKind::Float:
    if (auto whole = known->integer()) // `value=7` stays as written
      return Attribute(*whole);
    if (auto number = known->number())
      return Attribute(*number);
    return bad("a number");
  case AttributeKind::String:
    if (auto *text = known->string())
      return Attribute(*text);
    return bad("a string");
  case AttributeKind::Ints: {
    std::vector<int64_t> numbers;
    if (auto *elements = known->sequence()) {
      for (const syntax::ValueRef &element : *elements) {
        auto number = types.dim(*element, span, true);
        if (!number)
          return bad("a tuple of integers");
        numbers.push_back(*number);
      }
    } else if (auto single = known->integer()) {
      numbers.push_back(*single);
    } else {
      return bad("a tuple of integers");
    }
    return Attribute(std::move(numbers));
  }
  case AttributeKind::DType: {
    auto found = types.dtype(*known, span);
    return finish(found ? std::optional<Attribute>(*found) : std::nullopt);
  }
  case AttributeKind::Storage: {
    auto found = types.storage(*known, span);
    return finish(found ? std::optional<Attribute>(*found) : std::nullopt);
  }
  case AttributeKind::Enum: {
    std::string text;
    if (auto *plain = known->string())
      text = *plain;
    else if (auto *opaque = known->as<syntax::Opaque>(); opaque && !opaque->called)
      text = lower(opaque->callee.substr(opaque->callee.rfind('.') + 1));
    if (std::find(spec.values.begin(), spec.values.end(), text) == spec.values.end()) {
      std::string list;
      for (std::string_view one : spec.values)
        list += (list.empty() ? "" : ", ") + std::string(one);
      auto &problem = refuse(Code::BadAttribute, span, "`" + std::string(spec.name) + "` must be one of " + list + ", not `" + syntax::repr(*known, 60) + "`");
      if (std::string_view near = closest(text, spec.values); !near.empty() && known->string())
        problem.fixes.push_back({"use \"" + std::string(near) + "\"", {{span, "\"" + std::string(near) + "\""}}});
      return std::nullopt;
    }
    return Attribute(Enumerator{std::string(spec.enumType), upper(text)});
  }
  case AttributeKind::Layout: {
    auto found = types.layoutOf(*known, shape, span);
    return finish(found && types.sink.all().size() == before ? std::optional<Attribute>(std::move(*found)) : std::nullopt);
  }
  case AttributeKind::Type: {
    auto found = types.tensorType(*known, span);
    return finish(found && types.sink.all().size() == before ? std::optional<Attribute>(std::move(*found)) : std::nullopt);
  }
  case AttributeKind::Instruction: {
    auto found = types.instruction(*known, span);
    if (!found)
      return finish(std::nullopt);
    CanonicalInstruction complete = canonical(*found);
    if (!complete.error.empty()) {
      refuse(Code::BadAttribute, span, complete.error);
      return std::nullopt;
    }
    return finish(Attribute(std::move(complete.instruction)));
  }
  }
  return std::nullopt;
}

Value FunctionImporter::build(Op op, std::vector<Value> operands, Attributes attributes, Span span, const std::vector<Span> &operandSpans,
                              const std::map<std::string, Span> &attributeSpans) {
  const OpSpec &row = spec(op);
  if (opensMesh_ && open_.empty() && callerScopes_.empty()) {
    refuse(Code::OutsideMesh, span, "`tf." + std::string(row.mnemonic) + "` outside any mesh scope, in a function that opens one: move it inside `with Mesh(...)`");
    return {};
  }
  OpUse use;
  use.op = op;
  for (const AttributeSpec &one : row.attributes)
    if (!find(attributes, one.name) && one.defaultValue)
      attributes.emplace_back(one.name, *one.defaultValue);
  use.attributes = attributes;
  for (Value operand : operands) {
    use.operands.push_back(typeOf(operand));
    std::optional<std::vector<std::optional<int64_t>>> constants;
    if (auto tuple = operand.getDefiningOp<hir::TupleOp>()) {
      constants.emplace();
      for (Value element : tuple.getElements()) {
        std::optional<int64_t> number;
        if (auto literalOp = element.getDefiningOp<hir::ConstantOp>())
          if (auto integer = dyn_cast<IntegerAttr>(literalOp.getValue()))
            number = integer.getInt();
        constants->push_back(number);
      }
    }
    use.constants.push_back(std::move(constants));
  }
  InferContext context;
  context.target = program_.target;
  context.mesh = composed();
  context.enclosing = callerScopes_;
  for (int number : open_)
    context.enclosing.push_back(scopes_[static_cast<size_t>(number)].mesh);
  Inferred inferred = infer(use, context);
  if (inferred.failed()) {
    Span place = span;
    if (inferred.operand >= 0 && static_cast<size_t>(inferred.operand) < operandSpans.size())
      place = operandSpans[static_cast<size_t>(inferred.operand)];
    else if (auto found = attributeSpans.find(inferred.attribute); found != attributeSpans.end())
      place = found->second;
    Diagnostic &problem = refuse(Code::OpType, place, "`" + std::string(row.mnemonic) + "`: " + inferred.error);
    if (!(place == span))
      problem.related.push_back({span, "in this `tf." + std::string(row.mnemonic) + "`"});
    return {};
  }
  OperationState state(at(span), "hir." + std::string(row.mnemonic));
  state.addOperands(operands);
  for (const auto &[label, given] : attributes)
    state.addAttribute(label, hir::toMlir(&program_.context, given));
  state.types.push_back(hir::toMlir(&program_.context, inferred.type));
  Value made = builder_.create(state)->getResult(0);
  setType(made) = inferred.type;
  return made;
}

// ---- subscripts and indices ---------------------------------------------------------------------------------------------------

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
      if (position->kind == Dim::Kind::Constant && position->constant < 0) {
        position->constant += extent;
        position->value = {};
      }
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
    if (start.kind == Dim::Kind::Constant && start.constant < 0) {
      start.constant += extent;
      start.value = {};
    }
    if (stop.kind == Dim::Kind::Constant && stop.constant < 0)
      stop.constant += extent;
    LinearDim from = linear(start), to = linear(stop);
    if (from.terms != to.terms) {
      refuse(Code::BadIndex, span, "the window's size must be a constant: its start and stop must differ by a number known here");
      return {};
    }
    int64_t length = to.constant - from.constant;
    if (start.kind == Dim::Kind::Constant && stop.kind == Dim::Kind::Constant)
      length = std::min(length, extent - start.constant);
    if (length <= 0) {
      refuse(Code::BadIndex, span, "the window is empty");
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
