// Dataset: documents as token ids, cut into runs that fit the context, and batches of runs in a shuffled order that
// depends on the seed and the epoch alone. It knows no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/token_id.hpp"

namespace vitrine {

/// The marks around a document; -1 means that there is none.
struct DocumentMarks {
  TokenId begin = -1;
  TokenId end = -1;
};

/// Consecutive tokens that stand in one context.
struct Run {
  std::size_t begin = 0;
  std::size_t length = 0;
};

class Dataset {
 public:
  /// Each document becomes begin, tokens..., with the token after each as its target and `end` after the last; what is
  /// longer than max_seq_len goes on in another run. Throws bad_data when no target is left.
  Dataset(std::span<const std::vector<TokenId>> documents, DocumentMarks marks, std::size_t max_seq_len);

  std::span<const TokenId> tokens() const { return tokens_; }
  std::span<const TokenId> targets() const { return targets_; }  ///< the token after each token
  std::span<const Run> runs() const { return runs_; }
  std::size_t max_seq_len() const { return max_seq_len_; }
  /// Of the tokens, the targets and where the runs are cut: two datasets with one hash train alike.
  std::string sha256() const;

 private:
  std::size_t max_seq_len_;
  std::vector<TokenId> tokens_;
  std::vector<TokenId> targets_;
  std::vector<Run> runs_;
};

/// N rows in sequences of whole runs; no padding.
struct TrainingBatch {
  std::vector<TokenId> tokens;   ///< [N]
  std::vector<TokenId> targets;  ///< [N]
  std::vector<Run> sequences;    ///< rows of each sequence, positions from 0
};

/// Where a sampler stands: enough to go on with the very next batch.
struct SamplerState {
  std::uint64_t epoch = 0;
  std::uint64_t next_run = 0;
};

class BatchSampler {
 public:
  BatchSampler(const Dataset& dataset, std::uint64_t seed);

  /// The next runs in order, packed into sequences of at most max_seq_len rows, at most `max_rows` rows together.
  /// An epoch's last batch may be short. Throws invalid_option when max_rows is below max_seq_len.
  void next(std::size_t max_rows, TrainingBatch& batch);

  SamplerState state() const { return state_; }
  void restore(SamplerState state);

 private:
  void shuffle();

  const Dataset* dataset_;
  std::uint64_t seed_;
  SamplerState state_;
  std::vector<std::uint32_t> order_;
};

}  // namespace vitrine
