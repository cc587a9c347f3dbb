// The register tile: a few rows times a few vectors of columns, the inner loop of every matrix product here.
// Blocking, packing and the meaning of the operands belong to matmul.hpp and attention.hpp.
//
//   c[r][j] = (accumulate ? c[r][j] : 0) + sum_k a[k, r] * b[k, j]
//
// Order: each c[r][j] is one lane of one accumulator that takes k from 0 up; every product is rounded, then every sum.
// So neither the shape of the tile nor a cut of k into pieces (store, reload, go on) changes a bit.
#pragma once

#include <type_traits>

#include "kernels/simd.hpp"

namespace vitrine::kernels {

/// A matrix that is read one number at a time: a(i, k) = data[i * row_stride + k * inner_stride]. Packing is fast
/// where one of the strides is 1.
struct LeftOperand {
  const float* data;
  size_t row_stride;
  size_t inner_stride;
};

namespace detail {

/// Rows of a tile, chosen so that Rows * 2 accumulators, two vectors of b and one of a fit the registers.
template <class Arch>
inline constexpr size_t kTileRows = kLanes<Arch> <= 4 ? 4 : 6;

/// Floats of the left operand that one call keeps on the stack (24 kB), and those that pack_left may touch behind it.
inline constexpr size_t kLeftBlock = 6144;
inline constexpr size_t kLeftMargin = 16;

/// Rows of each tile when `rows` are cut into as few tiles as possible, as even as possible (the last may be lower).
template <class Arch>
constexpr size_t tile_height(size_t rows) noexcept {
  const size_t tiles = (rows + kTileRows<Arch> - 1) / kTileRows<Arch>;
  return tiles == 0 ? 0 : (rows + tiles - 1) / tiles;
}

/// Calls function(std::integral_constant<size_t, rows>) for a number of rows, 1 .. Most, known only at run time.
template <size_t Most, class Function>
inline void with_rows(size_t rows, Function function) noexcept {
  if (rows == Most) {
    function(std::integral_constant<size_t, Most>{});
  } else if constexpr (Most > 1) {
    with_rows<Most - 1>(rows, function);
  }
}

/// Rows that begin at rows[0 .. Rows), their k inner_stride apart, to [inner, Rows]. Where the k are neighbours,
/// squares are turned in registers, and each turned row is stored whole: up to kLeftMargin floats behind are
/// overwritten.
template <class Arch, size_t Rows>
inline void pack_rows(const float* const* rows, size_t inner_stride, size_t inner, float* to) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  size_t k = 0;
  if constexpr (Rows > 1 && Rows <= kWidth && kWidth <= 8) {
    for (; inner_stride == 1 && k + kWidth <= inner; k += kWidth) {
      Vec<Arch> square[kWidth];
      for (size_t r = 0; r < kWidth; ++r) square[r] = r < Rows ? load<Arch>(rows[r] + k) : Vec<Arch>(0.0f);
      xsimd::transpose(square, square + kWidth);
      for (size_t j = 0; j < kWidth; ++j) store<Arch>(to + (k + j) * Rows, square[j]);
    }
  }
  for (; k < inner; ++k) {
    for (size_t r = 0; r < Rows; ++r) to[k * Rows + r] = rows[r][k * inner_stride];
  }
}

/// The same for a number of rows, 1 .. kTileRows, that is known only at run time.
template <class Arch>
inline void pack_rows(const float* const* rows, size_t count, size_t inner, float* to) noexcept {
  with_rows<kTileRows<Arch>>(count, [&](auto tile_rows) { pack_rows<Arch, tile_rows()>(rows, 1, inner, to); });
}

/// `tiles` tiles of neighbouring rows, one k after the other, so that each piece of memory is read once and whole.
template <size_t Rows>
inline void pack_columns(const float* from, size_t inner_stride, size_t inner, size_t tiles, float* to) noexcept {
  for (size_t k = 0; k < inner; ++k) {
    for (size_t t = 0; t < tiles; ++t) {
      for (size_t r = 0; r < Rows; ++r) to[(t * inner + k) * Rows + r] = from[k * inner_stride + t * Rows + r];
    }
  }
}

/// Copies rows [row, row + rows) and columns [inner_begin, inner_begin + inner) of a to tiles of `height` rows, one
/// after the other, each packed [inner, height] (the last [inner, what is left]).
template <class Arch>
inline void pack_left(const LeftOperand& a, size_t row, size_t rows, size_t height, size_t inner_begin, size_t inner,
                      float* packed) noexcept {
  const float* from = a.data + row * a.row_stride + inner_begin * a.inner_stride;
  const auto pack_tiles = [&](size_t first, size_t tiles, size_t rows_of_each) {
    float* to = packed + first * inner;
    with_rows<kTileRows<Arch>>(rows_of_each, [&](auto tile_rows) {
      constexpr size_t kRows = tile_rows();
      if (a.row_stride == 1) {
        pack_columns<kRows>(from + first, a.inner_stride, inner, tiles, to);
        return;
      }
      const float* pointers[kRows];
      for (size_t t = 0; t < tiles; ++t) {
        for (size_t r = 0; r < kRows; ++r) pointers[r] = from + (first + t * kRows + r) * a.row_stride;
        pack_rows<Arch, kRows>(pointers, a.inner_stride, inner, to + t * kRows * inner);
      }
    });
  };
  pack_tiles(0, rows / height, height);
  pack_tiles(rows / height * height, 1, rows % height);
}

/// One tile, inner > 0. a [inner, Rows]; b holds `Panels` pieces, panel_stride floats apart, each
/// [inner, Vectors * kLanes] with rows b_stride apart; row r of c starts at c[r] and receives
/// Panels * Vectors * kLanes columns.
template <class Arch, size_t Rows, size_t Panels, size_t Vectors>
inline void tile(const float* a, size_t inner, const float* b, size_t b_stride, size_t panel_stride, float* const* c,
                 bool accumulate) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  constexpr size_t kColumns = Panels * Vectors;
  Vec<Arch> sums[Rows][kColumns];
  if (accumulate) {
    for (size_t r = 0; r < Rows; ++r) {
      for (size_t j = 0; j < kColumns; ++j) sums[r][j] = load<Arch>(c[r] + j * kWidth);
    }
  } else {
    for (size_t r = 0; r < Rows; ++r) {
      for (size_t j = 0; j < kColumns; ++j) sums[r][j] = Vec<Arch>(0.0f);
    }
  }
  const float* const end = a + inner * Rows;
  do {
    Vec<Arch> right[kColumns];
    for (size_t p = 0; p < Panels; ++p) {
      for (size_t v = 0; v < Vectors; ++v) right[p * Vectors + v] = load<Arch>(b + p * panel_stride + v * kWidth);
    }
    for (size_t r = 0; r < Rows; ++r) {
      const Vec<Arch> left(a[r]);
      for (size_t j = 0; j < kColumns; ++j) sums[r][j] = sums[r][j] + left * right[j];
    }
    a += Rows;
    b += b_stride;
  } while (a != end);
  for (size_t r = 0; r < Rows; ++r) {
    for (size_t j = 0; j < kColumns; ++j) store<Arch>(c[r] + j * kWidth, sums[r][j]);
  }
}

