// What the stages draw, against their declared distributions, by chi-square; and that the test sees a stage that is
// wrong. The declaration is written down here once more, in double, with the standard library.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sampling/pipeline.hpp"
#include "support/chi_square.hpp"

namespace vitrine {
namespace {

using test::chi_square_p_value;
using test::kSignificance;
using test::plausible;

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::size_t kDraws = 40000;

using Logits = std::vector<double>;
using Stage = std::function<void(Logits&)>;

std::vector<double> softmax(const Logits& logits) {
  const double max = *std::max_element(logits.begin(), logits.end());
  std::vector<double> p(logits.size());
  for (std::size_t id = 0; id < p.size(); ++id) p[id] = std::exp(logits[id] - max);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= sum;
  return p;
}

/// Ids by descending logit, then ascending id.
std::vector<std::size_t> order_of(const Logits& logits) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  return order;
}

void keep_first(Logits& logits, std::size_t count) {
  const std::vector<std::size_t> order = order_of(logits);
  for (std::size_t rank = count; rank < order.size(); ++rank) logits[order[rank]] = kNever;
}

/// The stages by name, each as its declaration in docs/policy.md. `slip` moves a cut by so many tokens.
std::map<std::string, Stage> stages_of(const Policy& policy, const DrawContext& context, int slip = 0) {
  const auto slipped = [slip](std::size_t count) { return static_cast<std::size_t>(static_cast<int>(count) + slip); };
  std::map<std::string, Stage> stages;
  stages["penalties"] = [&policy, context](Logits& logits) {
    for (const auto& [token, bias] : policy.logit_bias) logits[static_cast<std::size_t>(token)] += bias;
    std::vector<TokenId> window;
    if (policy.penalty_prompt) window.assign(context.prompt.begin(), context.prompt.end());
    window.insert(window.end(), context.generated.begin(), context.generated.end());
    if (policy.penalty_window > 0 && window.size() > policy.penalty_window) {
      window.erase(window.begin(), window.end() - static_cast<std::ptrdiff_t>(policy.penalty_window));
    }
    for (std::size_t id = 0; id < logits.size(); ++id) {
      const auto count = std::count(window.begin(), window.end(), static_cast<TokenId>(id));
      if (count == 0) continue;
      logits[id] = logits[id] > 0 ? logits[id] / policy.repetition_penalty : logits[id] * policy.repetition_penalty;
      logits[id] -= policy.presence_penalty + policy.frequency_penalty * static_cast<double>(count);
    }
    if (context.generated.size() < policy.min_new_tokens) {
      for (const TokenId token : policy.stop_tokens) logits[static_cast<std::size_t>(token)] = kNever;
    }
  };
  stages["temperature"] = [&policy](Logits& logits) {
    for (double& logit : logits) logit /= policy.temperature;
  };
  stages["top_k"] = [&policy, slipped](Logits& logits) {
    if (policy.top_k > 0) keep_first(logits, slipped(policy.top_k));
  };
  stages["top_p"] = [&policy, slipped](Logits& logits) {
    if (policy.top_p >= 1) return;
    const std::vector<double> p = softmax(logits);
    std::size_t count = 0;
    double cumulated = 0;
    for (const std::size_t id : order_of(logits)) {
      if (cumulated >= policy.top_p) break;
      cumulated += p[id];
      ++count;
    }
    keep_first(logits, slipped(count));
  };
  stages["min_p"] = [&policy, slipped](Logits& logits) {
    if (policy.min_p <= 0) return;
    const std::vector<double> p = softmax(logits);
    const double best = *std::max_element(p.begin(), p.end());
    keep_first(logits, slipped(static_cast<std::size_t>(
                           std::count_if(p.begin(), p.end(), [&](double q) { return q >= policy.min_p * best; }))));
  };
  return stages;
}

const std::vector<std::string> kDeclaredOrder = {"penalties", "temperature", "top_k", "top_p", "min_p"};

std::vector<double> distribution(const std::vector<float>& logits, const Policy& policy, const DrawContext& context,
                                 const std::vector<std::string>& order = kDeclaredOrder, int slip = 0) {
  Logits values(logits.begin(), logits.end());
  const std::map<std::string, Stage> stages = stages_of(policy, context, slip);
  for (const std::string& name : order) stages.at(name)(values);
  return softmax(values);
}

std::vector<std::size_t> count_draws(const std::vector<float>& logits, const Policy& policy, const DrawContext& context,
                                     std::size_t draws, std::uint64_t seed) {
  SamplingPipeline pipeline(logits.size());
  const RandomStream stream(seed, 3);
  std::vector<std::size_t> counts(logits.size());
  for (std::size_t step = 0; step < draws; ++step) {
    ++counts[static_cast<std::size_t>(pipeline.draw(logits, policy, stream, step, nullptr, context).token)];
  }
  return counts;
}

const std::vector<float> kLogits = {0.3f, -1.2f, 2.0f, 0.9f, -0.4f, 1.6f, 1.5f, -2.0f, 0.0f, 0.7f, 1.1f, -0.9f};
const std::vector<TokenId> kPrompt = {5, 5, 9, 4};
const std::vector<TokenId> kGenerated = {2, 6, 2, 3, 2, 1};
const DrawContext kContext = {kPrompt, kGenerated, {}};

struct Case {
  std::string name;
  Policy policy;
};

/// One for each stage alone, and some together.
std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, const std::function<void(Policy&)>& set) {
    all.push_back({name, {}});
    set(all.back().policy);
  };
  add("neutral", [](Policy&) {});
  add("logit_bias", [](Policy& p) { p.logit_bias = {{2, -1.5}, {7, 2.0}}; });
  add("repetition_penalty", [](Policy& p) { p.repetition_penalty = 1.7; });
  add("presence_penalty", [](Policy& p) { p.presence_penalty = 0.9; });
  add("frequency_penalty", [](Policy& p) { p.frequency_penalty = 0.5; });
  add("rewards", [](Policy& p) { p.frequency_penalty = -0.4, p.repetition_penalty = 0.8; });
  add("penalty_window", [](Policy& p) { p.frequency_penalty = 0.8, p.penalty_window = 3; });
  add("penalty_prompt", [](Policy& p) { p.presence_penalty = 0.8, p.penalty_prompt = true, p.penalty_window = 8; });
  add("min_new_tokens", [](Policy& p) { p.min_new_tokens = 7, p.stop_tokens = {2, 11}; });
  add("min_new_tokens reached", [](Policy& p) { p.min_new_tokens = 6, p.stop_tokens = {2, 11}; });
  add("low temperature", [](Policy& p) { p.temperature = 0.5; });
  add("high temperature", [](Policy& p) { p.temperature = 3.0; });
  add("top_k", [](Policy& p) { p.top_k = 4; });
  add("top_k 1", [](Policy& p) { p.top_k = 1; });
  add("top_p", [](Policy& p) { p.top_p = 0.6; });
  add("min_p", [](Policy& p) { p.min_p = 0.3; });
  add("cuts", [](Policy& p) { p.temperature = 1.7, p.top_k = 9, p.top_p = 0.8, p.min_p = 0.25; });
  add("all", [](Policy& p) {
    p.logit_bias = {{7, 3.0}};
    p.repetition_penalty = 1.2, p.presence_penalty = 0.3, p.frequency_penalty = 0.2, p.penalty_prompt = true;
    p.temperature = 1.5, p.top_k = 10, p.top_p = 0.85, p.min_p = 0.2;
  });
  return all;
}

