// Statements of TIR.
#include "instruction/Advice.h"
#include "ir/ImportTirFunction.h"
#include "ir/InstructionCode.h"
#include "support/Closest.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::ir::tir {

using syntax::Kind;
using syntax::Node;
using syntax::Opaque;
using syntax::Role;
using syntax::ValueRef;

std::optional<Function> Importer::run() {
  Node definition = value_.definition.node;
  function_.name = value_.name;
  parameters(definition);
  function_.body = block(definition.child(Role::Block));
  if (refused_)
    return std::nullopt;
  return std::move(function_);
}

ValueRef Importer::evaluate(Node expression) {
  return syntax::evaluateExpression(expression, tree_, syntax::bodyScope(value_), [&](std::string_view name) -> ValueRef {
    const Binding *found = find(name);
    if (!found)
      return nullptr;
    if (auto *constant = std::get_if<ValueRef>(found))
      return *constant;
    if (auto *scope = std::get_if<const MeshScope *>(found)) {
      Opaque named;
      named.callee = std::string(kScopePrefix) + std::to_string((*scope)->number);
      named.place = {tree_, expression};
      return std::make_shared<syntax::Value>(std::move(named));
    }
    return syntax::makeUnknown(quoted(name) + " is a value of the program, not a constant", {tree_, expression});
  });
}

std::optional<int64_t> Importer::constant(Node expression) {
  const ValueRef value = evaluate(expression);
  return std::get_if<bool>(&value->data) ? std::nullopt : value->integer();
}

TypeReader Importer::reader() {
  return {sink_, options_, program_.topologies,
          [this](int number) { return number >= 0 && static_cast<size_t>(number) < scopes_.size() ? scopes_[static_cast<size_t>(number)].get() : nullptr; },
          [this]() -> std::shared_ptr<const layout::Mesh> { return open_.empty() ? nullptr : open_.back()->composed; }, nullptr};
}

void Importer::unknownName(Node name) {
  if (auto left = left_.find(name.text()); left != left_.end()) {
    refuse(Code::UnknownName, name.span(), quoted(name.text()) + " belongs to a scope or loop that is closed here; define it outside")
        .related.push_back({left->second, "defined here"});
    return;
  }
  std::vector<std::string_view> known;
  for (const auto &[spelled, binding] : environment_)
    known.push_back(spelled);
  const std::string_view near = closest(name.text(), known);
  Diagnostic &problem = refuse(Code::UnknownName, name.span(), "nothing is named " + quoted(name.text()) + " here" + (near.empty() ? "" : "; is it " + quoted(near) + "?"));
  if (!near.empty())
    problem.fixes.push_back({"write " + quoted(near), {{name.span(), std::string(near)}}});
}

void Importer::parameters(Node definition) {
  int64_t outputs = 1;
  if (const Opaque *decorator = primFunc(value_))
    for (const auto &[key, given] : decorator->keywords)
      if (key == "output_count") {
        auto count = given->integer();
        if (!count || *count < 1)
          refuse(Code::BadAttribute, definition.nameSpan(), "`output_count` of " + quoted(value_.name) + " must be a positive integer");
        else
          outputs = *count;
      }
  Node list = definition.child(Role::Parameters);
  for (Node parameter : list ? childrenOf(list) : std::vector<Node>()) {
    Node annotation = parameter.child(Role::Annotation);
    if (parameter.has(syntax::kStar) || parameter.has(syntax::kDoubleStar) || parameter.text() == "*" || parameter.text() == "/" || !annotation) {
      refuse(Code::BadType, parameter.span(), "a parameter of a @prim_func needs a tensor type: `" + std::string(parameter.text()) + ": Tensor[shape, dtype]`");
      environment_[std::string(parameter.text())] = Poison{};
      continue;
    }
    auto type = reader().tensorType(*evaluate(annotation), annotation.span());
    if (!type) {
      refused_ = true;
      environment_[std::string(parameter.text())] = Poison{};
      continue;
    }
    const auto id = static_cast<ValueId>(function_.values.size());
    function_.values.push_back({ValueKind::Parameter, std::string(parameter.text()), std::move(*type), false});
    function_.parameters.push_back(id);
    environment_[std::string(parameter.text())] = id;
  }
  if (!refused_ && static_cast<size_t>(outputs) > function_.parameters.size())
    refuse(Code::BadAttribute, definition.nameSpan(),
           quoted(value_.name) + " writes " + std::to_string(outputs) + " of its parameters but has " + std::to_string(function_.parameters.size()));
  function_.outputs = static_cast<int>(std::min<int64_t>(outputs, 1 << 20));
  for (size_t i = 0; i < function_.parameters.size(); ++i)
    function_.values[static_cast<size_t>(function_.parameters[i])].output = i + static_cast<size_t>(outputs) >= function_.parameters.size();
}

