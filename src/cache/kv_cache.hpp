// KvCache: the keys and values of one sequence, for every layer and absolute position, and the tokens that made them.
// It computes nothing: attention reads its blocks, and only Transformer::forward commits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/token_id.hpp"
#include "tensor/arena.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// What the size of a cache depends on.
struct KvShape {
  std::size_t n_layers = 0;
  std::size_t n_kv_heads = 0;
  std::size_t head_dim = 0;
  std::size_t max_seq_len = 0;

  bool operator==(const KvShape&) const = default;
};

/// Memory of a cache in bytes, from three sides.
struct KvBytes {
  std::uint64_t formula = 0;    ///< 2 L Hkv D sizeof(float) for each committed position
  std::uint64_t used = 0;       ///< what the committed positions occupy in the buffers, as laid out
  std::uint64_t allocated = 0;  ///< what the buffers hold, whole

  KvBytes& operator+=(const KvBytes& other) {
    formula += other.formula;
    used += other.used;
    allocated += other.allocated;
    return *this;
  }
};

class KvCache {
 public:
  explicit KvCache(const KvShape& shape);

  const KvShape& shape() const { return shape_; }
  /// Committed positions; the next token is rotated and stored at this absolute position.
  std::size_t length() const { return tokens_.size(); }
  std::size_t capacity() const { return shape_.max_seq_len; }
  /// The token at each committed position.
  std::span<const TokenId> tokens() const { return tokens_; }
  KvBytes bytes() const;

  /// Throws context_full unless `count` more positions fit.
  void require_room(std::size_t count) const;

  /// Writes the rotated key [Hkv, D] and the value [Hkv, D] of one layer at a position not yet committed.
  void store(std::size_t layer, std::size_t position, View<const float, 2> key, View<const float, 2> value);

  /// Keys of one layer, each head in blocks [ceil(max_seq_len / P), D, P] (kernels/attention.hpp): [Hkv, floats].
  View<const float, 2> keys(std::size_t layer) const { return keys_[layer]; }
  /// Values of one layer [Hkv, max_seq_len, D].
  View<const float, 3> values(std::size_t layer) const { return values_[layer]; }

  /// Makes the stored positions of `tokens` part of the sequence. For Transformer::forward alone.
  void commit(std::span<const TokenId> tokens);

  /// Forgets every position from `length` on. Throws invalid_option beyond the committed length.
  void rewind(std::size_t length);

  /// How many leading tokens of `tokens` the cache already holds.
  std::size_t common_prefix(std::span<const TokenId> tokens) const;

 private:
  KvShape shape_;
  Arena arena_;
  View<float, 3> keys_;    // [L, Hkv, blocks * D * P]
  View<float, 4> values_;  // [L, Hkv, max_seq_len, D]
  std::vector<TokenId> tokens_;
};

}  // namespace vitrine
