// Tests of kernels/elementwise.hpp against its double twins: values, tails, margins, special numbers, gradients.
#include "kernels/elementwise.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/elementwise.hpp"

namespace vitrine::kernels {
namespace {

using test::beyond_roundings;
using test::Guarded;
using test::kLongest;
using test::other_bits;
using test::random_floats;
using test::widen;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Runs kernel(a, b, out, n) over all lengths and offsets; out must be `expected(a[i], b[i])` to the bit.
template <class Kernel, class Expected>
void check_exact(Kernel kernel, Expected expected) {
  for (size_t n = 0; n <= kLongest; ++n) {
    for (size_t offset = 0; offset < 4; ++offset) {
      Guarded a(random_floats(n, 1), offset), b(random_floats(n, 2), 3 - offset), out(n, offset);
      std::vector<float> wanted(n);
      for (size_t i = 0; i < n; ++i) wanted[i] = expected(a.data()[i], b.data()[i]);
      kernel(a.data(), b.data(), out.data(), n);
      const std::string difference = other_bits(out.values(), wanted);
      if (difference != "" || !out.margins_intact()) {
        CAPTURE(n);
        CAPTURE(offset);
        CHECK(difference == "");
        CHECK(out.margins_intact());
        return;
      }
    }
  }
}

TEST_CASE_TEMPLATE("add and scale are the rounded sum and product of each element", Arch, VITRINE_MACHINES) {
  check_exact([](auto a, auto b, auto out, size_t n) { add<Arch>(a, b, out, n); },
              [](float x, float y) { return x + y; });
  check_exact([](auto a, auto, auto out, size_t n) { scale<Arch>(a, 0.3f, out, n); },
              [](float x, float) { return x * 0.3f; });
  check_exact(
      [](auto a, auto b, auto out, size_t n) {
        for (size_t i = 0; i < n; ++i) out[i] = a[i];
        add_in_place<Arch>(out, b, n);
      },
      [](float x, float y) { return x + y; });
}

/// exp of a vector, over an array.
template <class Arch>
void exp_of(const std::vector<float>& x, float* out) {
  detail::map<Arch>([](auto value) { return exp<Arch>(value); }, out, x.size(), x.data());
}

TEST_CASE_TEMPLATE("exp is within one unit in the last place over all its range", Arch, VITRINE_MACHINES) {
  const size_t n = 200000;
  const std::vector<float> x = random_floats(n, 3, -87.3, 88.7);
  Guarded out(n), plain(n);
  exp_of<Arch>(x, out.data());
  exp_of<test::PlainArch>(x, plain.data());
  std::vector<double> expected(n), tolerance(n);
  reference::exp(widen(x).data(), expected.data(), n);
  for (size_t i = 0; i < n; ++i) tolerance[i] = std::ldexp(1.0, std::ilogb(expected[i]) - 23);
  CHECK(test::beyond(out.values(), expected, tolerance) == "");
  CHECK(other_bits(out.values(), plain.values()) == "");
}

TEST_CASE_TEMPLATE("exp keeps its promises at the edges", Arch, VITRINE_MACHINES) {
  const std::vector<float> x = {0.0f,          -0.0f,          -kInfinity, kInfinity,
                                std::nanf(""), -std::nanf(""), -87.34f,    88.73f,
                                -1e30f,        1e30f,          1e-30f,     std::bit_cast<float>(0x7FFFFFFFu)};
  Guarded out(x.size());
  exp_of<Arch>(x, out.data());
  const float nan = std::nanf("");
  CHECK(other_bits(out.values(),
                   {1.0f, 1.0f, 0.0f, kInfinity, nan, nan, 0.0f, kInfinity, 0.0f, kInfinity, 1.0f, nan}) == "");
}

TEST_CASE_TEMPLATE("swiglu and its gradient agree with the double twins at every length and offset", Arch,
                   VITRINE_MACHINES) {
  for (size_t n = 0; n <= kLongest; ++n) {
    const size_t offset = n % 4;
    Guarded gate(random_floats(n, 4, -9.0, 9.0), offset), up(random_floats(n, 5), 3 - offset);
    Guarded d_out(random_floats(n, 6), 1), out(n, offset), d_gate(n, offset), d_up(n, 2);
    swiglu<Arch>(gate.data(), up.data(), out.data(), n);
    swiglu_backward<Arch>(gate.data(), up.data(), d_out.data(), d_gate.data(), d_up.data(), n);
    std::vector<double> wanted(n), d_gate_wanted(n), d_up_wanted(n);
    const auto g = widen(gate.values()), u = widen(up.values()), d = widen(d_out.values());
    reference::swiglu(g.data(), u.data(), wanted.data(), n);
    reference::swiglu_backward(g.data(), u.data(), d.data(), d_gate_wanted.data(), d_up_wanted.data(), n);
    CAPTURE(n);
    // exp 2 roundings, sum, quotient, two products: 6 in all, then 2 for safety against their second order.
    CHECK(beyond_roundings(out.values(), wanted, 8) == "");
    CHECK(beyond_roundings(d_up.values(), d_up_wanted, 8) == "");
    // The bracket 1 + z (1 - s) may cancel: its parts are at most 1 + |z|, times s |d u| with 12 roundings.
    std::vector<double> tolerance(n);
    for (size_t i = 0; i < n; ++i) {
      tolerance[i] = 12 * test::kRounding * std::fabs(d[i] * u[i]) * (1.0 + std::fabs(g[i])) / (1.0 + std::exp(-g[i]));
    }
    CHECK(test::beyond(d_gate.values(), d_gate_wanted, tolerance) == "");
    CHECK(out.margins_intact());
    CHECK(d_gate.margins_intact());
    CHECK(d_up.margins_intact());
    Guarded plain(n);
    swiglu<test::PlainArch>(gate.data(), up.data(), plain.data(), n);
    CHECK(other_bits(out.values(), plain.values()) == "");
    swiglu_backward<Arch>(gate.data(), up.data(), d_out.data(), gate.data(), up.data(), n);  // in place
    CHECK(other_bits(gate.values(), d_gate.values()) == "");
    CHECK(other_bits(up.values(), d_up.values()) == "");
  }
}

TEST_CASE_TEMPLATE("swiglu of very large and very negative gates is finite and has the right limit", Arch,
                   VITRINE_MACHINES) {
  const std::vector<float> gate = {-1e30f, -100.0f, 100.0f, 1e30f, 0.0f}, up(5, 1.0f), d_out(5, 1.0f);
  Guarded out(5), d_gate(5), d_up(5);
  swiglu<Arch>(gate.data(), up.data(), out.data(), 5);
  swiglu_backward<Arch>(gate.data(), up.data(), d_out.data(), d_gate.data(), d_up.data(), 5);
  CHECK(test::beyond(out.values(), {0.0, 0.0, 100.0, 1e30, 0.0}, {0, 1e-37, 0, 1e23, 0}) == "");
  CHECK(test::beyond(d_gate.values(), {0.0, 0.0, 1.0, 1.0, 0.5}, std::vector<double>(5, 1e-37)) == "");
}

TEST_CASE("the twin's swiglu gradient is the finite difference of the twin's swiglu") {
  const size_t n = 12;
  std::vector<double> gate = widen(random_floats(n, 7, -3.0, 3.0)), up = widen(random_floats(n, 8)),
                      d_out = widen(random_floats(n, 9)), out(n), d_gate(n), d_up(n);
  reference::swiglu_backward(gate.data(), up.data(), d_out.data(), d_gate.data(), d_up.data(), n);
  const auto loss = [&] {
    reference::swiglu(gate.data(), up.data(), out.data(), n);
    double total = 0.0;
    for (size_t i = 0; i < n; ++i) total += out[i] * d_out[i];
    return total;
  };
  for (size_t i = 0; i < n; ++i) {
    CHECK(d_gate[i] == doctest::Approx(test::finite_difference(loss, gate, i)).epsilon(1e-7));
    CHECK(d_up[i] == doctest::Approx(test::finite_difference(loss, up, i)).epsilon(1e-7));
  }
}

TEST_CASE("every half converts in an array to the bits that it has alone") {
  std::vector<std::uint16_t> half(65536);
  for (size_t i = 0; i < half.size(); ++i) half[i] = static_cast<std::uint16_t>(i);
  Guarded out(half.size());
  f16_to_f32(half.data(), out.data(), half.size());
  size_t differ = 0;
  for (size_t i = 0; i < half.size(); ++i) {
    const float alone = vitrine::f16_to_f32(half[i]);
    differ += std::bit_cast<std::uint32_t>(out.data()[i]) != std::bit_cast<std::uint32_t>(alone);
  }
  CHECK(differ == 0);
  CHECK(out.margins_intact());
}

TEST_CASE("arrays convert to and from 16 bits as single numbers do, with nothing beyond the end") {
  const std::vector<float> x = {1.0f, -2.5f, 65504.0f, 1e-7f, 3.14159f};
  std::vector<std::uint16_t> half(x.size() + 1, 0xABCD);
  f32_to_f16(x.data(), half.data(), x.size());
  Guarded back(x.size());
  f16_to_f32(half.data(), back.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) CHECK(back.data()[i] == vitrine::f16_to_f32(vitrine::f32_to_f16(x[i])));
  CHECK(half.back() == 0xABCD);
  CHECK(back.margins_intact());
}

}  // namespace
}  // namespace vitrine::kernels
