// Every dtype has one layout: keys in blocks of positions, values in rows, and for q8 a scale beside each row. So a
// layer is widened by running through memory once.
#include "cache/kv_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/json.hpp"
#include "kernels/attention.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/quantize.hpp"

namespace vitrine {

namespace {

static_assert(std::endian::native == std::endian::little, "content() gives little-endian numbers");

using kernels::kKeyBlock;

std::size_t block_count(std::size_t positions) { return (positions + kKeyBlock - 1) / kKeyBlock; }

/// Positions that the keys of one head have room for: whole blocks, the last one padded.
std::size_t key_positions(const KvShape& shape) { return block_count(shape.max_seq_len) * kKeyBlock; }

std::uint64_t number_bytes(KvDType dtype) {
  return dtype == KvDType::f32 ? sizeof(float) : dtype == KvDType::f16 ? sizeof(std::uint16_t) : sizeof(std::int8_t);
}

/// Bytes of one key or value with its scale.
std::uint64_t row_bytes(const KvShape& shape) {
  return checked_multiply(shape.head_dim, number_bytes(shape.dtype), "KV cache") +
         (shape.dtype == KvDType::q8 ? sizeof(float) : 0);
}

/// Refuses keys and values of so many heads that no machine can hold, so that nothing after it overflows.
void require_addressable(std::uint64_t heads, const KvShape& shape, std::uint64_t bytes_of_row) {
  const std::uint64_t positions = checked_add(key_positions(shape), shape.max_seq_len, "KV cache");
  const std::uint64_t rows = checked_multiply(heads, positions, "KV cache");
  checked_size(checked_multiply(rows, bytes_of_row, "KV cache"), "KV cache");
}

template <class T>
std::size_t piece(std::size_t count) {
  return Arena::padded(Arena::floats_of<T>(count));
}

std::size_t arena_floats(const KvShape& shape) {
  require_addressable(checked_multiply(shape.n_layers, shape.n_kv_heads, "KV cache"), shape, row_bytes(shape));
  const std::size_t heads = shape.n_layers * shape.n_kv_heads;
  const std::size_t keys = heads * key_positions(shape), values = heads * shape.max_seq_len;
  switch (shape.dtype) {
    case KvDType::f32:
      return piece<float>(keys * shape.head_dim) + piece<float>(values * shape.head_dim);
    case KvDType::f16:
      return piece<std::uint16_t>(keys * shape.head_dim) + piece<std::uint16_t>(values * shape.head_dim);
    case KvDType::q8:
      break;
  }
  return piece<std::int8_t>(keys * shape.head_dim) + piece<std::int8_t>(values * shape.head_dim) + piece<float>(keys) +
         piece<float>(values);
}

// Writes one key [D] into the blocks of a head, and one value [D] into its row.
void write_key(const float* key, std::size_t D, std::size_t position, float* blocks, float*) {
  kernels::store_key(key, position, blocks, D);
}
void write_value(const float* value, std::size_t D, float* row, float*) { std::copy_n(value, D, row); }

void write_key(const float* key, std::size_t D, std::size_t position, std::uint16_t* blocks, float*) {
  std::uint16_t* to = blocks + kernels::key_offset(position, D);
  for (std::size_t d = 0; d < D; ++d) to[d * kKeyBlock] = f32_to_f16(key[d]);
}
void write_value(const float* value, std::size_t D, std::uint16_t* row, float*) { kernels::f32_to_f16(value, row, D); }

void write_key(const float* key, std::size_t D, std::size_t position, std::int8_t* blocks, float* scale) {
  *scale = kernels::quantize_row(key, D, blocks + kernels::key_offset(position, D), kKeyBlock);
}
void write_value(const float* value, std::size_t D, std::int8_t* row, float* scale) {
  *scale = kernels::quantize_row(value, D, row, 1);
}

// Widens the keys [blocks, D, P] and the values [positions, D] of one head.
void widen_head(const std::uint16_t* keys, const std::uint16_t* values, const float*, const float*,
                std::size_t positions, std::size_t D, float* key_blocks, float* value_rows) {
  kernels::f16_to_f32(keys, key_blocks, kernels::key_blocks_size(positions, D));
  kernels::f16_to_f32(values, value_rows, positions * D);
}
void widen_head(const std::int8_t* keys, const std::int8_t* values, const float* key_scales, const float* value_scales,
                std::size_t positions, std::size_t D, float* key_blocks, float* value_rows) {
  for (std::size_t p = 0; p < positions; p += kKeyBlock) {
    kernels::dequantize_key_block(keys + p * D, key_scales + p, key_blocks + p * D, D);
  }
  for (std::size_t p = 0; p < positions; ++p) {
    kernels::dequantize_row(values + p * D, value_scales[p], value_rows + p * D, D);
  }
}

}  // namespace

KvDType parse_kv_dtype(std::string_view name) {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    if (entry.name == name) return entry.dtype;
  }
  fail(ErrorCode::invalid_option, str("cache_dtype: expected f32, f16 or q8, found ", in_quotes(name)));
}

