#include "model/transformer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/architectures.hpp"
#include "support/expect_error.hpp"
#include "support/reference_transformer.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

using test::architectures;
using test::random_tokens;
using test::random_weights;
using test::tiny_config;

/// Every logit of a prefix computed at once, from an empty cache: [T, V].
std::vector<float> full_prefix(Transformer& model, std::span<const TokenId> tokens) {
  KvCache cache = model.make_cache();
  const SequenceInput input{&cache, tokens};
  const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::all);
  return {logits.data(), logits.data() + logits.size()};
}

bool same_bits(const float* a, const float* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(float)) == 0;
}

TEST_CASE("logits agree with the double reference, for every kind of architecture") {
  for (const ModelConfig& config : architectures()) {
    const NamedTensors weights = random_weights(config, 5);
    Transformer model(config, weights);
    const std::vector<TokenId> tokens = random_tokens(config, 40, 6);
    const std::vector<float> logits = full_prefix(model, tokens);
    const test::Rows expected = test::ReferenceTransformer(config, weights).logits(tokens);
    double worst = 0, largest = 0;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      for (std::size_t v = 0; v < config.vocab_size; ++v) {
        worst = std::max(worst, std::abs(static_cast<double>(logits[t * config.vocab_size + v]) - expected[t][v]));
        largest = std::max(largest, std::abs(expected[t][v]));
      }
    }
    // Each of 2 L + 1 norms and 4 L + 1 products in sequence rounds sums of at most 36 terms: about 40 eps a stage,
    // relative to the largest value, if errors neither grow nor cancel.
    const double stages = 6.0 * static_cast<double>(config.n_layers) + 2;
    CHECK(largest > 1);
    CHECK(worst < stages * 40 * std::numeric_limits<float>::epsilon() * largest);
    CHECK(worst > 0);
  }
}

TEST_CASE("cached decoding gives the bits of the full prefix, for every chunk size") {
  for (const ModelConfig& config : architectures()) {
    Transformer model(config, random_weights(config, 1));
    const std::vector<TokenId> tokens = random_tokens(config, 40, 2);
    const std::vector<float> expected = full_prefix(model, tokens);
    for (const std::size_t chunk : {1u, 2u, 3u, 7u, 16u, 39u, 40u}) {
      KvCache cache = model.make_cache();
      for (std::size_t begin = 0; begin < tokens.size(); begin += chunk) {
        const std::size_t count = std::min(chunk, tokens.size() - begin);
        const SequenceInput input{&cache, std::span(tokens).subspan(begin, count)};
        const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::all);
        REQUIRE(logits.has_shape(count, config.vocab_size));
        CHECK(same_bits(logits.data(), expected.data() + begin * config.vocab_size, logits.size()));
      }
    }
  }
}

TEST_CASE("a row of a batch has the bits it has alone, whatever its neighbours and their order") {
  const ModelConfig config = tiny_config();
  Transformer model(config, random_weights(config, 3));
  const std::vector<std::size_t> lengths = {1, 9, 17, 4, 30};
  std::vector<std::vector<TokenId>> prompts;
  for (const std::size_t length : lengths) prompts.push_back(random_tokens(config, length, 10 + length));
  for (std::size_t shift = 0; shift < lengths.size(); ++shift) {
    std::vector<KvCache> caches;
    for (std::size_t i = 0; i < lengths.size(); ++i) caches.push_back(model.make_cache());
    std::vector<SequenceInput> batch;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      batch.push_back({&caches[i], prompts[(i + shift) % lengths.size()]});
    }
    const View<const float, 2> logits = model.forward(batch, LogitsWanted::last);
    REQUIRE(logits.has_shape(lengths.size(), config.vocab_size));
    const std::vector<float> rows(logits.data(), logits.data() + logits.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::vector<float> alone = full_prefix(model, batch[i].tokens);
      const float* last = alone.data() + alone.size() - config.vocab_size;
      CHECK(same_bits(rows.data() + i * config.vocab_size, last, config.vocab_size));
    }
  }
}

