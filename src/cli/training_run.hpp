// TrainingRun: one run of `vitrine train` from its files to its bundle: the texts, the checkpoint, the loss curve, the
// labels of the bundle. The training itself is session/text_training.hpp's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "session/text_training.hpp"

namespace vitrine::cli {

struct TrainOptions {
  static constexpr std::uint64_t kToTheEnd = UINT64_MAX;

  std::vector<std::string> data;
  std::string held_out;
  std::string unit = "line";
  std::size_t vocab_size = 2048;
  ModelConfig config = default_config();
  TrainingOptions training = default_training();
  std::size_t threads = 1;
  std::string checkpoint;  ///< a folder; empty: none
  std::uint64_t checkpoint_every = 100;
  bool resume = false;
  std::uint64_t until = kToTheEnd;  ///< a step of the schedule after which to stop
  std::uint64_t log_every = 20;
  std::uint64_t eval_every = 0;
  std::size_t eval_documents = 500;
  std::string out;
  std::string name = "model";
  std::string model_version = "1.0.0";
  std::string policy;  ///< a file; empty: plain sampling
  std::string corpus;
  std::vector<std::string> parts;
  bool progress = false;

  static ModelConfig default_config();
  static TrainingOptions default_training();
};

struct TrainedModel {
  Bundle bundle;
  std::uint64_t parameters = 0;
  std::size_t vocab_size = 0;
  std::size_t train_tokens = 0;
};

class TrainingRun {
 public:
  /// Reads the files, learns the tokenizer, makes or resumes the trainer. Whatever can be wrong with the files to be
  /// read and written is refused here, before the first step: what readers and writers throw, and invalid_option for
  /// options that contradict each other or the checkpoint; internal for a model whose gradient reaches what it is to
  /// predict. `stop` ends a score under way.
  TrainingRun(const TrainOptions& options, std::function<bool()> stop);

  Trainer& trainer() { return training_->trainer(); }
  bool has_held_out() const { return training_->has_held_out(); }
  /// Scores the held-out text, or about `documents` documents spread over it (0: all). Throws aborted.
  TextEvaluation evaluate(std::size_t documents) { return training_->evaluate(documents, stop_); }
  /// Writes the checkpoint, if there is a folder for it, and adds lines to the loss curve beside it.
  void save(const std::string& curve_lines);
  /// Scores the whole held-out text and makes the bundle. Throws aborted, and not_finite for weights that float16
  /// cannot hold.
  TrainedModel finish();

 private:
  void prepare_bundle();
  void prepare_checkpoint();
  void make_training(std::vector<std::string> texts, std::vector<std::string> held_out);
  void choose_policy();
  void resume();
  std::string read_curve() const;
  std::string checkpoint_file() const { return options_.checkpoint + "/checkpoint.safetensors"; }
  std::string curve_file() const { return options_.checkpoint + "/loss.jsonl"; }

  TrainOptions options_;
  std::function<bool()> stop_;
  BundleContent labels_;
  std::unique_ptr<TextTraining> training_;
  std::string curve_;
};

}  // namespace vitrine::cli
