// Values as text: UTF-8, float digits, repr and str.
#include "syntax/Interpreter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tilewright::syntax {

bool isAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
}

std::u32string decode(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    auto lead = static_cast<unsigned char>(text[i]);
    int more = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    char32_t point = more == 0 ? lead : lead & (0x3f >> more);
    ++i;
    for (; more && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; --more, ++i)
      point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
    points += point;
  }
  return points;
}

std::string encode(std::u32string_view points) {
  std::string text;
  for (char32_t c : points) {
    if (c < 0x80)
      text += static_cast<char>(c);
    else if (c < 0x800)
      text += {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
    else if (c < 0x10000)
      text += {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
    else
      text += {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3f)),
               static_cast<char>(0x80 | (c >> 6 & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
  }
  return text;
}

std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  std::string result;
  if (text[0] == '-') {
    result = "-";
    text.remove_prefix(1);
  }
  size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + 1 + (text[e + 1] == '+'), text.data() + text.size(), exponent);
  std::string digits(1, text[0]);
  if (e > 2)
    digits += text.substr(2, e - 2);
  if (exponent < -4 || exponent >= 16) {
    result += digits[0];
    if (digits.size() > 1)
      result += "." + digits.substr(1);
    result += exponent < 0 ? "e-" : "e+";
    int magnitude = std::abs(exponent);
    return result + (magnitude < 10 ? "0" : "") + std::to_string(magnitude);
  }
  if (exponent < 0)
    return result + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole)
    return result + digits + std::string(whole - digits.size(), '0') + ".0";
  return result + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string quoted(std::string_view text) {
  bool single = text.find('\'') != text.npos, twice = text.find('"') != text.npos;
  char quote = single && !twice ? '"' : '\'';
  std::string out(1, quote);
  char buffer[8];
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c == static_cast<unsigned char>(quote) || c == '\\')
      out += {'\\', static_cast<char>(c)};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (c < 0x20 || c == 0x7f) {
      std::snprintf(buffer, sizeof buffer, "\\x%02x", c);
      out += buffer;
    } else if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) <= 0xa0) {
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(text[i + 1]));
      out += buffer;
      ++i;
    } else
      out += static_cast<char>(c);
  }
  return out + quote;
}

std::string describe(Node node) {
  if (!node)
    return "``";
  std::string text = "`";
  bool blank = false;
  for (char c : node.source()) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      blank = true;
      continue;
    }
    if (blank && text.size() > 1)
      text += ' ';
    blank = false;
    if (text.size() > 60 && (static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      text += "...";
      break;
    }
    text += c;
  }
  return text + "`";
}

// ---- repr

void ReprWriter::write(const ValueRef &value) {
  if (value)
    write(*value, &value);
}

