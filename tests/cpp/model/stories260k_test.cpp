// The outside proof of the forward pass: a model that others trained, whose greedy text is published.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "kernels/reduce.hpp"
#include "model/transformer.hpp"
#include "support/llama2c.hpp"
#include "support/llama2c_model.hpp"
#include "support/shared_data.hpp"

namespace vitrine {
namespace {

TEST_CASE("stories260K gives its published greedy text") {
  const auto model_bytes = test::read_shared_data("models/stories260K/stories260K.bin");
  const auto tokenizer_bytes = test::read_shared_data("models/stories260K/tok512.bin");
  const auto expected = test::read_shared_data("models/stories260K/expected.json");
  if (!model_bytes || !tokenizer_bytes || !expected) return;
  const test::Llama2cModel source = test::read_llama2c_model(*model_bytes);
  const test::Llama2cTokenizer tokenizer = test::read_llama2c_tokenizer(*tokenizer_bytes);
  Transformer model(source.config, source.weights);
  KvCache cache = model.make_cache();
  std::vector<TokenId> tokens = {test::Llama2cTokenizer::kBos};
  while (tokens.size() < 201) {
    const SequenceInput input{&cache, std::span(tokens).last(1)};
    const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::last);
    tokens.push_back(static_cast<TokenId>(kernels::argmax(logits.data(), source.config.vocab_size)));
  }
  const std::string published = parse_json(*expected, "expected.json").value().at("greedy_200_steps_from_bos");
  REQUIRE(published.size() > 400);
  CHECK(tokenizer.decode(tokens) == published);
}

TEST_CASE("stories260K gives the logits that an independent program computed, within float32 rounding") {
  const auto model_bytes = test::read_shared_data("models/stories260K/stories260K.bin");
  const auto logits_bytes = test::read_shared_data("models/stories260K/logits_once_upon_a_time.f32");
  const auto expected = test::read_shared_data("models/stories260K/expected.json");
  if (!model_bytes || !logits_bytes || !expected) return;
  const test::Llama2cModel source = test::read_llama2c_model(*model_bytes);
  const std::size_t vocab_size = source.config.vocab_size;
  std::vector<TokenId> tokens =
      parse_json(*expected, "expected.json").value().at("greedy_from_prompt").at("ids_24_positions");
  tokens.resize(24);
  std::vector<float> published(logits_bytes->size() / sizeof(float));
  std::memcpy(published.data(), logits_bytes->data(), logits_bytes->size());
  REQUIRE(published.size() == tokens.size() * vocab_size);

  Transformer model(source.config, source.weights);
  KvCache cache = model.make_cache();
  const SequenceInput input{&cache, tokens};
  const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::all);
  float worst = 0, largest = 0;
  for (std::size_t i = 0; i < published.size(); ++i) {
    worst = std::max(worst, std::abs(logits.data()[i] - published[i]));
    largest = std::max(largest, std::abs(published[i]));
  }
  // Both programs round sums of up to 172 terms in 6 L + 2 stages, in different orders: sqrt(172) eps a stage each,
  // relative to the largest logit, if errors neither grow nor cancel.
  const float stages = 6.0f * static_cast<float>(source.config.n_layers) + 2.0f;
  CHECK(worst < 2 * stages * std::sqrt(172.0f) * std::numeric_limits<float>::epsilon() * largest);
}

}  // namespace
}  // namespace vitrine
