// Transformer: a loaded model and the scratch memory of its forward pass. Token ids in, logits out.
// It samples nothing, and it alone commits KV caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/token_id.hpp"
#include "cache/kv_cache.hpp"
#include "model/config.hpp"
#include "model/fault.hpp"
#include "tensor/named_tensors.hpp"
#include "tensor/view.hpp"

namespace vitrine {

class InjectedFault;
class PackedWeights;
class RopeTable;
class ThreadPool;

/// The T new tokens of one sequence, which follow the positions that its cache holds.
struct SequenceInput {
  KvCache* cache = nullptr;
  std::span<const TokenId> tokens;
};

/// Which rows of logits a call computes; what nobody asked for is not computed.
enum class LogitsWanted {
  none,
  last,  ///< one row a sequence, of its last new token: [B, V]
  all,   ///< one row a new token, sequence after sequence: [N, V]
};

struct TransformerOptions {
  std::size_t max_batch_rows = 256;  ///< new tokens of all sequences together in one call
  std::size_t threads = 1;
  KvDType cache_dtype = KvDType::f32;                ///< of make_cache()
  std::uint64_t max_bytes = std::uint64_t{1} << 33;  ///< of weights, workspace and one KV cache, by formula
};

class Transformer {
 public:
  /// What a forward pass reads; it lives as long as the model.
  struct Parts {
    const ModelConfig& config;
    const PackedWeights& weights;
    const RopeTable& rope;
    ThreadPool& pool;
  };

  /// Packs the weights. Throws missing_tensor, unexpected_tensor, shape_mismatch, bad_config, out_of_memory.
  Transformer(const ModelConfig& config, const NamedTensors& weights, const TransformerOptions& options = {});
  ~Transformer();
  Transformer(Transformer&&) noexcept;
  Transformer& operator=(Transformer&&) noexcept;

  const ModelConfig& config() const;
  const TransformerOptions& options() const;
  /// For a pass with another memory plan than forward()'s: model/trace.hpp.
  Parts parts();
  /// An empty cache of this model's shape and of the dtype of the options. Whatever these say, forward() also takes
  /// caches of f32.
  KvCache make_cache() const { return KvCache(config().kv_shape(options().cache_dtype)); }

  /// Runs the new tokens of every sequence, writes and commits their caches, and returns the logits asked for, which
  /// live until the next call. Allocates nothing. On an error (invalid_token, context_full, invalid_option when the
  /// rows pass max_batch_rows or two sequences share a cache) no cache has changed.
  View<const float, 2> forward(std::span<const SequenceInput> batch, LogitsWanted wanted);

  /// Floating-point multiply-adds of the matrix products and attention of forward() for `tokens` new positions after
  /// `past` cached ones, with `logits_rows` rows of logits.
  std::uint64_t multiply_adds(std::size_t past, std::size_t tokens, std::size_t logits_rows) const;

  /// Bytes that such a call reads of the packed weights, padding aside, and of a cache of the options' dtype, by
  /// formula: each matrix once, an embedding a token, and for every kAttentionTile new tokens the positions they see.
  std::uint64_t bytes_read(std::size_t past, std::size_t tokens, std::size_t logits_rows) const;

  /// Bytes of the packed weights and of the workspace.
  std::uint64_t weight_bytes() const;
  std::uint64_t workspace_bytes() const;

  /// Makes forward() wrong in a named way from now on, so that detectors can be seen to detect it; Fault::none makes it
  /// right again. For tests, the detectors and the page's "break it" panel alone. A fault of the generator does nothing
  /// here.
  void inject(Fault fault);
  Fault fault() const;
  /// Puts `fault` in the place of what is injected and hands that out, null meaning none: what a fault remembers of the
  /// calls before (InjectedFault) outlasts calls without it.
  void exchange_fault(std::unique_ptr<InjectedFault>& fault);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vitrine
