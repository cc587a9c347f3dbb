// KvCache: the keys and values of one sequence, for every layer and absolute position, and the tokens that made them.
// It rounds and widens, and computes nothing else: attention reads it, and only Transformer::forward commits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/token_id.hpp"
#include "tensor/arena.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// How keys and values are stored. They are rounded once, when they are stored, whatever the schedule; attention always
/// computes with float32.
enum class KvDType {
  f32,  ///< as computed
  f16,  ///< the nearest IEEE binary16, ties to even; beyond 65519 infinite, and the logits then are not finite
  q8,   ///< int8 with one float32 scale for each key and each value, position and head: kernels/quantize.hpp
};

struct KvDTypeEntry {
  KvDType dtype;
  std::string_view name;
};

inline constexpr std::array kKvDTypes = {
    KvDTypeEntry{KvDType::f32, "f32"},
    KvDTypeEntry{KvDType::f16, "f16"},
    KvDTypeEntry{KvDType::q8, "q8"},
};

constexpr std::string_view kv_dtype_name(KvDType dtype) { return kKvDTypes[static_cast<std::size_t>(dtype)].name; }

/// Throws invalid_option for a name that is none of the above.
KvDType parse_kv_dtype(std::string_view name);

/// What the size of a cache depends on.
struct KvShape {
  std::size_t n_layers = 0;
  std::size_t n_kv_heads = 0;
  std::size_t head_dim = 0;
  std::size_t max_seq_len = 0;
  KvDType dtype = KvDType::f32;

  bool operator==(const KvShape&) const = default;
};

/// Memory of a cache in bytes, from three sides.
struct KvBytes {
  std::uint64_t formula = 0;    ///< 2 L Hkv row_bytes for each committed position; row_bytes: 4 D, 2 D or D + 4
  std::uint64_t used = 0;       ///< what the committed positions occupy in the buffers, as laid out
  std::uint64_t allocated = 0;  ///< what the buffers hold, whole

  KvBytes& operator+=(const KvBytes& other) {
    formula += other.formula;
    used += other.used;
    allocated += other.allocated;
    return *this;
  }
};

/// What attention reads of one layer.
struct KvLayer {
  View<const float, 2> keys;    ///< [Hkv, blocks D P], each head in blocks of P positions (kernels/attention.hpp)
  View<const float, 3> values;  ///< [Hkv, max_seq_len, D]
};

/// The committed positions as they are stored, row after row, little-endian: what a file holds of a cache.
struct KvContent {
  std::string keys;          ///< [L, Hkv, S, D] numbers of the dtype
  std::string values;        ///< the same
  std::string key_scales;    ///< q8: [L, Hkv, S] float32; else empty
  std::string value_scales;  ///< the same

  bool operator==(const KvContent&) const = default;
};

/// Bytes of the keys and values of one position, by formula: 2 L Hkv row_bytes.
std::uint64_t kv_position_bytes(const KvShape& shape);

/// Floats of the scratch that KvCache::read widens one layer into; none for f32.
std::size_t kv_scratch_floats(const KvShape& shape);

class KvCache {
 public:
  explicit KvCache(const KvShape& shape);
  /// A cache with this content: numbers and scales for exactly `tokens.size()` <= max_seq_len positions.
  KvCache(const KvShape& shape, std::span<const TokenId> tokens, const KvContent& content);

  const KvShape& shape() const { return shape_; }
  /// Committed positions; the next token is rotated and stored at this absolute position.
  std::size_t length() const { return tokens_.size(); }
  std::size_t capacity() const { return shape_.max_seq_len; }
  /// The token at each committed position.
  std::span<const TokenId> tokens() const { return tokens_; }
  KvBytes bytes() const;

  /// Throws context_full unless `count` more positions fit.
  void require_room(std::size_t count) const;

  /// Rounds and writes the rotated key [Hkv, D] and the value [Hkv, D] of one layer at a position not yet committed.
  void store(std::size_t layer, std::size_t position, View<const float, 2> key, View<const float, 2> value);

  /// Keys and values of one layer at the first `positions` positions, stored or committed. An f32 cache gives its own
  /// memory; a narrower one fills `scratch` [kv_scratch_floats()], where they live until it is filled again.
  KvLayer read(std::size_t layer, std::size_t positions, View<float, 1> scratch) const;

  /// Makes the stored positions of `tokens` part of the sequence. For Transformer::forward alone.
  void commit(std::span<const TokenId> tokens);

  /// Forgets every position from `length` on. Throws invalid_option beyond the committed length.
  void rewind(std::size_t length);

  /// How many leading tokens of `tokens` the cache already holds.
  std::size_t common_prefix(std::span<const TokenId> tokens) const;

  /// A copy that shares nothing with this cache: two continuations of one beginning.
  KvCache fork() const;

  /// What the constructor above takes back.
  KvContent content() const;

 private:
  /// The numbers as stored.
  template <class T>
  struct Buffers {
    View<T, 3> keys;    // [L, Hkv, blocks D P]
    View<T, 4> values;  // [L, Hkv, max_seq_len, D]
  };
  template <class T>
  void take_buffers();
  template <class Visit>
  void for_each_row(Visit visit) const;

  KvShape shape_;
  Arena arena_;
  std::variant<Buffers<float>, Buffers<std::uint16_t>, Buffers<std::int8_t>> buffers_;
  View<float, 3> key_scales_;    // q8: [L, Hkv, blocks P]
  View<float, 3> value_scales_;  // q8: [L, Hkv, max_seq_len]
  std::vector<TokenId> tokens_;
};

}  // namespace vitrine
