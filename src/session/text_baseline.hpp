// TextBaseline: an n-gram model behind the tokenizer and the template of a bundle: text in, scores and text out, in the
// same forms as a Session gives them. It never runs the bundle's transformer.
#pragma once

#include <cstdint>
#include <string_view>

#include "baseline/ngram_file.hpp"
#include "session/loaded_model.hpp"
#include "session/row_types.hpp"
#include "session/session.hpp"

namespace vitrine {

/// The documents of a text as training reads them: the template's begin token, if it has one, before and after each.
/// The options' vocab_size is the bundle's.
NgramFile make_baseline(const LoadedModel& bundle, std::string_view text, NgramOptions options);

class TextBaseline {
 public:
  /// The bundle outlives it. Throws bad_data if the file was made with another tokenizer, and what NgramModel::train
  /// throws.
  TextBaseline(const LoadedModel& bundle, const NgramFile& file);

  const NgramModel& model() const { return model_; }

  /// Predicts what Session::evaluate has the transformer predict. Throws bad_data if there is nothing.
  TextEvaluation evaluate(std::string_view text) const;

  /// Continues a prompt under a policy with its seed, drawing from this stream of it. Costs, parity and cache of the
  /// result are zero: there are none.
  RowResult complete(std::string_view prompt, const Policy& policy, std::uint64_t stream = 0) const;

 private:
  const LoadedModel* bundle_;
  NgramModel model_;
};

}  // namespace vitrine
