// Tensors by name, in the order of their names: the content of a weights file or a checkpoint.
// Not the model's weights: model/parameters.hpp checks these against the architecture.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "tensor/tensor.hpp"

namespace vitrine {

class NamedTensors {
 public:
  using Map = std::map<std::string, Tensor, std::less<>>;

  /// Adds a tensor under its own name. Throws unexpected_tensor if the name is taken, and shape_mismatch if its data do
  /// not fill its shape.
  Tensor& insert(Tensor tensor) {
    VITRINE_CHECK(tensor.data.size() == element_count(tensor.shape), ErrorCode::shape_mismatch, in_quotes(tensor.name),
                  ": expected ", element_count(tensor.shape), " numbers for shape ", shape_text(tensor.shape),
                  ", found ", tensor.data.size());
    std::string name = tensor.name;
    const auto [place, added] = tensors_.try_emplace(std::move(name), std::move(tensor));
    VITRINE_CHECK(added, ErrorCode::unexpected_tensor, in_quotes(place->first),
                  ": expected every tensor once, found it twice");
    return place->second;
  }

  const Tensor* find(std::string_view name) const {
    const auto place = tensors_.find(name);
    return place == tensors_.end() ? nullptr : &place->second;
  }

  /// Throws missing_tensor.
  const Tensor& require(std::string_view name) const {
    const Tensor* tensor = find(name);
    VITRINE_CHECK(tensor != nullptr, ErrorCode::missing_tensor, in_quotes(name),
                  ": expected this tensor, found none of that name");
    return *tensor;
  }

  /// Throws missing_tensor, or shape_mismatch.
  const Tensor& require(std::string_view name, std::span<const std::uint64_t> shape) const {
    const Tensor& tensor = require(name);
    require_shape(tensor, shape);
    return tensor;
  }

  /// Removes the tensor and hands it over, so that its memory can be freed as soon as it has been used; throws
  /// missing_tensor. What remains after a model has taken its own belongs to no weight.
  Tensor take(std::string_view name) {
    require(name);
    const auto place = tensors_.find(name);
    Tensor tensor = std::move(place->second);
    tensors_.erase(place);
    return tensor;
  }

  std::size_t size() const { return tensors_.size(); }
  bool empty() const { return tensors_.empty(); }
  Map::const_iterator begin() const { return tensors_.begin(); }
  Map::const_iterator end() const { return tensors_.end(); }

 private:
  Map tensors_;
};

}  // namespace vitrine
