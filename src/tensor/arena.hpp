// Arena: one zeroed, 64-byte aligned block, counted in floats, that is handed out in pieces and freed at once.
// It never grows: its size is planned first, so nothing is allocated afterwards.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "base/check.hpp"
#include "tensor/view.hpp"

namespace vitrine {

class Arena {
 public:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kAlignedFloats = kAlignment / sizeof(float);

  /// `count` rounded up to whole cache lines: the space that take(count) uses.
  static constexpr std::size_t padded(std::size_t count) {
    return (count + kAlignedFloats - 1) / kAlignedFloats * kAlignedFloats;
  }

  Arena() = default;

  /// Room for `capacity` floats, all zero. Throws out_of_memory.
  explicit Arena(std::size_t capacity) : capacity_(padded(capacity)) {
    const std::size_t bytes = checked_size(checked_multiply(capacity_, sizeof(float), "arena"), "arena");
    if (bytes == 0) return;
    auto* memory = static_cast<float*>(::operator new[](bytes, std::align_val_t{kAlignment}, std::nothrow));
    VITRINE_CHECK(memory != nullptr, ErrorCode::out_of_memory, "arena: expected ", bytes, " bytes, found none free");
    data_.reset(memory);
    std::memset(memory, 0, bytes);
  }

  /// Floats in whose space `count` numbers of type T fit.
  template <class T>
  static constexpr std::size_t floats_of(std::size_t count) {
    return count / (sizeof(float) / sizeof(T)) + (count % (sizeof(float) / sizeof(T)) != 0 ? 1 : 0);
  }

  /// The next piece, aligned. Its size was part of the plan: running out is our own mistake.
  template <std::size_t Rank>
  View<float, Rank> take(std::array<std::size_t, Rank> shape) {
    return take_as<float, Rank>(shape);
  }

  /// The same for numbers of another type: the space of floats_of<T>() floats.
  template <class T, std::size_t Rank>
  View<T, Rank> take_as(std::array<std::size_t, Rank> shape) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(float));
    View<T, Rank> piece(reinterpret_cast<T*>(data_.get() + used_), shape);
    used_ += padded(floats_of<T>(piece.size()));
    if (used_ > capacity_) fail(ErrorCode::internal, str("arena: planned ", capacity_, " floats, used ", used_));
    return piece;
  }

  std::size_t capacity() const { return capacity_; }
  std::size_t used() const { return used_; }
  std::size_t bytes() const { return capacity_ * sizeof(float); }
  View<float, 1> all() const { return {data_.get(), {capacity_}}; }

 private:
  struct Free {
    void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<float, Free> data_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace vitrine
