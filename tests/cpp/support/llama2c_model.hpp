// The legacy checkpoint of llama2.c (seven int32, then float32 weights in a fixed order), turned into our names.
// A converter for tests: an outside model whose text is known. Not an input format of the product.
#pragma once

#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "model/config.hpp"
#include "support/byte_reader.hpp"
#include "tensor/named_tensors.hpp"

namespace vitrine::test {

struct Llama2cModel {
  ModelConfig config;
  NamedTensors weights;
};

inline Llama2cModel read_llama2c_model(std::string_view bytes) {
  ByteReader reader(bytes);
  std::array<std::int32_t, 7> header{};
  for (std::int32_t& field : header) field = reader.number<std::int32_t>();
  Llama2cModel model;
  ModelConfig& c = model.config;
  c.d_model = static_cast<std::size_t>(header[0]);
  c.d_ff = static_cast<std::size_t>(header[1]);
  c.n_layers = static_cast<std::size_t>(header[2]);
  c.n_heads = static_cast<std::size_t>(header[3]);
  c.n_kv_heads = static_cast<std::size_t>(header[4]);
  c.vocab_size = static_cast<std::size_t>(std::abs(header[5]));
  c.tied_head = header[5] > 0;
  c.max_seq_len = static_cast<std::size_t>(header[6]);
  c.head_dim = c.d_model / c.n_heads;
  c.rope_pairing = kernels::RopePairing::adjacent;
  c.bos_token = 1;
  c.eos_token = 2;

  const auto read = [&](const std::string& name, Shape shape) {
    std::vector<float> data(element_count(shape));
    for (float& value : data) value = reader.number<float>();
    model.weights.insert({name, std::move(shape), std::move(data)});
  };
  const auto read_layers = [&](const std::string& name, const Shape& shape) {
    for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
      read("model.layers." + std::to_string(layer) + "." + name + ".weight", shape);
    }
  };
  read("model.embed_tokens.weight", {c.vocab_size, c.d_model});
  read_layers("input_layernorm", {c.d_model});
  read_layers("self_attn.q_proj", {c.q_width(), c.d_model});
  read_layers("self_attn.k_proj", {c.kv_width(), c.d_model});
  read_layers("self_attn.v_proj", {c.kv_width(), c.d_model});
  read_layers("self_attn.o_proj", {c.d_model, c.q_width()});
  read_layers("post_attention_layernorm", {c.d_model});
  read_layers("mlp.gate_proj", {c.d_ff, c.d_model});
  read_layers("mlp.down_proj", {c.d_model, c.d_ff});
  read_layers("mlp.up_proj", {c.d_ff, c.d_model});
  read("model.norm.weight", {c.d_model});
  reader.take(2 * sizeof(float) * c.max_seq_len * c.head_dim / 2);  // RoPE tables, which we compute ourselves
  if (!c.tied_head) read("lm_head.weight", {c.vocab_size, c.d_model});
  return model;
}

}  // namespace vitrine::test
