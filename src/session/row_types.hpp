// What a session says of its rows: options in, steps and results out. Plain data; session_json.hpp writes it as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generate/generator.hpp"

namespace vitrine {

/// What one way of computing logits cost.
struct LaneCost {
  std::uint64_t positions = 0;
  std::uint64_t multiply_adds = 0;
  std::uint64_t bytes_read = 0;  ///< Transformer::bytes_read
  double milliseconds = 0.0;

  LaneCost& operator+=(const LaneCost& other) {
    positions += other.positions;
    multiply_adds += other.multiply_adds;
    bytes_read += other.bytes_read;
    milliseconds += other.milliseconds;
    return *this;
  }
};

/// Cached logits against those of the whole prefix.
struct ParityTally {
  std::uint64_t tokens = 0;
  std::uint64_t identical_tokens = 0;  ///< those of which every logit has the same bits
  std::uint64_t logits_compared = 0;
  std::uint64_t differing_bits = 0;

  ParityTally& operator+=(const ParityTally& other) {
    tokens += other.tokens;
    identical_tokens += other.identical_tokens;
    logits_compared += other.logits_compared;
    differing_bits += other.differing_bits;
    return *this;
  }
};

struct RowOptions {
  bool parity = false;                     ///< recompute the whole prefix for every token and compare
  std::optional<std::size_t> trace_limit;  ///< keep each draw's distribution: DistributionTrace::limit
  std::uint64_t stream = 0;                ///< which random stream of the seed
  /// Continue a text that is being typed: begin before its last word, and let the new tokens spell that first; where a
  /// document is a line, continue the last line alone.
  bool heal = false;
  /// Compute every step of the row, and of no other, with this fault. The whole prefix, where it is recomputed, is not:
  /// the comparison shows what the fault does.
  Fault fault = Fault::none;
};

/// What a step did for one row.
struct RowStep {
  RowId row = 0;
  bool prefill = false;  ///< the row had no token before this step
  std::size_t past = 0;  ///< positions cached before
  TokenId token = -1;    ///< -1: the prompt is not done yet
  std::string text;      ///< new text, valid UTF-8, possibly empty
  Draw draw;
  FinishReason finish = FinishReason::none;
  std::optional<Error> error;    ///< with FinishReason::failed
  LaneCost cached;               ///< milliseconds of the pass that the row shared with the other rows of the step
  std::optional<LaneCost> full;  ///< with RowOptions::parity, when a token was chosen
  ParityTally parity;            ///< of this step
  std::size_t positions = 0;     ///< cached now
  KvBytes cache;
  const DistributionTrace* trace = nullptr;  ///< live until the row's next step
};

/// What decoding costs at one length: by formula, nothing is run.
struct GrowthPoint {
  std::size_t positions = 0;
  std::uint64_t cache_bytes = 0;  ///< KvBytes::formula
  LaneCost cached;                ///< of one new position after those before
  LaneCost full;                  ///< of all of them anew
};

/// A row from its prompt to where it stands.
struct RowResult {
  std::string text;
  std::vector<TokenId> ids;  ///< every token chosen, the one that stopped the row included
  FinishReason finish = FinishReason::none;
  Policy policy;  ///< the effective one, its seed included
  std::size_t prompt_tokens = 0;
  std::size_t reused_positions =
      0;             ///< of the prompt, found in the cache or in the file that the row was restored from
  LaneCost prefill;  ///< up to the first token
  LaneCost decode;   ///< from the second token on
  LaneCost full;     ///< with RowOptions::parity
  ParityTally parity;
  KvDType cache_dtype = KvDType::f32;
  KvBytes cache;
};

}  // namespace vitrine
