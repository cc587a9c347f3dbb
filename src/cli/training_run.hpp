// TrainingRun: one run of `vitrine train` from its files to its bundle. The steps are Trainer's; this holds together
// the tokenizer, the documents, the checkpoint and what the manifest says of the run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "io/bundle.hpp"
#include "session/loaded_model.hpp"
#include "session/text_evaluation.hpp"
#include "training/trainer.hpp"

namespace vitrine::cli {

struct TrainOptions {
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
  std::uint64_t until = UINT64_MAX;  ///< a step of the schedule after which to stop
  std::uint64_t log_every = 20;
  std::uint64_t eval_every = 0;
  std::size_t eval_documents = 500;
  std::string out;
  std::string name = "model";
  std::string model_version = "1.0.0";
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
  /// Reads the files, learns the tokenizer, makes or resumes the trainer. Throws what they throw; invalid_option for
  /// --resume without a checkpoint, and for a checkpoint that is there without --resume; internal for a model whose
  /// gradient reaches what it is to predict.
  explicit TrainingRun(const TrainOptions& options);

  Trainer& trainer() { return *trainer_; }
  bool has_held_out() const { return held_out_.has_value(); }
  /// Scores the held-out text, or about `documents` documents spread over it (0: all).
  TextEvaluation evaluate(std::size_t documents);
  /// Writes the checkpoint, if there is a folder for it, and adds lines to the loss curve beside it.
  void save(const std::string& curve_lines);
  /// Scores the whole held-out text and makes the bundle.
  TrainedModel finish();

 private:
  void learn_tokenizer();
  void require_no_leak();
  void describe(Manifest& manifest, const std::optional<TextEvaluation>& held_out) const;
  std::vector<std::vector<TokenId>> encode(std::string_view text, std::size_t documents) const;
  std::string checkpoint_file() const { return options_.checkpoint + "/checkpoint.safetensors"; }
  std::string curve_file() const { return options_.checkpoint + "/loss.jsonl"; }

  TrainOptions options_;
  PromptTemplate template_;
  std::string text_;
  std::optional<std::string> held_out_;
  std::optional<Tokenizer> tokenizer_;
  TokenId mark_ = -1;
  std::optional<Dataset> dataset_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Trainer> trainer_;
  std::string curve_;
};

}  // namespace vitrine::cli
