// Integers of any size: sign and magnitude in 32-bit limbs. The evaluator uses it only for what does not fit int64_t, so
// the algorithms are the schoolbook ones; sizes are bounded by Limits::integerBits before anything is computed.
// Thread rule: values.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::syntax {

class BigInt {
public:
  BigInt() = default;
  BigInt(int64_t value);
  /// Digits in `base` (2 to 36) without prefix or separators; nullopt if a character is not a digit or there is none.
  static std::optional<BigInt> parse(std::string_view digits, int base);
  /// The integral part of a finite number.
  static BigInt fromDouble(double value);

  bool negative() const { return negative_; }
  bool zero() const { return limbs_.empty(); }
  std::optional<int64_t> small() const;
  /// Bits of the magnitude; 0 for 0.
  uint64_t bits() const;
  uint64_t ones() const;
  bool odd() const { return !limbs_.empty() && (limbs_[0] & 1); }
  /// Nearest double, ties to even; infinite if too large.
  double toDouble() const;
  std::string toString(int base = 10) const;

  BigInt operator-() const;
  friend BigInt operator+(const BigInt &a, const BigInt &b);
  friend BigInt operator-(const BigInt &a, const BigInt &b);
  friend BigInt operator*(const BigInt &a, const BigInt &b);
  /// Quotient rounded towards minus infinity and the remainder with the divisor's sign; `b` is not 0.
  static void floorDivide(const BigInt &a, const BigInt &b, BigInt &quotient, BigInt &remainder);
  BigInt shiftedLeft(uint64_t by) const;
  /// Arithmetic: rounds towards minus infinity.
  BigInt shiftedRight(uint64_t by) const;
  /// `op` is `&`, `|` or `^`, on two's complements of unbounded width.
  static BigInt bitwise(char op, const BigInt &a, const BigInt &b);
  std::strong_ordering operator<=>(const BigInt &other) const;
  bool operator==(const BigInt &other) const = default;

private:
  using Limbs = std::vector<uint32_t>;
  BigInt(bool negative, Limbs limbs);
  static int compareMagnitude(const Limbs &a, const Limbs &b);
  static Limbs addMagnitude(const Limbs &a, const Limbs &b);
  static Limbs subtractMagnitude(const Limbs &a, const Limbs &b); // a >= b
  static void divideMagnitude(const Limbs &a, const Limbs &b, Limbs &quotient, Limbs &remainder);
  static Limbs twosComplement(const BigInt &value, size_t limbs);

  bool negative_ = false;
  Limbs limbs_; // least significant first, no leading zeros
};

} // namespace tilewright::syntax
