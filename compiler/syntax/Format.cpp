// Format specifications: f-strings, format(), str.format() and the % operator.
#include "syntax/Interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilewright::syntax {

namespace {

struct Spec {
  std::u32string fill = U" ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false, zeros = false, noNegativeZero = false;
  std::optional<uint64_t> width, precision;
};

/// nullopt: not a specification.
std::optional<Spec> parseSpec(std::string_view text) {
  std::u32string spec = decode(text);
  Spec result;
  size_t at = 0;
  bool fillGiven = false;
  auto isAlign = [](char32_t c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  auto peek = [&] { return at < spec.size() ? spec[at] : U'\0'; };
  auto number = [&]() -> std::optional<uint64_t> {
    if (peek() < '0' || peek() > '9')
      return std::nullopt;
    uint64_t value = 0;
    while (peek() >= '0' && peek() <= '9')
      value = std::min<uint64_t>(value * 10 + (spec[at++] - '0'), uint64_t{1} << 40);
    return value;
  };
  if (spec.size() > 1 && isAlign(spec[1])) {
    result.fill = spec.substr(0, 1);
    fillGiven = true;
    result.align = static_cast<char>(spec[1]);
    at = 2;
  } else if (isAlign(peek()))
    result.align = static_cast<char>(spec[at++]);
  if (peek() == '+' || peek() == '-' || peek() == ' ')
    result.sign = static_cast<char>(spec[at++]);
  if (peek() == 'z')
    result.noNegativeZero = true, ++at;
  if (peek() == '#')
    result.alternate = true, ++at;
  if (peek() == '0') {
    result.zeros = true;
    if (!fillGiven)
      result.fill = U"0";
    ++at;
  }
  result.width = number();
  if (peek() == ',' || peek() == '_')
    result.grouping = static_cast<char>(spec[at++]);
  if (peek() == '.') {
    ++at;
    result.precision = number();
    if (!result.precision)
      return std::nullopt;
  }
  if (at < spec.size() && spec[at] < 0x80)
    result.type = static_cast<char>(spec[at++]);
  if (at != spec.size())
    return std::nullopt;
  return result;
}

std::string grouped(const std::string &digits, char separator, size_t size) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % size == 0)
      out += separator;
    out += digits[i];
  }
  return out;
}

/// `sign`, `prefix`, digits before the point and everything after, padded and grouped.
std::string layOut(const Spec &spec, const std::string &sign, const std::string &prefix, std::string whole, const std::string &rest, size_t groupSize) {
  char align = spec.align ? spec.align : spec.zeros ? '=' : '>';
  uint64_t width = spec.width.value_or(0);
  bool zeroFill = align == '=' && spec.fill == U"0";
  if (spec.grouping) {
    if (zeroFill) { // zeros take part in the grouping
      uint64_t fixed = sign.size() + prefix.size() + rest.size();
      while (fixed + whole.size() + (whole.size() - 1) / groupSize < width)
        whole.insert(whole.begin(), '0');
    }
    whole = grouped(whole, spec.grouping, groupSize);
  }
  std::string body = prefix + whole + rest;
  uint64_t used = sign.size() + body.size();
  if (used >= width)
    return sign + body;
  uint64_t padding = width - used;
  auto fill = [&](uint64_t count) {
    std::string unit = encode(spec.fill), out;
    for (uint64_t i = 0; i < count; ++i)
      out += unit;
    return out;
  };
  switch (align) {
  case '<':
    return sign + body + fill(padding);
  case '^':
    return fill(padding / 2) + sign + body + fill(padding - padding / 2);
  case '=':
    return sign + prefix + fill(padding) + whole + rest;
  default:
    return fill(padding) + sign + body;
  }
}

