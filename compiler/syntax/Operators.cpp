// Arithmetic and the operators of sequences, sets and DSL values.
#include "syntax/Interpreter.h"

#include <algorithm>
#include <cmath>

namespace tilewright::syntax {

std::optional<Number> Interpreter::number(const Value &value) const {
  if (const auto *small = value.as<int64_t>())
    return Number{Number::Small, *small, nullptr, 0};
  if (const auto *real = value.as<double>())
    return Number{Number::Float, 0, nullptr, *real};
  if (const auto *truth = value.as<bool>())
    return Number{Number::Small, *truth, nullptr, 0};
  if (const auto *big = value.as<std::shared_ptr<const BigInt>>())
    return Number{Number::Big, 0, big->get(), 0};
  if (const auto *instance = value.as<InstanceValue>())
    if (const auto *type = instance->type->as<ClassValue>(); type && type->flavor == ClassValue::Flavor::IntEnum)
      if (auto found = instance->fields.find("value"); found != instance->fields.end() && !found->second->as<InstanceValue>())
        return number(*found->second);
  return std::nullopt;
}

ValueRef Interpreter::integer(BigInt value) {
  if (auto small = value.small())
    return makeInt(*small);
  checkBits(value.bits());
  return std::make_shared<Value>(std::make_shared<const BigInt>(std::move(value)));
}

static double asDouble(Interpreter &interpreter, const Number &number) {
  if (number.kind == Number::Float)
    return number.real;
  double value = number.kind == Number::Small ? static_cast<double>(number.small) : number.big->toDouble();
  if (std::isinf(value))
    interpreter.raise("OverflowError", "int too large to convert to float");
  return value;
}

ValueRef Interpreter::trueDivide(const Number &a, const Number &b) {
  constexpr int64_t kExact = int64_t{1} << 53;
  bool zero = b.kind == Number::Float ? b.real == 0 : b.kind == Number::Small && b.small == 0;
  bool floats = a.kind == Number::Float || b.kind == Number::Float;
  if (zero)
    raise("ZeroDivisionError", floats ? "float division by zero" : "division by zero");
  if (floats)
    return makeFloat(asDouble(*this, a) / asDouble(*this, b));
  if (a.kind == Number::Small && b.kind == Number::Small && a.small >= -kExact && a.small <= kExact && b.small >= -kExact && b.small <= kExact)
    return makeFloat(static_cast<double>(a.small) / static_cast<double>(b.small));
  BigInt x = a.wide(), y = b.wide(), quotient, remainder;
  bool negative = x.negative() != y.negative();
  if (x.negative())
    x = -x;
  if (y.negative())
    y = -y;
  charge((x.bits() / 32 + 1) * (y.bits() / 32 + 1) / 64);
  // Enough bits that one rounding decides; what is cut off is folded into the lowest bit.
  int64_t shift = std::max<int64_t>(0, 70 + static_cast<int64_t>(y.bits()) - static_cast<int64_t>(x.bits()));
  BigInt::floorDivide(x.shiftedLeft(static_cast<uint64_t>(shift)), y, quotient, remainder);
  if (!remainder.zero())
    quotient = BigInt::bitwise('|', quotient, BigInt(1));
  if (quotient.bits() > 1024 + static_cast<uint64_t>(shift))
    raise("OverflowError", "integer division result too large for a float");
  double value = 0;
  if (quotient.bits() > 900) { // only very large quotients: keep their leading bits
    uint64_t drop = quotient.bits() - 80;
    value = std::ldexp(BigInt::bitwise('|', quotient.shiftedRight(drop), BigInt(1)).toDouble(), static_cast<int>(static_cast<int64_t>(drop) - shift));
  } else
    value = std::ldexp(quotient.toDouble(), static_cast<int>(-shift));
  if (std::isinf(value))
    raise("OverflowError", "integer division result too large for a float");
  return makeFloat(negative ? -value : value);
}

/// `op` is one of + - * / % & | ^ < > (shifts); `twice` makes / into //.
ValueRef Interpreter::arithmetic(char op, bool twice, const Number &a, const Number &b) {
  if (op == '/' && !twice)
    return trueDivide(a, b);
  if (a.kind == Number::Float || b.kind == Number::Float) {
    if (op == '&' || op == '|' || op == '^' || op == '<' || op == '>')
      return nullptr;
    double x = asDouble(*this, a), y = asDouble(*this, b);
    switch (op) {
    case '+':
      return makeFloat(x + y);
    case '-':
      return makeFloat(x - y);
    case '*':
      return makeFloat(x * y);
    default: {
      if (y == 0)
        raise("ZeroDivisionError", op == '%' ? "float modulo" : "float floor division by zero");
      double rest = std::fmod(x, y), quotient = (x - rest) / y;
      if (rest != 0) {
        if ((y < 0) != (rest < 0)) {
          rest += y;
          quotient -= 1;
        }
      } else
        rest = std::copysign(0.0, y);
      if (op == '%')
        return makeFloat(rest);
      if (quotient == 0)
        return makeFloat(std::copysign(0.0, x / y));
      double down = std::floor(quotient);
      return makeFloat(quotient - down > 0.5 ? down + 1 : down);
    }
    }
  }
  if (a.kind == Number::Small && b.kind == Number::Small) {
    int64_t x = a.small, y = b.small, result;
    switch (op) {
    case '+':
      if (!__builtin_add_overflow(x, y, &result))
        return makeInt(result);
      break;
    case '-':
      if (!__builtin_sub_overflow(x, y, &result))
        return makeInt(result);
      break;
    case '*':
      if (!__builtin_mul_overflow(x, y, &result))
        return makeInt(result);
      break;
    case '/':
    case '%':
      if (y == 0)
        raise("ZeroDivisionError", op == '%' ? "integer modulo by zero" : "integer division or modulo by zero");
      if (!(x == INT64_MIN && y == -1)) {
        int64_t quotient = x / y, rest = x % y;
        if (rest != 0 && (rest < 0) != (y < 0)) {
          --quotient;
          rest += y;
        }
        return makeInt(op == '%' ? rest : quotient);
      }
      break;
    case '&':
      return makeInt(x & y);
    case '|':
      return makeInt(x | y);
    case '^':
      return makeInt(x ^ y);
    default:
      if (y < 0)
        raise("ValueError", "negative shift count");
      if (op == '>')
        return makeInt(y > 63 ? (x < 0 ? -1 : 0) : x >> y);
      if (y < 62 && x > -(int64_t{1} << (62 - y)) && x < int64_t{1} << (62 - y))
        return makeInt(static_cast<int64_t>(static_cast<uint64_t>(x) << y));
    }
  }
  BigInt x = a.wide(), y = b.wide();
  uint64_t work = std::max(x.bits(), y.bits()) / 256;
  switch (op) {
  case '+':
    charge(work);
    return integer(x + y);
  case '-':
    charge(work);
    return integer(x - y);
  case '*':
    checkBits(x.bits() + y.bits());
    charge((x.bits() / 32 + 1) * (y.bits() / 32 + 1) / 64);
    return integer(x * y);
  case '/':
  case '%': {
    if (y.zero())
      raise("ZeroDivisionError", op == '%' ? "integer modulo by zero" : "integer division or modulo by zero");
    charge((x.bits() / 32 + 1) * (y.bits() / 32 + 1) / 64);
    BigInt quotient, remainder;
    BigInt::floorDivide(x, y, quotient, remainder);
    return integer(op == '%' ? std::move(remainder) : std::move(quotient));
  }
  case '&':
  case '|':
  case '^':
    charge(work);
    return integer(BigInt::bitwise(op, x, y));
  default: {
    if (y.negative())
      raise("ValueError", "negative shift count");
    charge(work);
    auto by = y.small();
    if (op == '>')
      return integer(by ? x.shiftedRight(static_cast<uint64_t>(*by)) : BigInt(x.negative() ? -1 : 0));
    if (x.zero())
      return makeInt(0);
    checkBits(by ? x.bits() + static_cast<uint64_t>(*by) : UINT64_MAX);
    charge(static_cast<uint64_t>(*by) / 256);
    return integer(x.shiftedLeft(static_cast<uint64_t>(*by)));
  }
  }
}

ValueRef Interpreter::power(const ValueRef &base, const ValueRef &exponent, const ValueRef &modulus) {
  for (const ValueRef *operand : {&base, &exponent, &modulus})
    if (*operand && (*operand)->isUnknown())
      return *operand;
  auto a = number(*base), b = number(*exponent);
  if (!a || !b) {
    if (auto method = special(base, "__pow__"))
      return call(method, List{exponent});
    if (isOpaque(*base) || isOpaque(*exponent))
      return opaqueOperation("**", {base, exponent});
    raise("TypeError", "unsupported operand type(s) for ** or pow(): '" + std::string(typeName(*base)) + "' and '" + std::string(typeName(*exponent)) + "'");
  }
  bool whole = a->kind != Number::Float && b->kind != Number::Float;
  if (modulus && !isNone(modulus)) {
    auto m = number(*modulus);
    if (!m || m->kind == Number::Float || !whole)
      raise("TypeError", "pow() 3rd argument not allowed unless all arguments are integers");
    BigInt divisor = m->wide(), power = b->wide(), quotient, result(1), factor;
    if (divisor.zero())
      raise("ValueError", "pow() 3rd argument cannot be 0");
    if (power.negative())
      unknown("`pow` with a negative exponent and a modulus is not evaluated");
    BigInt::floorDivide(a->wide(), divisor, quotient, factor);
    uint64_t limbs = divisor.bits() / 32 + 1;
    for (uint64_t i = 0; i < power.bits(); ++i) {
      charge(limbs * limbs / 16 + 1);
      if (power.shiftedRight(i).odd())
        BigInt::floorDivide(result * factor, divisor, quotient, result);
      BigInt::floorDivide(factor * factor, divisor, quotient, factor);
    }
    BigInt::floorDivide(result, divisor, quotient, result);
    return integer(std::move(result));
  }
  bool negative = whole && (b->kind == Number::Small ? b->small < 0 : b->big->negative());
  if (whole && !negative) {
    BigInt x = a->wide();
    if (b->kind == Number::Small && b->small == 0)
      return makeInt(1);
    if (x.zero() || x == BigInt(1))
      return makeInt(x.zero() ? 0 : 1);
    if (x == BigInt(-1))
      return makeInt(b->wide().odd() ? -1 : 1);
    if (b->kind == Number::Big || static_cast<uint64_t>(b->small) > limits_.integerBits + 1)
      checkBits(UINT64_MAX);
    auto count = static_cast<uint64_t>(b->small);
    checkBits((x.bits() - 1) * count);
    BigInt result(1);
    for (int bit = 63 - __builtin_clzll(count); bit >= 0; --bit) {
      charge((result.bits() / 32 + 1) * (result.bits() / 32 + 1) / 64);
      result = result * result;
      if (count >> bit & 1)
        result = result * x;
    }
    return integer(std::move(result));
  }
  double x = asDouble(*this, *a), y = asDouble(*this, *b);
  if (x == 0 && y < 0)
    raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  if (x < 0 && std::isfinite(x) && std::isfinite(y) && y != std::floor(y))
    unknown("complex numbers are not evaluated");
  double result = std::pow(x, y);
  if (std::isinf(result) && std::isfinite(x) && std::isfinite(y))
    raise("OverflowError", "(34, 'Numerical result out of range')");
  return makeFloat(result);
}

ValueRef Interpreter::opaqueOperation(std::string_view op, List operands) {
  uint32_t depth = 0;
  for (ValueRef &operand : operands) {
    operand = snapshot(operand);
    depth = std::max(depth, operand->depth);
  }
  auto value = make(OpaqueOperation{std::string(op), std::move(operands), here()});
  nest(*value, depth);
  return value;
}

static std::string_view methodOf(std::string_view op) {
  static const std::map<std::string_view, std::string_view> names = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "truediv"}, {"//", "floordiv"}, {"%", "mod"}, {"**", "pow"},
      {"<<", "lshift"}, {">>", "rshift"}, {"&", "and"}, {"|", "or"}, {"^", "xor"}, {"@", "matmul"}};
  auto found = names.find(op);
  return found == names.end() ? std::string_view() : found->second;
}

