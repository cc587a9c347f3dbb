#include "cache/kv_cache.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <vector>

#include "base/half.hpp"
#include "kernels/attention.hpp"
#include "support/expect_error.hpp"
#include "support/random_floats.hpp"

namespace vitrine {
namespace {

constexpr KvShape kShape{.n_layers = 2, .n_kv_heads = 3, .head_dim = 4, .max_seq_len = 20};

/// key [Hkv, D] of a position: a number that says layer, position, head and entry.
std::vector<float> key_of(std::size_t layer, std::size_t position) {
  std::vector<float> key(kShape.n_kv_heads * kShape.head_dim);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<float>(layer * 10000 + position * 100 + i);
  return key;
}

void store(KvCache& cache, std::size_t layer, std::size_t position, const std::vector<float>& key) {
  std::vector<float> value = key;
  for (float& number : value) number = -number;
  const View<const float, 2> rows(key.data(), {kShape.n_kv_heads, kShape.head_dim});
  cache.store(layer, position, rows, {value.data(), rows.shape()});
}

KvShape shape_of(KvDType dtype) {
  KvShape shape = kShape;
  shape.dtype = dtype;
  return shape;
}

/// Scratch for KvCache::read, poisoned.
struct Scratch {
  explicit Scratch(const KvShape& shape)
      : floats(kv_scratch_floats(shape), std::numeric_limits<float>::quiet_NaN()),
        view(floats.data(), {floats.size()}) {}
  std::vector<float> floats;
  View<float, 1> view;
};

float key_at(const KvLayer& layer, std::size_t head, std::size_t position, std::size_t d) {
  return layer.keys[head].data()[kernels::key_offset(position, kShape.head_dim) + d * kernels::kKeyBlock];
}

TEST_CASE("every stored key and value is found at its layer, head and absolute position") {
  KvCache cache(kShape);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (std::size_t position = 0; position < 20; ++position) store(cache, layer, position, key_of(layer, position));
  }
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const KvLayer read = cache.read(layer, 20, {});
    for (std::size_t position = 0; position < 20; ++position) {
      const std::vector<float> key = key_of(layer, position);
      for (std::size_t head = 0; head < 3; ++head) {
        for (std::size_t d = 0; d < 4; ++d) {
          const std::size_t block = position / kernels::kKeyBlock, lane = position % kernels::kKeyBlock;
          const float* keys = read.keys[head].data();
          CHECK(keys[block * kernels::kKeyBlock * 4 + d * kernels::kKeyBlock + lane] == key[head * 4 + d]);
          CHECK(read.values[head][position][d] == -key[head * 4 + d]);
        }
      }
    }
  }
}

TEST_CASE("an f32 cache is read where it lies, and a narrower one in the scratch") {
  KvCache wide(kShape);
  const KvLayer a = wide.read(1, 20, {}), b = wide.read(1, 3, {});
  CHECK(a.keys.data() == b.keys.data());
  CHECK(kv_scratch_floats(kShape) == 0);
  for (const KvDType dtype : {KvDType::f16, KvDType::q8}) {
    const KvShape shape = shape_of(dtype);
    Scratch scratch(shape);
    const KvLayer layer = KvCache(shape).read(1, 20, scratch.view);
    CHECK(layer.keys.data() == scratch.floats.data());
    CHECK(layer.values[2].data() + layer.values[2].size() == scratch.floats.data() + scratch.floats.size());
    CHECK(scratch.floats.size() == 3u * 4 * (32 + 20));
  }
}

TEST_CASE("f16 stores the nearest half of each number") {
  const KvShape shape = shape_of(KvDType::f16);
  KvCache cache(shape);
  const std::vector<float> key = test::random_floats(12, 5);
  for (std::size_t position = 0; position < 18; ++position) store(cache, 1, position, key);
  Scratch scratch(shape);
  const KvLayer layer = cache.read(1, 18, scratch.view);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(key_at(layer, i / 4, 17, i % 4) == f16_to_f32(f32_to_f16(key[i])));
    CHECK(layer.values[i / 4][17][i % 4] == -f16_to_f32(f32_to_f16(key[i])));
  }
}

TEST_CASE("q8 scales each key and each value of each head and position for itself") {
  const KvShape shape = shape_of(KvDType::q8);
  KvCache cache(shape);
  std::vector<float> key(12);
  for (std::size_t i = 0; i < 12; ++i) key[i] = static_cast<float>(i % 4) * (i < 4 ? 1.0f : i < 8 ? 1000.0f : 0.0f);
  for (std::size_t position = 0; position < 20; ++position) {
    std::vector<float> row = key;
    for (float& number : row) number *= static_cast<float>(position + 1);
    store(cache, 0, position, row);
  }
  Scratch scratch(shape);
  const KvLayer layer = cache.read(0, 20, scratch.view);
  for (std::size_t position = 0; position < 20; ++position) {
    for (std::size_t i = 0; i < 12; ++i) {
      const float largest = key[i / 4 * 4 + 3] * static_cast<float>(position + 1), scale = largest / 127.0f;
      // 0, 1/3, 2/3 and all of the largest: 0, 42, 85 and 127 scales.
      const float expected = std::vector<float>{0, 42, 85, 127}[i % 4] * scale;
      CHECK(key_at(layer, i / 4, position, i % 4) == expected);
      CHECK(layer.values[i / 4][position][i % 4] == -expected);
    }
  }
}

