// RMSNorm of one row and its gradients (Zhang and Sennrich, "Root mean square layer normalization", 2019).
// LayerNorm is not here. C is the width of a row, N the number of rows.
//
//   out[c] = x[c] * inv_rms * gain[c],   inv_rms = 1 / sqrt(sum_c x[c]^2 / C + eps)
#pragma once

#include <cmath>

#include "kernels/elementwise.hpp"
#include "kernels/reduce.hpp"

namespace vitrine::kernels {

/// x [C], gain [C] -> out [C] (may be x). Returns inv_rms, which the gradients need.
template <class Arch = DefaultArch>
float rms_norm(const float* x, const float* gain, float eps, float* out, size_t C) noexcept {
  const float mean_square = sum_of_squares<Arch>(x, C) / static_cast<float>(C);
  const float inv_rms = 1.0f / std::sqrt(mean_square + eps);
  detail::map<Arch>([inv_rms](auto value, auto weight) { return value * Vec<Arch>(inv_rms) * weight; }, out, C, x,
                    gain);
  return inv_rms;
}

/// d_x[c] += inv_rms * (gain[c] d_out[c] - x[c] * inv_rms^2 / C * sum_j x[j] gain[j] d_out[j]), all [C].
template <class Arch = DefaultArch>
void rms_norm_backward(const float* x, const float* gain, float inv_rms, const float* d_out, float* d_x,
                       size_t C) noexcept {
  const float projection =
      detail::sum_of<Arch>([](auto value, auto weight, auto d) { return value * (weight * d); }, C, x, gain, d_out);
  const Vec<Arch> factor(projection * (inv_rms * inv_rms) / static_cast<float>(C));
  const Vec<Arch> inverse(inv_rms);
  detail::map<Arch>([factor, inverse](auto sum, auto value, auto weight,
                                      auto d) { return sum + inverse * (weight * d - value * factor); },
                    d_x, C, d_x, x, gain, d_out);
}

/// d_gain[c] += sum_n x[n, c] * inv_rms[n] * d_out[n, c] for column_begin <= c < column_end, n from 0 up.
/// x [N, C], inv_rms [N], d_out [N, C], d_gain [C].
template <class Arch = DefaultArch>
void rms_norm_backward_gain(const float* x, const float* inv_rms, const float* d_out, float* d_gain, size_t N, size_t C,
                            size_t column_begin, size_t column_end) noexcept {
  const size_t width = column_end - column_begin;
  for (size_t n = 0; n < N; ++n) {
    const Vec<Arch> inverse(inv_rms[n]);
    const size_t start = n * C + column_begin;
    detail::map<Arch>([inverse](auto sum, auto value, auto d) { return sum + value * inverse * d; },
                      d_gain + column_begin, width, d_gain + column_begin, x + start, d_out + start);
  }
}

}  // namespace vitrine::kernels