ValueRef Interpreter::binary(std::string_view op, const ValueRef &left, const ValueRef &right, bool inPlace) {
  if (left->isUnknown())
    return left;
  if (right->isUnknown())
    return right;
  auto a = number(*left), b = number(*right);
  if (a && b && op != "@") {
    if (op == "**")
      return power(left, right, nullptr);
    if (op.size() == 1 && (op == "&" || op == "|" || op == "^") && left->as<bool>() && right->as<bool>()) {
      bool x = *left->as<bool>(), y = *right->as<bool>();
      return boolean(op == "&" ? x && y : op == "|" ? x || y : x != y);
    }
    if (ValueRef result = arithmetic(op[0], op.size() == 2, *a, *b))
      return result;
  }
  if (op == "%" && left->string())
    return makeString(percentFormat(*left->string(), right));
  if (left->as<InstanceValue>() || right->as<InstanceValue>()) {
    std::string name = "__" + std::string(methodOf(op)) + "__";
    std::string reflected = "__r" + name.substr(2), changed = "__i" + name.substr(2);
    auto attempt = [&](const ValueRef &self, const std::string &method, const ValueRef &other) -> ValueRef {
      if (!self->as<InstanceValue>())
        return nullptr;
      ValueRef bound = special(self, method);
      if (!bound)
        return nullptr;
      ValueRef result = call(bound, List{other});
      const auto *builtin = result->as<Builtin>();
      return builtin && builtin->name == "NotImplemented" ? nullptr : result;
    };
    ValueRef result = inPlace ? attempt(left, changed, right) : nullptr;
    if (!result)
      result = attempt(left, name, right);
    if (!result)
      result = attempt(right, reflected, left);
    if (result)
      return result;
    for (const ValueRef *operand : {&left, &right})
      if (const auto *instance = (*operand)->as<InstanceValue>())
        if (const auto *type = instance->type->as<ClassValue>())
          for (const ValueRef &base : resolution(instance->type))
            if (const auto *builtin = base->as<Builtin>(); builtin && (builtin->name == "enum.Flag" || builtin->name == "enum.IntFlag"))
              unknown("combined flags of `" + type->name + "` are not evaluated");
    if (const auto *instance = left->as<InstanceValue>(); instance)
      if (const auto *type = instance->type->as<ClassValue>(); type && type->flavor == ClassValue::Flavor::StrEnum)
        return binary(op, instance->fields.at("value"), right);
    if (const auto *instance = right->as<InstanceValue>(); instance)
      if (const auto *type = instance->type->as<ClassValue>(); type && type->flavor == ClassValue::Flavor::StrEnum)
        return binary(op, left, instance->fields.at("value"));
  }
  // `(32, 48) @ {B()}`: a layout given as a tuple, with the states of its values.
  if (isOpaque(*left) || isOpaque(*right) || (op == "@" && right->as<Value::SetOf>()))
    return opaqueOperation(op, {left, right});
  if (op == "+" || op == "*") {
    const auto *x = left->sequence(), *y = right->sequence();
    if (op == "+") {
      if (left->string() && right->string()) {
        checkElements(left->string()->size() + right->string()->size());
        charge((left->string()->size() + right->string()->size()) / 64);
        return makeString(*left->string() + *right->string());
      }
      if (inPlace && left->as<Value::ListOf>()) {
        Arguments arguments{{right}, {}};
        listMethod(left, "extend", arguments);
        return left;
      }
      if (x && y && left->data.index() == right->data.index()) {
        checkElements(x->size() + y->size());
        charge((x->size() + y->size()) / 4);
        List joined = *x;
        joined.insert(joined.end(), y->begin(), y->end());
        return left->as<Value::ListOf>() ? list(std::move(joined)) : tuple(std::move(joined));
      }
    } else {
      const ValueRef &repeated = x || left->string() ? left : right, &times = x || left->string() ? right : left;
      auto count = number(*times);
      if ((repeated->sequence() || repeated->string()) && count && count->kind != Number::Float) {
        uint64_t size = repeated->string() ? repeated->string()->size() : repeated->sequence()->size();
        if (count->kind == Number::Big)
          raise("OverflowError", "cannot fit 'int' into an index-sized integer");
        uint64_t n = count->small < 0 ? 0 : static_cast<uint64_t>(count->small);
        if (size == 0 || n == 0)
          size = n = 0;
        if (n > limits_.elements || size * n > limits_.elements)
          checkElements(UINT64_MAX);
        charge(size * n / (repeated->string() ? 64 : 4));
        if (const auto *string = repeated->string()) {
          std::string made;
          made.reserve(size * n);
          for (uint64_t i = 0; i < n; ++i)
            made += *string;
          return makeString(std::move(made));
        }
        const List elements = *repeated->sequence();
        List made;
        made.reserve(size * n);
        for (uint64_t i = 0; i < n; ++i)
          made.insert(made.end(), elements.begin(), elements.end());
        if (!repeated->as<Value::ListOf>())
          return tuple(std::move(made));
        if (inPlace && repeated == left) {
          std::get<Value::ListOf>(changing(left).data).elements = std::move(made);
          return left;
        }
        return list(std::move(made));
      }
    }
  }
  auto setLike = [](const ValueRef &value) {
    const auto *view = value->as<Value::View>();
    return value->as<Value::SetOf>() || (view && view->part != Value::View::Values);
  };
  if (setLike(left) && setLike(right) && (op == "|" || op == "&" || op == "-" || op == "^")) {
    Arguments arguments{{right}, {}};
    std::string_view method = op == "|" ? "union" : op == "&" ? "intersection" : op == "-" ? "difference" : "symmetric_difference";
    ValueRef self = left->as<Value::SetOf>() ? left : setOf(items(left));
    ValueRef result = setMethod(self, method, arguments);
    if (inPlace && left->as<Value::SetOf>() && !left->as<Value::SetOf>()->frozen) {
      changing(left).data = result->data;
      return left;
    }
    return result;
  }
  if (op == "|" && left->as<Value::Dict>() && right->as<Value::Dict>()) {
    ValueRef merged = inPlace ? left : dict(left->as<Value::Dict>()->items);
    Arguments arguments{{right}, {}};
    dictMethod(merged, "update", arguments);
    return merged;
  }
  if (op == "@" && left->as<Value::Tuple>() && right->as<Value::SetOf>())
    return opaqueOperation(op, {left, right}); // a layout and its states: `(32, 48) @ {B()}`
  if (op == "+" && !out && left->as<Value::Tuple>() && right->integer())
    return opaqueOperation(op, {left, right}); // inside a schedule, a layout and its offset: `(64, 64) + 4`
  auto typeLike = [](const ValueRef &value) { return value->as<Builtin>() || value->as<ClassValue>() || isNone(value); };
  if (op == "|" && typeLike(left) && typeLike(right) && !(isNone(left) && isNone(right)))
    return tuple({left, right}); // `int | None`: isinstance reads it like a tuple
  const ValueRef &sequence = left->sequence() || left->string() ? left : right;
  const ValueRef &other = sequence == left ? right : left;
  if (op == "+" && sequence == left && (left->sequence() || left->string())) {
    std::string name(left->string() ? "str" : left->as<Value::ListOf>() ? "list" : "tuple");
    raise("TypeError", "can only concatenate " + name + " (not \"" + std::string(typeName(*right)) + "\") to " + name);
  }
  if (op == "*" && (sequence->sequence() || sequence->string()))
    raise("TypeError", "can't multiply sequence by non-int of type '" + std::string(typeName(*other)) + "'");
  raise("TypeError", "unsupported operand type(s) for " + std::string(op == "**" ? "** or pow()" : op) + (inPlace ? "=" : "") + ": '" + std::string(typeName(*left)) + "' and '" +
                         std::string(typeName(*right)) + "'");
}

ValueRef Interpreter::unary(std::string_view op, const ValueRef &operand) {
  if (op == "not")
    return operand->isUnknown() ? operand : boolean(!truth(operand));
  if (operand->isUnknown())
    return operand;
  if (auto value = number(*operand)) {
    if (value->kind == Number::Float) {
      if (op != "~")
        return makeFloat(op == "-" ? -value->real : value->real);
    } else if (op == "+")
      return value->kind == Number::Small ? makeInt(value->small) : operand;
    else if (value->kind == Number::Small && value->small != INT64_MIN)
      return makeInt(op == "-" ? -value->small : ~value->small);
    else
      return integer(op == "-" ? -value->wide() : -value->wide() - BigInt(1));
  }
  if (isOpaque(*operand))
    return opaqueOperation(op, {operand});
  if (operand->as<InstanceValue>())
    if (auto method = special(operand, op == "-" ? "__neg__" : op == "+" ? "__pos__" : "__invert__"))
      return call(method, List{});
  raise("TypeError", "bad operand type for unary " + std::string(op) + ": '" + std::string(typeName(*operand)) + "'");
}

} // namespace tilewright::syntax
