// The two 16-bit floating-point formats of checkpoint files, IEEE 754 binary16 (f16) and bfloat16, to and from
// float32, one value at a time and with integer arithmetic alone. Arrays are the affair of kernels/elementwise.hpp.
#pragma once

#include <bit>
#include <cstdint>

namespace vitrine {

/// The float32 of the same value: every f16 has one, subnormals, infinities and NaN payloads included.
constexpr float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  // Zero or subnormal: fraction x 2^-24, and both the conversion and the product are exact.
  const float magnitude = static_cast<float>(fraction) * 0x1.0p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

/// The nearest f16, ties to the even one; beyond 65504 + half a step it is infinite. A NaN stays a (quiet) NaN with
/// its sign and the upper bits of its payload.
constexpr std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU));
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude >= 0x38800000U) {
    // Normal: drop 13 bits of the fraction; a carry out of it correctly moves on to the next exponent.
    const std::uint32_t rebased = magnitude - (112U << 23);
    const std::uint32_t rounded = rebased + 0xFFFU + ((rebased >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | rounded >> 13);
  }
  if (magnitude < 0x33000000U) return static_cast<std::uint16_t>(sign);
  // Subnormal: the fraction with its hidden bit, in units of 2^-24.
  const std::uint32_t shift = 126U - (magnitude >> 23);
  const std::uint32_t fraction = (magnitude & 0x7FFFFFU) | 0x800000U;
  const std::uint32_t kept = fraction >> shift;
  const std::uint32_t dropped = fraction & ((1U << shift) - 1U);
  const std::uint32_t halfway = 1U << (shift - 1U);
  const bool up = dropped > halfway || (dropped == halfway && (kept & 1U) != 0);
  return static_cast<std::uint16_t>(sign | (kept + (up ? 1U : 0U)));
}

/// The float32 of the same value: a bfloat16 is the upper half of a float32.
constexpr float bf16_to_f32(std::uint16_t half) { return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16); }

/// The nearest bfloat16, ties to the even one. A NaN stays a (quiet) NaN.
constexpr std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace vitrine