TEST_CASE("the tail of the chi-square distribution is that of the tables") {
  CHECK(test::upper_gamma(0.5, 3.841459 / 2) == doctest::Approx(0.05).epsilon(1e-6));   // 1 degree, 5 %
  CHECK(test::upper_gamma(5.5, 19.675138 / 2) == doctest::Approx(0.05).epsilon(1e-6));  // 11 degrees, 5 %
  CHECK(test::upper_gamma(50, 149.449 / 2) == doctest::Approx(0.001).epsilon(1e-4));    // 100 degrees, 0.1 %
  CHECK(test::upper_gamma(5.5, 48.865643 / 2) == doctest::Approx(1e-6).epsilon(1e-5));
}

TEST_CASE("every stage, alone and with others, draws from its declared distribution") {
  for (const auto& [name, policy] : cases()) {
    CAPTURE(name);
    const std::vector<double> declared = distribution(kLogits, policy, kContext);
    CHECK(plausible(count_draws(kLogits, policy, kContext, kDraws, 11), declared));
  }
}

TEST_CASE("the chi-square test sees a stage that does nothing") {
  for (const auto& [name, policy] : cases()) {
    if (name == "neutral" || name == "min_new_tokens reached") continue;
    CAPTURE(name);
    const std::vector<double> declared = distribution(kLogits, policy, kContext);
    CHECK_FALSE(plausible(count_draws(kLogits, {}, kContext, kDraws, 11), declared));
  }
}

