#include "sampling/policy.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kVocab = 100;

Policy parse(const std::string& options, const Policy& defaults = {}) {
  return parse_policy(parse_json(options, "test"), kVocab, defaults);
}

TEST_CASE("no option is the model's own distribution") {
  const Policy policy = parse("{}");
  CHECK(policy.mode == PolicyMode::sample);
  CHECK(policy.temperature == 1.0);
  CHECK(policy.top_k == 0);
  CHECK(policy.top_p == 1.0);
  CHECK(policy.min_p == 0.0);
  CHECK(policy.logit_bias.empty());
  CHECK_FALSE(policy.penalises());
  CHECK(policy.min_new_tokens == 0);
  CHECK_FALSE(policy.seed.has_value());
  CHECK(policy == Policy{});
}

TEST_CASE("every option is read, and the effective policy reads back equal") {
  const Policy policy = parse(R"({"version": 1, "mode": "sample", "temperature": 0.7, "top_k": 40, "top_p": 0.9,
      "min_p": 0.05, "seed": 9007199254740991, "max_new_tokens": 12, "stop_tokens": [0, 99], "stop": ["\n", "END"],
      "logit_bias": {"99": -100, "0": 2.5}, "repetition_penalty": 1.2, "presence_penalty": 0.5,
      "frequency_penalty": -0.25, "penalty_window": 64, "penalty_prompt": true, "min_new_tokens": 3,
      "context_overflow": "stop"})");
  CHECK(policy.temperature == 0.7);
  CHECK(policy.top_k == 40);
  CHECK(policy.top_p == 0.9);
  CHECK(policy.min_p == 0.05);
  CHECK(policy.seed == 9007199254740991u);
  CHECK(policy.logit_bias == std::vector<TokenBias>{{0, 2.5}, {99, -100}});
  CHECK(policy.repetition_penalty == 1.2);
  CHECK(policy.presence_penalty == 0.5);
  CHECK(policy.frequency_penalty == -0.25);
  CHECK(policy.penalty_window == 64);
  CHECK(policy.penalty_prompt);
  CHECK(policy.max_new_tokens == 12);
  CHECK(policy.min_new_tokens == 3);
  CHECK(policy.stop_tokens == std::vector<TokenId>{0, 99});
  CHECK(policy.stop == std::vector<std::string>{"\n", "END"});
  CHECK(parse_policy(write_policy(policy), kVocab) == policy);
  CHECK(parse_policy(parse_json(json_text(write_policy(policy)), "test"), kVocab) == policy);
  const Policy greedy = parse(R"({"mode": "greedy", "seed": 0})");
  CHECK(parse_policy(write_policy(greedy), kVocab) == greedy);
}

