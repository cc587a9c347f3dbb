// The double twin of kernels/quantize.hpp: plain loops that a reader can check by eye.
// Never fast, never used by the model; tests and benchmarks compare with it.
#pragma once

#include <cmath>
#include <cstddef>

namespace vitrine::reference {

/// q [n] = x [n] / scale as whole numbers, ties to even; returns scale = max |x| / 127.
inline double quantize_row(const double* x, std::size_t n, double* q) {
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) largest = std::fmax(largest, std::fabs(x[i]));
  const double scale = largest / 127.0;
  for (std::size_t i = 0; i < n; ++i) q[i] = scale > 0.0 ? std::nearbyint(x[i] / scale) : 0.0;
  return scale;
}

/// out = q * scale, both [n].
inline void dequantize_row(const double* q, double scale, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = q[i] * scale;
}

}  // namespace vitrine::reference
