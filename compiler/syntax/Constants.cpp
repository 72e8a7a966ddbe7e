// Entry points of the evaluator: a file's items in order, one expression, and the limits.
#include "syntax/Interpreter.h"
#include "support/Codes.h"

#include <atomic>
#include <unordered_map>
#include <unordered_set>

namespace tilewright::syntax {

static std::atomic<uint64_t> evaluations{1};

Interpreter::Interpreter(const Limits &limits, const CancelToken *cancel) : id(evaluations++), limits_(limits), cancel_(cancel) {
  poll_ = std::min<uint64_t>(1024, limits_.steps);
}

// ---- limits and errors

void Interpreter::pollLimits() {
  if (steps_ > limits_.steps)
    limit(Code::StepLimit, "evaluating the constants of this file takes more than " + std::to_string(limits_.steps) + " steps, the limit");
  if (cancel_ && cancel_->raised())
    throw Cancelled{};
  poll_ = std::min(steps_ + 1024, limits_.steps + 1);
}

void Interpreter::limitSteps(uint64_t more) {
  limits_.steps = more;
  poll_ = std::min(steps_ + 1024, limits_.steps + 1);
}

void Interpreter::charge(uint64_t work) {
  steps_ += std::min(work, limits_.steps + 1);
  if (steps_ >= poll_)
    pollLimits();
}

void Interpreter::checkElements(uint64_t count) {
  if (count > limits_.elements)
    limit(Code::SizeLimit, (count == UINT64_MAX ? std::string("a string or collection") : "a string or collection of " + std::to_string(count) + " elements") +
                               " exceeds " + std::to_string(limits_.elements) + ", the limit for constants");
}

void Interpreter::checkBits(uint64_t bits) {
  if (bits > limits_.integerBits)
    limit(Code::SizeLimit, (bits == UINT64_MAX ? std::string("an integer") : "an integer of about " + std::to_string(bits) + " bits") + " exceeds " +
                               std::to_string(limits_.integerBits) + " bits, the limit for constants");
}

/// What leaving an expression by a C++ exception costs, in steps: an endless loop whose body is refused each time has to end as soon as another.
static constexpr uint64_t kThrowWork = 50;

void Interpreter::raise(std::string_view type, std::string message) {
  charge(kThrowWork);
  throw Raised{exception(type, std::move(message)), here()};
}
void Interpreter::raiseValue(ValueRef value) { throw Raised{std::move(value), here()}; }
void Interpreter::limit(Code code, std::string reason) { throw LimitHit{code, std::move(reason), here()}; }

ValueRef Interpreter::unknownHere(std::string reason) {
  ++doubts_;
  return makeUnknown(std::move(reason), here());
}
void Interpreter::unknown(std::string reason) {
  charge(kThrowWork);
  throw Undetermined{unknownHere(std::move(reason))};
}

/// `ZeroDivisionError: integer division or modulo by zero`, as a message of ours.
static std::string describeException(const ValueRef &exception) {
  std::string text = "`" + std::string(typeName(*exception)) + "`";
  const auto *instance = exception->as<InstanceValue>();
  auto arguments = instance ? instance->fields.find("args") : decltype(instance->fields.end()){};
  if (instance && arguments != instance->fields.end())
    if (const auto *list = arguments->second->sequence(); list && !list->empty())
      text += ": " + (list->front()->string() ? list->front()->string()->substr(0, 200) : repr(*list->front(), 200));
  return text;
}

static ValueRef unknownOf(Code code, std::string reason, Place place) {
  auto value = std::make_shared<Value>(Unknown{std::move(reason), std::move(place), code});
  return value;
}

// ---- a file

namespace {

/// Which item a tree belongs to: an error inside a function is reported where the function stands.
struct Items {
  std::unordered_map<const Tree *, size_t> of;
  explicit Items(const File &file) {
    for (size_t i = 0; i < file.items.size(); ++i)
      of.emplace(file.items[i].tree.get(), i);
  }
};

std::string stem(const File &file) {
  std::string name = file.source ? file.source->path() : "";
  name = name.substr(name.find_last_of('/') + 1);
  return name.substr(0, name.rfind('.'));
}

} // namespace

Evaluation evaluate(const File &file, const CancelToken &cancel, const Limits &limits) {
  Evaluation out;
  out.diagnostics.resize(file.items.size());
  Interpreter interpreter(limits, &cancel);
  auto keeper = std::make_shared<Keeper>();
  out.scopes = keeper;
  out.globals = std::make_shared<Scope>();
  out.globals->owner = interpreter.id;
  out.globals->names.emplace("__name__", makeString(stem(file)));
  out.globals->names.emplace("__file__", makeUnknown("`__file__` is not evaluated", {}));
  out.globals->names.emplace("__doc__", makeUnknown("`__doc__` is not evaluated", {}));
  for (const Item &item : file.items)
    out.globals->broken |= !item.tree->diagnostics.empty() || (!item.tree->nodes.empty() && item.tree->root().has(kHasError));
  keeper->scopes.push_back(out.globals);
  interpreter.keeper = keeper;
  interpreter.out = &out;
  Frame frame;
  frame.scope = out.globals;
  frame.home = out.globals.get();
  interpreter.frame = &frame;
  Items items(file);

  auto report = [&](size_t item, Code code, std::string message, const Place &place) {
    size_t owner = item;
    Span span = file.items[item].tree->nodes.empty() ? Span{} : file.items[item].tree->root().span();
    if (auto found = place.tree ? items.of.find(place.tree.get()) : items.of.end(); found != items.of.end() && place.node) {
      owner = found->second;
      span = place.node.span();
      if (owner != item) // raised in a function that this item calls
        message += "; reached from " + describe(file.items[item].tree->root());
    }
    out.diagnostics[owner].push_back({code, info(code).severity, span, std::move(message), {}, {}});
  };

  std::optional<ValueRef> stopped; // a limit of the whole file: nothing after it is evaluated
  for (size_t i = 0; i < file.items.size(); ++i) {
    const auto &tree = file.items[i].tree;
    if (tree->nodes.empty())
      continue;
    Node statement = tree->root();
    frame.tree = tree;
    frame.scope = out.globals;
    frame.handled = nullptr;
    interpreter.frame = &frame;
    interpreter.item = i;
    interpreter.at = statement;
    interpreter.nesting = interpreter.calls = interpreter.handlers = 0;
    ValueRef reason;
    try {
      if (!stopped) {
        interpreter.exec(statement);
        continue;
      }
      reason = *stopped;
    } catch (Raised &raised) {
      std::string what = describeException(raised.exception);
      report(i, Code::ConstantError, what, raised.place);
      if (!out.raised)
        out.raised = i;
      reason = unknownOf(Code::ConstantError, "the statement that gives it raises " + what, raised.place);
    } catch (LimitHit &hit) {
      report(i, hit.code, hit.reason, hit.place);
      if (!out.raised)
        out.raised = i;
      reason = unknownOf(hit.code, hit.reason, hit.place);
      if (hit.code == Code::StepLimit)
        stopped = reason;
    } catch (Cancelled &) {
      return out;
    }
    // The names this statement would have bound are unknown, for the reason just given.
    interpreter.frame = &frame;
    frame.scope = out.globals;
    frame.tree = tree;
    interpreter.nesting = interpreter.calls = interpreter.handlers = 0;
    try {
      interpreter.limitSteps(UINT64_MAX / 2);
      interpreter.poison(statement, reason);
    } catch (Cancelled &) {
      return out;
    } catch (LimitHit &) {
    } catch (Raised &) {
    } catch (Undetermined &) {
    }
    interpreter.limitSteps(limits.steps);
  }
  return out;
}

// ---- one expression

namespace {

/// Looks for values that lead to a scope which evaluation `id` made, other than `root`.
struct ScopeSearch {
  uint64_t id;
  const Scope *root;
  std::unordered_set<const Value *> seen; // shared parts are read once
  int depth = 0;

