// Policy: how the next token is chosen and when a text ends, as one validated, versioned object (docs/policy.md).
// It chooses nothing itself: that is pipeline.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/token_id.hpp"

namespace vitrine {

enum class PolicyMode {
  greedy,  ///< the most probable token, the lowest id on a tie; draws nothing
  sample,  ///< a draw from the distribution that temperature, top_k, top_p and min_p leave
};

/// Ranges of the options; parse_policy refuses everything outside.
struct PolicyLimits {
  static constexpr double kMinTemperature = 1e-3;
  static constexpr double kMaxTemperature = 1e3;
  static constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 53) - 1;  ///< the largest exact integer in JavaScript
  static constexpr std::size_t kMaxNewTokens = 1'000'000;
  static constexpr std::size_t kMaxStopTokens = 64;
  static constexpr std::size_t kMaxStops = 16;
  static constexpr std::size_t kMaxStopBytes = 256;
  static constexpr double kMinRepetitionPenalty = 1e-2;
  static constexpr double kMaxRepetitionPenalty = 1e2;
  static constexpr double kMaxPenalty = 2.0;  ///< of presence and frequency, either way
  static constexpr std::size_t kMaxPenaltyWindow = 1'000'000;
  static constexpr std::size_t kMaxBiases = 256;
  static constexpr double kMaxBias = 100.0;  ///< either way
};

/// What is added to the logit of one token.
struct TokenBias {
  TokenId token = -1;
  double bias = 0.0;

  bool operator==(const TokenBias&) const = default;
};

/// The defaults are neutral: a draw from the model's own distribution.
struct Policy {
  static constexpr int kVersion = 1;

  PolicyMode mode = PolicyMode::sample;
  std::vector<TokenBias> logit_bias;  ///< by ascending token, each once
  double repetition_penalty = 1.0;    ///< divides positive logits of tokens in the window, multiplies others; 1: off
  double presence_penalty = 0.0;      ///< subtracted once from the logits of tokens in the window
  double frequency_penalty = 0.0;     ///< subtracted from them for every time that they are in the window
  std::size_t penalty_window = 0;     ///< the penalties look at so many of the latest tokens; 0: at all
  bool penalty_prompt = false;        ///< they look at the prompt's tokens, too, not at generated ones alone
  double temperature = 1.0;           ///< logits are divided by it; 1: unchanged
  std::size_t top_k = 0;              ///< the k most probable tokens stay; 0: all
  double top_p = 1.0;                 ///< the fewest tokens that hold this share of the probability stay; 1: all
  double min_p = 0.0;                 ///< tokens of at least this share of the best token's probability stay; 0: all
  std::optional<std::uint64_t> seed;  ///< absent until resolve_seed
  std::size_t max_new_tokens = 256;   ///< a row ends after so many tokens
  std::size_t min_new_tokens = 0;     ///< stop_tokens are impossible before so many tokens
  std::vector<TokenId> stop_tokens;   ///< a row ends when one of them is chosen
  std::vector<std::string> stop;      ///< a row ends, and its text before it, when one of these strings appears

  /// Whether any penalty looks at the window at all.
  bool penalises() const { return repetition_penalty != 1.0 || presence_penalty != 0.0 || frequency_penalty != 0.0; }

  bool operator==(const Policy&) const = default;
};

/// Reads options on top of `defaults`. A mode other than the default's puts the default's temperature, top_k, top_p
/// and min_p back to neutral; so does an option that leaves a default without effect (penalty_window, penalty_prompt,
/// min_new_tokens). Throws invalid_option, naming the option with what was expected and found, for an unknown option, a
/// wrong type, a number out of range or not finite, a contradiction, and an option without effect.
Policy parse_policy(const Json& options, std::size_t vocab_size, const Policy& defaults = {});

/// The effective policy with every option that has an effect: parse_policy(write_policy(p), V) == p.
Json write_policy(const Policy& policy);

/// Reads the policy of a Hugging Face generation_config.json: do_sample, temperature, top_k, top_p, min_p,
/// repetition_penalty (which counts the whole prompt there), max_new_tokens, min_new_tokens, eos_token_id. Throws
/// invalid_option for settings that it has no equal for.
Policy parse_generation_config(std::string_view json_text, std::size_t vocab_size);

/// The same policy as a generation_config.json, which reads back equal. Throws invalid_option, naming it, for an option
/// that such a file has no place for: a seed, stop strings, biases, penalties other than Hugging Face's.
std::string write_generation_config(const Policy& policy);

/// Gives the policy a seed made of 64 bits of entropy unless it has one; src/ has no entropy of its own.
Policy resolve_seed(Policy policy, std::uint64_t entropy);

}  // namespace vitrine
