// The one place where tokens that were predicted become bytes of text.
#include "session/text_evaluation.hpp"

namespace vitrine {

TextEvaluation evaluate_documents(Transformer& model, const Tokenizer& tokenizer,
                                  std::span<const std::vector<TokenId>> documents, TokenId begin_token,
                                  const std::function<bool()>& stop) {
  const Dataset dataset(documents, {.begin = begin_token, .end = -1}, model.config().max_seq_len);
  TextEvaluation evaluation;
  evaluation.totals = Evaluator(model).evaluate(dataset, stop);
  evaluation.documents = documents.size();
  for (const TokenId target : dataset.targets()) evaluation.bytes += tokenizer.token_bytes(target).size();
  return evaluation;
}

}  // namespace vitrine
