// Truth, identity, equality, order and hashes; dicts and sets, which are built on them.
#include "syntax/Interpreter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewright::syntax {

bool Interpreter::truth(const ValueRef &value) {
  if (value->isUnknown())
    throw Undetermined{value};
  if (const auto *truth = value->as<bool>())
    return *truth;
  if (isOpaque(*value))
    unknown("the truth of " + repr(*value, 40) + " is not known");
  if (value->as<InstanceValue>()) {
    if (auto method = special(value, "__bool__"))
      return truth(call(method, List{}));
    if (auto method = special(value, "__len__"))
      return truth(call(method, List{}));
  }
  if (auto numeric = number(*value))
    return numeric->kind == Number::Float ? numeric->real != 0 : numeric->kind == Number::Big || numeric->small != 0;
  if (isNone(value))
    return false;
  if (value->as<ClassValue>() || value->as<InstanceValue>() || value->as<Iterator>())
    return true;
  if (auto size = length(value))
    return *size != 0;
  return true;
}

bool Interpreter::same(const Value &a, const Value &b) {
  if (&a == &b)
    return true;
  if (a.data.index() != b.data.index())
    return false;
  // Values that exist once in Python although we make several.
  if (a.as<Value::NoneType>() || a.as<Value::EllipsisType>())
    return true;
  if (const auto *truth = a.as<bool>())
    return *truth == *b.as<bool>();
  if (const auto *builtin = a.as<Builtin>())
    return builtin->name == b.as<Builtin>()->name;
  if (const auto *small = a.as<int64_t>())
    return *small == *b.as<int64_t>() && *small >= -5 && *small <= 256;
  if (const auto *opaque = a.as<Opaque>())
    return !opaque->called && !b.as<Opaque>()->called && opaque->callee == b.as<Opaque>()->callee;
  return false;
}