std::string digitsOf(double value, const char *format, int precision) {
  char small[64];
  int size = std::snprintf(small, sizeof small, format, precision, value);
  if (size < static_cast<int>(sizeof small))
    return small;
  std::string large(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(large.data(), large.size(), format, precision, value);
  large.pop_back();
  return large;
}

std::string stripZeros(std::string digits) {
  while (digits.size() > 1 && digits.back() == '0')
    digits.pop_back();
  return digits;
}

/// Magnitude of a finite number in a float presentation type, point included.
std::string floatDigits(double value, char type, std::optional<uint64_t> given, bool alternate) {
  bool dotZero = type == 0; // like `g`, but fixed notation keeps a digit after the point
  if (type == 0 && !given)
    return floatText(value);
  int precision = static_cast<int>(given.value_or(6));
  char lower = static_cast<char>(type >= 'A' && type <= 'Z' ? type + 32 : type);
  if (lower == '%')
    return digitsOf(value * 100, "%.*f", precision) + (alternate && precision == 0 ? "." : "") + "%";
  if (lower == 'f')
    return digitsOf(value, "%.*f", precision) + (alternate && precision == 0 ? "." : "");
  if (lower == 'e') {
    std::string text = digitsOf(value, "%.*e", precision);
    return alternate && precision == 0 ? text.insert(text.find('e'), ".") : text;
  }
  if (precision == 0)
    precision = 1;
  std::string text = digitsOf(value, "%.*e", precision - 1);
  size_t e = text.find('e');
  int exponent = std::atoi(text.c_str() + e + 1);
  std::string digits = text.substr(0, 1) + (e > 1 ? text.substr(2, e - 2) : "");
  if (exponent < -4 || exponent >= precision - (dotZero ? 1 : 0)) {
    if (!alternate)
      digits = stripZeros(digits);
    std::string out = digits.substr(0, 1);
    if (digits.size() > 1 || alternate)
      out += "." + digits.substr(1);
    return out + text.substr(e);
  }
  std::string whole, rest;
  if (exponent < 0) {
    whole = "0";
    rest = std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  } else {
    auto count = static_cast<size_t>(exponent) + 1;
    whole = digits.substr(0, count);
    rest = digits.substr(count);
  }
  if (!alternate)
    while (!rest.empty() && rest.back() == '0')
      rest.pop_back();
  if (rest.empty() && dotZero)
    rest = "0";
  return rest.empty() && !alternate ? whole : whole + "." + rest;
}

} // namespace

