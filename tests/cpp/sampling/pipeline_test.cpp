#include "sampling/pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/allocation_counter.hpp"

namespace vitrine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::size_t> count_draws(const std::vector<float>& logits, const Policy& policy, std::size_t draws,
                                     std::uint64_t seed) {
  SamplingPipeline pipeline(logits.size());
  const RandomStream stream(seed, 3);
  std::vector<std::size_t> counts(logits.size());
  for (std::size_t step = 0; step < draws; ++step) {
    ++counts[static_cast<std::size_t>(pipeline.draw(logits, policy, stream, step).token)];
  }
  return counts;
}

const std::vector<float> kLogits = {0.3f, -1.2f, 2.0f, 0.9f, -0.4f, 1.6f, 1.5f, -2.0f, 0.0f, 0.7f, 1.1f, -0.9f};

std::vector<Policy> policies() {
  std::vector<Policy> all(10);
  all[1].temperature = 0.5;
  all[2].temperature = 3.0;
  all[3].top_k = 4;
  all[4].top_p = 0.6;
  all[5].min_p = 0.3;
  all[6].temperature = 1.7;
  all[6].top_k = 9;
  all[6].top_p = 0.8;
  all[6].min_p = 0.25;
  all[7].top_k = 1;
  all[8].logit_bias = {{2, -9.0}};
  all[8].presence_penalty = 0.5;
  all[8].penalty_prompt = true;
  all[9].mode = PolicyMode::greedy;
  all[9].stop_tokens = {2};
  all[9].min_new_tokens = 5;
  return all;
}

const std::vector<TokenId> kPrompt = {5, 5, 9};
const std::vector<TokenId> kGenerated = {2, 6};
const DrawContext kContext = {kPrompt, kGenerated, {}};

TEST_CASE("a trace changes no draw, and shows the first tokens, those of the model and the one chosen") {
  for (const Policy& policy : policies()) {
    CAPTURE(json_text(write_policy(policy)));
    SamplingPipeline pipeline(kLogits.size());
    const RandomStream stream(8);
    for (std::uint64_t step = 0; step < 200; ++step) {
      DistributionTrace trace, whole;
      trace.limit = 3;
      const Draw plain = pipeline.draw(kLogits, policy, stream, step, nullptr, kContext);
      const Draw traced = pipeline.draw(kLogits, policy, stream, step, &trace, kContext);
      pipeline.draw(kLogits, policy, stream, step, &whole, kContext);
      CHECK(plain.token == traced.token);
      CHECK(plain.probability == traced.probability);
      REQUIRE(whole.ranked.size() == kLogits.size());
      std::size_t next = 0;
      for (std::size_t rank = 0; rank < whole.ranked.size(); ++rank) {
        const TokenId token = whole.ranked[rank].token;
        CHECK(whole.ranked[rank].rank == rank);
        // 2, 5 and 6 have the largest logits.
        if (rank >= 3 && token != 2 && token != 5 && token != 6 && token != plain.token) continue;
        REQUIRE(next < trace.ranked.size());
        CHECK(trace.ranked[next].token == token);
        CHECK(trace.ranked[next].rank == rank);
        for (std::size_t stage = 0; stage < whole.stages.size(); ++stage) {
          CHECK(trace.probability(stage, next) == whole.probability(stage, rank));
        }
        ++next;
      }
      CHECK(next == trace.ranked.size());
      CHECK(whole.ranked[whole.chosen_rank].token == plain.token);
      CHECK(trace.chosen_rank == whole.chosen_rank);
    }
  }
}

TEST_CASE("a trace of fewer tokens than have a weight still shows those that the model finds most probable") {
  const std::vector<float> logits = {1, 3, 2, 0};
  Policy policy;
  policy.temperature = 0.001;
  SamplingPipeline pipeline(4);
  DistributionTrace trace;
  trace.limit = 3;
  pipeline.draw(logits, policy, RandomStream(1), 0, &trace);
  REQUIRE(trace.ranked.size() == 3);
  CHECK(trace.ranked[0].token == 1);
  CHECK(trace.ranked[1].token == 2);
  CHECK(trace.ranked[2].token == 0);
  CHECK(trace.stages[0].kept == 4);
  CHECK(trace.stages[2].kept == 1);
  CHECK(trace.probability(0, 1) == doctest::Approx(0.23688).epsilon(1e-4));  // e^-1 / (1 + e^-1 + e^-2 + e^-3)
  CHECK(trace.probability(2, 1) == 0.0);
}

TEST_CASE("a draw depends on seed, stream and step alone, not on what was drawn before") {
  SamplingPipeline forwards(kLogits.size()), backwards(kLogits.size());
  const Policy policy;
  const RandomStream stream(4, 2);
  std::vector<TokenId> first, second(100);
  for (std::uint64_t step = 0; step < 100; ++step) first.push_back(forwards.draw(kLogits, policy, stream, step).token);
  for (std::uint64_t step = 100; step-- > 0;) {
    backwards.draw(std::vector<float>(kLogits.size(), 0.0f), policy, RandomStream(99), step);
    second[step] = backwards.draw(kLogits, policy, stream, step).token;
  }
  CHECK(first == second);
  std::vector<TokenId> other_stream, other_seed;
  for (std::uint64_t step = 0; step < 100; ++step) {
    other_stream.push_back(forwards.draw(kLogits, policy, RandomStream(4, 3), step).token);
    other_seed.push_back(forwards.draw(kLogits, policy, RandomStream(5, 2), step).token);
  }
  CHECK(first != other_stream);
  CHECK(first != other_seed);
}

