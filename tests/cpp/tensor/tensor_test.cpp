#include "tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "support/expect_error.hpp"

using namespace vitrine;

TEST_CASE("the number of elements is the product of the dimensions, and one for a single number") {
  CHECK(element_count(Shape{}) == 1);
  CHECK(element_count(Shape{7}) == 7);
  CHECK(element_count(Shape{2, 3, 4}) == 24);
  CHECK(element_count(Shape{5, 0}) == 0);
}

TEST_CASE("a product of dimensions beyond 64 bits is refused instead of wrapping") {
  const std::uint64_t half = std::uint64_t{1} << 32;
  CHECK_ERROR(ErrorCode::out_of_memory, "tensor elements", element_count(Shape{half, half}));
  CHECK_ERROR(ErrorCode::out_of_memory, "tensor elements", element_count(Shape{UINT64_MAX, 3}));
  CHECK(element_count(Shape{half, half, 0}) == 0);
  CHECK(element_count(Shape{0, half, half}) == 0);
}

TEST_CASE("dtypes have the names of the safetensors format and their sizes") {
  CHECK(dtype_name(DType::f32) == "F32");
  CHECK(dtype_name(DType::f16) == "F16");
  CHECK(dtype_name(DType::bf16) == "BF16");
  CHECK(dtype_bytes(DType::f32) == 4);
  CHECK(dtype_bytes(DType::f16) == 2);
  CHECK(dtype_bytes(DType::bf16) == 2);
}

TEST_CASE("a wrong shape is named with both shapes") {
  const Tensor tensor{"model.norm.weight", {2, 3}, std::vector<float>(6), DType::f32};
  CHECK_NOTHROW(require_shape(tensor, Shape{2, 3}));
  CHECK_ERROR(ErrorCode::shape_mismatch, "\"model.norm.weight\": expected shape [3, 2], found [2, 3]",
              require_shape(tensor, Shape{3, 2}));
  CHECK_ERROR(ErrorCode::shape_mismatch, "expected shape [2, 3, 1], found", require_shape(tensor, Shape{2, 3, 1}));
  CHECK_ERROR(ErrorCode::shape_mismatch, "expected shape [], found", require_shape(tensor, Shape{}));
}
