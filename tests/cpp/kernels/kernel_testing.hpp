// What the tests of kernels share: the machines, random inputs, guarded outputs and comparisons with the double twins.
// It decides no tolerance: each test derives its own.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "kernels/simd.hpp"
#include "support/random_floats.hpp"

/// The machine of this build and two in plain C++; every kernel must give the same bits on all of them.
#define VITRINE_MACHINES \
  ::vitrine::kernels::DefaultArch, ::vitrine::kernels::EmulatedArch<128>, ::vitrine::kernels::EmulatedArch<256>

namespace vitrine::test {

using std::size_t;

/// The machine that the others are compared with, bit for bit.
using PlainArch = kernels::EmulatedArch<128>;

/// Longest array of a sweep, 4 W + 3 for the widest vector of 16 lanes; offsets run over 0 .. 3.
inline constexpr size_t kLongest = 67;

/// Half a unit in the last place of 1: the relative error of one rounding.
inline constexpr double kRounding = 0x1.0p-24;

inline std::vector<double> widen(const std::vector<float>& values) { return {values.begin(), values.end()}; }

/// n floats between two margins, all poisoned: a kernel must write every one of them and nothing else.
class Guarded {
 public:
  explicit Guarded(size_t n, size_t offset = 0)
      : begin_(kMargin + offset), n_(n), memory_(n + offset + 2 * kMargin, kPoison) {}
  Guarded(const std::vector<float>& values, size_t offset) : Guarded(values.size(), offset) {
    for (size_t i = 0; i < n_; ++i) data()[i] = values[i];
  }

  float* data() { return memory_.data() + begin_; }
  std::vector<float> values() const { return {memory_.begin() + offset(0), memory_.begin() + offset(n_)}; }

  bool margins_intact() const {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const bool inside = i >= begin_ && i < begin_ + n_;
      if (!inside && std::bit_cast<std::uint32_t>(memory_[i]) != kPoisonBits) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kMargin = 20;
  std::ptrdiff_t offset(size_t i) const { return static_cast<std::ptrdiff_t>(begin_ + i); }

  size_t begin_;
  size_t n_;
  std::vector<float> memory_;
};

/// "" where both hold the same bits (any NaN equals any NaN but the poison), else the first difference.
inline std::string other_bits(const std::vector<float>& actual, const std::vector<float>& expected) {
  if (actual.size() != expected.size()) return str("expected ", expected.size(), " values, found ", actual.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto found = std::bit_cast<std::uint32_t>(actual[i]), wanted = std::bit_cast<std::uint32_t>(expected[i]);
    const bool both_nan = std::isnan(actual[i]) && std::isnan(expected[i]) && found != kPoisonBits;
    if (found != wanted && !both_nan) return str("at ", i, ": expected ", expected[i], ", found ", actual[i]);
  }
  return "";
}

/// "" where |actual[i] - expected[i]| <= tolerance[i] everywhere, else the first difference. NaN is a difference.
inline std::string beyond(const std::vector<float>& actual, const std::vector<double>& expected,
                          const std::vector<double>& tolerance) {
  if (actual.size() != expected.size()) return str("expected ", expected.size(), " values, found ", actual.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::fabs(static_cast<double>(actual[i]) - expected[i]);
    if (!(error <= tolerance[i])) {
      return str("at ", i, ": expected ", expected[i], " within ", tolerance[i], ", found ", actual[i]);
    }
  }
  return "";
}

/// The same with a tolerance of `roundings` roundings of each expected value, and `floor` for values near zero.
inline std::string beyond_roundings(const std::vector<float>& actual, const std::vector<double>& expected,
                                    double roundings, double floor = 1e-37) {
  std::vector<double> tolerance(expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    tolerance[i] = kRounding * roundings * std::fabs(expected[i]) + floor;
  }
  return beyond(actual, expected, tolerance);
}

/// The derivative of f (a function of x) in direction i at x, by central differences; x is left as it was. The error
/// is of order step^2 for smooth f plus 1e-16 |f| / step.
template <class Function>
double finite_difference(Function f, std::vector<double>& x, size_t i, double step = 1e-5) {
  const double middle = x[i];
  x[i] = middle + step;
  const double above = f();
  x[i] = middle - step;
  const double below = f();
  x[i] = middle;
  return (above - below) / (2.0 * step);
}

}  // namespace vitrine::test
