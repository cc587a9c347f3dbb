// TextTraining: from texts to a bundle: the tokenizer, the documents, their trainer, scores of a held-out text, and
// what the manifest says of it all. The steps are Trainer's; it reads and writes no file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "model/fault.hpp"
#include "session/loaded_model.hpp"
#include "session/text_evaluation.hpp"
#include "training/trainer.hpp"

namespace vitrine {

struct TextTrainingOptions {
  DocumentUnit unit = DocumentUnit::line;
  std::size_t vocab_size = 2048;  ///< to reach; texts with too little to merge end with fewer
  ModelConfig config;             ///< its vocabulary, head width and marks follow from the rest
  TrainingOptions training;
  std::size_t threads = 1;
  /// Learn from so many tokens of the texts' beginning alone, as one document without an end; 0: from all.
  std::size_t only_first_tokens = 0;
  Fault fault = Fault::none;  ///< how the model in training is wrong, so that tests see the guard refuse it
};

class TextTraining {
 public:
  /// Learns the tokenizer and makes the trainer; no document reaches from one text into the next. Throws
  /// invalid_option and bad_config for options out of range, bad_data for texts with nothing to predict, and internal
  /// for a model whose gradient reaches what it is to predict.
  TextTraining(std::vector<std::string> texts, std::vector<std::string> held_out, const TextTrainingOptions& options);

  Trainer& trainer() { return *trainer_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const Dataset& dataset() const { return *dataset_; }
  const ModelConfig& config() const { return options_.config; }
  /// Plain sampling that ends where a document does.
  Policy default_policy() const;

  /// The documents that are learned from, without marks.
  std::vector<std::vector<TokenId>> documents() const;
  std::vector<std::vector<TokenId>> held_out_documents() const { return encode(held_out_, 0); }
  /// The special token before every document.
  TokenId mark() const { return mark_; }
  bool has_held_out() const { return !held_out_.empty(); }
  /// Scores the held-out text, or about `documents` documents spread over it (0: all), by the weights as a bundle
  /// rounds them. Throws aborted once `stop` says so, and not_finite for weights that float16 cannot hold.
  TextEvaluation evaluate(std::size_t documents, const std::function<bool()>& stop = {});

  /// Scores the whole held-out text and makes the bundle: `labels` gives it a name, a version, a policy, where the text
  /// is from and further parts. Throws as evaluate.
  Bundle finish(BundleContent labels, const std::function<bool()>& stop = {});

 private:
  void make_trainer();
  void require_no_leak();
  std::vector<std::vector<TokenId>> encode(const std::vector<std::string>& texts, std::size_t documents) const;
  void describe(Manifest& manifest, const std::optional<TextEvaluation>& held_out) const;

  TextTrainingOptions options_;
  std::vector<std::string> texts_;
  std::vector<std::string> held_out_;
  std::optional<Tokenizer> tokenizer_;
  TokenId mark_ = -1;
  std::optional<Dataset> dataset_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace vitrine
