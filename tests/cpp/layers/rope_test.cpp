#include "layers/rope.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/random_floats.hpp"

namespace vitrine {
namespace {

double dot(const float* a, const float* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

TEST_CASE("scores depend on the distance of two positions alone, and rotating back undoes a rotation") {
  const std::size_t D = 10;
  for (const auto pairing : {kernels::RopePairing::halves, kernels::RopePairing::adjacent}) {
    const RopeTable table(64, D, 10000.0, pairing);
    const std::vector<float> q = test::random_floats(D, 1), k = test::random_floats(D, 2);
    const auto rotated = [&](std::vector<float> x, std::size_t position) {
      table.rotate({x.data(), {1, D}}, position);
      return x;
    };
    const double near = dot(rotated(q, 7).data(), rotated(k, 3).data(), D);
    const double far = dot(rotated(q, 60).data(), rotated(k, 56).data(), D);
    // Ten products of numbers below 1, each rotated with cosines good to half an ulp.
    CHECK(std::abs(near - far) < 10 * 4 * 1.2e-7);
    CHECK(std::abs(near - dot(rotated(q, 8).data(), rotated(k, 3).data(), D)) > 1e-3);
    CHECK(rotated(q, 0) == q);

    std::vector<float> back = rotated(q, 31);
    CHECK(back != q);
    table.rotate_back({back.data(), {1, D}}, 31);
    for (std::size_t i = 0; i < D; ++i) CHECK(std::abs(back[i] - q[i]) < 4 * 1.2e-7f);
  }
}

TEST_CASE("the two pairings rotate the pairs that their names say") {
  const std::vector<float> x = {1, 0, 0, 0};
  for (const auto pairing : {kernels::RopePairing::halves, kernels::RopePairing::adjacent}) {
    const RopeTable table(2, 4, 10000.0, pairing);
    std::vector<float> y = x;
    table.rotate({y.data(), {1, 4}}, 1);
    const std::size_t partner = pairing == kernels::RopePairing::halves ? 2 : 1;
    CHECK(y[0] == doctest::Approx(std::cos(1.0)).epsilon(1e-7));
    CHECK(y[partner] == doctest::Approx(std::sin(1.0)).epsilon(1e-7));
    CHECK(y[3 - partner] == 0.0f);
    CHECK(y[3] == 0.0f);
  }
}

}  // namespace
}  // namespace vitrine