Block Importer::block(Node node) {
  Block out;
  Environment outside = environment_;
  for (Node child : node.children())
    statement(child, out);
  for (const auto &[name, binding] : environment_)
    if (!outside.count(name))
      if (auto *id = std::get_if<ValueId>(&binding); id && !left_.count(name))
        left_[name] = node.span();
  environment_ = std::move(outside);
  return out;
}

void Importer::statement(Node node, Block &into) {
  switch (node.kind()) {
  case Kind::Pass: return;
  case Kind::Assign: return assignment(node, into);
  case Kind::For: return loop(node, into);
  case Kind::With: return scope(node, into);
  case Kind::Error: refused_ = true; return; // the syntax error is reported already
  case Kind::ExprStmt: {
    Node expression = node.firstChild();
    if (expression.is(Kind::String) || expression.is(Kind::StringConcat) || expression.is(Kind::Ellipsis))
      return;
    if (expression.is(Kind::Call))
      return call(expression, into);
    if (!expression.has(syntax::kHasError))
      refuse(Code::UnsupportedStatement, expression.span(), quoted(expression) + " does nothing: a statement of TIR calls an instruction or a function");
    refused_ = true;
    return;
  }
  default: break;
  }
  refused_ = true;
  if (node.has(syntax::kHasError))
    return;
  Span head = node.span();
  if (size_t newline = node.source().find('\n'); newline != std::string_view::npos)
    head.end = head.begin + static_cast<uint32_t>(newline);
  refuse(Code::UnsupportedStatement, head, "`" + std::string(syntax::name(node.kind())) + "` is not read in TIR: a body holds buffers, views, instructions, `for` over range and `with` scopes");
}

void Importer::poison(Node target) {
  refused_ = true;
  if (target.is(Kind::Name))
    environment_[std::string(target.text())] = Poison{};
}

ValueId Importer::define(Node name, ValueKind kind, TensorType type) {
  const auto id = static_cast<ValueId>(function_.values.size());
  function_.values.push_back({kind, std::string(name.text()), std::move(type), false});
  environment_[std::string(name.text())] = id;
  return id;
}

std::optional<Importer::Arguments> Importer::arguments(Node call) {
  Arguments out;
  for (Node argument : call.childrenIn(Role::Argument)) {
    if (argument.is(Kind::Keyword)) {
      if (out.keyword(argument.text())) {
        refuse(Code::UnknownKeyword, argument.nameSpan(), quoted(argument.text()) + " is given twice");
        return std::nullopt;
      }
      out.keywords.emplace_back(std::string(argument.text()), argument.firstChild());
    } else if (argument.is(Kind::Starred) || argument.is(Kind::DoubleStarred) || argument.is(Kind::Error)) {
      refused_ = true;
      if (!argument.is(Kind::Error))
        refuse(Code::UnsupportedExpression, argument.span(), "arguments are written out in TIR");
      return std::nullopt;
    } else {
      out.positional.push_back(argument);
    }
  }
  return out;
}

