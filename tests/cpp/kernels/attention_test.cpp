// Tests of kernels/attention.hpp: the worked example, the double twin, masks over unwritten memory, and the property
// that a sequence may be cut anywhere into calls.
#include "kernels/attention.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/attention.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kRounding;
using test::other_bits;
using test::random_floats;
using test::widen;

/// One key/value head with G query heads over T tokens, all drawn at random, with memory for more positions than that.
struct Example {
  size_t T, G, D, value_stride;
  std::vector<float> queries, keys, values, key_blocks, value_rows;

  Example(size_t tokens, size_t group, size_t head_dim, float unwritten)
      : T(tokens),
        G(group),
        D(head_dim),
        value_stride(head_dim + 3),
        queries(random_floats(T * G * D, 1, -2.0, 2.0)),
        keys(random_floats(T * D, 2, -2.0, 2.0)),
        values(random_floats(T * D, 3)),
        key_blocks(key_blocks_size(T + 20, D), unwritten),
        value_rows((T + 20) * value_stride, unwritten) {
    for (size_t s = 0; s < T; ++s) {
      store_key(keys.data() + s * D, s, key_blocks.data(), D);
      for (size_t d = 0; d < D; ++d) value_rows[s * value_stride + d] = values[s * D + d];
    }
  }

  AttentionHead head(size_t past, size_t tokens) const {
    return {.queries = queries.data() + past * G * D,
            .query_token_stride = G * D,
            .rows = tokens * G,
            .group = G,
            .past = past,
            .D = D,
            .key_blocks = key_blocks.data(),
            .values = value_rows.data(),
            .value_stride = value_stride,
            .scale = 0.4f};
  }
};

struct Result {
  std::vector<float> weights, out;
};

/// Attention of tokens [past, past + tokens) of the example: weights [tokens, G, past + tokens], out [tokens, G, D].
template <class Arch>
Result attend(const Example& example, size_t past, size_t tokens) {
  const size_t rows = tokens * example.G, positions = past + tokens;
  Guarded weights(rows * positions, tokens % 4), out(rows * example.D, past % 4);
  attention_head<Arch>(example.head(past, tokens), weights.data(), positions, out.data(), example.G * example.D);
  CHECK(weights.margins_intact());
  CHECK(out.margins_intact());
  return {weights.values(), out.values()};
}

TEST_CASE_TEMPLATE("scores 1.2, 0.3, -0.4, 1.8 give the weights 0.2915, 0.1185, 0.0589, 0.5311", Arch,
                   VITRINE_MACHINES) {
  const std::vector<float> keys = {1.2f, 0.3f, -0.4f, 1.8f}, values = {1.0f, 10.0f, 100.0f, 1000.0f};
  const float query = 1.0f;
  std::vector<float> key_blocks(key_blocks_size(4, 1));
  for (size_t s = 0; s < 4; ++s) store_key(&keys[s], s, key_blocks.data(), 1);
  Guarded weights(4), out(1);
  attention_head<Arch>({&query, 1, 1, 1, 3, 1, key_blocks.data(), values.data(), 1, 1.0f}, weights.data(), 4,
                       out.data(), 1);
  CHECK(test::beyond(weights.values(), {0.2915, 0.1185, 0.0589, 0.5311}, std::vector<double>(4, 0.00005)) == "");
  CHECK(out.data()[0] == doctest::Approx(0.2915 + 1.185 + 5.89 + 531.1).epsilon(1e-3));
}

