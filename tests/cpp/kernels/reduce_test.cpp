// Tests of kernels/reduce.hpp: the sums against their double twins and against the declared order, to the bit.
#include "kernels/reduce.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/reduce.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kLongest;
using test::random_floats;
using test::widen;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The declared order, written as plainly as it can be said.
float sum_in_declared_order(const std::vector<float>& terms) {
  float accumulators[16] = {};
  for (size_t i = 0; i < terms.size(); ++i) accumulators[i % 16] += terms[i];
  for (const size_t half : {8, 4, 2, 1}) {
    for (size_t j = 0; j < half; ++j) accumulators[j] += accumulators[j + half];
  }
  return accumulators[0];
}

TEST_CASE_TEMPLATE("sum_of_squares and dot follow the declared order to the bit", Arch, VITRINE_MACHINES) {
  for (size_t n = 0; n <= kLongest; ++n) {
    for (size_t offset = 0; offset < 4; ++offset) {
      Guarded x(random_floats(n, 1), offset), y(random_floats(n, 2), 3 - offset);
      std::vector<float> squares(n), products(n);
      for (size_t i = 0; i < n; ++i) {
        squares[i] = x.data()[i] * x.data()[i];
        products[i] = x.data()[i] * y.data()[i];
      }
      CAPTURE(n);
      REQUIRE(sum_of_squares<Arch>(x.data(), n) == sum_in_declared_order(squares));
      REQUIRE(dot<Arch>(x.data(), y.data(), n) == sum_in_declared_order(products));
    }
  }
}

TEST_CASE_TEMPLATE("dot is as near to its double twin as its number of additions allows", Arch, VITRINE_MACHINES) {
  for (const size_t n : {size_t{5}, size_t{1000}, size_t{100003}}) {
    const std::vector<float> x = random_floats(n, 3), y = random_floats(n, 4);
    double magnitude = 0.0;
    for (size_t i = 0; i < n; ++i) magnitude += std::fabs(static_cast<double>(x[i]) * static_cast<double>(y[i]));
    const double additions = static_cast<double>(n / kAccumulators) + 1 + 4;
    const double error = dot<Arch>(x.data(), y.data(), n) - reference::dot(widen(x).data(), widen(y).data(), n);
    CHECK(std::fabs(error) <= test::kRounding * (additions + 8) * magnitude);
  }
}

TEST_CASE_TEMPLATE("max and argmax find the largest anywhere, and the lowest index on a tie", Arch, VITRINE_MACHINES) {
  for (size_t n = 1; n <= kLongest; ++n) {
    for (size_t at = 0; at < n; ++at) {
      Guarded x(std::vector<float>(n, -3.0f), n % 4);
      x.data()[at] = -2.0f;
      if (at + 3 < n) x.data()[at + 3] = -2.0f;
      REQUIRE(max<Arch>(x.data(), n) == -2.0f);
      REQUIRE(argmax<Arch>(x.data(), n) == at);
      REQUIRE(reference::argmax(widen(x.values()).data(), n) == at);
    }
  }
}

TEST_CASE_TEMPLATE("max and argmax say what they do with nothing, NaN, infinities and signed zeros", Arch,
                   VITRINE_MACHINES) {
  const float nan = std::nanf("");
  CHECK(max<Arch>(nullptr, 0) == -kInfinity);
  CHECK(argmax<Arch>(nullptr, 0) == 0);
  for (size_t n = 1; n <= kLongest; ++n) {
    for (size_t at = 0; at < n; ++at) {
      std::vector<float> x = random_floats(n, 5);
      x[at] = nan;
      REQUIRE(argmax<Arch>(x.data(), n) == n);
      REQUIRE(max<Arch>(x.data(), n) == (n == 1 ? -kInfinity : static_cast<float>(reference::max(widen(x).data(), n))));
    }
    const std::vector<float> lowest(n, -kInfinity);
    REQUIRE(argmax<Arch>(lowest.data(), n) == 0);
    const std::vector<float> zeros(n, -0.0f);
    REQUIRE(std::bit_cast<std::uint32_t>(max<Arch>(zeros.data(), n)) == 0u);
  }
}

TEST_CASE_TEMPLATE("all_finite sees one NaN or infinity anywhere, and huge values are finite", Arch, VITRINE_MACHINES) {
  for (size_t n = 0; n <= kLongest; ++n) {
    std::vector<float> x(n, std::numeric_limits<float>::max());
    REQUIRE(all_finite<Arch>(x.data(), n));
    for (size_t at = 0; at < n; ++at) {
      for (const float bad : {std::nanf(""), kInfinity, -kInfinity}) {
        const float good = x[at];
        x[at] = bad;
        REQUIRE_FALSE(all_finite<Arch>(x.data(), n));
        x[at] = good;
      }
    }
  }
}

}  // namespace
}  // namespace vitrine::kernels
