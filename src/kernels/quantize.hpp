// Rows of int8 numbers with one float32 scale each: how a q8 KV cache stores keys and values, and reads them back.
//
//   scale = max |x| / 127        q[i] = x[i] / scale, rounded to the nearest integer, ties to even
//   value[i] = q[i] * scale      |value[i] - x[i]| <= scale / 2, and a few roundings
//
// Each number is treated alone but for the maximum, which no order can change. Plain loops: compilers turn them into
// vectors, and every one of them gives the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/attention.hpp"

namespace vitrine::kernels {

/// The largest magnitude of a quantized number; -128 is never used.
inline constexpr int kQuantizedMax = 127;

/// Writes x [n] as q [n], `stride` apart, and returns the scale. A row of zeros, or one too small for a scale, has
/// scale 0. A row with a number that is not finite has scale NaN, and reads back as NaN: it does not pass unseen. (The
/// largest finite float32 itself may read back infinite, since its scale is rounded.)
inline float quantize_row(const float* x, size_t n, std::int8_t* q, size_t stride) noexcept {
  float largest = 0.0f;
  bool finite = true;
  for (size_t i = 0; i < n; ++i) {
    const float magnitude = std::fabs(x[i]);
    finite = finite && magnitude <= std::numeric_limits<float>::max();
    largest = magnitude > largest ? magnitude : largest;
  }
  constexpr float kMax = kQuantizedMax;
  constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: beside it a float32 has no fraction
  const float scale = finite ? largest / kMax : std::numeric_limits<float>::quiet_NaN();
  for (size_t i = 0; i < n; ++i) {
    const float ratio = scale > 0.0f ? std::clamp(x[i] / scale, -kMax, kMax) : 0.0f;  // a subnormal scale may be short
    q[i * stride] = static_cast<std::int8_t>((ratio + kRounder) - kRounder);
  }
  return scale;
}

/// out = q * scale, both [n].
inline void dequantize_row(const std::int8_t* q, float scale, float* out, size_t n) noexcept {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(q[i]) * scale;
}

/// out = q * scales for one block of keys, both [D][P]; scales [P], one a position.
inline void dequantize_key_block(const std::int8_t* q, const float* scales, float* out, size_t D) noexcept {
  for (size_t d = 0; d < D; ++d) {
    for (size_t p = 0; p < kKeyBlock; ++p) {
      out[d * kKeyBlock + p] = static_cast<float>(q[d * kKeyBlock + p]) * scales[p];
    }
  }
}

}  // namespace vitrine::kernels
