#include "layers/attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/random_floats.hpp"

namespace vitrine {
namespace {

constexpr AttentionShape kShape{.n_heads = 6, .n_kv_heads = 2, .head_dim = 5};

/// Keys and values of one sequence as attention reads them, filled from rows of qkv; unwritten positions are NaN.
struct Memory {
  explicit Memory(std::size_t max_positions)
      : positions(max_positions),
        keys(kShape.n_kv_heads * kernels::key_blocks_size(positions, kShape.head_dim), test::kPoison),
        values(kShape.n_kv_heads * positions * kShape.head_dim, test::kPoison) {}

  void store(const float* row, std::size_t position) {
    for (std::size_t head = 0; head < kShape.n_kv_heads; ++head) {
      const float* key = row + kShape.key_offset() + head * kShape.head_dim;
      const float* value = row + kShape.value_offset() + head * kShape.head_dim;
      kernels::store_key(key, position, keys.data() + head * keys.size() / kShape.n_kv_heads, kShape.head_dim);
      std::copy_n(value, kShape.head_dim, values.data() + (head * positions + position) * kShape.head_dim);
    }
  }

  AttentionSequence sequence(std::size_t first_row, std::size_t rows, std::size_t past) const {
    return {first_row,
            rows,
            past,
            {keys.data(), {kShape.n_kv_heads, keys.size() / kShape.n_kv_heads}},
            {values.data(), {kShape.n_kv_heads, positions, kShape.head_dim}}};
  }

  std::size_t positions;
  std::vector<float> keys, values;
};

std::vector<float> attend(const std::vector<float>& qkv, std::span<const AttentionSequence> sequences,
                          std::size_t threads = 1, const AttentionShape& shape = kShape) {
  const std::size_t rows = qkv.size() / kShape.qkv_width();
  ThreadPool pool(threads);
  std::vector<float> out(rows * kShape.key_offset(), test::kPoison);
  const std::size_t scratch_floats = attention_scratch(kShape, 100);
  std::vector<float> scratch(threads * scratch_floats, test::kPoison);
  attention_forward(shape, View<const float, 2>(qkv.data(), {rows, kShape.qkv_width()}), sequences,
                    {scratch.data(), {threads, scratch_floats}}, {out.data(), {rows, kShape.key_offset()}}, pool);
  return out;
}

/// out [T, H D] of one sequence from position 0, in double.
std::vector<double> reference(const std::vector<double>& qkv, bool causal = true) {
  const std::size_t T = qkv.size() / kShape.qkv_width(), D = kShape.head_dim;
  std::vector<double> out(T * kShape.key_offset(), 0.0);
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t h = 0; h < kShape.n_heads; ++h) {
      const std::size_t kv = h / kShape.group() * D, visible = causal ? t + 1 : T;
      std::vector<double> weights(visible, 0.0);
      double total = 0;
      for (std::size_t s = 0; s < visible; ++s) {
        for (std::size_t d = 0; d < D; ++d) {
          weights[s] +=
              qkv[t * kShape.qkv_width() + h * D + d] * qkv[s * kShape.qkv_width() + kShape.key_offset() + kv + d];
        }
        weights[s] = std::exp(weights[s] / std::sqrt(static_cast<double>(D)));
        total += weights[s];
      }
      for (std::size_t s = 0; s < visible; ++s) {
        for (std::size_t d = 0; d < D; ++d) {
          out[t * kShape.key_offset() + h * D + d] +=
              weights[s] / total * qkv[s * kShape.qkv_width() + kShape.value_offset() + kv + d];
        }
      }
    }
  }
  return out;
}

TEST_CASE("scores 1.2, 0.3, -0.4 and 1.8 give the weights worked by hand: 0.2915, 0.1185, 0.0589, 0.5311") {
  // One head of width 4: the query is (2, 0, 0, 0), and 2 is the square root of the width, so that the scaled score of
  // key (s, 0, 0, 0) is s; values are unit rows.
  const AttentionShape shape{.n_heads = 1, .n_kv_heads = 1, .head_dim = 4};
  const float scores[] = {1.2f, 0.3f, -0.4f, 1.8f};
  std::vector<float> keys(kernels::key_blocks_size(4, 4), test::kPoison), values(16, 0.0f), out(4, test::kPoison);
  for (std::size_t s = 0; s < 4; ++s) {
    const float key[4] = {scores[s], 0, 0, 0};
    kernels::store_key(key, s, keys.data(), 4);
    values[s * 4 + s] = 1.0f;
  }
  const std::vector<float> qkv = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::vector<float> scratch(attention_scratch(shape, 4));
  const AttentionSequence sequence{0, 1, 3, {keys.data(), {1, keys.size()}}, {values.data(), {1, 4, 4}}};
  ThreadPool pool;
  attention_forward(shape, View<const float, 2>(qkv.data(), {1, 12}), {&sequence, 1},
                    {scratch.data(), {1, scratch.size()}}, {out.data(), {1, 4}}, pool);
  const double expected[] = {0.2915, 0.1185, 0.0589, 0.5311};
  for (std::size_t s = 0; s < 4; ++s) CHECK(std::abs(double{out[s]} - expected[s]) < 5e-5);
}

