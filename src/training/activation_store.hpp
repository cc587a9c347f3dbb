// ActivationStore: the memory plan of training, in which every layer keeps its activations for the backward pass.
// Inference has another plan (model/transformer.cpp), and the same blocks.
#pragma once

#include <memory>
#include <vector>

#include "cache/kv_cache.hpp"
#include "model/block.hpp"
#include "tensor/arena.hpp"
#include "training/dataset.hpp"

namespace vitrine {

struct ActivationStore {
  ActivationStore(const ModelConfig& config, std::size_t max_rows, std::size_t threads);

  /// Gives the sequences of a batch their rows and, one each, a cache of a single layer that holds this pass's keys.
  void lay_out(const TrainingBatch& batch);

  std::vector<BlockBuffers> blocks;  ///< [L]; the x_out of a layer is the x of the next
  View<float, 2> branch;             ///< [N, C]
  View<float, 2> attention_scratch;  ///< [threads, attention_scratch()]
  View<float, 2> normed;             ///< [N, C] after the final norm
  View<float, 1> inv_rms;            ///< [N]
  View<float, 2> logits;             ///< [N, V], then their gradient
  View<float, 2> d_x;                ///< [N, C]
  BlockGradients gradients;
  std::vector<SequenceRows> sequences;
  std::vector<AttentionSequence> attention;

 private:
  KvShape cache_shape_;
  std::vector<std::unique_ptr<KvCache>> caches_;
  Arena arena_;
};

}  // namespace vitrine
