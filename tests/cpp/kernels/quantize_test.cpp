// Tests of kernels/quantize.hpp against its double twin: values, strides, margins, ties, and rows that have no scale.
#include "kernels/quantize.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/quantize.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kLongest;
using test::random_floats;
using test::widen;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST_CASE("a row keeps every number to half a scale, and agrees with the double twin, at every length and stride") {
  for (size_t n = 0; n <= kLongest; ++n) {
    for (const size_t stride : {size_t{1}, size_t{16}}) {
      const std::vector<float> x = random_floats(n, 1 + n, -7.0, 7.0);
      std::vector<std::int8_t> q(n * stride + 1, -128);
      const float scale = quantize_row(x.data(), n, q.data(), stride);
      std::vector<double> expected(n);
      const double wide_scale = reference::quantize_row(widen(x).data(), n, expected.data());
      CAPTURE(n);
      CHECK(std::fabs(static_cast<double>(scale) - wide_scale) <= test::kRounding * wide_scale);
      std::vector<std::int8_t> row(n);
      Guarded value(n, n % 4);
      for (size_t i = 0; i < n * stride + 1; ++i) {
        if (i % stride == 0 && i < n * stride) {
          row[i / stride] = q[i];
        } else {
          CHECK(q[i] == -128);  // between and behind: untouched
        }
      }
      dequantize_row(row.data(), scale, value.data(), n);
      for (size_t i = 0; i < n; ++i) {
        CHECK(static_cast<double>(row[i]) == expected[i]);  // no quotient of these rows lies on a tie
        // Half a scale, the roundings of scale, quotient and product: 3 of at most 127 scales.
        const double error = std::fabs(static_cast<double>(value.data()[i]) - static_cast<double>(x[i]));
        CHECK(error <= wide_scale * (0.5 + 3 * 127 * test::kRounding));
      }
      CHECK(value.margins_intact());
    }
  }
}

TEST_CASE("ties go to the even number, and the largest magnitude to 127") {
  const std::vector<float> x = {127.0f, -127.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f, 0.49f};
  std::vector<std::int8_t> q(x.size());
  CHECK(quantize_row(x.data(), x.size(), q.data(), 1) == 1.0f);
  CHECK(q == std::vector<std::int8_t>{127, -127, 0, 2, 2, 0, -2, -2, 126, 0});
}

TEST_CASE("a row without a scale reads back as zeros, and one that is not finite as NaN throughout") {
  std::vector<std::int8_t> q(3);
  std::vector<float> out(3);
  const auto through = [&](const std::vector<float>& x) {
    q.assign(3, 99);
    out.assign(3, 99.0f);
    const float scale = quantize_row(x.data(), 3, q.data(), 1);
    dequantize_row(q.data(), scale, out.data(), 3);
    return scale;
  };
  for (const float tiny : {0.0f, -0.0f, 0x1.0p-149f, 63 * 0x1.0p-149f}) {
    CHECK(through({tiny, -tiny, 0.0f}) == 0.0f);
    CHECK(out == std::vector<float>(3, 0.0f));
  }
  // The scale is rounded to the smallest subnormal: the quotient would be 190.
  CHECK(through({190 * 0x1.0p-149f, 0.0f, -190 * 0x1.0p-149f}) == 0x1.0p-149f);
  CHECK(q == std::vector<std::int8_t>{127, 0, -127});
  CHECK(through({0x1.0p127f, 1.0f, 0.0f}) == 0x1.0p127f / 127.0f);
  CHECK(std::isfinite(out[0]));
  for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
    CHECK(std::isnan(through({1.0f, bad, 2.0f})));
    for (const float value : out) CHECK(std::isnan(value));
  }
}

TEST_CASE("a block of keys is widened position by position, as rows are") {
  for (const size_t D : {size_t{1}, size_t{6}, size_t{33}}) {
    std::vector<std::int8_t> block(kKeyBlock * D, 0);
    std::vector<float> scales(kKeyBlock), row(D);
    for (size_t p = 0; p < kKeyBlock; ++p) {
      scales[p] = quantize_row(random_floats(D, 50 + p).data(), D, block.data() + p, kKeyBlock);
    }
    Guarded out(kKeyBlock * D);
    dequantize_key_block(block.data(), scales.data(), out.data(), D);
    for (size_t p = 0; p < kKeyBlock; ++p) {
      std::vector<std::int8_t> q(D);
      for (size_t d = 0; d < D; ++d) q[d] = block[d * kKeyBlock + p];
      dequantize_row(q.data(), scales[p], row.data(), D);
      for (size_t d = 0; d < D; ++d) CHECK(out.data()[d * kKeyBlock + p] == row[d]);
    }
    CHECK(out.margins_intact());
  }
}

}  // namespace
}  // namespace vitrine::kernels