TEST_CASE("greedy takes the largest logit, the lowest id on a tie, and draws nothing") {
  Policy greedy;
  greedy.mode = PolicyMode::greedy;
  SamplingPipeline pipeline(4);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomStream stream(seed);
    CHECK(pipeline.draw(std::vector<float>{1, 3, 2, 3}, greedy, stream, seed).token == 1);
    CHECK(pipeline.draw(std::vector<float>{5, 5, 5, 5}, greedy, stream, seed).token == 0);
    CHECK(pipeline.draw(std::vector<float>{-0.0f, 0.0f, -1, -1}, greedy, stream, seed).token == 0);
    CHECK(pipeline.draw(std::vector<float>{-kInfinity, -3e38f, -kInfinity, -kInfinity}, greedy, stream, seed).token ==
          1);
  }
  DistributionTrace trace;
  const Draw draw = pipeline.draw(std::vector<float>{0, 1, 0, 1}, greedy, RandomStream(1), 0, &trace);
  CHECK(draw.probability == 1.0);
  CHECK(draw.coin == 0.0);
  REQUIRE(trace.stages.size() == 3);
  CHECK(trace.ranked[0].token == 1);
  CHECK(trace.probability(0, 0) == doctest::Approx(0.36553).epsilon(1e-4));  // e / (2 + 2 e)
  CHECK(trace.probability(1, 0) == trace.probability(0, 0));
  CHECK(trace.probability(2, 0) == 1.0);
  CHECK(trace.probability(2, 1) == 0.0);
}

TEST_CASE("top_p keeps the fewest tokens that reach the share, exactly on an edge too") {
  const std::vector<float> logits(4, 0.0f);  // four probabilities of exactly 0.25
  const auto kept = [&](double top_p) {
    Policy policy;
    policy.top_p = top_p;
    SamplingPipeline pipeline(4);
    DistributionTrace trace;
    pipeline.draw(logits, policy, RandomStream(0), 0, &trace);
    return trace.stages[4].kept;
  };
  CHECK(kept(1e-300) == 1);
  CHECK(kept(0.25) == 1);
  CHECK(kept(0.2500001) == 2);
  CHECK(kept(0.5) == 2);
  CHECK(kept(0.75) == 3);
  CHECK(kept(0.99999) == 4);
  CHECK(kept(1.0) == 4);
}

TEST_CASE("temperature comes before min_p: a flatter distribution lets more tokens through") {
  const std::vector<float> logits = {0, -2, -4};
  const auto kept = [&](double temperature) {
    Policy policy;
    policy.temperature = temperature;
    policy.min_p = 0.1;
    SamplingPipeline pipeline(3);
    DistributionTrace trace;
    pipeline.draw(logits, policy, RandomStream(0), 0, &trace);
    return trace.stages[5].kept;
  };
  CHECK(kept(1.0) == 2);  // e^-2 = 0.135, e^-4 = 0.018
  CHECK(kept(2.0) == 3);  // e^-1 = 0.368, e^-2 = 0.135
  CHECK(kept(0.5) == 1);  // e^-4 = 0.018
}

TEST_CASE("a masked token has probability exactly 0 and is never drawn") {
  const std::vector<float> logits = {-kInfinity, 0, -kInfinity, 0};
  const std::vector<std::size_t> counts = count_draws(logits, {}, 2000, 2);
  CHECK(counts[0] + counts[2] == 0);
  SamplingPipeline pipeline(4);
  DistributionTrace trace;
  pipeline.draw(logits, {}, RandomStream(0), 0, &trace);
  REQUIRE(trace.ranked.size() == 4);
  CHECK(trace.stages[0].kept == 2);
  CHECK(trace.probability(0, 2) == 0.0);
}

TEST_CASE("extreme logits and temperatures give finite probabilities") {
  const std::vector<float> logits = {3e38f, -3e38f, 2.9e38f};
  for (const double temperature : {1e-3, 0.01, 1.0, 1e3}) {
    Policy policy;
    policy.temperature = temperature;
    SamplingPipeline pipeline(3);
    const Draw draw = pipeline.draw(logits, policy, RandomStream(1), 0);
    CHECK(draw.token == 0);
    CHECK(draw.probability == 1.0);
  }
  SamplingPipeline one(1);
  CHECK(one.draw(std::vector<float>{-7.0f}, {}, RandomStream(1), 0).token == 0);
}

TEST_CASE("sixteen rows of equal logits do not all begin with the same token") {
  SamplingPipeline pipeline(50);
  const std::vector<float> logits(50, 0.0f);
  std::vector<TokenId> first;
  for (std::uint64_t row = 0; row < 16; ++row) {
    first.push_back(pipeline.draw(logits, {}, RandomStream(1, row), 0).token);
  }
  CHECK(std::count(first.begin(), first.end(), first[0]) < 8);
}

TEST_CASE("a draw without a trace allocates nothing") {
  for (const Policy& policy : policies()) {
    SamplingPipeline pipeline(kLogits.size());
    const long before = test::allocation_count;
    for (std::uint64_t step = 0; step < 10; ++step)
      pipeline.draw(kLogits, policy, RandomStream(1), step, nullptr, kContext);
    CHECK(test::allocation_count == before);
  }
}

}  // namespace
}  // namespace vitrine
