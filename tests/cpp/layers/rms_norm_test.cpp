#include "layers/rms_norm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/random_floats.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kRows = 6, kWidth = 19;
constexpr double kEps = 1e-3;

/// sum(out * d_out) over every row: its derivatives are what the backward pass must give.
double weighted_output(const std::vector<double>& x, const std::vector<double>& gain, const std::vector<float>& d_out) {
  double total = 0;
  for (std::size_t n = 0; n < kRows; ++n) {
    double squares = 0;
    for (std::size_t i = 0; i < kWidth; ++i) squares += x[n * kWidth + i] * x[n * kWidth + i];
    const double r = 1 / std::sqrt(squares / kWidth + kEps);
    for (std::size_t i = 0; i < kWidth; ++i) total += gain[i] * x[n * kWidth + i] * r * double{d_out[n * kWidth + i]};
  }
  return total;
}

TEST_CASE("gradients of input and gain agree with finite differences, and accumulate") {
  const std::vector<float> x = test::random_floats(kRows * kWidth, 1), gain = test::random_floats(kWidth, 2);
  const std::vector<float> d_out = test::random_floats(kRows * kWidth, 3);
  std::vector<float> out(kRows * kWidth, test::kPoison), inv_rms(kRows, test::kPoison);
  const View<const float, 2> x_view(x.data(), {kRows, kWidth}), d_out_view(d_out.data(), {kRows, kWidth});
  const View<const float, 1> gain_view(gain.data(), {kWidth});
  ThreadPool pool;
  rms_norm_forward(x_view, gain_view, static_cast<float>(kEps), {out.data(), {kRows, kWidth}},
                   {inv_rms.data(), {kRows}});
  std::vector<float> d_x(kRows * kWidth, 0.25f), d_gain(kWidth, 0.25f);
  rms_norm_backward(x_view, gain_view, View<const float, 1>(inv_rms.data(), {kRows}), d_out_view,
                    {d_x.data(), {kRows, kWidth}}, {d_gain.data(), {kWidth}}, pool);

  std::vector<double> x_double(x.begin(), x.end()), gain_double(gain.begin(), gain.end());
  double expected_sum = 0, sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += double{out[i]} * double{d_out[i]};
  expected_sum = weighted_output(x_double, gain_double, d_out);
  CHECK(sum == doctest::Approx(expected_sum).epsilon(1e-5));
  const auto derivative = [&](std::vector<double>& values, std::size_t i) {
    const double before = values[i], h = 1e-6;
    values[i] = before + h;
    const double above = weighted_output(x_double, gain_double, d_out);
    values[i] = before - h;
    const double below = weighted_output(x_double, gain_double, d_out);
    values[i] = before;
    return (above - below) / (2 * h);
  };
  // Differences are good to 1e-9; a float sum of up to 19 terms of about 1 is good to 19 * 19 eps = 4e-5.
  for (std::size_t i = 0; i < d_x.size(); ++i) CHECK(std::abs(double{d_x[i]} - 0.25 - derivative(x_double, i)) < 5e-5);
  for (std::size_t i = 0; i < kWidth; ++i) {
    CHECK(std::abs(double{d_gain[i]} - 0.25 - derivative(gain_double, i)) < 5e-5);
  }
}

}  // namespace
}  // namespace vitrine
