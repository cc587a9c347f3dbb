#include "training/evaluation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/expect_error.hpp"
#include "support/reference_transformer.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

using test::random_tokens;
using test::random_weights;
using test::tiny_config;

std::vector<std::vector<TokenId>> documents() {
  std::vector<std::vector<TokenId>> all;
  for (std::size_t i = 0; i < 25; ++i) all.push_back(random_tokens(tiny_config(), 1 + 7 * i % 31, i));
  return all;
}

TEST_CASE("loss and accuracy agree with the double reference") {
  const NamedTensors weights = random_weights(tiny_config(), 4);
  const Dataset dataset(documents(), {0, -1}, 40);
  Transformer model(tiny_config(), weights);
  const Evaluation found = Evaluator(model).evaluate(dataset);

  const test::ReferenceTransformer reference(tiny_config(), weights);
  double loss = 0;
  std::uint64_t correct = 0, count = 0;
  for (const Run& run : dataset.runs()) {
    const auto tokens = dataset.tokens().subspan(run.begin, run.length);
    const test::Rows logits = reference.logits(tokens);
    for (std::size_t t = 0; t < run.length; ++t) {
      const auto target = static_cast<std::size_t>(dataset.targets()[run.begin + t]);
      double sum = 0;
      std::size_t best = 0;
      for (std::size_t v = 0; v < logits[t].size(); ++v) {
        sum += std::exp(logits[t][v]);
        if (logits[t][v] > logits[t][best]) best = v;
      }
      loss += std::log(sum) - logits[t][target];
      correct += best == target ? 1 : 0;
      ++count;
    }
  }
  CHECK(found.tokens == count);
  CHECK(found.correct == correct);
  CHECK(found.loss_sum == doctest::Approx(loss).epsilon(1e-5));
  CHECK(found.mean_loss() == doctest::Approx(loss / static_cast<double>(count)).epsilon(1e-5));
  CHECK(found.bits_per_byte(2 * count) == doctest::Approx(found.mean_loss() / std::log(2.0) / 2));
}

TEST_CASE("how runs share a call changes no bit of the sums") {
  const NamedTensors weights = random_weights(tiny_config(), 4);
  const Dataset dataset(documents(), {0, -1}, 40);
  double first = 0;
  for (const std::size_t max_batch_rows : {256, 64, 40, 9, 1}) {
    Transformer model(tiny_config(), weights, {.max_batch_rows = max_batch_rows, .threads = 1});
    const Evaluation found = Evaluator(model).evaluate(dataset);
    CHECK(found.tokens == dataset.targets().size());
    if (first == 0) first = found.loss_sum;
    CHECK(found.loss_sum == first);
  }
}

TEST_CASE("an evaluation that is asked to stop does so before its next call, and one that is not changes no bit") {
  Transformer model(tiny_config(), random_weights(tiny_config(), 4));
  const Dataset dataset(documents(), {0, -1}, 40);
  Evaluator evaluator(model);
  std::size_t asked = 0;
  CHECK_ERROR(ErrorCode::aborted, "stopped after ", evaluator.evaluate(dataset, [&] { return ++asked == 2; }));
  CHECK(asked == 2);
  const Evaluation free = evaluator.evaluate(dataset);
  CHECK(evaluator.evaluate(dataset, [] { return false; }).loss_sum == free.loss_sum);
}

TEST_CASE("what cannot be evaluated is refused") {
  Transformer model(tiny_config(), random_weights(tiny_config(), 4));
  const Dataset longer(documents(), {0, -1}, 41);
  CHECK_ERROR(ErrorCode::invalid_option, "at most 40", Evaluator(model).evaluate(longer));
}

}  // namespace
}  // namespace vitrine
