// Sizes first, so that one arena holds every panel; packing then only fills it.
#include "model/packed_weights.hpp"

#include <algorithm>

namespace vitrine {

namespace {

std::size_t matrix_floats(std::size_t outputs, std::size_t inputs) {
  return Arena::padded(kernels::packed_size(outputs, inputs));
}

/// Floats of the four packed matrices of a block; `transposed` swaps the two sides of each.
std::size_t block_floats(const ModelConfig& c, bool transposed) {
  const auto floats = [&](std::size_t outputs, std::size_t inputs) {
    return transposed ? matrix_floats(inputs, outputs) : matrix_floats(outputs, inputs);
  };
  return floats(c.q_width() + 2 * c.kv_width(), c.d_model) + floats(c.d_model, c.q_width()) +
         floats(2 * c.d_ff, c.d_model) + floats(c.d_model, c.d_ff);
}

PackedMatrix take(Arena& arena, std::size_t outputs, std::size_t inputs) {
  return {arena.take<1>({kernels::packed_size(outputs, inputs)}).data(), outputs, inputs};
}

void copy(View<const float, 1> from, View<float, 1> to) { std::copy_n(from.data(), from.size(), to.data()); }

}  // namespace

PackedWeights::PackedWeights(const ModelConfig& c)
    : arena_(Arena::padded(c.vocab_size * c.d_model) + matrix_floats(c.vocab_size, c.d_model) +
             Arena::padded(c.d_model) + c.n_layers * (block_floats(c, false) + 2 * Arena::padded(c.d_model))) {
  embedding_ = arena_.take<2>({c.vocab_size, c.d_model});
  for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
    blocks_.push_back({.attention_norm = arena_.take<1>({c.d_model}),
                       .qkv = take(arena_, c.q_width() + 2 * c.kv_width(), c.d_model),
                       .attention_output = take(arena_, c.d_model, c.q_width()),
                       .mlp_norm = arena_.take<1>({c.d_model}),
                       .gate_up = take(arena_, 2 * c.d_ff, c.d_model),
                       .down = take(arena_, c.d_model, c.d_ff)});
  }
  final_norm_ = arena_.take<1>({c.d_model});
  head_ = take(arena_, c.vocab_size, c.d_model);
}

void PackedWeights::pack(const Parameters& parameters, ThreadPool& pool) {
  std::copy_n(parameters.embedding().data(), embedding_.size(), embedding_.data());
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    const BlockParameters& from = parameters.blocks()[layer];
    const PackedBlock& to = blocks_[layer];
    copy(from.attention_norm, to.attention_norm);
    pack_linear(from.qkv, to.qkv, pool);
    pack_linear(from.attention_output, to.attention_output, pool);
    copy(from.mlp_norm, to.mlp_norm);
    pack_linear(from.gate_up, to.gate_up, pool);
    pack_linear(from.down, to.down, pool);
  }
  copy(parameters.final_norm(), final_norm_);
  pack_linear(parameters.head(), head_, pool);
}

PackedTransposes::PackedTransposes(const ModelConfig& c)
    : arena_(matrix_floats(c.d_model, c.vocab_size) + c.n_layers * block_floats(c, true)) {
  for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
    blocks.push_back({.qkv = take(arena_, c.d_model, c.q_width() + 2 * c.kv_width()),
                      .attention_output = take(arena_, c.q_width(), c.d_model),
                      .gate_up = take(arena_, c.d_model, 2 * c.d_ff),
                      .down = take(arena_, c.d_ff, c.d_model)});
  }
  head = take(arena_, c.d_model, c.vocab_size);
}

void PackedTransposes::pack(const Parameters& parameters, ThreadPool& pool) {
  for (std::size_t layer = 0; layer < blocks.size(); ++layer) {
    const BlockParameters& from = parameters.blocks()[layer];
    pack_linear_transposed(from.qkv, blocks[layer].qkv, pool);
    pack_linear_transposed(from.attention_output, blocks[layer].attention_output, pool);
    pack_linear_transposed(from.gate_up, blocks[layer].gate_up, pool);
    pack_linear_transposed(from.down, blocks[layer].down, pool);
  }
  pack_linear_transposed(parameters.head(), head, pool);
}

}  // namespace vitrine
