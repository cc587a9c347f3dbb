// The learning rate of each step: linear warm-up, then a cosine from the peak to the minimum (Loshchilov and Hutter
// 2017). It knows no optimiser.
#pragma once

#include <cstdint>

#include "kernels/scalar_math.hpp"

namespace vitrine {

struct Schedule {
  double peak = 1e-3;
  double minimum = 1e-4;
  std::uint64_t warmup_steps = 0;
  std::uint64_t total_steps = 1;

  /// The rate of step 0, 1, ... total_steps - 1; the minimum from there on.
  double at(std::uint64_t step) const {
    if (step < warmup_steps) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
    if (step >= total_steps) return minimum;
    constexpr double kPi = 3.14159265358979323846;
    const double progress = static_cast<double>(step - warmup_steps) / static_cast<double>(total_steps - warmup_steps);
    return minimum + 0.5 * (peak - minimum) * (1.0 + kernels::cos_double(kPi * progress));
  }
};

}  // namespace vitrine
