#include "sampling/penalties.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace vitrine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::uint32_t> bits(std::span<const float> values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// The logits after the stage, in memory of their own.
std::vector<float> apply(const std::vector<float>& logits, const Policy& policy, const DrawContext& context) {
  Penalties penalties(logits.size());
  const std::span<const float> out = penalties.apply(logits, policy, context);
  return {out.begin(), out.end()};
}

/// 0, what is next to it, and both ends.
const std::vector<float> kAwkward = {-0.0f, 0.0f, 1e-45f, -1e-45f, 3e38f, -3e38f, -kInfinity, 1.0f};
const std::vector<TokenId> kAll = {0, 1, 2, 3, 4, 5, 6, 7};

TEST_CASE("neutral penalties hand the logits on as they are: the same memory") {
  Penalties penalties(kAwkward.size());
  Policy policy;
  policy.stop_tokens = {1, 2};
  policy.penalty_window = 3;
  policy.penalty_prompt = true;
  CHECK(penalties.apply(kAwkward, policy, {kAll, kAll, {}}).data() == kAwkward.data());
  // Enough tokens were chosen.
  policy.min_new_tokens = kAll.size();
  CHECK(penalties.apply(kAwkward, policy, {kAll, kAll, {}}).data() == kAwkward.data());
}

TEST_CASE("a token that no penalty is about keeps its bits, and so does one whose bias is 0") {
  Policy policy;
  policy.logit_bias = {{0, 0.0}, {3, 0.0}};
  policy.repetition_penalty = 1.3;
  policy.frequency_penalty = 0.2;
  const std::vector<TokenId> generated = {7, 7};
  std::vector<float> out = apply(kAwkward, policy, {{}, generated, {}});
  CHECK(out[7] == 1.0f / 1.3f - (0.2f * 2.0f + 0.0f));
  out[7] = kAwkward[7];
  CHECK(bits(out) == bits(kAwkward));
}

TEST_CASE("a worked example: bias, then repetition, then frequency and presence") {
  const std::vector<float> logits = {2, -1, 0.5, 3, -0.25};
  const std::vector<TokenId> prompt = {3, 3}, generated = {0, 1, 0};
  Policy policy;
  policy.logit_bias = {{4, 1.25}};
  policy.repetition_penalty = 2;
  policy.presence_penalty = 0.5;
  policy.frequency_penalty = 0.25;
  // Token 0: 2 / 2 - (0.25 * 2 + 0.5). Token 1: -1 * 2 - (0.25 + 0.5). Token 3 is in the prompt alone.
  CHECK(apply(logits, policy, {prompt, generated, {}}) == std::vector<float>{0, -2.75, 0.5, 3, 1});
  policy.penalty_prompt = true;
  CHECK(apply(logits, policy, {prompt, generated, {}}) == std::vector<float>{0, -2.75, 0.5, 0.5, 1});
  // The bias moves token 1 above 0, where the penalty divides: (-1 + 3) / 2 - 0.75.
  policy.logit_bias = {{1, 3}};
  CHECK(apply(logits, policy, {prompt, generated, {}})[1] == 0.25f);
}

TEST_CASE("the window is the latest tokens, over the end of the prompt where it counts") {
  const std::vector<float> logits(6, 0.0f);
  const std::vector<TokenId> prompt = {0, 1, 1}, generated = {2, 3, 2};
  Policy policy;
  policy.frequency_penalty = 1;
  const auto counts = [&](std::size_t window, bool with_prompt) {
    policy.penalty_window = window;
    policy.penalty_prompt = with_prompt;
    std::vector<float> out = apply(logits, policy, {prompt, generated, {}});
    for (float& logit : out) logit = 0.0f - logit;
    return out;
  };
  using Counts = std::vector<float>;
  CHECK(counts(0, false) == Counts{0, 0, 2, 1, 0, 0});
  CHECK(counts(0, true) == Counts{1, 2, 2, 1, 0, 0});
  for (const bool with_prompt : {false, true}) {
    CHECK(counts(1, with_prompt) == Counts{0, 0, 1, 0, 0, 0});
    CHECK(counts(2, with_prompt) == Counts{0, 0, 1, 1, 0, 0});
    CHECK(counts(3, with_prompt) == Counts{0, 0, 2, 1, 0, 0});
  }
  CHECK(counts(4, true) == Counts{0, 1, 2, 1, 0, 0});
  CHECK(counts(5, true) == Counts{0, 2, 2, 1, 0, 0});
  CHECK(counts(6, true) == Counts{1, 2, 2, 1, 0, 0});
  CHECK(counts(1'000'000, true) == Counts{1, 2, 2, 1, 0, 0});
  CHECK(counts(1'000'000, false) == Counts{0, 0, 2, 1, 0, 0});
}

TEST_CASE("stop tokens are impossible before min_new_tokens, whatever speaks for them") {
  const std::vector<float> logits(4, 1.0f);
  const std::vector<TokenId> generated = {0, 0, 0};
  Policy policy;
  policy.stop_tokens = {1, 3};
  policy.logit_bias = {{1, 100}};
  for (const std::size_t count : {0, 1, 2, 3}) {
    policy.min_new_tokens = 3;
    const std::vector<float> out = apply(logits, policy, {{}, std::span(generated).first(count), {}});
    CHECK(out[0] == 1.0f);
    CHECK(out[1] == (count < 3 ? -kInfinity : 101.0f));
    CHECK(out[3] == (count < 3 ? -kInfinity : 1.0f));
  }
}

TEST_CASE("tokens that are not allowed are impossible, and -infinity stays what it is") {
  const std::vector<float> logits = {1, -kInfinity, 3};
  const std::vector<std::uint8_t> allowed = {1, 1, 0};
  const std::vector<TokenId> generated = {1, 1};
  Policy policy;
  policy.logit_bias = {{1, 100}, {2, 100}};
  policy.repetition_penalty = 0.5;
  policy.presence_penalty = -2;
  CHECK(apply(logits, policy, {{}, generated, allowed}) == std::vector<float>{1, -kInfinity, -kInfinity});
  CHECK(apply(logits, {}, {{}, {}, allowed}) == std::vector<float>{1, -kInfinity, -kInfinity});
}

TEST_CASE("one call leaves nothing behind for the next") {
  Penalties penalties(3);
  const std::vector<float> logits = {1, 2, 3};
  const std::vector<TokenId> many = {0, 0, 1}, one = {2};
  Policy policy;
  policy.frequency_penalty = 1;
  penalties.apply(logits, policy, {{}, many, {}});
  const std::span<const float> out = penalties.apply(logits, policy, {{}, one, {}});
  CHECK(std::vector<float>(out.begin(), out.end()) == std::vector<float>{1, 2, 2});
}

}  // namespace
}  // namespace vitrine
