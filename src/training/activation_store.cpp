// The plan counts what the constructor then takes, buffer by buffer; to take more is an internal error at once.
#include "training/activation_store.hpp"

#include <algorithm>
#include <memory>

namespace vitrine {

namespace {

std::size_t padded(std::size_t rows, std::size_t columns) {
  return Arena::padded(checked_size(checked_multiply(rows, columns, "activations"), "activations"));
}

std::size_t widest_input(const ModelConfig& c) { return std::max({c.d_model, c.q_width(), c.d_ff}); }

std::size_t plan(const ModelConfig& c, std::size_t rows, std::size_t threads) {
  const AttentionShape shape = attention_shape(c);
  const std::size_t stream = padded(rows, c.d_model), number = padded(rows, 1);
  const std::size_t block = 4 * stream + 2 * number + padded(rows, shape.qkv_width()) + padded(rows, c.q_width()) +
                            padded(rows, 2 * c.d_ff) + padded(rows, c.d_ff);
  const std::size_t ends =
      4 * stream + number + padded(rows, c.vocab_size) + padded(threads, attention_scratch(shape, c.max_seq_len));
  const std::size_t backward = padded(rows, c.d_ff) + padded(rows, 2 * c.d_ff) + stream + padded(rows, c.q_width()) +
                               padded(rows, shape.qkv_width()) +
                               Arena::padded(linear_backward_scratch(rows, widest_input(c))) +
                               padded(threads, attention_backward_scratch(shape, c.max_seq_len));
  return c.n_layers * block + ends + backward;
}

}  // namespace

ActivationStore::ActivationStore(const ModelConfig& c, std::size_t rows, std::size_t threads)
    : sequences(rows), attention(rows), cache_shape_(c.kv_shape()), arena_(plan(c, rows, threads)) {
  cache_shape_.n_layers = 1;
  const AttentionShape shape = attention_shape(c);
  const auto take = [&](std::size_t columns) { return arena_.take<2>({rows, columns}); };
  View<float, 2> stream = take(c.d_model);
  for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
    BlockBuffers b{.x = stream,
                   .normed_attention = take(c.d_model),
                   .inv_rms_attention = arena_.take<1>({rows}),
                   .qkv = take(shape.qkv_width()),
                   .attended = take(c.q_width()),
                   .x_mid = take(c.d_model),
                   .normed_mlp = take(c.d_model),
                   .inv_rms_mlp = arena_.take<1>({rows}),
                   .gate_up = take(2 * c.d_ff),
                   .hidden = take(c.d_ff),
                   .x_out = take(c.d_model)};
    stream = b.x_out;
    blocks.push_back(b);
  }
  branch = take(c.d_model);
  attention_scratch = arena_.take<2>({threads, vitrine::attention_scratch(shape, c.max_seq_len)});
  normed = take(c.d_model);
  inv_rms = arena_.take<1>({rows});
  logits = take(c.vocab_size);
  d_x = take(c.d_model);
  gradients = {.d_hidden = take(c.d_ff),
               .d_gate_up = take(2 * c.d_ff),
               .d_normed = take(c.d_model),
               .d_attended = take(c.q_width()),
               .d_qkv = take(shape.qkv_width()),
               .packed = arena_.take<1>({linear_backward_scratch(rows, widest_input(c))}),
               .attention = arena_.take<2>({threads, attention_backward_scratch(shape, c.max_seq_len)})};
}

void ActivationStore::lay_out(const TrainingBatch& batch) {
  VITRINE_ASSERT(batch.tokens.size() <= branch.extent(0));
  while (caches_.size() < batch.sequences.size()) caches_.push_back(std::make_unique<KvCache>(cache_shape_));
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    sequences[i] = {batch.sequences[i].begin, batch.sequences[i].length, 0, caches_[i].get()};
  }
}

}  // namespace vitrine