TEST_CASE("the number of threads moves no bit") {
#ifdef __EMSCRIPTEN__
  MESSAGE("skipped: a build without threads");
#else
  ModelConfig config = tiny_config();
  config.d_model = 130;  // large enough for the work of every layer to be split
  config.head_dim = 14;
  config.d_ff = 420;
  const NamedTensors weights = random_weights(config, 4, 0.1f);
  const std::vector<TokenId> tokens = random_tokens(config, 40, 5);
  Transformer one(config, weights);
  const std::vector<float> expected = full_prefix(one, tokens);
  for (const std::size_t threads : {2u, 3u, 5u}) {
    Transformer several(config, weights, {.max_batch_rows = 64, .threads = threads});
    CHECK(full_prefix(several, tokens) == expected);
  }
#endif
}

TEST_CASE("rewinding and typing on gives the bits of a fresh start") {
  const ModelConfig config = tiny_config();
  Transformer model(config, random_weights(config, 6));
  const std::vector<TokenId> first = random_tokens(config, 30, 1);
  std::vector<TokenId> second(first.begin(), first.begin() + 11);
  for (const TokenId token : random_tokens(config, 20, 2)) second.push_back(token);
  const std::vector<float> expected = full_prefix(model, second);
  KvCache cache = model.make_cache();
  const SequenceInput whole{&cache, first};
  model.forward({&whole, 1}, LogitsWanted::none);
  cache.rewind(cache.common_prefix(second));
  REQUIRE(cache.length() == 11);
  const SequenceInput rest{&cache, std::span(second).subspan(11)};
  const View<const float, 2> logits = model.forward({&rest, 1}, LogitsWanted::all);
  CHECK(same_bits(logits.data(), expected.data() + 11 * config.vocab_size, logits.size()));
}

TEST_CASE("a cache of every dtype gives cached and full prefix the same bits, and a narrower one other bits than f32") {
  for (const ModelConfig& config : architectures()) {
    const NamedTensors weights = random_weights(config, 1);
    const std::vector<TokenId> tokens = random_tokens(config, 40, 2);
    std::vector<std::vector<float>> by_dtype;
    for (const KvDTypeEntry& entry : kKvDTypes) {
      CAPTURE(entry.name);
      Transformer model(config, weights, {.max_batch_rows = 80, .threads = 1, .cache_dtype = entry.dtype});
      const std::vector<float> expected = full_prefix(model, tokens);
      KvCache one = model.make_cache(), two = model.make_cache();
      CHECK(one.shape() == config.kv_shape(entry.dtype));
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        // Two sequences in a call: each needs the scratch for itself.
        const std::vector<SequenceInput> batch = {{&one, std::span(tokens).subspan(t, 1)},
                                                  {&two, std::span(tokens).subspan(39 - t, 1)}};
        const View<const float, 2> logits = model.forward(batch, LogitsWanted::last);
        CHECK(same_bits(logits.data(), expected.data() + t * config.vocab_size, config.vocab_size));
      }
      by_dtype.push_back(expected);
    }
    CHECK(by_dtype[0] != by_dtype[1]);
    CHECK(by_dtype[1] != by_dtype[2]);
    // f16 keeps 11 bits, q8 at least 7 of the largest number of a row: logits move by a little, and by more.
    const auto distance = [&](const std::vector<float>& other) {
      double worst = 0;
      for (std::size_t i = 0; i < other.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(other[i]) - static_cast<double>(by_dtype[0][i])));
      }
      return worst;
    };
    CHECK(distance(by_dtype[1]) < distance(by_dtype[2]));
  }
}

TEST_CASE("a model takes f32 caches beside those of its own dtype, in one call") {
  const ModelConfig config = tiny_config();
  const NamedTensors weights = random_weights(config, 6);
  const std::vector<TokenId> tokens = random_tokens(config, 20, 1);
  Transformer wide(config, weights), narrow(config, weights, {.max_batch_rows = 80, .cache_dtype = KvDType::q8});
  const std::vector<float> expected_wide = full_prefix(wide, tokens), expected_narrow = full_prefix(narrow, tokens);
  KvCache a(config.kv_shape()), b = narrow.make_cache(), c(config.kv_shape());
  const std::vector<SequenceInput> batch = {{&a, tokens}, {&b, tokens}, {&c, tokens}};
  const View<const float, 2> logits = narrow.forward(batch, LogitsWanted::all);
  const std::size_t one = tokens.size() * config.vocab_size;
  CHECK(same_bits(logits.data(), expected_wide.data(), one));
  CHECK(same_bits(logits.data() + one, expected_narrow.data(), one));
  CHECK(same_bits(logits.data() + 2 * one, expected_wide.data(), one));
  KvCache foreign(config.kv_shape(KvDType::f16));
  const SequenceInput input{&foreign, tokens};
  CHECK_ERROR(ErrorCode::invalid_option, "found another shape or dtype",
              narrow.forward({&input, 1}, LogitsWanted::last));
}

