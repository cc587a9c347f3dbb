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
  constexpr size_t kTogether = 8;  // panels that share the memory of one k, when outputs are neighbours
  size_t p = panel_begin;
  if (output_stride == 1) {
    for (; p + kTogether <= panel_end && (p + kTogether) * kWidth <= outputs; p += kTogether) {
      for (size_t k = 0; k < inner; ++k) {
        const float* from = b + p * kWidth + k * inner_stride;
        float* to = packed + (p * inner + k) * kWidth;
        for (size_t q = 0; q < kTogether; ++q, from += kWidth, to += inner * kWidth) {
          store<Arch>(to, load<Arch>(from));
          store<Arch>(to + kLanes<Arch>, load<Arch>(from + kLanes<Arch>));
        }
      }
    }
  }
  for (; p < panel_end; ++p) {
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

/// Rows whose packed left operand stays in the cache while the panels pass by.
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

/// A few rows run through several panels at once, for enough independent sums. Returns the first panel left over.
template <class Arch, size_t Rows, size_t Panels>
size_t few_rows_times_panels(const float* left, size_t depth, const float* panels, size_t panel_stride, float* c,
                             size_t c_row_stride, size_t outputs, size_t panel, size_t panel_end,
                             bool accumulate) noexcept {
  constexpr size_t kWidth = kPanelWidth<Arch>;
  float* c_rows[Rows];
  for (; panel + Panels <= panel_end && (panel + Panels) * kWidth <= outputs; panel += Panels) {
    for (size_t r = 0; r < Rows; ++r) c_rows[r] = c + r * c_row_stride + panel * kWidth;
    tile<Arch, Rows, Panels, 2>(left, depth, panels + panel * panel_stride, kWidth, panel_stride, c_rows, accumulate);
  }
  return panel;
}

/// A block of rows, packed by pack_left, times panels [panel, panel_end); `panels` points at the first k of panel 0.
template <class Arch>
void row_block_times_panels(const float* left, size_t rows, size_t depth, const float* panels, size_t panel_stride,
                            float* c, size_t c_row_stride, size_t outputs, size_t panel, size_t panel_end,
                            bool accumulate) noexcept {
  constexpr size_t kWidth = kPanelWidth<Arch>;
  if (rows == 1) {
    panel = few_rows_times_panels<Arch, 1, 4>(left, depth, panels, panel_stride, c, c_row_stride, outputs, panel,
                                              panel_end, accumulate);
  } else if (rows == 2) {
    panel = few_rows_times_panels<Arch, 2, 2>(left, depth, panels, panel_stride, c, c_row_stride, outputs, panel,
                                              panel_end, accumulate);
  }
  const size_t height = tile_height<Arch>(rows);
  float* c_rows[kTileRows<Arch>] = {};
  for (; panel < panel_end; ++panel) {
    const float* right = panels + panel * panel_stride;
    const size_t columns = outputs - panel * kWidth;
    for (size_t row = 0; row < rows; row += height) {
      const size_t count = rows - row < height ? rows - row : height;
      for (size_t r = 0; r < count; ++r) c_rows[r] = c + (row + r) * c_row_stride + panel * kWidth;
      if (columns >= kWidth) {
        tile_of_rows<Arch, 1, 2>(count, left + row * depth, depth, right, kWidth, 0, c_rows, accumulate);
      } else {
        tile_of_last_panel<Arch>(count, left + row * depth, depth, right, c_rows, columns, accumulate);
      }
    }
  }
}

/// c = 0 in the columns of panels [panel_begin, panel_end): the product over no k at all.
template <class Arch>
void clear_panels(float* c, size_t c_row_stride, size_t rows, size_t outputs, size_t panel_begin,
                  size_t panel_end) noexcept {
  const size_t end = panel_end * kPanelWidth<Arch> < outputs ? panel_end * kPanelWidth<Arch> : outputs;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t j = panel_begin * kPanelWidth<Arch>; j < end; ++j) c[row * c_row_stride + j] = 0.0f;
  }
}

}  // namespace detail

/// The product of a [rows, inner] and a packed right operand [inner, outputs], for the columns of panels
/// [panel_begin, panel_end): c [rows, outputs], c_row_stride apart, is overwritten there or, with `accumulate`, added
/// to. No other column is touched.
template <class Arch = DefaultArch>
void matmul(LeftOperand a, const float* packed, float* c, size_t c_row_stride, size_t rows, size_t inner,
            size_t outputs, size_t panel_begin, size_t panel_end, bool accumulate) noexcept {
  if (inner == 0 && !accumulate) {
    detail::clear_panels<Arch>(c, c_row_stride, rows, outputs, panel_begin, panel_end);
  }
  if (rows == 0 || inner == 0) return;
  float left[detail::kLeftBlock + detail::kLeftMargin];
  const size_t blocks = (rows + detail::kRowBlock - 1) / detail::kRowBlock;
  const size_t block_rows = (rows + blocks - 1) / blocks;
  const size_t block_depth = detail::kLeftBlock / block_rows;
  for (size_t k = 0; k < inner; k += block_depth) {
    const size_t depth = inner - k < block_depth ? inner - k : block_depth;
    for (size_t row = 0; row < rows; row += block_rows) {
      const size_t count = rows - row < block_rows ? rows - row : block_rows;
      detail::pack_left<Arch>(a, row, count, detail::tile_height<Arch>(count), k, depth, left);
      detail::row_block_times_panels<Arch>(left, count, depth, packed + k * kPanelWidth<Arch>,
                                           inner * kPanelWidth<Arch>, c + row * c_row_stride, c_row_stride, outputs,
                                           panel_begin, panel_end, accumulate || k > 0);
    }
  }
}

}  // namespace vitrine::kernels
