// The double twin of kernels/attention_backward.hpp: the gradient of attention, one row at a time.
// Never fast, never used by the model; tests and benchmarks compare with it.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/reference/attention.hpp"

namespace vitrine::reference {

/// Adds to d_queries [T, G, D], d_keys [T, D] and d_values [T, D] the gradients of a sequence without past.
inline void attention_head_backward(const double* queries, const double* keys, const double* values, std::size_t T,
                                    std::size_t G, std::size_t D, double scale, const double* d_out, double* d_queries,
                                    double* d_keys, double* d_values, bool causal = true) {
  std::vector<double> weights(T * G * T), out(T * G * D), d_weight(T), d_score(T);
  attention_head(queries, keys, values, T, G, 0, D, scale, weights.data(), out.data(), causal);
  for (std::size_t row = 0; row < T * G; ++row) {
    const std::size_t visible = causal ? row / G + 1 : T;
    const double* weight = weights.data() + row * T;
    for (std::size_t s = 0; s < visible; ++s) d_weight[s] = dot(d_out + row * D, values + s * D, D);
    softmax_backward(weight, d_weight.data(), d_score.data(), visible);
    for (std::size_t s = 0; s < visible; ++s) {
      for (std::size_t d = 0; d < D; ++d) {
        d_values[s * D + d] += weight[s] * d_out[row * D + d];
        d_queries[row * D + d] += scale * d_score[s] * keys[s * D + d];
        d_keys[s * D + d] += scale * d_score[s] * queries[row * D + d];
      }
    }
  }
}

}  // namespace vitrine::reference
