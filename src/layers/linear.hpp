// The linear layer, forward and backward, on packed weights. It knows no bias: Llama has none.
//   y = x W^T          d_x = d_y W          d_W = d_y^T x
#pragma once

#include "base/thread_pool.hpp"
#include "kernels/matmul.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// A matrix packed for kernels::matmul as its right operand: y[n, m] = sum_k x[n, k] b(k, m).
struct PackedMatrix {
  float* panels = nullptr;  ///< [ceil(outputs / NR), inputs, NR]
  std::size_t outputs = 0;
  std::size_t inputs = 0;
};

/// Packs w [M, K] for linear_forward.
inline void pack_linear(View<const float, 2> w, const PackedMatrix& packed, ThreadPool& pool) {
  const std::size_t outputs = w.extent(0), inputs = w.extent(1);
  VITRINE_ASSERT(packed.outputs == outputs && packed.inputs == inputs);
  pool.run(kernels::panel_count(outputs), [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::pack(w.data(), outputs, inputs, inputs, 1, packed.panels, begin, end);
  });
}

/// Packs the transpose of w [M, K] for linear_backward_input.
inline void pack_linear_transposed(View<const float, 2> w, const PackedMatrix& packed, ThreadPool& pool) {
  const std::size_t outputs = w.extent(1), inputs = w.extent(0);
  VITRINE_ASSERT(packed.outputs == outputs && packed.inputs == inputs);
  pool.run(kernels::panel_count(outputs), [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::pack(w.data(), outputs, inputs, 1, outputs, packed.panels, begin, end);
  });
}

/// x [N, K], w [M, K] packed, y [N, M] out.
inline void linear_forward(View<const float, 2> x, const PackedMatrix& w, View<float, 2> y, ThreadPool& pool) {
  const std::size_t rows = x.extent(0);
  VITRINE_ASSERT_SHAPE(x, rows, w.inputs);
  VITRINE_ASSERT_SHAPE(y, rows, w.outputs);
  const kernels::LeftOperand left{x.data(), w.inputs, 1};
  pool.run_if_worth_it(rows * w.inputs * w.outputs, kernels::panel_count(w.outputs),
                       [&](std::size_t begin, std::size_t end, std::size_t) {
                         kernels::matmul(left, w.panels, y.data(), w.outputs, rows, w.inputs, w.outputs, begin, end,
                                         false);
                       });
}

/// d_y [N, M], w_transposed [K, M] packed, d_x [N, K] out.
inline void linear_backward_input(View<const float, 2> d_y, const PackedMatrix& w_transposed, View<float, 2> d_x,
                                  ThreadPool& pool) {
  linear_forward(d_y, w_transposed, d_x, pool);
}

/// Floats of scratch that linear_backward_weight needs.
inline std::size_t linear_backward_scratch(std::size_t rows, std::size_t inputs) {
  return kernels::packed_size(inputs, rows);
}

/// x [N, K], d_y [N, M], d_w [M, K] accumulated; each sum runs over the rows from 0 up. scratch: see above.
inline void linear_backward_weight(View<const float, 2> x, View<const float, 2> d_y, View<float, 2> d_w, float* scratch,
                                   ThreadPool& pool) {
  const std::size_t rows = x.extent(0), inputs = x.extent(1), outputs = d_y.extent(1);
  VITRINE_ASSERT_SHAPE(d_y, rows, outputs);
  VITRINE_ASSERT_SHAPE(d_w, outputs, inputs);
  const kernels::LeftOperand left{d_y.data(), 1, outputs};
  pool.run(kernels::panel_count(inputs), [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::pack(x.data(), inputs, rows, 1, inputs, scratch, begin, end);
    kernels::matmul(left, scratch, d_w.data(), inputs, outputs, rows, inputs, begin, end, true);
  });
}

}  // namespace vitrine
