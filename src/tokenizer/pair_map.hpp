// A hash table from a pair of tokens to a number: what BPE asks for at every step, in the encoder (pair to rank) and in
// the trainer (pair to its counter). Not a general map: entries are never removed, and nothing iterates over it, so no
// result can depend on its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/token_id.hpp"

namespace vitrine {

class PairMap {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  PairMap() : slots_(kMinimumSlots) {}

  /// The value of the pair, or kAbsent.
  std::uint32_t find(TokenId left, TokenId right) const { return slots_[slot_of(key_of(left, right))].value; }

  /// Gives the pair this value unless it has one; returns the value that it has now. `value` is not kAbsent.
  std::uint32_t insert(TokenId left, TokenId right, std::uint32_t value) {
    const std::uint64_t key = key_of(left, right);
    Slot& slot = slots_[slot_of(key)];
    if (slot.value != kAbsent) return slot.value;
    slot = {key, value};
    if (++size_ * 2 > slots_.size()) grow();
    return value;
  }

  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kMinimumSlots = 16;  // a power of two, as every size

  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kAbsent;
  };

  static std::uint64_t key_of(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  /// Linear probing from a multiplicative hash (Knuth, TAOCP 6.4), at most half full.
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = key * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    std::size_t index = static_cast<std::size_t>(hash) & mask;
    while (slots_[index].value != kAbsent && slots_[index].key != key) index = (index + 1) & mask;
    return index;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != kAbsent) slots_[slot_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace vitrine
