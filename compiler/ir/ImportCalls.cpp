// Calls of a function body: ops with their operands and attributes, functions, and the op built from them.
#include "ir/ImportFunction.h"
#include "instruction/AdviseParameter.h"
#include "instruction/Table.h"

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

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

} // namespace

std::string dottedName(Node callee) {
  if (callee.is(Kind::Name))
    return std::string(callee.text());
  if (callee.is(Kind::Attribute))
    return dottedName(callee.firstChild()) + "." + std::string(callee.text());
  return "";
}

Value FunctionImporter::call(Node expression) {
  Node callee = expression.child(Role::Callee);
  std::string spelled = dottedName(callee);
  if (spelled.rfind("tf.", 0) == 0) {
    std::string opName = spelled.substr(3);
    if (opName == "unary" || opName == "binary") {
      // `tf.unary(x, kind="exp")` and `tf.unary(x, UnaryKind.EXP)` are the op that the kind names.
      const size_t behindOperands = opName == "unary" ? 1 : 2;
      size_t position = 0;
      for (Node argument : expression.childrenIn(Role::Argument))
        if (argument.is(Kind::Keyword) ? argument.text() == "kind" : position++ == behindOperands) {
          syntax::ValueRef kind = evaluate(argument.is(Kind::Keyword) ? argument.firstChild() : argument);
          std::string text;
          if (auto *plain = kind->string())
            text = *plain;
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
  std::vector<std::shared_ptr<const layout::Mesh>> enclosing = this->enclosing();
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
  bool kindNamesOp = fixedKind && find(authored.fixed, "kind") && std::holds_alternative<std::string>(*find(authored.fixed, "kind"));
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
    else if (kindNamesOp && position == row.operands.size())
      ; // the kind, which has named this op
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

  if (ImportNotes *all = authored.op == Op::Schedule ? notes() : nullptr) {
    ImportNotes::Schedule use{expression.span(), {}, enclosing()};
    for (Value operand : operands)
      use.operands.push_back(typeOf(operand));
    all->schedules.push_back(std::move(use));
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
  if (spec.kind == AttributeKind::Type && !checkDims(expression))
    return std::nullopt;
  // T.cast is the one instruction whose dtype may stand bare; atoms want strings.
  bool bare = spec.kind == AttributeKind::DType || spec.kind == AttributeKind::Storage || spec.kind == AttributeKind::Type ||
              (spec.kind == AttributeKind::Instruction && expression.is(Kind::Call) && dottedName(expression.child(Role::Callee)) == "T.cast");
  syntax::ValueRef known = evaluate(expression, bare ? Bare::TypeNames : Bare::No);
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
    instruction::CanonicalInstruction complete = instruction::canonical(*found);
    if (!complete.error.empty()) {
      Diagnostic &problem = refuse(Code::InstructionParameter, argumentOf(expression, complete.parameter).value_or(span), complete.error);
      if (const auto remedy = instruction::adviseParameter(*found, complete.parameter))
        if (const auto change = edit(*remedy, span, {}, {{"op", span}}))
          problem.fixes.push_back({remedy->title, {*change}});
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
  context.enclosing = enclosing();
  Inferred inferred = infer(use, context);
  if (inferred.failed()) {
    Span place = span;
    if (inferred.operand >= 0 && static_cast<size_t>(inferred.operand) < operandSpans.size())
      place = operandSpans[static_cast<size_t>(inferred.operand)];
    else if (auto found = attributeSpans.find(inferred.attribute); found != attributeSpans.end())
      place = found->second;
    if (inferred.refusal) {
      refuseInstruction(inferred, span, operandSpans, attributeSpans);
      return {};
    }
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

} // namespace tilewright::ir