std::uint64_t kv_position_bytes(const KvShape& shape) {
  return 2 * std::uint64_t{shape.n_layers} * shape.n_kv_heads * row_bytes(shape);
}

std::size_t kv_scratch_floats(const KvShape& shape) {
  if (shape.dtype == KvDType::f32) return 0;
  require_addressable(shape.n_kv_heads, shape, checked_multiply(shape.head_dim, sizeof(float), "KV cache"));
  return shape.n_kv_heads * (key_positions(shape) + shape.max_seq_len) * shape.head_dim;
}

template <class T>
void KvCache::take_buffers() {
  const std::size_t keys = key_positions(shape_) * shape_.head_dim;
  buffers_ =
      Buffers<T>{arena_.take_as<T, 3>({shape_.n_layers, shape_.n_kv_heads, keys}),
                 arena_.take_as<T, 4>({shape_.n_layers, shape_.n_kv_heads, shape_.max_seq_len, shape_.head_dim})};
}

KvCache::KvCache(const KvShape& shape) : shape_(shape), arena_(arena_floats(shape)) {
  switch (shape.dtype) {
    case KvDType::f32:
      take_buffers<float>();
      break;
    case KvDType::f16:
      take_buffers<std::uint16_t>();
      break;
    case KvDType::q8:
      take_buffers<std::int8_t>();
      key_scales_ = arena_.take<3>({shape.n_layers, shape.n_kv_heads, key_positions(shape)});
      value_scales_ = arena_.take<3>({shape.n_layers, shape.n_kv_heads, shape.max_seq_len});
      break;
  }
  tokens_.reserve(shape.max_seq_len);
}

