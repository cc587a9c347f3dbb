// The token embedding, forward and backward: a row of the table for each token. Positions are RoPE's concern.
//   out[n] = table[token[n]]          d_table[token[n]] += d_out[n]
#pragma once

#include <algorithm>
#include <span>

#include "base/token_id.hpp"
#include "kernels/elementwise.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// tokens [N] (valid ids), table [V, C], out [N, C].
inline void embedding_forward(std::span<const TokenId> tokens, View<const float, 2> table, View<float, 2> out) {
  const std::size_t d_model = table.extent(1);
  VITRINE_ASSERT_SHAPE(out, tokens.size(), d_model);
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    std::copy_n(table[static_cast<std::size_t>(tokens[n])].data(), d_model, out[n].data());
  }
}

/// tokens [N], d_out [N, C], d_table [V, C] accumulated, row after row.
inline void embedding_backward(std::span<const TokenId> tokens, View<const float, 2> d_out, View<float, 2> d_table) {
  const std::size_t d_model = d_table.extent(1);
  VITRINE_ASSERT_SHAPE(d_out, tokens.size(), d_model);
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    kernels::add_in_place(d_table[static_cast<std::size_t>(tokens[n])].data(), d_out[n].data(), d_model);
  }
}

}  // namespace vitrine
