// Tests of kernels/attention_backward.hpp: against its double twin, and the twin against finite differences.
#include "kernels/attention_backward.hpp"

#include "kernels/kernel_testing.hpp"
#include "kernels/reference/attention_backward.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;
using test::kRounding;
using test::other_bits;
using test::random_floats;
using test::widen;

constexpr float kScale = 0.4f;

struct Gradients {
  std::vector<float> d_queries, d_keys, d_values;
};

/// The gradients of a random example with contiguous heads, added to 0.25.
template <class Arch>
Gradients gradients(size_t T, size_t G, size_t D, bool causal = true) {
  const std::vector<float> queries = random_floats(T * G * D, 1), keys = random_floats(T * D, 2),
                           values = random_floats(T * D, 3), d_out = random_floats(T * G * D, 4);
  Guarded d_queries(std::vector<float>(T * G * D, 0.25f), 1), d_keys(std::vector<float>(T * D, 0.25f), 2);
  Guarded d_values(std::vector<float>(T * D, 0.25f), 3), scratch(attention_backward_scratch(T, D), 1);
  attention_head_backward<Arch>({.T = T,
                                 .group = G,
                                 .D = D,
                                 .scale = kScale,
                                 .queries = queries.data(),
                                 .query_token_stride = G * D,
                                 .keys = keys.data(),
                                 .key_token_stride = D,
                                 .values = values.data(),
                                 .value_token_stride = D,
                                 .d_out = d_out.data(),
                                 .out_token_stride = G * D,
                                 .d_queries = d_queries.data(),
                                 .d_query_token_stride = G * D,
                                 .d_keys = d_keys.data(),
                                 .d_key_token_stride = D,
                                 .d_values = d_values.data(),
                                 .d_value_token_stride = D,
                                 .causal = causal},
                                scratch.data());
  for (Guarded* array : {&d_queries, &d_keys, &d_values, &scratch}) CHECK(array->margins_intact());
  return {d_queries.values(), d_keys.values(), d_values.values()};
}

void compare_with_twin(size_t T, size_t G, size_t D, bool causal, const Gradients& found) {
  std::vector<double> d_queries(T * G * D, 0.25), d_keys(T * D, 0.25), d_values(T * D, 0.25);
  reference::attention_head_backward(widen(random_floats(T * G * D, 1)).data(), widen(random_floats(T * D, 2)).data(),
                                     widen(random_floats(T * D, 3)).data(), T, G, D, kScale,
                                     widen(random_floats(T * G * D, 4)).data(), d_queries.data(), d_keys.data(),
                                     d_values.data(), causal);
  // All inputs are below 1. A weight has W = 2 * 0.4 D (D + 9) + 8 + T/16 roundings, d_weight D + 8 of D, and
  // d_score twice both, times a weight whose sum over s is 1; a key sees up to T G rows of it.
  const double wide = static_cast<double>(D), tokens = static_cast<double>(T), rows = tokens * static_cast<double>(G);
  const double weight = 0.8 * wide * (wide + 9.0) + 8.0 + tokens / 16;
  const double d_score = 2.0 * wide * (weight + 2.0 * wide + 16.0 + tokens / 16);
  const auto tolerance = [](size_t n, double roundings) { return std::vector<double>(n, kRounding * roundings); };
  CAPTURE(T);
  CAPTURE(G);
  CAPTURE(D);
  CAPTURE(causal);
  REQUIRE(test::beyond(found.d_queries, d_queries, tolerance(T * G * D, d_score + wide * (tokens + 8.0))) == "");
  REQUIRE(test::beyond(found.d_keys, d_keys, tolerance(T * D, std::sqrt(rows) * (d_score + wide * 8.0) + rows)) == "");
  REQUIRE(test::beyond(found.d_values, d_values, tolerance(T * D, std::sqrt(rows) * (weight + 8.0) + rows)) == "");
}