void ReprWriter::write(const Value &value, const ValueRef *shared) {
  if (full())
    return;
  if (std::find(open.begin(), open.end(), &value) != open.end() || open.size() > kDeepestValue + 50) {
    out += value.as<Value::ListOf>() ? "[...]" : value.as<Value::Dict>() || value.as<Value::SetOf>() ? "{...}" : "...";
    return;
  }
  open.push_back(&value);
  auto sequence = [&](const List &elements, bool tuple) {
    for (size_t i = 0; i < elements.size() && !full(); ++i) {
      if (i)
        out += ", ";
      write(elements[i]);
    }
    if (tuple && elements.size() == 1)
      out += ",";
  };
  auto fields = [&](const std::vector<ClassValue::Field> &fields, auto &&get) {
    out += "(";
    bool first = true;
    for (size_t i = 0; i < fields.size() && !full(); ++i) {
      if (!fields[i].inRepr)
        continue;
      out += first ? "" : ", ";
      first = false;
      out += fields[i].name + "=";
      write(get(i));
    }
    out += ")";
  };
  if (value.as<Value::NoneType>())
    out += "None";
  else if (const auto *truth = value.as<bool>())
    out += *truth ? "True" : "False";
  else if (const auto *small = value.as<int64_t>())
    out += std::to_string(*small);
  else if (const auto *big = value.as<std::shared_ptr<const BigInt>>()) {
    if ((*big)->bits() / 3 > limit + 64)
      out += "<integer of " + std::to_string((*big)->bits()) + " bits>";
    else
      out += (*big)->toString();
  } else if (const auto *real = value.as<double>())
    out += floatText(*real);
  else if (const auto *string = value.string())
    out += quoted(string->size() > limit + 4 ? std::string_view(*string).substr(0, limit + 4) : *string);
  else if (const auto *tuple = value.as<Value::Tuple>()) {
    if (const auto *type = tuple->type ? tuple->type->as<ClassValue>() : nullptr) {
      out += type->name;
      fields(type->fields, [&](size_t i) { return i < tuple->elements.size() ? tuple->elements[i] : nullptr; });
    } else {
      out += "(";
      sequence(tuple->elements, true);
      out += ")";
    }
  } else if (const auto *list = value.as<Value::ListOf>()) {
    out += "[";
    sequence(list->elements, false);
    out += "]";
  } else if (const auto *set = value.as<Value::SetOf>()) {
    if (set->elements.empty())
      out += set->frozen ? "frozenset()" : "set()";
    else {
      out += set->frozen ? "frozenset({" : "{";
      sequence(set->elements, false);
      out += set->frozen ? "})" : "}";
    }
  } else if (const auto *dict = value.as<Value::Dict>()) {
    out += "{";
    for (size_t i = 0; i < dict->items.size() && !full(); ++i) {
      if (i)
        out += ", ";
      write(dict->items[i].first);
      out += ": ";
      write(dict->items[i].second);
    }
    out += "}";
  } else if (const auto *view = value.as<Value::View>()) {
    out += std::string(typeName(value)) + "([";
    const auto *viewed = view->dict->as<Value::Dict>();
    for (size_t i = 0; viewed && i < viewed->items.size() && !full(); ++i) {
      out += i ? ", " : "";
      if (view->part == Value::View::Items)
        out += "(";
      if (view->part != Value::View::Values)
        write(viewed->items[i].first);
      if (view->part == Value::View::Items)
        out += ", ";
      if (view->part != Value::View::Keys)
        write(viewed->items[i].second);
      if (view->part == Value::View::Items)
        out += ")";
    }
    out += "])";
  } else if (const auto *range = value.as<Value::Range>()) {
    out += "range(" + std::to_string(range->start) + ", " + std::to_string(range->stop);
    out += range->step == 1 ? ")" : ", " + std::to_string(range->step) + ")";
  } else if (const auto *slice = value.as<Value::SliceOf>()) {
    out += "slice(";
    write(slice->start);
    out += ", ";
    write(slice->stop);
    out += ", ";
    write(slice->step);
    out += ")";
  } else if (value.as<Value::EllipsisType>())
    out += "Ellipsis";
  else if (const auto *function = value.as<FunctionValue>())
    out += "<function " + function->name + ">";
  else if (const auto *type = value.as<ClassValue>())
    out += (type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum ? "<enum '" : "<class '") + type->name + "'>";
  else if (const auto *module = value.as<ModuleValue>())
    out += "<module " + module->name + ">";
  else if (const auto *method = value.as<BoundMethod>()) {
    write(method->self);
    out += ".";
    const auto *builtin = method->function->as<Builtin>();
    const auto *function = method->function->as<FunctionValue>();
    out += builtin ? builtin->name.substr(builtin->name.rfind('.') + 1) : function ? function->name : "method";
  } else if (const auto *builtin = value.as<Builtin>())
    out += "<built-in " + builtin->name + ">";
  else if (value.as<Iterator>())
    out += "<" + std::string(typeName(value)) + " object>";
  else if (const auto *opaque = value.as<Opaque>()) {
    out += opaque->callee;
    if (opaque->called) {
      out += "(";
      sequence(opaque->arguments, false);
      bool first = opaque->arguments.empty();
      for (const auto &[name, argument] : opaque->keywords) {
        out += (first ? "" : ", ") + name + "=";
        first = false;
        write(argument);
      }
      out += ")";
    }
  } else if (const auto *operation = value.as<OpaqueOperation>()) {
    const List &operands = operation->operands;
    auto operand = [&](const ValueRef &one) { // in parentheses if it is an infix operation itself
      const auto *inner = one->as<OpaqueOperation>();
      bool infix = inner && inner->op != "[]" && inner->op != "()" && inner->op[0] != '.';
      out += infix ? "(" : "";
      write(one);
      out += infix ? ")" : "";
    };
    if (operation->op == "[]" || operation->op == "()") {
      if (!operands.empty())
        operand(operands[0]);
      out += operation->op[0];
      for (size_t i = 1; i < operands.size(); ++i) {
        out += i > 1 ? ", " : "";
        write(operands[i]);
      }
      out += operation->op[1];
    } else if (operation->op[0] == '.') {
      operand(operands[0]);
      out += operation->op;
    } else if (operands.size() == 1) {
      out += operation->op;
      operand(operands[0]);
    } else {
      operand(operands[0]);
      out += " " + operation->op + " ";
      operand(operands[1]);
    }
  } else if (const auto *unknown = value.as<Unknown>())
    out += "<unknown: " + unknown->reason + ">";
  else if (const auto *instance = value.as<InstanceValue>()) {
    std::optional<std::string> own = hook && shared ? hook(*shared) : std::nullopt;
    const auto *type = instance->type->as<ClassValue>();
    if (own)
      out += *own;
    else if (type && type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum && instance->fields.count("name")) {
      out += "<" + type->name + "." + *instance->fields.at("name")->string() + ": ";
      write(instance->fields.at("value"));
      out += ">";
    } else if (type && type->flavor == ClassValue::Flavor::Dataclass) {
      out += type->name;
      fields(type->fields, [&](size_t i) {
        auto found = instance->fields.find(type->fields[i].name);
        return found == instance->fields.end() ? nullptr : found->second;
      });
    } else if (instance->fields.count("args") && (!type || !instance->fields.at("args")->as<Unknown>())) {
      out += std::string(typeName(value)) + "(";
      if (const auto *arguments = instance->fields.at("args")->sequence())
        sequence(*arguments, false);
      out += ")";
    } else
      out += "<" + std::string(typeName(value)) + " object>";
  }
  open.pop_back();
}

