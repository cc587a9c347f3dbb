// Conversions of one number between float32 and the two 16-bit formats, IEEE binary16 and bfloat16, by bits alone.
// No arithmetic in half precision: 16 bits are for storage only.
#pragma once

#include <bit>
#include <cstdint>

namespace vitrine::kernels {

/// The float32 of a binary16 pattern; exact, subnormals, infinities and NaN payloads included.
constexpr float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7FFFu) << 13;  // exponent and fraction in place
  const std::uint32_t exponent = magnitude & 0x0F800000u;
  if (exponent == 0x0F800000u) return std::bit_cast<float>(sign | magnitude | 0x7F800000u);
  if (exponent != 0) return std::bit_cast<float>(sign | (magnitude + (112u << 23)));
  // Subnormal or zero: the fraction counts units of 2^-24.
  const float value = static_cast<float>(half & 0x3FFu) * 0x1.0p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

/// The binary16 pattern nearest to a float32, ties to even; overflow gives infinity, NaN gives a quiet NaN.
constexpr std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000u) {
    half = 0x7E00u;
  } else if (magnitude >= 0x47800000u) {  // 2^16 and above
    half = 0x7C00u;
  } else if (magnitude >= 0x38800000u) {  // normal: rebase the exponent, round at bit 13; a carry may make infinity
    half = (magnitude - (112u << 23) + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  } else {  // subnormal: adding 0.5 rounds at 2^-24, ties to even
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<std::uint32_t>(rounded) - 0x3F000000u;
  }
  return static_cast<std::uint16_t>(sign | half);
}

/// The float32 of a bfloat16 pattern; exact: bfloat16 is the upper half of float32.
constexpr float bf16_to_f32(std::uint16_t brain) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16);
}

}  // namespace vitrine::kernels
