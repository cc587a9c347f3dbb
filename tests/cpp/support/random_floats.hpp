// Arrays of random floats, the same on every machine, and the NaN that outputs are poisoned with before a call.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.hpp"

namespace vitrine::test {

/// A NaN that no operation makes.
inline constexpr std::uint32_t kPoisonBits = 0x7FC0DEAD;
inline constexpr float kPoison = std::bit_cast<float>(kPoisonBits);

/// Uniform in (low, high).
inline std::vector<float> random_floats(std::size_t n, std::uint64_t seed, double low = -1.0, double high = 1.0) {
  RandomStream random(seed);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(low + (high - low) * random.next_uniform());
  return values;
}

}  // namespace vitrine::test