std::string repr(const Value &value, size_t limit) {
  ReprWriter writer{{}, limit, {}, {}};
  writer.write(value);
  if (writer.out.size() > limit) {
    size_t cut = limit > 3 ? limit - 3 : 0;
    while (cut && (static_cast<unsigned char>(writer.out[cut]) & 0xc0) == 0x80)
      --cut;
    writer.out.resize(cut);
    writer.out += "...";
  }
  return writer.out;
}

std::string Interpreter::reprText(const ValueRef &value) {
  if (const auto *big = value->as<std::shared_ptr<const BigInt>>(); big && (*big)->bits() > 14000 && (*big)->toString().size() > 4301)
    raise("ValueError", "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit");
  ReprWriter writer{{}, limits_.elements, {}, {}};
  writer.hook = [this](const ValueRef &instance) -> std::optional<std::string> {
    if (auto method = special(instance, "__repr__")) {
      ValueRef result = call(method, List{});
      if (result->isUnknown())
        throw Undetermined{result};
      return text(result, "__repr__ returned non-string");
    }
    return std::nullopt;
  };
  struct Reading {
    int &count;
    explicit Reading(int &count) : count(count) { ++count; }
    ~Reading() { --count; }
  };
  {
    Reading reading(reading_);
    writer.write(value);
  }
  checkElements(writer.out.size());
  charge(writer.out.size() / 32);
  // What depends on an address, on an unknown value or on the order of a set is not known.
  std::vector<const Value *> pending{value.get()};
  size_t seen = 0;
  while (!pending.empty() && ++seen < 100000) {
    const Value *next = pending.back();
    pending.pop_back();
    auto push = [&](const ValueRef &child) { pending.push_back(child.get()); };
    if (next->isUnknown())
      throw Undetermined{makeUnknown(next->as<Unknown>()->reason, next->as<Unknown>()->place)};
    if (isOpaque(*next) || next->as<FunctionValue>() || next->as<ModuleValue>() || next->as<Iterator>() || next->as<BoundMethod>() ||
        next->as<Builtin>())
      unknown("the text of " + repr(*next, 40) + " is not known");
    if (const auto *instance = next->as<InstanceValue>()) {
      const auto *type = instance->type->as<ClassValue>();
      bool own = type && classAttribute(instance->type, "__repr__");
      if (type && type->flavor == ClassValue::Flavor::Plain && !own && !instance->fields.count("args"))
        unknown("the text of " + repr(*next, 40) + " depends on its address");
      if (type && type->flavor == ClassValue::Flavor::Dataclass && !own)
        for (const auto &[name, field] : instance->fields)
          push(field);
    }
    if (const auto *elements = next->sequence())
      for (const ValueRef &element : *elements)
        push(element);
    if (const auto *set = next->as<Value::SetOf>()) {
      if (set->elements.size() > 1)
        unknown("the order of a set's elements is not fixed");
      for (const ValueRef &element : set->elements)
        push(element);
    }
    if (const auto *dict = next->as<Value::Dict>())
      for (const auto &[key, held] : dict->items)
        push(key), push(held);
  }
  return std::move(writer.out);
}

std::string Interpreter::str(const ValueRef &value) {
  if (const auto *string = value->string())
    return *string;
  if (const auto *instance = value->as<InstanceValue>()) {
    if (auto method = special(value, "__str__")) {
      ValueRef result = call(method, List{});
      if (result->isUnknown())
        throw Undetermined{result};
      return text(result, "__str__ returned non-string");
    }
    const auto *type = instance->type->as<ClassValue>();
    if (type && type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum && instance->fields.count("name")) {
      if (special(value, "__repr__"))
        return reprText(value);
      for (const ValueRef &base : resolution(instance->type))
        if (const auto *builtin = base->as<Builtin>(); builtin && (builtin->name == "enum.IntEnum" || builtin->name == "enum.StrEnum"))
          return str(instance->fields.at("value"));
      return type->name + "." + *instance->fields.at("name")->string();
    }
    if (auto arguments = instance->fields.find("args"); arguments != instance->fields.end() && arguments->second->sequence()) {
      const List &list = *arguments->second->sequence();
      if (isSubclass(instance->type, builtinNamed("BaseException"))) {
        if (isSubclass(instance->type, builtinNamed("KeyError")) && list.size() == 1)
          return reprText(list[0]);
        return list.empty() ? "" : list.size() == 1 ? str(list[0]) : reprText(arguments->second);
      }
    }
  }
  return reprText(value);
}

} // namespace tilewright::syntax
