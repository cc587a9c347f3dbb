// What the kernels would be without the contract: sums over as many accumulators as the machine likes, added up in any
// order. Only bench_cost_free is compiled with it, before every other line, with fused multiply-adds allowed; nothing
// that ships and no test is.
//
// Explicit specialisations of the kernels whose order the contract fixes at a price: reductions of one row, softmax,
// and the tiles too small to keep the adders busy. Larger tiles keep their source: lanes over outputs are how a matrix
// product without the contract is written too, and a compiler that may fuses its multiply-adds.
#pragma once

#include "kernels/attention.hpp"
#include "kernels/matmul.hpp"
#include "kernels/norm.hpp"

namespace vitrine::kernels {
namespace free_order {

using V = Vec<>;
inline constexpr size_t kWidth = kLanes<>;
inline constexpr size_t kChains = 8;  // sums that do not wait for each other

/// Sum over i of function(inputs[i]...), in eight vectors.
template <class Function, class... Inputs>
inline float sum_of(Function function, size_t n, const Inputs*... inputs) noexcept {
  V sums[kChains];
  for (V& sum : sums) sum = V(0.0f);
  size_t i = 0;
  for (; i + kChains * kWidth <= n; i += kChains * kWidth) {
    for (size_t c = 0; c < kChains; ++c) {
      sums[c] = function(sums[c], load<DefaultArch>(inputs + i + c * kWidth)...);
    }
  }
  for (; i + kWidth <= n; i += kWidth) sums[0] = function(sums[0], load<DefaultArch>(inputs + i)...);
  if (i < n) sums[1] = function(sums[1], load_partial<DefaultArch>(inputs + i, n - i)...);
  for (size_t half = kChains / 2; half > 0; half /= 2) {
    for (size_t c = 0; c < half; ++c) sums[c] += sums[c + half];
  }
  return xsimd::reduce_add(sums[0]);
}

/// A tile of few sums takes k in several strands and adds these up in the end.
template <size_t Rows, size_t Panels, size_t Vectors>
inline void tile(const float* a, size_t inner, const float* b, size_t b_stride, size_t panel_stride, float* const* c,
                 bool accumulate) noexcept {
  constexpr size_t kColumns = Panels * Vectors;
  constexpr size_t kStrands = kChains / (Rows * kColumns) < 2 ? 2 : kChains / (Rows * kColumns);
  V sums[kStrands][Rows][kColumns];
  for (auto& strand : sums) {
    for (auto& row : strand) {
      for (V& sum : row) sum = V(0.0f);
    }
  }
  const auto step = [&](size_t strand, size_t k) {
    for (size_t p = 0; p < Panels; ++p) {
      for (size_t v = 0; v < Vectors; ++v) {
        const V right = load<DefaultArch>(b + k * b_stride + p * panel_stride + v * kWidth);
        for (size_t r = 0; r < Rows; ++r) {
          V& sum = sums[strand][r][p * Vectors + v];
          sum = sum + V(a[k * Rows + r]) * right;
        }
      }
    }
  };
  size_t k = 0;
  for (; k + kStrands <= inner; k += kStrands) {
    for (size_t strand = 0; strand < kStrands; ++strand) step(strand, k + strand);
  }
  for (; k < inner; ++k) step(0, k);
  for (size_t r = 0; r < Rows; ++r) {
    for (size_t j = 0; j < kColumns; ++j) {
      V sum = sums[0][r][j];
      for (size_t strand = 1; strand < kStrands; ++strand) sum += sums[strand][r][j];
      if (accumulate) sum += load<DefaultArch>(c[r] + j * kWidth);
      store<DefaultArch>(c[r] + j * kWidth, sum);
    }
  }
}

}  // namespace free_order

template <>
inline float sum_of_squares<DefaultArch>(const float* x, size_t n) noexcept {
  return free_order::sum_of([](auto sum, auto value) { return sum + value * value; }, n, x);
}

template <>
inline float dot<DefaultArch>(const float* a, const float* b, size_t n) noexcept {
  return free_order::sum_of([](auto sum, auto x, auto y) { return sum + x * y; }, n, a, b);
}

/// Also multiplies by the reciprocal of the total, where the contract divides.
template <>
inline void softmax<DefaultArch>(const float* x, float* out, size_t n) noexcept {
  const Vec<> shift(max<DefaultArch>(x, n));
  detail::map<DefaultArch>([shift](auto value) { return exp<DefaultArch>(value - shift); }, out, n, x);
  const Vec<> factor(1.0f / free_order::sum_of([](auto sum, auto value) { return sum + value; }, n, out));
  detail::map<DefaultArch>([factor](auto value) { return value * factor; }, out, n, out);
}

namespace detail {

template <>
inline void tile<DefaultArch, 1, 1, 1>(const float* a, size_t inner, const float* b, size_t b_stride, size_t stride,
                                       float* const* c, bool accumulate) noexcept {
  free_order::tile<1, 1, 1>(a, inner, b, b_stride, stride, c, accumulate);
}

template <>
inline void tile<DefaultArch, 1, 1, 2>(const float* a, size_t inner, const float* b, size_t b_stride, size_t stride,
                                       float* const* c, bool accumulate) noexcept {
  free_order::tile<1, 1, 2>(a, inner, b, b_stride, stride, c, accumulate);
}

template <>
inline void tile<DefaultArch, 2, 1, 1>(const float* a, size_t inner, const float* b, size_t b_stride, size_t stride,
                                       float* const* c, bool accumulate) noexcept {
  free_order::tile<2, 1, 1>(a, inner, b, b_stride, stride, c, accumulate);
}

template <>
inline void tile<DefaultArch, 2, 1, 2>(const float* a, size_t inner, const float* b, size_t b_stride, size_t stride,
                                       float* const* c, bool accumulate) noexcept {
  free_order::tile<2, 1, 2>(a, inner, b, b_stride, stride, c, accumulate);
}

}  // namespace detail
}  // namespace vitrine::kernels