/// tile() for a number of rows, 1 .. kTileRows, that is known only at run time.
template <class Arch, size_t Panels, size_t Vectors>
inline void tile_of_rows(size_t rows, const float* a, size_t inner, const float* b, size_t b_stride,
                         size_t panel_stride, float* const* c, bool accumulate) noexcept {
  with_rows<kTileRows<Arch>>(rows, [&](auto tile_rows) {
    tile<Arch, tile_rows(), Panels, Vectors>(a, inner, b, b_stride, panel_stride, c, accumulate);
  });
}

/// A tile of any number of columns over plain rows of b [inner, columns], b_stride apart. a [inner, rows],
/// rows <= kTileRows; reads and writes no column beyond `columns`.
template <class Arch>
inline void tile_of_columns(size_t rows, const float* a, size_t inner, const float* b, size_t b_stride, float* const* c,
                            size_t columns, bool accumulate) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  float* c_now[kTileRows<Arch>] = {};
  size_t j = 0;
  const auto run = [&]<size_t Vectors>(std::integral_constant<size_t, Vectors>) {
    for (; j + Vectors * kWidth <= columns; j += Vectors * kWidth) {
      for (size_t r = 0; r < rows; ++r) c_now[r] = c[r] + j;
      if constexpr (Vectors > 2) {
        tile<Arch, 1, 1, Vectors>(a, inner, b + j, b_stride, 0, c_now, accumulate);
      } else {
        tile_of_rows<Arch, 1, Vectors>(rows, a, inner, b + j, b_stride, 0, c_now, accumulate);
      }
    }
  };
  if (rows == 1) run(std::integral_constant<size_t, 8>{});
  run(std::integral_constant<size_t, 2>{});
  run(std::integral_constant<size_t, 1>{});
  for (; j < columns; ++j) {
    for (size_t r = 0; r < rows; ++r) {
      float sum = accumulate ? c[r][j] : 0.0f;
      for (size_t k = 0; k < inner; ++k) sum = sum + a[k * rows + r] * b[k * b_stride + j];
      c[r][j] = sum;
    }
  }
}

/// c += a * b for a right operand that is not packed: b [inner, columns] and c [rows, columns], strides in floats.
template <class Arch>
void add_product(const LeftOperand& a, const float* b, size_t b_stride, float* c, size_t c_stride, size_t rows,
                 size_t inner, size_t columns) noexcept {
  constexpr size_t kRows = kTileRows<Arch>;
  constexpr size_t kInner = kLeftBlock / kRows;
  float packed[kLeftBlock + kLeftMargin];
  float* c_rows[kRows] = {};
  for (size_t row = 0; row < rows; row += kRows) {
    const size_t count = rows - row < kRows ? rows - row : kRows;
    for (size_t r = 0; r < count; ++r) c_rows[r] = c + (row + r) * c_stride;
    for (size_t k = 0; k < inner; k += kInner) {
      const size_t depth = inner - k < kInner ? inner - k : kInner;
      pack_left<Arch>(a, row, count, count, k, depth, packed);
      tile_of_columns<Arch>(count, packed, depth, b + k * b_stride, b_stride, c_rows, columns, true);
    }
  }
}

}  // namespace detail
}  // namespace vitrine::kernels
