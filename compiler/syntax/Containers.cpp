// Making lists, tuples and dicts, and the methods of containers.
#include "syntax/Interpreter.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::syntax {

void Interpreter::nest(Value &value, uint32_t child) {
  value.depth = std::max(value.depth, child + 1);
  if (value.depth > kDeepestValue)
    limit(Code::SizeLimit, "values nest deeper than " + std::to_string(kDeepestValue) + " levels, the limit for constants");
}

static uint32_t deepest(const List &elements) {
  uint32_t depth = 0;
  for (const ValueRef &element : elements)
    depth = std::max(depth, element->depth);
  return depth;
}

ValueRef Interpreter::tuple(List elements) {
  uint32_t depth = deepest(elements);
  auto value = make(Value::Tuple{std::move(elements)});
  nest(*value, depth);
  return value;
}

ValueRef Interpreter::list(List elements) {
  uint32_t depth = deepest(elements);
  auto value = make(Value::ListOf{std::move(elements)});
  nest(*value, depth);
  return value;
}

ValueRef Interpreter::pair(ValueRef a, ValueRef b) { return tuple({std::move(a), std::move(b)}); }

ValueRef Interpreter::dict(std::vector<std::pair<ValueRef, ValueRef>> items) {
  auto value = make(Value::Dict{});
  ValueRef shared = value;
  uint32_t depth = 0;
  for (const auto &[key, held] : items)
    depth = std::max({depth, key->depth, held->depth});
  nest(*value, depth);
  auto &dict = std::get<Value::Dict>(value->data);
  if (items.size() <= 8)
    dict.items = std::move(items);
  else
    for (const auto &[key, held] : items)
      setKey(shared, key, held);
  return shared;
}

ValueRef Interpreter::iterator(CursorRef cursor, std::string_view kind, uint32_t depth) {
  cursor->kind = kind;
  auto value = make(Iterator{std::move(cursor)});
  nest(*value, depth);
  return value;
}

Value &Interpreter::changing(const ValueRef &value) {
  if (value->owner != id)
    unknown(repr(*value, 60) + " was made while the file was read and is not changed here");
  if (reading_)
    unknown("a value changes while it is printed");
  return const_cast<Value &>(*value); // made by this evaluation as a Value that is not const
}

void Interpreter::holds(const ValueRef &container, const ValueRef &element) {
  bool composite = element->depth > 0 || element->sequence() || element->as<Value::Dict>() || element->as<Value::SetOf>() || element->as<InstanceValue>();
  if (!composite)
    return;
  nest(const_cast<Value &>(*container), element->depth);
  if (keeper->containers.empty() || keeper->containers.back() != container)
    keeper->containers.push_back(container);
}

static std::string missingMethod(const ValueRef &self, std::string_view method) {
  return "'" + std::string(typeName(*self)) + "' object has no attribute '" + std::string(method) + "'";
}

ValueRef Interpreter::callMethod(const ValueRef &self, std::string_view method, Arguments &arguments) {
  step();
  if (self->isUnknown())
    return self;
  if (const auto *string = self->string())
    return stringMethod(*string, method, arguments);
  if (self->as<Value::ListOf>())
    return listMethod(self, method, arguments);
  if (self->as<Value::Dict>())
    return dictMethod(self, method, arguments);
  if (self->as<Value::SetOf>())
    return setMethod(self, method, arguments);
  if (self->as<Value::Tuple>() || self->as<Value::Range>()) {
    if (method != "count" && method != "index")
      raise("AttributeError", missingMethod(self, method));
    ValueRef wanted = take(arguments, method, {"value"}, 1)[0];
    int64_t count = 0, at = 0;
    auto cursor = iterate(self);
    for (; ValueRef element = cursor->next(*this); ++at)
      if (equals(element, wanted)) {
        if (method == "index")
          return makeInt(at);
        ++count;
      }
    if (method == "index")
      raise("ValueError", std::string(self->as<Value::Range>() ? reprText(wanted) + " is not in range" : "tuple.index(x): x not in tuple"));
    return makeInt(count);
  }
  if (auto numeric = number(*self)) {
    if (numeric->kind != Number::Float) {
      if (method == "bit_length")
        return makeInt(static_cast<int64_t>(numeric->wide().bits()));
      if (method == "bit_count")
        return makeInt(static_cast<int64_t>(numeric->wide().ones()));
      if (method == "conjugate")
        return self;
      if (method == "is_integer")
        return boolean(true);
      if (method == "as_integer_ratio")
        return pair(self, makeInt(1));
    } else {
      if (method == "is_integer")
        return boolean(numeric->real == static_cast<double>(static_cast<long double>(numeric->real)) && __builtin_floor(numeric->real) == numeric->real &&
                       numeric->real - numeric->real == 0);
      if (method == "conjugate")
        return self;
    }
    return unknownHere("`" + std::string(typeName(*self)) + "." + std::string(method) + "` is not evaluated");
  }
  return call(attribute(self, method), std::move(arguments));
}

