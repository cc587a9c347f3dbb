// Tests of kernels/matmul.hpp: against the double twin, against the declared order to the bit, and the property that
// a row's result does not depend on its neighbours.
#include "kernels/matmul.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/matmul.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kRounding;
using test::other_bits;
using test::random_floats;
using test::widen;

/// A weight w [outputs, inner] packed for this machine.
template <class Arch>
std::vector<float> packed_weight(const std::vector<float>& w, size_t outputs, size_t inner) {
  Guarded packed(packed_size<Arch>(outputs, inner));
  pack<Arch>(w.data(), outputs, inner, inner, 1, packed.data(), 0, panel_count<Arch>(outputs));
  CHECK(packed.margins_intact());
  return packed.values();
}

/// a [rows, inner] times w [outputs, inner]^T, all panels at once.
template <class Arch>
std::vector<float> product(const std::vector<float>& a, const std::vector<float>& w, size_t rows, size_t inner,
                           size_t outputs) {
  const std::vector<float> packed = packed_weight<Arch>(w, outputs, inner);
  Guarded c(rows * outputs, (rows + outputs) % 4);
  matmul<Arch>({a.data(), inner, 1}, packed.data(), c.data(), outputs, rows, inner, outputs, 0,
               panel_count<Arch>(outputs), false);
  CHECK(c.margins_intact());
  return c.values();
}

TEST_CASE_TEMPLATE("matmul follows the declared order to the bit for any rows, outputs and depth", Arch,
                   VITRINE_MACHINES) {
  const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 24, 25, 31, 49};
  for (const size_t rows : sizes) {
    for (const size_t outputs : sizes) {
      for (const size_t inner : {size_t{0}, size_t{1}, size_t{2}, size_t{19}}) {
        const std::vector<float> a = random_floats(rows * inner, 1), w = random_floats(outputs * inner, 2);
        std::vector<float> expected(rows * outputs);
        reference::matmul(a.data(), w.data(), expected.data(), rows, inner, outputs, false);  // float: the same order
        CAPTURE(rows);
        CAPTURE(outputs);
        CAPTURE(inner);
        REQUIRE(other_bits(product<Arch>(a, w, rows, inner, outputs), expected) == "");
      }
    }
  }
}

TEST_CASE_TEMPLATE("a cut of the inner index into blocks changes no bit", Arch, VITRINE_MACHINES) {
  const size_t inner = 6500, outputs = 35;  // 6500: two blocks even for one row, 26 for many
  for (const size_t rows : {size_t{1}, size_t{2}, size_t{6}, size_t{26}}) {
    const std::vector<float> a = random_floats(rows * inner, 3), w = random_floats(outputs * inner, 4);
    std::vector<float> expected(rows * outputs);
    reference::matmul(a.data(), w.data(), expected.data(), rows, inner, outputs, false);
    CHECK(other_bits(product<Arch>(a, w, rows, inner, outputs), expected) == "");
  }
}

TEST_CASE_TEMPLATE("matmul is as near to its double twin as its number of additions allows", Arch, VITRINE_MACHINES) {
  const size_t rows = 7, inner = 300, outputs = 40;
  const std::vector<float> a = random_floats(rows * inner, 5), w = random_floats(outputs * inner, 6);
  std::vector<double> expected(rows * outputs), magnitude(rows * outputs);
  std::vector<double> wide_a = widen(a), wide_w = widen(w);
  reference::matmul(wide_a.data(), wide_w.data(), expected.data(), rows, inner, outputs, false);
  for (double& x : wide_a) x = std::fabs(x);
  for (double& x : wide_w) x = std::fabs(x);
  reference::matmul(wide_a.data(), wide_w.data(), magnitude.data(), rows, inner, outputs, false);
  for (double& x : magnitude) x *= kRounding * (static_cast<double>(inner) + 8);
  CHECK(test::beyond(product<Arch>(a, w, rows, inner, outputs), expected, magnitude) == "");
}

TEST_CASE_TEMPLATE("the product of N rows is N products of one row, bit for bit", Arch, VITRINE_MACHINES) {
  const size_t inner = 50, outputs = 75;
  const std::vector<float> w = random_floats(outputs * inner, 7), all = random_floats(20 * inner, 8);
  for (size_t rows = 1; rows <= 20; ++rows) {
    const std::vector<float> a(all.begin(), all.begin() + std::ptrdiff_t(rows * inner));
    const std::vector<float> together = product<Arch>(a, w, rows, inner, outputs);
    std::vector<float> alone;
    for (size_t row = 0; row < rows; ++row) {
      const std::vector<float> one(a.begin() + std::ptrdiff_t(row * inner),
                                   a.begin() + std::ptrdiff_t((row + 1) * inner));
      const std::vector<float> result = product<Arch>(one, w, 1, inner, outputs);
      alone.insert(alone.end(), result.begin(), result.end());
    }
    CAPTURE(rows);
    REQUIRE(other_bits(together, alone) == "");
  }
}

