// The double twin of kernels/matmul.hpp: three loops.
// Never fast, never used by the model; tests and benchmarks compare with it.
#pragma once

#include <cstddef>

namespace vitrine::reference {

/// c[i, j] = (accumulate ? c[i, j] : 0) + sum_k a[i, k] b[j, k]. a [rows, inner], b [outputs, inner] as a linear
/// layer's weight lies, c [rows, outputs].
template <class Number>
void matmul(const Number* a, const Number* b, Number* c, std::size_t rows, std::size_t inner, std::size_t outputs,
            bool accumulate) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < outputs; ++j) {
      Number total = accumulate ? c[i * outputs + j] : Number{0};
      for (std::size_t k = 0; k < inner; ++k) total += a[i * inner + k] * b[j * inner + k];
      c[i * outputs + j] = total;
    }
  }
}

}  // namespace vitrine::reference
