#include "session/inspection.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/expect_error.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

TEST_CASE("the last layer's lens begins with the token that the model would choose") {
  const ModelConfig config = test::tiny_config();
  Transformer model(config, test::random_weights(config, 5));
  const std::vector<TokenId> tokens = test::random_tokens(config, 9, 2);
  const Inspection inspection = inspect_last_position(model, tokens);
  CHECK(inspection.tokens == tokens);
  REQUIRE(inspection.lens.size() == config.n_layers);
  for (const std::vector<LensToken>& best : inspection.lens) {
    REQUIRE(best.size() == 5);
    for (std::size_t i = 1; i < best.size(); ++i) CHECK(best[i].probability <= best[i - 1].probability);
  }
  KvCache cache = model.make_cache();
  const SequenceInput input{&cache, tokens};
  const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::last);
  const float* largest = std::max_element(logits.data(), logits.data() + logits.size());
  CHECK(inspection.lens.back()[0].token == largest - logits.data());
  CHECK(inspection.rope.size() == config.head_dim / 2);
  CHECK(inspection.rope[0].angle == 8.0);
}

TEST_CASE("a map of a cache has the lengths of the keys that were stored") {
  KvCache cache({2, 1, 2, 20, KvDType::f32});
  const std::vector<float> key = {3, 4}, other = {0, 5}, value = {1, 1};
  const std::vector<TokenId> tokens(18, 1);
  for (std::size_t p = 0; p < tokens.size(); ++p) {
    const float* first = p == 17 ? other.data() : key.data();
    for (std::size_t layer = 0; layer < 2; ++layer) {
      cache.store(layer, p, {layer == 0 ? first : value.data(), {1, 2}}, {value.data(), {1, 2}});
    }
  }
  cache.commit(tokens);
  const CacheMap map = map_cache(cache);
  CHECK(map.positions == 18);
  CHECK(map.capacity == 20);
  CHECK(map.bytes.formula == cache.bytes().formula);
  CHECK(map.key_norms == std::vector<std::vector<std::vector<float>>>{{std::vector<float>(18, 5.0f)},
                                                                      {std::vector<float>(18, std::sqrt(2.0f))}});
}

TEST_CASE("keys turn, but their lengths in a cache of f16 are those of f32, rounded") {
  const ModelConfig config = test::tiny_config();
  const std::vector<TokenId> tokens = test::random_tokens(config, 20, 2);
  CacheMap maps[2];
  for (const KvDType dtype : {KvDType::f32, KvDType::f16}) {
    Transformer model(config, test::random_weights(config, 5), {.cache_dtype = dtype});
    KvCache cache = model.make_cache();
    const SequenceInput input{&cache, tokens};
    model.forward({&input, 1}, LogitsWanted::none);
    maps[dtype == KvDType::f16] = map_cache(cache);
  }
  for (std::size_t p = 0; p < tokens.size(); ++p) {
    const float exact = maps[0].key_norms[0][1][p];
    CHECK(std::abs(maps[1].key_norms[0][1][p] - exact) <= exact / 1024);  // 2^-11 an entry, and the norm's own rounding
  }
}

}  // namespace
}  // namespace vitrine
