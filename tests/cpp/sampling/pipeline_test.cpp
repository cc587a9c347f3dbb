#include "sampling/pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/allocation_counter.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The policy's distribution by its definition, in double and with the standard library: probability by id [V].
std::vector<double> expected_distribution(const std::vector<float>& logits, const Policy& policy) {
  const double max = *std::max_element(logits.begin(), logits.end());
  std::vector<double> p(logits.size());
  for (std::size_t id = 0; id < p.size(); ++id) p[id] = std::exp((logits[id] - max) / policy.temperature);
  const auto normalise = [&] {
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= sum;
  };
  normalise();
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  if (policy.top_k > 0) {
    for (std::size_t rank = policy.top_k; rank < order.size(); ++rank) p[order[rank]] = 0;
    normalise();
  }
  if (policy.top_p < 1) {
    double cumulated = 0;
    for (const std::size_t id : order) {
      const bool enough = cumulated >= policy.top_p;
      cumulated += p[id];
      if (enough) p[id] = 0;
    }
    normalise();
  }
  const double best = p[order[0]];
  for (double& value : p) value = value < policy.min_p * best ? 0 : value;
  normalise();
  return p;
}

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

/// Pearson's statistic and its degrees of freedom; a token of probability 0 that was drawn makes it infinite.
struct ChiSquare {
  double statistic = 0;
  double degrees = -1;
  /// Five standard deviations above the mean of the chi-square distribution.
  bool plausible() const { return statistic < degrees + 5 * std::sqrt(2 * std::max(1.0, degrees)); }
};

ChiSquare chi_square(const std::vector<std::size_t>& counts, const std::vector<double>& p) {
  const double draws = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  ChiSquare result;
  for (std::size_t id = 0; id < p.size(); ++id) {
    const double expected = p[id] * draws;
    const double difference = static_cast<double>(counts[id]) - expected;
    if (p[id] == 0) {
      if (counts[id] > 0) result.statistic = std::numeric_limits<double>::infinity();
      continue;
    }
    result.statistic += difference * difference / expected;
    ++result.degrees;
  }
  return result;
}

const std::vector<float> kLogits = {0.3f, -1.2f, 2.0f, 0.9f, -0.4f, 1.6f, 1.5f, -2.0f, 0.0f, 0.7f, 1.1f, -0.9f};

std::vector<Policy> policies() {
  std::vector<Policy> all(8);
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
  return all;
}

TEST_CASE("every stage draws from the distribution that its definition gives") {
  for (const Policy& policy : policies()) {
    CAPTURE(json_text(write_policy(policy)));
    const std::vector<double> expected = expected_distribution(kLogits, policy);
    const ChiSquare result = chi_square(count_draws(kLogits, policy, 40000, 11), expected);
    CAPTURE(result.statistic);
    CHECK(result.plausible());
  }
}

TEST_CASE("the chi-square test notices a stage that does nothing") {
  for (const Policy& policy : policies()) {
    if (policy == Policy{}) continue;
    const ChiSquare result =
        chi_square(count_draws(kLogits, Policy{}, 40000, 11), expected_distribution(kLogits, policy));
    CHECK_FALSE(result.plausible());
  }
}

TEST_CASE("the probability of a draw is the policy's, and the trace holds every stage's distribution") {
  for (const Policy& policy : policies()) {
    CAPTURE(json_text(write_policy(policy)));
    const std::vector<double> expected = expected_distribution(kLogits, policy);
    SamplingPipeline pipeline(kLogits.size());
    DistributionTrace trace;
    const Draw draw = pipeline.draw(kLogits, policy, RandomStream(5), 0, &trace);
    CHECK(draw.probability == doctest::Approx(expected[static_cast<std::size_t>(draw.token)]).epsilon(1e-6));
    REQUIRE(trace.stages.size() == 5);
    REQUIRE(trace.ranked.size() == kLogits.size());
    CHECK(trace.ranked[trace.chosen_rank].token == draw.token);
    for (std::size_t stage = 0; stage < trace.stages.size(); ++stage) {
      double sum = 0;
      for (std::size_t rank = 0; rank < trace.ranked.size(); ++rank) sum += trace.probability(stage, rank);
      CHECK(sum == doctest::Approx(1.0).epsilon(1e-6));
    }
    const std::vector<double> model = expected_distribution(kLogits, {});
    for (std::size_t rank = 0; rank < trace.ranked.size(); ++rank) {
      const auto id = static_cast<std::size_t>(trace.ranked[rank].token);
      CHECK(trace.ranked[rank].logit == kLogits[id]);
      CHECK(trace.probability(0, rank) == doctest::Approx(model[id]).epsilon(1e-6));
      CHECK(trace.probability(4, rank) == doctest::Approx(expected[id]).epsilon(1e-6));
    }
  }
}

