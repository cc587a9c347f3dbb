// Tests of kernels/tile.hpp: every number of rows and columns gives the plain loop's bits, whatever the tile's shape.
#include "kernels/tile.hpp"

#include "kernels/kernel_testing.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::other_bits;
using test::random_floats;

/// c += a b in the declared order: k from 0 up, product rounded, then sum rounded. a [rows, inner], b [inner, columns].
std::vector<float> plain_product(const std::vector<float>& a, const std::vector<float>& b, std::vector<float> c,
                                 size_t rows, size_t inner, size_t columns) {
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t k = 0; k < inner; ++k) {
        const float product = a[i * inner + k] * b[k * columns + j];
        c[i * columns + j] = c[i * columns + j] + product;
      }
    }
  }
  return c;
}

TEST_CASE_TEMPLATE("add_product gives the plain loop's bits for any rows, columns and depth", Arch, VITRINE_MACHINES) {
  for (const size_t inner : {size_t{0}, size_t{1}, size_t{9}, size_t{1100}}) {  // 1100: more than one piece of k
    for (size_t rows = 0; rows <= (inner > 100 ? 7 : 14); ++rows) {
      for (size_t columns = 0; columns <= (inner > 100 ? 20 : 70); columns += inner > 100 ? 5 : 1) {
        const std::vector<float> a = random_floats(rows * inner, 1), b = random_floats(inner * columns, 2),
                                 start = random_floats(rows * columns, 3);
        Guarded c(start, columns % 4);
        detail::add_product<Arch>({a.data(), inner, 1}, b.data(), columns, c.data(), columns, rows, inner, columns);
        CAPTURE(rows);
        CAPTURE(columns);
        CAPTURE(inner);
        REQUIRE(other_bits(c.values(), plain_product(a, b, start, rows, inner, columns)) == "");
        REQUIRE(c.margins_intact());
      }
    }
  }
}

TEST_CASE_TEMPLATE("a transposed left operand and strided rows give the same bits", Arch, VITRINE_MACHINES) {
  const size_t rows = 11, inner = 13, columns = 21, b_stride = 30, c_stride = 25;
  const std::vector<float> a = random_floats(rows * inner, 4), b = random_floats(inner * columns, 5);
  std::vector<float> transposed(rows * inner), strided(inner * b_stride, std::nanf("")), c(rows * c_stride, 7.0f);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) transposed[k * rows + i] = a[i * inner + k];
  }
  for (size_t k = 0; k < inner; ++k) {
    for (size_t j = 0; j < columns; ++j) strided[k * b_stride + j] = b[k * columns + j];
  }
  std::vector<float> expected(rows * c_stride, 7.0f);
  const std::vector<float> product =
      plain_product(a, b, std::vector<float>(rows * columns, 7.0f), rows, inner, columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) expected[i * c_stride + j] = product[i * columns + j];
  }
  detail::add_product<Arch>({transposed.data(), 1, rows}, strided.data(), b_stride, c.data(), c_stride, rows, inner,
                            columns);
  CHECK(other_bits(c, expected) == "");
}

TEST_CASE_TEMPLATE("pack_left writes each tile whole, for every way in which a matrix can lie", Arch,
                   VITRINE_MACHINES) {
  const size_t inner = 19;
  for (size_t rows = 1; rows <= 24; ++rows) {
    const size_t height = detail::tile_height<Arch>(rows);
    REQUIRE(height <= detail::kTileRows<Arch>);
    std::vector<float> by_row(rows * inner), by_column(rows * inner);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t k = 0; k < inner; ++k) {
        by_row[i * inner + k] = static_cast<float>(100 * i + k);
        by_column[k * rows + i] = static_cast<float>(100 * i + k);
      }
    }
    const size_t room = rows * inner + detail::kLeftMargin;
    Guarded first(room), second(room);
    detail::pack_left<Arch>({by_row.data(), inner, 1}, 0, rows, height, 0, inner, first.data());
    detail::pack_left<Arch>({by_column.data(), 1, rows}, 0, rows, height, 0, inner, second.data());
    std::vector<float> spread(2 * rows * inner, std::nanf(""));
    for (size_t i = 0; i < rows * inner; ++i) spread[2 * i] = by_row[i];
    Guarded third(room);
    detail::pack_left<Arch>({spread.data(), 2 * inner, 2}, 0, rows, height, 0, inner, third.data());
    size_t at = 0;
    std::vector<float> expected(rows * inner);
    for (size_t row = 0; row < rows; row += height) {
      for (size_t k = 0; k < inner; ++k) {
        for (size_t r = row; r < row + height && r < rows; ++r) expected[at++] = static_cast<float>(100 * r + k);
      }
    }
    REQUIRE(other_bits({first.data(), first.data() + rows * inner}, expected) == "");
    REQUIRE(other_bits({second.data(), second.data() + rows * inner}, expected) == "");
    REQUIRE(other_bits({third.data(), third.data() + rows * inner}, expected) == "");
    REQUIRE(first.margins_intact());
    REQUIRE(second.margins_intact());
  }
}

}  // namespace
}  // namespace vitrine::kernels
