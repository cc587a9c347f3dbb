// Small models with random weights, for tests. Their text is noise; their arithmetic is that of any model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "model/config.hpp"
#include "model/parameters.hpp"
#include "tensor/named_tensors.hpp"

namespace vitrine::test {

/// No width is a multiple of a lane count, heads are grouped, and the head is tied.
inline ModelConfig tiny_config() {
  ModelConfig config;
  config.vocab_size = 37;
  config.d_model = 22;
  config.n_layers = 2;
  config.n_heads = 6;
  config.n_kv_heads = 2;
  config.head_dim = 6;
  config.d_ff = 27;
  config.max_seq_len = 40;
  return config;
}

/// Matrices uniform in (-scale, scale), norm gains in (0.5, 1.5): every weight matters.
inline NamedTensors random_weights(const ModelConfig& config, std::uint64_t seed, float scale = 0.4f) {
  NamedTensors tensors;
  const Parameters parameters(config);
  std::uint64_t stream = 0;
  for (const NamedParameter& parameter : parameters.named()) {
    RandomStream random(seed, stream++);
    std::vector<float> values(parameter.values.size());
    for (float& value : values) {
      const float noise = static_cast<float>(2 * random.next_uniform() - 1);
      value = parameter.shape.size() == 1 ? 1.0f + 0.5f * noise : scale * noise;
    }
    tensors.insert({parameter.name, parameter.shape, std::move(values)});
  }
  return tensors;
}

/// Token ids, uniform over the vocabulary.
inline std::vector<TokenId> random_tokens(const ModelConfig& config, std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 1000);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) token = static_cast<TokenId>(random.next_below(config.vocab_size));
  return tokens;
}

}  // namespace vitrine::test
