// One head: products by the linear layer, weights and output by the attention layer, query by query, so that every
// step can be shown. The reference is the kernel's double twin.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "base/thread_pool.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/reference/attention.hpp"
#include "layers/attention.hpp"
#include "layers/linear.hpp"
#include "session/lesson_input.hpp"
#include "session/lessons.hpp"
#include "session/rounding.hpp"

namespace vitrine {
namespace {

constexpr LessonLimits kHeadLimits{16, 1000};

struct HandHead {
  LessonMatrix q, k, v;
  bool causal = true;

  std::size_t T() const { return q.rows; }
  std::size_t S() const { return k.rows; }
  std::size_t D() const { return q.columns; }
  /// Positions that query t sees: the last query sees all.
  std::size_t visible(std::size_t t) const { return causal ? S() - T() + t + 1 : S(); }
};

HandHead read_head(const Json& input) {
  JsonObjectReader reader(input, "attention_by_hand", ErrorCode::invalid_option);
  HandHead head{read_lesson_matrix(reader, "q", kHeadLimits), read_lesson_matrix(reader, "k", kHeadLimits),
                read_lesson_matrix(reader, "v", kHeadLimits), reader.boolean("causal")};
  reader.finish();
  const auto require = [](const char* name, const LessonMatrix& m, std::size_t rows, std::size_t columns) {
    VITRINE_CHECK(m.rows == rows && m.columns == columns, ErrorCode::invalid_option, "attention_by_hand: ", name,
                  ": expected rows x columns ", rows, " x ", columns, ", found ", m.rows, " x ", m.columns);
  };
  require("k", head.k, head.k.rows, head.D());
  require("v", head.v, head.S(), head.D());
  VITRINE_CHECK(head.T() <= head.S(), ErrorCode::invalid_option,
                "attention_by_hand: q: expected at most as many rows as k, ", head.S(), ", found ", head.T());
  return head;
}

/// What the layers make of a head.
struct HandResult {
  explicit HandResult(const HandHead& head)
      : products(head.T() * head.S()), weights(head.T() * head.S()), output(head.T() * head.D()) {}
  std::vector<float> products;  // [T, S]
  std::vector<float> scores;    // [T, S]
  std::vector<float> weights;   // [T, S]
  std::vector<float> output;    // [T, D]
};

void multiply_by_keys(const HandHead& head, ThreadPool& pool, std::vector<float>& products) {
  Arena arena(kernels::packed_size(head.S(), head.D()));
  const PackedMatrix packed{arena.take<1>({arena.capacity()}).data(), head.S(), head.D()};
  pack_linear(head.k.view(), packed, pool);
  linear_forward(head.q.view(), packed, View<float, 2>(products.data(), {head.T(), head.S()}), pool);
}

void attend_by_query(const HandHead& head, const AttentionShape& shape, ThreadPool& pool, HandResult& result) {
  const std::size_t S = head.S(), D = head.D();
  std::vector<float> blocks(kernels::key_blocks_size(S, D)), qkv(shape.qkv_width()),
      scratch(attention_scratch(shape, S));
  for (std::size_t s = 0; s < S; ++s) kernels::store_key(head.k.view()[s].data(), s, blocks.data(), D);
  for (std::size_t t = 0; t < head.T(); ++t) {
    std::copy_n(head.q.view()[t].data(), D, qkv.data());
    const AttentionSequence sequence{0, 1, head.visible(t) - 1, View<const float, 2>(blocks.data(), {1, blocks.size()}),
                                     View<const float, 3>(head.v.values.data(), {1, S, D})};
    attention_forward(shape, View<const float, 2>(qkv.data(), {1, qkv.size()}), {&sequence, 1},
                      View<float, 2>(scratch.data(), {1, scratch.size()}),
                      View<float, 2>(result.output.data() + t * D, {1, D}), pool);
    std::copy_n(scratch.data(), head.visible(t), result.weights.data() + t * S);
  }
}

/// The same in double: the output [T, D].
std::vector<double> refer(const HandHead& head, const AttentionShape& shape) {
  const std::size_t S = head.S(), D = head.D();
  const std::vector<double> q(head.q.values.begin(), head.q.values.end());
  const std::vector<double> k(head.k.values.begin(), head.k.values.end());
  const std::vector<double> v(head.v.values.begin(), head.v.values.end());
  std::vector<double> weights(S), output(head.T() * D);
  const double scale = 1.0 / std::sqrt(static_cast<double>(shape.head_dim));
  for (std::size_t t = 0; t < head.T(); ++t) {
    reference::attention_head(q.data() + t * D, k.data(), v.data(), 1, 1, head.visible(t) - 1, D, scale, weights.data(),
                              output.data() + t * D);
  }
  return output;
}

/// A product of D terms errs by gamma(D) of the sum of their sizes, its scaling by 3 u more (root, quotient, product);
/// the output is a sum of S products of a weight and a value: gamma(S) of the largest value, and the weights' own
/// error.
double output_tolerance(const HandHead& head) {
  const std::size_t S = head.S(), D = head.D();
  double largest_score = 0, largest_value = 0;
  for (std::size_t t = 0; t < head.T(); ++t) {
    for (std::size_t s = 0; s < S; ++s) {
      double sum = 0;
      for (std::size_t d = 0; d < D; ++d) {
        sum += std::abs(static_cast<double>(head.q.view()[t][d]) * static_cast<double>(head.k.view()[s][d]));
      }
      largest_score = std::max(largest_score, sum / std::sqrt(static_cast<double>(D)));
    }
  }
  for (const float value : head.v.values) largest_value = std::max(largest_value, std::abs(static_cast<double>(value)));
  const double score_error = largest_score * gamma(static_cast<double>(D) + 3);
  return largest_value * (softmax_tolerance(largest_score, score_error, S) + gamma(static_cast<double>(S)));
}

Json masked_json(const HandHead& head, const std::vector<float>& scores) {
  Json rows = Json::array();
  for (std::size_t t = 0; t < head.T(); ++t) {
    Json row = Json::array();
    for (std::size_t s = 0; s < head.S(); ++s) {
      row.push_back(s < head.visible(t) ? Json(scores[t * head.S() + s]) : Json(nullptr));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Json attention_by_hand_lesson(const Json& input) {
  const HandHead head = read_head(input);
  const AttentionShape shape{1, 1, head.D()};
  ThreadPool pool(1);
  HandResult result(head);
  multiply_by_keys(head, pool, result.products);
  result.scores = result.products;
  kernels::scale(result.scores.data(), shape.scale(), result.scores.data(), result.scores.size());
  attend_by_query(head, shape, pool, result);
  const std::vector<double> reference = refer(head, shape);
  Json reference_rows = Json::array();
  for (std::size_t t = 0; t < head.T(); ++t) {
    const double* row = reference.data() + t * head.D();
    reference_rows.push_back(std::vector<double>(row, row + head.D()));
  }
  const Json t_by_d = {head.T(), head.D()}, s_by_d = {head.S(), head.D()}, t_by_s = {head.T(), head.S()};
  const auto rows_of = [&](const std::vector<float>& values, std::size_t columns) {
    return lesson_matrix_json(View<const float, 2>(values.data(), {head.T(), columns}));
  };
  return {{"shapes",
           {{"q", t_by_d}, {"k", s_by_d}, {"v", s_by_d}, {"scores", t_by_s}, {"weights", t_by_s}, {"output", t_by_d}}},
          {"scale", shape.scale()},
          {"products", rows_of(result.products, head.S())},
          {"scores", rows_of(result.scores, head.S())},
          {"masked", masked_json(head, result.scores)},
          {"weights", rows_of(result.weights, head.S())},
          {"output", rows_of(result.output, head.D())},
          {"reference", std::move(reference_rows)},
          {"max_difference", max_difference(result.output, reference)},
          {"tolerance", output_tolerance(head)}};
}

}  // namespace vitrine
