// Tests of kernels/norm.hpp against its double twin: values, gradients, tails, column ranges.
#include "kernels/norm.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/norm.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kLongest;
using test::kRounding;
using test::other_bits;
using test::random_floats;
using test::widen;

constexpr float kEps = 1e-5f;

TEST_CASE_TEMPLATE("rms_norm agrees with its double twin at every width and offset", Arch, VITRINE_MACHINES) {
  for (size_t C = 1; C <= kLongest; ++C) {
    for (size_t offset = 0; offset < 4; ++offset) {
      Guarded x(random_floats(C, 1, -3.0, 3.0), offset), gain(random_floats(C, 2, 0.5, 1.5), 3 - offset);
      Guarded out(C, offset), plain(C);
      const float inv_rms = rms_norm<Arch>(x.data(), gain.data(), kEps, out.data(), C);
      std::vector<double> expected(C);
      const std::vector<double> wide = widen(x.values()), wide_gain = widen(gain.values());
      const double wanted = reference::rms_norm(wide.data(), wide_gain.data(), kEps, expected.data(), C);
      // Under the root: square, C/16 + 5 sums, quotient, eps; the root halves them, then root, quotient, two products.
      const double roundings = (static_cast<double>(C) / 16 + 8) / 2 + 4 + 1;
      CAPTURE(C);
      REQUIRE(std::fabs(inv_rms - wanted) <= kRounding * roundings * wanted);
      REQUIRE(test::beyond_roundings(out.values(), expected, roundings) == "");
      REQUIRE(out.margins_intact());
      REQUIRE(inv_rms == rms_norm<test::PlainArch>(x.data(), gain.data(), kEps, plain.data(), C));
      REQUIRE(other_bits(out.values(), plain.values()) == "");
      rms_norm<Arch>(x.data(), gain.data(), kEps, x.data(), C);
      REQUIRE(other_bits(x.values(), out.values()) == "");
    }
  }
}

TEST_CASE_TEMPLATE("rms_norm of a row of zeros is zero", Arch, VITRINE_MACHINES) {
  const std::vector<float> x(40, 0.0f), gain(40, 1.0f);
  Guarded out(40);
  rms_norm<Arch>(x.data(), gain.data(), kEps, out.data(), 40);
  CHECK(other_bits(out.values(), x) == "");
}

TEST_CASE_TEMPLATE("rms_norm_backward adds what its double twin adds", Arch, VITRINE_MACHINES) {
  for (size_t C = 1; C <= kLongest; ++C) {
    const size_t offset = C % 4;
    Guarded x(random_floats(C, 3, -3.0, 3.0), offset), gain(random_floats(C, 4, 0.5, 1.5), 1);
    Guarded d_out(random_floats(C, 5), 3 - offset), d_x(random_floats(C, 6), 2), plain(d_x.values(), 0), out(C);
    const float inv_rms = rms_norm<Arch>(x.data(), gain.data(), kEps, out.data(), C);
    std::vector<double> expected = widen(d_x.values()), tolerance(C);
    const auto wide = widen(x.values()), wide_gain = widen(gain.values()), wide_d = widen(d_out.values());
    reference::rms_norm_backward(wide.data(), wide_gain.data(), inv_rms, wide_d.data(), expected.data(), C);
    double projection = 0.0;
    for (size_t c = 0; c < C; ++c) projection += std::fabs(wide[c] * wide_gain[c] * wide_d[c]);
    for (size_t c = 0; c < C; ++c) {
      const double terms = std::fabs(wide_gain[c] * wide_d[c]) +
                           std::fabs(wide[c]) * projection * inv_rms * inv_rms / static_cast<double>(C);
      tolerance[c] = kRounding * (2.0 + (static_cast<double>(C) / 16 + 14) * inv_rms * terms);
    }
    rms_norm_backward<Arch>(x.data(), gain.data(), inv_rms, d_out.data(), d_x.data(), C);
    rms_norm_backward<test::PlainArch>(x.data(), gain.data(), inv_rms, d_out.data(), plain.data(), C);
    CAPTURE(C);
    REQUIRE(test::beyond(d_x.values(), expected, tolerance) == "");
    REQUIRE(other_bits(d_x.values(), plain.values()) == "");
    REQUIRE(d_x.margins_intact());
  }
}

TEST_CASE_TEMPLATE("rms_norm_backward_gain sums rows in order and leaves columns outside its range alone", Arch,
                   VITRINE_MACHINES) {
  const size_t N = 5, C = 37;
  const std::vector<float> x = random_floats(N * C, 7), inv_rms = random_floats(N, 8, 0.5, 2.0),
                           d_out = random_floats(N * C, 9), start = random_floats(C, 10);
  std::vector<float> expected = start;
  for (size_t n = 0; n < N; ++n) {
    for (size_t c = 0; c < C; ++c) expected[c] += x[n * C + c] * inv_rms[n] * d_out[n * C + c];
  }
  for (size_t cut = 0; cut <= C; ++cut) {
    Guarded d_gain(start, cut % 4);
    rms_norm_backward_gain<Arch>(x.data(), inv_rms.data(), d_out.data(), d_gain.data(), N, C, cut, C);
    REQUIRE(other_bits({d_gain.data(), d_gain.data() + cut}, {start.data(), start.data() + cut}) == "");
    rms_norm_backward_gain<Arch>(x.data(), inv_rms.data(), d_out.data(), d_gain.data(), N, C, 0, cut);
    REQUIRE(other_bits(d_gain.values(), expected) == "");
    REQUIRE(d_gain.margins_intact());
  }
}

TEST_CASE("the twin's RMSNorm gradients are finite differences of the twin") {
  const size_t C = 7;
  std::vector<double> x = widen(random_floats(C, 11, -2.0, 2.0)), gain = widen(random_floats(C, 12)),
                      d_out = widen(random_floats(C, 13)), out(C), d_x(C), d_gain(C);
  double inv_rms = 0.0;
  const auto loss = [&] {
    inv_rms = reference::rms_norm(x.data(), gain.data(), kEps, out.data(), C);
    double total = 0.0;
    for (size_t c = 0; c < C; ++c) total += out[c] * d_out[c];
    return total;
  };
  loss();
  reference::rms_norm_backward(x.data(), gain.data(), inv_rms, d_out.data(), d_x.data(), C);
  reference::rms_norm_backward_gain(x.data(), &inv_rms, d_out.data(), d_gain.data(), 1, C, 0, C);
  for (size_t c = 0; c < C; ++c) {
    CHECK(d_x[c] == doctest::Approx(test::finite_difference(loss, x, c)).epsilon(1e-6));
    CHECK(d_gain[c] == doctest::Approx(test::finite_difference(loss, gain, c)).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace vitrine::kernels
