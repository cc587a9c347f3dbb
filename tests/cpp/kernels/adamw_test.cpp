// Tests of kernels/adamw.hpp against its double twin, over several steps, and against a step worked by hand.
#include "kernels/adamw.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/adamw.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kLongest;
using test::other_bits;
using test::random_floats;
using test::widen;

AdamWStep step_number(int t, double learning_rate, double weight_decay) {
  return {.learning_rate = static_cast<float>(learning_rate),
          .beta1 = 0.9f,
          .beta2 = 0.95f,
          .eps = 1e-8f,
          .weight_decay = static_cast<float>(weight_decay),
          .bias_correction1 = static_cast<float>(1.0 - std::pow(0.9, t)),
          .bias_correction2 = static_cast<float>(1.0 - std::pow(0.95, t)),
          .grad_scale = 0.5f};
}

TEST_CASE_TEMPLATE("three steps of AdamW agree with the double twin at every length and offset", Arch,
                   VITRINE_MACHINES) {
  for (size_t n = 0; n <= kLongest; ++n) {
    const size_t offset = n % 4;
    Guarded w(random_floats(n, 1), offset), m(std::vector<float>(n, 0.0f), 1), v(std::vector<float>(n, 0.0f), 2);
    Guarded plain_w(w.values(), 0), plain_m(m.values(), 0), plain_v(v.values(), 0);
    std::vector<double> expected = widen(w.values()), first(n), second(n);
    for (int t = 1; t <= 3; ++t) {
      const std::vector<float> grad = random_floats(n, 10 + static_cast<std::uint64_t>(t));
      std::vector<double> scaled = widen(grad);
      for (double& g : scaled) g *= 0.5;
      const AdamWStep step = step_number(t, 0.01, 0.1);
      adamw_update<Arch>(w.data(), grad.data(), m.data(), v.data(), n, step);
      adamw_update<test::PlainArch>(plain_w.data(), grad.data(), plain_m.data(), plain_v.data(), n, step);
      reference::adamw_update(expected.data(), scaled.data(), first.data(), second.data(), n, t, 0.01, 0.9, 0.95, 1e-8,
                              0.1);
    }
    // A step moves w by 0.01 times a ratio of at most 3 with about 20 roundings (the rounded betas and corrections
    // count most: 1 - 0.95f is off by 2^-25 / 0.05 = 10 roundings), and each w is itself rounded.
    const std::vector<double> tolerance(n, 3 * test::kRounding * (1.0 + 0.01 * 3.0 * 30.0));
    CAPTURE(n);
    REQUIRE(test::beyond(w.values(), expected, tolerance) == "");
    REQUIRE(other_bits(w.values(), plain_w.values()) == "");
    REQUIRE(other_bits(m.values(), plain_m.values()) == "");
    REQUIRE(other_bits(v.values(), plain_v.values()) == "");
    for (Guarded* array : {&w, &m, &v}) REQUIRE(array->margins_intact());
  }
}

TEST_CASE("the first step moves a weight by the learning rate against the gradient's sign, and decays it") {
  std::vector<float> w = {2.0f, -1.0f}, m = {0.0f, 0.0f}, v = {0.0f, 0.0f};
  const std::vector<float> grad = {4.0f, -0.002f};
  AdamWStep step = step_number(1, 0.1, 0.5);
  step.grad_scale = 1.0f;
  adamw_update(w.data(), grad.data(), m.data(), v.data(), 2, step);
  CHECK(w[0] == doctest::Approx(2.0 - 0.1 * (1.0 + 0.5 * 2.0)).epsilon(1e-6));
  CHECK(w[1] == doctest::Approx(-1.0 + 0.1 * (1.0 + 0.5 * 1.0)).epsilon(1e-5));
  CHECK(m[0] == doctest::Approx(0.4));
  CHECK(v[0] == doctest::Approx(0.8));
}

TEST_CASE("without gradient and decay a weight stays as it is, to the bit") {
  std::vector<float> w = random_floats(20, 3), m(20, 0.0f), v(20, 0.0f);
  const std::vector<float> before = w, grad(20, 0.0f);
  adamw_update(w.data(), grad.data(), m.data(), v.data(), 20, step_number(1, 0.1, 0.0));
  CHECK(other_bits(w, before) == "");
}

}  // namespace
}  // namespace vitrine::kernels
