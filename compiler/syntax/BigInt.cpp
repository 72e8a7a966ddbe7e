#include "syntax/BigInt.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tilewright::syntax {

static void trim(std::vector<uint32_t> &limbs) {
  while (!limbs.empty() && limbs.back() == 0)
    limbs.pop_back();
}

BigInt::BigInt(int64_t value) : negative_(value < 0) {
  uint64_t magnitude = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  for (; magnitude; magnitude >>= 32)
    limbs_.push_back(static_cast<uint32_t>(magnitude));
}

BigInt::BigInt(bool negative, Limbs limbs) : negative_(negative), limbs_(std::move(limbs)) {
  trim(limbs_);
  if (limbs_.empty())
    negative_ = false;
}

std::optional<BigInt> BigInt::parse(std::string_view digits, int base) {
  if (digits.empty())
    return std::nullopt;
  Limbs limbs;
  uint32_t chunk = 0, scale = 1;
  auto flush = [&] {
    uint64_t carry = chunk;
    for (uint32_t &limb : limbs) {
      uint64_t product = uint64_t{limb} * scale + carry;
      limb = static_cast<uint32_t>(product);
      carry = product >> 32;
    }
    if (carry)
      limbs.push_back(static_cast<uint32_t>(carry));
    chunk = 0, scale = 1;
  };
  for (char c : digits) {
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
    if (digit >= base)
      return std::nullopt;
    chunk = chunk * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
    scale *= static_cast<uint32_t>(base);
    if (scale > (1u << 26))
      flush();
  }
  flush();
  return BigInt(false, std::move(limbs));
}

BigInt BigInt::fromDouble(double value) {
  int exponent = 0;
  double fraction = std::frexp(std::fabs(value), &exponent); // [0.5, 1)
  if (exponent <= 0)
    return {};
  auto mantissa = static_cast<int64_t>(std::ldexp(fraction, 53));
  BigInt result(mantissa);
  result = exponent >= 53 ? result.shiftedLeft(static_cast<uint64_t>(exponent - 53)) : result.shiftedRight(static_cast<uint64_t>(53 - exponent));
  return value < 0 ? -result : result;
}

