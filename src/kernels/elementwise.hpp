// Kernels that treat every element alone: sums, scaling, SwiGLU, the half-precision conversions of arrays, and exp of a
// vector, which softmax shares. Nothing here adds one element to another: see reduce.hpp.
//
// Inputs come first, then outputs, then the length n. An output may be one of the inputs; other overlap is not allowed.
#pragma once

#include <bit>
#include <limits>

#include "base/half.hpp"
#include "kernels/simd.hpp"

namespace vitrine::kernels {

namespace detail {

/// out[i] = function(inputs[i]...), the last vector in part.
template <class Arch, class Function, class... Inputs>
inline void map(Function function, float* out, size_t n, const Inputs*... inputs) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store<Arch>(out + i, function(load<Arch>(inputs + i)...));
  if (i < n) store_partial<Arch>(out + i, function(load_partial<Arch>(inputs + i, n - i)...), n - i);
}

}  // namespace detail

/// e^x in each lane, error below 1 unit in the last place; exactly 0 below ln 2^-126 (no subnormal results),
/// +infinity above ln FLT_MAX, NaN of NaN.
template <class Arch>
inline Vec<Arch> exp(Vec<Arch> x) noexcept {
  using V = Vec<Arch>;
  // n = round(x / ln 2): after adding 1.5 * 2^23 the low bits of the float hold n.
  const V shifted = x * V(1.44269504f) + V(12582912.0f);
  const V n = shifted - V(12582912.0f);
  // ln 2 in two pieces; the product with the first, of 15 bits, is exact.
  const V r = (x - n * V(0.693145752f)) - n * V(1.42860677e-6f);
  // (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, interpolated at the Chebyshev nodes: off by less than 2^-26 of e^r. The
  // terms are grouped in pairs, which makes the chain of dependent operations short.
  const V square = r * r;
  const V series = (V(0.5f) + V(0.166665763f) * r) +
                   square * ((V(0.0416665561f) + V(0.00836317893f) * r) + square * V(0.0013926184f));
  const V value = V(1.0f) + (r + square * series);
  // value * 2^n: n goes straight into the exponent field, and in lanes that are replaced below past its end.
  const BitVec<Arch> bits =
      xsimd::bitwise_cast<std::uint32_t>(value) + (xsimd::bitwise_cast<std::uint32_t>(shifted) << 23);
  V result = xsimd::bitwise_cast<float>(bits);
  result = xsimd::select(x < V(-87.3365448f), V(0.0f), result);
  result = xsimd::select(x > V(88.7228394f), V(std::numeric_limits<float>::infinity()), result);
  return xsimd::select(x == x, result, x);
}

/// The logistic function 1 / (1 + e^-x) in each lane.
template <class Arch>
inline Vec<Arch> sigmoid(Vec<Arch> x) noexcept {
  return quotient<Arch>(Vec<Arch>(1.0f), Vec<Arch>(1.0f) + exp<Arch>(-x));
}

/// out = a + b, all [n].
template <class Arch = DefaultArch>
void add(const float* a, const float* b, float* out, size_t n) noexcept {
  detail::map<Arch>([](auto x, auto y) { return x + y; }, out, n, a, b);
}

/// x += y, both [n].
template <class Arch = DefaultArch>
void add_in_place(float* x, const float* y, size_t n) noexcept {
  add<Arch>(x, y, x, n);
}

/// out = x * factor, both [n].
template <class Arch = DefaultArch>
void scale(const float* x, float factor, float* out, size_t n) noexcept {
  detail::map<Arch>([factor](auto value) { return value * Vec<Arch>(factor); }, out, n, x);
}

/// out = silu(gate) * up, silu(z) = z * sigmoid(z), all [n] (Shazeer, "GLU variants improve transformer", 2020).
template <class Arch = DefaultArch>
void swiglu(const float* gate, const float* up, float* out, size_t n) noexcept {
  detail::map<Arch>([](auto z, auto u) { return z * sigmoid<Arch>(z) * u; }, out, n, gate, up);
}

/// The gradient of swiglu: d_up = d_out * silu(gate); d_gate = d_out * up * s * (1 + gate * (1 - s)), s =
/// sigmoid(gate). All [n]; d_gate and d_up are overwritten, and may be gate and up themselves.
template <class Arch = DefaultArch>
void swiglu_backward(const float* gate, const float* up, const float* d_out, float* d_gate, float* d_up,
                     size_t n) noexcept {
  using V = Vec<Arch>;
  constexpr size_t kWidth = kLanes<Arch>;
  const auto gradients = [](V z, V u, V d, V& d_z, V& d_u) {
    const V s = sigmoid<Arch>(z);
    d_u = d * (z * s);
    d_z = d * u * (s * (V(1.0f) + z * (V(1.0f) - s)));
  };
  V d_z, d_u;
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    gradients(load<Arch>(gate + i), load<Arch>(up + i), load<Arch>(d_out + i), d_z, d_u);
    store<Arch>(d_gate + i, d_z);
    store<Arch>(d_up + i, d_u);
  }
  if (i < n) {
    const size_t rest = n - i;
    gradients(load_partial<Arch>(gate + i, rest), load_partial<Arch>(up + i, rest), load_partial<Arch>(d_out + i, rest),
              d_z, d_u);
    store_partial<Arch>(d_gate + i, d_z, rest);
    store_partial<Arch>(d_up + i, d_u, rest);
  }
}

/// float32 of float16 bits (exact), float16 bits of float32 (nearest, ties to even).
/// The first has no branch, so that a compiler can do several at once: an f16 cache is read through it.
inline void f16_to_f32(const std::uint16_t* half, float* out, size_t n) noexcept {
  for (size_t i = 0; i < n; ++i) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half[i] & 0x8000U) << 16;
    const std::uint32_t magnitude = static_cast<std::uint32_t>(half[i] & 0x7FFFU) << 13;
    // The exponents of the two formats differ by 112; the product is exact, of subnormal halves too.
    const float moved = std::bit_cast<float>(magnitude) * 0x1.0p112F;
    const std::uint32_t not_finite = magnitude >= 0x0F800000U ? 0x7F800000U : 0U;
    out[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(moved) | not_finite | sign);
  }
}

inline void f32_to_f16(const float* x, std::uint16_t* out, size_t n) noexcept {
  for (size_t i = 0; i < n; ++i) out[i] = vitrine::f32_to_f16(x[i]);
}

}  // namespace vitrine::kernels
