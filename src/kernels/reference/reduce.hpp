// The double twins of kernels/reduce.hpp: plain loops from index 0 up.
// Never fast, never used by the model; tests and benchmarks compare with them.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace vitrine::reference {

inline double dot(const double* a, const double* b, std::size_t n) {
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) total += a[i] * b[i];
  return total;
}

inline double sum_of_squares(const double* x, std::size_t n) { return dot(x, x, n); }

inline double max(const double* x, std::size_t n) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

inline bool all_finite(const double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return false;
  }
  return true;
}

/// The lowest index of the largest; n for n = 0 or any NaN.
inline std::size_t argmax(const double* x, std::size_t n) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return n;
    if (x[i] > x[best]) best = i;
  }
  return best;
}

}  // namespace vitrine::reference
