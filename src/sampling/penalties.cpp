// Counting is done anew for every draw: a window is short beside one forward pass, and nothing can go stale.
#include "sampling/penalties.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/check.hpp"

namespace vitrine {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

std::span<const TokenId> latest(std::span<const TokenId> tokens, std::size_t count) {
  return tokens.last(std::min(count, tokens.size()));
}

float penalised(float logit, const Policy& policy, std::uint32_t count) {
  const auto repetition = static_cast<float>(policy.repetition_penalty);
  const float repeated = logit > 0.0f ? logit / repetition : logit * repetition;
  return repeated - (static_cast<float>(policy.frequency_penalty) * static_cast<float>(count) +
                     static_cast<float>(policy.presence_penalty));
}

}  // namespace

Penalties::Penalties(std::size_t vocab_size) : logits_(vocab_size), counts_(vocab_size) {}

std::span<const float> Penalties::apply(std::span<const float> logits, const Policy& policy,
                                        const DrawContext& context) {
  VITRINE_ASSERT(logits.size() == logits_.size());
  VITRINE_ASSERT(context.allowed.empty() || context.allowed.size() == logits_.size());
  const bool too_early = context.generated.size() < policy.min_new_tokens;
  if (policy.logit_bias.empty() && !policy.penalises() && !too_early && context.allowed.empty()) return logits;

  std::copy(logits.begin(), logits.end(), logits_.begin());
  for (const auto& [token, bias] : policy.logit_bias) {
    // Adding 0 would turn -0 into +0.
    if (bias != 0.0) logits_[static_cast<std::size_t>(token)] += static_cast<float>(bias);
  }
  if (policy.penalises()) penalise_window(policy, context);
  forbid(policy, context, too_early);
  return logits_;
}

void Penalties::penalise_window(const Policy& policy, const DrawContext& context) {
  const std::size_t window =
      policy.penalty_window == 0 ? std::numeric_limits<std::size_t>::max() : policy.penalty_window;
  const std::span<const TokenId> generated = latest(context.generated, window);
  const std::span<const TokenId> prompt =
      policy.penalty_prompt ? latest(context.prompt, window - generated.size()) : std::span<const TokenId>();
  const std::array pieces = {prompt, generated};
  for (const auto piece : pieces) {
    for (const TokenId token : piece) ++counts_[static_cast<std::size_t>(token)];
  }
  for (const auto piece : pieces) {
    for (const TokenId token : piece) {
      // The first visit takes the count, so that every token is penalised once.
      const std::uint32_t count = std::exchange(counts_[static_cast<std::size_t>(token)], 0);
      float& logit = logits_[static_cast<std::size_t>(token)];
      if (count > 0) logit = penalised(logit, policy, count);
    }
  }
}

void Penalties::forbid(const Policy& policy, const DrawContext& context, bool stop_tokens_too) {
  if (stop_tokens_too) {
    for (const TokenId token : policy.stop_tokens) logits_[static_cast<std::size_t>(token)] = kImpossible;
  }
  for (std::size_t id = 0; id < context.allowed.size(); ++id) {
    if (context.allowed[id] == 0) logits_[id] = kImpossible;
  }
}

}  // namespace vitrine
