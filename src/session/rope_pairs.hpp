// How each pair of a head turns from its vector to the rotated one: for the pictures of RoPE. It rotates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/rope.hpp"

namespace vitrine {

/// Pair i of a head [D].
struct RopePair {
  double frequency = 0;  ///< radians from one position to the next: theta^(-2i/D)
  double angle = 0;      ///< frequency times position
  std::array<float, 2> before{};
  std::array<float, 2> after{};
};

/// The pairs of `before` and of the same head as rotated to `position`, both [D].
inline std::vector<RopePair> rope_pairs(std::span<const float> before, std::span<const float> after, double theta,
                                        std::size_t position, kernels::RopePairing pairing) {
  const std::size_t D = before.size();
  std::vector<RopePair> pairs;
  for (std::size_t i = 0; i < D / 2; ++i) {
    const bool halves = pairing == kernels::RopePairing::halves;
    const std::size_t first = halves ? i : 2 * i, second = halves ? i + D / 2 : 2 * i + 1;
    const double frequency = kernels::rope_frequency(theta, i, D);
    pairs.push_back({frequency,
                     frequency * static_cast<double>(position),
                     {before[first], before[second]},
                     {after[first], after[second]}});
  }
  return pairs;
}

}  // namespace vitrine