TEST_CASE("a wrong option is refused by name, with what was expected and found") {
  struct Wrong {
    const char* options;
    const char* names;
    const char* expected;
  };
  const std::vector<Wrong> wrong = {
      {R"({"temprature": 1})", "temprature", "found"},
      {R"({"version": 2})", "version", "1"},
      {R"({"mode": "argmax"})", "mode", "\"greedy\" or \"sample\""},
      {R"({"mode": 1})", "mode", "string"},
      {R"({"temperature": 0})", "temperature", "use mode greedy"},
      {R"({"temperature": -0.0})", "temperature", "use mode greedy"},
      {R"({"temperature": 1e-45})", "temperature", "0.001 to 1000"},
      {R"({"temperature": -1})", "temperature", "0.001 to 1000"},
      {R"({"temperature": 1001})", "temperature", "0.001 to 1000"},
      {R"({"temperature": "0"})", "temperature", "number"},
      {R"({"temperature": null})", "temperature", "found null"},
      {R"({"temperature": true})", "temperature", "number"},
      {R"({"top_k": -1})", "top_k", "0 to 100"},
      {R"({"top_k": 101})", "top_k", "0 to 100"},
      {R"({"top_k": 2.5})", "top_k", "integer"},
      {R"({"top_k": 18446744073709551616})", "top_k", "integer"},
      {R"({"top_p": 0})", "top_p", "above 0"},
      {R"({"top_p": 1.0000001})", "top_p", "1"},
      {R"({"top_p": -0.1})", "top_p", "0"},
      {R"({"min_p": 1.5})", "min_p", "0 to 1"},
      {R"({"min_p": -1})", "min_p", "0 to 1"},
      {R"({"seed": -1})", "seed", "9007199254740991"},
      {R"({"seed": 9007199254740992})", "seed", "9007199254740991"},
      {R"({"seed": 1.5})", "seed", "integer"},
      {R"({"seed": "random"})", "seed", "integer"},
      {R"({"max_new_tokens": 0})", "max_new_tokens", "1 to 1000000"},
      {R"({"max_new_tokens": 2147483648})", "max_new_tokens", "1 to 1000000"},
      {R"({"stop_tokens": [100]})", "stop_tokens", "0 to 99"},
      {R"({"stop_tokens": [-1]})", "stop_tokens", "0 to 99"},
      {R"({"stop_tokens": [3, 3]})", "stop_tokens", "different"},
      {R"({"stop_tokens": 3})", "stop_tokens", "array"},
      {R"({"stop": ["a", ""]})", "stop[1]", "1 to 256 bytes, found 0"},
      {R"({"stop": "\n"})", "stop", "array"},
      {R"({"stop": ["a", "a"]})", "stop", "different"},
      {R"({"mode": "greedy", "temperature": 1})", "temperature", "mode greedy"},
      {R"({"mode": "greedy", "top_k": 1})", "top_k", "mode greedy"},
      {R"({"mode": "greedy", "top_p": 0.5})", "top_p", "mode greedy"},
      {R"({"mode": "greedy", "min_p": 0.5})", "min_p", "mode greedy"},
      {R"({"repetition_penalty": 0})", "repetition_penalty", "0.01 to 100"},
      {R"({"repetition_penalty": 101})", "repetition_penalty", "0.01 to 100"},
      {R"({"presence_penalty": 2.1})", "presence_penalty", "-2 to 2"},
      {R"({"frequency_penalty": -2.1})", "frequency_penalty", "-2 to 2"},
      {R"({"frequency_penalty": "1"})", "frequency_penalty", "number"},
      {R"({"presence_penalty": 1, "penalty_window": -1})", "penalty_window", "0 to 1000000"},
      {R"({"penalty_window": 8})", "penalty_window", "no penalty is on"},
      {R"({"penalty_prompt": true})", "penalty_prompt", "no penalty is on"},
      {R"({"presence_penalty": 1, "penalty_prompt": 1})", "penalty_prompt", "true or false"},
      {R"({"logit_bias": [[1, 2]]})", "logit_bias", "object"},
      {R"({"logit_bias": {"100": 1}})", "logit_bias", "0 to 99"},
      {R"({"logit_bias": {"1": 100.5}})", "logit_bias: 1", "-100 to 100"},
      {R"({"logit_bias": {"1": "2"}})", "logit_bias: 1", "number"},
      {R"({"logit_bias": {"1": null}})", "logit_bias: 1", "found null"},
      {R"({"stop_tokens": [1], "min_new_tokens": -1})", "min_new_tokens", "0 to 1000000"},
      {R"({"min_new_tokens": 1})", "min_new_tokens", "no stop tokens"},
      {R"({"stop_tokens": [1], "min_new_tokens": 9, "max_new_tokens": 8})", "min_new_tokens", "at most max_new_tokens"},
      {R"({"context_overflow": "shift"})", "context_overflow", "\"stop\""},
      {R"({"context_overflow": "truncate"})", "context_overflow", "found \"truncate\""},
      {R"({"context_overflow": true})", "context_overflow", "string"},
      {R"({"no_repeat_ngram_size": 2})", "no_repeat_ngram_size", "found"},
      {R"([])", "policy", "object"},
  };
  for (const Wrong& wrong_case : wrong) {
    CAPTURE(wrong_case.options);
    CHECK_ERROR(ErrorCode::invalid_option, wrong_case.names, parse(wrong_case.options));
    CHECK_ERROR(ErrorCode::invalid_option, wrong_case.expected, parse(wrong_case.options));
  }
  CHECK_ERROR(ErrorCode::invalid_option, "stop[0]: expected 1 to 256 bytes, found 257",
              parse(str(R"({"stop": [")", std::string(257, 'x'), "\"]}")));
  std::string many = "0";
  for (int id = 1; id <= 64; ++id) many += str(", ", id);
  CHECK_ERROR(ErrorCode::invalid_option, "at most 64", parse(str(R"({"stop_tokens": [)", many, "]}")));
  Json biases = Json::object();
  for (int id = 0; id < 257; ++id) biases[std::to_string(id)] = 1;
  CHECK_ERROR(ErrorCode::invalid_option, "at most 256", parse_policy({{"logit_bias", biases}}, 1000));
  const Policy ends_everywhere = parse(R"({"stop_tokens": [0, 1, 2]})");
  CHECK_ERROR(ErrorCode::invalid_option, "every token is a stop token",
              parse_policy({{"min_new_tokens", 1}}, 3, ends_everywhere));
}