KvBytes KvCache::bytes() const {
  const std::uint64_t heads = shape_.n_layers * shape_.n_kv_heads;
  return {.formula = kv_position_bytes(shape_) * length(),
          .used = heads * row_bytes(shape_) * (block_count(length()) * kKeyBlock + length()),
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
  const bool scaled = shape_.dtype == KvDType::q8;
  const std::size_t D = shape_.head_dim;
  std::visit(
      [&](const auto& buffers) {
        for (std::size_t head = 0; head < shape_.n_kv_heads; ++head) {
          write_key(key[head].data(), D, position, buffers.keys[layer][head].data(),
                    scaled ? &key_scales_[layer][head][position] : nullptr);
          write_value(value[head].data(), D, buffers.values[layer][head][position].data(),
                      scaled ? &value_scales_[layer][head][position] : nullptr);
        }
      },
      buffers_);
}

KvLayer KvCache::read(std::size_t layer, std::size_t positions, View<float, 1> scratch) const {
  VITRINE_ASSERT(positions <= capacity());
  if (const auto* own = std::get_if<Buffers<float>>(&buffers_)) return {own->keys[layer], own->values[layer]};
  VITRINE_ASSERT(scratch.size() >= kv_scratch_floats(shape_));
  const bool scaled = shape_.dtype == KvDType::q8;
  const std::size_t D = shape_.head_dim;
  const View<float, 2> keys(scratch.data(), {shape_.n_kv_heads, key_positions(shape_) * D});
  const View<float, 3> values(scratch.data() + keys.size(), {shape_.n_kv_heads, shape_.max_seq_len, D});
  std::visit(
      [&]<class T>(const Buffers<T>& buffers) {
        if constexpr (!std::is_same_v<T, float>) {
          for (std::size_t head = 0; head < shape_.n_kv_heads; ++head) {
            widen_head(buffers.keys[layer][head].data(), buffers.values[layer][head].data(),
                       scaled ? key_scales_[layer][head].data() : nullptr,
                       scaled ? value_scales_[layer][head].data() : nullptr, positions, D, keys[head].data(),
                       values[head].data());
          }
        }
      },
      buffers_);
  return {keys, values};
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

KvCache KvCache::fork() const {
  KvCache copy(shape_);
  std::memcpy(copy.arena_.all().data(), arena_.all().data(), arena_.bytes());
  copy.tokens_.assign(tokens_.begin(), tokens_.end());
  return copy;
}

/// visit(key, value, key_scale, value_scale) for each committed position of each head, in the order of a file.
template <class Visit>
void KvCache::for_each_row(Visit visit) const {
  const bool scaled = shape_.dtype == KvDType::q8;
  std::visit(
      [&](const auto& buffers) {
        for (std::size_t layer = 0; layer < shape_.n_layers; ++layer) {
          for (std::size_t head = 0; head < shape_.n_kv_heads; ++head) {
            for (std::size_t p = 0; p < length(); ++p) {
              visit(buffers.keys[layer][head].data() + kernels::key_offset(p, shape_.head_dim),
                    buffers.values[layer][head][p].data(), scaled ? &key_scales_[layer][head][p] : nullptr,
                    scaled ? &value_scales_[layer][head][p] : nullptr);
            }
          }
        }
      },
      buffers_);
}

KvContent KvCache::content() const {
  KvContent content;
  const auto append = [](std::string& out, const auto* numbers, std::size_t count, std::size_t stride) {
    for (std::size_t i = 0; i < count; ++i) {
      out.append(reinterpret_cast<const char*>(numbers + i * stride), sizeof *numbers);
    }
  };
  for_each_row([&](const auto* key, const auto* value, const float* key_scale, const float* value_scale) {
    append(content.keys, key, shape_.head_dim, kKeyBlock);
    append(content.values, value, shape_.head_dim, 1);
    append(content.key_scales, key_scale, key_scale != nullptr ? 1 : 0, 1);
    append(content.value_scales, value_scale, value_scale != nullptr ? 1 : 0, 1);
  });
  return content;
}

KvCache::KvCache(const KvShape& shape, std::span<const TokenId> tokens, const KvContent& content) : KvCache(shape) {
  commit(tokens);
  VITRINE_ASSERT(content.keys.size() + content.key_scales.size() == bytes().formula / 2);
  VITRINE_ASSERT(content.values.size() + content.value_scales.size() == bytes().formula / 2);
  const auto take = [](const char*& from, auto* numbers_out, std::size_t count, std::size_t stride) {
    for (std::size_t i = 0; i < count; ++i, from += sizeof *numbers_out) {
      std::memcpy(numbers_out + i * stride, from, sizeof *numbers_out);
    }
  };
  const char *keys = content.keys.data(), *values = content.values.data();
  const char *key_scales = content.key_scales.data(), *value_scales = content.value_scales.data();
  for_each_row([&](auto* key, auto* value, float* key_scale, float* value_scale) {
    take(keys, key, shape_.head_dim, kKeyBlock);
    take(values, value, shape_.head_dim, 1);
    take(key_scales, key_scale, key_scale != nullptr ? 1 : 0, 1);
    take(value_scales, value_scale, value_scale != nullptr ? 1 : 0, 1);
  });
}

}  // namespace vitrine
