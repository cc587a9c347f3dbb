// Parameters: every weight of a model as plain row-major matrices, in one block of memory. Gradients and optimiser
// state have the same form. The forward pass does not read these: it reads PackedWeights.
#pragma once

#include <string>
#include <vector>

#include "model/config.hpp"
#include "tensor/arena.hpp"
#include "tensor/named_tensors.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// The weights of one residual block. Projections that read the same input stand in one matrix.
struct BlockParameters {
  View<float, 1> attention_norm;    ///< [C]
  View<float, 2> qkv;               ///< [(H + 2 Hkv) D, C]: q_proj, k_proj, v_proj
  View<float, 2> attention_output;  ///< [C, H D]
  View<float, 1> mlp_norm;          ///< [C]
  View<float, 2> gate_up;           ///< [2 F, C]: gate_proj, up_proj
  View<float, 2> down;              ///< [C, F]
};

/// One named weight: a view into the block.
struct NamedParameter {
  std::string name;  ///< Hugging Face's name
  Shape shape;
  View<float, 1> values;  ///< row-major
};

/// Throws missing_tensor, unexpected_tensor or shape_mismatch, each naming the tensor, unless the tensors are the
/// weights of this architecture. Memory for a model is asked for afterwards, and so is never more than its file
/// justifies.
void require_weights(const ModelConfig& config, const NamedTensors& tensors);

class Parameters {
 public:
  /// All zero.
  explicit Parameters(const ModelConfig& config);
  /// Copied from tensors. Throws as require_weights.
  Parameters(const ModelConfig& config, const NamedTensors& tensors);

  View<float, 2> embedding() const { return embedding_; }                 ///< [V, C]
  const std::vector<BlockParameters>& blocks() const { return blocks_; }  ///< L
  View<float, 1> final_norm() const { return final_norm_; }               ///< [C]
  View<float, 2> head() const { return head_; }                           ///< [V, C]; the embedding itself when tied

  /// The weight table: every weight once, in a fixed order.
  const std::vector<NamedParameter>& named() const { return named_; }
  /// The whole block, padding included (always zero).
  View<float, 1> all() const { return arena_.all(); }

  /// Copies the tensor of every weight, named `prefix` and the weight's name; of others it takes no note. Throws
  /// missing_tensor and shape_mismatch, naming the tensor.
  void assign(const NamedTensors& tensors, const std::string& prefix = {});
  /// Adds a copy of every weight under such a name.
  void add_to(NamedTensors& tensors, const std::string& prefix = {}) const;
  NamedTensors to_tensors() const;

 private:
  void name_weights(const ModelConfig& config);

  Arena arena_;
  View<float, 2> embedding_;
  std::vector<BlockParameters> blocks_;
  View<float, 1> final_norm_;
  View<float, 2> head_;
  std::vector<NamedParameter> named_;
};

}  // namespace vitrine