TEST_CASE("the chi-square test sees a cut that is one token off, either way") {
  for (const auto& [name, policy] : cases()) {
    for (const int slip : {-1, 1}) {
      if (name != "top_k" && name != "top_p" && name != "min_p") continue;
      CAPTURE(name);
      CAPTURE(slip);
      const std::vector<double> wrong = distribution(kLogits, policy, kContext, kDeclaredOrder, slip);
      CHECK_FALSE(plausible(count_draws(kLogits, policy, kContext, kDraws, 11), wrong));
    }
  }
}

TEST_CASE("the chi-square test sees a window, a threshold and a count that are one off") {
  std::size_t seen = 0;
  for (const auto& [name, policy] : cases()) {
    Policy wrong = policy;
    if (name == "penalty_window") wrong.penalty_window += 1;
    if (name == "penalty_prompt") wrong.penalty_window -= 1;
    if (name == "min_new_tokens") wrong.min_new_tokens -= 1;
    if (name == "min_new_tokens reached") wrong.min_new_tokens += 1;
    if (wrong == policy) continue;
    ++seen;
    CAPTURE(name);
    CHECK_FALSE(plausible(count_draws(kLogits, policy, kContext, kDraws, 11), distribution(kLogits, wrong, kContext)));
  }
  CHECK(seen == 4);
}

TEST_CASE("the chi-square test sees two stages in the wrong order") {
  struct Swap {
    std::string first, second;
    Policy policy;
  };
  std::vector<Swap> swaps(8);
  swaps[0] = {"penalties", "temperature", {}};
  swaps[1] = {"penalties", "top_k", {}};
  swaps[2] = {"penalties", "top_p", {}};
  swaps[3] = {"penalties", "min_p", {}};
  swaps[4] = {"temperature", "top_p", {}};
  swaps[5] = {"temperature", "min_p", {}};
  swaps[6] = {"top_k", "top_p", {}};
  swaps[7] = {"top_p", "min_p", {}};
  for (auto& [first, second, policy] : swaps) {
    const auto uses = [&](const char* stage) { return first == stage || second == stage; };
    if (uses("penalties")) policy.presence_penalty = 1.5;
    if (uses("temperature")) policy.temperature = 1.8;
    if (uses("top_k")) policy.top_k = 6;
    if (uses("top_p")) policy.top_p = 0.8;
    if (uses("min_p")) policy.min_p = 0.25;
    CAPTURE(first);
    CAPTURE(second);
    const std::vector<std::size_t> counts = count_draws(kLogits, policy, kContext, kDraws, 11);
    CHECK(plausible(counts, distribution(kLogits, policy, kContext, {first, second})));
    CHECK_FALSE(plausible(counts, distribution(kLogits, policy, kContext, {second, first})));
  }
  // The two pairs that are not above: a temperature keeps the order of the tokens, and so does min_p's threshold.
  Policy policy;
  policy.temperature = 1.8;
  policy.top_k = 6;
  policy.min_p = 0.25;
  const std::vector<double> declared = distribution(kLogits, policy, kContext);
  for (const std::vector<std::string>& order : {std::vector<std::string>{"top_k", "temperature", "min_p"},
                                                std::vector<std::string>{"temperature", "min_p", "top_k"}}) {
    const std::vector<double> other = distribution(kLogits, policy, kContext, order);
    for (std::size_t id = 0; id < declared.size(); ++id) CHECK(other[id] == doctest::Approx(declared[id]));
  }
}

TEST_CASE("within the penalties the bias comes first, then the repetition penalty, then the others") {
  Policy policy;
  policy.logit_bias = {{2, -2.5}};
  policy.repetition_penalty = 2.0;
  policy.presence_penalty = 0.75;
  SamplingPipeline pipeline(kLogits.size());
  DistributionTrace trace;
  pipeline.draw(kLogits, policy, RandomStream(1), 0, &trace, kContext);
  const std::vector<double> declared = distribution(kLogits, policy, kContext);
  for (std::size_t i = 0; i < trace.ranked.size(); ++i) {
    const auto id = static_cast<std::size_t>(trace.ranked[i].token);
    CHECK(trace.probability(1, i) == doctest::Approx(declared[id]).epsilon(1e-6));
  }
  // (2 - 2.5) * 2 - 0.75 = -1.75; with the repetition penalty first it would be 2 / 2 - 2.5 - 0.75 = -2.25.
  const double ratio = declared[2] / declared[8];
  CHECK(ratio == doctest::Approx(std::exp(-1.75)).epsilon(1e-9));
}