void Importer::assignment(Node node, Block &into) {
  std::vector<Node> targets = node.childrenIn(Role::Target);
  Node target = targets.front(), given = node.child(Role::Value);
  if (targets.size() != 1 || !target.is(Kind::Name)) {
    for (Node one : targets)
      poison(one);
    refuse(Code::UnsupportedStatement, target.span(), "a statement of TIR defines one name");
    return;
  }
  const std::string callee = given.is(Kind::Call) ? dottedName(given.child(Role::Callee)) : std::string();
  Statement made;
  made.span = node.span();
  if (callee == "T.alloc_tensor") {
    auto parts = arguments(given);
    Node type = parts ? (parts->positional.empty() ? parts->keyword("tensor_type") : parts->positional.front()) : Node();
    if (parts && (!type || parts->positional.size() + parts->keywords.size() != 1))
      refuse(Code::WrongArity, given.child(Role::Callee).span(), "`T.alloc_tensor` takes one argument, `tensor_type=Tensor[...]`");
    auto read = parts && type ? reader().tensorType(*evaluate(type), type.span()) : std::nullopt;
    if (!read)
      return poison(target);
    made.kind = StatementKind::Alloc;
    made.value = define(target, ValueKind::Buffer, std::move(*read));
    into.push_back(std::move(made));
    return;
  }
  if (callee == "T.tensor_view") {
    auto read = view(given, target.text());
    if (!read)
      return poison(target);
    made.kind = StatementKind::View;
    made.value = define(target, ValueKind::View, read->type);
    made.views.push_back(std::move(*read));
    into.push_back(std::move(made));
    return;
  }
  if (given.is(Kind::Tuple) || given.is(Kind::List)) {
    made.kind = StatementKind::Ring;
    bool whole = given.childCount() > 0;
    for (Node slot : given.children()) {
      if (!slot.is(Kind::Call) || dottedName(slot.child(Role::Callee)) != "T.tensor_view") {
        refuse(Code::BadView, slot.span(), "a slot of the ring " + quoted(target.text()) + " is a `T.tensor_view(...)`, not " + quoted(slot));
        whole = false;
        continue;
      }
      auto read = view(slot, target.text());
      if (!read) {
        whole = false;
        continue;
      }
      if (!made.views.empty() && !(read->type == made.views.front().type)) {
        refuse(Code::BadView, slot.span(), "slot " + std::to_string(made.views.size()) + " of the ring " + quoted(target.text()) + " has another type than slot 0")
            .related.push_back({given.firstChild().span(), "slot 0"});
        whole = false;
        continue;
      }
      if (read->address)
        for (size_t i = 0; i < made.views.size(); ++i)
          if (const auto other = made.views[i].address; other && overlap(*read->address, *other, read->type.bytes())) {
            refuse(Code::RingOverlap, childrenOf(given)[made.views.size()].span(),
                   "slot " + std::to_string(made.views.size()) + " of the ring " + quoted(target.text()) + " lies over slot " + std::to_string(i) + ", which takes bytes " +
                       std::to_string(*other) + " to " + std::to_string(*other + made.views[i].type.bytes() - 1))
                .related.push_back({childrenOf(given)[i].span(), "slot " + std::to_string(i)});
            whole = false;
            break;
          }
      made.views.push_back(std::move(*read));
    }
    if (!whole || made.views.empty())
      return poison(target);
    made.value = define(target, ValueKind::Ring, made.views.front().type);
    slots_[made.value] = static_cast<int64_t>(made.views.size());
    into.push_back(std::move(made));
    return;
  }
  if (callee.starts_with("T.")) {
    refuse(Code::UnsupportedStatement, given.child(Role::Callee).span(),
           instructionRow(callee) ? quoted(callee) + " gives no value: its destination is an operand" : "there is no " + quoted(callee) + "; a name is defined by `T.alloc_tensor` or `T.tensor_view`");
    return poison(target);
  }
  // A constant under a name: folded where it is read.
  const ValueRef value = evaluate(given);
  if (value->isUnknown() || given.has(syntax::kHasError)) {
    if (!given.has(syntax::kHasError))
      refuse(Code::UnsupportedExpression, given.span(), quoted(given) + " defines no buffer, view or ring");
    return poison(target);
  }
  environment_[std::string(target.text())] = value;
}

