#include "training/activation_store.hpp"

#include <doctest/doctest.h>

#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

TEST_CASE("each layer keeps activations of its own, and its output is the next layer's input") {
  const ModelConfig config = test::tiny_config();
  const ActivationStore store(config, 50, 2);
  REQUIRE(store.blocks.size() == config.n_layers);
  CHECK(store.blocks[0].x_out.data() == store.blocks[1].x.data());
  CHECK(store.blocks[0].x.data() != store.blocks[0].x_mid.data());
  CHECK(store.blocks[0].qkv.data() != store.blocks[1].qkv.data());
  CHECK(store.logits.has_shape(50, config.vocab_size));
}

TEST_CASE("sequences of a batch get their rows and a cache each, from position 0") {
  const ModelConfig config = test::tiny_config();
  ActivationStore store(config, 50, 1);
  TrainingBatch batch;
  batch.tokens.assign(12, 1);
  batch.sequences = {{0, 7}, {7, 5}};
  store.lay_out(batch);
  CHECK(store.sequences[1].first_row == 7);
  CHECK(store.sequences[1].rows == 5);
  CHECK(store.sequences[1].past == 0);
  CHECK(store.sequences[0].cache != store.sequences[1].cache);
  CHECK(store.sequences[0].cache->shape().n_layers == 1);
}

}  // namespace
}  // namespace vitrine
