// SHA-256 over the bits of results, and what several ways to one result have to say of it. It computes no result.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/thread_pool.hpp"
#include "base/token_id.hpp"

namespace vitrine::golden {

/// Little end first, whatever the machine. Every NaN counts as the same one: which NaN an operation makes is the one
/// thing that IEEE 754 and WebAssembly leave open.
class BitHash {
 public:
  BitHash& add(std::span<const float> values) {
    for (const float value : values) add_bits(value == value ? std::bit_cast<std::uint32_t>(value) : 0x7FC00000u);
    return *this;
  }
  BitHash& add(std::span<const double> values) {
    for (const double value : values) {
      add_bits(value == value ? std::bit_cast<std::uint64_t>(value) : 0x7FF8000000000000u);
    }
    return *this;
  }
  BitHash& add(const float* values, std::size_t n) { return add(std::span(values, n)); }
  BitHash& add(double value) { return add(std::span(&value, 1)); }
  BitHash& add(std::span<const TokenId> ids) {
    for (const TokenId id : ids) add_bits(static_cast<std::uint32_t>(id));
    return *this;
  }
  BitHash& add(std::span<const std::uint16_t> halves) {
    for (const std::uint16_t half : halves) add_bits(half);
    return *this;
  }
  BitHash& add(std::string_view bytes) {
    flush();
    hash_.update(bytes);
    return *this;
  }

  std::string hex() {
    flush();
    return hash_.finish_hex();
  }

 private:
  template <class Bits>
  void add_bits(Bits bits) {
    for (std::size_t i = 0; i < sizeof(Bits); ++i) pending_.push_back(static_cast<char>(bits >> (8 * i) & 0xFF));
    if (pending_.size() >= kPiece) flush();
  }
  void flush() {
    hash_.update(pending_);
    pending_.clear();
  }

  static constexpr std::size_t kPiece = 4096;
  Sha256 hash_;
  std::string pending_;
};

/// A hash by the way that led to it: "3 threads", "emulated<256>".
using Ways = std::vector<std::pair<std::string, std::string>>;

/// The one hash of all ways, or each way's own where they differ, which no recorded hash equals.
inline Json agreed(const Ways& ways) {
  Json all = Json::object();
  bool equal = true;
  for (const auto& [way, hash] : ways) {
    equal = equal && hash == ways.front().second;
    all[way] = hash;
  }
  return equal ? Json(ways.front().second) : all;
}

/// The numbers of threads that this build can run.
inline std::vector<std::size_t> thread_counts() {
#ifdef __EMSCRIPTEN__
  return {1};
#else
  return {1, 2, 3};
#endif
}

}  // namespace vitrine::golden
