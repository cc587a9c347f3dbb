#include "cache/kv_cache.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kernels/attention.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

constexpr KvShape kShape{.n_layers = 2, .n_kv_heads = 3, .head_dim = 4, .max_seq_len = 20};

/// key [Hkv, D] of a position: a number that says layer, position, head and entry.
std::vector<float> key_of(std::size_t layer, std::size_t position) {
  std::vector<float> key(kShape.n_kv_heads * kShape.head_dim);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<float>(layer * 10000 + position * 100 + i);
  return key;
}

void store(KvCache& cache, std::size_t layer, std::size_t position) {
  const std::vector<float> key = key_of(layer, position);
  std::vector<float> value = key;
  for (float& number : value) number = -number;
  const View<const float, 2> rows(key.data(), {kShape.n_kv_heads, kShape.head_dim});
  cache.store(layer, position, rows, {value.data(), rows.shape()});
}

TEST_CASE("every stored key and value is found at its layer, head and absolute position") {
  KvCache cache(kShape);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (std::size_t position = 0; position < 20; ++position) store(cache, layer, position);
  }
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (std::size_t position = 0; position < 20; ++position) {
      const std::vector<float> key = key_of(layer, position);
      for (std::size_t head = 0; head < 3; ++head) {
        for (std::size_t d = 0; d < 4; ++d) {
          const std::size_t block = position / kernels::kKeyBlock, lane = position % kernels::kKeyBlock;
          const float* keys = cache.keys(layer)[head].data();
          CHECK(keys[block * kernels::kKeyBlock * 4 + d * kernels::kKeyBlock + lane] == key[head * 4 + d]);
          CHECK(cache.values(layer)[head][position][d] == -key[head * 4 + d]);
        }
      }
    }
  }
}

TEST_CASE("stored positions belong to the sequence only once they are committed") {
  KvCache cache(kShape);
  store(cache, 0, 0);
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

TEST_CASE("bytes follow the formula 2 L Hkv D 4 for each position, and what is allocated bounds what is used") {
  KvCache cache(kShape);
  CHECK(cache.bytes().formula == 0);
  CHECK(cache.bytes().used == 0);
  cache.commit(std::vector<TokenId>(17, 1));
  const KvBytes bytes = cache.bytes();
  CHECK(bytes.formula == 2u * 2 * 3 * 4 * 4 * 17);
  CHECK(bytes.used == 2u * 3 * 4 * 4 * (32 + 17));  // keys come in blocks of 16 positions
  CHECK(bytes.allocated >= 2u * 3 * 4 * 4 * (32 + 20));
}

TEST_CASE("a cache too large for any machine is an error, not a wrap-around") {
  const KvShape huge{std::size_t{1} << 20, std::size_t{1} << 20, std::size_t{1} << 20, std::size_t{1} << 20};
  CHECK_ERROR(ErrorCode::out_of_memory, "KV cache", KvCache{huge});
}

}  // namespace
}  // namespace vitrine