TEST_CASE("no logit before a token depends on it: the mask is exact") {
  const ModelConfig config = tiny_config();
  Transformer model(config, random_weights(config, 7));
  std::vector<TokenId> tokens = random_tokens(config, 40, 3);
  const std::vector<float> before = full_prefix(model, tokens);
  for (std::size_t t = 20; t < 40; ++t) tokens[t] = (tokens[t] + 1) % static_cast<TokenId>(config.vocab_size);
  const std::vector<float> after = full_prefix(model, tokens);
  CHECK(same_bits(before.data(), after.data(), 20 * config.vocab_size));
  CHECK_FALSE(
      same_bits(before.data() + 20 * config.vocab_size, after.data() + 20 * config.vocab_size, config.vocab_size));
}

TEST_CASE(
    "grouped heads with one key head a query head are multi-head attention: shared heads repeated change nothing") {
  ModelConfig grouped = tiny_config(), multi = tiny_config();
  multi.n_kv_heads = multi.n_heads;
  const NamedTensors weights = random_weights(grouped, 8);
  NamedTensors repeated;
  for (const auto& [name, tensor] : weights) {
    Tensor copy = tensor;
    if (name.find("k_proj") != std::string::npos || name.find("v_proj") != std::string::npos) {
      copy.shape[0] = multi.kv_width();
      copy.data.clear();
      for (std::size_t head = 0; head < multi.n_heads; ++head) {
        const std::size_t size = grouped.head_dim * grouped.d_model;
        const auto from = tensor.data.begin() + static_cast<std::ptrdiff_t>(head / grouped.group() * size);
        copy.data.insert(copy.data.end(), from, from + static_cast<std::ptrdiff_t>(size));
      }
    }
    repeated.insert(std::move(copy));
  }
  const std::vector<TokenId> tokens = random_tokens(grouped, 25, 4);
  Transformer a(grouped, weights), b(multi, repeated);
  CHECK(full_prefix(a, tokens) == full_prefix(b, tokens));
}

TEST_CASE("a call that is refused changes no cache") {
  const ModelConfig config = tiny_config();
  Transformer model(config, random_weights(config, 9), {.max_batch_rows = 30});
  KvCache good = model.make_cache(), other = model.make_cache();
  const std::vector<TokenId> five = random_tokens(config, 5, 1), many = random_tokens(config, 40, 2);
  const std::vector<TokenId> bad = {1, 37}, negative = {-1};
  const auto refused = [&](ErrorCode code, const char* words, std::vector<SequenceInput> batch) {
    CHECK_ERROR(code, words, model.forward(batch, LogitsWanted::last));
    CHECK(good.length() == 0);
  };
  refused(ErrorCode::invalid_token, "expected a token id below 37, found 37", {{&good, five}, {&other, bad}});
  refused(ErrorCode::invalid_token, "found -1", {{&good, five}, {&other, negative}});
  refused(ErrorCode::invalid_option, "at most 30 new tokens", {{&good, many}});
  refused(ErrorCode::invalid_option, "at least one token", {{&good, five}, {&other, {}}});
  refused(ErrorCode::invalid_option, "a cache of its own", {{&good, five}, {&good, five}});
  other.commit(std::vector<TokenId>(38, 1));
  refused(ErrorCode::context_full, "expected at most 2 more positions", {{&good, five}, {&other, five}});
  ModelConfig longer = config;
  longer.max_seq_len = 41;
  KvCache foreign(longer.kv_shape());
  refused(ErrorCode::invalid_option, "a cache made by this model", {{&good, five}, {&foreign, five}});
}

