// QuickTraining: a small model trained on a text while somebody watches: what the options leave out is chosen for the
// text's size, and each call does a little. The training is TextTraining's; nothing here reads a clock or a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "session/session.hpp"
#include "session/text_training.hpp"

namespace vitrine {

struct QuickTrainingOptions {
  std::string text;
  std::string name = "yours";
  bool overfit = false;  ///< one small batch again and again, without a held-out part
  TextTrainingOptions training;
};

/// {"text", "name", "unit", "overfit", "steps", "vocab_size", "d_model", "n_layers", "n_heads", "n_kv_heads", "d_ff",
/// "max_seq_len", "learning_rate", "seed"}, of which the text alone must be there. Throws invalid_option, and bad_data
/// for an empty text.
QuickTrainingOptions parse_quick_training(const Json& json);

/// What an advance() leads up to.
enum class QuickTrainingStage { tokenizer, baseline, training, bundle };

/// Losses are mean cross entropies of a token in nats.
struct QuickTrainingProgress {
  QuickTrainingStage stage = QuickTrainingStage::tokenizer;  ///< what comes next
  std::uint64_t step = 0;                                    ///< done
  std::uint64_t steps = 0;
  std::optional<double> loss;
  std::optional<double> held_out_loss;  ///< of the last evaluation
  std::optional<double> baseline_loss;  ///< of the n-gram model, on the held-out text, or on what is overfitted
  std::optional<double> gradient_norm;
  std::optional<double> learning_rate;
  std::uint64_t parameters = 0;  ///< 0 before the tokenizer has decided the vocabulary
  std::uint64_t tokens_seen = 0;
};

class QuickTraining {
 public:
  explicit QuickTraining(QuickTrainingOptions options);

  const QuickTrainingProgress& progress() const { return progress_; }
  /// Does what progress().stage names: the tokenizer, the baseline, or one step. Throws as TextTraining and
  /// Trainer::step, and invalid_option where the bundle alone is left.
  void advance();
  /// The bundle of what was learned so far; progress() then has its held-out loss. Throws aborted before the first
  /// step.
  Bundle finish();

 private:
  void make_training();
  void measure_baseline();
  void step();

  QuickTrainingOptions options_;
  QuickTrainingProgress progress_;
  std::unique_ptr<TextTraining> training_;
};

/// The progress of web/src/engine/training-types.ts, without its times.
Json quick_training_json(const QuickTrainingProgress& progress);
/// A training that has ended and the session that has loaded its bundle: the losses, the description and the names of
/// the bundle's files.
Json trained_json(const QuickTrainingProgress& progress, const Bundle& bundle, const Session& session);

/// A file of a bundle as write_bundle_folder writes it, the manifest included. Throws bad_manifest for another name.
std::string bundle_file(const Bundle& bundle, std::string_view name);

}  // namespace vitrine
