// TextEvaluation: how well a model predicts a text, counted in documents and bytes, so that tokenizers can be compared.
// The losses come from training/evaluation.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/transformer.hpp"
#include "tokenizer/tokenizer.hpp"
#include "training/evaluation.hpp"

namespace vitrine {

struct TextEvaluation {
  Evaluation totals;
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;  ///< that the predicted tokens stand for
  KvDType cache_dtype = KvDType::f32;
};

/// Scores documents without special tokens, each from a fresh context that begins with `begin_token` (-1: none).
/// Throws bad_data if there is nothing to predict, and what Evaluator throws, whose `stop` this is.
TextEvaluation evaluate_documents(Transformer& model, const Tokenizer& tokenizer,
                                  std::span<const std::vector<TokenId>> documents, TokenId begin_token,
                                  const std::function<bool()>& stop = {});

}  // namespace vitrine