TEST_CASE_TEMPLATE("attention agrees with its double twin for any length, group and head dimension", Arch,
                   VITRINE_MACHINES) {
  for (const size_t T : {size_t{1}, size_t{2}, size_t{7}, size_t{16}, size_t{17}, size_t{40}}) {
    for (const size_t G : {size_t{1}, size_t{2}, size_t{3}, size_t{8}}) {
      for (const size_t D : {size_t{1}, size_t{4}, size_t{6}, size_t{20}, size_t{64}}) {
        const Example example(T, G, D, std::nanf(""));
        const Result found = attend<Arch>(example, 0, T);
        std::vector<double> weights(T * G * T), out(T * G * D), weight_tolerance, out_tolerance;
        reference::attention_head(widen(example.queries).data(), widen(example.keys).data(),
                                  widen(example.values).data(), T, G, 0, D, 0.4f, weights.data(), out.data());
        // A score is off by (D + 9) roundings of at most 0.4 * 4 D, which its exponential makes relative; so are the
        // rounding of score - max, and of exp, sum and quotient together 2 + T/16 + 6. A value sum adds T + 8 more.
        const double score = (static_cast<double>(D) + 9.0) * 1.6 * static_cast<double>(D);
        const double roundings = 2.0 * score + 3.2 * static_cast<double>(D) + 8.0 + static_cast<double>(T) / 16;
        for (const double weight : weights) weight_tolerance.push_back(kRounding * roundings * weight + 1e-37);
        out_tolerance.assign(out.size(), kRounding * (roundings + static_cast<double>(T) + 8.0));  // values below 1
        CAPTURE(T);
        CAPTURE(G);
        CAPTURE(D);
        REQUIRE(test::beyond(found.weights, weights, weight_tolerance) == "");
        REQUIRE(test::beyond(found.out, out, out_tolerance) == "");
        const Result plain = attend<test::PlainArch>(example, 0, T);
        REQUIRE(other_bits(found.weights, plain.weights) == "");
        REQUIRE(other_bits(found.out, plain.out) == "");
      }
    }
  }
}

TEST_CASE_TEMPLATE("a sequence cut anywhere into (past, new tokens) gives the bits of one call", Arch,
                   VITRINE_MACHINES) {
  for (const size_t G : {size_t{1}, size_t{3}}) {
    const size_t T = 37, D = 20;
    const Example example(T, G, D, std::nanf(""));
    const Result whole = attend<Arch>(example, 0, T);
    for (size_t past = 0; past < T; ++past) {
      for (const size_t tokens : {size_t{1}, size_t{5}, T - past}) {
        if (past + tokens > T) continue;
        const Result part = attend<Arch>(example, past, tokens);
        CAPTURE(past);
        CAPTURE(tokens);
        for (size_t row = 0; row < tokens * G; ++row) {
          const size_t seen = past + tokens;
          const float* whole_weights = whole.weights.data() + (past * G + row) * T;
          const float* whole_out = whole.out.data() + (past * G + row) * D;
          REQUIRE(other_bits({part.weights.data() + row * seen, part.weights.data() + (row + 1) * seen},
                             {whole_weights, whole_weights + seen}) == "");
          REQUIRE(other_bits({part.out.data() + row * D, part.out.data() + (row + 1) * D},
                             {whole_out, whole_out + D}) == "");
        }
      }
    }
  }
}

/// Attention of tokens [past, T) in the declared order, written as plainly as it can be said.
Result attend_in_declared_order(const Example& x, size_t past) {
  const size_t rows = (x.T - past) * x.G;
  Result result{std::vector<float>(rows * x.T, 0.0f), std::vector<float>(rows * x.D, 0.0f)};
  for (size_t row = 0; row < rows; ++row) {
    const size_t visible = past + row / x.G + 1;
    float* weights = result.weights.data() + row * x.T;
    for (size_t s = 0; s < visible; ++s) {
      float score = 0.0f;
      for (size_t d = 0; d < x.D; ++d) {
        const float product = x.queries[(past * x.G + row) * x.D + d] * x.keys[s * x.D + d];
        score = score + product;
      }
      weights[s] = score * 0.4f;
    }
    softmax<test::PlainArch>(weights, weights, visible);
    for (size_t d = 0; d < x.D; ++d) {
      for (size_t s = 0; s < visible; ++s) {
        const float product = weights[s] * x.values[s * x.D + d];
        result.out[row * x.D + d] = result.out[row * x.D + d] + product;
      }
    }
  }
  return result;
}

TEST_CASE_TEMPLATE("attention follows the declared order to the bit, however long the sequence or wide the head", Arch,
                   VITRINE_MACHINES) {
  // The kernel takes sequences and heads in pieces of 1024 or 1536; 1700 makes two of either.
  for (const auto& [T, D] : {std::pair<size_t, size_t>{1700, 3}, {9, 1700}, {33, 24}}) {
    const Example example(T, 2, D, std::nanf(""));
    const size_t past = T - 9;
    const Result found = attend<Arch>(example, past, 9), expected = attend_in_declared_order(example, past);
    CHECK(other_bits(found.weights, expected.weights) == "");
    CHECK(other_bits(found.out, expected.out) == "");
  }
}