TEST_CASE("numbers that are not finite are refused however they arrive") {
  for (const double bad :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    for (const char* option : {"temperature", "top_k", "top_p", "min_p", "seed", "max_new_tokens", "min_new_tokens",
                               "repetition_penalty", "presence_penalty", "frequency_penalty", "penalty_window"}) {
      Json json = Json::object();
      json[option] = bad;
      CHECK_ERROR(ErrorCode::invalid_option, option, parse_policy(json, kVocab));
    }
  }
}

TEST_CASE("the edges of every range are accepted") {
  for (const char* options : {R"({"temperature": 0.001})",
                              R"({"temperature": 1000})",
                              R"({"top_k": 0})",
                              R"({"top_k": 1})",
                              R"({"top_k": 100})",
                              R"({"top_p": 1e-300})",
                              R"({"top_p": 1})",
                              R"({"min_p": 0})",
                              R"({"min_p": 1})",
                              R"({"seed": 0})",
                              R"({"max_new_tokens": 1})",
                              R"({"max_new_tokens": 1000000})",
                              R"({"stop_tokens": []})",
                              R"({"stop": []})",
                              R"({"logit_bias": {}})",
                              R"({"logit_bias": {"0": -100, "99": 100}})",
                              R"({"repetition_penalty": 0.01})",
                              R"({"repetition_penalty": 100})",
                              R"({"presence_penalty": -2, "frequency_penalty": 2, "penalty_window": 1000000})",
                              R"({"penalty_window": 0, "penalty_prompt": false, "min_new_tokens": 0})",
                              R"({"stop_tokens": [1], "min_new_tokens": 8, "max_new_tokens": 8})"}) {
    CAPTURE(options);
    CHECK_NOTHROW(parse(options));
  }
}

TEST_CASE("options stand on top of a default policy") {
  const Policy defaults = parse(R"({"temperature": 0.8, "top_k": 5, "max_new_tokens": 9, "stop_tokens": [1]})");
  const Policy same_mode = parse(R"({"top_p": 0.5})", defaults);
  CHECK(same_mode.temperature == 0.8);
  CHECK(same_mode.top_k == 5);
  CHECK(same_mode.top_p == 0.5);
  CHECK(same_mode.max_new_tokens == 9);
  // Another mode leaves the default's sampling behind, and nothing else.
  const Policy greedy = parse(R"({"mode": "greedy"})", defaults);
  CHECK(greedy.temperature == 1.0);
  CHECK(greedy.top_k == 0);
  CHECK(greedy.stop_tokens == std::vector<TokenId>{1});
  // An option without effect in the default's mode is refused like any other.
  CHECK_ERROR(ErrorCode::invalid_option, "temperature", parse(R"({"temperature": 0.5})", greedy));
  CHECK(parse(R"({"mode": "sample", "temperature": 0.5})", greedy).temperature == 0.5);
}

TEST_CASE("penalties hold in both modes, and stand when the mode changes") {
  const Policy defaults = parse(R"({"temperature": 0.8, "frequency_penalty": 1, "logit_bias": {"4": 1}})");
  const Policy greedy = parse(R"({"mode": "greedy", "penalty_window": 6})", defaults);
  CHECK(greedy.frequency_penalty == 1.0);
  CHECK(greedy.penalty_window == 6);
  CHECK(greedy.logit_bias == defaults.logit_bias);
  CHECK(parse_policy(write_policy(greedy), kVocab) == greedy);
}

