// The matrix product: one core for a linear layer's output, the gradient of its input and that of its weight.
// The right operand is packed in panels beforehand; threads share the work by panels, never by the inner index.
//
//   c[i, j] = (accumulate ? c[i, j] : 0) + sum_k a(i, k) * b(k, j),  k from 0 up, product rounded, then sum rounded
//
// One row (decode) streams the panels once; many rows (prefill, training) reuse each panel from the cache for a block
// of rows. Both are the same tile in the same order (tile.hpp), so they give the same bits.
#pragma once

#include "kernels/tile.hpp"

namespace vitrine::kernels {

/// Outputs (columns of c) in one panel: two vectors.
template <class Arch = DefaultArch>
inline constexpr size_t kPanelWidth = 2 * kLanes<Arch>;

/// Panels of a right operand with this many outputs.
template <class Arch = DefaultArch>
constexpr size_t panel_count(size_t outputs) noexcept {
  return (outputs + kPanelWidth<Arch> - 1) / kPanelWidth<Arch>;
}

/// Floats that the packed right operand takes: [panel_count, inner, kPanelWidth].
template <class Arch = DefaultArch>
constexpr size_t packed_size(size_t outputs, size_t inner) noexcept {
  return panel_count<Arch>(outputs) * inner * kPanelWidth<Arch>;
}

/// Packs panels [panel_begin, panel_end) of b(k, j) = b[j * output_stride + k * inner_stride], j < outputs, k < inner,
/// into packed [panel_count, inner, kPanelWidth]; columns beyond `outputs` become zero. A weight W [outputs, inner] in
/// row order has output_stride = inner and inner_stride = 1.
template <class Arch = DefaultArch>
void pack(const float* b, size_t outputs, size_t inner, size_t output_stride, size_t inner_stride, float* packed,
          size_t panel_begin, size_t panel_end) noexcept {
  constexpr size_t kWidth = kPanelWidth<Arch>;
  for (size_t p = panel_begin; p < panel_end; ++p) {
    const size_t first = p * kWidth;
    const size_t columns = outputs - first < kWidth ? outputs - first : kWidth;
    float* panel = packed + p * inner * kWidth;
    for (size_t k = 0; k < inner; ++k) {
      const float* from = b + first * output_stride + k * inner_stride;
      for (size_t j = 0; j < columns; ++j) panel[k * kWidth + j] = from[j * output_stride];
      for (size_t j = columns; j < kWidth; ++j) panel[k * kWidth + j] = 0.0f;
    }
  }
}

namespace detail {

/// Panels that a single row runs through at once, for enough independent sums.
inline constexpr size_t kPanelsOfOneRow = 4;
/// Rows whose packed left operand stays in the cache while the panels pass by; a multiple of every kTileRows.
inline constexpr size_t kRowBlock = 24;

/// A tile on a last panel of fewer than kPanelWidth columns, by way of a whole one beside it.
template <class Arch>
void tile_of_last_panel(size_t rows, const float* a, size_t inner, const float* panel, float* const* c, size_t columns,
                        bool accumulate) noexcept {
  constexpr size_t kWidth = kPanelWidth<Arch>;
  float whole[kTileRows<Arch> * kWidth];
  float* whole_rows[kTileRows<Arch>] = {};
  for (size_t r = 0; r < rows; ++r) {
    whole_rows[r] = whole + r * kWidth;
    for (size_t j = 0; j < kWidth; ++j) whole_rows[r][j] = accumulate && j < columns ? c[r][j] : 0.0f;
  }
  tile_of_rows<Arch, 1, 2>(rows, a, inner, panel, kWidth, 0, whole_rows, true);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < columns; ++j) c[r][j] = whole_rows[r][j];
  }
}

/// One packed block of rows [rows] x [depth] against panels [panel_begin, panel_end); `panels` points at the block's
/// first k in panel 0.
template <class Arch>
void row_block_times_panels(const float* left, size_t rows, size_t depth, const float* panels, size_t panel_stride,
                            float* c, size_t c_row_stride, size_t outputs, size_t panel_begin, size_t panel_end,
                            bool accumulate) noexcept {
  constexpr size_t kWidth = kPanelWidth<Arch>;
  constexpr size_t kRows = kTileRows<Arch>;
  float* c_rows[kRows] = {};
  size_t p = panel_begin;
  if (rows == 1) {
    for (; p + kPanelsOfOneRow <= panel_end && (p + kPanelsOfOneRow) * kWidth <= outputs; p += kPanelsOfOneRow) {
      c_rows[0] = c + p * kWidth;
      tile<Arch, 1, kPanelsOfOneRow, 2>(left, depth, panels + p * panel_stride, kWidth, panel_stride, c_rows,
                                        accumulate);
    }
  }
  for (; p < panel_end; ++p) {
    const float* panel = panels + p * panel_stride;
    const size_t columns = outputs - p * kWidth;
    for (size_t row = 0; row < rows; row += kRows) {
      const size_t count = rows - row < kRows ? rows - row : kRows;
      for (size_t r = 0; r < count; ++r) c_rows[r] = c + (row + r) * c_row_stride + p * kWidth;
      if (columns >= kWidth) {
        tile_of_rows<Arch, 1, 2>(count, left + row * depth, depth, panel, kWidth, 0, c_rows, accumulate);
      } else {
        tile_of_last_panel<Arch>(count, left + row * depth, depth, panel, c_rows, columns, accumulate);
      }
    }
  }
}

}  // namespace detail

/// The product of a [rows, inner] and a packed right operand [inner, outputs], for the columns of panels
/// [panel_begin, panel_end): c [rows, outputs], c_row_stride apart, is overwritten there or, with `accumulate`, added
/// to. No other column is touched.
template <class Arch = DefaultArch>
void matmul(LeftOperand a, const float* packed, float* c, size_t c_row_stride, size_t rows, size_t inner,
            size_t outputs, size_t panel_begin, size_t panel_end, bool accumulate) noexcept {
  constexpr size_t kRows = detail::kTileRows<Arch>;
  float left[detail::kLeftBlock];
  const size_t block_rows = rows < detail::kRowBlock ? rows : detail::kRowBlock;
  const size_t block_depth = rows == 0 ? 1 : detail::kLeftBlock / block_rows;
  size_t k = 0;
  do {  // once even for inner = 0, which makes zeros
    const size_t depth = inner - k < block_depth ? inner - k : block_depth;
    for (size_t row = 0; row < rows; row += block_rows) {
      const size_t count = rows - row < block_rows ? rows - row : block_rows;
      for (size_t r = 0; r < count; r += kRows) {
        detail::pack_left(a, row + r, count - r < kRows ? count - r : kRows, k, depth, left + r * depth);
      }
      detail::row_block_times_panels<Arch>(left, count, depth, packed + k * kPanelWidth<Arch>,
                                           inner * kPanelWidth<Arch>, c + row * c_row_stride, c_row_stride, outputs,
                                           panel_begin, panel_end, accumulate || k > 0);
    }
    k += depth;
  } while (k < inner);
}

}  // namespace vitrine::kernels