void Importer::call(Node expression, Block &into) {
  Node callee = expression.child(Role::Callee);
  const std::string name = dottedName(callee);
  if (callee.is(Kind::Name)) {
    for (size_t i = 0; i < functions_.size(); ++i)
      if (functions_[i]->name == name)
        return functionCall(expression, i, into);
    std::vector<std::string_view> known;
    for (const syntax::FunctionValue *one : functions_)
      known.push_back(one->name);
    const std::string_view near = closest(name, known);
    Diagnostic &problem = refuse(Code::UnknownFunction, callee.span(), "no @prim_func is named " + quoted(name) + (near.empty() ? "" : "; is it " + quoted(near) + "?"));
    if (!near.empty())
      problem.fixes.push_back({"write " + quoted(near), {{callee.span(), std::string(near)}}});
    return;
  }
  const instruction::Row *row = instructionRow(name);
  if (!row) {
    if (name == "T.alloc_tensor" || name == "T.tensor_view" || name == "T.ptr_of") {
      refuse(Code::UnsupportedStatement, expression.span(), quoted(name) + " does nothing by itself: give what it makes a name");
      return;
    }
    std::vector<std::string_view> known;
    for (const instruction::Row &one : instruction::rows())
      if (one.kind == instruction::Row::Kind::Instruction)
        known.push_back(one.id);
    const std::string_view near = closest(name, known);
    Diagnostic &problem = refuse(Code::UnknownOp, callee.span(), (name.empty() ? quoted(callee) : "there is no instruction " + quoted(name)) + (near.empty() ? "" : "; is it " + quoted(near) + "?"));
    if (!near.empty())
      problem.fixes.push_back({"write " + quoted(near), {{callee.span(), std::string(near)}}});
    return;
  }
  auto parts = arguments(expression);
  if (!parts)
    return;
  Statement made;
  made.kind = StatementKind::Call;
  made.span = expression.span();
  made.instruction.name = name;
  bool whole = true;
  std::vector<std::optional<TensorType>> types;
  for (Node one : parts->positional) {
    auto read = operand(one);
    whole &= read.has_value();
    types.push_back(read ? typeOf(*read) : std::nullopt);
    if (read)
      made.operands.push_back(std::move(*read));
  }
  if (whole)
    if (auto wrong = wrongCall(name, types)) {
      const auto number = static_cast<size_t>(wrong->operand);
      const Code code = wrong->operand < 0 ? Code::InstructionOperandCount : types[number] ? Code::InstructionOperandStorage : Code::OpType;
      refuse(code, (wrong->operand < 0 ? callee : parts->positional[number]).span(), wrong->message);
      whole = false;
    }
  for (const auto &[label, value] : parts->keywords) {
    const bool known = std::any_of(row->parameters.begin(), row->parameters.end(), [&](const instruction::Parameter &one) { return one.name == label; });
    if (!known) {
      std::string list;
      for (const instruction::Parameter &one : row->parameters)
        list += (list.empty() ? "" : ", ") + one.name;
      refuse(Code::UnknownKeyword, value.parent().nameSpan(), quoted(name) + " has no parameter " + quoted(label) + (list.empty() ? "" : "; it has " + list));
      whole = false;
      continue;
    }
    const size_t before = sink_.all().size();
    auto read = reader().parameter(name, label, *evaluate(value), value.span());
    if (read)
      made.instruction.parameters.emplace_back(label, std::move(*read));
    else if (sink_.all().size() != before)
      whole = false;
  }
  for (const instruction::Parameter &one : row->parameters)
    if (!one.optional && !parts->keyword(one.name)) {
      refuse(Code::MissingAttribute, callee.span(), quoted(name) + " needs `" + one.name + "=`");
      whole = false;
    }
  // The rest of what a parameter may be is the table's to say: members of enums, atoms of the target.
  if (whole)
    if (const instruction::CanonicalInstruction known = instruction::canonical(made.instruction); !known.error.empty()) {
      Node place = parts->keyword(known.parameter);
      refuse(Code::BadAttribute, (place ? place : callee).span(), known.error);
      whole = false;
    }
  whole = whole && keepsContract(made, parts->positional, callee);
  if (whole)
    into.push_back(std::move(made));
  else
    refused_ = true;
}