TEST_CASE("a fork holds the same and shares nothing") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    CAPTURE(entry.name);
    KvCache cache(shape_of(entry.dtype));
    for (std::size_t position = 0; position < 18; ++position) {
      for (std::size_t layer = 0; layer < 2; ++layer) store(cache, layer, position, key_of(layer, position));
    }
    cache.commit(std::vector<TokenId>(17, 3));
    KvCache copy = cache.fork();
    const KvContent before = cache.content();
    CHECK(copy.content() == before);
    CHECK(copy.length() == 17);
    copy.rewind(4);
    for (std::size_t layer = 0; layer < 2; ++layer) store(copy, layer, 4, key_of(layer, 99));
    copy.commit(std::vector<TokenId>{9});
    CHECK(cache.content() == before);
    CHECK(cache.length() == 17);
    CHECK(copy.tokens()[4] == 9);
  }
}

TEST_CASE("a cache made from another's content holds the same, at every length") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    CAPTURE(entry.name);
    for (const std::size_t length : {0u, 1u, 15u, 16u, 17u, 20u}) {
      KvCache cache(shape_of(entry.dtype));
      for (std::size_t position = 0; position < length; ++position) {
        for (std::size_t layer = 0; layer < 2; ++layer) store(cache, layer, position, key_of(layer, position));
      }
      const std::vector<TokenId> tokens(length, 7);
      cache.commit(tokens);
      const KvContent content = cache.content();
      const std::size_t rows = 2 * 3 * length, number = entry.dtype == KvDType::f32   ? 4
                                                        : entry.dtype == KvDType::f16 ? 2
                                                                                      : 1;
      CHECK(content.keys.size() == rows * 4 * number);
      CHECK(content.values.size() == rows * 4 * number);
      CHECK(content.key_scales.size() == (entry.dtype == KvDType::q8 ? rows * 4 : 0));
      const KvCache copy(cache.shape(), tokens, content);
      CHECK(copy.length() == length);
      CHECK(copy.content() == content);
      Scratch a(cache.shape()), b(cache.shape());
      const KvLayer first = cache.read(1, length, a.view), second = copy.read(1, length, b.view);
      for (std::size_t position = 0; position < length; ++position) {
        CHECK(key_at(first, 2, position, 3) == key_at(second, 2, position, 3));
        CHECK(first.values[2][position][3] == second.values[2][position][3]);
      }
    }
  }
}

TEST_CASE("stored positions belong to the sequence only once they are committed") {
  KvCache cache(kShape);
  store(cache, 0, 0, key_of(0, 0));
  CHECK(cache.length() == 0);
  cache.commit(std::vector<TokenId>{7, 8});
  CHECK(cache.length() == 2);
  CHECK(cache.tokens()[1] == 8);
}

TEST_CASE("a full cache refuses with context_full and is unchanged") {
  KvCache cache(kShape);
  cache.commit(std::vector<TokenId>(20, 1));
  CHECK_NOTHROW(cache.require_room(0));
  CHECK_ERROR(ErrorCode::context_full, "expected at most 0 more positions of 20, found 1", cache.require_room(1));
  CHECK(cache.length() == 20);
}

TEST_CASE("a rewind forgets the end, and going forward by it is refused") {
  KvCache cache(kShape);
  cache.commit(std::vector<TokenId>{1, 2, 3, 4});
  cache.rewind(2);
  CHECK(cache.length() == 2);
  CHECK_ERROR(ErrorCode::invalid_option, "found 3", cache.rewind(3));
  CHECK(cache.length() == 2);
}

TEST_CASE("the common prefix is counted in tokens from the start") {
  KvCache cache(kShape);
  cache.commit(std::vector<TokenId>{1, 2, 3});
  CHECK(cache.common_prefix(std::vector<TokenId>{1, 2, 9, 3}) == 2);
  CHECK(cache.common_prefix(std::vector<TokenId>{1, 2, 3, 4}) == 3);
  CHECK(cache.common_prefix(std::vector<TokenId>{1}) == 1);
  CHECK(cache.common_prefix({}) == 0);
}

TEST_CASE("bytes follow the formula for each position, and what is allocated bounds what is used") {
  const std::map<KvDType, std::uint64_t> row_bytes = {{KvDType::f32, 16}, {KvDType::f16, 8}, {KvDType::q8, 8}};
  for (const auto& [dtype, row] : row_bytes) {
    KvCache cache(shape_of(dtype));
    CHECK(cache.bytes().formula == 0);
    CHECK(cache.bytes().used == 0);
    cache.commit(std::vector<TokenId>(17, 1));
    const KvBytes bytes = cache.bytes();
    CHECK(bytes.formula == 2u * 2 * 3 * row * 17);
    CHECK(bytes.used == 2u * 3 * row * (32 + 17));  // keys come in blocks of 16 positions
    CHECK(bytes.allocated >= 2u * 3 * row * (32 + 20));
    CHECK(bytes.allocated < 2u * 3 * row * (32 + 20) + 4 * 64);
  }
}

TEST_CASE("a dtype has one name, and no other is one") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    CHECK(parse_kv_dtype(entry.name) == entry.dtype);
    CHECK(kv_dtype_name(entry.dtype) == entry.name);
  }
  CHECK_ERROR(ErrorCode::invalid_option, "expected f32, f16 or q8, found \"F16\"", parse_kv_dtype("F16"));
}

TEST_CASE("a cache too large for any machine is an error, not a wrap-around") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    const std::size_t large = std::size_t{1} << 20;
    CHECK_ERROR(ErrorCode::out_of_memory, "KV cache", KvCache{KvShape{large, large, large, large, entry.dtype}});
  }
}

}  // namespace
}  // namespace vitrine
