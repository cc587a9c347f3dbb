#include "model/block.hpp"

#include <algorithm>

#include "kernels/elementwise.hpp"
#include "layers/rms_norm.hpp"
#include "layers/swiglu.hpp"
#include "model/injected_fault.hpp"

namespace vitrine {

namespace {

/// Rotates the queries and keys of every row to its absolute position, and stores keys and values.
void rotate_and_store(const BlockContext& context, std::size_t cache_layer, View<float, 2> qkv) {
  const ModelConfig& c = context.config;
  for (const SequenceRows& sequence : context.sequences) {
    for (std::size_t t = 0; t < sequence.rows; ++t) {
      const std::size_t position = sequence.past + t;
      float* row = qkv[sequence.first_row + t].data();
      context.rope.rotate(View<float, 2>(row, {c.n_heads + c.n_kv_heads, c.head_dim}), position);
      const View<const float, 2> key(row + c.q_width(), {c.n_kv_heads, c.head_dim});
      const View<const float, 2> value(row + c.q_width() + c.kv_width(), {c.n_kv_heads, c.head_dim});
      sequence.cache->store(cache_layer, position, key, value);
    }
  }
}

AttentionShape attention_shape(const BlockContext& context) {
  AttentionShape shape = attention_shape(context.config);
  if (context.fault != nullptr) shape.causal = context.fault->causal();
  return shape;
}

void attend(const BlockContext& context, std::size_t cache_layer, const BlockBuffers& b) {
  const auto run = [&](std::span<const AttentionSequence> sequences) {
    if (context.fault != nullptr) sequences = context.fault->visible(sequences);
    attention_forward(attention_shape(context), b.qkv, sequences, context.attention_scratch, b.attended, context.pool);
  };
  std::size_t together = 0;
  for (const SequenceRows& s : context.sequences) {
    const KvLayer layer = s.cache->read(cache_layer, s.past + s.rows, context.kv_scratch);
    const AttentionSequence sequence = {s.first_row, s.rows, s.past, layer.keys, layer.values};
    if (s.cache->shape().dtype == KvDType::f32) {
      context.attention[together++] = sequence;
    } else {
      run({&sequence, 1});  // now: the next one needs the scratch
    }
  }
  run(context.attention.first(together));
}

void add(View<const float, 2> a, View<const float, 2> b, View<float, 2> out) {
  kernels::add(a.data(), b.data(), out.data(), out.size());
}

void rotate_gradients_back(const BlockContext& context, View<float, 2> d_qkv) {
  const ModelConfig& c = context.config;
  for (const SequenceRows& sequence : context.sequences) {
    for (std::size_t t = 0; t < sequence.rows; ++t) {
      float* row = d_qkv[sequence.first_row + t].data();
      context.rope.rotate_back(View<float, 2>(row, {c.n_heads + c.n_kv_heads, c.head_dim}), sequence.past + t);
    }
  }
}

}  // namespace

BlockBuffers BlockBuffers::first_rows(std::size_t rows) const {
  BlockBuffers b = *this;
  for (View<float, 2>* view :
       {&b.x, &b.normed_attention, &b.qkv, &b.attended, &b.x_mid, &b.normed_mlp, &b.gate_up, &b.hidden, &b.x_out}) {
    *view = view->slice(0, rows);
  }
  b.inv_rms_attention = b.inv_rms_attention.slice(0, rows);
  b.inv_rms_mlp = b.inv_rms_mlp.slice(0, rows);
  return b;
}

BlockGradients BlockGradients::first_rows(std::size_t rows) const {
  BlockGradients g = *this;
  for (View<float, 2>* view : {&g.d_hidden, &g.d_gate_up, &g.d_normed, &g.d_attended, &g.d_qkv}) {
    *view = view->slice(0, rows);
  }
  return g;
}

AttentionShape attention_shape(const ModelConfig& config) {
  return {config.n_heads, config.n_kv_heads, config.head_dim};
}

void block_forward(const BlockContext& context, const PackedBlock& weights, std::size_t cache_layer,
                   const BlockBuffers& b) {
  const double eps = context.config.norm_eps;
  ThreadPool& pool = context.pool;
  rms_norm_forward(b.x, weights.attention_norm, eps, b.normed_attention, b.inv_rms_attention);
  linear_forward(b.normed_attention, weights.qkv, b.qkv, pool);
  if (context.fault != nullptr) context.fault->before_rotation(context, cache_layer, b.qkv);
  rotate_and_store(context, cache_layer, b.qkv);
  attend(context, cache_layer, b);
  if (context.fault != nullptr) context.fault->after_attention(context, cache_layer, b.attended);
  linear_forward(b.attended, weights.attention_output, context.branch, pool);
  add(b.x, context.branch, b.x_mid);

  rms_norm_forward(b.x_mid, weights.mlp_norm, eps, b.normed_mlp, b.inv_rms_mlp);
  linear_forward(b.normed_mlp, weights.gate_up, b.gate_up, pool);
  swiglu_forward(b.gate_up, b.hidden, pool);
  linear_forward(b.hidden, weights.down, context.branch, pool);
  add(b.x_mid, context.branch, b.x_out);
}

void block_backward(const BlockContext& context, const PackedBlock& weights, const PackedTransposes::Block& transposes,
                    const BlockBuffers& b, const BlockGradients& s, View<float, 2> d_x,
                    const BlockParameters& gradients) {
  ThreadPool& pool = context.pool;
  float* packed = s.packed.data();
  linear_backward_weight(b.hidden, d_x, gradients.down, packed, pool);
  linear_backward_input(d_x, transposes.down, s.d_hidden, pool);
  swiglu_backward(b.gate_up, s.d_hidden, s.d_gate_up, pool);
  linear_backward_weight(b.normed_mlp, s.d_gate_up, gradients.gate_up, packed, pool);
  linear_backward_input(s.d_gate_up, transposes.gate_up, s.d_normed, pool);
  rms_norm_backward(b.x_mid, weights.mlp_norm, b.inv_rms_mlp, s.d_normed, d_x, gradients.mlp_norm, pool);

  linear_backward_weight(b.attended, d_x, gradients.attention_output, packed, pool);
  linear_backward_input(d_x, transposes.attention_output, s.d_attended, pool);
  attention_backward(attention_shape(context), b.qkv, s.d_attended, context.attention.first(context.sequences.size()),
                     s.attention, s.d_qkv, pool);
  rotate_gradients_back(context, s.d_qkv);
  linear_backward_weight(b.normed_attention, s.d_qkv, gradients.qkv, packed, pool);
  linear_backward_input(s.d_qkv, transposes.qkv, s.d_normed, pool);
  rms_norm_backward(b.x, weights.attention_norm, b.inv_rms_attention, s.d_normed, d_x, gradients.attention_norm, pool);
}

}  // namespace vitrine
