#include "model/parameters.hpp"

#include <doctest/doctest.h>

#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

TEST_CASE("tensors read into parameters come out unchanged, each under its name") {
  for (const bool tied : {true, false}) {
    ModelConfig config = test::tiny_config();
    config.tied_head = tied;
    const NamedTensors tensors = test::random_weights(config, 1);
    const NamedTensors copy = Parameters(config, tensors).to_tensors();
    REQUIRE(copy.size() == tensors.size());
    CHECK((copy.find("lm_head.weight") != nullptr) != tied);
    std::uint64_t count = 0;
    for (const auto& [name, tensor] : tensors) {
      CHECK(copy.require(name).data == tensor.data);
      count += tensor.data.size();
    }
    CHECK(count == config.parameter_count());
  }
}

TEST_CASE("projections of one input stand one after the other in a fused matrix") {
  const ModelConfig config = test::tiny_config();
  const NamedTensors tensors = test::random_weights(config, 2);
  const Parameters parameters(config, tensors);
  const BlockParameters& block = parameters.blocks()[1];
  CHECK(block.qkv[36][0] == tensors.require("model.layers.1.self_attn.k_proj.weight").data[0]);
  CHECK(block.qkv[48][21] == tensors.require("model.layers.1.self_attn.v_proj.weight").data[21]);
  CHECK(block.gate_up[27][3] == tensors.require("model.layers.1.mlp.up_proj.weight").data[3]);
  CHECK(parameters.head().data() == parameters.embedding().data());
}

}  // namespace
}  // namespace vitrine
