// RMSNorm, forward and backward (Zhang and Sennrich 2019). It has a gain and no bias.
//   out = gain * x * r,  r = 1 / sqrt(mean(x^2) + eps)
#pragma once

#include "base/thread_pool.hpp"
#include "kernels/norm.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// x [N, C], gain [C], out [N, C]; inv_rms [N] keeps r for the backward pass. eps is rounded to a float once, here.
inline void rms_norm_forward(View<const float, 2> x, View<const float, 1> gain, double eps, View<float, 2> out,
                             View<float, 1> inv_rms) {
  const std::size_t rows = x.extent(0), d_model = x.extent(1);
  VITRINE_ASSERT_SHAPE(gain, d_model);
  VITRINE_ASSERT_SHAPE(out, rows, d_model);
  VITRINE_ASSERT(inv_rms.extent(0) >= rows);
  for (std::size_t n = 0; n < rows; ++n) {
    inv_rms[n] = kernels::rms_norm(x[n].data(), gain.data(), static_cast<float>(eps), out[n].data(), d_model);
  }
}

/// d_out [N, C]; d_x [N, C] and d_gain [C] accumulated. The sum of d_gain runs over the rows from 0 up.
inline void rms_norm_backward(View<const float, 2> x, View<const float, 1> gain, View<const float, 1> inv_rms,
                              View<const float, 2> d_out, View<float, 2> d_x, View<float, 1> d_gain, ThreadPool& pool) {
  const std::size_t rows = x.extent(0), d_model = x.extent(1);
  VITRINE_ASSERT_SHAPE(d_out, rows, d_model);
  VITRINE_ASSERT_SHAPE(d_x, rows, d_model);
  pool.run(rows, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t n = begin; n < end; ++n) {
      kernels::rms_norm_backward(x[n].data(), gain.data(), inv_rms[n], d_out[n].data(), d_x[n].data(), d_model);
    }
  });
  pool.run(d_model, [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::rms_norm_backward_gain(x.data(), inv_rms.data(), d_out.data(), d_gain.data(), rows, d_model, begin, end);
  });
}

}  // namespace vitrine
