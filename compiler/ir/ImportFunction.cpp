// Statements and regions of a function body.
#include "ir/ImportFunction.h"

#include "support/Check.h"
#include "support/Codes.h"

#include <algorithm>

using namespace mlir;

namespace tilewright::ir {

using syntax::Kind;
using syntax::Node;
using syntax::Role;

namespace {

void collectReads(Node node, bool target, std::map<std::string, std::vector<uint32_t>, std::less<>> &reads) {
  if (node.is(Kind::Name)) {
    if (!target)
      reads[std::string(node.text())].push_back(node.span().begin);
    return;
  }
  if (node.is(Kind::Attribute) || node.is(Kind::Subscript))
    target = false;
  for (Node child : node.children()) {
    bool binds = child.role() == Role::Target || (target && (node.is(Kind::Tuple) || node.is(Kind::List) || node.is(Kind::Starred)));
    collectReads(child, binds, reads);
  }
}

void targetNames(Node target, std::vector<std::string> &names) {
  if (target.is(Kind::Name)) {
    if (std::find(names.begin(), names.end(), target.text()) == names.end())
      names.emplace_back(target.text());
  } else if (target.is(Kind::Tuple) || target.is(Kind::List)) {
    for (Node element : target.children())
      targetNames(element, names);
  }
}

void collectAssigned(Node node, std::vector<std::string> &names) {
  if (node.is(Kind::Assign) || node.is(Kind::AnnAssign))
    for (Node target : node.childrenIn(Role::Target))
      targetNames(target, names);
  if (node.is(Kind::For) || node.is(Kind::With) || node.is(Kind::Block))
    for (Node child : node.children())
      collectAssigned(child, names);
}

// The end of the first statement that binds each name: reads before it see the name from outside.
void firstBindings(Node node, std::map<std::string, uint32_t> &bound) {
  if (node.is(Kind::Assign) || node.is(Kind::AnnAssign)) {
    std::vector<std::string> names;
    for (Node target : node.childrenIn(Role::Target))
      targetNames(target, names);
    for (const std::string &name : names)
      bound.try_emplace(name, node.span().end);
  }
  if (node.is(Kind::For) || node.is(Kind::With) || node.is(Kind::Block))
    for (Node child : node.children())
      firstBindings(child, bound);
}

bool opensMesh(Node node) {
  if (node.is(Kind::With))
    return true;
  if (node.is(Kind::For) || node.is(Kind::Block))
    for (Node child : node.children())
      if (opensMesh(child))
        return true;
  return false;
}

// Whether some authored window starts at the loop variable and is exactly one step long: such a range walks tiles. Nested regions see the
// variable through their captures.
bool startsWindows(Value induction, int64_t step) {
  std::vector<Value> names{induction};
  while (!names.empty()) {
    Value name = names.back();
    names.pop_back();
    for (OpOperand &use : name.getUses()) {
      Operation *user = use.getOwner();
      if (auto loop = dyn_cast<hir::LoopOp>(user)) {
        for (auto [i, capture] : llvm::enumerate(loop.getCaptures()))
          if (capture == name)
            names.push_back(loop.getBody().front().getArgument(static_cast<unsigned>(1 + loop.getInits().size() + i)));
      } else if (auto mesh = dyn_cast<hir::MeshOp>(user)) {
        for (auto [i, capture] : llvm::enumerate(mesh.getCaptures()))
          if (capture == name)
            names.push_back(mesh.getBody().front().getArgument(static_cast<unsigned>(i)));
      } else if (isa<hir::TupleOp>(user)) {
        auto axis = static_cast<int64_t>(use.getOperandNumber());
        for (Operation *slicing : user->getResult(0).getUsers()) {
          auto windows = slicing->getAttrOfType<DenseI64ArrayAttr>("windowed"), sizes = slicing->getAttrOfType<DenseI64ArrayAttr>("sizes");
          if (windows && sizes && sizes[axis] == step && llvm::is_contained(windows.asArrayRef(), axis))
            return true;
        }
      }
    }
  }
  return false;
}

ArrayAttr strings(Builder &builder, const std::vector<std::string> &texts) {
  SmallVector<mlir::Attribute> attributes;
  for (const std::string &text : texts)
    attributes.push_back(builder.getStringAttr(text));
  return builder.getArrayAttr(attributes);
}

} // namespace

FunctionImporter::FunctionImporter(ProgramImporter &program, const syntax::FunctionValue &function, const syntax::ModuleValue &module, bool quiet)
    : program_(program), function_(function), module_(module), tree_(function.definition.tree), builder_(&program.context), quiet_(quiet) {}

Diagnostic &FunctionImporter::refuse(Code code, Span at, std::string message) {
  refused_ |= info(code).severity == Severity::Error;
  return (quiet_ ? discard_ : program_.sink).add(code, at, std::move(message));
}

const Type &FunctionImporter::typeOf(Value value) {
  auto [found, isNew] = types_.try_emplace(value.getAsOpaquePointer());
  if (isNew)
    found->second = hir::fromMlir(value.getType());
  return found->second;
}

std::shared_ptr<const layout::Mesh> FunctionImporter::composed() const {
  if (!open_.empty())
    return scopes_[static_cast<size_t>(open_.back())].composed;
  std::shared_ptr<const layout::Mesh> mesh;
  for (const auto &scope : callerScopes_)
    mesh = mesh ? std::make_shared<layout::Mesh>(layout::compose(*mesh, *scope)) : scope;
  return mesh;
}

TypeReader FunctionImporter::reader() {
  return {quiet_ ? discard_ : program_.sink, program_.options, program_.topologies,
          [this](int number) { return number >= 0 && number < static_cast<int>(scopes_.size()) ? &scopes_[static_cast<size_t>(number)] : nullptr; },
          [this] { return composed(); }, &program_.openDims};
}

hir::FuncOp FunctionImporter::run(const std::vector<Type> *bound, const std::vector<std::shared_ptr<const layout::Mesh>> &enclosing) {
  callerScopes_ = enclosing;
  Node definition = function_.definition.node;
  Node body = definition.child(Role::Block);
  collectReads(body, false, reads_);
  opensMesh_ = opensMesh(body);
  size_t errorsBefore = program_.sink.all().size();

  builder_.setInsertionPointToEnd(program_.mlirModule.getBody());
  auto region = std::make_unique<Region>();
  entry_ = new Block();
  region->push_back(entry_);

  // The decorator's mesh is the function's scope, open from the signature on under the name `mesh`.
  hir::MeshAttr functionMesh;
  for (const syntax::ValueRef &decorator : function_.decorators) {
    auto *opaque = decorator->as<syntax::Opaque>();
    if (!opaque || opaque->callee != "func")
      continue;
    for (const auto &[key, given] : opaque->keywords)
      if (key == "mesh" && !given->as<syntax::Value::NoneType>()) {
        Span place = opaque->place.tree == tree_ ? opaque->place.node.span() : definition.nameSpan();
        if (auto scope = reader().mesh(*given, place)) {
          scope->number = 0;
          scope->alias = "mesh";
          auto outer = composed();
          scope->composed = outer ? std::make_shared<layout::Mesh>(layout::compose(*outer, *scope->mesh)) : scope->mesh;
          functionMesh = hir::toMlir(&program_.context, *scope->mesh);
          scopes_.push_back(std::move(*scope));
          open_.push_back(0);
          bindScope("mesh", 0, definition);
          opensMesh_ = true;
        } else {
          refused_ = true;
        }
      }
  }
  if (scopes_.empty())
    scopes_.push_back({}); // number 0 stays the function's

  std::vector<std::string> names;
  std::vector<Node> parameters = definition.child(Role::Parameters) ? definition.child(Role::Parameters).childrenIn(Role::None) : std::vector<Node>();
  if (parameters.empty() && definition.child(Role::Parameters))
    for (Node parameter : definition.child(Role::Parameters).children())
      parameters.push_back(parameter);
  for (Node parameter : parameters) {
    std::string label(parameter.text());
    Node annotation = parameter.child(Role::Annotation);
    if (parameter.has(syntax::kStar) || parameter.has(syntax::kDoubleStar) || label == "*" || label == "/" || !annotation) {
      refuse(Code::BadType, parameter.span(), "a parameter of a schedule function needs a tensor type: `" + label + ": Tensor[shape, dtype]`");
      continue;
    }
    std::optional<Type> type;
    if (checkDims(annotation)) {
      syntax::ValueRef evaluated = evaluate(annotation, bareInAnnotations());
      size_t before = reader().sink.all().size();
      type = reader().annotation(*evaluated, annotation.span());
      refused_ |= !type || reader().sink.all().size() != before;
    }
    if (type)
      declared_.push_back(*type);
    if (type && bound && names.size() < bound->size() && accepts(*type, (*bound)[names.size()]))
      type = (*bound)[names.size()];
    names.push_back(label);
    if (!type) {
      environment_[label] = Poison{};
      continue;
    }
    Value argument = entry_->addArgument(hir::toMlir(&program_.context, *type), at(parameter.span()));
    setType(argument) = *type;
    environment_[label] = argument;
    note(parameter, *type);
  }

  builder_.setInsertionPointToEnd(entry_);
  Body done = block(body);
  if (!done.ends) {
    if (!refused_)
      refuse(Code::MissingReturn, definition.nameSpan(), "the body of `" + function_.name + "` must end in `return`");
    refused_ = true;
  }
  bool annotated = static_cast<bool>(definition.child(Role::Returns));
  if (done.returned && !refused_) {
    result_ = typeOf(done.returned);
    if (annotated) {
      Node annotation = definition.child(Role::Returns);
      syntax::ValueRef evaluated = evaluate(annotation, bareInAnnotations());
      if (!evaluated->as<syntax::Value::NoneType>()) {
        auto declared = reader().annotation(*evaluated, annotation.span());
        refused_ |= !declared;
        if (declared && !accepts(*declared, result_)) {
          refuse(Code::ReturnType, annotation.span(), "the body returns " + describe(result_) + ", the annotation says " + describe(*declared));
        }
      }
    }
    create<hir::ReturnOp>(definition.nameSpan(), done.returned);
  }
  if (!program_.openDims.empty())
    refused_ = true;
  if (refused_ || !done.returned || (!quiet_ && program_.sink.all().size() != errorsBefore && program_.sink.hasErrors())) {
    refused_ = true;
    region->dropAllReferences();
    return {};
  }
  builder_.setInsertionPointToEnd(program_.mlirModule.getBody());
  OperationState state(at(definition.nameSpan()), hir::FuncOp::getOperationName());
  state.addAttribute("symbol", builder_.getStringAttr(function_.name));
  state.addAttribute("module", builder_.getStringAttr(module_.name));
  state.addAttribute("parameterNames", strings(builder_, names));
  if (functionMesh)
    state.addAttribute("mesh", functionMesh);
  if (annotated)
    state.addAttribute("annotated", builder_.getUnitAttr());
  state.addRegion(std::move(region));
  return cast<hir::FuncOp>(builder_.create(state));
}

FunctionImporter::Body FunctionImporter::block(Node node) {
  Body body;
  for (Node child : node.children()) {
    if (body.ends) {
      refuse(Code::UnsupportedStatement, child.span(), "nothing may follow `return`");
      break;
    }
    statement(child, body);
  }
  return body;
}

void FunctionImporter::statement(Node statement, Body &body) {
  switch (statement.kind()) {
  case Kind::Pass:
    return;
  case Kind::Assign: {
    std::vector<Node> targets = statement.childrenIn(Role::Target);
    if (targets.size() != 1) {
      refuse(Code::UnsupportedStatement, statement.span(), "a chained assignment is not read in a schedule: write one name per statement");
      return;
    }
    assign(targets[0], statement.child(Role::Value), statement, body);
    return;
  }
  case Kind::AnnAssign: {
    if (!statement.child(Role::Value)) {
      refuse(Code::UnsupportedStatement, statement.span(), "an annotation without a value declares nothing here");
      return;
    }
    assign(statement.child(Role::Target), statement.child(Role::Value), statement, body);
    return;
  }
  case Kind::ExprStmt: {
    Node expression = statement.firstChild();
    if (expression.is(Kind::String) || expression.is(Kind::Ellipsis) || expression.is(Kind::StringConcat))
      return; // a docstring
    if (Value result = value(expression))
      body.last = result.getDefiningOp();
    return;
  }
  case Kind::For:
    return forLoop(statement, body);
  case Kind::With:
    return withMesh(statement, body);
  case Kind::Return:
    return returnValue(statement, body);
  case Kind::Error:
    refused_ = true; // the syntax error is reported already
    return;
  default:
    break;
  }
  if (statement.has(syntax::kHasError)) {
    refused_ = true;
    return;
  }
  Span head = statement.span();
  size_t newline = statement.source().find('\n');
  if (newline != std::string_view::npos)
    head.end = head.begin + static_cast<uint32_t>(newline);
  std::string what(syntax::name(statement.kind()));
  if (statement.is(Kind::AugAssign)) {
    Node target = statement.child(Role::Target), given = statement.child(Role::Value);
    auto &problem = refuse(Code::UnsupportedStatement, head, "an augmented assignment is not read in a schedule: values are named once");
    if (target.is(Kind::Name))
      problem.fixes.push_back({"write it out", {{statement.span(), std::string(target.text()) + " = " + std::string(target.text()) + " " + std::string(statement.text()) + " " + std::string(given.source())}}});
  } else {
    refuse(Code::UnsupportedStatement, head, "`" + what + "` is not read in a schedule: its body holds values, loops, mesh scopes and one return");
  }
}

void FunctionImporter::bind(Node name, Value value) {
  std::string label(name.text());
  environment_[label] = value;
  // A coordinate is one value however often it is read: its first name is its name.
  if (auto coordinate = value.getDefiningOp<hir::CoordinateOp>(); coordinate && hir::nameOf(coordinate).empty())
    hir::setName(coordinate, label, name.span());
  note(name, typeOf(value));
  if (Operation *op = value.getDefiningOp(); op && op->getBlock() == builder_.getInsertionBlock() && !isa<hir::ConstantOp, hir::CoordinateOp, hir::LoopOp, hir::MeshOp>(op))
    hir::setName(op, label, name.span());
}

ImportNotes *FunctionImporter::notes() const { return !quiet_ && &function_ == program_.functions.front().value ? program_.options.notes : nullptr; }

void FunctionImporter::note(Node name, const Type &type) {
  ImportNotes *all = notes();
  if (!all)
    return;
  ImportNotes::Name one{name.is(Kind::Parameter) ? name.nameSpan() : name.span(), type, {}};
  for (int number : open_)
    one.scopes.push_back({scopes_[static_cast<size_t>(number)].mesh, scopes_[static_cast<size_t>(number)].alias});
  all->names.push_back(std::move(one));
}

std::vector<std::shared_ptr<const layout::Mesh>> FunctionImporter::enclosing() const {
  std::vector<std::shared_ptr<const layout::Mesh>> all = callerScopes_;
  for (int number : open_)
    all.push_back(scopes_[static_cast<size_t>(number)].mesh);
  return all;
}

void FunctionImporter::poison(Node target) {
  std::vector<std::string> names;
  targetNames(target, names);
  for (const std::string &name : names)
    environment_[name] = Poison{};
}

void FunctionImporter::bindScope(std::string_view alias, int number, Node place) {
  syntax::Opaque named;
  named.callee = std::string(kScopePrefix) + std::to_string(number);
  named.place = {tree_, place};
  auto opaque = std::make_shared<syntax::Value>();
  opaque->data = std::move(named);
  environment_[std::string(alias)] = syntax::ValueRef(opaque);
}

void FunctionImporter::assign(Node target, Node given, Node statement, Body &body) {
  if (target.is(Kind::Tuple) || target.is(Kind::List)) {
    Value tuple = value(given);
    std::vector<Node> names;
    for (Node element : target.children())
      names.push_back(element);
    if (!tuple) {
      poison(target);
      return;
    }
    const Type &type = typeOf(tuple);
    if (!type.isTuple || type.fields.size() != names.size()) {
      refuse(Code::TupleArity, target.span(),
             type.isTuple ? std::to_string(names.size()) + " names for a tuple of " + std::to_string(type.fields.size()) : "the right side is one value, not a tuple");
      poison(target);
      return;
    }
    // Later statements may read the tuple by any of its parts; a producer that has no name yet is called after what it is.
    if (Operation *op = tuple.getDefiningOp(); op && hir::nameOf(op).empty()) {
      if (auto row = hir::tableOp(op)) {
        hir::setName(op, StringRef(spec(*row).mnemonic), {});
      } else if (isa<hir::CallOp>(op)) {
        std::string joined;
        for (Node element : names)
          joined += (joined.empty() ? "" : "__") + std::string(element.text());
        hir::setName(op, joined, {});
      }
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (!names[i].is(Kind::Name)) {
        refuse(Code::UnsupportedStatement, names[i].span(), "only names can be assigned here");
        continue;
      }
      Value part = item(tuple, static_cast<int64_t>(i), names[i].span());
      bind(names[i], part);
      body.last = part.getDefiningOp();
    }
    return;
  }
  if (!target.is(Kind::Name)) {
    refuse(Code::UnsupportedStatement, target.span(), "only names can be assigned in a schedule: a value cannot be changed in place");
    return;
  }
  std::string label(target.text());
  // Constants of the schedule: instructions, strings, meshes, layouts.
  bool runtimeForm = given.is(Kind::BinOp) || given.is(Kind::Name) || given.is(Kind::Subscript) || given.is(Kind::Tuple) || given.is(Kind::Integer) ||
                     given.is(Kind::Float) || given.is(Kind::UnaryOp) || given.is(Kind::Compare) || given.is(Kind::BoolOp) || given.is(Kind::Attribute) ||
                     given.form() == syntax::Form::OpCall;
  if (given.is(Kind::Name)) {
    auto found = environment_.find(given.text());
    if (found != environment_.end()) {
      // Another name for a value: the value keeps the one it has.
      if (auto *same = std::get_if<Value>(&found->second))
        body.last = same->getDefiningOp();
      Binding alias = found->second;
      environment_[label] = std::move(alias);
      return;
    }
  }
  bool constantForm = given.is(Kind::String) || given.is(Kind::FString) || given.is(Kind::StringConcat) || given.is(Kind::List) || given.is(Kind::Dict);
  if (given.is(Kind::Call) && given.form() != syntax::Form::OpCall) {
    Node callee = given.child(Role::Callee);
    bool known = callee.is(Kind::Name) && functionNamed(module_, callee.text());
    constantForm |= !known && given.form() != syntax::Form::Plain;
  }
  if (constantForm || !runtimeForm || given.is(Kind::BinOp) || given.is(Kind::Attribute) || given.is(Kind::Name) || given.is(Kind::Tuple)) {
    bool hasRuntimePart = false;
    std::map<std::string, std::vector<uint32_t>, std::less<>> inside;
    collectReads(given, false, inside);
    for (const auto &[read, places] : inside) {
      auto found = environment_.find(read);
      hasRuntimePart |= found != environment_.end() && !std::holds_alternative<syntax::ValueRef>(found->second);
    }
    if (!hasRuntimePart && !(given.is(Kind::Call) && given.child(Role::Callee).is(Kind::Name) && functionNamed(module_, given.child(Role::Callee).text()))) {
      syntax::ValueRef constant = evaluate(given);
      bool number = constant->number().has_value();
      auto *opaque = constant->as<syntax::Opaque>();
      bool dslCall = opaque && opaque->callee.rfind("tf.", 0) == 0;
      bool dimension = opaque && opaque->callee == "DimVar";
      bool axis = opaque && !opaque->called && opaque->callee.rfind(kScopePrefix, 0) == 0 && opaque->callee.find('.') != std::string::npos;
      bool arithmetic = constant->as<syntax::OpaqueOperation>() && given.is(Kind::BinOp) && given.text() != "|" && given.text() != "@";
      if (!number && !dslCall && !dimension && !axis && !arithmetic && !constant->isUnknown() && !constant->as<syntax::ModuleValue>() &&
          !constant->as<syntax::FunctionValue>()) {
        environment_[label] = constant;
        return;
      }
    }
  }
  // A window arithmetic assignment keeps being a window: `w = k + 8`.
  if (auto moved = window(given)) {
    environment_[label] = *moved;
    return;
  }
  Value result = value(given);
  if (!result) {
    environment_[label] = Poison{};
    return;
  }
  if (statement.is(Kind::AnnAssign)) {
    Node annotation = statement.child(Role::Annotation);
    auto declared = reader().annotation(*evaluate(annotation, Bare::TypeNames), annotation.span());
    refused_ |= !declared;
    if (declared && !accepts(*declared, typeOf(result)))
      refuse(Code::BadType, annotation.span(), "the value is " + describe(typeOf(result)) + ", the annotation says " + describe(*declared));
  }
  bind(target, result);
  // A subscript by an integer makes a window and drops its axis: both carry the name.
  if (Operation *op = result.getDefiningOp(); isa_and_nonnull<hir::ReshapeOp>(op) && given.is(Kind::Subscript))
    if (Operation *sliced = op->getOperand(0).getDefiningOp(); isa_and_nonnull<hir::SliceOp>(sliced) && hir::nameOf(sliced).empty())
      hir::setName(sliced, label, target.span());
  body.last = result.getDefiningOp();
}

void FunctionImporter::returnValue(Node statement, Body &body) {
  body.ends = true;
  Node given = statement.firstChild();
  if (!given) {
    refuse(Code::MissingReturn, statement.span(), "`return` needs a value");
    return;
  }
  body.returned = value(given);
  if (!body.returned)
    refused_ = true;
}

std::vector<std::string> FunctionImporter::captured(Node body, const std::set<std::string> &except) const {
  std::map<std::string, std::vector<uint32_t>, std::less<>> inside;
  for (Node child : body.children())
    collectReads(child, false, inside);
  std::map<std::string, uint32_t> boundAt; // where the region itself has bound a name
  firstBindings(body, boundAt);
  std::vector<std::string> names; // in alphabetical order, as the map gives them
  for (const auto &[read, places] : inside) {
    auto found = environment_.find(read);
    if (found == environment_.end() || except.count(read) || (!std::holds_alternative<Value>(found->second) && !std::holds_alternative<Window>(found->second)))
      continue;
    auto bound = boundAt.find(read);
    if (bound == boundAt.end() || *std::min_element(places.begin(), places.end()) < bound->second)
      names.push_back(read);
  }
  return names;
}

std::vector<Value> FunctionImporter::valuesOf(const std::vector<std::string> &captures) {
  std::vector<Value> values;
  for (const std::string &capture : captures) {
    const Binding &binding = environment_[capture];
    values.push_back(std::holds_alternative<Window>(binding) ? std::get<Window>(binding).start : std::get<Value>(binding));
  }
  return values;
}

Value FunctionImporter::argumentLike(Block &block, Value outside) {
  Value inside = block.addArgument(outside.getType(), outside.getLoc());
  setType(inside) = typeOf(outside);
  return inside;
}

void FunctionImporter::enterCaptures(Block &block, const std::vector<std::string> &captures, const std::vector<Value> &values) {
  for (size_t i = 0; i < captures.size(); ++i) {
    Value inside = argumentLike(block, values[i]);
    Binding &binding = environment_[captures[i]];
    if (auto *slice = std::get_if<Window>(&binding))
      slice->start = inside;
    else
      binding = inside;
  }
}

std::vector<std::string> FunctionImporter::assignedIn(Node block) const {
  std::vector<std::string> names;
  collectAssigned(block, names);
  return names;
}

bool FunctionImporter::readAfter(const std::string &name, uint32_t offset) const {
  auto found = reads_.find(name);
  return found != reads_.end() && !found->second.empty() && found->second.back() >= offset;
}

void FunctionImporter::forLoop(Node statement, Body &body) {
  Node target = statement.child(Role::Target), iter = statement.child(Role::Iter), inner = statement.child(Role::Block);
  Span head = statement.span();
  head.end = iter ? iter.span().end : head.end;
  if (!target.is(Kind::Name)) {
    refuse(Code::BadLoop, target.span(), "a loop has one variable");
    return;
  }
  if (statement.child(Role::Else))
    refuse(Code::UnsupportedStatement, head, "a loop of a schedule has no `else`");
  bool tile = statement.form() == syntax::Form::TileLoop;
  Node callee = iter.is(Kind::Call) ? iter.child(Role::Callee) : Node();
  if (!tile && !(callee.is(Kind::Name) && callee.text() == "range")) {
    refuse(Code::BadLoop, iter.span(), "a loop runs over `range(...)` or `tf.tile(...)`");
    return;
  }
  std::vector<Node> arguments = iter.childrenIn(Role::Argument);
  size_t least = tile ? 2 : 1;
  if (arguments.size() < least || arguments.size() > 3) {
    refuse(Code::BadLoop, iter.span(), tile ? "`tf.tile` takes (stop, step) or (start, stop, step)" : "`range` takes one to three arguments");
    return;
  }
  std::vector<std::optional<Dim>> bounds;
  for (Node argument : arguments) {
    if (argument.is(Kind::Keyword) || argument.is(Kind::Starred) || argument.is(Kind::DoubleStarred)) {
      refuse(Code::BadLoop, argument.span(), "loop bounds are given by position");
      return;
    }
    bounds.push_back(dim(argument));
    if (bounds.back() && bounds.back()->kind == Dim::Kind::Constant && bounds.back()->value) {
      // A number that a statement of the body named is a value of the program, not of the loop header.
      if (argument.is(Kind::BinOp)) {
        refuse(Code::BadLoop, argument.span(), "a loop bound cannot compute with a value named inside the function; name the constant outside it");
        return;
      }
    }
    if (!bounds.back())
      return;
  }
  Dim zero, one;
  one.constant = 1;
  Dim start = zero, stop = *bounds[0], step = one;
  if (tile && bounds.size() == 2) {
    step = *bounds[1];
  } else if (bounds.size() >= 2) {
    start = *bounds[0];
    stop = *bounds[1];
    if (bounds.size() == 3)
      step = *bounds[2];
  }
  if (step.kind != Dim::Kind::Constant || step.constant <= 0) {
    refuse(Code::BadLoop, arguments.back().span(), "the step of a loop must be a positive constant");
    return;
  }

  std::string variable(target.text());
  std::vector<std::string> carries;
  for (const std::string &assigned : assignedIn(inner)) {
    auto found = environment_.find(assigned);
    if (assigned != variable && found != environment_.end() && std::holds_alternative<Value>(found->second))
      carries.push_back(assigned);
  }
  std::set<std::string> except(carries.begin(), carries.end());
  except.insert(variable);
  std::vector<std::string> captures = captured(inner, except);

  Span at = iter.span();
  std::vector<Value> bound{emit(start, at), emit(stop, at), emit(step, at)};
  std::vector<Value> inits;
  for (const std::string &carry : carries)
    inits.push_back(std::get<Value>(environment_[carry]));
  std::vector<Value> captureValues = valuesOf(captures);

  auto region = std::make_unique<Region>();
  auto *blockInside = new Block();
  region->push_back(blockInside);
  Environment outside = environment_;
  Type inductionType = scalar(DType::I64, Storage::Umat);
  Value induction = blockInside->addArgument(hir::toMlir(&program_.context, inductionType), this->at(target.span()));
  setType(induction) = inductionType;
  for (size_t i = 0; i < carries.size(); ++i)
    environment_[carries[i]] = argumentLike(*blockInside, inits[i]);
  enterCaptures(*blockInside, captures, captureValues);
  if (tile)
    environment_[variable] = Window{induction, step.constant, {}, 0, false};
  else
    environment_[variable] = induction;
  note(target, inductionType);

  OpBuilder::InsertPoint before = builder_.saveInsertionPoint();
  builder_.setInsertionPointToEnd(blockInside);
  Body bodyInside = block(inner);
  if (bodyInside.ends)
    refuse(Code::UnsupportedStatement, head, "a loop cannot return from the function");
  std::vector<Value> yields;
  bool sound = true;
  for (size_t i = 0; i < carries.size(); ++i) {
    auto *next = std::get_if<Value>(&environment_[carries[i]]);
    if (!next) {
      sound = false;
      continue;
    }
    if (!accepts(typeOf(inits[i]), typeOf(*next))) {
      refuse(Code::LoopCarryType, head, "`" + carries[i] + "` enters the loop as " + describe(typeOf(inits[i])) + " and leaves a trip as " + describe(typeOf(*next)));
      sound = false;
    }
    yields.push_back(*next);
  }
  if (sound)
    create<hir::YieldOp>(head, ValueRange(yields));
  if (bodyInside.last && bodyInside.last->getBlock() == blockInside)
    bodyInside.last->setAttr("kept", builder_.getUnitAttr());
  builder_.restoreInsertionPoint(before);
  environment_ = std::move(outside);
  if (!sound || bodyInside.ends) {
    region->dropAllReferences();
    refused_ = true;
    for (const std::string &carry : carries)
      environment_[carry] = Poison{};
    return;
  }

  if (!tile)
    tile = startsWindows(induction, step.constant);

  OperationState state(this->at(head), hir::LoopOp::getOperationName());
  std::vector<Value> operands = bound;
  operands.insert(operands.end(), inits.begin(), inits.end());
  operands.insert(operands.end(), captureValues.begin(), captureValues.end());
  state.addOperands(operands);
  state.addAttribute("operandSegmentSizes", builder_.getDenseI32ArrayAttr({3, static_cast<int32_t>(inits.size()), static_cast<int32_t>(captures.size())}));
  state.addAttribute("variable", builder_.getStringAttr(variable));
  state.addAttribute("carryNames", strings(builder_, carries));
  state.addAttribute("captureNames", strings(builder_, captures));
  if (tile)
    state.addAttribute("tile", builder_.getUnitAttr());
  for (Value init : inits)
    state.types.push_back(init.getType());
  state.addRegion(std::move(region));
  Operation *loop = builder_.create(state);
  hir::setName(loop, variable, target.span());
  for (size_t i = 0; i < carries.size(); ++i) {
    setType(loop->getResult(static_cast<unsigned>(i))) = typeOf(inits[i]);
    environment_[carries[i]] = loop->getResult(static_cast<unsigned>(i));
  }
  body.last = loop;
}

void FunctionImporter::withMesh(Node statement, Body &body) {
  std::vector<Node> items = statement.childrenIn(Role::Item);
  Node inner = statement.child(Role::Block);
  Span head = statement.span();
  if (!items.empty())
    head.end = items.back().span().end;
  if (items.size() != 1) {
    refuse(Code::BadMesh, head, "a mesh scope opens one mesh: nest the scopes");
    return;
  }
  Node context = items[0].child(Role::Value), alias = items[0].child(Role::Target);
  // A mesh layout is a tuple of extents as written: a name that holds one is not read.
  if (context.is(Kind::Call))
    for (Node argument : context.childrenIn(Role::Argument))
      if (argument.is(Kind::Keyword) && argument.text() == "layout") {
        Node stated = argument.firstChild();
        if (stated.is(Kind::Name) && !environment_.count(stated.text())) {
          refuse(Code::BadMesh, stated.span(), "a mesh layout is written as a tuple of extents; `" + std::string(stated.text()) + "` only names one");
          return;
        }
        if (!checkDims(stated))
          return;
      }
  syntax::ValueRef evaluated = evaluate(context);
  size_t before = reader().sink.all().size();
  auto scope = reader().mesh(*evaluated, context.span());
  if (!scope || reader().sink.all().size() != before) {
    refused_ = true;
    return;
  }
  auto outer = composed();
  if (outer) {
    if (std::string wrong = layout::replacementProblem(*outer, *scope->mesh); !wrong.empty()) {
      refuse(Code::BadMesh, context.span(), std::move(wrong));
      return;
    }
  }
  scope->number = static_cast<int>(scopes_.size());
  scope->alias = alias.is(Kind::Name) ? std::string(alias.text()) : std::string();
  scope->composed = outer ? std::make_shared<layout::Mesh>(layout::compose(*outer, *scope->mesh)) : scope->mesh;
  int number = scope->number;
  MeshScope opened = *scope;
  scopes_.push_back(std::move(*scope));

  std::vector<std::string> assigned = assignedIn(inner);
  std::set<std::string> except;
  if (alias.is(Kind::Name))
    except.insert(std::string(alias.text()));
  std::vector<std::string> captures = captured(inner, except);
  std::vector<Value> captureValues = valuesOf(captures);
  Environment outside = environment_;
  auto region = std::make_unique<Region>();
  auto *blockInside = new Block();
  region->push_back(blockInside);
  enterCaptures(*blockInside, captures, captureValues);
  if (alias.is(Kind::Name))
    bindScope(alias.text(), number, alias);
  open_.push_back(number);
  OpBuilder::InsertPoint point = builder_.saveInsertionPoint();
  builder_.setInsertionPointToEnd(blockInside);
  Body bodyInside = block(inner);
  open_.pop_back();

  // What leaves the scope: a returned value, or the names that later statements can see.
  std::vector<std::string> escapes;
  std::vector<Value> yields;
  Environment inside = std::move(environment_);
  environment_ = std::move(outside);
  if (bodyInside.returned) {
    yields.push_back(bodyInside.returned);
    escapes.push_back("");
  } else {
    for (const std::string &name : assigned) {
      auto known = environment_.find(name);
      bool visible = known != environment_.end() && !std::holds_alternative<syntax::ValueRef>(known->second);
      if (!visible && !readAfter(name, statement.span().end))
        continue;
      Binding &now = inside[name];
      if (auto *result = std::get_if<Value>(&now)) {
        escapes.push_back(name);
        yields.push_back(*result);
      } else {
        environment_[name] = now;
      }
    }
  }
  create<hir::YieldOp>(head, ValueRange(yields));
  if (bodyInside.last && bodyInside.last->getBlock() == blockInside && yields.empty())
    bodyInside.last->setAttr("kept", builder_.getUnitAttr());
  builder_.restoreInsertionPoint(point);

  OperationState state(at(head), hir::MeshOp::getOperationName());
  state.addOperands(captureValues);
  state.addAttribute("mesh", hir::toMlir(&program_.context, *opened.mesh));
  state.addAttribute("scope", builder_.getI64IntegerAttr(number));
  state.addAttribute("alias", builder_.getStringAttr(opened.alias));
  state.addAttribute("captureNames", strings(builder_, captures));
  state.addAttribute("resultNames", strings(builder_, escapes));
  if (opened.selectedFrom >= 0)
    state.addAttribute("selectedFrom", builder_.getI64IntegerAttr(opened.selectedFrom));
  if (opened.relaid)
    state.addAttribute("relaid", builder_.getUnitAttr());
  for (Value result : yields)
    state.types.push_back(result.getType());
  state.addRegion(std::move(region));
  Operation *mesh = builder_.create(state);
  for (size_t i = 0; i < yields.size(); ++i) {
    Value result = mesh->getResult(static_cast<unsigned>(i));
    setType(result) = typeOf(yields[i]);
    if (bodyInside.returned)
      body.returned = result;
    else
      environment_[escapes[i]] = result;
  }
  body.ends = bodyInside.ends;
  body.last = mesh;
}

} // namespace tilewright::ir
