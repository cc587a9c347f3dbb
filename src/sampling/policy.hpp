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
};

/// The defaults are neutral: a draw from the model's own distribution.
struct Policy {
  static constexpr int kVersion = 1;

  PolicyMode mode = PolicyMode::sample;
  double temperature = 1.0;           ///< logits are divided by it; 1: unchanged
  std::size_t top_k = 0;              ///< the k most probable tokens stay; 0: all
  double top_p = 1.0;                 ///< the fewest tokens that hold this share of the probability stay; 1: all
  double min_p = 0.0;                 ///< tokens of at least this share of the best token's probability stay; 0: all
  std::optional<std::uint64_t> seed;  ///< absent until resolve_seed
  std::size_t max_new_tokens = 256;   ///< a row ends after so many tokens
  std::vector<TokenId> stop_tokens;   ///< a row ends when one of them is chosen
  std::vector<std::string> stop;      ///< a row ends, and its text before it, when one of these strings appears

  bool operator==(const Policy&) const = default;
};

/// Reads options on top of `defaults`. A mode other than the default's puts the default's temperature, top_k, top_p
/// and min_p back to neutral. Throws invalid_option, naming the option with what was expected and found, for an unknown
/// option, a wrong type, a number out of range or not finite, and an option without effect in its mode.
Policy parse_policy(const Json& options, std::size_t vocab_size, const Policy& defaults = {});

/// The effective policy with every option that has an effect: parse_policy(write_policy(p), V) == p.
Json write_policy(const Policy& policy);

/// Reads the policy of a Hugging Face generation_config.json: do_sample, temperature, top_k, top_p, min_p,
/// max_new_tokens, eos_token_id. Throws invalid_option for settings that it has no equal for.
Policy parse_generation_config(std::string_view json_text, std::size_t vocab_size);

/// The same policy as a generation_config.json; one that has no seed and no stop strings reads back equal.
std::string write_generation_config(const Policy& policy);

/// Gives the policy a seed made of 64 bits of entropy unless it has one; src/ has no entropy of its own.
Policy resolve_seed(Policy policy, std::uint64_t entropy);

}  // namespace vitrine
