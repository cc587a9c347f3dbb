// Evaluation: how well a model predicts documents that it was not trained on. It trains nothing and reads no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/transformer.hpp"
#include "training/dataset.hpp"

namespace vitrine {

struct Evaluation {
  std::uint64_t tokens = 0;   ///< predicted
  std::uint64_t correct = 0;  ///< of them, those that had the largest logit (the lowest id on a tie)
  double loss_sum = 0.0;      ///< cross entropy in nats, summed in the order of the dataset

  double mean_loss() const { return loss_sum / static_cast<double>(tokens); }
  double accuracy() const { return static_cast<double>(correct) / static_cast<double>(tokens); }
  /// Loss over the `bytes` of text that the predicted tokens stand for, in bits: comparable across vocabularies.
  double bits_per_byte(std::uint64_t bytes) const;
};

class Evaluator {
 public:
  /// Makes the caches that an evaluation needs; the model outlives the evaluator.
  explicit Evaluator(Transformer& model);

  /// Predicts every target of the dataset, each run from a fresh context. The figures do not depend on how runs share a
  /// call. Throws invalid_option if the dataset's runs are longer than the model's context, not_finite, and aborted
  /// once `stop`, which is asked before each call of the model, says so.
  Evaluation evaluate(const Dataset& dataset, const std::function<bool()>& stop = {});

 private:
  void score(std::span<const TokenId> targets, View<const float, 2> logits, Evaluation& totals) const;
  void evaluate_long_run(std::span<const TokenId> tokens, std::span<const TokenId> targets, Evaluation& totals);

  Transformer* model_;
  std::vector<KvCache> caches_;
};

}  // namespace vitrine
