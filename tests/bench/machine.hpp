// What the benchmarks measure against: the time of a call, and the peak of a plain multiply-add loop on this machine.
// It measures no kernel itself.
#pragma once

#include <cmath>
#include <cstdint>
#include <ctime>
#include <vector>

#include "cpp/support/random_floats.hpp"
#include "kernels/simd.hpp"

namespace vitrine::bench {

using kernels::DefaultArch;
using kernels::kLanes;
using kernels::Vec;
using test::random_floats;

/// Seconds of one call: the best of passes of at least a millisecond, for a fifth of a second in all.
template <class Function>
double seconds(Function function) {
  const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double best = 1e9;
  std::size_t calls = 1;
  const double start = now();
  do {
    const double begin = now();
    for (std::size_t i = 0; i < calls; ++i) function();
    const double pass = now() - begin;
    if (pass < 1e-3) {
      calls *= 2;
    } else {
      best = std::fmin(best, pass / static_cast<double>(calls));
    }
  } while (now() - start < 0.2 || best == 1e9);
  return best;
}

/// Where results go, so that no compiler leaves their computation out.
inline volatile double sink;

/// `Chains` independent chains of multiply and add in registers; two operations a lane, a chain and a step.
template <std::size_t Chains>
double chain_rate() {
  constexpr std::size_t kSteps = 100000;
  std::vector<float> out(kLanes<DefaultArch>);
  const std::vector<float> x = random_floats(kLanes<DefaultArch>, 1);
  const double time = seconds([&] {
    const Vec<> factor = kernels::load<DefaultArch>(x.data()), step = factor * factor;
    Vec<> sums[Chains];
    for (auto& sum : sums) sum = step;
    for (std::size_t i = 0; i < kSteps; ++i) {
      for (auto& sum : sums) sum = sum * factor + step;
    }
    for (std::size_t c = 1; c < Chains; ++c) sums[0] = sums[0] + sums[c];
    kernels::store<DefaultArch>(out.data(), sums[0]);
    sink = static_cast<double>(out[0]);
  });
  return 2.0 * kSteps * Chains * kLanes<DefaultArch> / time * 1e-9;
}

/// Operations a second of the fastest such loop, in 10^9; a multiply-add is two.
inline double peak_rate() {
  return std::fmax(std::fmax(chain_rate<6>(), chain_rate<8>()), std::fmax(chain_rate<10>(), chain_rate<12>()));
}

}  // namespace vitrine::bench
