#include "model/parameters.hpp"

#include <doctest/doctest.h>

#include "support/expect_error.hpp"
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

TEST_CASE("the weight table is what tensors are held against: each of them, and no other") {
  for (const bool tied : {true, false}) {
    ModelConfig config = test::tiny_config();
    config.tied_head = tied;
    const Parameters parameters(config);
    CHECK_NOTHROW(require_weights(config, parameters.to_tensors()));
    for (const NamedParameter& parameter : parameters.named()) {
      CHECK(parameter.values.size() == element_count(parameter.shape));
      NamedTensors without = parameters.to_tensors();
      without.take(parameter.name);
      CHECK_ERROR(ErrorCode::missing_tensor, in_quotes(parameter.name), require_weights(config, without));
    }
    NamedTensors more = parameters.to_tensors();
    more.insert({"caf\xc3\xa9\n", {1}, {0.0f}});
    CHECK_ERROR(ErrorCode::unexpected_tensor, "\"caf\\xc3\\xa9\\x0a\": expected only weights",
                require_weights(config, more));
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
