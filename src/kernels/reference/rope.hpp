// The double twin of kernels/rope.hpp: each pair of a head turned as a complex number.
// Never fast, never used by the model; tests and benchmarks compare with it.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>

namespace vitrine::reference {

/// Turns x [heads, D] in place to `position` (negative turns back); `adjacent` pairs 2i with 2i + 1, otherwise i with
/// i + D/2. The angle of pair i is position * theta^(-2i/D).
inline void rotate(double* x, std::size_t heads, std::size_t D, double theta, double position, bool adjacent) {
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < D / 2; ++i) {
      double& real = x[h * D + (adjacent ? 2 * i : i)];
      double& imaginary = x[h * D + (adjacent ? 2 * i + 1 : i + D / 2)];
      const double angle = position * std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(D));
      const std::complex<double> turned = std::complex<double>(real, imaginary) * std::polar(1.0, angle);
      real = turned.real();
      imaginary = turned.imag();
    }
  }
}

}  // namespace vitrine::reference
