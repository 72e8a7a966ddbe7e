// Indexing and slicing, reading and writing.
#include "syntax/Interpreter.h"

#include <algorithm>

namespace tilewright::syntax {

Interpreter::Bounds Interpreter::bounds(const Value::SliceOf &slice, int64_t size) {
  auto part = [&](const ValueRef &value, int64_t absent) {
    if (value->isUnknown())
      throw Undetermined{value};
    if (isNone(value))
      return absent;
    if (isOpaque(*value))
      unknown("a slice bound of " + repr(*value, 40) + " is not known");
    auto numeric = number(*value);
    if (!numeric || numeric->kind == Number::Float)
      raise("TypeError", "slice indices must be integers or None or have an __index__ method");
    if (numeric->kind == Number::Big)
      return numeric->big->negative() ? INT64_MIN + 1 : INT64_MAX;
    return std::max(numeric->small, INT64_MIN + 1);
  };
  Bounds result{};
  result.step = part(slice.step, 1);
  if (result.step == 0)
    raise("ValueError", "slice step cannot be zero");
  bool down = result.step < 0;
  auto clamp = [&](int64_t at) {
    if (at < 0)
      at = at + size < 0 ? (down ? -1 : 0) : at + size;
    return std::min(at, down ? size - 1 : size);
  };
  result.start = isNone(slice.start) ? (down ? size - 1 : 0) : clamp(part(slice.start, 0));
  result.stop = isNone(slice.stop) ? (down ? -1 : size) : clamp(part(slice.stop, 0));
  __int128 span = down ? static_cast<__int128>(result.start) - result.stop : static_cast<__int128>(result.stop) - result.start;
  __int128 pace = down ? -static_cast<__int128>(result.step) : static_cast<__int128>(result.step);
  result.count = span > 0 ? static_cast<int64_t>((span - 1) / pace + 1) : 0;
  return result;
}

static bool isType(const ValueRef &value) { return value->as<Builtin>() || value->as<ClassValue>(); }

ValueRef Interpreter::subscript(const ValueRef &object, const ValueRef &index) {
  if (object->isUnknown())
    return object;
  if (isOpaque(*object)) {
    List operands{object};
    if (const auto *indices = index->as<Value::Tuple>(); indices && !indices->type)
      operands.insert(operands.end(), indices->elements.begin(), indices->elements.end());
    else
      operands.push_back(index);
    return opaqueOperation("[]", std::move(operands));
  }
  if (const auto *dict = object->as<Value::Dict>()) {
    if (index->isUnknown())
      return index;
    ptrdiff_t at = findKey(*dict, index);
    if (at < 0) {
      List arguments{index};
      auto instance = make(InstanceValue{builtinNamed("KeyError"), {{"args", tuple(arguments)}}});
      throw Raised{instance, here()};
    }
    return dict->items[static_cast<size_t>(at)].second;
  }
  if (const auto *type = object->as<ClassValue>()) {
    if (type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum && index->string())
      if (auto found = type->members->names.find(*index->string()); found != type->members->names.end() && found->second->as<InstanceValue>())
        return found->second;
    if (type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum)
      raise("KeyError", index->string() ? *index->string() : repr(*index));
    if (auto method = classAttribute(object, "__class_getitem__"))
      return call(bindMember(method, object, object, nullptr), List{index});
    return object; // a generic class with parameters
  }
  if (isType(object)) // `tuple[Tensor[...], ...]`, `list[int]`: read by annotations only
    return opaqueOperation("[]", {object, index});
  if (object->as<InstanceValue>())
    if (auto method = special(object, "__getitem__"))
      return call(method, List{index});
  if (index->isUnknown())
    return index;
  const auto *slice = index->as<Value::SliceOf>();
  const auto *sequence = object->sequence();
  const auto *string = object->string();
  const auto *range = object->as<Value::Range>();
  if (!sequence && !string && !range)
    raise("TypeError", "'" + std::string(typeName(*object)) + "' object is not subscriptable");
  std::u32string points;
  bool ascii = string && isAscii(*string);
  if (string && !ascii)
    points = decode(*string);
  if (string)
    charge(string->size() / 64);
  auto size = static_cast<int64_t>(sequence ? sequence->size() : string ? (ascii ? string->size() : points.size()) : length(object).value_or(0));
  if (slice) {
    Bounds range_ = bounds(*slice, size);
    if (range) {
      int64_t start, stop, step;
      if (__builtin_mul_overflow(range_.start, range->step, &start) || __builtin_add_overflow(start, range->start, &start) ||
          __builtin_mul_overflow(range_.stop, range->step, &stop) || __builtin_add_overflow(stop, range->start, &stop) ||
          __builtin_mul_overflow(range_.step, range->step, &step))
        unknown("a range beyond 64 bits is not evaluated");
      return make(Value::Range{start, stop, step});
    }
    charge(static_cast<uint64_t>(range_.count) / (string ? 64 : 4));
    if (string) {
      if (ascii && range_.step == 1)
        return makeString(range_.count > 0 ? string->substr(static_cast<size_t>(range_.start), static_cast<size_t>(range_.count)) : "");
      if (ascii)
        points = decode(*string);
      std::u32string part;
      for (int64_t i = 0; i < range_.count; ++i)
        part += points[static_cast<size_t>(range_.start + i * range_.step)];
      return makeString(encode(part));
    }
    List part;
    part.reserve(static_cast<size_t>(range_.count));
    for (int64_t i = 0; i < range_.count; ++i)
      part.push_back((*sequence)[static_cast<size_t>(range_.start + i * range_.step)]);
    return object->as<Value::ListOf>() ? list(std::move(part)) : tuple(std::move(part));
  }
  if (isOpaque(*index))
    unknown("the subscript " + repr(*index, 40) + " is not known");
  auto numeric = number(*index);
  if (!numeric || numeric->kind == Number::Float)
    raise("TypeError", (string ? std::string("string") : std::string(typeName(*object))) + " indices must be integers or slices, not " +
                           std::string(typeName(*index)));
  if (numeric->kind == Number::Big)
    raise("IndexError", "cannot fit 'int' into an index-sized integer");
  int64_t at = numeric->small < 0 ? numeric->small + size : numeric->small;
  if (at < 0 || at >= size)
    raise("IndexError", (string ? std::string("string") : range ? std::string("range object") : object->as<Value::ListOf>() ? "list" : "tuple") +
                            " index out of range");
  if (range)
    return makeInt(range->start + at * range->step);
  if (string)
    return makeString(ascii ? std::string(1, (*string)[static_cast<size_t>(at)]) : encode(points.substr(static_cast<size_t>(at), 1)));
  return (*sequence)[static_cast<size_t>(at)];
}

void Interpreter::setSubscript(const ValueRef &object, const ValueRef &index, const ValueRef &value) {
  if (object->isUnknown())
    return;
  if (isOpaque(*object)) {
    taint(object, unknownHere("an assignment into " + repr(*object, 40) + " is not evaluated"));
    return;
  }
  if (index->isUnknown()) {
    taint(object, index);
    return;
  }
  if (object->as<Value::Dict>())
    return setKey(object, index, value);
  if (object->as<InstanceValue>())
    if (auto method = special(object, "__setitem__")) {
      call(method, List{index, value});
      return;
    }
  if (!object->as<Value::ListOf>())
    raise("TypeError", "'" + std::string(typeName(*object)) + "' object does not support item assignment");
  if (const auto *slice = index->as<Value::SliceOf>()) {
    List made = items(value);
    auto &elements = std::get<Value::ListOf>(changing(object).data).elements;
    Bounds range = bounds(*slice, static_cast<int64_t>(elements.size()));
    charge((elements.size() + made.size()) / 4);
    if (range.step == 1) {
      int64_t stop = std::max(range.start, range.stop);
      checkElements(elements.size() + made.size() - static_cast<uint64_t>(stop - range.start));
      elements.erase(elements.begin() + range.start, elements.begin() + stop);
      elements.insert(elements.begin() + range.start, made.begin(), made.end());
    } else {
      if (made.size() != static_cast<size_t>(range.count))
        raise("ValueError", "attempt to assign sequence of size " + std::to_string(made.size()) + " to extended slice of size " +
                                std::to_string(range.count));
      for (int64_t i = 0; i < range.count; ++i)
        elements[static_cast<size_t>(range.start + i * range.step)] = made[static_cast<size_t>(i)];
    }
    for (const ValueRef &element : made)
      holds(object, element);
    return;
  }
  int64_t at = this->index(index, "list indices must be integers or slices, not ");
  auto &elements = std::get<Value::ListOf>(changing(object).data).elements;
  auto size = static_cast<int64_t>(elements.size());
  if (at < 0)
    at += size;
  if (at < 0 || at >= size)
    raise("IndexError", "list assignment index out of range");
  elements[static_cast<size_t>(at)] = value;
  holds(object, value);
}

void Interpreter::deleteSubscript(const ValueRef &object, const ValueRef &index) {
  if (object->isUnknown())
    return;
  if (index->isUnknown() || isOpaque(*object)) {
    taint(object, index->isUnknown() ? index : unknownHere("a deletion from " + repr(*object, 40) + " is not evaluated"));
    return;
  }
  if (const auto *dict = object->as<Value::Dict>()) {
    ptrdiff_t at = findKey(*dict, index);
    if (at < 0)
      raise("KeyError", repr(*index));
    return eraseKey(object, static_cast<size_t>(at));
  }
  if (object->as<InstanceValue>())
    if (auto method = special(object, "__delitem__")) {
      call(method, List{index});
      return;
    }
  if (!object->as<Value::ListOf>())
    raise("TypeError", "'" + std::string(typeName(*object)) + "' object doesn't support item deletion");
  auto &elements = std::get<Value::ListOf>(changing(object).data).elements;
  charge(elements.size() / 16);
  if (const auto *slice = index->as<Value::SliceOf>()) {
    Bounds range = bounds(*slice, static_cast<int64_t>(elements.size()));
    std::vector<bool> gone(elements.size());
    for (int64_t i = 0; i < range.count; ++i)
      gone[static_cast<size_t>(range.start + i * range.step)] = true;
    List kept;
    for (size_t i = 0; i < elements.size(); ++i)
      if (!gone[i])
        kept.push_back(elements[i]);
    elements = std::move(kept);
    return;
  }
  int64_t at = this->index(index, "list indices must be integers or slices, not ");
  if (at < 0)
    at += static_cast<int64_t>(elements.size());
  if (at < 0 || at >= static_cast<int64_t>(elements.size()))
    raise("IndexError", "list assignment index out of range");
  elements.erase(elements.begin() + at);
}

} // namespace tilewright::syntax
