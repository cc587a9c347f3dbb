// Arrays of random floats for layer tests, and the NaN that outputs are poisoned with.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/rng.hpp"

namespace vitrine::test {

inline constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

/// Uniform in (-1, 1).
inline std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(2 * random.next_uniform() - 1);
  return values;
}

}  // namespace vitrine::test
