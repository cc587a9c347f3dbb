// Pearson's chi-square test: how probable counts at least as far from a distribution as these are, if they were drawn
// from it. It draws nothing itself.
//
// The threshold. A right sampler falls below kSignificance once in a million seeds, and the seeds of the tests are
// fixed: a test that passes once passes always, so the threshold has to rule out bad luck at the first run alone. What
// a wrong sampler with distribution q does is known, too: after n draws the statistic has mean k + n w and variance
// 2 k + 4 n w, where w = sum (q - p)^2 / p and k are the degrees of freedom. At k = 11 the threshold is 48.9; 40,000
// draws pass it for w above 0.0043, five standard deviations included. Tests run wrong samplers and see them fail.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace vitrine::test {

inline constexpr double kSignificance = 1e-6;

/// The regularised upper incomplete gamma function Q(a, x), a > 0, x >= 0: by the series of P below a + 1, by the
/// continued fraction of Q above (Abramowitz and Stegun 6.5.29 and 6.5.31).
inline double upper_gamma(double a, double x) {
  if (x <= 0) return 1;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-16; ++n) sum += term *= x / n;
    return 1 - scale * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;
  for (int i = 1; i < 10000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    fraction *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return scale * fraction;
}

/// The probability of such counts [V] or worse under p [V]; 0 if something of probability 0 was counted. Cells that
/// expect fewer than 5 are one cell (Cochran's rule), so that the approximation by the chi-square distribution holds.
inline double chi_square_p_value(const std::vector<std::size_t>& counts, const std::vector<double>& p) {
  const auto draws = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  double statistic = 0, cells = 0, rare_expected = 0, rare_count = 0;
  const auto add_cell = [&](double expected, double count) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    if (p[i] == 0 && count > 0) return 0;
    if (p[i] * draws >= 5) {
      add_cell(p[i] * draws, count);
    } else {
      rare_expected += p[i] * draws;
      rare_count += count;
    }
  }
  if (rare_expected > 0) add_cell(rare_expected, rare_count);
  return cells < 2 ? 1 : upper_gamma((cells - 1) / 2, statistic / 2);
}

inline bool plausible(const std::vector<std::size_t>& counts, const std::vector<double>& p) {
  return chi_square_p_value(counts, p) > kSignificance;
}

}  // namespace vitrine::test
