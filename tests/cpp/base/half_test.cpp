#include "base/half.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

using namespace vitrine;

namespace {

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// IEEE 754-2008, section 3.4, in words: (-1)^s 2^(e-bias) (1 + f 2^-p), or 2^(1-bias) f 2^-p when e is 0.
double value_by_definition(unsigned half, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(half >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(half) & ((1 << fraction_bits) - 1);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                         : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("every finite f16 widens to the value that IEEE 754 defines, sign of zero included") {
  for (unsigned half = 0; half < 0x10000; ++half) {
    if ((half & 0x7C00) == 0x7C00) continue;
    const float found = f16_to_f32(static_cast<std::uint16_t>(half));
    const double expected = value_by_definition(half, 5, 10);
    REQUIRE(static_cast<double>(found) == expected);
    REQUIRE(std::signbit(found) == std::signbit(expected));
  }
}

TEST_CASE("every f16 that is not a signalling NaN survives a round trip through float32") {
  for (unsigned half = 0; half < 0x10000; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const bool nan = (half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0;
    REQUIRE(f32_to_f16(f16_to_f32(bits)) == (nan ? (half | 0x200) : half));
    REQUIRE(std::isnan(f16_to_f32(bits)) == nan);
  }
}

TEST_CASE("float32 rounds to the nearest f16 and on a tie to the even one, at every boundary") {
  for (unsigned half = 0; half < 0x7C00; ++half) {
    const auto lower = static_cast<std::uint16_t>(half);
    const auto upper = static_cast<std::uint16_t>(half + 1);  // 0x7C00, infinity, after the largest
    const double step_end = half == 0x7BFF ? 65536.0 : static_cast<double>(f16_to_f32(upper));
    const auto tie = static_cast<float>((static_cast<double>(f16_to_f32(lower)) + step_end) / 2);  // exact
    const std::uint16_t even = (half & 1) == 0 ? lower : upper;
    for (const unsigned sign : {0U, 0x8000U}) {
      const float s = sign == 0 ? 1.0F : -1.0F;
      REQUIRE(f32_to_f16(s * tie) == (sign | even));
      REQUIRE(f32_to_f16(s * std::nextafter(tie, 0.0F)) == (sign | lower));
      REQUIRE(f32_to_f16(s * std::nextafter(tie, std::numeric_limits<float>::infinity())) == (sign | upper));
    }
  }
}

TEST_CASE("float32 beyond the range of f16 becomes infinite, below it a zero of its sign") {
  CHECK(f32_to_f16(std::numeric_limits<float>::max()) == 0x7C00);
  CHECK(f32_to_f16(-std::numeric_limits<float>::infinity()) == 0xFC00);
  CHECK(f32_to_f16(std::numeric_limits<float>::denorm_min()) == 0x0000);
  CHECK(f32_to_f16(-std::numeric_limits<float>::denorm_min()) == 0x8000);
  CHECK(f32_to_f16(-0.0F) == 0x8000);
}

TEST_CASE("a NaN stays a NaN with its sign, whatever its payload") {
  for (const std::uint32_t bits : {0x7F800001U, 0x7FC00000U, 0xFFFFFFFFU, 0xFF801FFFU}) {
    const std::uint16_t half = f32_to_f16(std::bit_cast<float>(bits));
    CHECK((half & 0x7C00) == 0x7C00);
    CHECK((half & 0x3FF) != 0);
    CHECK((half >> 15) == (bits >> 31));
    const std::uint16_t brain = f32_to_bf16(std::bit_cast<float>(bits));
    CHECK(std::isnan(bf16_to_f32(brain)));
    CHECK((brain >> 15) == (bits >> 31));
  }
}

TEST_CASE("bfloat16 widens by definition, survives a round trip, and rounds to nearest even") {
  for (unsigned half = 0; half < 0x10000; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const float value = bf16_to_f32(bits);
    if (std::isnan(value)) continue;
    REQUIRE(f32_to_bf16(value) == half);
    if (std::isinf(value)) continue;
    REQUIRE(static_cast<double>(value) == value_by_definition(half, 8, 7));
    const float tie = std::bit_cast<float>(bits_of(value) | 0x8000U);
    REQUIRE(f32_to_bf16(tie) == half + (half & 1));
    REQUIRE(f32_to_bf16(std::bit_cast<float>(bits_of(tie) - 1)) == half);
    REQUIRE(f32_to_bf16(std::bit_cast<float>(bits_of(tie) + 1)) == half + 1);
  }
}