ValueRef Interpreter::listMethod(const ValueRef &self, std::string_view method, Arguments &arguments) {
  auto elements = [&]() -> List & { return std::get<Value::ListOf>(changing(self).data).elements; };
  auto size = static_cast<int64_t>(self->as<Value::ListOf>()->elements.size());
  if (method == "append") {
    if (arguments.positional.size() != 1 || !arguments.keywords.empty())
      raise("TypeError", "list.append() takes exactly one argument (" + std::to_string(arguments.positional.size()) + " given)");
    checkElements(static_cast<uint64_t>(size) + 1);
    elements().push_back(arguments.positional[0]);
    holds(self, arguments.positional[0]);
    return none();
  }
  if (method == "extend") {
    auto values = take(arguments, "extend", {"iterable"}, 0);
    if (!values[0])
      raise("TypeError", "list.extend() takes exactly one argument (0 given)");
    List more = items(values[0]);
    checkElements(static_cast<uint64_t>(size) + more.size());
    List &own = elements();
    own.insert(own.end(), more.begin(), more.end());
    for (const ValueRef &element : more)
      holds(self, element);
    return none();
  }
  if (method == "insert") {
    if (arguments.positional.size() != 2)
      raise("TypeError", "insert expected 2 arguments, got " + std::to_string(arguments.positional.size()));
    int64_t at = index(arguments.positional[0]);
    at = at < 0 ? std::max<int64_t>(0, at + size) : std::min(at, size);
    checkElements(static_cast<uint64_t>(size) + 1);
    charge(static_cast<uint64_t>(size) / 32);
    List &own = elements();
    own.insert(own.begin() + at, arguments.positional[1]);
    holds(self, arguments.positional[1]);
    return none();
  }
  if (method == "pop") {
    auto values = take(arguments, "pop", {"index"}, 0);
    if (size == 0)
      raise("IndexError", "pop from empty list");
    int64_t at = values[0] ? index(values[0]) : -1;
    at = at < 0 ? at + size : at;
    if (at < 0 || at >= size)
      raise("IndexError", "pop index out of range");
    charge(static_cast<uint64_t>(size - at) / 32);
    List &own = elements();
    ValueRef value = own[static_cast<size_t>(at)];
    own.erase(own.begin() + at);
    return value;
  }
  if (method == "remove" || method == "index" || method == "count") {
    auto values = take(arguments, method, {"value", "start", "stop"}, 1);
    int64_t count = 0;
    int64_t begin = values[1] ? index(values[1], "slice indices must be integers, not ") : 0;
    int64_t end = values[2] ? index(values[2], "slice indices must be integers, not ") : INT64_MAX;
    begin = begin < 0 ? std::max<int64_t>(0, begin + size) : begin;
    end = end < 0 ? end + size : end;
    for (int64_t i = begin;; ++i) {
      const auto *own = self->as<Value::ListOf>();
      if (!own || i >= end || i >= static_cast<int64_t>(own->elements.size()))
        break;
      ValueRef element = own->elements[static_cast<size_t>(i)];
      if (element != values[0] && !equals(element, values[0]))
        continue;
      if (method == "index")
        return makeInt(i);
      ++count;
      if (method == "remove") {
        List &list = elements();
        if (i < static_cast<int64_t>(list.size()))
          list.erase(list.begin() + i);
        return none();
      }
    }
    if (method == "count")
      return makeInt(count);
    raise("ValueError", method == "remove" ? "list.remove(x): x not in list" : reprText(values[0]) + " is not in list");
  }
  if (method == "clear") {
    elements().clear();
    return none();
  }
  if (method == "copy")
    return list(self->as<Value::ListOf>()->elements);
  if (method == "reverse") {
    charge(static_cast<uint64_t>(size) / 16);
    List &own = elements();
    std::reverse(own.begin(), own.end());
    return none();
  }
  if (method == "sort") {
    if (!arguments.positional.empty())
      raise("TypeError", "sort() takes no positional arguments");
    ValueRef key = arguments.keyword("key"), reverse = arguments.keyword("reverse");
    bool backwards = reverse && truth(reverse);
    List own = self->as<Value::ListOf>()->elements;
    std::vector<std::pair<ValueRef, ValueRef>> keyed;
    for (const ValueRef &element : own)
      keyed.emplace_back(key && !isNone(key) ? call(key, List{element}) : element, element);
    if (backwards)
      std::reverse(keyed.begin(), keyed.end());
    // A merge sort of our own: comparisons may raise, and a comparison that is no order must do no harm.
    std::vector<std::pair<ValueRef, ValueRef>> merged(keyed.size());
    try {
      for (size_t width = 1; width < keyed.size(); width *= 2) {
        for (size_t low = 0; low < keyed.size(); low += 2 * width) {
          size_t middle = std::min(low + width, keyed.size()), high = std::min(low + 2 * width, keyed.size());
          for (size_t i = low, j = middle, k = low; k < high; ++k)
            merged[k] = i < middle && (j >= high || !less(keyed[j].first, keyed[i].first)) ? keyed[i++] : keyed[j++];
        }
        keyed.swap(merged);
      }
    } catch (Undetermined &undetermined) {
      taint(self, undetermined.unknown);
      throw;
    }
    if (backwards)
      std::reverse(keyed.begin(), keyed.end());
    List &target = elements();
    target.clear();
    for (auto &[by, element] : keyed)
      target.push_back(std::move(element));
    return none();
  }
  if (method.substr(0, 2) == "__")
    return unknownHere("`list." + std::string(method) + "` is not evaluated");
  raise("AttributeError", missingMethod(self, method));
}

