#include "generate/parity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

using test::random_tokens;
using test::random_weights;
using test::tiny_config;

Transformer make_model(std::size_t max_batch_rows = 40) {
  return Transformer(tiny_config(), random_weights(tiny_config(), 3), {.max_batch_rows = max_batch_rows, .threads = 1});
}

TEST_CASE("every schedule gives the bits of the recomputed prefix at every length, and compares every token") {
  Transformer model = make_model();
  for (std::size_t tokens = 1; tokens <= tiny_config().max_seq_len; ++tokens) {
    CAPTURE(tokens);
    const ParityReport report = check_parity(model, random_tokens(tiny_config(), tokens, tokens));
    CHECK(report.passed() == (tokens >= 17));
    CHECK(report.tokens == tokens);
    CHECK(report.differing_bits() == 0);
    std::vector<std::string> names;
    for (const ScheduleReport& schedule : report.schedules) {
      CAPTURE(schedule.name);
      names.push_back(schedule.name);
      CHECK(schedule.logits_compared >= tokens * tiny_config().vocab_size);
      CHECK_FALSE(schedule.first_difference.has_value());
    }
    CHECK(names == std::vector<std::string>{"decode", "chunks_1", "chunks_3", "chunks_7", "chunks_16", "batch_5",
                                            "rewind_retype"});
  }
}

TEST_CASE("a wrong position is found by every schedule, with its place") {
  Transformer model = make_model();
  model.inject(Fault::position_off_by_one);
  const std::vector<TokenId> tokens = random_tokens(tiny_config(), 30, 1);
  const ParityReport report = check_parity(model, tokens);
  CHECK_FALSE(report.passed());
  for (const ScheduleReport& schedule : report.schedules) {
    CAPTURE(schedule.name);
    CHECK(schedule.differing_bits > 0);
    REQUIRE(schedule.first_difference.has_value());
    CHECK(schedule.first_difference->token >= 1);
    CHECK(schedule.first_difference->token < tokens.size());
    CHECK(schedule.first_difference->cached != schedule.first_difference->full_prefix);
  }
  CHECK(report.schedules[0].first_difference->token == 1);
  CHECK(report.schedules[2].first_difference->token == 3);
  model.inject(Fault::none);
  CHECK(check_parity(model, tokens).passed());
}

TEST_CASE("a schedule that a short sequence has no room for is named, and the check does not pass") {
  Transformer model = make_model();
  const auto missing = [&](std::size_t tokens) {
    return check_parity(model, random_tokens(tiny_config(), tokens, 1)).not_exercised();
  };
  using Names = std::vector<std::string>;
  CHECK(missing(1) == Names{"decode", "chunks_1", "chunks_3", "chunks_7", "chunks_16", "batch_5", "rewind_retype"});
  CHECK(missing(3) == Names{"chunks_3", "chunks_7", "chunks_16", "rewind_retype"});
  CHECK(missing(5) == Names{"chunks_7", "chunks_16", "rewind_retype"});
  CHECK(missing(6) == Names{"chunks_7", "chunks_16"});
  CHECK(missing(16) == Names{"chunks_16"});
  CHECK(missing(17).empty());
}

TEST_CASE("a context that no chunk of 16 fits into twice is checked by the shorter ones, and can pass") {
  ModelConfig config = tiny_config();
  config.max_seq_len = 16;
  Transformer model(config, random_weights(config, 3), {.max_batch_rows = 16, .threads = 1});
  const ParityReport report = check_parity(model, random_tokens(config, 16, 1));
  CHECK(report.passed());
  CHECK(report.schedules.size() == 6);
  CHECK(report.schedules[3].name == "chunks_7");
  CHECK(report.schedules[4].name == "batch_5");
}

TEST_CASE("a report without schedules, or with one that compared nothing, does not pass") {
  ParityReport report;
  CHECK_FALSE(report.passed());
  report.schedules.push_back({"decode", 10, 0, {}, true});
  CHECK(report.passed());
  report.schedules.push_back({"empty", 0, 0, {}, true});
  CHECK_FALSE(report.passed());
  report.schedules.back() = {"too short", 10, 0, {}, false};
  CHECK_FALSE(report.passed());
  CHECK(report.not_exercised() == std::vector<std::string>{"too short"});
  report.schedules.back() = {"wrong", 10, 1, {}, true};
  CHECK_FALSE(report.passed());
  CHECK(report.logits_compared() == 20);
  CHECK(report.differing_bits() == 1);
}

TEST_CASE("bits are counted, not values: zeros of different sign differ, equal NaNs do not") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto count = [](std::vector<float> a, std::vector<float> b) { return differing_bits(a, b); };
  CHECK(count({1, 2, 3}, {1, 2, 3}) == 0);
  CHECK(count({0.0f}, {-0.0f}) == 1);
  CHECK(count({nan}, {nan}) == 0);
  CHECK(count({1.0f}, {std::nextafter(1.0f, 2.0f)}) == 1);
  CHECK(count({1.0f, 0.0f}, {1.0f, -1.0f}) == 8);  // 0xBF800000
  CHECK(count({}, {}) == 0);
}

TEST_CASE("the full prefix gives the same bits in one call and in as many as the model needs") {
  const std::vector<TokenId> tokens = random_tokens(tiny_config(), 37, 5);
  std::vector<std::vector<float>> results;
  for (const std::size_t max_batch_rows : {40, 37, 36, 16, 1}) {
    Transformer model = make_model(max_batch_rows);
    KvCache cache = model.make_cache();
    const View<const float, 1> logits = full_prefix_logits(model, tokens, cache);
    results.emplace_back(logits.data(), logits.data() + logits.size());
    CHECK(differing_bits(results[0], results.back()) == 0);
  }
}

TEST_CASE("what cannot be compared is refused") {
  Transformer model = make_model();
  CHECK_ERROR(ErrorCode::bad_data, "found none", check_parity(model, {}));
  CHECK_ERROR(ErrorCode::context_full, "at most 40", check_parity(model, random_tokens(tiny_config(), 41, 1)));
  CHECK_ERROR(ErrorCode::invalid_token, "99", check_parity(model, std::vector<TokenId>{1, 99}));
  Transformer small = make_model(15);
  CHECK_ERROR(ErrorCode::invalid_option, "max_batch_rows", check_parity(small, std::vector<TokenId>{1}));

  NamedTensors weights;
  for (const auto& [name, tensor] : random_weights(tiny_config(), 3)) {
    Tensor copy = tensor;
    if (name == "model.norm.weight") copy.data[0] = std::nanf("");
    weights.insert(copy);
  }
  Transformer broken(tiny_config(), weights);
  CHECK_ERROR(ErrorCode::not_finite, "token 0", check_parity(broken, std::vector<TokenId>{1}));
}

}  // namespace
}  // namespace vitrine