TEST_CASE_TEMPLATE("what lies in memory beyond the visible positions changes no bit", Arch, VITRINE_MACHINES) {
  for (const size_t T : {size_t{3}, size_t{16}, size_t{21}}) {
    const Result clean = attend<Arch>(Example(T, 2, 24, 0.0f), 0, T);
    for (const float unwritten : {std::nanf(""), std::numeric_limits<float>::infinity(), 1e38f}) {
      const Result dirty = attend<Arch>(Example(T, 2, 24, unwritten), 0, T);
      CHECK(other_bits(dirty.weights, clean.weights) == "");
      CHECK(other_bits(dirty.out, clean.out) == "");
    }
  }
}

TEST_CASE_TEMPLATE("a later token, even one that is NaN, changes nothing before it", Arch, VITRINE_MACHINES) {
  const size_t T = 20, G = 2, D = 16;
  const Example example(T, G, D, 0.0f);
  const Result before = attend<Arch>(example, 0, T);
  for (size_t changed = 1; changed < T; ++changed) {
    Example other = example;
    const std::vector<float> nan(D, std::nanf(""));
    store_key(nan.data(), changed, other.key_blocks.data(), D);
    for (size_t d = 0; d < D; ++d) other.value_rows[changed * other.value_stride + d] = std::nanf("");
    const Result after = attend<Arch>(other, 0, T);
    const size_t same = changed * G * D;
    REQUIRE(other_bits({after.out.data(), after.out.data() + same}, {before.out.data(), before.out.data() + same}) ==
            "");
    REQUIRE(std::isnan(after.out[same]));
  }
}

TEST_CASE_TEMPLATE("weights are exactly 0 where a row does not see", Arch, VITRINE_MACHINES) {
  const size_t T = 19;
  const Result result = attend<Arch>(Example(T, 1, 8, 5.0f), 0, T);
  for (size_t t = 0; t < T; ++t) {
    for (size_t s = 0; s < T; ++s) {
      if (s > t) REQUIRE(std::bit_cast<std::uint32_t>(result.weights[t * T + s]) == 0u);
      if (s <= t) REQUIRE(result.weights[t * T + s] > 0.0f);
    }
  }
}

TEST_CASE_TEMPLATE("a query head computes the same bits alone as in its group", Arch, VITRINE_MACHINES) {
  const size_t T = 12, G = 4, D = 16;
  const Example example(T, G, D, std::nanf(""));
  const Result together = attend<Arch>(example, 0, T);
  for (size_t g = 0; g < G; ++g) {
    AttentionHead head = example.head(0, T);
    head.queries += g * D;
    head.rows = T;
    head.group = 1;
    Guarded weights(T * T), out(T * D);
    attention_head<Arch>(head, weights.data(), T, out.data(), D);
    for (size_t t = 0; t < T; ++t) {
      const float* expected = together.out.data() + (t * G + g) * D;
      REQUIRE(other_bits({out.data() + t * D, out.data() + (t + 1) * D}, {expected, expected + D}) == "");
    }
  }
}

TEST_CASE("store_key writes one lane of one block") {
  const size_t D = 3;
  Guarded blocks(key_blocks_size(40, D));
  CHECK(key_blocks_size(40, D) == 3 * 16 * D);
  const std::vector<float> key = {1.0f, 2.0f, 3.0f};
  store_key(key.data(), 18, blocks.data(), D);
  for (size_t i = 0; i < key_blocks_size(40, D); ++i) {
    const bool lane = i >= 16 * D && i < 32 * D && i % 16 == 2;
    CHECK((std::bit_cast<std::uint32_t>(blocks.data()[i]) != test::kPoisonBits) == lane);
    if (lane) CHECK(blocks.data()[i] == key[(i - 16 * D) / 16]);
  }
}

}  // namespace
}  // namespace vitrine::kernels
