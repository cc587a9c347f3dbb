// The double twin of kernels/adamw.hpp: one step on each weight, bias corrections from the step number.
// Never fast, never used by the model; tests and benchmarks compare with it.
#pragma once

#include <cmath>
#include <cstddef>

namespace vitrine::reference {

/// One step of AdamW on w, m, v [n] at step `t` = 1, 2, ... with gradient grad [n].
inline void adamw_update(double* w, const double* grad, double* m, double* v, std::size_t n, int t,
                         double learning_rate, double beta1, double beta2, double eps, double weight_decay) {
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = beta1 * m[i] + (1.0 - beta1) * grad[i];
    v[i] = beta2 * v[i] + (1.0 - beta2) * grad[i] * grad[i];
    const double m_hat = m[i] / (1.0 - std::pow(beta1, t));
    const double v_hat = v[i] / (1.0 - std::pow(beta2, t));
    w[i] -= learning_rate * (m_hat / (std::sqrt(v_hat) + eps) + weight_decay * w[i]);
  }
}

}  // namespace vitrine::reference
