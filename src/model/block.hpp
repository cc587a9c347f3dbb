// One residual block, forward and backward: attention and SwiGLU, each behind an RMSNorm and added to the stream.
// It serves inference and training; the two differ in the memory plan that they hand in, and nowhere else.
//   x_mid = x + attention(rms_norm(x))          x_out = x_mid + down(swiglu(gate_up(rms_norm(x_mid))))
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "cache/kv_cache.hpp"
#include "layers/attention.hpp"
#include "layers/rope.hpp"
#include "model/config.hpp"
#include "model/packed_weights.hpp"
#include "model/parameters.hpp"

namespace vitrine {

class InjectedFault;

/// The rows of one sequence in a call, and the cache that holds what came before them.
struct SequenceRows {
  std::size_t first_row = 0;
  std::size_t rows = 0;  ///< T
  std::size_t past = 0;
  KvCache* cache = nullptr;
};

/// Every activation of a block for N rows. Inference hands the same buffers to each layer, and then x, x_mid and x_out
/// are one; training hands each layer its own, since the backward pass reads them.
struct BlockBuffers {
  View<float, 2> x;                  ///< [N, C] the residual stream going in
  View<float, 2> normed_attention;   ///< [N, C]
  View<float, 1> inv_rms_attention;  ///< [N]
  View<float, 2> qkv;                ///< [N, (H + 2 Hkv) D], queries and keys rotated
  View<float, 2> attended;           ///< [N, H D]
  View<float, 2> x_mid;              ///< [N, C] the residual stream after attention
  View<float, 2> normed_mlp;         ///< [N, C]
  View<float, 1> inv_rms_mlp;        ///< [N]
  View<float, 2> gate_up;            ///< [N, 2 F]
  View<float, 2> hidden;             ///< [N, F]
  View<float, 2> x_out;              ///< [N, C] the residual stream going out

  /// The first `rows` rows of every buffer.
  BlockBuffers first_rows(std::size_t rows) const;
};

/// What is the same for every block of a call.
struct BlockContext {
  const ModelConfig& config;
  const RopeTable& rope;
  std::span<const SequenceRows> sequences;
  std::span<AttentionSequence> attention;  ///< scratch, one entry a sequence
  View<float, 2> attention_scratch;        ///< [threads, attention_scratch()]
  View<float, 2> branch;                   ///< [N, C] scratch: what a branch adds to the stream
  View<float, 1> kv_scratch{};             ///< kv_scratch_floats(): one layer of a narrow cache as float32
  InjectedFault* fault = nullptr;          ///< none, unless one was injected
  ThreadPool& pool;
};

AttentionShape attention_shape(const ModelConfig& config);

/// Runs one block. Keys and values of the new rows are stored in layer `cache_layer` of each cache, not committed.
void block_forward(const BlockContext& context, const PackedBlock& weights, std::size_t cache_layer,
                   const BlockBuffers& buffers);

/// Scratch of the backward pass, the same for every block.
struct BlockGradients {
  View<float, 2> d_hidden;    ///< [N, F]
  View<float, 2> d_gate_up;   ///< [N, 2 F]
  View<float, 2> d_normed;    ///< [N, C]
  View<float, 2> d_attended;  ///< [N, H D]
  View<float, 2> d_qkv;       ///< [N, (H + 2 Hkv) D]
  View<float, 1> packed;      ///< linear_backward_scratch(N, the widest input)
  View<float, 2> attention;   ///< [threads, attention_backward_scratch()]

  BlockGradients first_rows(std::size_t rows) const;
};

/// d_x [N, C]: the gradient of x_out going in, of x coming out. Weight gradients are accumulated.
void block_backward(const BlockContext& context, const PackedBlock& weights, const PackedTransposes::Block& transposes,
                    const BlockBuffers& buffers, const BlockGradients& scratch, View<float, 2> d_x,
                    const BlockParameters& gradients);

}  // namespace vitrine
