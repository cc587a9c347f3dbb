#include "cache/kv_cache.hpp"

#include <algorithm>

#include "kernels/attention.hpp"

namespace vitrine {

namespace {

std::size_t block_count(std::size_t positions) { return (positions + kernels::kKeyBlock - 1) / kernels::kKeyBlock; }

/// Floats of one head's keys: whole blocks, the last one padded.
std::size_t key_floats(const KvShape& shape) {
  return block_count(shape.max_seq_len) * kernels::kKeyBlock * shape.head_dim;
}

std::size_t arena_floats(const KvShape& shape) {
  const std::uint64_t heads = checked_multiply(shape.n_layers, shape.n_kv_heads, "KV cache");
  const std::uint64_t keys = checked_multiply(heads, key_floats(shape), "KV cache");
  const std::uint64_t values =
      checked_multiply(heads, checked_multiply(shape.max_seq_len, shape.head_dim, "KV cache"), "KV cache");
  return checked_size(checked_add(keys, checked_add(values, 2 * Arena::kAlignedFloats, "KV cache"), "KV cache"),
                      "KV cache");
}

}  // namespace

KvCache::KvCache(const KvShape& shape) : shape_(shape), arena_(arena_floats(shape)) {
  keys_ = arena_.take<3>({shape.n_layers, shape.n_kv_heads, key_floats(shape)});
  values_ = arena_.take<4>({shape.n_layers, shape.n_kv_heads, shape.max_seq_len, shape.head_dim});
  tokens_.reserve(shape.max_seq_len);
}

KvBytes KvCache::bytes() const {
  const std::uint64_t head_bytes = sizeof(float) * shape_.head_dim;
  const std::uint64_t heads = shape_.n_layers * shape_.n_kv_heads;
  const std::uint64_t key_positions = block_count(length()) * kernels::kKeyBlock;
  return {.formula = 2 * heads * head_bytes * length(),
          .used = heads * head_bytes * (key_positions + length()),
          .allocated = arena_.bytes()};
}

void KvCache::require_room(std::size_t count) const {
  VITRINE_CHECK(count <= capacity() - length(), ErrorCode::context_full, "KV cache: expected at most ",
                capacity() - length(), " more positions of ", capacity(), ", found ", count);
}

void KvCache::store(std::size_t layer, std::size_t position, View<const float, 2> key, View<const float, 2> value) {
  VITRINE_ASSERT_SHAPE(key, shape_.n_kv_heads, shape_.head_dim);
  VITRINE_ASSERT_SHAPE(value, shape_.n_kv_heads, shape_.head_dim);
  VITRINE_ASSERT(position >= length() && position < capacity());
  for (std::size_t head = 0; head < shape_.n_kv_heads; ++head) {
    kernels::store_key(key[head].data(), position, keys_[layer][head].data(), shape_.head_dim);
    std::copy_n(value[head].data(), shape_.head_dim, values_[layer][head][position].data());
  }
}

void KvCache::commit(std::span<const TokenId> tokens) {
  VITRINE_ASSERT(tokens.size() <= capacity() - length());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

void KvCache::rewind(std::size_t length) {
  VITRINE_CHECK(length <= this->length(), ErrorCode::invalid_option, "KV cache: expected a rewind to at most ",
                this->length(), " positions, found ", length);
  tokens_.resize(length);
}

std::size_t KvCache::common_prefix(std::span<const TokenId> tokens) const {
  const auto limit = std::min(tokens.size(), tokens_.size());
  const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(limit);
  return static_cast<std::size_t>(std::mismatch(tokens.begin(), end, tokens_.begin()).first - tokens.begin());
}

}  // namespace vitrine
