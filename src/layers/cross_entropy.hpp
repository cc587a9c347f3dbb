// Cross entropy of next-token logits, forward and backward in one pass over each row.
//   loss[n] = log sum_v exp(logits[n, v]) - logits[n, target[n]]
//   d_logits[n, v] = (softmax(logits[n])[v] - [v = target[n]]) * scale
#pragma once

#include <span>

#include "base/thread_pool.hpp"
#include "base/token_id.hpp"
#include "kernels/softmax.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// logits [N, V], targets [N], losses [N] out, in nats.
inline void cross_entropy_forward(View<const float, 2> logits, std::span<const TokenId> targets,
                                  std::span<double> losses, ThreadPool& pool) {
  const std::size_t vocab_size = logits.extent(1);
  VITRINE_ASSERT(targets.size() == logits.extent(0) && losses.size() == targets.size());
  pool.run(targets.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t n = begin; n < end; ++n) {
      const float* row = logits[n].data();
      losses[n] = kernels::log_sum_exp(row, vocab_size) - static_cast<double>(row[targets[n]]);
    }
  });
}

/// logits [N, V] in, d_logits [N, V] out (may be the same memory); scale is 1 / rows of the whole batch.
inline void cross_entropy_backward(View<const float, 2> logits, std::span<const TokenId> targets, float scale,
                                   View<float, 2> d_logits, ThreadPool& pool) {
  const std::size_t vocab_size = logits.extent(1);
  VITRINE_ASSERT(targets.size() == logits.extent(0));
  pool.run(targets.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t n = begin; n < end; ++n) {
      float* row = d_logits[n].data();
      kernels::softmax(logits[n].data(), row, vocab_size);
      row[targets[n]] -= 1.0f;
      kernels::scale(row, scale, row, vocab_size);
    }
  });
}

}  // namespace vitrine