TEST_CASE("a sequence agrees with the double reference, and its later memory is never read") {
  const std::size_t T = 40;
  const std::vector<float> qkv = test::random_floats(T * kShape.qkv_width(), 1);
  Memory memory(60);
  for (std::size_t t = 0; t < T; ++t) memory.store(qkv.data() + t * kShape.qkv_width(), t);
  const AttentionSequence sequence = memory.sequence(0, T, 0);
  const std::vector<float> out = attend(qkv, {&sequence, 1});
  const std::vector<double> expected = reference({qkv.begin(), qkv.end()});
  // Weights sum to 1 over values below 1; each is good to about (D + 40) eps.
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(std::abs(double{out[i]} - expected[i]) < 50 * 1.2e-7);
}

TEST_CASE("without the causal mask every token of a call sees the whole call, and what came before it") {
  const std::size_t T = 40, width = kShape.qkv_width();
  AttentionShape shape = kShape;
  shape.causal = false;
  const std::vector<float> qkv = test::random_floats(T * width, 1);
  Memory memory(60);
  for (std::size_t t = 0; t < T; ++t) memory.store(qkv.data() + t * width, t);
  const std::vector<double> expected = reference({qkv.begin(), qkv.end()}, false);
  for (const std::size_t past : {0u, 7u, 39u}) {
    const std::vector<float> rest(qkv.begin() + static_cast<std::ptrdiff_t>(past * width), qkv.end());
    const AttentionSequence sequence = memory.sequence(0, T - past, past);
    const std::vector<float> out = attend(rest, {&sequence, 1}, 1, shape);
    const std::size_t skipped = past * kShape.key_offset();
    for (std::size_t i = 0; i < out.size(); ++i) CHECK(std::abs(double{out[i]} - expected[skipped + i]) < 50 * 1.2e-7);
  }
}

TEST_CASE("any split into past and new tokens and any neighbour give the same bits") {
  const std::size_t T = 40, width = kShape.qkv_width();
  const std::vector<float> qkv = test::random_floats(T * width, 2);
  Memory memory(T);
  for (std::size_t t = 0; t < T; ++t) memory.store(qkv.data() + t * width, t);
  const AttentionSequence whole = memory.sequence(0, T, 0);
  const std::vector<float> expected = attend(qkv, {&whole, 1});
  for (std::size_t past = 1; past < T; ++past) {
    const std::vector<float> rest(qkv.begin() + static_cast<std::ptrdiff_t>(past * width), qkv.end());
    const AttentionSequence sequence = memory.sequence(0, T - past, past);
    const std::vector<float> out = attend(rest, {&sequence, 1});
    CHECK(
        std::equal(out.begin(), out.end(), expected.begin() + static_cast<std::ptrdiff_t>(past * kShape.key_offset())));
  }
  const AttentionSequence pieces[] = {memory.sequence(0, 13, 0), memory.sequence(13, 1, 13),
                                      memory.sequence(14, 26, 14)};
  CHECK(attend(qkv, pieces) == expected);
}

TEST_CASE("heads that several threads compute have the bits of one thread") {
#ifdef __EMSCRIPTEN__
  MESSAGE("skipped: a build without threads");
#else
  const std::size_t T = 100, width = kShape.qkv_width();  // 2 T T H D = 600,000 multiply-adds: worth threads
  const std::vector<float> qkv = test::random_floats(T * width, 5);
  Memory memory(T);
  for (std::size_t t = 0; t < T; ++t) memory.store(qkv.data() + t * width, t);
  const AttentionSequence whole = memory.sequence(0, T, 0);
  const std::vector<float> expected = attend(qkv, {&whole, 1});
  for (const std::size_t threads : {2u, 3u}) CHECK(attend(qkv, {&whole, 1}, threads) == expected);
#endif
}

TEST_CASE("the gradient of queries, keys and values agrees with finite differences") {
  const std::size_t T = 21, width = kShape.qkv_width();
  const std::vector<float> qkv = test::random_floats(T * width, 3),
                           d_out = test::random_floats(T * kShape.key_offset(), 4);
  const Memory memory(T);
  const AttentionSequence sequence = memory.sequence(0, T, 0);
  for (const bool causal : {true, false}) {
    AttentionShape shape = kShape;
    shape.causal = causal;
    std::vector<float> d_qkv(T * width, test::kPoison), scratch(attention_backward_scratch(kShape, T), test::kPoison);
    ThreadPool pool;
    attention_backward(shape, View<const float, 2>(qkv.data(), {T, width}),
                       View<const float, 2>(d_out.data(), {T, kShape.key_offset()}), {&sequence, 1},
                       {scratch.data(), {1, scratch.size()}}, {d_qkv.data(), {T, width}}, pool);
    std::vector<double> x(qkv.begin(), qkv.end());
    const auto weighted = [&] {
      const std::vector<double> out = reference(x, causal);
      double sum = 0;
      for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * double{d_out[i]};
      return sum;
    };
    for (std::size_t i = 0; i < x.size(); i += 3) {
      const double before = x[i], h = 1e-6;
      x[i] = before + h;
      const double above = weighted();
      x[i] = before - h;
      const double below = weighted();
      x[i] = before;
      // Up to 21 tokens and 3 heads add terms of about 1: 63 * 8 eps; the differences are good to 1e-8.
      CHECK(std::abs(double{d_qkv[i]} - (above - below) / (2 * h)) < 6e-5);
    }
  }
}

}  // namespace
}  // namespace vitrine
