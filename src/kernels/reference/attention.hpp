// The double twin of kernels/attention.hpp: attention of the G query heads of one key/value head, one row at a time, on
// plain contiguous arrays; causal unless asked otherwise.
// Never fast, never used by the model; tests and benchmarks compare with it.
#pragma once

#include <cstddef>

#include "kernels/reference/softmax.hpp"

namespace vitrine::reference {

/// queries [T, G, D], keys and values [past + T, D] -> weights [T, G, past + T] (0 where masked) and out [T, G, D].
inline void attention_head(const double* queries, const double* keys, const double* values, std::size_t T,
                           std::size_t G, std::size_t past, std::size_t D, double scale, double* weights, double* out,
                           bool causal = true) {
  const std::size_t positions = past + T;
  for (std::size_t row = 0; row < T * G; ++row) {
    const std::size_t visible = causal ? past + row / G + 1 : positions;
    double* weight = weights + row * positions;
    for (std::size_t s = 0; s < positions; ++s) {
      weight[s] = s < visible ? scale * dot(queries + row * D, keys + s * D, D) : 0.0;
    }
    softmax(weight, weight, visible);
    for (std::size_t d = 0; d < D; ++d) {
      out[row * D + d] = 0.0;
      for (std::size_t s = 0; s < visible; ++s) out[row * D + d] += weight[s] * values[s * D + d];
    }
  }
}

}  // namespace vitrine::reference
