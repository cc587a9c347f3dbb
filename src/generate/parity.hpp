// Parity: whether cached decoding gives the same logits as recomputing the whole prefix for each token, bit for bit.
// It compares bits and knows no tolerance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/transformer.hpp"

namespace vitrine {

/// The first logit that differs.
struct ParityDifference {
  std::size_t token = 0;  ///< position in the sequence
  std::size_t logit = 0;  ///< vocabulary id
  float cached = 0.0f;
  float full_prefix = 0.0f;
};

struct ScheduleReport {
  std::string name;
  std::uint64_t logits_compared = 0;
  std::uint64_t differing_bits = 0;
  std::optional<ParityDifference> first_difference;
  bool exercised = false;  ///< whether what the schedule is there for took place; short sequences leave no room for it
};

struct ParityReport {
  std::size_t tokens = 0;              ///< of the sequence
  KvDType cache_dtype = KvDType::f32;  ///< of the caches on both sides
  std::vector<ScheduleReport> schedules;

  std::uint64_t logits_compared() const;
  std::uint64_t differing_bits() const;
  /// Of schedules that were not exercised.
  std::vector<std::string> not_exercised() const;
  /// No bit differs, and every schedule took place and compared something.
  bool passed() const;
};

/// Counts bits that differ between two rows of the same length.
std::uint64_t differing_bits(std::span<const float> a, std::span<const float> b);

/// logits [V] after `tokens`, computed from nothing in as few calls as the model's max_batch_rows allows; one for any
/// prefix that fits. `cache` is emptied first. They live until the model's next forward pass.
View<const float, 1> full_prefix_logits(Transformer& model, std::span<const TokenId> tokens, KvCache& cache);

/// Recomputes every prefix of `tokens` from nothing (quadratic: that is the point), and compares all logits of every
/// token with those of these schedules: "decode", one token at a time as a generator does; "chunks_1", "chunks_3",
/// "chunks_7" and "chunks_16", prefill in chunks, those that are shorter than the context; "batch_5", five rows that
/// join and leave at different steps; "rewind_retype", typing with mistakes that are taken back. With 17 tokens or
/// more, all of them take place. Throws bad_data without tokens, context_full for more than the context holds,
/// invalid_token, not_finite, and invalid_option for a model whose max_batch_rows is below 16.
ParityReport check_parity(Transformer& model, std::span<const TokenId> tokens);

}  // namespace vitrine
