// The double twins of kernels/elementwise.hpp: plain loops that a reader can check by eye.
// Never fast, never used by the model; tests and benchmarks compare with them.
#pragma once

#include <cmath>
#include <cstddef>

namespace vitrine::reference {

/// out = a + b, all [n].
inline void add(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

/// out = x * factor, both [n].
inline void scale(const double* x, double factor, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * factor;
}

/// out = e^x, both [n].
inline void exp(const double* x, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(x[i]);
}

/// out = gate * up / (1 + e^-gate), all [n].
inline void swiglu(const double* gate, const double* up, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = gate[i] * up[i] / (1.0 + std::exp(-gate[i]));
}

/// The gradient of swiglu, all [n]; d_gate and d_up are overwritten.
inline void swiglu_backward(const double* gate, const double* up, const double* d_out, double* d_gate, double* d_up,
                            std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double sigmoid = 1.0 / (1.0 + std::exp(-gate[i]));
    d_up[i] = d_out[i] * gate[i] * sigmoid;
    d_gate[i] = d_out[i] * up[i] * (sigmoid + gate[i] * sigmoid * (1.0 - sigmoid));
  }
}

}  // namespace vitrine::reference
