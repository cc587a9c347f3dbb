// How far float32 arithmetic can be from the same in double, derived from its roundings: for comparisons of the two,
// of which everyone says where its tolerance comes from.
//   u = 2^-24 is the largest relative error of one rounding. n roundings in a row are off by at most a factor of
//   1 + gamma(n), gamma(n) = n u / (1 - n u)   (Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace vitrine {

inline constexpr double kHalfUlp = 5.9604644775390625e-08;  // u

/// n need not be whole: an error of x u for any x.
inline double gamma(double n) { return n * kHalfUlp / std::max(1e-3, 1 - n * kHalfUlp); }

/// How far a weight of softmax over n entries x, |x[i]| <= largest, may be off whose entries are off by `input_error`:
/// x - max errs by twice that and one rounding of at most 2 |x|; e^x by as much relatively, and 2 u of its own (below
/// one unit in the last place); the sum by n u more; the quotient by u. The weight itself is at most 1.
inline double softmax_tolerance(double largest, double input_error, std::size_t n) {
  const double exponent = 2 * input_error / kHalfUlp + 2 * largest;
  return gamma(2 * (exponent + 2) + static_cast<double>(n) + 1);
}

inline double max_difference(const std::vector<float>& found, const std::vector<double>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(found[i]) - expected[i]));
  }
  return largest;
}

}  // namespace vitrine
