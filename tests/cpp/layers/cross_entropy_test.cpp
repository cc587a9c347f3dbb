#include "layers/cross_entropy.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/random_floats.hpp"

namespace vitrine {
namespace {

TEST_CASE("equal logits cost log V, whatever the target") {
  const std::vector<float> logits(2 * 50, 3.0f);
  std::vector<double> losses(2);
  ThreadPool pool;
  cross_entropy_forward(View<const float, 2>(logits.data(), {2, 50}), std::vector<TokenId>{0, 49}, losses, pool);
  CHECK(losses[0] == doctest::Approx(std::log(50.0)).epsilon(1e-7));
  CHECK(losses[1] == losses[0]);
}

TEST_CASE("the gradient is the scaled softmax less one at the target, in place or not") {
  const std::size_t N = 4, V = 33;
  const std::vector<float> logits = test::random_floats(N * V, 1);
  const std::vector<TokenId> targets = {0, 32, 7, 7};
  std::vector<float> apart(N * V, test::kPoison), in_place = logits;
  std::vector<double> losses(N);
  ThreadPool pool;
  const View<const float, 2> in(logits.data(), {N, V});
  cross_entropy_forward(in, targets, losses, pool);
  cross_entropy_backward(in, targets, 0.25f, {apart.data(), {N, V}}, pool);
  cross_entropy_backward(View<const float, 2>(in_place.data(), {N, V}), targets, 0.25f, {in_place.data(), {N, V}},
                         pool);
  CHECK(apart == in_place);
  for (std::size_t n = 0; n < N; ++n) {
    double total = 0;
    for (std::size_t v = 0; v < V; ++v) total += std::exp(double{logits[n * V + v]});
    CHECK(losses[n] == doctest::Approx(std::log(total) - double{logits[n * V + static_cast<std::size_t>(targets[n])]}));
    for (std::size_t v = 0; v < V; ++v) {
      const double hit = static_cast<std::size_t>(targets[n]) == v ? 1.0 : 0.0;
      // Probabilities below 1 from a sum of 33 terms: 40 eps.
      CHECK(std::abs(double{apart[n * V + v]} - 0.25 * (std::exp(double{logits[n * V + v]}) / total - hit)) <
            40 * 1.2e-7);
    }
  }
}

TEST_CASE("logits that overflow a naive exponential cost what they should") {
  const std::vector<float> logits = {1000.0f, 0.0f, -1000.0f};
  std::vector<double> losses(1);
  ThreadPool pool;
  const View<const float, 2> in(logits.data(), {1, 3});
  cross_entropy_forward(in, std::vector<TokenId>{0}, losses, pool);
  CHECK(losses[0] == doctest::Approx(0.0));
  cross_entropy_forward(in, std::vector<TokenId>{2}, losses, pool);
  CHECK(losses[0] == doctest::Approx(2000.0));
}

}  // namespace
}  // namespace vitrine
