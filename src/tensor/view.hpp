// View: a non-owning, row-major array of static rank that knows its shape. It owns nothing and never strides.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "base/check.hpp"

namespace vitrine {

template <class T, std::size_t Rank>
class View {
  static_assert(Rank >= 1);

 public:
  using Shape = std::array<std::size_t, Rank>;

  constexpr View() = default;
  constexpr View(T* data, Shape shape) : data_(data), shape_(shape) {}

  /// A view of mutable elements is also a view of constant ones.
  template <class U>
  requires(std::is_same_v<const U, T>) constexpr View(const View<U, Rank>& other)
      : data_(other.data()), shape_(other.shape()) {}

  constexpr T* data() const { return data_; }
  constexpr const Shape& shape() const { return shape_; }
  constexpr std::size_t extent(std::size_t axis) const { return shape_[axis]; }
  constexpr std::size_t size() const {
    std::size_t count = 1;
    for (std::size_t extent : shape_) count *= extent;
    return count;
  }

  /// The distance in elements between neighbours along axis 0.
  constexpr std::size_t stride() const {
    std::size_t count = 1;
    for (std::size_t axis = 1; axis < Rank; ++axis) count *= shape_[axis];
    return count;
  }

  /// Entry `index` of axis 0: an element for rank 1, a view of lower rank otherwise.
  constexpr decltype(auto) operator[](std::size_t index) const {
    VITRINE_ASSERT(index < shape_[0]);
    if constexpr (Rank == 1) {
      return (data_[index]);
    } else {
      std::array<std::size_t, Rank - 1> inner{};
      for (std::size_t axis = 1; axis < Rank; ++axis) inner[axis - 1] = shape_[axis];
      return View<T, Rank - 1>(data_ + index * stride(), inner);
    }
  }

  /// Entries [begin, begin + count) of axis 0.
  constexpr View slice(std::size_t begin, std::size_t count) const {
    VITRINE_ASSERT(begin + count <= shape_[0]);
    Shape inner = shape_;
    inner[0] = count;
    return View(data_ + begin * stride(), inner);
  }

  template <class... Extents>
  constexpr bool has_shape(Extents... extents) const {
    static_assert(sizeof...(Extents) == Rank, "one extent an axis");
    return shape_ == Shape{static_cast<std::size_t>(extents)...};
  }

 private:
  T* data_ = nullptr;
  Shape shape_{};
};

}  // namespace vitrine

/// The brackets of a docstring as code: VITRINE_ASSERT_SHAPE(q, T, H, D). On in debug and test builds.
#define VITRINE_ASSERT_SHAPE(view, ...) VITRINE_ASSERT((view).has_shape(__VA_ARGS__))
