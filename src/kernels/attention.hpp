// Causal attention of the query heads that share one key/value head: scores, softmax over the visible prefix, and the
// weighted sum of values. Caches, batches and rotations are not known here; the gradient is in attention_backward.hpp.
//
//   score[r, s] = scale * sum_d q[r, d] * k[s, d]         d from 0 up, then one product with scale
//   weight[r, :] = softmax over s < visible(r)             the order of reduce.hpp over the absolute position s
//   out[r, d] = sum_s weight[r, s] * v[s, d]               s from 0 up
//
// Keys lie in blocks [ceil(S / P)][D][P], P = 16 positions, so that lanes run over positions; values lie in rows, so
// that lanes run over d. A position at or beyond visible(r) contributes nothing: its memory may hold anything.
#pragma once

#include <algorithm>

#include "kernels/softmax.hpp"
#include "kernels/tile.hpp"

namespace vitrine::kernels {

/// Positions in one block of keys, on every machine.
inline constexpr size_t kKeyBlock = 16;

/// Floats that the keys of one head take for this many positions.
constexpr size_t key_blocks_size(size_t positions, size_t D) noexcept {
  return (positions + kKeyBlock - 1) / kKeyBlock * kKeyBlock * D;
}

/// Where the key of a position begins in key_blocks [ceil(S / P)][D][P]: its entry d lies d * P further.
constexpr size_t key_offset(size_t position, size_t D) noexcept {
  return position / kKeyBlock * kKeyBlock * D + position % kKeyBlock;
}

/// Writes key [D] as that of `position` into key_blocks [ceil(S / P)][D][P].
inline void store_key(const float* key, size_t position, float* key_blocks, size_t D) noexcept {
  float* to = key_blocks + key_offset(position, D);
  for (size_t d = 0; d < D; ++d) to[d * kKeyBlock] = key[d];
}

/// The queries of T new tokens and G query heads against one key/value head. Row r = t * G + g is head g of token t; it
/// lies at queries + t * query_token_stride + g * D and sees positions 0 .. past + t.
struct AttentionHead {
  const float* queries;       ///< [T][G, D]
  size_t query_token_stride;  ///< floats from one token to the next
  size_t rows;                ///< T * G
  size_t group;               ///< G
  size_t past;                ///< positions before the first new token
  size_t D;
  const float* key_blocks;  ///< [ceil((past + T) / P)][D][P]
  const float* values;      ///< [past + T][D]
  size_t value_stride;      ///< floats from one position to the next
  float scale;

