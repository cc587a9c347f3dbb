#include "session/rounding.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace vitrine {
namespace {

TEST_CASE("roundings in a row add up, a little more than in proportion") {
  CHECK(gamma(0) == 0);
  CHECK(gamma(1) >= kHalfUlp);
  CHECK(gamma(1000) > 1000 * kHalfUlp);
  CHECK(gamma(1000) < 1001 * kHalfUlp);
  CHECK(kHalfUlp == std::ldexp(1.0, -24));
}

TEST_CASE("a sum in float32 stays within its bound, and the bound is not idle") {
  float sum = 0;
  double exact = 0;
  for (int i = 1; i <= 1000; ++i) {
    sum += 1.0f / static_cast<float>(i);
    exact += static_cast<double>(1.0f / static_cast<float>(i));
  }
  const double relative = std::abs(static_cast<double>(sum) - exact) / exact;
  CHECK(relative > 0);
  CHECK(relative <= gamma(1000));
}

TEST_CASE("the tolerance of softmax grows with the entries, their error and their number") {
  CHECK(softmax_tolerance(1, 0, 4) > softmax_tolerance(0, 0, 4));
  CHECK(softmax_tolerance(1, 1e-6, 4) > softmax_tolerance(1, 0, 4));
  CHECK(softmax_tolerance(1, 0, 8) > softmax_tolerance(1, 0, 4));
}

TEST_CASE("the largest difference is the one that counts") {
  CHECK(max_difference({1, 2, 3}, {1, 2.5, 2.75}) == 0.5);
  CHECK(max_difference({}, {}) == 0);
}

}  // namespace
}  // namespace vitrine