TEST_CASE("what an option leaves without effect goes back to neutral, unless it is asked for") {
  const Policy defaults = parse(R"({"presence_penalty": 1, "penalty_window": 9, "penalty_prompt": true,
      "stop_tokens": [1], "min_new_tokens": 4})");
  const Policy off = parse(R"({"presence_penalty": 0, "stop_tokens": []})", defaults);
  CHECK(off == Policy{});
  CHECK_ERROR(ErrorCode::invalid_option, "penalty_window",
              parse(R"({"presence_penalty": 0, "penalty_window": 9})", defaults));
  CHECK_ERROR(ErrorCode::invalid_option, "min_new_tokens",
              parse(R"({"stop_tokens": [], "min_new_tokens": 4})", defaults));
  // A shorter text than the default's minimum is a contradiction, and not silently one or the other.
  CHECK_ERROR(ErrorCode::invalid_option, "at most max_new_tokens, 3, found 4",
              parse(R"({"max_new_tokens": 3})", defaults));
}

TEST_CASE("biases are kept by ascending token, so that equal policies are written alike") {
  const Policy one = parse(R"({"logit_bias": {"10": 1, "9": -1}})"),
               other = parse(R"({"logit_bias": {"9": -1, "10": 1}})");
  CHECK(one == other);
  CHECK(json_text(write_policy(one).at("logit_bias")) == R"({"9":-1.0,"10":1.0})");
}

TEST_CASE("a seed is resolved once, within the integers that JavaScript holds, and kept if given") {
  CHECK(resolve_seed({}, 0xFFFFFFFFFFFFFFFF).seed == PolicyLimits::kMaxSeed);
  CHECK(resolve_seed({}, 7).seed == 7u);
  CHECK(resolve_seed(parse(R"({"seed": 3})"), 7).seed == 3u);
  CHECK(write_policy(resolve_seed({}, 7)).at("seed") == 7);
}

TEST_CASE("a generation_config.json gives and takes the default policy") {
  CHECK(parse_generation_config("{}", kVocab).mode == PolicyMode::greedy);
  const Policy policy = parse_generation_config(
      R"({"_from_model_config": true, "bos_token_id": 1, "eos_token_id": [2, 3], "do_sample": true, "temperature": 0.6,
          "top_k": 10, "top_p": 0.9, "max_new_tokens": 64, "transformers_version": "4.40"})",
      kVocab);
  CHECK(policy.mode == PolicyMode::sample);
  CHECK(policy.temperature == 0.6);
  CHECK(policy.stop_tokens == std::vector<TokenId>{2, 3});
  CHECK(parse_generation_config(write_generation_config(policy), kVocab) == policy);
  CHECK(parse_generation_config(R"({"eos_token_id": 5})", kVocab).stop_tokens == std::vector<TokenId>{5});
  CHECK(parse_generation_config(R"({"eos_token_id": null, "temperature": null})", kVocab).stop_tokens.empty());
  const Policy penalised = parse_generation_config(
      R"({"do_sample": false, "eos_token_id": 2, "repetition_penalty": 1.1, "min_new_tokens": 2})", kVocab);
  CHECK(penalised.repetition_penalty == 1.1);
  CHECK(penalised.penalty_prompt);
  CHECK(penalised.min_new_tokens == 2);
  CHECK(parse_generation_config(write_generation_config(penalised), kVocab) == penalised);
  CHECK(parse_generation_config(R"({"repetition_penalty": 1.0})", kVocab) ==
        parse_generation_config(R"({"repetition_penalty": null})", kVocab));
  CHECK_ERROR(ErrorCode::invalid_option, "num_beams", parse_generation_config(R"({"num_beams": 4})", kVocab));
  CHECK_ERROR(ErrorCode::invalid_option, "temperature", parse_generation_config(R"({"temperature": 0.5})", kVocab));
  CHECK_ERROR(ErrorCode::invalid_option, "eos_token_id", parse_generation_config(R"({"eos_token_id": 100})", kVocab));
}

TEST_CASE("what a generation_config.json has no place for is refused by name, not left out") {
  for (const char* options :
       {R"({"seed": 1})", R"({"stop": ["a"]})", R"({"logit_bias": {"1": 1}})", R"({"presence_penalty": 1})",
        R"({"frequency_penalty": 1})", R"({"repetition_penalty": 1.1})",
        R"({"penalty_window": 5, "penalty_prompt": true, "repetition_penalty": 1.1})"}) {
    const Json json = parse_json(options, "test");
    CHECK_ERROR(ErrorCode::invalid_option, json.begin().key(), write_generation_config(parse_policy(json, kVocab)));
  }
}

}  // namespace
}  // namespace vitrine