ValueRef Interpreter::dictMethod(const ValueRef &self, std::string_view method, Arguments &arguments) {
  auto own = [&]() -> const Value::Dict & {
    const auto *dict = self->as<Value::Dict>();
    if (!dict)
      throw Undetermined{self};
    return *dict;
  };
  if (method == "get") {
    if (arguments.positional.empty() || arguments.positional.size() > 2)
      raise("TypeError", "get expected at least 1 argument, got " + std::to_string(arguments.positional.size()));
    if (arguments.positional[0]->isUnknown())
      return arguments.positional[0];
    ptrdiff_t at_ = findKey(own(), arguments.positional[0]);
    if (at_ >= 0)
      return own().items[static_cast<size_t>(at_)].second;
    return arguments.positional.size() > 1 ? arguments.positional[1] : none();
  }
  if (method == "keys" || method == "values" || method == "items") {
    if (!arguments.positional.empty())
      raise("TypeError", "dict." + std::string(method) + "() takes no arguments (" + std::to_string(arguments.positional.size()) + " given)");
    auto view = make(Value::View{method == "keys" ? Value::View::Keys : method == "values" ? Value::View::Values : Value::View::Items, self});
    nest(*view, self->depth);
    return view;
  }
  if (method == "update") {
    if (arguments.positional.size() > 1)
      raise("TypeError", "update expected at most 1 argument, got " + std::to_string(arguments.positional.size()));
    if (!arguments.positional.empty()) {
      const ValueRef &from = arguments.positional[0];
      if (from->isUnknown()) {
        taint(self, from);
        return from;
      }
      if (const auto *dict = from->as<Value::Dict>()) {
        for (const auto &[key, value] : std::vector(dict->items))
          setKey(self, key, value);
      } else
        for (const ValueRef &entry : items(from)) {
          List both = items(entry);
          if (both.size() != 2)
            raise("ValueError", "dictionary update sequence element #0 has length " + std::to_string(both.size()) + "; 2 is required");
          setKey(self, both[0], both[1]);
        }
    }
    for (const auto &[key, value] : arguments.keywords)
      setKey(self, makeString(key), value);
    return none();
  }
  if (method == "setdefault" || method == "pop") {
    auto values = take(arguments, method, {"key", "default"}, 1);
    ptrdiff_t at_ = findKey(own(), values[0]);
    if (at_ >= 0) {
      ValueRef value = own().items[static_cast<size_t>(at_)].second;
      if (method == "pop")
        eraseKey(self, static_cast<size_t>(at_));
      return value;
    }
    if (method == "setdefault")
      setKey(self, values[0], values[1] ? values[1] : none());
    else if (!values[1])
      raise("KeyError", reprText(values[0]));
    return values[1] ? values[1] : none();
  }
  if (method == "popitem") {
    if (own().items.empty())
      raise("KeyError", "'popitem(): dictionary is empty'");
    auto [key, value] = own().items.back();
    eraseKey(self, own().items.size() - 1);
    return pair(key, value);
  }
  if (method == "clear") {
    changing(self).data = Value::Dict{};
    return none();
  }
  if (method == "copy") {
    charge(own().items.size());
    return dict(own().items);
  }
  if (method == "fromkeys")
    return callBuiltin("dict.fromkeys", arguments);
  if (method.substr(0, 2) == "__")
    return unknownHere("`dict." + std::string(method) + "` is not evaluated");
  raise("AttributeError", missingMethod(self, method));
}

