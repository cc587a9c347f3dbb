// Rotary position embedding: the table of cosines and sines, the rotation of heads, and its inverse
// (Su et al., "RoFormer: enhanced transformer with rotary position embedding", 2021).
// Which position a row has is the caller's affair.
#pragma once

#include "kernels/rope_pairing.hpp"
#include "kernels/scalar_math.hpp"
#include "kernels/simd.hpp"

namespace vitrine::kernels {

/// The angle by which pair i turns from one position to the next: theta^(-2i/D), in radians.
constexpr double rope_frequency(double theta, size_t i, size_t D) {
  return pow_double(theta, -2.0 * static_cast<double>(i) / static_cast<double>(D));
}

/// cos[p, i] and sin[p, i] of the angle of pair i at position p = 0, 1, ...; double until the last rounding. cos and
/// sin [positions, D/2].
inline void rope_table(double theta, size_t positions, size_t D, float* cos, float* sin) noexcept {
  for (size_t i = 0; i < D / 2; ++i) {
    const double frequency = rope_frequency(theta, i, D);
    for (size_t p = 0; p < positions; ++p) {
      const double angle = static_cast<double>(p) * frequency;
      cos[p * (D / 2) + i] = static_cast<float>(cos_double(angle));
      sin[p * (D / 2) + i] = static_cast<float>(sin_double(angle));
    }
  }
}

namespace detail {

/// (a, b) -> (a cos - b sin, b cos + a sin); `direction` -1 turns back.
template <class Arch>
void rotate_halves(float* head, size_t pairs, const float* cos, const float* sin, float direction) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  size_t i = 0;
  for (; i + kWidth <= pairs; i += kWidth) {
    const Vec<Arch> a = load<Arch>(head + i), b = load<Arch>(head + pairs + i);
    const Vec<Arch> c = load<Arch>(cos + i), s = load<Arch>(sin + i) * Vec<Arch>(direction);
    store<Arch>(head + i, a * c - b * s);
    store<Arch>(head + pairs + i, b * c + a * s);
  }
  for (; i < pairs; ++i) {
    const float a = head[i], b = head[pairs + i], c = cos[i], s = sin[i] * direction;
    head[i] = a * c - b * s;
    head[pairs + i] = b * c + a * s;
  }
}

inline void rotate_adjacent(float* head, size_t pairs, const float* cos, const float* sin, float direction) noexcept {
  for (size_t i = 0; i < pairs; ++i) {
    const float a = head[2 * i], b = head[2 * i + 1], c = cos[i], s = sin[i] * direction;
    head[2 * i] = a * c - b * s;
    head[2 * i + 1] = b * c + a * s;
  }
}

template <class Arch>
void rotate_heads(float* x, size_t heads, size_t D, const float* cos, const float* sin, RopePairing pairing,
                  float direction) noexcept {
  for (size_t h = 0; h < heads; ++h) {
    if (pairing == RopePairing::halves) {
      rotate_halves<Arch>(x + h * D, D / 2, cos, sin, direction);
    } else {
      rotate_adjacent(x + h * D, D / 2, cos, sin, direction);
    }
  }
}

}  // namespace detail

/// Turns x [heads, D] in place by the angles of one position: cos_row and sin_row [D/2].
template <class Arch = DefaultArch>
void rotate(float* x, size_t heads, size_t D, const float* cos_row, const float* sin_row,
            RopePairing pairing) noexcept {
  detail::rotate_heads<Arch>(x, heads, D, cos_row, sin_row, pairing, 1.0f);
}

/// The inverse rotation, which is also the gradient: d_x [heads, D] in place.
template <class Arch = DefaultArch>
void rotate_backward(float* d_x, size_t heads, size_t D, const float* cos_row, const float* sin_row,
                     RopePairing pairing) noexcept {
  detail::rotate_heads<Arch>(d_x, heads, D, cos_row, sin_row, pairing, -1.0f);
}

}  // namespace vitrine::kernels