  size_t visible(size_t row) const noexcept { return past + row / group + 1; }
  size_t positions() const noexcept { return rows == 0 ? past : visible(rows - 1); }
  const float* query(size_t row) const noexcept { return queries + row / group * query_token_stride + row % group * D; }
};

namespace detail {

/// The columns of the left operand that fit the stack for a whole tile.
template <class Arch>
inline constexpr size_t kTileDepth = kLeftBlock / kTileRows<Arch>;

/// products[r][s] (+)= sum_d x[d, r] * block(s, d) for the first `columns` <= P positions s of one block; x [depth,
/// count]. The whole block is read, but no product beyond `columns` is written.
template <class Arch>
void rows_times_block(const float* x, size_t count, size_t depth, const float* block, size_t columns,
                      float* const* products, bool accumulate) noexcept {
  constexpr size_t kVectors = kKeyBlock / kLanes<Arch> < 2 ? 1 : 2;
  constexpr size_t kColumns = kVectors * kLanes<Arch>;
  float whole[kTileRows<Arch> * kColumns];
  float* now[kTileRows<Arch>] = {};
  for (size_t s = 0; s < columns; s += kColumns) {
    const bool partial = s + kColumns > columns;
    for (size_t r = 0; r < count; ++r) {
      now[r] = partial ? whole + r * kColumns : products[r] + s;
      if (partial && accumulate) std::copy(products[r] + s, products[r] + columns, now[r]);
    }
    tile_of_rows<Arch, 1, kVectors>(count, x, depth, block + s, kKeyBlock, 0, now, accumulate);
    for (size_t r = 0; r < count && partial; ++r) std::copy_n(now[r], columns - s, products[r] + s);
  }
}

/// products[r][s] = sum_d x[r][d] * blocks(s, d), s < positions, for count <= kTileRows rows x[r] [D].
template <class Arch>
void rows_times_blocks(const float* const* x, size_t count, size_t D, const float* blocks, size_t positions,
                       float* const* products) noexcept {
  constexpr size_t kVectors = kKeyBlock / kLanes<Arch>;
  constexpr size_t kTogether = kVectors < 8 ? 8 / kVectors : 1;  // blocks of a single row: enough independent sums
  float packed[kLeftBlock + kLeftMargin];
  const float* x_now[kTileRows<Arch>] = {};
  float* now[kTileRows<Arch>] = {};
  for (size_t d = 0; d < D; d += kTileDepth<Arch>) {
    const size_t depth = std::min(D - d, kTileDepth<Arch>);
    for (size_t r = 0; r < count; ++r) x_now[r] = x[r] + d;
    pack_rows<Arch>(x_now, count, depth, packed);
    const float* from = blocks + d * kKeyBlock;
    size_t s = 0;
    for (; count == 1 && s + kTogether * kKeyBlock <= positions; s += kTogether * kKeyBlock) {
      now[0] = products[0] + s;
      tile<Arch, 1, kTogether, kVectors>(packed, depth, from + s * D, kKeyBlock, kKeyBlock * D, now, d > 0);
    }
    for (; s < positions; s += kKeyBlock) {
      for (size_t r = 0; r < count; ++r) now[r] = products[r] + s;
      rows_times_block<Arch>(packed, count, depth, from + s * D, std::min(positions - s, kKeyBlock), now, d > 0);
    }
  }
}

/// The weights of rows [row, row + count), count <= kTileRows, into weights[r] [positions()].
template <class Arch>
void attention_weights(const AttentionHead& head, size_t row, size_t count, float* const* weights) noexcept {
  const float* queries[kTileRows<Arch>] = {};
  for (size_t r = 0; r < count; ++r) queries[r] = head.query(row + r);
  rows_times_blocks<Arch>(queries, count, head.D, head.key_blocks, head.visible(row + count - 1), weights);
  for (size_t r = 0; r < count; ++r) {
    const size_t visible = head.visible(row + r);
    scale<Arch>(weights[r], head.scale, weights[r], visible);
    softmax<Arch>(weights[r], weights[r], visible);
    for (size_t s = visible; s < head.positions(); ++s) weights[r][s] = 0.0f;
  }
}

/// out[r] [D] = sum over s < visible of weights[r][s] * values[s].
template <class Arch>
void attention_values(const AttentionHead& head, size_t row, size_t count, const float* const* weights,
                      float* const* out) noexcept {
  float packed[kLeftBlock + kLeftMargin];
  const float* from_rows[kTileRows<Arch>] = {};
  const size_t common = head.visible(row);  // the positions that every row of the tile sees
  for (size_t s = 0; s < common; s += kTileDepth<Arch>) {
    const size_t depth = std::min(common - s, kTileDepth<Arch>);
    for (size_t r = 0; r < count; ++r) from_rows[r] = weights[r] + s;
    pack_rows<Arch>(from_rows, count, depth, packed);
    tile_of_columns<Arch>(count, packed, depth, head.values + s * head.value_stride, head.value_stride, out, head.D,
                          s > 0);
  }
  for (size_t r = 0; r < count; ++r) {
    const size_t visible = head.visible(row + r);
    if (visible == common) continue;
    tile_of_columns<Arch>(1, weights[r] + common, visible - common, head.values + common * head.value_stride,
                          head.value_stride, out + r, head.D, true);
  }
}

}  // namespace detail

/// Attention of all rows. scores [rows, positions()], score_stride apart, receives the weights, exactly 0 where a row
/// does not see; out row r lies at out + t * out_token_stride + g * D and is overwritten.
template <class Arch = DefaultArch>
void attention_head(const AttentionHead& head, float* scores, size_t score_stride, float* out,
                    size_t out_token_stride) noexcept {
  constexpr size_t kRows = detail::kTileRows<Arch>;
  float* weights[kRows] = {};
  float* out_rows[kRows] = {};
  for (size_t row = 0; row < head.rows; row += kRows) {
    const size_t count = head.rows - row < kRows ? head.rows - row : kRows;
    for (size_t r = 0; r < count; ++r) {
      weights[r] = scores + (row + r) * score_stride;
      out_rows[r] = out + (row + r) / head.group * out_token_stride + (row + r) % head.group * head.D;
    }
    detail::attention_weights<Arch>(head, row, count, weights);
    detail::attention_values<Arch>(head, row, count, weights, out_rows);
  }
}

}  // namespace vitrine::kernels
