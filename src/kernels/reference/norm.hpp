// The double twin of kernels/norm.hpp: RMSNorm of one row and its gradients, straight from the definition.
// Never fast, never used by the model; tests and benchmarks compare with it.
#pragma once

#include <cmath>
#include <cstddef>

namespace vitrine::reference {

/// x [C], gain [C] -> out [C]; returns 1 / sqrt(mean of x^2 + eps).
inline double rms_norm(const double* x, const double* gain, double eps, double* out, std::size_t C) {
  double square = 0.0;
  for (std::size_t c = 0; c < C; ++c) square += x[c] * x[c];
  const double inv_rms = 1.0 / std::sqrt(square / static_cast<double>(C) + eps);
  for (std::size_t c = 0; c < C; ++c) out[c] = x[c] * inv_rms * gain[c];
  return inv_rms;
}

/// d_x[i] += sum_c d_out[c] gain[c] d(x[c] inv_rms)/dx[i]; all [C].
inline void rms_norm_backward(const double* x, const double* gain, double inv_rms, const double* d_out, double* d_x,
                              std::size_t C) {
  for (std::size_t i = 0; i < C; ++i) {
    for (std::size_t c = 0; c < C; ++c) {
      const double d_inv_rms = -inv_rms * inv_rms * inv_rms * x[i] / static_cast<double>(C);
      d_x[i] += d_out[c] * gain[c] * ((i == c ? inv_rms : 0.0) + x[c] * d_inv_rms);
    }
  }
}

/// d_gain[c] += sum_n x[n, c] inv_rms[n] d_out[n, c] for column_begin <= c < column_end.
inline void rms_norm_backward_gain(const double* x, const double* inv_rms, const double* d_out, double* d_gain,
                                   std::size_t N, std::size_t C, std::size_t column_begin, std::size_t column_end) {
  for (std::size_t c = column_begin; c < column_end; ++c) {
    for (std::size_t n = 0; n < N; ++n) d_gain[c] += x[n * C + c] * inv_rms[n] * d_out[n * C + c];
  }
}

}  // namespace vitrine::reference
