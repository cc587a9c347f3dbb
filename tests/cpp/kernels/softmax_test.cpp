// Tests of kernels/softmax.hpp against its double twins: values, masks, special rows, the gradient.
#include "kernels/softmax.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/softmax.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kLongest;
using test::kRounding;
using test::other_bits;
using test::random_floats;
using test::widen;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST_CASE_TEMPLATE("softmax agrees with its double twin at every length and offset, in place or not", Arch,
                   VITRINE_MACHINES) {
  for (size_t n = 0; n <= kLongest; ++n) {
    for (size_t offset = 0; offset < 4; ++offset) {
      Guarded x(random_floats(n, 1, -20.0, 20.0), offset), out(n, 3 - offset), plain(n);
      softmax<Arch>(x.data(), out.data(), n);
      softmax<test::PlainArch>(x.data(), plain.data(), n);
      std::vector<double> expected(n), tolerance(n);
      const std::vector<double> wide = widen(x.values());
      reference::softmax(wide.data(), expected.data(), n);
      // x - max is rounded (at most 40, so 40 roundings of the result); exp 2, the sum n/16 + 5 more, the quotient 1.
      for (size_t i = 0; i < n; ++i) {
        tolerance[i] = kRounding * (40.0 + 40.0 + 8.0 + static_cast<double>(n) / 16) * expected[i] + 1e-37;
      }
      CAPTURE(n);
      REQUIRE(test::beyond(out.values(), expected, tolerance) == "");
      REQUIRE(other_bits(out.values(), plain.values()) == "");
      REQUIRE(out.margins_intact());
      softmax<Arch>(x.data(), x.data(), n);
      REQUIRE(other_bits(x.values(), out.values()) == "");
      REQUIRE(x.margins_intact());
    }
  }
}

TEST_CASE_TEMPLATE("softmax of the worked example 1.2, 0.3, -0.4, 1.8", Arch, VITRINE_MACHINES) {
  std::vector<float> x = {1.2f, 0.3f, -0.4f, 1.8f};
  softmax<Arch>(x.data(), x.data(), 4);
  CHECK(test::beyond(x, {0.2915, 0.1185, 0.0589, 0.5311}, std::vector<double>(4, 0.00005)) == "");
}

TEST_CASE_TEMPLATE("an entry of -infinity becomes exactly 0 and changes no other bit of what stays in place", Arch,
                   VITRINE_MACHINES) {
  for (size_t n = 2; n <= kLongest; ++n) {
    std::vector<float> x = random_floats(n, 2, -4.0, 4.0), visible = x;
    for (size_t i = n / 2; i < n; ++i) x[i] = -kInfinity;
    Guarded masked(n), prefix(n / 2);
    softmax<Arch>(x.data(), masked.data(), n);
    softmax<Arch>(visible.data(), prefix.data(), n / 2);
    std::vector<float> expected = prefix.values();
    expected.resize(n, 0.0f);
    REQUIRE(other_bits(masked.values(), expected) == "");
  }
}

TEST_CASE_TEMPLATE("softmax of one entry is 1, of huge entries is finite, of NaN or all masked is NaN", Arch,
                   VITRINE_MACHINES) {
  const auto of = [](std::vector<float> x) {
    softmax<Arch>(x.data(), x.data(), x.size());
    return x;
  };
  const float nan = std::nanf("");
  CHECK(other_bits(of({-1e30f}), {1.0f}) == "");
  CHECK(other_bits(of({3e38f, -3e38f}), {1.0f, 0.0f}) == "");
  CHECK(other_bits(of({1.0f, nan, 2.0f}), {nan, nan, nan}) == "");
  CHECK(other_bits(of({1.0f, kInfinity, 2.0f}), {nan, nan, nan}) == "");
  CHECK(other_bits(of({-kInfinity, -kInfinity}), {nan, nan}) == "");
}

TEST_CASE_TEMPLATE("log_sum_exp agrees with its double twin, and its sum with that of softmax", Arch,
                   VITRINE_MACHINES) {
  for (size_t n = 1; n <= kLongest; ++n) {
    Guarded x(random_floats(n, 3, -20.0, 20.0), n % 4);
    const double found = log_sum_exp<Arch>(x.data(), n);
    const double wanted = reference::log_sum_exp(widen(x.values()).data(), n);
    CAPTURE(n);
    // The sum is off by 40 + 2 + n/16 + 5 roundings at most, relatively; the logarithm makes that absolute.
    REQUIRE(std::fabs(found - wanted) <= kRounding * (55.0 + static_cast<double>(n) / 16));
    REQUIRE(found == log_sum_exp<test::PlainArch>(x.data(), n));
    std::vector<float> p(n);
    softmax<Arch>(x.data(), p.data(), n);
    const size_t best = argmax<Arch>(x.data(), n);  // p[best] = 1 / sum
    REQUIRE(static_cast<double>(p[best]) == doctest::Approx(exp_double(x.data()[best] - found)).epsilon(1e-7));
  }
}

TEST_CASE_TEMPLATE("softmax_backward agrees with its double twin at every length", Arch, VITRINE_MACHINES) {
  for (size_t n = 0; n <= kLongest; ++n) {
    const size_t offset = n % 4;
    Guarded p(random_floats(n, 4, -3.0, 3.0), offset), d_p(random_floats(n, 5), 3 - offset), d_x(n, 1), plain(n);
    softmax<Arch>(p.data(), p.data(), n);
    softmax_backward<Arch>(p.data(), d_p.data(), d_x.data(), n);
    softmax_backward<test::PlainArch>(p.data(), d_p.data(), plain.data(), n);
    std::vector<double> expected(n), tolerance(n);
    const std::vector<double> weights = widen(p.values());
    reference::softmax_backward(weights.data(), widen(d_p.values()).data(), expected.data(), n);
    // p (d - mean) with |d|, |mean| <= 1: the mean has n/16 + 6 roundings, the rest 3. The twin takes sum p = 1, which
    // the rounded p meet to n/2 roundings.
    for (size_t i = 0; i < n; ++i) tolerance[i] = kRounding * (12.0 + 2.0 * static_cast<double>(n)) * weights[i];
    CAPTURE(n);
    REQUIRE(test::beyond(d_x.values(), expected, tolerance) == "");
    REQUIRE(other_bits(d_x.values(), plain.values()) == "");
    REQUIRE(d_x.margins_intact());
  }
}

TEST_CASE("the twin's softmax gradient is the finite difference of the twin's softmax") {
  const size_t n = 9;
  std::vector<double> x = widen(random_floats(n, 6, -2.0, 2.0)), d_p = widen(random_floats(n, 7)), p(n), d_x(n);
  const auto loss = [&] {
    reference::softmax(x.data(), p.data(), n);
    return reference::dot(p.data(), d_p.data(), n);
  };
  loss();
  reference::softmax_backward(p.data(), d_p.data(), d_x.data(), n);
  for (size_t i = 0; i < n; ++i) {
    CHECK(d_x[i] == doctest::Approx(test::finite_difference(loss, x, i)).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace vitrine::kernels