TEST_CASE_TEMPLATE("the gradients agree with the double twin for any length, group and head dimension, masked or not",
                   Arch, VITRINE_MACHINES) {
  for (const size_t T : {size_t{1}, size_t{2}, size_t{5}, size_t{17}, size_t{48}, size_t{53}, size_t{100}}) {
    for (const size_t G : {size_t{1}, size_t{3}}) {
      for (const size_t D : {size_t{1}, size_t{6}, size_t{32}}) {
        for (const bool causal : {true, false}) {
          const Gradients found = gradients<Arch>(T, G, D, causal);
          compare_with_twin(T, G, D, causal, found);
          const Gradients plain = gradients<test::PlainArch>(T, G, D, causal);
          REQUIRE(other_bits(found.d_queries, plain.d_queries) == "");
          REQUIRE(other_bits(found.d_keys, plain.d_keys) == "");
          REQUIRE(other_bits(found.d_values, plain.d_values) == "");
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("heads inside wider rows give the same bits as heads that lie alone, and touch nothing else", Arch,
                   VITRINE_MACHINES) {
  const size_t T = 21, G = 2, D = 12, width = 64, out_width = 40;
  const Gradients expected = gradients<Arch>(T, G, D);
  const std::vector<float> queries = random_floats(T * G * D, 1), keys = random_floats(T * D, 2),
                           values = random_floats(T * D, 3), d_out = random_floats(T * G * D, 4);
  std::vector<float> qkv(T * width, std::nanf("")), d_out_rows(T * out_width, std::nanf(""));
  std::vector<float> d_qkv(T * width, 0.25f);
  const size_t key_at = 26, value_at = 50;
  for (size_t t = 0; t < T; ++t) {
    std::copy_n(queries.data() + t * G * D, G * D, qkv.data() + t * width);
    std::copy_n(keys.data() + t * D, D, qkv.data() + t * width + key_at);
    std::copy_n(values.data() + t * D, D, qkv.data() + t * width + value_at);
    std::copy_n(d_out.data() + t * G * D, G * D, d_out_rows.data() + t * out_width + 5);
  }
  Guarded scratch(attention_backward_scratch(T, D));
  attention_head_backward<Arch>({T, G, D, kScale, qkv.data(), width, qkv.data() + key_at, width, qkv.data() + value_at,
                                 width, d_out_rows.data() + 5, out_width, d_qkv.data(), width, d_qkv.data() + key_at,
                                 width, d_qkv.data() + value_at, width},
                                scratch.data());
  std::vector<float> wanted(T * width, 0.25f);
  for (size_t t = 0; t < T; ++t) {
    std::copy_n(expected.d_queries.data() + t * G * D, G * D, wanted.data() + t * width);
    std::copy_n(expected.d_keys.data() + t * D, D, wanted.data() + t * width + key_at);
    std::copy_n(expected.d_values.data() + t * D, D, wanted.data() + t * width + value_at);
  }
  CHECK(other_bits(d_qkv, wanted) == "");
}

TEST_CASE("the twin's attention gradients are finite differences of the twin's attention") {
  const size_t T = 4, G = 2, D = 3;
  std::vector<double> queries = widen(random_floats(T * G * D, 5)), keys = widen(random_floats(T * D, 6)),
                      values = widen(random_floats(T * D, 7)), d_out = widen(random_floats(T * G * D, 8));
  for (const bool causal : {true, false}) {
    std::vector<double> weights(T * G * T), out(T * G * D), d_queries(T * G * D), d_keys(T * D), d_values(T * D);
    reference::attention_head_backward(queries.data(), keys.data(), values.data(), T, G, D, 0.7, d_out.data(),
                                       d_queries.data(), d_keys.data(), d_values.data(), causal);
    const auto loss = [&] {
      reference::attention_head(queries.data(), keys.data(), values.data(), T, G, 0, D, 0.7, weights.data(), out.data(),
                                causal);
      return reference::dot(out.data(), d_out.data(), out.size());
    };
    const auto check = [&](std::vector<double>& x, const std::vector<double>& gradient) {
      for (size_t i = 0; i < x.size(); ++i) {
        // Steps of 1e-5: 1e-10 from the third derivative, 1e-11 from rounding.
        CHECK(std::fabs(gradient[i] - test::finite_difference(loss, x, i)) < 1e-8);
      }
    };
    check(queries, d_queries);
    check(keys, d_keys);
    check(values, d_values);
  }
}

}  // namespace
}  // namespace vitrine::kernels