std::optional<int64_t> BigInt::small() const {
  if (limbs_.size() > 2)
    return std::nullopt;
  uint64_t magnitude = 0;
  for (size_t i = limbs_.size(); i--;)
    magnitude = magnitude << 32 | limbs_[i];
  if (negative_ ? magnitude > uint64_t{1} << 63 : magnitude > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(negative_ ? uint64_t{0} - magnitude : magnitude);
}

uint64_t BigInt::bits() const {
  return limbs_.empty() ? 0 : (limbs_.size() - 1) * 32 + static_cast<uint64_t>(std::bit_width(limbs_.back()));
}

uint64_t BigInt::ones() const {
  uint64_t count = 0;
  for (uint32_t limb : limbs_)
    count += static_cast<uint64_t>(std::popcount(limb));
  return count;
}

double BigInt::toDouble() const {
  uint64_t width = bits();
  if (width == 0)
    return 0;
  if (width > 1024)
    return negative_ ? -INFINITY : INFINITY;
  // 64 leading bits with the rest folded into the lowest one: one rounding, done by the conversion below.
  uint64_t top = 0;
  bool sticky = false;
  for (uint64_t i = 0; i < 64; ++i) {
    top <<= 1;
    if (i < width) {
      uint64_t at = width - 1 - i;
      top |= limbs_[at / 32] >> (at % 32) & 1;
    }
  }
  if (width > 64)
    for (uint64_t at = 0; at < width - 64 && !sticky; ++at)
      sticky = limbs_[at / 32] >> (at % 32) & 1;
  double value = std::ldexp(static_cast<double>(top | (sticky ? 1 : 0)), static_cast<int>(width) - 64);
  return negative_ ? -value : value;
}

std::string BigInt::toString(int base) const {
  if (limbs_.empty())
    return "0";
  uint32_t chunk = static_cast<uint32_t>(base), digits = 1;
  while (uint64_t{chunk} * static_cast<uint32_t>(base) <= 1000000000u)
    chunk *= static_cast<uint32_t>(base), ++digits;
  std::string text;
  Limbs rest = limbs_;
  while (!rest.empty()) {
    uint64_t remainder = 0;
    for (size_t i = rest.size(); i--;) {
      uint64_t current = remainder << 32 | rest[i];
      rest[i] = static_cast<uint32_t>(current / chunk);
      remainder = current % chunk;
    }
    trim(rest);
    for (uint32_t i = 0; i < digits && (remainder || !rest.empty()); ++i) {
      text += "0123456789abcdefghijklmnopqrstuvwxyz"[remainder % static_cast<uint32_t>(base)];
      remainder /= static_cast<uint32_t>(base);
    }
  }
  if (negative_)
    text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

int BigInt::compareMagnitude(const Limbs &a, const Limbs &b) {
  if (a.size() != b.size())
    return a.size() < b.size() ? -1 : 1;
  for (size_t i = a.size(); i--;)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

BigInt::Limbs BigInt::addMagnitude(const Limbs &a, const Limbs &b) {
  const Limbs &longer = a.size() < b.size() ? b : a, &shorter = a.size() < b.size() ? a : b;
  Limbs sum(longer.size() + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < longer.size(); ++i) {
    carry += uint64_t{longer[i]} + (i < shorter.size() ? shorter[i] : 0);
    sum[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  sum.back() = static_cast<uint32_t>(carry);
  return sum;
}

BigInt::Limbs BigInt::subtractMagnitude(const Limbs &a, const Limbs &b) {
  Limbs difference(a.size());
  int64_t borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t current = int64_t{a[i]} - (i < b.size() ? b[i] : 0) - borrow;
    borrow = current < 0;
    difference[i] = static_cast<uint32_t>(current);
  }
  return difference;
}

BigInt BigInt::operator-() const { return BigInt(!negative_, limbs_); }

BigInt operator+(const BigInt &a, const BigInt &b) {
  if (a.negative_ == b.negative_)
    return BigInt(a.negative_, BigInt::addMagnitude(a.limbs_, b.limbs_));
  if (BigInt::compareMagnitude(a.limbs_, b.limbs_) >= 0)
    return BigInt(a.negative_, BigInt::subtractMagnitude(a.limbs_, b.limbs_));
  return BigInt(b.negative_, BigInt::subtractMagnitude(b.limbs_, a.limbs_));
}

BigInt operator-(const BigInt &a, const BigInt &b) { return a + -b; }

BigInt operator*(const BigInt &a, const BigInt &b) {
  BigInt::Limbs product(a.limbs_.size() + b.limbs_.size());
  for (size_t i = 0; i < a.limbs_.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += uint64_t{a.limbs_[i]} * b.limbs_[j] + product[i + j];
      product[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product[i + b.limbs_.size()] = static_cast<uint32_t>(carry);
  }
  return BigInt(a.negative_ != b.negative_, std::move(product));
}

// Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D.
void BigInt::divideMagnitude(const Limbs &a, const Limbs &b, Limbs &quotient, Limbs &remainder) {
  if (compareMagnitude(a, b) < 0) {
    quotient.clear();
    remainder = a;
    return;
  }
  if (b.size() == 1) {
    quotient.assign(a.size(), 0);
    uint64_t rest = 0;
    for (size_t i = a.size(); i--;) {
      uint64_t current = rest << 32 | a[i];
      quotient[i] = static_cast<uint32_t>(current / b[0]);
      rest = current % b[0];
    }
    remainder = {static_cast<uint32_t>(rest)};
    return;
  }
  const int shift = std::countl_zero(b.back());
  const size_t n = b.size(), m = a.size() - n;
  Limbs u(a.size() + 1), v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = b[i] << shift | (shift && i ? static_cast<uint32_t>(uint64_t{b[i - 1]} >> (32 - shift)) : 0);
  for (size_t i = 0; i < a.size(); ++i)
    u[i] = a[i] << shift | (shift && i ? static_cast<uint32_t>(uint64_t{a[i - 1]} >> (32 - shift)) : 0);
  u[a.size()] = shift ? static_cast<uint32_t>(uint64_t{a.back()} >> (32 - shift)) : 0;
  quotient.assign(m + 1, 0);
  for (size_t j = m + 1; j--;) {
    uint64_t numerator = uint64_t{u[j + n]} << 32 | u[j + n - 1];
    uint64_t guess = numerator / v[n - 1], rest = numerator % v[n - 1];
    while (guess >> 32 || guess * v[n - 2] > (rest << 32 | u[j + n - 2])) {
      --guess;
      rest += v[n - 1];
      if (rest >> 32)
        break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; ++i) {
      carry += guess * v[i];
      int64_t current = int64_t{u[i + j]} - borrow - static_cast<int64_t>(carry & 0xffffffffu);
      u[i + j] = static_cast<uint32_t>(current);
      borrow = current < 0;
      carry >>= 32;
    }
    int64_t current = int64_t{u[j + n]} - borrow - static_cast<int64_t>(carry);
    u[j + n] = static_cast<uint32_t>(current);
    if (current < 0) { // the guess was one too large
      --guess;
      uint64_t back = 0;
      for (size_t i = 0; i < n; ++i) {
        back += uint64_t{u[i + j]} + v[i];
        u[i + j] = static_cast<uint32_t>(back);
        back >>= 32;
      }
      u[j + n] += static_cast<uint32_t>(back);
    }
    quotient[j] = static_cast<uint32_t>(guess);
  }
  remainder.assign(n, 0);
  for (size_t i = 0; i < n; ++i)
    remainder[i] = u[i] >> shift | (shift ? static_cast<uint32_t>(uint64_t{u[i + 1]} << (32 - shift)) : 0);
}

void BigInt::floorDivide(const BigInt &a, const BigInt &b, BigInt &quotient, BigInt &remainder) {
  Limbs q, r;
  divideMagnitude(a.limbs_, b.limbs_, q, r);
  BigInt down(a.negative_ != b.negative_, std::move(q)), rest(a.negative_, std::move(r));
  if (!rest.zero() && rest.negative_ != b.negative_) {
    down = down - BigInt(1);
    rest = rest + b;
  }
  quotient = std::move(down);
  remainder = std::move(rest);
}

BigInt BigInt::shiftedLeft(uint64_t by) const {
  if (zero())
    return {};
  Limbs shifted(limbs_.size() + by / 32 + 1);
  for (size_t i = 0; i < limbs_.size(); ++i) {
    uint64_t wide = uint64_t{limbs_[i]} << (by % 32);
    shifted[i + by / 32] |= static_cast<uint32_t>(wide);
    shifted[i + by / 32 + 1] |= static_cast<uint32_t>(wide >> 32);
  }
  return BigInt(negative_, std::move(shifted));
}

BigInt BigInt::shiftedRight(uint64_t by) const {
  if (by >= bits())
    return negative_ ? BigInt(-1) : BigInt();
  Limbs shifted(limbs_.size() - by / 32);
  bool lost = false;
  for (size_t i = 0; i < by / 32; ++i)
    lost |= limbs_[i] != 0;
  lost |= (limbs_[by / 32] & ((uint32_t{1} << (by % 32)) - 1)) != 0;
  for (size_t i = 0; i < shifted.size(); ++i) {
    uint64_t wide = limbs_[i + by / 32];
    if (i + by / 32 + 1 < limbs_.size())
      wide |= uint64_t{limbs_[i + by / 32 + 1]} << 32;
    shifted[i] = static_cast<uint32_t>(wide >> (by % 32));
  }
  BigInt result(negative_, std::move(shifted));
  return negative_ && lost ? result - BigInt(1) : result;
}

BigInt::Limbs BigInt::twosComplement(const BigInt &value, size_t limbs) {
  Limbs bits = value.limbs_;
  bits.resize(limbs);
  if (value.negative_) {
    uint64_t carry = 1;
    for (uint32_t &limb : bits) {
      carry += static_cast<uint32_t>(~limb);
      limb = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  return bits;
}

BigInt BigInt::bitwise(char op, const BigInt &a, const BigInt &b) {
  size_t limbs = std::max(a.limbs_.size(), b.limbs_.size()) + 1;
  Limbs x = twosComplement(a, limbs), y = twosComplement(b, limbs);
  for (size_t i = 0; i < limbs; ++i)
    x[i] = op == '&' ? x[i] & y[i] : op == '|' ? x[i] | y[i] : x[i] ^ y[i];
  if (!(x.back() >> 31))
    return BigInt(false, std::move(x));
  uint64_t carry = 1;
  for (uint32_t &limb : x) {
    carry += static_cast<uint32_t>(~limb);
    limb = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  return BigInt(true, std::move(x));
}

std::strong_ordering BigInt::operator<=>(const BigInt &other) const {
  if (negative_ != other.negative_)
    return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  int order = compareMagnitude(limbs_, other.limbs_);
  return (negative_ ? -order : order) <=> 0;
}

} // namespace tilewright::syntax