TEST_CASE("the context can be filled to its last position, and not beyond") {
  const ModelConfig config = tiny_config();
  Transformer model(config, random_weights(config, 9));
  const std::vector<TokenId> tokens = random_tokens(config, 40, 2);
  KvCache cache = model.make_cache();
  const SequenceInput most{&cache, std::span(tokens).first(39)}, one{&cache, std::span(tokens).last(1)};
  model.forward({&most, 1}, LogitsWanted::none);
  CHECK(model.forward({&one, 1}, LogitsWanted::last).extent(0) == 1);
  CHECK_ERROR(ErrorCode::context_full, "found 1", model.forward({&one, 1}, LogitsWanted::last));
}

TEST_CASE("missing, foreign and misshapen weights are refused by name") {
  const ModelConfig config = tiny_config();
  NamedTensors missing = random_weights(config, 1), foreign = random_weights(config, 1),
               shape = random_weights(config, 1);
  missing.take("model.layers.1.mlp.up_proj.weight");
  CHECK_ERROR(ErrorCode::missing_tensor, "model.layers.1.mlp.up_proj.weight", Transformer(config, missing));
  foreign.insert({"model.layers.2.mlp.up_proj.weight", {1}, {0.0f}});
  CHECK_ERROR(ErrorCode::unexpected_tensor, "model.layers.2.mlp.up_proj.weight", Transformer(config, foreign));
  Tensor norm = shape.take("model.norm.weight");
  norm.shape = {11, 2};
  shape.insert(std::move(norm));
  CHECK_ERROR(ErrorCode::shape_mismatch, "\"model.norm.weight\": expected shape [22], found [11, 2]",
              Transformer(config, shape));
}

TEST_CASE("an architecture larger than its weights, or than the limit, is refused before memory is asked for") {
  const NamedTensors weights = random_weights(tiny_config(), 1);
  ModelConfig wide = tiny_config();
  wide.d_model = 1024;
  CHECK_ERROR(ErrorCode::shape_mismatch, "\"model.embed_tokens.weight\": expected shape [37, 1024], found [37, 22]",
              Transformer(wide, weights, {.max_bytes = 1}));
  ModelConfig longest = tiny_config();
  longest.max_seq_len = std::size_t{1} << 20;
  CHECK_ERROR(ErrorCode::out_of_memory, "model: expected at most 1000000 bytes for weights, workspace and a cache",
              Transformer(longest, weights, {.max_bytes = 1'000'000}));
  CHECK_NOTHROW(Transformer(tiny_config(), weights, {.max_bytes = 1'000'000}));
}

TEST_CASE("multiply-adds are counted from the shapes") {
  const ModelConfig config = tiny_config();
  Transformer model(config, random_weights(config, 2));
  // One token at position 0: the matrices of each layer, one score and one value a head entry, the head.
  const std::uint64_t matrices = 22 * (36 + 12 + 12) + 36 * 22 + 3 * 22 * 27;
  CHECK(model.multiply_adds(0, 1, 1) == 2 * (matrices + 2 * 36) + 22 * 37);
  CHECK(model.multiply_adds(0, 3, 0) == model.multiply_adds(0, 1, 0) + model.multiply_adds(1, 2, 0));
}

TEST_CASE("bytes read are counted from the shapes: weights once a call, the cache as far as each tile of tokens sees") {
  const ModelConfig config = tiny_config();
  for (const auto& [dtype, number_bytes] : {std::pair{KvDType::f32, 4u}, std::pair{KvDType::f16, 2u}}) {
    Transformer model(config, random_weights(config, 2), {.cache_dtype = dtype});
    const std::uint64_t block = 22 * (36 + 12 + 12) + 36 * 22 + 3 * 22 * 27 + 2 * 22;
    const std::uint64_t weights = 2 * block, position = 2 * 2 * 12 * number_bytes;
    CHECK(model.bytes_read(4, 1, 0) == 4 * (weights + 22) + 5 * position);
    CHECK(model.bytes_read(4, 1, 1) == 4 * (weights + 22 + 22 * 37 + 22) + 5 * position);
    CHECK(model.bytes_read(0, 18, 0) == 4 * (weights + 18 * 22) + (16 + 18) * position);
  }
}

}  // namespace
}  // namespace vitrine
