// SwiGLU, forward and backward (Shazeer 2020): hidden = silu(gate) * up, silu(z) = z / (1 + exp(-z)).
// The projections around it are linear layers.
#pragma once

#include "base/thread_pool.hpp"
#include "kernels/elementwise.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// gate_up [N, 2F]: each row is the gate [F] and then the up projection [F]; hidden [N, F] out.
inline void swiglu_forward(View<const float, 2> gate_up, View<float, 2> hidden, ThreadPool& pool) {
  const std::size_t rows = hidden.extent(0), d_ff = hidden.extent(1);
  VITRINE_ASSERT_SHAPE(gate_up, rows, 2 * d_ff);
  constexpr std::size_t kWorkOfOne = 16;  // the exponential and the division, in multiply-adds
  pool.run_if_worth_it(rows * d_ff * kWorkOfOne, rows, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t n = begin; n < end; ++n) {
      const float* gate = gate_up[n].data();
      kernels::swiglu(gate, gate + d_ff, hidden[n].data(), d_ff);
    }
  });
}

/// d_hidden [N, F]; d_gate_up [N, 2F] out.
inline void swiglu_backward(View<const float, 2> gate_up, View<const float, 2> d_hidden, View<float, 2> d_gate_up,
                            ThreadPool& pool) {
  const std::size_t rows = d_hidden.extent(0), d_ff = d_hidden.extent(1);
  VITRINE_ASSERT_SHAPE(d_gate_up, rows, 2 * d_ff);
  pool.run(rows, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t n = begin; n < end; ++n) {
      const float* gate = gate_up[n].data();
      float* d_gate = d_gate_up[n].data();
      kernels::swiglu_backward(gate, gate + d_ff, d_hidden[n].data(), d_gate, d_gate + d_ff, d_ff);
    }
  });
}

}  // namespace vitrine
