// The table "Edge cases" of docs/policy.md, line by line: inputs at which other samplers failed, each with its meaning.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "kernels/softmax.hpp"
#include "sampling/pipeline.hpp"
#include "support/chi_square.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kVocab = 12;

Policy parse(const std::string& options) { return parse_policy(parse_json(options, "test"), kVocab); }

Draw draw(const std::vector<float>& logits, const Policy& policy, std::uint64_t step = 0,
          const DrawContext& context = {}) {
  return SamplingPipeline(logits.size()).draw(logits, policy, RandomStream(1), step, nullptr, context);
}

/// The ids that some of many draws give, ascending.
std::vector<TokenId> drawn(const std::vector<float>& logits, const Policy& policy) {
  std::vector<TokenId> ids;
  for (std::uint64_t step = 0; step < 400; ++step) ids.push_back(draw(logits, policy, step).token);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

const std::vector<PolicyMode> kModes = {PolicyMode::greedy, PolicyMode::sample};

TEST_CASE("ties go to the lowest ids, at every cut and in mode greedy") {
  const std::vector<float> logits = {0, 2, 1, 2, 2, 1};
  CHECK(drawn(logits, parse(R"({"mode": "greedy"})")) == std::vector<TokenId>{1});
  CHECK(drawn(logits, parse(R"({"top_k": 1})")) == std::vector<TokenId>{1});
  CHECK(drawn(logits, parse(R"({"top_k": 2})")) == std::vector<TokenId>{1, 3});
  CHECK(drawn(logits, parse(R"({"top_k": 4})")) == std::vector<TokenId>{1, 2, 3, 4});
  CHECK(drawn(logits, parse(R"({"top_p": 1e-300})")) == std::vector<TokenId>{1});
  CHECK(drawn(logits, parse(R"({"top_p": 0.3})")) == std::vector<TokenId>{1, 3});
  // min_p names a probability and not a number of tokens: what is as probable as the best stays.
  CHECK(drawn(logits, parse(R"({"min_p": 1})")) == std::vector<TokenId>{1, 3, 4});
}

TEST_CASE("equal logits: greedy takes id 0, and a draw is uniform at every temperature") {
  for (const float value : {0.0f, -0.0f, 3e38f, -3e38f, 1e-45f}) {
    const std::vector<float> logits(kVocab, value);
    CHECK(draw(logits, parse(R"({"mode": "greedy"})")).token == 0);
    for (const double temperature : {0.001, 1.0, 1000.0}) {
      Policy policy;
      policy.temperature = temperature;
      SamplingPipeline pipeline(kVocab);
      std::vector<std::size_t> counts(kVocab);
      for (std::uint64_t step = 0; step < 5000; ++step) {
        ++counts[static_cast<std::size_t>(pipeline.draw(logits, policy, RandomStream(2), step).token)];
      }
      CHECK(test::plausible(counts, std::vector<double>(kVocab, 1.0 / kVocab)));
    }
  }
}

TEST_CASE("zeros of either sign are equal") {
  CHECK(draw({-0.0f, 0.0f}, parse(R"({"mode": "greedy"})")).token == 0);
  CHECK(draw({0.0f, -0.0f}, parse(R"({"top_k": 1})")).token == 0);
  CHECK(draw({-0.0f, 0.0f}, parse(R"({"top_k": 1})")).token == 0);
}

TEST_CASE("-infinity is never drawn; everywhere it is an error, before penalties and after") {
  CHECK(drawn({-kInfinity, 0, -kInfinity, 0}, {}) == std::vector<TokenId>{1, 3});
  const std::vector<float> nothing(3, -kInfinity), even(3, 0.0f);
  const std::vector<std::uint8_t> none_allowed(3, 0);
  for (const PolicyMode mode : kModes) {
    Policy policy;
    policy.mode = mode;
    CHECK_ERROR(ErrorCode::not_finite, "logits: expected one token above -infinity", draw(nothing, policy));
    CHECK_ERROR(ErrorCode::not_finite, "logits after penalties: expected one token above -infinity",
                draw(even, policy, 0, {{}, {}, none_allowed}));
    policy.stop_tokens = {2};
    policy.min_new_tokens = 1;
    CHECK_ERROR(ErrorCode::not_finite, "after penalties", draw({-kInfinity, -kInfinity, 0}, policy));
    CHECK(draw({-kInfinity, 0, 0}, policy).token == 1);
  }
}

TEST_CASE("one NaN or +infinity is an error that names its token, wherever it is and whatever masks it") {
  const std::vector<TokenId> generated;
  for (const PolicyMode mode : kModes) {
    for (const float bad : {std::nanf(""), -std::nanf(""), kInfinity}) {
      for (std::size_t id = 0; id < kVocab; ++id) {
        std::vector<float> logits(kVocab, 1.0f);
        logits[id] = bad;
        std::vector<std::uint8_t> allowed(kVocab, 1);
        allowed[id] = 0;
        Policy policy;
        policy.mode = mode;
        policy.stop_tokens = {static_cast<TokenId>(id)};
        policy.min_new_tokens = 1;
        policy.top_k = mode == PolicyMode::sample ? 1 : 0;
        CHECK_ERROR(ErrorCode::not_finite, str("logits: token ", id, ":"),
                    draw(logits, policy, 0, {{}, generated, allowed}));
      }
    }
  }
}

TEST_CASE("a penalty that drives a logit out of range: below it is impossible, above it is an error") {
  const std::vector<TokenId> generated = {0};
  Policy policy;
  policy.repetition_penalty = 100;
  CHECK(draw({-3e38f, -3.2e38f}, policy, 0, {{}, generated, {}}).token == 1);
  policy.repetition_penalty = 0.01;
  CHECK_ERROR(ErrorCode::not_finite, "logits after penalties: token 0",
              draw({3e38f, 0}, policy, 0, {{}, generated, {}}));
}

TEST_CASE("temperatures that are none are refused; the smallest is as sharp as greedy but for exact ties") {
  for (const char* wrong : {"0", "-0.0", "1e-45", "-1", "1000.1", "1e400", "\"0\"", "\"1\"", "true", "null", "[1]"}) {
    CAPTURE(wrong);
    const auto code = std::string(wrong) == "1e400" ? ErrorCode::bad_json : ErrorCode::invalid_option;
    CHECK_ERROR(code, code == ErrorCode::bad_json ? "1e400" : "temperature",
                parse(str(R"({"temperature": )", wrong, "}")));
  }
  for (const double wrong : {std::nan(""), static_cast<double>(kInfinity), -static_cast<double>(kInfinity)}) {
    CHECK_ERROR(ErrorCode::invalid_option, "temperature", parse_policy({{"temperature", wrong}}, kVocab));
  }
  const Policy sharp = parse(R"({"temperature": 0.001})");
  CHECK(drawn({1.0f, 1.1f, 0.9f}, sharp) == std::vector<TokenId>{1});
  CHECK(drawn({1.0f, 1.1f, 1.1f}, sharp) == std::vector<TokenId>{1, 2});
}

TEST_CASE("top_k: 0 keeps all, 1 is the most probable token, the vocabulary's size is all, more is refused") {
  std::vector<float> logits(kVocab, 0.0f);
  logits[7] = 0.5f;
  CHECK(drawn(logits, parse(R"({"top_k": 0})")).size() == kVocab);
  CHECK(drawn(logits, parse(R"({"top_k": 12})")).size() == kVocab);
  CHECK(drawn(logits, parse(R"({"top_k": 1})")) == std::vector<TokenId>{7});
  CHECK_ERROR(ErrorCode::invalid_option, "top_k: expected an integer from 0 to 12, found 13",
              parse(R"({"top_k": 13})"));
}

TEST_CASE("top_p: 0 is refused, the smallest keeps one token, 1 keeps all, more is refused") {
  const std::vector<float> logits(kVocab, 0.0f);
  for (const char* wrong : {"0", "-0.0", "1.0000001", "-1e-9", "\"1\""}) {
    CHECK_ERROR(ErrorCode::invalid_option, "top_p", parse(str(R"({"top_p": )", wrong, "}")));
  }
  CHECK_ERROR(ErrorCode::invalid_option, "top_p", parse_policy({{"top_p", std::nan("")}}, kVocab));
  CHECK(drawn(logits, parse(R"({"top_p": 5e-324})")) == std::vector<TokenId>{0});
  CHECK(drawn(logits, parse(R"({"top_p": 1})")).size() == kVocab);
  CHECK(drawn(logits, parse(R"({"top_p": 0.9999999999999999})")).size() == kVocab);
}

TEST_CASE("a coin of 1 - 2^-24 over probabilities that sum to 0.9999999 lands on the last token that is kept") {
  // Found by search: draw 55,848,258 of this stream is above 1 - 2^-24, and these probabilities sum to 0.99999990.
  const RandomStream stream(12);
  const std::uint64_t step = 55'848'258;
  const double coin = stream.uniform_at(step);
  REQUIRE(coin >= 1.0 - 0x1p-24);
  std::vector<float> logits(40);
  RandomStream random(104);
  for (float& logit : logits) logit = static_cast<float>(6 * random.next_uniform() - 3);
  std::vector<float> probabilities(logits.size());
  kernels::softmax(logits.data(), probabilities.data(), logits.size());
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  REQUIRE(sum <
          0.9999999);  // to walk along the cumulated probabilities until they pass the coin would walk off the end
  SamplingPipeline pipeline(logits.size());
  for (const std::size_t top_k : {0, 1, 2, 17, 39}) {
    Policy policy;
    policy.top_k = top_k;
    DistributionTrace trace;
    const Draw last = pipeline.draw(logits, policy, stream, step, &trace);
    const std::size_t kept = top_k == 0 ? logits.size() : top_k;
    CHECK(trace.chosen_rank == kept - 1);
    CHECK(last.token == trace.ranked[kept - 1].token);
    CHECK(last.coin == coin);
  }
}

TEST_CASE("every integer option refuses what is negative, too large, a fraction or not a number, by name") {
  const std::vector<std::string> values = {"-1",
                                           "-2147483648",
                                           "2147483648",
                                           "4294967296",
                                           "9007199254740992",
                                           "1.5",
                                           "9223372036854775808",
                                           "18446744073709551616",
                                           "\"3\"",
                                           "1e3",
                                           "true",
                                           "null"};
  for (const char* option : {"version", "top_k", "penalty_window", "seed", "max_new_tokens", "min_new_tokens"}) {
    for (const std::string& value : values) {
      // A seed may have 53 bits.
      if (std::string(option) == "seed" && (value == "2147483648" || value == "4294967296")) continue;
      CAPTURE(option);
      CAPTURE(value);
      const std::string context = R"("presence_penalty": 1, "stop_tokens": [1], )";
      CHECK_ERROR(ErrorCode::invalid_option, option, parse(str("{", context, "\"", option, "\": ", value, "}")));
    }
    Json json = {{option, std::nan("")}};
    CHECK_ERROR(ErrorCode::invalid_option, option, parse_policy(json, kVocab));
  }
  for (const std::string& value : values) {
    CHECK_ERROR(ErrorCode::invalid_option, "stop_tokens", parse(str(R"({"stop_tokens": [)", value, "]}")));
  }
  for (const char* id : {"-1", "+1", "01", "1.0", "1e1", " 1", "1 ", "", "12", "2147483648", "4294967297", "1x"}) {
    CHECK_ERROR(ErrorCode::invalid_option, "logit_bias", parse(str(R"({"logit_bias": {")", id, "\": 1}}")));
  }
}

