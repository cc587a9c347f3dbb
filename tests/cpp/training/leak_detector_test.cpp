#include "training/leak_detector.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/architectures.hpp"

namespace vitrine {
namespace {

using test::random_tokens;
using test::tiny_config;

std::optional<Finding> gradient_leak(const ModelConfig& config, Fault fault) {
  std::vector<std::vector<TokenId>> documents;
  for (std::size_t i = 0; i < 3; ++i) documents.push_back(random_tokens(config, 5 + i, i));
  const Dataset dataset(documents, {}, 7);
  TrainingOptions options;
  options.schedule = {.peak = 1e-2, .minimum = 1e-3, .warmup_steps = 0, .total_steps = 1};
  options.batch_rows = 20;
  ThreadPool pool;
  Trainer trainer(config, options, dataset, pool);
  trainer.inject(fault);
  TrainingBatch batch;
  BatchSampler(dataset, 1).next(20, batch);
  REQUIRE(batch.sequences.size() == 3);
  return detect::gradient_leak(trainer, batch);
}

TEST_CASE("no gradient reaches a later input or another sequence, in any architecture") {
  for (const ModelConfig& config : test::architectures()) {
    CAPTURE(config.n_kv_heads);
    CHECK_FALSE(gradient_leak(config, Fault::none).has_value());
  }
}

TEST_CASE("a dropped mask is seen in the gradient of the very first row") {
  for (const ModelConfig& config : test::architectures()) {
    const auto finding = gradient_leak(config, Fault::causal_mask_dropped);
    REQUIRE(finding.has_value());
    CHECK(finding->where == "gradient of the loss of row 0 with respect to the input of row 1");
    CHECK(finding->expected == "exactly 0");
    CHECK(std::stod(finding->found) != 0);
  }
}

TEST_CASE("faults of inference alone leave training as it is") {
  for (const FaultEntry& entry : kFaults) {
    if (entry.fault == Fault::causal_mask_dropped) continue;
    CAPTURE(entry.name);
    CHECK_FALSE(gradient_leak(tiny_config(), entry.fault).has_value());
  }
}

TEST_CASE("nothing learns to predict uniform tokens, except a model that sees them") {
  const detect::UnpredictableTokens tokens = detect::make_unpredictable_tokens(1);
  CHECK(tokens.entropy() == doctest::Approx(300 * std::log(31.0)));
  const double healthy = detect::held_out_loss(tokens, Fault::none);
  const double leaking = detect::held_out_loss(tokens, Fault::causal_mask_dropped);
  MESSAGE("entropy ", tokens.entropy(), " nats, healthy ", healthy, ", leaking ", leaking);
  CHECK(healthy > tokens.entropy() - 30);
  CHECK(healthy < tokens.entropy() * 1.1);
  CHECK(leaking < tokens.entropy() - 300);
  CHECK(detect::held_out_loss(tokens, Fault::none) == healthy);
}

TEST_CASE("unpredictable tokens are those of their seed, each document behind token 0, and held out ones are others") {
  const auto a = detect::make_unpredictable_tokens(1), b = detect::make_unpredictable_tokens(1);
  CHECK(a.training == b.training);
  CHECK(a.held_out == b.held_out);
  CHECK(detect::make_unpredictable_tokens(2).training != a.training);
  CHECK(a.held_out.front() != a.training.front());
  for (const auto& document : a.training) {
    REQUIRE(document.size() == detect::UnpredictableTokens::kLength + 1);
    CHECK(document[0] == 0);
    CHECK(std::all_of(document.begin() + 1, document.end(), [](TokenId token) { return token >= 1 && token <= 31; }));
  }
}

TEST_CASE("the floor lies 30 nats below the lower of baseline and entropy") {
  CHECK_FALSE(detect::loss_floor(1000, 1000, 1000).has_value());
  CHECK_FALSE(detect::loss_floor(970, 1100, 1000).has_value());
  CHECK_FALSE(detect::loss_floor(969, 990, 1000).has_value());
  CHECK_FALSE(detect::loss_floor(2000, 1000, 1000).has_value());
  const auto finding = detect::loss_floor(969, 1100, 1000);
  REQUIRE(finding.has_value());
  CHECK(finding->expected == "about 1000 nats (n-gram baseline: 1100)");
  CHECK(finding->found == "969 nats");
}

}  // namespace
}  // namespace vitrine
