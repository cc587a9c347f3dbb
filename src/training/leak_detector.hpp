// The training alarms: whether a model in training learns from tokens that come after the one it predicts. A model that
// does has a splendid loss and is worth nothing. What the alarms lead to is for those who ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/finding.hpp"
#include "training/trainer.hpp"

namespace vitrine::detect {

/// The gradient of each token's loss with respect to the inputs after it, and to those of other sequences, must be
/// exactly zero; that with respect to its own input must not, or the check would see nothing. A pass a row of the
/// batch; changes no weight. Throws as Trainer::loss_and_gradients.
std::optional<Finding> gradient_leak(Trainer& trainer, const TrainingBatch& batch);

/// Documents that nothing can predict: token 0, then kLength tokens, each uniform over 1 .. kTokens and independent of
/// all others.
struct UnpredictableTokens {
  static constexpr std::size_t kLength = 6;
  static constexpr std::size_t kTokens = 31;
  static constexpr std::size_t kVocabSize = kTokens + 1;

  std::vector<std::vector<TokenId>> training;
  std::vector<std::vector<TokenId>> held_out;

  /// Nats that whoever sees no later token must lose over the held-out documents on average: ln kTokens a token.
  double entropy() const;
};

UnpredictableTokens make_unpredictable_tokens(std::uint64_t seed);

/// Nats over the held-out documents of a very small model after a short training, `fault` injected in both.
double held_out_loss(const UnpredictableTokens& tokens, Fault fault);

/// An alarm for a held-out loss implausibly far below that of a baseline, which counts and cannot look ahead, and below
/// the tokens' entropy. All in nats over the same tokens. A causal model ends m nats below the entropy with a
/// probability of at most e^-m (its likelihood ratio to the true distribution is a martingale of mean 1: Ville's
/// inequality); the alarm rings at 30 nats, less than once in 10^13 runs of a right model.
std::optional<Finding> loss_floor(double loss, double baseline, double entropy);

}  // namespace vitrine::detect
