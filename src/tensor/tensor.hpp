// An owned, named array of float32 with its shape, as it comes from a file or goes into one.
// Not what the model computes with: kernels see spans, and weights are packed once from these and then freed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"

namespace vitrine {

/// How a tensor's numbers are stored in a file. In memory they are always float32.
enum class DType { f32, f16, bf16 };

constexpr std::size_t dtype_bytes(DType dtype) { return dtype == DType::f32 ? 4 : 2; }

constexpr std::string_view dtype_name(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "F32";
    case DType::f16:
      return "F16";
    case DType::bf16:
      return "BF16";
  }
  return "";
}

/// Dimensions, slowest axis first; no dimension at all is a single number.
using Shape = std::vector<std::uint64_t>;

/// The product of the dimensions; throws out_of_memory if it does not fit in 64 bits. A zero anywhere gives zero, even
/// beside dimensions whose product would not fit.
inline std::uint64_t element_count(std::span<const std::uint64_t> shape) {
  for (const std::uint64_t dimension : shape) {
    if (dimension == 0) return 0;
  }
  std::uint64_t count = 1;
  for (const std::uint64_t dimension : shape) count = checked_multiply(count, dimension, "tensor elements");
  return count;
}

/// "[2, 3]".
inline std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) text += str(axis == 0 ? "" : ", ", shape[axis]);
  return text + "]";
}

struct Tensor {
  std::string name;
  Shape shape;
  std::vector<float> data;       ///< shape, row-major
  DType stored_as = DType::f32;  ///< f16 and bf16 are widened exactly on reading, rounded to nearest even on writing
};

/// Throws shape_mismatch unless the tensor has this shape.
inline void require_shape(const Tensor& tensor, std::span<const std::uint64_t> shape) {
  VITRINE_CHECK(std::equal(tensor.shape.begin(), tensor.shape.end(), shape.begin(), shape.end()),
                ErrorCode::shape_mismatch, in_quotes(tensor.name), ": expected shape ", shape_text(shape), ", found ",
                shape_text(tensor.shape));
}

}  // namespace vitrine
