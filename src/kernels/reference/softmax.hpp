// The double twins of kernels/softmax.hpp: the definitions, written out.
// Never fast, never used by the model; tests and benchmarks compare with them.
#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/reference/reduce.hpp"

namespace vitrine::reference {

/// out[i] = e^x[i] / sum_j e^x[j], both [n]; out may be x.
inline void softmax(const double* x, double* out, std::size_t n) {
  const double largest = max(x, n);
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) total += std::exp(x[i] - largest);
  for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(x[i] - largest) / total;
}

inline double log_sum_exp(const double* x, std::size_t n) {
  const double largest = max(x, n);
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) total += std::exp(x[i] - largest);
  return largest + std::log(total);
}

/// d_x[i] = sum_j d_p[j] dp[j]/dx[i], with dp[j]/dx[i] = p[j] ([i = j] - p[i]); all [n].
inline void softmax_backward(const double* p, const double* d_p, double* d_x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    d_x[i] = 0.0;
    for (std::size_t j = 0; j < n; ++j) d_x[i] += d_p[j] * p[j] * ((i == j ? 1.0 : 0.0) - p[i]);
  }
}

}  // namespace vitrine::reference
