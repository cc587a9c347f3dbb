#include "layers/linear.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/random_floats.hpp"

namespace vitrine {
namespace {

using test::kPoison;
using test::random_floats;

struct Sizes {
  std::size_t rows, inputs, outputs;
};

/// Sums of at most `terms` products of numbers below 1, rounded twice a term.
double tolerance(std::size_t terms) {
  return 2 * static_cast<double>(terms) * static_cast<double>(terms) * std::numeric_limits<float>::epsilon();
}

TEST_CASE("forward and both gradients are the three matrix products, for sizes around every panel and tile") {
  for (const Sizes size : {Sizes{1, 1, 1}, Sizes{1, 7, 33}, Sizes{5, 16, 16}, Sizes{7, 19, 47}, Sizes{30, 40, 9}}) {
    const auto [N, K, M] = size;
    const std::vector<float> x = random_floats(N * K, 1), w = random_floats(M * K, 2), d_y = random_floats(N * M, 3);
    const View<const float, 2> x_view(x.data(), {N, K}), w_view(w.data(), {M, K}), d_y_view(d_y.data(), {N, M});
    ThreadPool pool;
    std::vector<float> panels(kernels::packed_size(M, K), kPoison), transposed(kernels::packed_size(K, M), kPoison);
    const PackedMatrix packed{panels.data(), M, K}, packed_transpose{transposed.data(), K, M};
    pack_linear(w_view, packed, pool);
    pack_linear_transposed(w_view, packed_transpose, pool);

    std::vector<float> y(N * M, kPoison), d_x(N * K, kPoison), d_w(M * K, 0.5f);
    std::vector<float> scratch(linear_backward_scratch(N, K), kPoison);
    linear_forward(x_view, packed, {y.data(), {N, M}}, pool);
    linear_backward_input(d_y_view, packed_transpose, {d_x.data(), {N, K}}, pool);
    linear_backward_weight(x_view, d_y_view, {d_w.data(), {M, K}}, scratch.data(), pool);

    for (std::size_t n = 0; n < N; ++n) {
      for (std::size_t m = 0; m < M; ++m) {
        double sum = 0;
        for (std::size_t k = 0; k < K; ++k) sum += double{x[n * K + k]} * double{w[m * K + k]};
        CHECK(std::abs(double{y[n * M + m]} - sum) <= tolerance(K));
      }
      for (std::size_t k = 0; k < K; ++k) {
        double sum = 0;
        for (std::size_t m = 0; m < M; ++m) sum += double{d_y[n * M + m]} * double{w[m * K + k]};
        CHECK(std::abs(double{d_x[n * K + k]} - sum) <= tolerance(M));
      }
    }
    for (std::size_t m = 0; m < M; ++m) {
      for (std::size_t k = 0; k < K; ++k) {
        double sum = 0.5;  // what was there is kept: gradients accumulate
        for (std::size_t n = 0; n < N; ++n) sum += double{d_y[n * M + m]} * double{x[n * K + k]};
        CHECK(std::abs(double{d_w[m * K + k]} - sum) <= tolerance(N + 1));
      }
    }
  }
}

TEST_CASE("one row and many, one thread and three, give the same bits") {
  const std::size_t N = 40, K = 150, M = 130;
  const std::vector<float> x = random_floats(N * K, 1), w = random_floats(M * K, 2);
  ThreadPool one;
  std::vector<float> panels(kernels::packed_size(M, K));
  const PackedMatrix packed{panels.data(), M, K};
  pack_linear(View<const float, 2>(w.data(), {M, K}), packed, one);
  std::vector<float> together(N * M, kPoison), rows(N * M, kPoison);
  linear_forward(View<const float, 2>(x.data(), {N, K}), packed, {together.data(), {N, M}}, one);
  for (std::size_t n = 0; n < N; ++n) {
    linear_forward(View<const float, 2>(x.data() + n * K, {1, K}), packed, {rows.data() + n * M, {1, M}}, one);
  }
  CHECK(together == rows);
#ifndef __EMSCRIPTEN__
  ThreadPool three(3);
  std::vector<float> threaded(N * M, kPoison);
  linear_forward(View<const float, 2>(x.data(), {N, K}), packed, {threaded.data(), {N, M}}, three);
  CHECK(threaded == together);
#endif
}

}  // namespace
}  // namespace vitrine