TEST_CASE("a trace holds the distribution of every stage, and the draw's probability is that of the last") {
  for (const auto& [name, policy] : cases()) {
    CAPTURE(name);
    SamplingPipeline pipeline(kLogits.size());
    DistributionTrace trace;
    const Draw draw = pipeline.draw(kLogits, policy, RandomStream(5), 0, &trace, kContext);
    REQUIRE(trace.stages.size() == 1 + kDeclaredOrder.size());
    REQUIRE(trace.ranked.size() == kLogits.size());
    CHECK(trace.ranked[trace.chosen_rank].token == draw.token);
    for (std::size_t stage = 0; stage < trace.stages.size(); ++stage) {
      const std::vector<std::string> order(kDeclaredOrder.begin(),
                                           kDeclaredOrder.begin() + static_cast<std::ptrdiff_t>(stage));
      CAPTURE(stage);
      const std::vector<double> declared = distribution(kLogits, policy, kContext, order);
      std::size_t kept = 0;
      for (std::size_t rank = 0; rank < trace.ranked.size(); ++rank) {
        const auto id = static_cast<std::size_t>(trace.ranked[rank].token);
        CHECK(trace.ranked[rank].logit == kLogits[id]);
        CHECK(trace.probability(stage, rank) == doctest::Approx(declared[id]).epsilon(1e-5));
        kept += declared[id] > 0 ? 1 : 0;
      }
      CHECK(trace.stages[stage].kept == kept);
      if (stage == kDeclaredOrder.size()) {
        CHECK(draw.probability == doctest::Approx(declared[static_cast<std::size_t>(draw.token)]).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("a vocabulary of hundreds is drawn as declared, beyond the ranks that are sorted first") {
  RandomStream random(21);
  std::vector<float> logits(300);
  for (float& logit : logits) logit = static_cast<float>(2 * random.next_uniform() - 1);
  for (const auto& [name, policy] : cases()) {
    if (name != "neutral" && name != "top_k" && name != "top_p" && name != "min_p") continue;
    CAPTURE(name);
    Policy wide = policy;
    if (wide.top_k > 0) wide.top_k = 120;
    const std::vector<double> declared = distribution(logits, wide, kContext);
    CHECK(std::count_if(declared.begin(), declared.end(), [](double p) { return p > 0; }) > 100);
    CHECK(plausible(count_draws(logits, wide, kContext, 100000, 5), declared));
  }
}

TEST_CASE("streams, steps and seeds give independent draws") {
  // Pairs of neighbouring draws over four equal tokens: 16 pairs, all as probable.
  const std::vector<float> equal(4, 0.0f);
  const std::vector<double> uniform(16, 1.0 / 16);
  SamplingPipeline pipeline(4);
  const auto count_pairs = [&](auto first, auto second) {
    std::vector<std::size_t> counts(16);
    for (std::uint64_t n = 0; n < 20000; ++n) ++counts[static_cast<std::size_t>(4 * first(n) + second(n))];
    return counts;
  };
  const auto token = [&](std::uint64_t seed, std::uint64_t stream, std::uint64_t step) {
    return pipeline.draw(equal, {}, RandomStream(seed, stream), step).token;
  };
  using N = std::uint64_t;
  const auto here = [&](N n) { return token(7, 0, n); };
  CHECK(plausible(count_pairs(here, [&](N n) { return token(7, 0, n + 1); }), uniform));
  CHECK(plausible(count_pairs(here, [&](N n) { return token(7, 1, n); }), uniform));
  CHECK(plausible(count_pairs(here, [&](N n) { return token(8, 0, n); }), uniform));
  CHECK(plausible(count_pairs([&](N n) { return token(7, n, 0); }, [&](N n) { return token(7, n + 1, 0); }), uniform));
  CHECK(plausible(count_pairs([&](N n) { return token(n, 0, 0); }, [&](N n) { return token(n + 1, 0, 0); }), uniform));
  // One draw for all rows is what the test is for.
  CHECK(chi_square_p_value(count_pairs(here, here), uniform) < kSignificance);
}

}  // namespace
}  // namespace vitrine