bool Importer::keepsContract(const Statement &call, const std::vector<Node> &operands, Node callee) {
  instruction::Use use;
  use.instruction = call.instruction;
  use.target = program_.target;
  for (const MeshScope *one : open_)
    use.scopes.push_back(one->mesh);
  const instruction::Row *row = instructionRow(call.instruction.name);
  const std::optional<TensorType> written = row->destination < call.operands.size() ? typeOf(call.operands[row->destination]) : std::nullopt;
  for (const Operand &operand : call.operands) {
    // A literal becomes what is written.
    TensorType type = typeOf(operand).value_or(scalar(written ? written->dtype : DType::F32, Storage::Rmem).tensor);
    // Memory that an atom reads whole is spelled `@ {B()}`: no units share it out.
    if (type.storage != Storage::Rmem && type.layout && !layout::isSharded(*type.layout)) {
      type.layout->mesh = nullptr;
      type.layout->states.clear();
      type.layout->explicitState = false;
    }
    use.operands.push_back(std::move(type));
  }
  const instruction::Match match = instruction::match(use);
  if (match.accepted)
    return true;
  Node place = callee;
  if (match.operand >= 0 && static_cast<size_t>(match.operand) < operands.size())
    place = operands[static_cast<size_t>(match.operand)];
  const std::string meaning = instruction::advise(use, match).meaning;
  refuse(codeOf(match), place.span(), quoted(call.instruction.name) + ": " + layout::oneLine(match.reason) + (meaning.empty() ? "" : "; " + meaning));
  return false;
}

void Importer::functionCall(Node expression, size_t callee, Block &into) {
  Node name = expression.child(Role::Callee);
  auto parts = arguments(expression);
  if (!parts)
    return;
  const auto found = std::find_if(program_.functions.begin(), program_.functions.end(), [&](const Function &one) { return one.name == functions_[callee]->name; });
  if (found == program_.functions.end()) { // refused, or this function itself
    if (functions_[callee] == &value_)
      refuse(Code::Recursion, name.span(), quoted(name.text()) + " calls itself; a kernel has no call stack");
    refused_ = true;
    return;
  }
  if (!parts->keywords.empty() || parts->positional.size() != found->parameters.size()) {
    refuse(Code::CallMismatch, name.span(), quoted(name.text()) + " takes " + std::to_string(found->parameters.size()) + " buffers, inputs first and outputs last, not " +
                                                std::to_string(parts->positional.size()));
    return;
  }
  Statement made;
  made.kind = StatementKind::FunctionCall;
  made.span = expression.span();
  made.callee = static_cast<int>(found - program_.functions.begin());
  for (size_t i = 0; i < parts->positional.size(); ++i) {
    auto read = operand(parts->positional[i]);
    if (!read) {
      refused_ = true;
      return;
    }
    const TensorType &wanted = found->at(found->parameters[i]).type;
    if (auto given = typeOf(*read); !given || given->shape != wanted.shape || given->dtype != wanted.dtype) {
      refuse(Code::CallMismatch, parts->positional[i].span(), quoted(parts->positional[i]) + (given ? " is " + describe(*given) : " is no buffer") + ", parameter " +
                                                                  quoted(found->at(found->parameters[i]).name) + " of " + quoted(name.text()) + " is " + describe(wanted));
      return;
    }
    made.operands.push_back(std::move(*read));
  }
  into.push_back(std::move(made));
}

