#include "training/initialize.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

TEST_CASE("matrices have mean 0 and the stated deviation, the stream's writers less, and gains are 1") {
  ModelConfig config = test::tiny_config();
  config.d_model = 96;
  config.d_ff = 128;
  config.n_layers = 8;
  Parameters parameters(config);
  initialize(parameters, config.n_layers, 1);
  for (const NamedParameter& parameter : parameters.named()) {
    const double count = static_cast<double>(parameter.values.size());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
      sum += static_cast<double>(parameter.values[i]);
      squares += std::pow(static_cast<double>(parameter.values[i]), 2);
    }
    if (parameter.shape.size() == 1) {
      CHECK(sum == count);
      continue;
    }
    const bool writer =
        parameter.name.find("o_proj") != std::string::npos || parameter.name.find("down_proj") != std::string::npos;
    const double deviation = writer ? 0.02 / 4 : 0.02;  // sqrt(2 L) = 4
    // Six standard errors of the mean and of the variance of `count` normal numbers.
    CHECK(std::abs(sum / count) < 6 * deviation / std::sqrt(count));
    CHECK(std::abs(squares / count / (deviation * deviation) - 1) < 6 * std::sqrt(2 / count));
  }
}

TEST_CASE("the seed decides every weight") {
  const ModelConfig config = test::tiny_config();
  Parameters a(config), b(config), c(config);
  initialize(a, config.n_layers, 1);
  initialize(b, config.n_layers, 1);
  initialize(c, config.n_layers, 2);
  CHECK(a.to_tensors().require("model.embed_tokens.weight").data ==
        b.to_tensors().require("model.embed_tokens.weight").data);
  CHECK(a.to_tensors().require("model.embed_tokens.weight").data !=
        c.to_tensors().require("model.embed_tokens.weight").data);
  CHECK(a.embedding()[0][0] != a.blocks()[0].qkv[0][0]);
}

}  // namespace
}  // namespace vitrine
