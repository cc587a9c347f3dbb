// Philox 4x32-10, a counter-based random number generator (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011): a pure function of a key and a counter, so any draw can be made alone,
// in any order, on any machine. Not for cryptography.
#pragma once

#include <array>
#include <cstdint>

namespace vitrine {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Four 32-bit words, uniform, from a 128-bit counter and a 64-bit key; ten rounds.
constexpr PhiloxCounter philox_4x32_10(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// One independent stream of a seed: the n-th draw of (seed, stream) is the same wherever it is made.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// 64 uniform bits: draw number `index` of this stream.
  constexpr std::uint64_t bits_at(std::uint64_t index) const {
    const PhiloxCounter words =
        philox_4x32_10({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                       {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    return std::uint64_t{words[0]} | std::uint64_t{words[1]} << 32;
  }

  /// Uniform in [0, 1), a multiple of 2^-53: draw number `index`.
  constexpr double uniform_at(std::uint64_t index) const {
    return static_cast<double>(bits_at(index) >> 11) * 0x1.0p-53;
  }

  /// The next draw in order, from index 0.
  constexpr std::uint64_t next_bits() { return bits_at(position_++); }
  constexpr double next_uniform() { return uniform_at(position_++); }

  /// Uniform in [0, bound), bound > 0, without bias beyond 2^-32 for bounds below 2^32.
  constexpr std::uint64_t next_below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next_bits()) * bound) >> 64);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
};

}  // namespace vitrine
