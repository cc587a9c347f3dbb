// Tests of kernels/scalar_math.hpp against the C library in long double. Bits across machines: tests/golden.
#include "kernels/scalar_math.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "base/rng.hpp"

namespace vitrine::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// |actual - exact| in units in the last place of the double nearest to exact.
double ulps(double actual, long double exact) {
  const double nearest = static_cast<double>(exact);
  const int exponent = std::ilogb(nearest) < -1022 ? -1022 : std::ilogb(nearest);
  return static_cast<double>(std::fabs(static_cast<long double>(actual) - exact) / std::ldexp(1.0L, exponent - 52));
}

template <class Function, class Exact>
double worst_ulps(Function function, Exact exact, double low, double high, int draws) {
  RandomStream random(7);
  double worst = 0.0;
  for (int i = 0; i < draws; ++i) {
    const double x = low + (high - low) * random.next_uniform();
    const double error = ulps(function(x), exact(static_cast<long double>(x)));
    worst = error > worst || error != error ? error : worst;
  }
  return worst;
}

constexpr int kDraws = 20000;

/// How far the oracle itself may be off: musl, which wasm links, computes exp and log of a long double in double.
#ifdef __EMSCRIPTEN__
constexpr double kOracleUlps = 0.52;
#else
constexpr double kOracleUlps = 0.0;
#endif

TEST_CASE("exp_double is within one unit in the last place from underflow to overflow") {
  const auto exact = [](long double x) { return std::exp(x); };
  CHECK(worst_ulps(exp_double, exact, -1.0, 1.0, kDraws) < 1.0 + kOracleUlps);
  CHECK(worst_ulps(exp_double, exact, -708.0, 709.7, kDraws) < 1.0 + kOracleUlps);
  CHECK(worst_ulps(exp_double, exact, -745.0, -708.0, kDraws) < 1.0 + kOracleUlps);  // subnormal results
  CHECK(exp_double(0.0) == 1.0);
  CHECK(exp_double(-0.0) == 1.0);
  CHECK(exp_double(710.0) == kInfinity);
  CHECK(exp_double(kInfinity) == kInfinity);
  CHECK(exp_double(-746.0) == 0.0);
  CHECK(exp_double(-kInfinity) == 0.0);
  CHECK(std::isnan(exp_double(std::nan(""))));
}

TEST_CASE("log_double is within one unit in the last place, subnormal arguments and those near 1 included") {
  const auto exact = [](long double x) { return std::log(x); };
  CHECK(worst_ulps(log_double, exact, 0.5, 2.0, kDraws) < 1.0 + kOracleUlps);
  CHECK(worst_ulps(log_double, exact, 1.0 - 1e-8, 1.0 + 1e-8, kDraws) < 1.0 + kOracleUlps);
  CHECK(worst_ulps(log_double, exact, 0.0, 1e6, kDraws) < 1.0 + kOracleUlps);
  CHECK(worst_ulps(log_double, exact, 1e-320, 1e-308, kDraws) < 1.0 + kOracleUlps);
  CHECK(worst_ulps(log_double, exact, 1e300, 1e308, kDraws) < 1.0 + kOracleUlps);
  CHECK(log_double(1.0) == 0.0);
  CHECK(log_double(0.0) == -kInfinity);
  CHECK(log_double(kInfinity) == kInfinity);
  CHECK(std::isnan(log_double(-1.0)));
  CHECK(std::isnan(log_double(std::nan(""))));
}

TEST_CASE("sin_double and cos_double are within one unit in the last place up to ten million radians") {
  const auto exact_sin = [](long double x) { return std::sin(x); };
  const auto exact_cos = [](long double x) { return std::cos(x); };
  for (const double range : {0.8, 7.0, 4096.0, 1e7}) {
    CAPTURE(range);
    CHECK(worst_ulps(sin_double, exact_sin, -range, range, kDraws) < 1.0);
    CHECK(worst_ulps(cos_double, exact_cos, -range, range, kDraws) < 1.0);
  }
  CHECK(sin_double(0.0) == 0.0);
  CHECK(cos_double(0.0) == 1.0);
  CHECK(sin_double(1e-300) == 1e-300);
  CHECK(std::isnan(sin_double(0x1.0p24)));
  CHECK(std::isnan(cos_double(kInfinity)));
  CHECK(std::isnan(cos_double(std::nan(""))));
}

TEST_CASE("sin_double keeps its accuracy beside multiples of pi, where nearly every bit cancels") {
  for (int n = 1; n < 5000000; n += 4999) {
    const double x = static_cast<double>(n * 3.14159265358979323846264338327950288L);
    CHECK(ulps(sin_double(x), std::sin(static_cast<long double>(x))) < 2.0);
  }
}

TEST_CASE("pow_double is within two units in the last place, large powers included") {
  RandomStream random(9);
  double worst = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double base = i % 2 == 0 ? 1e6 * random.next_uniform() : 0.5 + random.next_uniform();
    const double exponent = (i % 3 == 0 ? 40.0 : 2.0) * (random.next_uniform() - 0.5);
    const double error = ulps(pow_double(base, exponent), std::pow(static_cast<long double>(base), exponent));
    worst = error > worst || error != error ? error : worst;
  }
  CHECK(worst < 2.0);
  CHECK(pow_double(10000.0, 0.0) == 1.0);
  CHECK(pow_double(2.0, 10.0) == 1024.0);
  CHECK(pow_double(0.0, 2.0) == 0.0);
  CHECK(pow_double(0.0, -2.0) == kInfinity);
  CHECK(pow_double(2.0, 5000.0) == kInfinity);
  CHECK(pow_double(2.0, -5000.0) == 0.0);
  CHECK(pow_double(0.5, kInfinity) == 0.0);
  CHECK(std::isnan(pow_double(-2.0, 2.0)));
}

TEST_CASE("the functions are constant expressions") {
  static_assert(exp_double(0.0) == 1.0 && log_double(1.0) == 0.0);
  static_assert(cos_double(0.0) == 1.0 && pow_double(2.0, -1.0) == 0.5);
  CHECK(exp_double(1.0) == doctest::Approx(2.718281828459045).epsilon(1e-15));
}

}  // namespace
}  // namespace vitrine::kernels