void Importer::loop(Node node, Block &into) {
  Node target = node.child(Role::Target), over = node.child(Role::Iter);
  if (!target.is(Kind::Name) || !over.is(Kind::Call) || dottedName(over.child(Role::Callee)) != "range" || node.child(Role::Else)) {
    refuse(Code::BadLoop, (over ? over : node).span(), "a loop of TIR has one variable and runs over `range(start, stop, step)`");
    return;
  }
  auto parts = arguments(over);
  if (parts && (!parts->keywords.empty() || parts->positional.empty() || parts->positional.size() > 3)) {
    refuse(Code::BadLoop, over.span(), "`range` takes start, stop and step");
    return;
  }
  if (!parts)
    return;
  Statement made;
  made.kind = StatementKind::Loop;
  made.span = {node.span().begin, over.span().end};
  made.step.integer = 1;
  std::vector<Expr *> bounds{&made.stop};
  if (parts->positional.size() > 1)
    bounds = {&made.start, &made.stop, &made.step};
  bool whole = true;
  for (size_t i = 0; i < parts->positional.size(); ++i) {
    auto read = expression(parts->positional[i]);
    whole &= read.has_value();
    if (read)
      *bounds[i] = std::move(*read);
  }
  if (whole)
    if (const Interval step = interval(made.step); step.high && *step.high <= 0) {
      refuse(Code::BadLoop, parts->positional[2].span(), "the step of a loop must be positive");
      whole = false;
    }
  Environment outside = environment_;
  if (whole) {
    made.value = define(target, ValueKind::LoopVariable, scalar(DType::I64, Storage::Umat).tensor);
    Interval values{interval(made.start).low, interval(made.stop).high};
    if (values.high)
      --*values.high;
    loops_[made.value] = values;
  } else {
    poison(target);
  }
  made.body = block(node.child(Role::Block));
  environment_ = std::move(outside);
  if (whole)
    into.push_back(std::move(made));
  else
    refused_ = true;
}

void Importer::scope(Node node, Block &into) {
  std::vector<Node> items = node.childrenIn(Role::Item);
  Span head = node.span();
  if (!items.empty())
    head.end = items.back().span().end;
  Node context = items.empty() ? Node() : items[0].child(Role::Value), alias = items.empty() ? Node() : items[0].child(Role::Target);
  if (items.size() != 1 || !alias.is(Kind::Name)) {
    refuse(Code::BadMesh, head, "a scope opens one mesh under one name: `with Mesh(...) as scope:`");
    return;
  }
  const size_t before = sink_.all().size();
  const ValueRef evaluated = evaluate(context);
  auto read = reader().mesh(*evaluated, context.span());
  const bool whole = read && sink_.all().size() == before;
  Environment outside = environment_;
  Statement made;
  made.kind = StatementKind::Scope;
  made.span = head;
  if (whole) {
    Scope opened;
    const MeshScope *again = reader().scopeOf(*evaluated); // `with scope as scope_1`
    opened.name = std::string(alias.text());
    opened.mesh = read->mesh;
    opened.spelling = read->relaid ? Scope::Spelling::Refactored : read->selectedFrom >= 0 || again ? Scope::Spelling::Slice : Scope::Spelling::Full;
    if (again) {
      opened.of = again->number;
      read->ranges.clear();
    } else if (opened.spelling != Scope::Spelling::Full) {
      opened.of = read->selectedFrom;
      opened.ranges = read->ranges;
    }
    made.scope = static_cast<ScopeId>(function_.scopes.size());
    read->number = made.scope;
    read->alias = opened.name;
    auto outer = open_.empty() ? nullptr : open_.back()->composed;
    read->composed = outer ? std::make_shared<layout::Mesh>(layout::compose(*outer, *read->mesh)) : read->mesh;
    function_.scopes.push_back(std::move(opened));
    scopes_.push_back(std::make_unique<MeshScope>(std::move(*read)));
    open_.push_back(scopes_.back().get());
    environment_[std::string(alias.text())] = open_.back();
  } else {
    poison(alias);
  }
  made.body = block(node.child(Role::Block));
  environment_ = std::move(outside);
  if (!whole) {
    refused_ = true;
    return;
  }
  open_.pop_back();
  into.push_back(std::move(made));
}

} // namespace tilewright::ir::tir
