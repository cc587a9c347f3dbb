// Reductions of one array to one number, in an order that depends on each element's index alone.
// Rows of matrices and softmax build on these; matrix products do not (matmul.hpp has its own order).
//
// Order: element i goes to virtual accumulator i % 16, in rising i; then accumulators j and j + 8 are added, then
// j and j + 4, j + 2, j + 1. How many vectors hold the 16 accumulators is the machine's affair and changes no bit.
// A length that is no multiple of 16 is continued by zeros, which no sum notices.
#pragma once

#include <limits>

#include "kernels/simd.hpp"

namespace vitrine::kernels {

/// The 16 virtual accumulators, in kAccumulators / kLanes vectors.
template <class Arch>
struct Accumulators {
  static constexpr size_t kVectors = kAccumulators / kLanes<Arch>;
  Vec<Arch> vectors[kVectors];

  Accumulators() noexcept {
    for (auto& vector : vectors) vector = Vec<Arch>(0.0f);
  }

  /// The fixed tree.
  float total() const noexcept {
    alignas(64) float values[kAccumulators];
    for (size_t v = 0; v < kVectors; ++v) vectors[v].store_aligned(values + v * kLanes<Arch>);
    for (size_t half = kAccumulators / 2; half > 0; half /= 2) {
      for (size_t j = 0; j < half; ++j) values[j] += values[j + half];
    }
    return values[0];
  }
};

namespace detail {

/// Sum over i of function(inputs[i]...), where function of zeros must be zero.
template <class Arch, class Function, class... Inputs>
inline float sum_of(Function function, size_t n, const Inputs*... inputs) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  Accumulators<Arch> accumulators;
  size_t i = 0;
  for (; i + kAccumulators <= n; i += kAccumulators) {
    for (size_t v = 0; v < accumulators.kVectors; ++v) {
      accumulators.vectors[v] += function(load<Arch>(inputs + i + v * kWidth)...);
    }
  }
  for (size_t v = 0; i < n; ++v, i += kWidth) {
    accumulators.vectors[v] +=
        i + kWidth <= n ? function(load<Arch>(inputs + i)...) : function(load_partial<Arch>(inputs + i, n - i)...);
  }
  return accumulators.total();
}

}  // namespace detail

/// Sum of the squares of x [n]; 0 for n = 0.
template <class Arch = DefaultArch>
float sum_of_squares(const float* x, size_t n) noexcept {
  return detail::sum_of<Arch>([](auto value) { return value * value; }, n, x);
}

/// Sum of the products of a [n] and b [n].
template <class Arch = DefaultArch>
float dot(const float* a, const float* b, size_t n) noexcept {
  return detail::sum_of<Arch>([](auto x, auto y) { return x * y; }, n, a, b);
}

/// The largest of x [n], exact; NaN entries are passed over; -infinity where nothing is left. A zero result is +0.
template <class Arch = DefaultArch>
float max(const float* x, size_t n) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const auto larger = [](auto a, auto b) { return xsimd::select(a > b, a, b); };
  Vec<Arch> first(kLowest), second(kLowest);
  size_t i = 0;
  for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
    first = larger(load<Arch>(x + i), first);
    second = larger(load<Arch>(x + i + kWidth), second);
  }
  alignas(64) float lanes[kWidth];
  larger(first, second).store_aligned(lanes);
  float result = kLowest;
  for (const float lane : lanes) result = lane > result ? lane : result;
  for (const float* rest = x + i; rest != x + n; ++rest) result = *rest > result ? *rest : result;
  return result + 0.0f;
}

/// True when no entry of x [n] is NaN or infinite.
template <class Arch = DefaultArch>
bool all_finite(const float* x, size_t n) noexcept {
  // x - x is 0 for a finite x and NaN otherwise; NaN stays NaN in the sum.
  return detail::sum_of<Arch>([](auto value) { return value - value; }, n, x) == 0.0f;
}

/// The index of the largest of x [n], the lowest one on a tie; n ("none") for n = 0 or where any entry is NaN.
template <class Arch = DefaultArch>
size_t argmax(const float* x, size_t n) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  const float largest = max<Arch>(x, n);
  size_t found = n;
  size_t i = 0;
  xsimd::batch_bool<float, Arch> unordered(false);
  for (; i + kWidth <= n; i += kWidth) {
    const Vec<Arch> values = load<Arch>(x + i);
    unordered = unordered | (values != values);
    if (found == n && xsimd::any(values == Vec<Arch>(largest))) {
      for (found = i; x[found] != largest;) ++found;
    }
  }
  if (xsimd::any(unordered)) return n;
  for (; i < n; ++i) {
    if (x[i] != x[i]) return n;
    if (found == n && x[i] == largest) found = i;
  }
  return found;
}

}  // namespace vitrine::kernels
