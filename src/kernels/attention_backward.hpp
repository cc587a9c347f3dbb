// The gradient of attention for one key/value head and one sequence that starts at position 0 (training), causal unless
// asked otherwise. The weights are computed again, in the forward's order, rather than kept; the forward is in
// attention.hpp.
//
//   d_v[s]   += sum over g, t of weight[t, s] * d_out[t]
//   d_weight  = d_out . v;  d_score = softmax_backward(weight, d_weight) * scale
//   d_q[t]   += sum_s d_score[t, s] * k[s]
//   d_k[s]   += sum over g, t of d_score[t, s] * q[t]
//
// Order: query heads g from 0 up, within each tokens t from 0 up; d_q over positions s from 0 up.
#pragma once

#include "kernels/attention.hpp"

namespace vitrine::kernels {

/// What the gradient reads and adds to. Strides are floats from one token to the next.
struct AttentionGradient {
  size_t T;
  size_t group;  ///< G
  size_t D;
  float scale;
  const float* queries;  ///< [T][G, D]
  size_t query_token_stride;
  const float* keys;  ///< [T][D]
  size_t key_token_stride;
  const float* values;  ///< [T][D]
  size_t value_token_stride;
  const float* d_out;  ///< [T][G, D]
  size_t out_token_stride;
  float* d_queries;  ///< [T][G, D], added to
  size_t d_query_token_stride;
  float* d_keys;  ///< [T][D], added to
  size_t d_key_token_stride;
  float* d_values;  ///< [T][D], added to
  size_t d_value_token_stride;
  bool causal = true;  ///< false: every token sees all T positions
};

namespace detail {
/// Tokens whose weights are held at once.
inline constexpr size_t kGradientRows = 48;
}  // namespace detail

/// Floats of scratch that attention_head_backward needs.
constexpr size_t attention_backward_scratch(size_t T, size_t D) noexcept {
  return 2 * key_blocks_size(T, D) + 2 * detail::kGradientRows * T;
}

namespace detail {

/// weights and d_scores [rows, T] of query head g, tokens [begin, begin + rows), of which the last one sees the
/// positions below `seen`.
template <class Arch>
void score_gradients(const AttentionGradient& x, size_t g, size_t begin, size_t rows, size_t seen,
                     const float* key_blocks, const float* value_blocks, float* weights, float* d_scores) noexcept {
  constexpr size_t kRows = kTileRows<Arch>;
  const AttentionHead head{x.queries + begin * x.query_token_stride + g * x.D,
                           x.query_token_stride,
                           rows,
                           1,
                           seen - rows,
                           x.D,
                           key_blocks,
                           x.values,
                           x.value_token_stride,
                           x.scale};
  float* weight_rows[kRows] = {};
  float* d_rows[kRows] = {};
  const float* d_out[kRows] = {};
  for (size_t row = 0; row < rows; row += kRows) {
    const size_t count = rows - row < kRows ? rows - row : kRows;
    for (size_t r = 0; r < count; ++r) {
      weight_rows[r] = weights + (row + r) * x.T;
      d_rows[r] = d_scores + (row + r) * x.T;
      d_out[r] = x.d_out + (begin + row + r) * x.out_token_stride + g * x.D;
    }
    attention_weights<Arch>(head, row, count, weight_rows);
    rows_times_blocks<Arch>(d_out, count, x.D, value_blocks, head.visible(row + count - 1), d_rows);
    for (size_t r = 0; r < count; ++r) {
      const size_t visible = head.visible(row + r);
      softmax_backward<Arch>(weight_rows[r], d_rows[r], d_rows[r], visible);
      kernels::scale<Arch>(d_rows[r], x.scale, d_rows[r], visible);
      for (size_t s = visible; s < head.positions(); ++s) d_rows[r][s] = 0.0f;
    }
  }
}

}  // namespace detail

/// Adds the gradients of queries, keys and values. scratch [attention_backward_scratch(T, D)].
template <class Arch = DefaultArch>
void attention_head_backward(const AttentionGradient& x, float* scratch) noexcept {
  float* key_blocks = scratch;
  float* value_blocks = key_blocks + key_blocks_size(x.T, x.D);
  float* weights = value_blocks + key_blocks_size(x.T, x.D);
  float* d_scores = weights + detail::kGradientRows * x.T;
  for (size_t t = 0; t < x.T; ++t) {
    store_key(x.keys + t * x.key_token_stride, t, key_blocks, x.D);
    store_key(x.values + t * x.value_token_stride, t, value_blocks, x.D);
  }
  for (size_t g = 0; g < x.group; ++g) {
    // A tile of tokens sees one position more from token to token; without the mask a token is a tile of its own.
    const size_t tile = x.causal ? detail::kGradientRows : 1;
    for (size_t begin = 0; begin < x.T; begin += tile) {
      const size_t rows = x.T - begin < tile ? x.T - begin : tile;
      const size_t seen = x.causal ? begin + rows : x.T;
      detail::score_gradients<Arch>(x, g, begin, rows, seen, key_blocks, value_blocks, weights, d_scores);
      const float* queries = x.queries + begin * x.query_token_stride + g * x.D;
      const float* d_out = x.d_out + begin * x.out_token_stride + g * x.D;
      float* d_queries = x.d_queries + begin * x.d_query_token_stride + g * x.D;
      detail::add_product<Arch>({weights, 1, x.T}, d_out, x.out_token_stride, x.d_values, x.d_value_token_stride, seen,
                                rows, x.D);
      detail::add_product<Arch>({d_scores, 1, x.T}, queries, x.query_token_stride, x.d_keys, x.d_key_token_stride, seen,
                                rows, x.D);
      detail::add_product<Arch>({d_scores, x.T, 1}, x.keys, x.key_token_stride, d_queries, x.d_query_token_stride, rows,
                                seen, x.D);
    }
  }
}

}  // namespace vitrine::kernels
