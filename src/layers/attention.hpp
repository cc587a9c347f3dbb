// Grouped-query causal attention, forward and backward (Vaswani et al. 2017; Ainslie et al. 2023). This is the only
// layer that knows sequences; it reads keys and values as views and knows no cache.
//   scores[h, t, s] = q[t, h] . k[s, h / G] / sqrt(D) for s <= past + t, weights = softmax over s
//   out[t, h] = sum_s weights[h, t, s] v[s, h / G]
// Without the causal mask, an option of the shape, s runs over every position of the call.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "base/thread_pool.hpp"
#include "kernels/attention_backward.hpp"
#include "tensor/arena.hpp"
#include "tensor/view.hpp"

namespace vitrine {

struct AttentionShape {
  std::size_t n_heads = 0;     ///< H
  std::size_t n_kv_heads = 0;  ///< Hkv
  std::size_t head_dim = 0;    ///< D
  bool causal = true;          ///< false: a token also sees those that come after it in its call

  std::size_t group() const { return n_heads / n_kv_heads; }
  /// Width of a row of queries, keys and values, in this order: (H + 2 Hkv) D.
  std::size_t qkv_width() const { return (n_heads + 2 * n_kv_heads) * head_dim; }
  std::size_t key_offset() const { return n_heads * head_dim; }
  std::size_t value_offset() const { return (n_heads + n_kv_heads) * head_dim; }
  float scale() const { return 1.0f / std::sqrt(static_cast<float>(head_dim)); }
};

/// The T new tokens of one sequence: rows [first_row, first_row + rows) of the call, after `past` positions.
struct AttentionSequence {
  std::size_t first_row = 0;
  std::size_t rows = 0;  ///< T
  std::size_t past = 0;
  View<const float, 2> keys;    ///< [Hkv, blocks D P], see kernels/attention.hpp; positions below past + T are written
  View<const float, 3> values;  ///< [Hkv, S_max, D]
};

/// Query tokens whose scores are held at once: bounds the scratch, changes no bit.
inline constexpr std::size_t kAttentionTile = 16;

/// Floats of score scratch for each thread.
inline std::size_t attention_scratch(const AttentionShape& shape, std::size_t max_seq_len) {
  return Arena::padded(kAttentionTile * shape.group() * max_seq_len);
}

/// qkv [N, (H + 2 Hkv) D] with rotated queries, out [N, H D]; scratch [threads, attention_scratch()].
inline void attention_forward(const AttentionShape& shape, View<const float, 2> qkv,
                              std::span<const AttentionSequence> sequences, View<float, 2> scratch, View<float, 2> out,
                              ThreadPool& pool) {
  const std::size_t group = shape.group(), head_dim = shape.head_dim;
  VITRINE_ASSERT_SHAPE(qkv, qkv.extent(0), shape.qkv_width());
  VITRINE_ASSERT_SHAPE(out, qkv.extent(0), shape.key_offset());
  std::size_t work = 0;
  for (const AttentionSequence& sequence : sequences) {
    work += 2 * sequence.rows * (sequence.past + sequence.rows) * shape.key_offset();
  }
  const auto one_head = [&](const AttentionSequence& sequence, std::size_t kv_head, float* scores) {
    // A tile of tokens sees one position more from token to token; without the mask a token is a tile of its own.
    const std::size_t tile = shape.causal ? kAttentionTile : 1;
    for (std::size_t begin = 0; begin < sequence.rows; begin += tile) {
      const std::size_t tokens = std::min(tile, sequence.rows - begin);
      const std::size_t seen = shape.causal ? begin + tokens : sequence.rows;
      const std::size_t row = sequence.first_row + begin;
      const kernels::AttentionHead head{.queries = qkv[row].data() + kv_head * group * head_dim,
                                        .query_token_stride = shape.qkv_width(),
                                        .rows = tokens * group,
                                        .group = group,
                                        .past = sequence.past + seen - tokens,
                                        .D = head_dim,
                                        .key_blocks = sequence.keys[kv_head].data(),
                                        .values = sequence.values[kv_head].data(),
                                        .value_stride = head_dim,
                                        .scale = shape.scale()};
      kernels::attention_head(head, scores, head.past + tokens, out[row].data() + kv_head * group * head_dim,
                              shape.key_offset());
    }
  };
  pool.run_if_worth_it(work, sequences.size() * shape.n_kv_heads,
                       [&](std::size_t begin, std::size_t end, std::size_t piece) {
                         for (std::size_t item = begin; item < end; ++item) {
                           one_head(sequences[item / shape.n_kv_heads], item % shape.n_kv_heads, scratch[piece].data());
                         }
                       });
}

/// Floats of scratch that attention_backward needs for each thread.
inline std::size_t attention_backward_scratch(const AttentionShape& shape, std::size_t max_seq_len) {
  return Arena::padded(kernels::attention_backward_scratch(max_seq_len, shape.head_dim));
}

/// For sequences that start at position 0. qkv as in the forward pass, d_out [N, H D], d_qkv [N, (H + 2 Hkv) D] out;
/// scratch [threads, attention_backward_scratch()].
inline void attention_backward(const AttentionShape& shape, View<const float, 2> qkv, View<const float, 2> d_out,
                               std::span<const AttentionSequence> sequences, View<float, 2> scratch,
                               View<float, 2> d_qkv, ThreadPool& pool) {
  const std::size_t width = shape.qkv_width(), head_dim = shape.head_dim, group_width = shape.group() * head_dim;
  VITRINE_ASSERT_SHAPE(d_out, qkv.extent(0), shape.key_offset());
  VITRINE_ASSERT_SHAPE(d_qkv, qkv.extent(0), width);
  std::fill_n(d_qkv.data(), d_qkv.size(), 0.0f);
  const auto one_head = [&](const AttentionSequence& sequence, std::size_t kv_head, float* head_scratch) {
    VITRINE_ASSERT(sequence.past == 0);
    const float* row = qkv[sequence.first_row].data();
    float* d_row = d_qkv[sequence.first_row].data();
    const kernels::AttentionGradient gradient{.T = sequence.rows,
                                              .group = shape.group(),
                                              .D = head_dim,
                                              .scale = shape.scale(),
                                              .queries = row + kv_head * group_width,
                                              .query_token_stride = width,
                                              .keys = row + shape.key_offset() + kv_head * head_dim,
                                              .key_token_stride = width,
                                              .values = row + shape.value_offset() + kv_head * head_dim,
                                              .value_token_stride = width,
                                              .d_out = d_out[sequence.first_row].data() + kv_head * group_width,
                                              .out_token_stride = shape.key_offset(),
                                              .d_queries = d_row + kv_head * group_width,
                                              .d_query_token_stride = width,
                                              .d_keys = d_row + shape.key_offset() + kv_head * head_dim,
                                              .d_key_token_stride = width,
                                              .d_values = d_row + shape.value_offset() + kv_head * head_dim,
                                              .d_value_token_stride = width,
                                              .causal = shape.causal};
    kernels::attention_head_backward(gradient, head_scratch);
  };
  pool.run(sequences.size() * shape.n_kv_heads, [&](std::size_t begin, std::size_t end, std::size_t piece) {
    for (std::size_t item = begin; item < end; ++item) {
      one_head(sequences[item / shape.n_kv_heads], item % shape.n_kv_heads, scratch[piece].data());
    }
  });
}

}  // namespace vitrine