TEST_CASE("a seed leaves the temperature alone, and a temperature the seed") {
  CHECK(parse(R"({"seed": 5})").temperature == 1.0);
  CHECK_FALSE(parse(R"({"temperature": 0.5})").seed.has_value());
  const std::vector<float> logits(kVocab, 0.0f);
  SamplingPipeline pipeline(kVocab);
  const auto tokens = [&](std::uint64_t seed, double temperature) {
    Policy policy;
    policy.temperature = temperature;
    std::vector<TokenId> out;
    for (std::uint64_t step = 0; step < 40; ++step) {
      out.push_back(pipeline.draw(logits, policy, RandomStream(seed), step).token);
    }
    return out;
  };
  CHECK(tokens(1, 1.0) != tokens(2, 1.0));
  // Equal logits are uniform at any temperature, and the coin is the seed's alone.
  CHECK(tokens(1, 1.0) == tokens(1, 0.5));
}

TEST_CASE("recorded draws: the same on every machine, for as long as the policy's version is the same") {
  // 13 policies of every kind, 200 draws each over logits of their own. Another hash is another meaning of the options:
  // then Policy::kVersion and docs/policy.md change with it.
  const std::vector<std::string> policies = {
      R"({})",
      R"({"mode": "greedy"})",
      R"({"temperature": 0.001})",
      R"({"temperature": 1.9})",
      R"({"top_k": 7})",
      R"({"top_p": 0.7})",
      R"({"min_p": 0.2})",
      R"({"temperature": 1.3, "top_k": 40, "top_p": 0.9, "min_p": 0.05})",
      R"({"logit_bias": {"3": 4.5, "11": -100}})",
      R"({"repetition_penalty": 1.3, "penalty_prompt": true})",
      R"({"presence_penalty": 0.7, "frequency_penalty": -0.3, "penalty_window": 5})",
      R"({"mode": "greedy", "frequency_penalty": 1.5, "stop_tokens": [1, 2], "min_new_tokens": 9})",
      R"({"repetition_penalty": 0.9, "presence_penalty": 0.1, "temperature": 0.8, "top_p": 0.95})",
  };
  constexpr std::size_t kWide = 97;
  SamplingPipeline pipeline(kWide);
  std::string record;
  for (const std::string& options : policies) {
    const Policy policy = parse_policy(parse_json(options, "test"), kWide);
    const std::vector<TokenId> prompt = {3, 1, 4, 1, 5};
    std::vector<TokenId> generated;
    for (std::uint64_t step = 0; step < 200; ++step) {
      RandomStream random(step, 77);
      std::vector<float> logits(kWide);
      for (float& logit : logits) logit = static_cast<float>(12 * random.next_uniform() - 6);
      const Draw next = pipeline.draw(logits, policy, RandomStream(31, 4), step, nullptr, {prompt, generated, {}});
      generated.push_back(next.token);
      record += str(next.token, " ");
    }
    record += "\n";
  }
  CHECK(sha256_hex(record) == "a2961b836864f28cff902ae9d3f0fb39686f45075ca11ef5123b867c243df64e");
}

}  // namespace
}  // namespace vitrine
