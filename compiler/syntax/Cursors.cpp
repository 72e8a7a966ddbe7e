// Iteration: over every value that Python iterates, and over generator expressions.
#include "syntax/Interpreter.h"

namespace tilewright::syntax {

namespace {

struct SequenceCursor final : Cursor {
  ValueRef value;
  size_t at = 0;
  SequenceCursor(ValueRef value, std::string_view name) : value(std::move(value)) { kind = name; }
  ValueRef next(Interpreter &) override {
    const auto *elements = value->sequence();
    if (!elements) // it became unknown while it was walked
      throw Undetermined{value};
    return at < elements->size() ? (*elements)[at++] : nullptr;
  }
  std::optional<uint64_t> left() const override {
    const auto *elements = value->sequence();
    return elements && at < elements->size() ? elements->size() - at : 0;
  }
};

struct ListCursor final : Cursor {
  List elements;
  size_t at = 0;
  ListCursor(List elements, std::string_view name) : elements(std::move(elements)) { kind = name; }
  ValueRef next(Interpreter &) override { return at < elements.size() ? elements[at++] : nullptr; }
  std::optional<uint64_t> left() const override { return elements.size() - at; }
};

struct RangeCursor final : Cursor {
  Value::Range range;
  uint64_t count, at = 0;
  RangeCursor(Value::Range range, uint64_t count) : range(range), count(count) { kind = "range_iterator"; }
  ValueRef next(Interpreter &) override {
    if (at == count)
      return nullptr;
    return makeInt(static_cast<int64_t>(range.start + static_cast<__int128>(at++) * range.step));
  }
  std::optional<uint64_t> left() const override { return count - at; }
};

struct DictCursor final : Cursor {
  ValueRef dict;
  Value::View::Part part;
  size_t at = 0, size;
  DictCursor(ValueRef dict, Value::View::Part part) : dict(std::move(dict)), part(part), size(this->dict->as<Value::Dict>()->items.size()) {
    kind = part == Value::View::Keys ? "dict_keyiterator" : part == Value::View::Values ? "dict_valueiterator" : "dict_itemiterator";
  }
  ValueRef next(Interpreter &interpreter) override {
    const auto *items = dict->as<Value::Dict>();
    if (!items)
      throw Undetermined{dict};
    if (items->items.size() != size)
      interpreter.raise("RuntimeError", "dictionary changed size during iteration");
    if (at >= size)
      return nullptr;
    const auto &[key, value] = items->items[at++];
    return part == Value::View::Keys ? key : part == Value::View::Values ? value : interpreter.pair(key, value);
  }
  std::optional<uint64_t> left() const override { return size - at; }
};

struct MethodCursor final : Cursor { // an object with __next__
  ValueRef method;
  explicit MethodCursor(ValueRef method) : method(std::move(method)) {}
  ValueRef next(Interpreter &interpreter) override {
    try {
      return interpreter.call(method, List{});
    } catch (Raised &raised) {
      if (interpreter.isSubclass(raised.exception->as<InstanceValue>()->type, interpreter.builtinNamed("StopIteration")))
        return nullptr;
      throw;
    }
  }
};

} // namespace

/// One activation of a generator expression, resumed for each element.
class ComprehensionCursor final : public Cursor {
public:
  ComprehensionCursor(Interpreter &interpreter, Node node, ValueRef first) : node_(node), clauses_(node.childrenIn(Role::Clause)) {
    kind = "generator";
    frame_ = *interpreter.frame;
    frame_.caller = nullptr;
    frame_.yields = nullptr;
    auto scope = std::make_shared<Scope>();
    scope->parent = interpreter.frame->scope;
    scope->owner = interpreter.id;
    interpreter.keeper->scopes.push_back(scope);
    interpreter.keeper->scopes.push_back(interpreter.frame->scope);
    frame_.scope = std::move(scope);
    levels_.push_back(interpreter.iterate(first));
  }
  ValueRef next(Interpreter &interpreter) override {
    if (running_)
      interpreter.raise("ValueError", "generator already executing");
    struct Resume {
      Interpreter &interpreter;
      Frame *before;
      bool &running;
      ~Resume() {
        interpreter.frame = before;
        running = false;
      }
    } resume{interpreter, interpreter.frame, running_};
    Nested nested(interpreter);
    running_ = true;
    frame_.caller = interpreter.frame;
    interpreter.frame = &frame_;
    while (!levels_.empty()) {
      interpreter.step();
      Node clause = clauses_[levels_.size() - 1];
      ValueRef element = levels_.back()->next(interpreter);
      if (!element) {
        levels_.pop_back();
        continue;
      }
      interpreter.assign(clause.child(Role::Target), element);
      bool passes = true;
      for (Node child : clause.children())
        if (child.role() == Role::Test && !interpreter.truth(interpreter.eval(child))) {
          passes = false;
          break;
        }
      if (!passes)
        continue;
      if (levels_.size() == clauses_.size())
        return interpreter.eval(node_.child(Role::Value));
      levels_.push_back(interpreter.iterate(interpreter.eval(clauses_[levels_.size()].child(Role::Iter))));
    }
    return nullptr;
  }

private:
  Node node_;
  std::vector<Node> clauses_;
  Frame frame_;
  std::vector<CursorRef> levels_;
  bool running_ = false;
};

CursorRef Interpreter::comprehensionCursor(Node node, ValueRef first) { return std::make_shared<ComprehensionCursor>(*this, node, std::move(first)); }

void Interpreter::runClauses(const std::vector<Node> &clauses, size_t at, ValueRef first, const std::function<void()> &body) {
  Node clause = clauses[at];
  Node target = clause.child(Role::Target);
  auto cursor = iterate(at == 0 ? first : eval(clause.child(Role::Iter)));
  while (ValueRef element = cursor->next(*this)) {
    step();
    assign(target, element);
    bool passes = true;
    for (Node child : clause.children())
      if (child.role() == Role::Test && !truth(eval(child))) {
        passes = false;
        break;
      }
    if (!passes)
      continue;
    if (at + 1 == clauses.size())
      body();
    else
      runClauses(clauses, at + 1, nullptr, body);
  }
}

void Interpreter::runComprehension(Node node, const std::function<void()> &body) {
  std::vector<Node> clauses = node.childrenIn(Role::Clause);
  if (clauses.empty())
    unknown(describe(node) + " is not evaluated");
  ValueRef first = eval(clauses[0].child(Role::Iter)); // outside the comprehension's own scope
  struct Inner {
    Frame &frame;
    std::shared_ptr<Scope> before;
    ~Inner() { frame.scope = std::move(before); }
  } inner{*frame, frame->scope};
  auto scope = std::make_shared<Scope>();
  scope->parent = frame->scope;
  scope->owner = id;
  frame->scope = std::move(scope);
  runClauses(clauses, 0, first, body);
}

CursorRef Interpreter::iterate(const ValueRef &value) {
  if (value->isUnknown())
    throw Undetermined{value};
  if (const auto *iterator = value->as<Iterator>()) {
    if (value->owner != id)
      unknown("an iterator made while the file was read is not advanced here");
    return iterator->cursor;
  }
  if (value->as<Value::ListOf>())
    return std::make_shared<SequenceCursor>(value, "list_iterator");
  if (value->as<Value::Tuple>())
    return std::make_shared<SequenceCursor>(value, "tuple_iterator");
  if (const auto *range = value->as<Value::Range>())
    return std::make_shared<RangeCursor>(*range, *length(value));
  if (value->as<Value::Dict>())
    return std::make_shared<DictCursor>(value, Value::View::Keys);
  if (const auto *view = value->as<Value::View>())
    return std::make_shared<DictCursor>(view->dict, view->part);
  if (value->as<Value::SetOf>())
    return std::make_shared<ListCursor>(setOrder(value), "set_iterator");
  if (const auto *string = value->string()) {
    charge(string->size());
    List characters;
    if (isAscii(*string))
      for (char c : *string)
        characters.push_back(makeString(std::string(1, c)));
    else
      for (char32_t c : decode(*string))
        characters.push_back(makeString(encode(std::u32string(1, c))));
    return std::make_shared<ListCursor>(std::move(characters), "str_iterator");
  }
  if (const auto *type = value->as<ClassValue>(); type && type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum)
    return std::make_shared<ListCursor>(type->elements, "generator");
  if (value->as<InstanceValue>()) {
    if (auto method = special(value, "__iter__")) {
      ValueRef result = call(method, List{});
      if (auto next = result->as<InstanceValue>() ? special(result, "__next__") : nullptr)
        return std::make_shared<MethodCursor>(next);
      return iterate(result);
    }
    if (special(value, "__getitem__"))
      unknown("iteration by `__getitem__` is not evaluated");
  }
  if (isOpaque(*value))
    unknown("the elements of " + repr(*value, 40) + " are not known");
  raise("TypeError", "'" + std::string(typeName(*value)) + "' object is not iterable");
}

List Interpreter::items(const ValueRef &value) {
  auto cursor = iterate(value);
  List elements;
  if (auto left = cursor->left()) {
    checkElements(*left);
    charge(*left / 4);
    elements.reserve(*left);
  }
  while (ValueRef next = cursor->next(*this)) {
    step();
    checkElements(elements.size() + 1);
    elements.push_back(std::move(next));
  }
  return elements;
}

std::optional<uint64_t> Interpreter::length(const ValueRef &value) {
  if (value->isUnknown())
    throw Undetermined{value};
  if (const auto *string = value->string()) {
    charge(string->size() / 64);
    uint64_t count = 0;
    for (char c : *string)
      count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return count;
  }
  if (const auto *elements = value->sequence())
    return elements->size();
  if (const auto *set = value->as<Value::SetOf>())
    return set->elements.size();
  if (const auto *dict = value->as<Value::Dict>())
    return dict->items.size();
  if (const auto *view = value->as<Value::View>())
    return length(view->dict);
  if (const auto *range = value->as<Value::Range>()) {
    __int128 span = range->step > 0 ? static_cast<__int128>(range->stop) - range->start : static_cast<__int128>(range->start) - range->stop;
    __int128 pace = range->step > 0 ? static_cast<__int128>(range->step) : -static_cast<__int128>(range->step);
    return span > 0 ? static_cast<uint64_t>((span - 1) / pace + 1) : 0;
  }
  if (const auto *type = value->as<ClassValue>(); type && type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum)
    return type->elements.size();
  if (value->as<InstanceValue>())
    if (auto method = special(value, "__len__")) {
      ValueRef result = call(method, List{});
      int64_t size = index(result, "'__len__' must return an integer, not ");
      if (size < 0)
        raise("ValueError", "__len__() should return >= 0");
      return static_cast<uint64_t>(size);
    }
  if (isOpaque(*value))
    unknown("the length of " + repr(*value, 40) + " is not known");
  return std::nullopt;
}

} // namespace tilewright::syntax
