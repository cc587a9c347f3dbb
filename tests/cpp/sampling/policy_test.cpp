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
  CHECK_FALSE(policy.seed.has_value());
  CHECK(policy == Policy{});
}

TEST_CASE("every option is read, and the effective policy reads back equal") {
  const Policy policy = parse(R"({"version": 1, "mode": "sample", "temperature": 0.7, "top_k": 40, "top_p": 0.9,
      "min_p": 0.05, "seed": 9007199254740991, "max_new_tokens": 12, "stop_tokens": [0, 99], "stop": ["\n", "END"]})");
  CHECK(policy.temperature == 0.7);
  CHECK(policy.top_k == 40);
  CHECK(policy.top_p == 0.9);
  CHECK(policy.min_p == 0.05);
  CHECK(policy.seed == 9007199254740991u);
  CHECK(policy.max_new_tokens == 12);
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
      {R"({"stop": [""]})", "stop", "1 to 256 bytes"},
      {R"({"stop": "\n"})", "stop", "array"},
      {R"({"stop": ["a", "a"]})", "stop", "different"},
      {R"({"mode": "greedy", "temperature": 1})", "temperature", "mode greedy"},
      {R"({"mode": "greedy", "top_k": 1})", "top_k", "mode greedy"},
      {R"({"mode": "greedy", "top_p": 0.5})", "top_p", "mode greedy"},
      {R"({"mode": "greedy", "min_p": 0.5})", "min_p", "mode greedy"},
      {R"([])", "policy", "object"},
  };
  for (const Wrong& wrong_case : wrong) {
    CAPTURE(wrong_case.options);
    CHECK_ERROR(ErrorCode::invalid_option, wrong_case.names, parse(wrong_case.options));
    CHECK_ERROR(ErrorCode::invalid_option, wrong_case.expected, parse(wrong_case.options));
  }
  CHECK_ERROR(ErrorCode::invalid_option, "stop", parse(str(R"({"stop": [")", std::string(257, 'x'), "\"]}")));
  std::string many = "0";
  for (int id = 1; id <= 64; ++id) many += str(", ", id);
  CHECK_ERROR(ErrorCode::invalid_option, "at most 64", parse(str(R"({"stop_tokens": [)", many, "]}")));
}

TEST_CASE("numbers that are not finite are refused however they arrive") {
  for (const double bad :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    for (const char* option : {"temperature", "top_k", "top_p", "min_p", "seed", "max_new_tokens"}) {
      Json json = Json::object();
      json[option] = bad;
      CHECK_ERROR(ErrorCode::invalid_option, option, parse_policy(json, kVocab));
    }
  }
}

TEST_CASE("the edges of every range are accepted") {
  for (const char* options : {R"({"temperature": 0.001})", R"({"temperature": 1000})", R"({"top_k": 0})",
                              R"({"top_k": 1})", R"({"top_k": 100})", R"({"top_p": 1e-300})", R"({"top_p": 1})",
                              R"({"min_p": 0})", R"({"min_p": 1})", R"({"seed": 0})", R"({"max_new_tokens": 1})",
                              R"({"max_new_tokens": 1000000})", R"({"stop_tokens": []})", R"({"stop": []})"}) {
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
  CHECK_ERROR(ErrorCode::invalid_option, "num_beams", parse_generation_config(R"({"num_beams": 4})", kVocab));
  CHECK_ERROR(ErrorCode::invalid_option, "temperature", parse_generation_config(R"({"temperature": 0.5})", kVocab));
  CHECK_ERROR(ErrorCode::invalid_option, "eos_token_id", parse_generation_config(R"({"eos_token_id": 100})", kVocab));
}

}  // namespace
}  // namespace vitrine