  bool any(const List &list) {
    for (const ValueRef &element : list)
      if (in(element))
        return true;
    return false;
  }
  bool in(const ValueRef &value) {
    if (!value || value->owner != id || !seen.insert(value.get()).second)
      return false;
    struct Deeper {
      int &depth;
      explicit Deeper(int &depth) : depth(depth) { ++depth; }
      ~Deeper() { --depth; }
    } deeper(depth);
    if (depth > 2 * static_cast<int>(kDeepestValue))
      return true;
    if (value->as<ClassValue>() || value->as<ModuleValue>() || value->as<Iterator>())
      return true;
    if (const auto *function = value->as<FunctionValue>())
      return function->closure.get() != root || any(function->defaults);
    if (const auto *elements = value->sequence())
      return any(*elements);
    if (const auto *set = value->as<Value::SetOf>())
      return any(set->elements);
    if (const auto *operation = value->as<OpaqueOperation>())
      return any(operation->operands);
    if (const auto *method = value->as<BoundMethod>())
      return in(method->self) || in(method->function);
    if (const auto *opaque = value->as<Opaque>()) {
      for (const auto &[name, argument] : opaque->keywords)
        if (in(argument))
          return true;
      return any(opaque->arguments);
    }
    if (const auto *dict = value->as<Value::Dict>()) {
      for (const auto &[key, held] : dict->items)
        if (in(key) || in(held))
          return true;
    } else if (const auto *instance = value->as<InstanceValue>()) {
      for (const auto &[name, field] : instance->fields)
        if (in(field))
          return true;
      return in(instance->type);
    }
    return false;
  }
};

} // namespace

ValueRef evaluateExpression(Node expression, const std::shared_ptr<const Tree> &tree, const std::shared_ptr<Scope> &scope,
                            const std::function<ValueRef(std::string_view)> &local, const Limits &limits) {
  if (!expression)
    return makeUnknown("there is no expression", {tree, expression});
  // The most frequent expressions need no interpreter.
  if (expression.is(Kind::Integer) && expression.text().size() < 18 && expression.text().find_first_not_of("0123456789") == std::string_view::npos &&
      (expression.text().size() == 1 || expression.text()[0] != '0')) {
    int64_t value = 0;
    for (char c : expression.text())
      value = value * 10 + (c - '0');
    return makeInt(value);
  }
  if (expression.is(Kind::Name)) {
    if (local)
      if (ValueRef value = local(expression.text()))
        return value;
    if (scope)
      if (ValueRef value = scope->find(expression.text()))
        return value;
  }
  Interpreter interpreter(limits, nullptr);
  auto keeper = std::make_shared<Keeper>();
  interpreter.keeper = keeper;
  auto inner = std::make_shared<Scope>();
  inner->parent = scope;
  inner->owner = interpreter.id;
  interpreter.local = local ? &local : nullptr;
  interpreter.expression = inner.get();
  Frame frame;
  frame.scope = inner;
  frame.home = inner.get();
  frame.tree = tree;
  interpreter.frame = &frame;
  interpreter.at = expression;
  ValueRef result;
  try {
    result = interpreter.eval(expression);
  } catch (Raised &raised) {
    result = unknownOf(Code::ConstantError, describeException(raised.exception), raised.place);
  } catch (LimitHit &hit) {
    result = unknownOf(hit.code, hit.reason, hit.place);
  } catch (Undetermined &undetermined) {
    result = undetermined.unknown;
  } catch (Cancelled &) {
    result = makeUnknown("cancelled", {tree, expression});
  }
  // Scopes made here are emptied now, so nothing that needs them leaves.
  if (!keeper->scopes.empty() && ScopeSearch{interpreter.id, inner.get(), {}, 0}.in(result))
    result = makeUnknown(describe(expression) + " makes a function or class, which is not kept", {tree, expression});
  return result;
}

} // namespace tilewright::syntax
