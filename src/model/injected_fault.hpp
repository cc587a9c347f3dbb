// InjectedFault: what the faults of fault.hpp do to a forward pass, all in one place, so that the healthy code holds
// one line for each of its places: nothing is changed unless somebody made one of these. Faults of the generator are in
// generate/generator.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "cache/kv_cache.hpp"
#include "layers/attention.hpp"
#include "model/config.hpp"
#include "model/fault.hpp"
#include "tensor/view.hpp"

namespace vitrine {

struct BlockContext;

/// Whether a fault is none in a model of this shape: heads that are not grouped cannot be grouped wrongly.
bool changes_nothing(Fault fault, const ModelConfig& config);

class InjectedFault {
 public:
  InjectedFault(Fault fault, const ModelConfig& config);

  Fault fault() const { return fault_; }
  /// What the pass computes with in place of the model's own configuration.
  const ModelConfig& config() const { return config_; }
  bool causal() const { return fault_ != Fault::causal_mask_dropped; }

  /// Spoils the projections qkv [N, (H + 2 Hkv) D] of a call before they are rotated and stored.
  void before_rotation(const BlockContext& context, std::size_t cache_layer, View<float, 2> qkv);
  /// What attention is told to read instead of these sequences; lives until the next call.
  std::span<const AttentionSequence> visible(std::span<const AttentionSequence> sequences);
  /// Spoils what attention gave [N, H D], and the rows that the call stored.
  void after_attention(const BlockContext& context, std::size_t cache_layer, View<float, 2> attended);

 private:
  void turn_further(const BlockContext& context, View<float, 2> qkv) const;
  void recall_rewound_rows(const BlockContext& context, std::size_t cache_layer, View<float, 2> qkv);
  void regroup_heads(View<float, 2> rows, bool back);

  Fault fault_;
  ModelConfig config_;
  std::vector<AttentionSequence> visible_;
  std::vector<float> heads_;  // [H, D]
  /// What each cache was given, by layer and position: the fault remembers what a right cache forgets.
  std::map<std::pair<const KvCache*, std::size_t>, std::map<std::size_t, std::vector<float>>> stored_;
};

}  // namespace vitrine
