#include "session/text_evaluation.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/expect_error.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

TEST_CASE("bytes are those of the tokens predicted: all of them behind a begin token, else all but the first") {
  LoadedModel model = load_model(test::tiny_bundle());
  const std::vector<std::vector<TokenId>> documents = model.encode_documents("git commit\nls\n");
  const TextEvaluation marked = evaluate_documents(model.transformer, model.tokenizer, documents, model.begin_token);
  CHECK(marked.documents == 2);
  CHECK(marked.bytes == 14);
  CHECK(marked.totals.tokens == documents[0].size() + documents[1].size());
  const TextEvaluation plain = evaluate_documents(model.transformer, model.tokenizer, documents, -1);
  const std::size_t first_tokens = model.tokenizer.token_bytes(documents[0].front()).size() +
                                   model.tokenizer.token_bytes(documents[1].front()).size();
  CHECK(plain.bytes == 14 - first_tokens);
  CHECK(plain.totals.tokens == marked.totals.tokens - 2);
}

TEST_CASE("documents in which nothing can be predicted are refused") {
  LoadedModel model = load_model(test::tiny_bundle());
  const std::vector<std::vector<TokenId>> documents = {{5}, {}};
  CHECK_ERROR(ErrorCode::bad_data, "at least two tokens",
              evaluate_documents(model.transformer, model.tokenizer, documents, -1));
}

}  // namespace
}  // namespace vitrine
