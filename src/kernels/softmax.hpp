// Softmax of one row, its gradient, and the logarithm of a sum of exponentials.
// Masks are not known here: a masked entry is simply not passed, or is -infinity and becomes exactly 0.
#pragma once

#include "kernels/elementwise.hpp"
#include "kernels/reduce.hpp"
#include "kernels/scalar_math.hpp"

namespace vitrine::kernels {

namespace detail {

/// The sum of e^(x[i] - shift) over x [n] in the order of reduce.hpp; with kKeep, the terms go to out [n].
template <class Arch, bool kKeep>
inline float sum_of_exp(const float* x, float shift, float* out, size_t n) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  const Vec<Arch> offset(shift);
  Accumulators<Arch> accumulators;
  size_t i = 0;
  for (; i + kAccumulators <= n; i += kAccumulators) {
    for (size_t v = 0; v < accumulators.kVectors; ++v) {
      const Vec<Arch> term = exp<Arch>(load<Arch>(x + i + v * kWidth) - offset);
      if constexpr (kKeep) store<Arch>(out + i + v * kWidth, term);
      accumulators.vectors[v] += term;
    }
  }
  if (i < n) {
    alignas(64) float rest[kAccumulators] = {};
    map<Arch>([offset](auto value) { return exp<Arch>(value - offset); }, rest, n - i, x + i);
    for (size_t v = 0; v < accumulators.kVectors; ++v) accumulators.vectors[v] += load<Arch>(rest + v * kWidth);
    for (size_t j = 0; kKeep && i + j < n; ++j) out[i + j] = rest[j];
  }
  return accumulators.total();
}

}  // namespace detail

/// out[i] = e^(x[i] - max) / sum_j e^(x[j] - max), both [n]; out may be x. The sum runs in the order of reduce.hpp over
/// the index i. -infinity gives exactly 0; a NaN, a +infinity or a row of -infinity alone makes every entry NaN.
template <class Arch = DefaultArch>
void softmax(const float* x, float* out, size_t n) noexcept {
  const Vec<Arch> total(detail::sum_of_exp<Arch, true>(x, max<Arch>(x, n), out, n));
  detail::map<Arch>([total](auto value) { return quotient<Arch>(value, total); }, out, n, out);
}

/// ln sum_i e^(x[i]) of x [n], n > 0. The sum is float32 in the order of reduce.hpp, the logarithm double.
template <class Arch = DefaultArch>
double log_sum_exp(const float* x, size_t n) noexcept {
  const float largest = max<Arch>(x, n);
  const float total = detail::sum_of_exp<Arch, false>(x, largest, nullptr, n);
  return static_cast<double>(largest) + log_double(static_cast<double>(total));
}

/// d_x[i] = p[i] * (d_p[i] - sum_j p[j] d_p[j]), all [n], for p = softmax(x); d_x is overwritten and may be d_p.
template <class Arch = DefaultArch>
void softmax_backward(const float* p, const float* d_p, float* d_x, size_t n) noexcept {
  const Vec<Arch> mean(dot<Arch>(p, d_p, n));
  detail::map<Arch>([mean](auto weight, auto gradient) { return weight * (gradient - mean); }, d_x, n, p, d_p);
}

}  // namespace vitrine::kernels
