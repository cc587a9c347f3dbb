// exp, log, sin, cos and pow in double, from + - * / and bit operations alone: the same bits on every machine.
// For tables, schedules and single numbers; vectors of floats use elementwise.hpp.
//
// Method: reduce the argument to a short interval, sum the Taylor series there. Where one double is too short the
// value is an unevaluated sum of two (Dekker, "A floating-point technique for extending the available precision",
// Numer. Math. 18, 1971). The error of each function is below 2 units in the last place (tests/cpp/kernels).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace vitrine::kernels {

namespace detail {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, ties to even, for |x| < 2^51.
inline constexpr double kRoundingShift = 0x1.8p52;
/// ln 2 as a head of 32 significant bits, exact when multiplied by an exponent, and the rest.
inline constexpr double kLn2Head = 0x1.62e42feep-1;
inline constexpr double kLn2Tail = 0x1.a39ef35793c76p-33;

/// The unevaluated sum head + tail, |tail| <= half a unit in the last place of head.
struct DoubleDouble {
  double head;
  double tail;
};

/// a + b exactly (Knuth's two-sum).
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_rounded = sum - a;
  return {sum, (a - (sum - b_rounded)) + (b - b_rounded)};
}

/// a * b exactly (Dekker's product: each factor is split in two halves of 26 bits).
constexpr DoubleDouble two_product(double a, double b) {
  constexpr double kSplitter = 0x1.0p27 + 1.0;
  const double a_scaled = a * kSplitter;
  const double a_head = a_scaled - (a_scaled - a);
  const double a_tail = a - a_head;
  const double b_scaled = b * kSplitter;
  const double b_head = b_scaled - (b_scaled - b);
  const double b_tail = b - b_head;
  const double product = a * b;
  return {product, ((a_head * b_head - product) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail};
}

constexpr DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble heads = two_sum(a.head, b.head);
  return two_sum(heads.head, heads.tail + (a.tail + b.tail));
}

constexpr DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble heads = two_product(a.head, b.head);
  return two_sum(heads.head, heads.tail + (a.head * b.tail + a.tail * b.head));
}

constexpr DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.head / b.head;
  const DoubleDouble back = multiply({quotient, 0.0}, b);
  const double rest = ((a.head - back.head) - back.tail) + a.tail;
  return two_sum(quotient, rest / b.head);
}

/// value * 2^exponent for exponents in [-2000, 2000], rounded once.
constexpr double scale_by_power_of_two(double value, int exponent) {
  const int first = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
  const auto power = [](int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); };
  return value * power(first) * power(exponent - first);
}

/// exp(head + tail) for a small tail; covers overflow, underflow and NaN.
constexpr double exp_sum(double head, double tail) {
  if (head != head) return head;
  if (head > 709.79) return kInfinity;
  if (head < -745.2) return 0.0;
  const double n = (head * 0x1.71547652b82fep0 + kRoundingShift) - kRoundingShift;
  const double r_head = head - n * kLn2Head;  // exact: n has 11 bits, kLn2Head 32
  const double r_tail = tail - n * kLn2Tail;
  const double r = r_head + r_tail;
  const double r_rest = (r_head - r) + r_tail;
  // exp(r) - 1 - r - r^2 / 2, |r| <= 0.35: the first term left out is below 1e-18.
  double series = 1.0 / 87178291200.0;
  series = series * r + 1.0 / 6227020800.0;
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  const double value = 1.0 + (r + (r_rest + r * r * series));
  return scale_by_power_of_two(value, static_cast<int>(n));
}