TEST_CASE("a trace changes no draw, and its limit bounds it") {
  for (const Policy& policy : policies()) {
    SamplingPipeline pipeline(kLogits.size());
    const RandomStream stream(8);
    for (std::uint64_t step = 0; step < 200; ++step) {
      DistributionTrace trace;
      trace.limit = 3;
      const Draw plain = pipeline.draw(kLogits, policy, stream, step);
      const Draw traced = pipeline.draw(kLogits, policy, stream, step, &trace);
      CHECK(plain.token == traced.token);
      CHECK(plain.probability == traced.probability);
      CHECK(trace.ranked.size() == 3);
    }
  }
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
  REQUIRE(trace.stages.size() == 2);
  CHECK(trace.ranked[0].token == 1);
  CHECK(trace.probability(0, 0) == doctest::Approx(0.36553).epsilon(1e-4));  // e / (2 + 2 e)
  CHECK(trace.probability(1, 0) == 1.0);
  CHECK(trace.probability(1, 1) == 0.0);
}

TEST_CASE("ties at the edge of top_k go to the lowest ids") {
  Policy policy;
  policy.top_k = 2;
  const std::vector<float> logits = {0, 1, 1, 1};
  const std::vector<std::size_t> counts = count_draws(logits, policy, 2000, 1);
  CHECK(counts[1] > 800);
  CHECK(counts[2] > 800);
  CHECK(counts[0] + counts[3] == 0);
}

TEST_CASE("top_p keeps the fewest tokens that reach the share, exactly on an edge too") {
  const std::vector<float> logits(4, 0.0f);  // four probabilities of exactly 0.25
  const auto kept = [&](double top_p) {
    Policy policy;
    policy.top_p = top_p;
    SamplingPipeline pipeline(4);
    DistributionTrace trace;
    pipeline.draw(logits, policy, RandomStream(0), 0, &trace);
    return trace.stages[3].kept;
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
    return trace.stages[4].kept;
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
  CHECK(trace.ranked.size() == 2);
}

TEST_CASE("the largest coin lands on the last kept token, whatever the probabilities sum to") {
  // Three thirds in float32 do not sum to 1.
  const std::vector<float> logits = {0, 0, 0, -50};
  Policy policy;
  policy.top_k = 3;
  SamplingPipeline pipeline(4);
  const RandomStream stream(12);
  std::uint64_t largest = 0;
  for (std::uint64_t step = 0; step < 200000; ++step) {
    if (stream.bits_at(step) > stream.bits_at(largest)) largest = step;
  }
  REQUIRE(stream.uniform_at(largest) > 0.99999);
  CHECK(pipeline.draw(logits, policy, stream, largest).token == 2);
  CHECK(pipeline.draw(logits, policy, stream, largest).coin == stream.uniform_at(largest));
}

TEST_CASE("logits that are not numbers are refused by token") {
  for (const PolicyMode mode : {PolicyMode::greedy, PolicyMode::sample}) {
    Policy policy;
    policy.mode = mode;
    SamplingPipeline pipeline(3);
    const auto draw = [&](std::vector<float> logits) { return pipeline.draw(logits, policy, RandomStream(1), 0); };
    CHECK_ERROR(ErrorCode::not_finite, "token 1", draw({0, std::nanf(""), 0}));
    CHECK_ERROR(ErrorCode::not_finite, "token 2", draw({0, 0, kInfinity}));
    CHECK_ERROR(ErrorCode::not_finite, "all 3", draw({-kInfinity, -kInfinity, -kInfinity}));
  }
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
    for (std::uint64_t step = 0; step < 10; ++step) pipeline.draw(kLogits, policy, RandomStream(1), step);
    CHECK(test::allocation_count == before);
  }
}

}  // namespace
}  // namespace vitrine
