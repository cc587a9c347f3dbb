// PackedWeights: the weights as the forward pass reads them, each matrix packed in panels (kernels/matmul.hpp).
// Not what is trained or saved: that is Parameters, and packing is repeated when it changes.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "layers/linear.hpp"
#include "model/parameters.hpp"
#include "tensor/arena.hpp"

namespace vitrine {

struct PackedBlock {
  View<float, 1> attention_norm;  ///< [C]
  PackedMatrix qkv;               ///< C -> (H + 2 Hkv) D
  PackedMatrix attention_output;  ///< H D -> C
  View<float, 1> mlp_norm;        ///< [C]
  PackedMatrix gate_up;           ///< C -> 2 F
  PackedMatrix down;              ///< F -> C
};

class PackedWeights {
 public:
  explicit PackedWeights(const ModelConfig& config);

  /// Packs every weight anew. Allocates nothing.
  void pack(const Parameters& parameters, ThreadPool& pool);

  View<const float, 2> embedding() const { return embedding_; }  ///< [V, C]
  const std::vector<PackedBlock>& blocks() const { return blocks_; }
  View<const float, 1> final_norm() const { return final_norm_; }
  const PackedMatrix& head() const { return head_; }  ///< C -> V
  std::uint64_t bytes() const { return arena_.bytes(); }

 private:
  Arena arena_;
  View<float, 2> embedding_;
  std::vector<PackedBlock> blocks_;
  View<float, 1> final_norm_;
  PackedMatrix head_;
};

/// The transposes, packed for the backward pass: from the gradient of each output to that of its input.
struct PackedTransposes {
  struct Block {
    PackedMatrix qkv, attention_output, gate_up, down;
  };

  explicit PackedTransposes(const ModelConfig& config);
  void pack(const Parameters& parameters, ThreadPool& pool);

  std::vector<Block> blocks;
  PackedMatrix head;  ///< V -> C

 private:
  Arena arena_;
};

}  // namespace vitrine
