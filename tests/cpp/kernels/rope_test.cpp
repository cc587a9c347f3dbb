// Tests of kernels/rope.hpp: the table, both pairings against the double twin, the inverse, and the property that
// makes positions relative.
#include "kernels/rope.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/rope.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kRounding;
using test::other_bits;
using test::random_floats;
using test::widen;

struct Table {
  std::vector<float> cos, sin;
  Table(double theta, size_t positions, size_t D) : cos(positions * D / 2, NAN), sin(positions * D / 2, NAN) {
    rope_table(theta, positions, D, cos.data(), sin.data());
  }
};

TEST_CASE("the table holds the rounded cosines and sines of position * theta^(-2i/D)") {
  const size_t D = 10, positions = 300;
  const Table table(10000.0, positions, D);
  for (size_t p = 0; p < positions; ++p) {
    for (size_t i = 0; i < D / 2; ++i) {
      const double angle = static_cast<double>(p) * std::pow(10000.0, -2.0 * static_cast<double>(i) / D);
      // One rounding to float; the double angle is off by 300 * 2 * 2^-53 at most.
      REQUIRE(std::fabs(table.cos[p * D / 2 + i] - std::cos(angle)) <= kRounding);
      REQUIRE(std::fabs(table.sin[p * D / 2 + i] - std::sin(angle)) <= kRounding);
    }
  }
}

TEST_CASE_TEMPLATE("rotate agrees with the complex rotation of the double twin, for both pairings", Arch,
                   VITRINE_MACHINES) {
  const size_t heads = 3, position = 17;
  for (size_t D = 2; D <= 70; D += 2) {
    const Table table(10000.0, position + 1, D);
    const float *cos = table.cos.data() + position * D / 2, *sin = table.sin.data() + position * D / 2;
    for (const RopePairing pairing : {RopePairing::adjacent, RopePairing::halves}) {
      Guarded x(random_floats(heads * D, 1), D % 4), plain(x.values(), 0);
      const std::vector<float> before = x.values();
      std::vector<double> expected = widen(before);
      reference::rotate(expected.data(), heads, D, 10000.0, position, pairing == RopePairing::adjacent);
      rotate<Arch>(x.data(), heads, D, cos, sin, pairing);
      rotate<test::PlainArch>(plain.data(), heads, D, cos, sin, pairing);
      CAPTURE(D);
      // Two rounded factors, two products and a sum of terms below 1: 5 roundings of at most 2.
      const std::vector<double> tolerance(heads * D, 10 * kRounding);
      REQUIRE(test::beyond(x.values(), expected, tolerance) == "");
      REQUIRE(other_bits(x.values(), plain.values()) == "");
      rotate_backward<Arch>(x.data(), heads, D, cos, sin, pairing);
      REQUIRE(test::beyond(x.values(), widen(before), tolerance) == "");
      REQUIRE(x.margins_intact());
    }
  }
}

TEST_CASE("position 0 turns nothing") {
  const size_t D = 16;
  const Table table(10000.0, 1, D);
  std::vector<float> x = random_floats(D, 2);
  const std::vector<float> before = x;
  rotate(x.data(), 1, D, table.cos.data(), table.sin.data(), RopePairing::halves);
  CHECK(other_bits(x, before) == "");
}

TEST_CASE("the product of two rotated vectors depends on the distance of their positions alone") {
  const size_t D = 32;
  const Table table(10000.0, 200, D);
  for (const RopePairing pairing : {RopePairing::adjacent, RopePairing::halves}) {
    const auto product = [&](size_t position_a, size_t position_b) {
      std::vector<float> a = random_floats(D, 3), b = random_floats(D, 4);
      const auto turn = [&](std::vector<float>& x, size_t p) {
        rotate(x.data(), 1, D, table.cos.data() + p * D / 2, table.sin.data() + p * D / 2, pairing);
      };
      turn(a, position_a);
      turn(b, position_b);
      double total = 0.0;
      for (size_t d = 0; d < D; ++d) total += static_cast<double>(a[d]) * static_cast<double>(b[d]);
      return total;
    };
    for (const size_t start : {size_t{1}, size_t{50}, size_t{190}}) {
      // Each of the 32 terms carries 10 roundings from either side.
      CHECK(std::fabs(product(start + 7, start) - product(7, 0)) <= 2 * 32 * 20 * kRounding);
    }
    CHECK(std::fabs(product(8, 0) - product(7, 0)) > 1e-3);
  }
}

}  // namespace
}  // namespace vitrine::kernels
