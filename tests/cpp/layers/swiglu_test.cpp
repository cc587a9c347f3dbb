#include "layers/swiglu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/random_floats.hpp"

namespace vitrine {
namespace {

double silu(double z) { return z / (1 + std::exp(-z)); }

TEST_CASE("each row is gate then up, and both gradients agree with finite differences") {
  const std::size_t N = 3, F = 21;
  const std::vector<float> gate_up = test::random_floats(N * 2 * F, 1), d_hidden = test::random_floats(N * F, 2);
  std::vector<float> hidden(N * F, test::kPoison), d_gate_up(N * 2 * F, test::kPoison);
  ThreadPool pool;
  const View<const float, 2> in(gate_up.data(), {N, 2 * F});
  swiglu_forward(in, {hidden.data(), {N, F}}, pool);
  swiglu_backward(in, View<const float, 2>(d_hidden.data(), {N, F}), {d_gate_up.data(), {N, 2 * F}}, pool);
  for (std::size_t n = 0; n < N; ++n) {
    for (std::size_t f = 0; f < F; ++f) {
      const double gate = gate_up[n * 2 * F + f], up = gate_up[n * 2 * F + F + f], d = d_hidden[n * F + f], h = 1e-6;
      // A few float operations on numbers below 1: 10 eps; the differences are good to 1e-10.
      CHECK(std::abs(double{hidden[n * F + f]} - silu(gate) * up) < 1.2e-6);
      CHECK(std::abs(double{d_gate_up[n * 2 * F + f]} - d * up * (silu(gate + h) - silu(gate - h)) / (2 * h)) < 1.2e-6);
      CHECK(std::abs(double{d_gate_up[n * 2 * F + F + f]} - d * silu(gate)) < 1.2e-6);
    }
  }
}

}  // namespace
}  // namespace vitrine
