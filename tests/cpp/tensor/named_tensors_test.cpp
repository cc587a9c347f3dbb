#include "tensor/named_tensors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/expect_error.hpp"

using namespace vitrine;

namespace {

Tensor make(const std::string& name, std::vector<float> numbers) {
  return {name, {numbers.size()}, std::move(numbers), DType::f32};
}

}  // namespace

TEST_CASE("tensors are found by name and walked in the order of their names") {
  NamedTensors tensors;
  CHECK(tensors.empty());
  tensors.insert(make("b", {2}));
  tensors.insert(make("c", {3}));
  tensors.insert(make("a", {1}));
  CHECK(tensors.size() == 3);
  std::string order;
  for (const auto& [name, tensor] : tensors) {
    CHECK(name == tensor.name);
    order += name;
  }
  CHECK(order == "abc");
  CHECK(tensors.require("b").data == std::vector<float>{2});
  CHECK(tensors.find("d") == nullptr);
}

TEST_CASE("a tensor that is not there is named") {
  NamedTensors tensors;
  CHECK_ERROR(ErrorCode::missing_tensor, "\"model.norm.weight\": expected this tensor",
              tensors.require("model.norm.weight"));
  CHECK_ERROR(ErrorCode::missing_tensor, "lm_head.weight", tensors.take("lm_head.weight"));
}

TEST_CASE("a second tensor of a name is refused and the first stays as it was") {
  NamedTensors tensors;
  tensors.insert(make("a", {1, 2}));
  CHECK_ERROR(ErrorCode::unexpected_tensor, "\"a\": expected every tensor once", tensors.insert(make("a", {3})));
  CHECK(tensors.require("a").data == std::vector<float>{1, 2});
}

TEST_CASE("numbers that do not fill the shape are refused") {
  NamedTensors tensors;
  CHECK_ERROR(ErrorCode::shape_mismatch, "\"w\": expected 6 numbers for shape [2, 3], found 5",
              tensors.insert({"w", {2, 3}, std::vector<float>(5), DType::f32}));
  CHECK(tensors.empty());
}

TEST_CASE("a shape can be required together with the name") {
  NamedTensors tensors;
  tensors.insert(make("a", {1, 2}));
  CHECK(tensors.require("a", Shape{2}).data.size() == 2);
  CHECK_ERROR(ErrorCode::shape_mismatch, "\"a\": expected shape [3], found [2]", tensors.require("a", Shape{3}));
}

TEST_CASE("taking hands a tensor over without copying it and removes it") {
  NamedTensors tensors;
  const float* numbers = tensors.insert(make("a", {1, 2})).data.data();
  const Tensor taken = tensors.take("a");
  CHECK(taken.name == "a");
  CHECK(taken.data.data() == numbers);
  CHECK(tensors.empty());
}