ValueRef Interpreter::setMethod(const ValueRef &self, std::string_view method, Arguments &arguments) {
  const auto &set = *self->as<Value::SetOf>();
  bool frozen = set.frozen;
  auto others = [&](const ValueRef &value) -> ValueRef {
    if (value->as<Value::SetOf>())
      return value;
    return setOf(items(value));
  };
  for (const ValueRef &argument : arguments.positional)
    if (argument->isUnknown()) {
      if (!frozen)
        taint(self, argument);
      return argument;
    }
  if (method == "add" && !frozen && arguments.positional.size() == 1) {
    addElement(changing(self), arguments.positional[0]);
    holds(self, arguments.positional[0]);
    return none();
  }
  if ((method == "discard" || method == "remove") && !frozen && arguments.positional.size() == 1) {
    ptrdiff_t at_ = findElement(set, arguments.positional[0]);
    if (at_ < 0) {
      if (method == "remove")
        raise("KeyError", reprText(arguments.positional[0]));
      return none();
    }
    List rest = set.elements;
    rest.erase(rest.begin() + at_);
    charge(rest.size() / 4);
    changing(self).data = setOf(rest)->data;
    return none();
  }
  if (method == "clear" && !frozen) {
    changing(self).data = Value::SetOf{};
    return none();
  }
  if (method == "copy")
    return setOf(set.elements, frozen);
  if (method == "pop" && !frozen) {
    if (set.elements.empty())
      raise("KeyError", "'pop from an empty set'");
    if (set.elements.size() > 1) {
      ValueRef reason = unknownHere("the order of a set's elements is not fixed");
      taint(self, reason);
      return reason;
    }
    ValueRef only = set.elements[0];
    changing(self).data = Value::SetOf{};
    return only;
  }
  if (method == "isdisjoint" || method == "issubset" || method == "issuperset") {
    ValueRef other = others(take(arguments, method, {"other"}, 1)[0]);
    const auto &left = *self->as<Value::SetOf>(), &right = *other->as<Value::SetOf>();
    const auto &tested = method == "issuperset" ? right : left, &within = method == "issuperset" ? left : right;
    for (const ValueRef &element : List(tested.elements))
      if ((findElement(within, element) >= 0) == (method == "isdisjoint"))
        return boolean(false);
    return boolean(true);
  }
  auto base = method.substr(0, method.find("_update"));
  bool update = method == "update" || base.size() != method.size();
  std::string_view operation = method == "update" ? "union" : base;
  if ((operation == "union" || operation == "intersection" || operation == "difference" || operation == "symmetric_difference") && !(update && frozen)) {
    List result = set.elements;
    for (const ValueRef &argument : arguments.positional) {
      ValueRef other = others(argument);
      const auto &right = *other->as<Value::SetOf>();
      ValueRef current = setOf(result);
      const auto &left = *current->as<Value::SetOf>();
      List next;
      if (operation == "union") {
        next = left.elements;
        for (const ValueRef &element : right.elements)
          if (findElement(left, element) < 0)
            next.push_back(element);
      } else {
        for (const ValueRef &element : left.elements)
          if ((findElement(right, element) >= 0) == (operation == "intersection"))
            next.push_back(element);
        if (operation == "symmetric_difference")
          for (const ValueRef &element : right.elements)
            if (findElement(left, element) < 0)
              next.push_back(element);
      }
      result = std::move(next);
      checkElements(result.size());
    }
    if (!update)
      return setOf(result, frozen);
    changing(self).data = setOf(result)->data;
    for (const ValueRef &element : result)
      holds(self, element);
    return none();
  }
  if (method.substr(0, 2) == "__")
    return unknownHere("`set." + std::string(method) + "` is not evaluated");
  raise("AttributeError", missingMethod(self, method));
}

} // namespace tilewright::syntax
