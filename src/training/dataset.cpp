// Documents are joined once; an epoch only reorders the runs, and packs them greedily.
#include "training/dataset.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/rng.hpp"
#include "base/sha256.hpp"

namespace vitrine {

namespace {
/// Streams of the run's seed: one for each use of randomness. Weights use 0 and up, one a tensor.
constexpr std::uint64_t kShuffleStream = std::uint64_t{1} << 32;
}  // namespace

Dataset::Dataset(std::span<const std::vector<TokenId>> documents, DocumentMarks marks, std::size_t max_seq_len)
    : max_seq_len_(max_seq_len) {
  for (const std::vector<TokenId>& document : documents) {
    std::vector<TokenId> sequence;
    if (marks.begin >= 0) sequence.push_back(marks.begin);
    sequence.insert(sequence.end(), document.begin(), document.end());
    if (marks.end >= 0) sequence.push_back(marks.end);
    if (sequence.size() < 2) continue;
    const std::size_t rows = sequence.size() - 1;
    for (std::size_t begin = 0; begin < rows; begin += max_seq_len) {
      runs_.push_back({tokens_.size() + begin, std::min(max_seq_len, rows - begin)});
    }
    tokens_.insert(tokens_.end(), sequence.begin(), sequence.end() - 1);
    targets_.insert(targets_.end(), sequence.begin() + 1, sequence.end());
  }
  VITRINE_CHECK(!runs_.empty(), ErrorCode::bad_data,
                "data: expected a document of at least two tokens, found none to predict");
  VITRINE_CHECK(runs_.size() <= UINT32_MAX, ErrorCode::bad_data, "data: expected at most ", UINT32_MAX, " runs, found ",
                runs_.size());
}

std::string Dataset::sha256() const {
  Sha256 hash;
  const auto update = [&hash](const auto& values) {
    hash.update({reinterpret_cast<const char*>(std::data(values)), std::size(values) * sizeof(*std::data(values))});
  };
  // The counts come first, so that no two datasets feed the same bytes; run by run in 64 bits, as on every machine.
  update(std::array<std::uint64_t, 3>{max_seq_len_, tokens_.size(), runs_.size()});
  update(tokens_);
  update(targets_);
  for (const Run& run : runs_) update(std::array<std::uint64_t, 2>{run.begin, run.length});
  return hash.finish_hex();
}

BatchSampler::BatchSampler(const Dataset& dataset, std::uint64_t seed)
    : dataset_(&dataset), seed_(seed), order_(dataset.runs().size()) {
  shuffle();
}

/// The order of an epoch: Fisher and Yates with draws of (seed, epoch).
void BatchSampler::shuffle() {
  std::iota(order_.begin(), order_.end(), 0u);
  RandomStream random(seed_, kShuffleStream + state_.epoch);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.next_below(i)]);
}

void BatchSampler::restore(SamplerState state) {
  VITRINE_CHECK(state.next_run < order_.size(), ErrorCode::bad_checkpoint, "sampler: expected a run below ",
                order_.size(), ", found ", state.next_run);
  state_ = state;
  shuffle();
}

void BatchSampler::next(std::size_t max_rows, TrainingBatch& batch) {
  const std::size_t max_seq_len = dataset_->max_seq_len();
  VITRINE_CHECK(max_rows >= max_seq_len, ErrorCode::invalid_option, "batch_rows: expected at least the context length ",
                max_seq_len, ", found ", max_rows);
  batch = {};
  while (state_.next_run < order_.size()) {
    const Run run = dataset_->runs()[order_[state_.next_run]];
    if (batch.tokens.size() + run.length > max_rows) break;
    if (batch.sequences.empty() || batch.sequences.back().length + run.length > max_seq_len) {
      batch.sequences.push_back({batch.tokens.size(), 0});
    }
    batch.sequences.back().length += run.length;
    const auto tokens = dataset_->tokens().subspan(run.begin, run.length);
    const auto targets = dataset_->targets().subspan(run.begin, run.length);
    batch.tokens.insert(batch.tokens.end(), tokens.begin(), tokens.end());
    batch.targets.insert(batch.targets.end(), targets.begin(), targets.end());
    ++state_.next_run;
  }
  if (state_.next_run == order_.size()) {
    ++state_.epoch;
    state_.next_run = 0;
    shuffle();
  }
}

}  // namespace vitrine
