// One step of AdamW on one array of weights (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019).
// Schedules, clipping by the global norm, and which weights decay are the trainer's.
#pragma once

#include "kernels/simd.hpp"

namespace vitrine::kernels {

/// The numbers of one step, the same for every weight of an array.
struct AdamWStep {
  float learning_rate;
  float beta1;
  float beta2;
  float eps;
  float weight_decay;
  float bias_correction1;  ///< 1 - beta1^t, t = 1 at the first step
  float bias_correction2;  ///< 1 - beta2^t
  float grad_scale;        ///< multiplies the gradient first: clipping, or 1 / batches accumulated
};

namespace detail {

template <class Arch>
inline void adamw_vector(const AdamWStep& step, Vec<Arch>& w, Vec<Arch> grad, Vec<Arch>& m, Vec<Arch>& v) noexcept {
  using V = Vec<Arch>;
  const V g = grad * V(step.grad_scale);
  m = V(step.beta1) * m + V(1.0f - step.beta1) * g;
  v = V(step.beta2) * v + V(1.0f - step.beta2) * (g * g);
  const V m_hat = quotient<Arch>(m, V(step.bias_correction1));
  const V v_hat = quotient<Arch>(v, V(step.bias_correction2));
  const V direction = quotient<Arch>(m_hat, square_root<Arch>(v_hat) + V(step.eps));
  w = w - V(step.learning_rate) * (direction + V(step.weight_decay) * w);
}

}  // namespace detail

/// m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
/// w -= learning_rate * (m_hat / (sqrt(v_hat) + eps) + weight_decay * w),  with g = grad_scale * grad. All [n].
template <class Arch = DefaultArch>
void adamw_update(float* w, const float* grad, float* m, float* v, size_t n, const AdamWStep& step) noexcept {
  constexpr size_t kWidth = kLanes<Arch>;
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    Vec<Arch> weight = load<Arch>(w + i), first = load<Arch>(m + i), second = load<Arch>(v + i);
    detail::adamw_vector<Arch>(step, weight, load<Arch>(grad + i), first, second);
    store<Arch>(w + i, weight);
    store<Arch>(m + i, first);
    store<Arch>(v + i, second);
  }
  if (i < n) {
    const size_t rest = n - i;
    Vec<Arch> weight = load_partial<Arch>(w + i, rest), first = load_partial<Arch>(m + i, rest);
    Vec<Arch> second = load_partial<Arch>(v + i, rest);
    detail::adamw_vector<Arch>(step, weight, load_partial<Arch>(grad + i, rest), first, second);
    store_partial<Arch>(w + i, weight, rest);
    store_partial<Arch>(m + i, first, rest);
    store_partial<Arch>(v + i, second, rest);
  }
}

}  // namespace vitrine::kernels