/// ln x to about 100 bits, for finite x > 0.
constexpr DoubleDouble log_sum(double x) {
  int exponent = 0;
  if (x < 0x1.0p-1022) {
    x *= 0x1.0p54;
    exponent = -54;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
  if (mantissa > 0x1.6a09e667f3bcdp0) {
    mantissa *= 0.5;
    exponent += 1;
  }
  // ln m = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1) / (m + 1), |s| < 0.172.
  const DoubleDouble s = divide({mantissa - 1.0, 0.0}, two_sum(mantissa, 1.0));
  const DoubleDouble square = multiply(s, s);
  DoubleDouble series = {0.0, 0.0};
  for (int k = 37; k >= 1; k -= 2) series = add(multiply(series, square), divide({1.0, 0.0}, {double(k), 0.0}));
  const DoubleDouble log_mantissa = multiply({2.0 * s.head, 2.0 * s.tail}, series);
  const DoubleDouble log_power = add({exponent * kLn2Head, 0.0}, two_product(exponent, kLn2Tail));
  return add(log_power, log_mantissa);
}

/// x - quadrant * pi/2 in [-pi/4, pi/4] as head + tail, |x| < 2^24.
struct ReducedAngle {
  double head;
  double tail;
  int quadrant;
};

constexpr ReducedAngle reduce_angle(double x) {
  // pi/2 in three pieces of 29 bits, whose products with n < 2^24 are exact, and one of 53.
  constexpr double kPieces[] = {0x1.921fb54p0, 0x1.10b4611p-30, 0x1.4c4c662p-59, 0x1.1701b839a252p-88};
  const double n = (x * 0x1.45f306dc9c883p-1 + kRoundingShift) - kRoundingShift;
  DoubleDouble rest = {x, 0.0};
  for (const double piece : kPieces) rest = add(rest, {-(n * piece), 0.0});
  return {rest.head, rest.tail, static_cast<int>(static_cast<std::int64_t>(n) & 3)};
}

/// sin and cos of head + tail, |head| <= pi/4: Taylor up to the terms below 1e-18.
constexpr double sin_reduced(double head, double tail) {
  const double square = head * head;
  double series = -1.0 / 121645100408832000.0;
  series = series * square + 1.0 / 355687428096000.0;
  series = series * square - 1.0 / 1307674368000.0;
  series = series * square + 1.0 / 6227020800.0;
  series = series * square - 1.0 / 39916800.0;
  series = series * square + 1.0 / 362880.0;
  series = series * square - 1.0 / 5040.0;
  series = series * square + 1.0 / 120.0;
  series = series * square - 1.0 / 6.0;
  return head + (tail * (1.0 - 0.5 * square) + head * square * series);
}

constexpr double cos_reduced(double head, double tail) {
  const double square = head * head;
  double series = 1.0 / 2432902008176640000.0;
  series = series * square - 1.0 / 6402373705728000.0;
  series = series * square + 1.0 / 20922789888000.0;
  series = series * square - 1.0 / 87178291200.0;
  series = series * square + 1.0 / 479001600.0;
  series = series * square - 1.0 / 3628800.0;
  series = series * square + 1.0 / 40320.0;
  series = series * square - 1.0 / 720.0;
  series = series * square + 1.0 / 24.0;
  const double half = 0.5 * square;
  const double first = 1.0 - half;
  return first + (((1.0 - first) - half) + (square * square * series - head * tail));
}

constexpr bool is_reducible(double x) { return x < 0x1.0p24 && x > -0x1.0p24; }

}  // namespace detail

/// e^x.
constexpr double exp_double(double x) { return detail::exp_sum(x, 0.0); }

/// The natural logarithm: -infinity at 0, NaN below.
constexpr double log_double(double x) {
  if (x == 0.0) return -detail::kInfinity;
  if (!(x > 0.0)) return detail::kNaN;
  if (x == detail::kInfinity) return x;
  const detail::DoubleDouble sum = detail::log_sum(x);
  return sum.head + sum.tail;
}

/// Sine of an angle in radians, |x| < 2^24; NaN beyond, where the reduction would lose accuracy.
constexpr double sin_double(double x) {
  if (!detail::is_reducible(x)) return detail::kNaN;
  const detail::ReducedAngle angle = detail::reduce_angle(x);
  const double value =
      angle.quadrant & 1 ? detail::cos_reduced(angle.head, angle.tail) : detail::sin_reduced(angle.head, angle.tail);
  return angle.quadrant & 2 ? -value : value;
}

/// Cosine of an angle in radians, |x| < 2^24; NaN beyond.
constexpr double cos_double(double x) {
  if (!detail::is_reducible(x)) return detail::kNaN;
  const detail::ReducedAngle angle = detail::reduce_angle(x);
  const double value =
      angle.quadrant & 1 ? detail::sin_reduced(angle.head, angle.tail) : detail::cos_reduced(angle.head, angle.tail);
  return (angle.quadrant + 1) & 2 ? -value : value;
}

/// base^exponent for base > 0; base 0 gives 0, 1 or infinity by the exponent's sign; NaN for a negative base.
constexpr double pow_double(double base, double exponent) {
  if (exponent == 0.0 || base == 1.0) return 1.0;
  if (base != base || exponent != exponent || base < 0.0) return detail::kNaN;
  if (base == 0.0) return exponent > 0.0 ? 0.0 : detail::kInfinity;
  if (base == detail::kInfinity) return exponent > 0.0 ? detail::kInfinity : 0.0;
  if (exponent > 0x1.0p70 || exponent < -0x1.0p70) {
    return (exponent > 0.0) == (base > 1.0) ? detail::kInfinity : 0.0;
  }
  const detail::DoubleDouble product = detail::multiply(detail::log_sum(base), {exponent, 0.0});
  return detail::exp_sum(product.head, product.tail);
}

}  // namespace vitrine::kernels
