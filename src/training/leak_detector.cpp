// The alarms of training: a small model that learns what it cannot know, and a gradient that reaches into the future.
#include "training/leak_detector.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/rng.hpp"
#include "kernels/scalar_math.hpp"

namespace vitrine::detect {

namespace {

constexpr double kImplausible = 30.0;  // nats

ModelConfig smallest_config() {
  ModelConfig config;
  config.vocab_size = UnpredictableTokens::kVocabSize;
  config.d_model = 32;
  config.n_layers = 1;
  config.n_heads = 2;
  config.n_kv_heads = 1;
  config.head_dim = 16;
  config.d_ff = 32;
  config.max_seq_len = UnpredictableTokens::kLength;
  return config;
}

std::vector<std::vector<TokenId>> documents(std::size_t count, RandomStream random) {
  std::vector<std::vector<TokenId>> documents(count, {0});
  for (std::vector<TokenId>& document : documents) {
    for (std::size_t i = 0; i < UnpredictableTokens::kLength; ++i) {
      document.push_back(static_cast<TokenId>(1 + random.next_below(UnpredictableTokens::kTokens)));
    }
  }
  return documents;
}

/// The sequence of each row.
std::vector<Run> sequences_of_rows(const TrainingBatch& batch) {
  std::vector<Run> runs(batch.tokens.size());
  for (const Run& run : batch.sequences) {
    std::fill_n(runs.begin() + static_cast<std::ptrdiff_t>(run.begin), run.length, run);
  }
  return runs;
}

}  // namespace

std::optional<Finding> gradient_leak(Trainer& trainer, const TrainingBatch& batch) {
  const std::vector<Run> runs = sequences_of_rows(batch);
  for (std::size_t t = 0; t < runs.size(); ++t) {
    const std::vector<float> gradients = trainer.input_gradients(batch, t);
    const std::size_t width = gradients.size() / runs.size();
    for (std::size_t s = 0; s < runs.size(); ++s) {
      const auto begin = gradients.begin() + static_cast<std::ptrdiff_t>(s * width);
      const auto entry =
          std::find_if(begin, begin + static_cast<std::ptrdiff_t>(width), [](float g) { return g != 0; });
      const bool zero = entry == begin + static_cast<std::ptrdiff_t>(width);
      const bool visible = s >= runs[t].begin && s <= t;
      const std::string where = str("gradient of the loss of row ", t, " with respect to the input of row ", s);
      if (!visible && !zero) return Finding{where, "exactly 0", str(*entry)};
      if (s == t && zero) return Finding{where, "other than 0", "0"};
    }
  }
  return std::nullopt;
}

double UnpredictableTokens::entropy() const {
  return static_cast<double>(held_out.size() * kLength) * kernels::log_double(static_cast<double>(kTokens));
}

UnpredictableTokens make_unpredictable_tokens(std::uint64_t seed) {
  return {documents(400, RandomStream(seed, 0)), documents(50, RandomStream(seed, 1))};
}

double held_out_loss(const UnpredictableTokens& tokens, Fault fault) {
  constexpr std::uint64_t kSteps = 60;
  const ModelConfig config = smallest_config();
  const Dataset training(tokens.training, {}, config.max_seq_len), held_out(tokens.held_out, {}, config.max_seq_len);
  TrainingOptions options;
  options.schedule = {.peak = 1e-2, .minimum = 1e-3, .warmup_steps = 5, .total_steps = kSteps};
  options.batch_rows = held_out.tokens().size();
  ThreadPool pool;
  Trainer trainer(config, options, training, pool);
  trainer.inject(fault);
  while (trainer.steps_done() < kSteps) trainer.step();
  TrainingBatch batch;
  BatchSampler(held_out, 0).next(options.batch_rows, batch);
  return trainer.loss_and_gradients(batch) * static_cast<double>(batch.tokens.size());
}

std::optional<Finding> loss_floor(double loss, double baseline, double entropy) {
  if (loss >= std::min(baseline, entropy) - kImplausible) return std::nullopt;
  return Finding{"held-out loss after a short training",
                 str("about ", entropy, " nats (n-gram baseline: ", baseline, ")"), str(loss, " nats")};
}

}  // namespace vitrine::detect