static int compareNumbers(const Number &a, const Number &b, bool &ordered) {
  ordered = true;
  auto sign = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.kind == Number::Small && b.kind == Number::Small)
    return sign(a.small, b.small);
  if (a.kind == Number::Float && b.kind == Number::Float) {
    ordered = !std::isnan(a.real) && !std::isnan(b.real);
    return sign(a.real, b.real);
  }
  if (a.kind == Number::Float)
    return -compareNumbers(b, a, ordered);
  if (b.kind == Number::Float) { // exactly: an int against a float
    if (std::isnan(b.real)) {
      ordered = false;
      return 1;
    }
    if (std::isinf(b.real))
      return b.real > 0 ? -1 : 1;
    double whole = std::floor(b.real);
    BigInt x = a.wide(), y = BigInt::fromDouble(whole);
    auto order = x <=> y;
    if (order != 0)
      return order < 0 ? -1 : 1;
    return whole < b.real ? -1 : 0;
  }
  auto order = a.wide() <=> b.wide();
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool Interpreter::equals(const ValueRef &a, const ValueRef &b) {
  step();
  if (a.get() == b.get() && !a->isUnknown()) {
    const auto *real = a->as<double>();
    return !real || !std::isnan(*real);
  }
  if (a->isUnknown())
    throw Undetermined{a};
  if (b->isUnknown())
    throw Undetermined{b};
  Nested nested(*this);
  auto x = number(*a), y = number(*b);
  if (x && y) {
    bool ordered;
    return compareNumbers(*x, *y, ordered) == 0 && ordered;
  }
  if (a->string() && b->string())
    return *a->string() == *b->string();
  if (a->as<InstanceValue>() || b->as<InstanceValue>()) {
    for (const auto &[self, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
      if ((*self)->as<InstanceValue>())
        if (auto method = special(*self, "__eq__")) {
          ValueRef result = call(method, List{*other});
          if (const auto *builtin = result->as<Builtin>(); !builtin || builtin->name != "NotImplemented")
            return truth(result);
        }
    auto plainText = [](const ValueRef &value) -> const std::string * {
      if (const auto *instance = value->as<InstanceValue>())
        if (const auto *type = instance->type->as<ClassValue>(); type && type->flavor == ClassValue::Flavor::StrEnum)
          return instance->fields.at("value")->string();
      return value->string();
    };
    if (const auto *s = plainText(a))
      if (const auto *t = plainText(b))
        return *s == *t;
    const auto *p = a->as<InstanceValue>(), *q = b->as<InstanceValue>();
    if (!p || !q || p->type != q->type)
      return isOpaque(*a) || isOpaque(*b) ? (unknown("whether " + repr(*a, 40) + " equals " + repr(*b, 40) + " is not known"), false) : false;
    const auto *type = p->type->as<ClassValue>();
    if (!type || type->flavor != ClassValue::Flavor::Dataclass || !type->comparable)
      return false;
    for (const auto &field : type->fields) {
      auto left = p->fields.find(field.name), right = q->fields.find(field.name);
      if (field.compared && (left == p->fields.end() || right == q->fields.end() || !equals(left->second, right->second)))
        return false;
    }
    return true;
  }
  if (isOpaque(*a) || isOpaque(*b)) {
    if (same(*a, *b))
      return true;
    if (isNone(a) || isNone(b))
      return false;
    unknown("whether " + repr(*a, 40) + " equals " + repr(*b, 40) + " is not known");
  }
  if (const auto *left = a->as<Value::View>(); left && left->part != Value::View::Values)
    return equals(setOf(items(a)), b);
  if (const auto *right = b->as<Value::View>(); right && right->part != Value::View::Values)
    return equals(a, setOf(items(b)));
  if (a->data.index() != b->data.index())
    return false;
  if (const auto *left = a->sequence()) {
    const auto *right = b->sequence();
    if (left->size() != right->size())
      return false;
    for (size_t i = 0;; ++i) { // read anew each time: `__eq__` of an element may change them
      left = a->sequence(), right = b->sequence();
      if (!left || !right || i >= left->size() || i >= right->size())
        return true;
      ValueRef p = (*left)[i], q = (*right)[i];
      if ((p != q || p->isUnknown()) && !equals(p, q))
        return false;
    }
  }
  if (const auto *left = a->as<Value::SetOf>()) {
    const auto *right = b->as<Value::SetOf>();
    if (left->elements.size() != right->elements.size())
      return false;
    for (const ValueRef &element : List(left->elements))
      if (findElement(*right, element) < 0)
        return false;
    return true;
  }
  if (const auto *left = a->as<Value::Dict>()) {
    const auto *right = b->as<Value::Dict>();
    if (left->items.size() != right->items.size())
      return false;
    for (const auto &[key, value] : std::vector(left->items)) {
      ptrdiff_t at = findKey(*right, key);
      if (at < 0 || !equals(value, ValueRef(right->items[static_cast<size_t>(at)].second)))
        return false;
    }
    return true;
  }
  if (a->as<Value::Range>()) {
    auto n = length(a), m = length(b);
    const auto *p = a->as<Value::Range>(), *q = b->as<Value::Range>();
    return *n == *m && (*n == 0 || (p->start == q->start && (*n == 1 || p->step == q->step)));
  }
  if (const auto *left = a->as<BoundMethod>())
    return left->self == b->as<BoundMethod>()->self && same(*left->function, *b->as<BoundMethod>()->function);
  if (const auto *left = a->as<Value::SliceOf>()) {
    const auto *right = b->as<Value::SliceOf>();
    return equals(left->start, right->start) && equals(left->stop, right->stop) && equals(left->step, right->step);
  }
  return same(*a, *b);
}

/// -1, 0 or 1; `ordered` false: all order comparisons are false (nan). `op` is for the message.
int Interpreter::order(std::string_view op, const ValueRef &a, const ValueRef &b, bool &ordered) {
  step();
  if (a->isUnknown())
    throw Undetermined{a};
  if (b->isUnknown())
    throw Undetermined{b};
  Nested nested(*this);
  auto x = number(*a), y = number(*b);
  ordered = true;
  if (x && y)
    return compareNumbers(*x, *y, ordered);
  if (a->string() && b->string()) {
    int result = a->string()->compare(*b->string()); // UTF-8 orders as code points do
    return result < 0 ? -1 : result > 0;
  }
  const auto *left = a->sequence(), *right = b->sequence();
  if (left && right && a->data.index() == b->data.index()) {
    for (size_t i = 0; left && right && i < left->size() && i < right->size(); ++i) {
      ValueRef p = (*left)[i], q = (*right)[i];
      if (!equals(p, q))
        return order(op, p, q, ordered);
      left = a->sequence(), right = b->sequence();
    }
    if (!left || !right)
      unknown("a sequence changed while it was compared");
    return left->size() < right->size() ? -1 : left->size() > right->size();
  }
  if (isOpaque(*a) || isOpaque(*b))
    unknown("the order of " + repr(*a, 40) + " and " + repr(*b, 40) + " is not known");
  const auto *p = a->as<InstanceValue>(), *q = b->as<InstanceValue>();
  if (p && q && p->type == q->type)
    if (const auto *type = p->type->as<ClassValue>(); type && type->ordered) {
      for (const auto &field : type->fields)
        if (field.compared)
          if (auto l = p->fields.find(field.name), r = q->fields.find(field.name); l != p->fields.end() && r != q->fields.end())
            if (!equals(l->second, r->second))
              return order(op, l->second, r->second, ordered);
      return 0;
    }
  raise("TypeError", "'" + std::string(op) + "' not supported between instances of '" + std::string(typeName(*a)) + "' and '" +
                         std::string(typeName(*b)) + "'");
}

bool Interpreter::less(const ValueRef &a, const ValueRef &b) {
  ValueRef result = compare("<", a, b);
  return truth(result);
}

ValueRef Interpreter::compare(std::string_view op, const ValueRef &left, const ValueRef &right) {
  if (left->isUnknown())
    return left;
  if (right->isUnknown())
    return right;
  if (op == "is" || op == "is not") {
    // Whether equal numbers, strings or tuples are one object is up to the Python that runs.
    bool plain = left->data.index() == right->data.index() &&
                 (left->string() || left->as<double>() || left->as<Value::Tuple>() || (number(*left) && !left->as<bool>() && !left->as<InstanceValue>()));
    if (plain && (left->as<int64_t>() ? *left->as<int64_t>() < -5 || *left->as<int64_t>() > 256 : left != right) && equals(left, right))
      unknown("whether equal values are one object is not fixed");
    return boolean(same(*left, *right) == (op == "is"));
  }
  if (op == "in" || op == "not in") {
    bool found = contains(right, left);
    return boolean(found == (op == "in"));
  }
  if ((isOpaque(*left) || isOpaque(*right)) && !(op[0] == '=' || op[0] == '!' ? isNone(left) || isNone(right) || same(*left, *right) : false))
    return opaqueOperation(op, {left, right});
  if (op == "==")
    return boolean(equals(left, right));
  if (op == "!=") {
    if (left->as<InstanceValue>())
      if (auto method = special(left, "__ne__"))
        return call(method, List{right});
    return boolean(!equals(left, right));
  }
  if (left->as<InstanceValue>() || right->as<InstanceValue>()) {
    std::string_view name = op == "<" ? "__lt__" : op == "<=" ? "__le__" : op == ">" ? "__gt__" : "__ge__";
    std::string_view mirrored = op == "<" ? "__gt__" : op == "<=" ? "__ge__" : op == ">" ? "__lt__" : "__le__";
    for (const auto &[self, other, method] : {std::tuple{&left, &right, name}, std::tuple{&right, &left, mirrored}})
      if ((*self)->as<InstanceValue>())
        if (auto bound = special(*self, method)) {
          ValueRef result = call(bound, List{*other});
          if (const auto *builtin = result->as<Builtin>(); !builtin || builtin->name != "NotImplemented")
            return result;
        }
  }
  if (left->as<Value::SetOf>() && right->as<Value::SetOf>()) {
    const auto *a = left->as<Value::SetOf>(), *b = right->as<Value::SetOf>();
    const auto *inner = op[0] == '<' ? a : b, *outer = op[0] == '<' ? b : a;
    for (const ValueRef &element : List(inner->elements))
      if (findElement(*outer, element) < 0)
        return boolean(false);
    return boolean(op.size() == 2 || inner->elements.size() < outer->elements.size());
  }
  bool ordered = true;
  int result = order(op, left, right, ordered);
  if (!ordered)
    return boolean(false);
  return boolean(op == "<" ? result < 0 : op == "<=" ? result <= 0 : op == ">" ? result > 0 : result >= 0);
}

bool Interpreter::contains(const ValueRef &container, const ValueRef &element) {
  if (container->isUnknown())
    throw Undetermined{container};
  if (element->isUnknown())
    throw Undetermined{element};
  if (const auto *text = container->string()) {
    const auto *part = element->string();
    if (!part)
      raise("TypeError", "'in <string>' requires string as left operand, not " + std::string(typeName(*element)));
    charge(text->size() / 64);
    return text->find(*part) != std::string::npos;
  }
  if (const auto *dict = container->as<Value::Dict>())
    return findKey(*dict, element) >= 0;
  if (const auto *set = container->as<Value::SetOf>())
    return findElement(*set, element) >= 0;
  if (const auto *range = container->as<Value::Range>())
    if (auto value = number(*element); value && value->kind == Number::Small) {
      if (range->step > 0 ? value->small < range->start || value->small >= range->stop : value->small > range->start || value->small <= range->stop)
        return false;
      return static_cast<__int128>(value->small - static_cast<__int128>(range->start)) % range->step == 0;
    }
  if (const auto *view = container->as<Value::View>(); view && view->part == Value::View::Keys)
    return findKey(*view->dict->as<Value::Dict>(), element) >= 0;
  if (container->as<InstanceValue>())
    if (auto method = special(container, "__contains__"))
      return truth(call(method, List{element}));
  if (isOpaque(*container))
    unknown("what " + repr(*container, 40) + " contains is not known");
  if (!container->as<InstanceValue>() && (number(*container) || isNone(container) || container->as<FunctionValue>()))
    raise("TypeError", "argument of type '" + std::string(typeName(*container)) + "' is not iterable");
  // An unknown element matters only if no other is equal.
  std::optional<Undetermined> doubt;
  auto cursor = iterate(container);
  while (ValueRef next = cursor->next(*this)) {
    try {
      if (next == element || equals(next, element))
        return true;
    } catch (Undetermined &undetermined) {
      charge(20);
      doubt = undetermined;
    }
  }
  if (doubt)
    throw *doubt;
  return false;
}

// ---- hashes, dicts and sets

static uint64_t mixed(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdu;
  return a ^ a >> 29;
}

uint64_t Interpreter::hash(const ValueRef &value) {
  step();
  if (value->isUnknown())
    throw Undetermined{value};
  if (auto numeric = number(*value)) {
    if (numeric->kind == Number::Small)
      return mixed(1, static_cast<uint64_t>(numeric->small));
    if (numeric->kind == Number::Float) {
      if (numeric->real == std::floor(numeric->real) && std::isfinite(numeric->real)) {
        BigInt whole = BigInt::fromDouble(numeric->real);
        if (auto small = whole.small())
          return mixed(1, static_cast<uint64_t>(*small));
        return mixed(2, std::bit_cast<uint64_t>(numeric->real));
      }
      return mixed(2, std::bit_cast<uint64_t>(numeric->real));
    }
    return mixed(2, std::bit_cast<uint64_t>(numeric->big->toDouble()));
  }
  if (const auto *string = value->string()) {
    charge(string->size() / 64);
    return mixed(3, std::hash<std::string>{}(*string));
  }
  if (const auto *tuple = value->as<Value::Tuple>()) {
    Nested nested(*this);
    uint64_t result = 4;
    for (const ValueRef &element : tuple->elements)
      result = mixed(result, hash(element));
    return result;
  }
  if (const auto *set = value->as<Value::SetOf>(); set && set->frozen) {
    uint64_t sum = 5;
    for (const ValueRef &element : set->elements)
      sum += hash(element);
    return sum;
  }
  if (value->as<Value::ListOf>() || value->as<Value::Dict>() || value->as<Value::SetOf>() || value->as<Value::View>())
    raise("TypeError", "unhashable type: '" + std::string(typeName(*value)) + "'");
  if (isNone(value) || value->as<Value::EllipsisType>())
    return mixed(6, value->data.index());
  if (const auto *builtin = value->as<Builtin>())
    return mixed(7, std::hash<std::string>{}(builtin->name));
  if (const auto *opaque = value->as<Opaque>()) {
    if (opaque->called) // each call made a value of its own: `{B()}` holds one
      return mixed(8, reinterpret_cast<uintptr_t>(value.get()));
    return mixed(8, std::hash<std::string>{}(opaque->callee));
  }
  if (value->as<OpaqueOperation>())
    return mixed(11, reinterpret_cast<uintptr_t>(value.get()));
  if (const auto *range = value->as<Value::Range>())
    return mixed(mixed(9, static_cast<uint64_t>(range->start)), length(value).value_or(0));
  if (const auto *method = value->as<BoundMethod>())
    return mixed(10, reinterpret_cast<uintptr_t>(method->self.get()));
  if (const auto *instance = value->as<InstanceValue>()) {
    const auto *type = instance->type->as<ClassValue>();
    if (special(value, "__hash__"))
      unknown("`__hash__` of `" + std::string(typeName(*value)) + "` is not evaluated");
    if (type && type->flavor == ClassValue::Flavor::StrEnum)
      return hash(instance->fields.at("value"));
    if (type && type->flavor == ClassValue::Flavor::Dataclass && type->comparable) {
      if (!type->frozen)
        raise("TypeError", "unhashable type: '" + type->name + "'");
      uint64_t result = 11;
      for (const auto &field : type->fields)
        if (auto found = instance->fields.find(field.name); field.compared && found != instance->fields.end())
          result = mixed(result, hash(found->second));
      return result;
    }
    if (special(value, "__eq__"))
      raise("TypeError", "unhashable type: '" + std::string(typeName(*value)) + "'");
  }
  return mixed(12, reinterpret_cast<uintptr_t>(value.get()));
}

static constexpr size_t kSearched = 8; // dicts and sets up to this size have no index

template <class Get> static ptrdiff_t search(Interpreter &interpreter, const HashIndex *index, size_t size, const ValueRef &key, uint64_t hash, Get &&get) {
  auto matches = [&](size_t at) {
    ValueRef candidate = get(at);
    return candidate == key || interpreter.equals(candidate, key);
  };
  if (index) {
    auto [first, last] = index->places.equal_range(hash);
    for (; first != last; ++first)
      if (matches(first->second))
        return first->second;
    return -1;
  }
  interpreter.charge(size / 4);
  for (size_t i = 0; i < size; ++i) {
    // Keys of other kinds are told apart without comparing, as different hashes would.
    ValueRef candidate = get(i);
    if (candidate == key)
      return static_cast<ptrdiff_t>(i);
    if (candidate->string() && key->string()) {
      if (*candidate->string() == *key->string())
        return static_cast<ptrdiff_t>(i);
    } else if (interpreter.hash(candidate) == hash && interpreter.equals(candidate, key))
      return static_cast<ptrdiff_t>(i);
  }
  return -1;
}

template <class Get> static void reindex(Interpreter &interpreter, std::shared_ptr<HashIndex> &index, size_t size, Get &&get) {
  if (size <= kSearched) {
    index = nullptr;
    return;
  }
  interpreter.charge(size);
  auto made = std::make_shared<HashIndex>();
  made->places.reserve(size * 2);
  for (size_t i = 0; i < size; ++i)
    made->places.emplace(interpreter.hash(get(i)), static_cast<uint32_t>(i));
  index = std::move(made);
}

ptrdiff_t Interpreter::findKey(const Value::Dict &dict, const ValueRef &key) {
  return search(*this, dict.index.get(), dict.items.size(), key, hash(key), [&](size_t i) { return dict.items[i].first; });
}

ptrdiff_t Interpreter::findElement(const Value::SetOf &set, const ValueRef &element) {
  return search(*this, set.index.get(), set.elements.size(), element, hash(element), [&](size_t i) { return set.elements[i]; });
}

void Interpreter::setKey(const ValueRef &container, const ValueRef &key, const ValueRef &value) {
  auto &dict = std::get<Value::Dict>(changing(container).data);
  uint64_t code = hash(key);
  ptrdiff_t at = search(*this, dict.index.get(), dict.items.size(), key, code, [&](size_t i) { return dict.items[i].first; });
  holds(container, key);
  holds(container, value);
  if (at >= 0) {
    dict.items[static_cast<size_t>(at)].second = value;
    return;
  }
  checkElements(dict.items.size() + 1);
  charge(3);
  dict.items.emplace_back(key, value);
  if (dict.index && dict.index.use_count() == 1)
    dict.index->places.emplace(code, static_cast<uint32_t>(dict.items.size() - 1));
  else
    reindex(*this, dict.index, dict.items.size(), [&](size_t i) { return dict.items[i].first; });
}

void Interpreter::eraseKey(const ValueRef &container, size_t at) {
  auto &dict = std::get<Value::Dict>(changing(container).data);
  bool last = at + 1 == dict.items.size();
  if (last && dict.index && dict.index.use_count() == 1) {
    auto [first, end] = dict.index->places.equal_range(hash(dict.items[at].first));
    for (; first != end; ++first)
      if (first->second == at) {
        dict.index->places.erase(first);
        break;
      }
    dict.items.pop_back();
    return;
  }
  dict.items.erase(dict.items.begin() + static_cast<ptrdiff_t>(at));
  reindex(*this, dict.index, dict.items.size(), [&](size_t i) { return dict.items[i].first; });
}

void Interpreter::addElement(Value &value, const ValueRef &element) {
  auto &set = std::get<Value::SetOf>(value.data);
  uint64_t code = hash(element);
  if (search(*this, set.index.get(), set.elements.size(), element, code, [&](size_t i) { return set.elements[i]; }) >= 0)
    return;
  checkElements(set.elements.size() + 1);
  set.elements.push_back(element);
  nest(value, element->depth);
  if (set.index && set.index.use_count() == 1)
    set.index->places.emplace(code, static_cast<uint32_t>(set.elements.size() - 1));
  else
    reindex(*this, set.index, set.elements.size(), [&](size_t i) { return set.elements[i]; });
}

ValueRef Interpreter::setOf(const List &elements, bool frozen) {
  auto value = make(Value::SetOf{{}, frozen});
  for (const ValueRef &element : elements)
    addElement(*value, element);
  return value;
}

List Interpreter::setOrder(const ValueRef &value) {
  List elements = value->as<Value::SetOf>()->elements;
  if (elements.size() < 2)
    return elements;
  // Integers below the smallest table's size lie in their own slots, whatever the table's history.
  for (const ValueRef &element : elements) {
    auto small = element->as<int64_t>();
    if (!small || *small < 0 || *small > 7)
      unknown("the order of a set's elements is not fixed; `sorted(...)` fixes it");
  }
  std::sort(elements.begin(), elements.end(), [](const ValueRef &a, const ValueRef &b) { return *a->as<int64_t>() < *b->as<int64_t>(); });
  return elements;
}

} // namespace tilewright::syntax
