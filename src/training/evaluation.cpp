// Runs are packed into calls of up to max_batch_rows rows; the sums go run by run, so packing changes no bit of them.
#include "training/evaluation.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "kernels/reduce.hpp"
#include "kernels/scalar_math.hpp"
#include "kernels/softmax.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kMaxRunsInACall = 16;  // each needs a cache of its own

}  // namespace

double Evaluation::bits_per_byte(std::uint64_t bytes) const {
  return loss_sum / (kernels::log_double(2.0) * static_cast<double>(bytes));
}

Evaluator::Evaluator(Transformer& model) : model_(&model) {
  const std::size_t count = std::min(kMaxRunsInACall, model.options().max_batch_rows);
  for (std::size_t i = 0; i < count; ++i) caches_.push_back(model.make_cache());
}

Evaluation Evaluator::evaluate(const Dataset& dataset, const std::function<bool()>& stop) {
  const ModelConfig& config = model_->config();
  VITRINE_CHECK(dataset.max_seq_len() <= config.max_seq_len, ErrorCode::invalid_option,
                "evaluation: expected runs of at most ", config.max_seq_len, " tokens, found ", dataset.max_seq_len());
  const std::size_t max_rows = model_->options().max_batch_rows;
  const std::span<const Run> runs = dataset.runs();
  Evaluation totals;
  std::vector<SequenceInput> batch;
  for (std::size_t next = 0; next < runs.size();) {
    VITRINE_CHECK(!stop || !stop(), ErrorCode::aborted, "evaluation: stopped after ", totals.tokens, " tokens");
    const auto tokens_of = [&](const Run& run) { return dataset.tokens().subspan(run.begin, run.length); };
    const auto targets_of = [&](const Run& run) { return dataset.targets().subspan(run.begin, run.length); };
    if (runs[next].length > max_rows) {
      evaluate_long_run(tokens_of(runs[next]), targets_of(runs[next]), totals);
      ++next;
      continue;
    }
    batch.clear();
    const std::size_t first = next;
    for (std::size_t rows = 0; next < runs.size() && batch.size() < caches_.size(); ++next) {
      rows += runs[next].length;
      if (rows > max_rows) break;
      KvCache& cache = caches_[batch.size()];
      cache.rewind(0);
      batch.push_back({&cache, tokens_of(runs[next])});
    }
    const View<const float, 2> logits = model_->forward(batch, LogitsWanted::all);
    std::size_t row = 0;
    for (std::size_t run = first; run < next; ++run) {
      score(targets_of(runs[run]), logits.slice(row, runs[run].length), totals);
      row += runs[run].length;
    }
  }
  return totals;
}

/// A run that is longer than a call takes several; its cache carries it on.
void Evaluator::evaluate_long_run(std::span<const TokenId> tokens, std::span<const TokenId> targets,
                                  Evaluation& totals) {
  const std::size_t max_rows = model_->options().max_batch_rows;
  KvCache& cache = caches_[0];
  cache.rewind(0);
  for (std::size_t begin = 0; begin < tokens.size(); begin += max_rows) {
    const std::size_t count = std::min(max_rows, tokens.size() - begin);
    const SequenceInput input{&cache, tokens.subspan(begin, count)};
    score(targets.subspan(begin, count), model_->forward({&input, 1}, LogitsWanted::all), totals);
  }
}

void Evaluator::score(std::span<const TokenId> targets, View<const float, 2> logits, Evaluation& totals) const {
  const std::size_t vocab_size = logits.extent(1);
  for (std::size_t n = 0; n < targets.size(); ++n) {
    const float* row = logits[n].data();
    const auto target = static_cast<std::size_t>(targets[n]);
    const double loss = kernels::log_sum_exp(row, vocab_size) - static_cast<double>(row[target]);
    VITRINE_CHECK(std::isfinite(loss), ErrorCode::not_finite, "evaluation: token ", totals.tokens,
                  ": expected a finite loss, found ", loss);
    totals.loss_sum += loss;
    totals.correct += kernels::argmax(row, vocab_size) == target ? 1 : 0;
    ++totals.tokens;
  }
}

}  // namespace vitrine