TEST_CASE_TEMPLATE("a NaN in one row stays in that row", Arch, VITRINE_MACHINES) {
  const size_t inner = 9, outputs = 21;
  const std::vector<float> w = random_floats(outputs * inner, 9);
  for (size_t rows = 1; rows <= 8; ++rows) {
    const std::vector<float> clean = random_floats(rows * inner, 10);
    std::vector<float> expected = product<Arch>(clean, w, rows, inner, outputs);
    for (size_t bad = 0; bad < rows; ++bad) {
      std::vector<float> a = clean, wanted = expected;
      a[bad * inner + 4] = std::nanf("");
      for (size_t j = 0; j < outputs; ++j) wanted[bad * outputs + j] = std::nanf("");
      REQUIRE(other_bits(product<Arch>(a, w, rows, inner, outputs), wanted) == "");
    }
  }
}

TEST_CASE_TEMPLATE("panels may be computed in pieces, in any order, with strided rows, accumulating or not", Arch,
                   VITRINE_MACHINES) {
  const size_t rows = 5, inner = 30, outputs = 6 * kPanelWidth<Arch> + 3, stride = outputs + 9;
  const size_t panels = panel_count<Arch>(outputs);
  const std::vector<float> a = random_floats(rows * inner, 11), w = random_floats(outputs * inner, 12);
  const std::vector<float> packed = packed_weight<Arch>(w, outputs, inner), start = random_floats(rows * stride, 13);
  for (const bool accumulate : {false, true}) {
    std::vector<float> expected = start;
    for (size_t i = 0; i < rows; ++i) {
      std::vector<float> row(start.begin() + std::ptrdiff_t(i * stride),
                             start.begin() + std::ptrdiff_t(i * stride + outputs));
      reference::matmul(a.data() + i * inner, w.data(), row.data(), 1, inner, outputs, accumulate);
      for (size_t j = 0; j < outputs; ++j) expected[i * stride + j] = row[j];
    }
    for (size_t cut = 0; cut <= panels; ++cut) {
      Guarded c(start, cut % 4);
      const auto run = [&](size_t begin, size_t end) {
        matmul<Arch>({a.data(), inner, 1}, packed.data(), c.data(), stride, rows, inner, outputs, begin, end,
                     accumulate);
      };
      run(cut, panels);
      run(0, cut);
      CAPTURE(cut);
      REQUIRE(other_bits(c.values(), expected) == "");
      REQUIRE(c.margins_intact());
    }
  }
}

TEST_CASE_TEMPLATE("accumulating over no inner index leaves the output as it was", Arch, VITRINE_MACHINES) {
  const std::vector<float> start = random_floats(12, 14);
  Guarded c(start, 1);
  matmul<Arch>({nullptr, 0, 1}, nullptr, c.data(), 4, 3, 0, 4, 0, panel_count<Arch>(4), true);
  CHECK(other_bits(c.values(), start) == "");
}

TEST_CASE_TEMPLATE("the gradients of input and weight are the same product of other views", Arch, VITRINE_MACHINES) {
  // y = x w^T: d_x [N, K] = d_y w, d_w [M, K] = d_y^T x, with 17 < 8 panels < outputs in places.
  for (const size_t K : {size_t{5}, size_t{17}, 8 * kPanelWidth<Arch> + 5}) {
    const size_t N = 29, M = 11;
    const std::vector<float> x = random_floats(N * K, 15), w = random_floats(M * K, 16), d_y = random_floats(N * M, 17);
    std::vector<float> w_transposed(K * M), x_transposed(K * N), d_y_transposed(M * N), d_x(N * K), d_w(M * K, 0.5f);
    for (size_t m = 0; m < M; ++m) {
      for (size_t k = 0; k < K; ++k) w_transposed[k * M + m] = w[m * K + k];
    }
    for (size_t n = 0; n < N; ++n) {
      for (size_t k = 0; k < K; ++k) x_transposed[k * N + n] = x[n * K + k];
      for (size_t m = 0; m < M; ++m) d_y_transposed[m * N + n] = d_y[n * M + m];
    }
    reference::matmul(d_y.data(), w_transposed.data(), d_x.data(), N, M, K, false);
    reference::matmul(d_y_transposed.data(), x_transposed.data(), d_w.data(), M, N, K, true);

    Guarded packed_w(packed_size<Arch>(K, M), 1), packed_x(packed_size<Arch>(K, N), 2), c(N * K, 3);
    const size_t panels = panel_count<Arch>(K);
    pack<Arch>(w.data(), K, M, 1, K, packed_w.data(), 0, panels);
    matmul<Arch>({d_y.data(), M, 1}, packed_w.data(), c.data(), K, N, M, K, 0, panels, false);
    CHECK(other_bits(c.values(), d_x) == "");
    CHECK(packed_w.margins_intact());

    Guarded gradient(std::vector<float>(M * K, 0.5f), 1);
    for (size_t p = 0; p < panels; ++p) pack<Arch>(x.data(), K, N, 1, K, packed_x.data(), p, p + 1);
    const std::vector<float> one_by_one = packed_x.values();
    pack<Arch>(x.data(), K, N, 1, K, packed_x.data(), 0, panels);
    CHECK(other_bits(packed_x.values(), one_by_one) == "");
    matmul<Arch>({d_y.data(), 1, M}, packed_x.data(), gradient.data(), K, M, N, K, 0, panels, true);
    CHECK(other_bits(gradient.values(), d_w) == "");
    CHECK(gradient.margins_intact());
  }
}

}  // namespace
}  // namespace vitrine::kernels
