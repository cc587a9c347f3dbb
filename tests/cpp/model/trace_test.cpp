#include "model/trace.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "kernels/reference/rope.hpp"
#include "support/expect_error.hpp"
#include "support/threads.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

constexpr double kU = 5.9604644775390625e-08;  // 2^-24: half a unit in the last place of 1

std::vector<float> last_logits(Transformer& model, const std::vector<TokenId>& tokens) {
  KvCache cache = model.make_cache();
  const SequenceInput input{&cache, tokens};
  const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::last);
  return {logits.data(), logits.data() + logits.size()};
}

TEST_CASE("the last layer's lens has the bits of the model's logits, at every length and dtype") {
  const ModelConfig config = test::tiny_config();
  for (const KvDTypeEntry& entry : kKvDTypes) {
    CAPTURE(entry.name);
    Transformer model(config, test::random_weights(config, 5),
                      {.threads = test::threads_of_this_build(2), .cache_dtype = entry.dtype});
    for (const std::size_t count : {1u, 2u, 15u, 16u, 17u, 40u}) {
      CAPTURE(count);
      const std::vector<TokenId> tokens = test::random_tokens(config, count, count);
      const std::vector<float> expected = last_logits(model, tokens);
      const PositionTrace trace = trace_last_position(model, tokens);
      REQUIRE(trace.layers.size() == config.n_layers);
      const std::vector<float>& lens = trace.layers.back().logits;
      REQUIRE(lens.size() == expected.size());
      CHECK(std::memcmp(lens.data(), expected.data(), lens.size() * sizeof(float)) == 0);
      CHECK(trace.layers.front().logits != lens);
      CHECK(last_logits(model, tokens) == expected);
    }
  }
}

TEST_CASE("each query head's weights cover the prefix and sum to 1") {
  const ModelConfig config = test::tiny_config();
  Transformer model(config, test::random_weights(config, 5));
  for (const std::size_t count : {1u, 16u, 33u}) {
    const PositionTrace trace = trace_last_position(model, test::random_tokens(config, count, 3));
    for (const LayerTrace& layer : trace.layers) {
      REQUIRE(layer.attention.size() == config.n_heads);
      for (const std::vector<float>& weights : layer.attention) {
        REQUIRE(weights.size() == count);
        // A float32 sum of n terms errs by a factor of at most 1 + n u, each quotient by 1 + u.
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        CHECK(std::abs(sum - 1.0) <= (static_cast<double>(count) + 2.0) * kU);
        CHECK(*std::min_element(weights.begin(), weights.end()) >= 0.0f);
      }
      CHECK(layer.rms_before > 0.0f);
    }
    for (std::size_t layer = 1; layer < trace.layers.size(); ++layer) {
      CHECK(trace.layers[layer].rms_before == trace.layers[layer - 1].rms_after_mlp);
    }
  }
}

TEST_CASE("queries of zeros look at every position alike, and a token after itself changes nothing") {
  ModelConfig config = test::tiny_config();
  NamedTensors weights;
  for (const auto& [name, tensor] : test::random_weights(config, 5)) {
    Tensor& copy = weights.insert(tensor);
    if (name.find("q_proj") != std::string::npos) std::fill(copy.data.begin(), copy.data.end(), 0.0f);
    if (name.find("down_proj") != std::string::npos) std::fill(copy.data.begin(), copy.data.end(), 0.0f);
  }
  Transformer model(config, weights);
  const PositionTrace trace = trace_last_position(model, test::random_tokens(config, 8, 1));
  for (const LayerTrace& layer : trace.layers) {
    for (const std::vector<float>& head : layer.attention) CHECK(head == std::vector<float>(8, 0.125f));
    CHECK(layer.rms_after_mlp == layer.rms_after_attention);  // the MLP adds zeros
    CHECK(layer.rms_after_attention != layer.rms_before);
  }
}

TEST_CASE("the query is rotated to its position: not at all at 0") {
  const ModelConfig config = test::tiny_config();
  Transformer model(config, test::random_weights(config, 5));
  const PositionTrace first = trace_last_position(model, test::random_tokens(config, 1, 1));
  CHECK(first.query_after == first.query_before);
  const PositionTrace later = trace_last_position(model, test::random_tokens(config, 12, 1));
  REQUIRE(later.query_before.size() == config.head_dim);
  std::vector<double> expected(later.query_before.begin(), later.query_before.end());
  reference::rotate(expected.data(), 1, config.head_dim, config.rope_theta, 11, false);
  for (std::size_t d = 0; d < config.head_dim; ++d) {
    // Two products and a sum of rounded cosines and sines: at most 4 roundings of each of two terms.
    const double size = std::abs(later.query_before[d]) + std::abs(later.query_before[(d + 3) % 6]);
    CHECK(std::abs(later.query_after[d] - expected[d]) <= 4 * kU * size);
  }
}

TEST_CASE("what cannot be traced is refused") {
  const ModelConfig config = test::tiny_config();
  Transformer model(config, test::random_weights(config, 5));
  CHECK_ERROR(ErrorCode::invalid_option, "trace", trace_last_position(model, {}));
  CHECK_ERROR(ErrorCode::context_full, "41", trace_last_position(model, std::vector<TokenId>(41, 1)));
  CHECK_ERROR(ErrorCode::invalid_token, "37", trace_last_position(model, std::vector<TokenId>{1, 37}));
}

}  // namespace
}  // namespace vitrine
