// Penalties: the first stage of sampling, on logits: biases, penalties for tokens that came before, and tokens that
// cannot come now. It chooses nothing and knows no probability: that is pipeline.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/token_id.hpp"
#include "sampling/policy.hpp"

namespace vitrine {

/// What stands before a draw: by default nothing.
struct DrawContext {
  std::span<const TokenId> prompt;
  std::span<const TokenId> generated;
  std::span<const std::uint8_t> allowed;  ///< [V] 0: the token cannot be drawn; empty: every token can
};

class Penalties {
 public:
  /// Allocates the workspace for vocabularies of exactly this size; apply allocates nothing.
  explicit Penalties(std::size_t vocab_size);

  /// The logits [V] that the policy's penalties leave; where none is on, the very logits given. With c the number of
  /// times that a token is in the window (the last penalty_window tokens of prompt and generated, or of generated
  /// alone), each line in float32:
  ///   l = l + logit_bias
  ///   l = l > 0 ? l / repetition_penalty : l * repetition_penalty   if c > 0   (Keskar et al. 2019, section 4.1; for
  ///                                                  negative logits as Hugging Face's
  ///                                                  RepetitionPenaltyLogitsProcessor)
  ///   l = l - (frequency_penalty * c + presence_penalty)            if c > 0   (OpenAI's API reference)
  ///   l = -infinity   for stop_tokens before min_new_tokens, and for tokens that are not allowed
  /// A token that no line is about keeps its bits. The result lives until the next call.
  std::span<const float> apply(std::span<const float> logits, const Policy& policy, const DrawContext& context);

 private:
  void penalise_window(const Policy& policy, const DrawContext& context);
  void forbid(const Policy& policy, const DrawContext& context, bool stop_tokens_too);

  std::vector<float> logits_;          // [V]
  std::vector<std::uint32_t> counts_;  // [V] zero between calls
};

}  // namespace vitrine