std::string Interpreter::formatNumber(const Number &number, const ValueRef &value, std::string_view text) {
  auto spec = parseSpec(text);
  if (!spec)
    raise("ValueError", "Invalid format specifier '" + std::string(text) + "' for object of type '" + std::string(typeName(*value)) + "'");
  checkElements(spec->width.value_or(0));
  checkElements(spec->precision.value_or(0));
  charge(spec->width.value_or(0) / 16 + spec->precision.value_or(0) / 16);
  bool isFloat = number.kind == Number::Float;
  char type = spec->type;
  if (!isFloat && (type == 0 || std::string_view("bcdoxXn").find(type) != std::string_view::npos)) {
    if (spec->precision)
      raise("ValueError", "Precision not allowed in integer format specifier");
    if (type == 'c') {
      if (number.kind != Number::Small || number.small < 0 || number.small > 0x10ffff)
        raise("OverflowError", "%c arg not in range(0x110000)");
      Spec like = *spec;
      like.align = like.align ? like.align : '<';
      return layOut(like, "", "", encode(std::u32string(1, static_cast<char32_t>(number.small))), "", 3);
    }
    int base = type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
    BigInt wide = number.wide();
    if (base == 10 && wide.bits() > 14300)
      raise("ValueError", "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit");
    std::string digits = wide.toString(base), sign;
    if (digits[0] == '-') {
      digits.erase(0, 1);
      sign = "-";
    } else if (spec->sign != '-')
      sign = spec->sign;
    if (type == 'X')
      std::transform(digits.begin(), digits.end(), digits.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    std::string prefix = spec->alternate && base != 10 ? std::string("0") + type : "";
    if (spec->grouping == ',' && base != 10)
      raise("ValueError", std::string("Cannot specify ',' with '") + type + "'.");
    return layOut(*spec, sign, prefix, digits, "", base == 10 ? 3 : 4);
  }
  if (type != 0 && std::string_view("eEfFgGn%").find(type) == std::string_view::npos)
    raise("ValueError", std::string("Unknown format code '") + type + "' for object of type '" + std::string(typeName(*value)) + "'");
  double real = isFloat ? number.real : number.wide().toDouble();
  if (!isFloat && std::isinf(real))
    raise("OverflowError", "int too large to convert to float");
  bool negative = std::signbit(real) && !std::isnan(real);
  std::string digits;
  if (!std::isfinite(real))
    digits = std::string(std::isnan(real) ? "nan" : "inf") + (type == '%' ? "%" : "");
  else
    digits = floatDigits(std::fabs(real), type == 'n' ? 'g' : type, spec->precision, spec->alternate);
  if (negative && spec->noNegativeZero && digits.find_first_of("123456789") == std::string::npos)
    negative = false;
  if (type >= 'A' && type <= 'Z')
    std::transform(digits.begin(), digits.end(), digits.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  std::string sign = negative ? "-" : spec->sign != '-' ? std::string(1, spec->sign) : "";
  size_t end = 0;
  while (end < digits.size() && digits[end] >= '0' && digits[end] <= '9')
    ++end;
  if (end == 0) { // inf and nan are not grouped
    Spec like = *spec;
    like.grouping = 0;
    return layOut(like, sign, "", digits, "", 3);
  }
  return layOut(*spec, sign, "", digits.substr(0, end), digits.substr(end), 3);
}

std::string Interpreter::formatValue(const ValueRef &value, std::string_view spec) {
  if (value->isUnknown())
    throw Undetermined{value};
  if (const auto *instance = value->as<InstanceValue>()) {
    if (auto method = special(value, "__format__"))
      return text(call(method, List{makeString(std::string(spec))}), "__format__ must return a str");
    const auto *type = instance->type->as<ClassValue>();
    if (type && type->flavor == ClassValue::Flavor::IntEnum && !spec.empty() && str(value).find('.') == std::string::npos)
      return formatValue(instance->fields.at("value"), spec);
    if (spec.empty())
      return str(value);
    if (type && type->flavor >= ClassValue::Flavor::Enum && type->flavor <= ClassValue::Flavor::StrEnum)
      return formatValue(makeString(str(value)), spec);
  }
  if (spec.empty())
    return str(value);
  if (auto numeric = number(*value))
    return formatNumber(*numeric, value, spec);
  if (const auto *string = value->string()) {
    auto parsed = parseSpec(spec);
    if (!parsed)
      raise("ValueError", "Invalid format specifier '" + std::string(spec) + "' for object of type 'str'");
    if (parsed->type && parsed->type != 's')
      raise("ValueError", std::string("Unknown format code '") + parsed->type + "' for object of type 'str'");
    if (parsed->sign != '-' || parsed->align == '=' || parsed->grouping || parsed->alternate)
      raise("ValueError", "this format specifier is not allowed for a str");
    checkElements(parsed->width.value_or(0));
    charge(parsed->width.value_or(0) / 16);
    std::u32string points = decode(*string);
    if (parsed->precision && points.size() > *parsed->precision)
      points.resize(*parsed->precision);
    uint64_t padding = parsed->width.value_or(0) > points.size() ? *parsed->width - points.size() : 0;
    uint64_t before = parsed->align == '>' ? padding : parsed->align == '^' ? padding / 2 : 0;
    return encode(std::u32string(before, parsed->fill[0]) + points + std::u32string(padding - before, parsed->fill[0]));
  }
  if (isOpaque(*value) || value->as<FunctionValue>() || value->as<Builtin>())
    unknown("the text of " + repr(*value, 40) + " is not known");
  raise("TypeError", "unsupported format string passed to " + std::string(typeName(*value)) + ".__format__");
}

std::string Interpreter::percentFormat(const std::string &format, const ValueRef &values) {
  std::string out;
  const auto *tuple = values->as<Value::Tuple>();
  const auto *dict = values->as<Value::Dict>();
  size_t used = 0;
  bool byName = false;
  auto next = [&]() -> ValueRef {
    if (tuple) {
      if (used >= tuple->elements.size())
        raise("TypeError", "not enough arguments for format string");
      return tuple->elements[used++];
    }
    if (used++)
      raise("TypeError", "not enough arguments for format string");
    return values;
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    ++i;
    ValueRef named;
    if (i < format.size() && format[i] == '(') {
      size_t close = format.find(')', i);
      if (close == std::string::npos)
        raise("ValueError", "incomplete format key");
      if (!dict)
        raise("TypeError", "format requires a mapping");
      named = subscript(values, makeString(format.substr(i + 1, close - i - 1)));
      byName = true;
      i = close + 1;
    }
    bool left = false, plus = false, blank = false, zero = false, alternate = false;
    for (; i < format.size(); ++i) {
      char c = format[i];
      if (c == '-') left = true;
      else if (c == '+') plus = true;
      else if (c == ' ') blank = true;
      else if (c == '0') zero = true;
      else if (c == '#') alternate = true;
      else break;
    }
    auto size = [&]() -> std::optional<uint64_t> {
      if (i < format.size() && format[i] == '*') {
        ++i;
        return static_cast<uint64_t>(std::max<int64_t>(0, index(next(), "* wants int")));
      }
      if (i >= format.size() || format[i] < '0' || format[i] > '9')
        return std::nullopt;
      uint64_t value = 0;
      for (; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i)
        value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(format[i] - '0'), uint64_t{1} << 40);
      return value;
    };
    auto width = size();
    std::optional<uint64_t> precision;
    if (i < format.size() && format[i] == '.') {
      ++i;
      precision = size().value_or(0);
    }
    while (i < format.size() && (format[i] == 'l' || format[i] == 'h' || format[i] == 'L'))
      ++i;
    if (i >= format.size())
      raise("ValueError", "incomplete format");
    char type = format[i];
    if (type == '%') {
      out += '%';
      continue;
    }
    ValueRef value = named ? named : next();
    if (value->isUnknown())
      throw Undetermined{value};
    std::string spec;
    if (type == 's' || type == 'r' || type == 'a') {
      spec = left ? "<" : ">";
      if (width)
        spec += std::to_string(*width);
      if (precision)
        spec += "." + std::to_string(*precision);
      out += formatValue(makeString(type == 's' ? str(value) : reprText(value)), spec);
      continue;
    }
    if (type == 'c' && value->string()) {
      out += *value->string();
      continue;
    }
    auto numeric = number(*value);
    if (std::string_view("diuoxXeEfFgGc").find(type) == std::string_view::npos)
      raise("ValueError", std::string("unsupported format character '") + type + "'");
    if (!numeric)
      raise("TypeError", std::string("%") + type + " format: a real number is required, not " + std::string(typeName(*value)));
    bool whole = std::string_view("diuoxXc").find(type) != std::string_view::npos;
    if (whole && numeric->kind == Number::Float) {
      if (std::string_view("diu").find(type) == std::string_view::npos)
        raise("TypeError", std::string("%") + type + " format: an integer is required, not float");
      value = call(builtinNamed("int"), List{value});
      numeric = number(*value);
    }
    spec = left ? "<" : zero ? "" : ">";
    spec += plus ? "+" : blank ? " " : "";
    spec += alternate && type != 'd' ? "#" : "";
    spec += zero && !left ? "0" : "";
    if (width)
      spec += std::to_string(*width);
    if (!whole)
      spec += "." + std::to_string(precision.value_or(6));
    spec += type == 'i' || type == 'u' ? 'd' : type;
    std::string made = formatNumber(*numeric, value, spec);
    out += made;
    checkElements(out.size());
  }
  if (tuple && !byName && used < tuple->elements.size())
    raise("TypeError", "not all arguments converted during string formatting");
  if (!tuple && !dict && !values->as<Value::ListOf>() && !values->as<Value::Range>() && !byName && used == 0)
    raise("TypeError", "not all arguments converted during string formatting");
  return out;
}

std::string Interpreter::formatString(const std::string &format, Arguments &arguments) {
  std::string out;
  size_t automatic = 0;
  auto field = [&](std::string_view name) -> ValueRef {
    size_t end = name.find_first_of(".[");
    std::string_view head = name.substr(0, end);
    ValueRef value;
    if (head.empty() || std::all_of(head.begin(), head.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      size_t at = head.empty() ? automatic++ : std::stoul(std::string(head.substr(0, 9)));
      if (at >= arguments.positional.size())
        raise("IndexError", "Replacement index " + std::to_string(at) + " out of range for positional args tuple");
      value = arguments.positional[at];
    } else if (!(value = arguments.keyword(head)))
      raise("KeyError", std::string(head));
    while (end < name.size()) {
      size_t start = end + 1;
      if (name[end] == '.') {
        end = std::min(name.size(), name.find_first_of(".[", start));
        value = attribute(value, name.substr(start, end - start));
      } else {
        size_t close = name.find(']', start);
        if (close == name.npos)
          raise("ValueError", "expected '}' before end of string");
        std::string_view key = name.substr(start, close - start);
        bool digits = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
        value = subscript(value, digits ? parseInteger(key, 10) : makeString(std::string(key)));
        end = close + 1;
      }
    }
    return value;
  };
  std::function<std::string(std::string_view, int)> expand = [&](std::string_view text, int level) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      step();
      char c = text[i];
      if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c && (level == 0)) {
        result += c;
        ++i;
        continue;
      }
      if (c == '}')
        raise("ValueError", "Single '}' encountered in format string");
      if (c != '{') {
        result += c;
        continue;
      }
      size_t close = i + 1;
      for (int depth = 1; close < text.size(); ++close) {
        depth += text[close] == '{' ? 1 : text[close] == '}' ? -1 : 0;
        if (depth == 0)
          break;
      }
      if (close >= text.size())
        raise("ValueError", "expected '}' before end of string");
      std::string_view inside = text.substr(i + 1, close - i - 1);
      size_t nameEnd = std::min(inside.size(), inside.find_first_of("!:"));
      ValueRef value = field(inside.substr(0, nameEnd));
      if (value->isUnknown())
        throw Undetermined{value};
      std::string_view rest = inside.substr(nameEnd);
      if (!rest.empty() && rest[0] == '!') {
        value = makeString(rest.size() > 1 && rest[1] == 's' ? str(value) : reprText(value));
        rest.remove_prefix(std::min<size_t>(2, rest.size()));
      }
      std::string spec;
      if (!rest.empty() && rest[0] == ':') {
        if (level > 1)
          raise("ValueError", "Max string recursion exceeded");
        spec = expand(rest.substr(1), level + 1);
      }
      result += formatValue(value, spec);
      checkElements(result.size());
      i = close;
    }
    return result;
  };
  return expand(format, 0);
}

} // namespace tilewright::syntax
