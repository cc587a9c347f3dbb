// Inputs that are too large to keep as files: made here, and each must end as it should, within its memory bound and
// without a hang. Small ones are in the corpus.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "support/target.hpp"

using namespace vitrine;

namespace {

/// `count` texts, each with its number in the place of the @, with commas between them.
std::string repeat(std::string_view text, std::size_t count) {
  const std::size_t mark = text.find('@');
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += ',';
    all += text.substr(0, mark);
    if (mark == text.npos) continue;
    all += std::to_string(i);
    all += text.substr(mark + 1);
  }
  return all;
}

std::string safetensors(const std::string& header) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

/// Runs the target of this name; says how the input ended.
std::string outcome_of(std::string_view name, const std::string& input) {
  for (const fuzz::Target& target : fuzz::targets()) {
    if (target.name != name) continue;
    target.run(input);
    return std::string(fuzz::last_outcome());
  }
  return "no such target";
}

}  // namespace

TEST_CASE("a hundred thousand tensors are refused, and as many as are allowed are read") {
  const std::string entry = R"("t@":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  CHECK(outcome_of("safetensors", safetensors("{" + repeat(entry, 100'000) + "}")) == "bad_safetensors");
  const std::string empty = R"("t@":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  CHECK(outcome_of("safetensors", safetensors("{" + repeat(empty, 65'536) + "}")) == "accepted");
  CHECK(outcome_of("safetensors", safetensors("{" + repeat(R"("t":0)", 100'000) + "}")) == "bad_json");
  CHECK(outcome_of("safetensors", safetensors("{" + repeat(R"("t@":0)", 2'000'001) + "}")) == "bad_json");
}

TEST_CASE("nesting of any depth is refused without recursion") {
  for (const std::string_view target :
       {"manifest", "tokenizer_json", "policy", "config_json", "template_json", "json"}) {
    CHECK(outcome_of(target, R"({"a":)" + nested(1'000'000) + "}") == "bad_json");
    CHECK(outcome_of(target, std::string(1'000'000, '[')) == "bad_json");
  }
  CHECK(outcome_of("safetensors", safetensors(R"({"a":)" + nested(1'000'000) + "}")) == "bad_json");
}

TEST_CASE("a string, a number and a text of many megabytes are read in time") {
  const std::string longest(32u << 20, 'x');
  CHECK(outcome_of("tokenizer_json", "{\"version\":\"" + longest) == "bad_json");
  CHECK(outcome_of("tokenizer_json", "{\"version\":\"" + longest + "\"}") == "unsupported_format");
  CHECK(outcome_of("tokenizer_json", std::string(65u << 20, ' ')) == "bad_json");
  CHECK(outcome_of("config_json", "{\"rms_norm_eps\":" + std::string(1u << 20, '9') + "}") == "bad_json");
  CHECK(outcome_of("config_json", "{\"model_type\":0." + std::string(1u << 20, '0') + "1}") == "bad_config");
  CHECK(outcome_of("manifest", std::string((1u << 20) + 1, ' ')) == "bad_json");
}

TEST_CASE("lists of a million entries are refused by their length, not compared with each other") {
  std::string ids = "[";
  for (int i = 0; i < 1'000'000; ++i) ids += std::to_string(i % 1000) + ",";
  ids.back() = ']';
  CHECK(outcome_of("policy", R"({"stop_tokens":)" + ids + "}") == "invalid_option");
  CHECK(outcome_of("generation_config", R"({"eos_token_id":)" + ids + "}") == "invalid_option");
  CHECK(outcome_of("policy", "{\"stop\":[" + repeat(R"("@")", 1'000'000) + "]}") == "invalid_option");
  CHECK(outcome_of("manifest", R"({"format":"vitrine-bundle","version":1,"name":"n","model_version":"1","parts":[)" +
                                   repeat("{}", 90'000) + "]}") == "bad_manifest");
}

TEST_CASE("an object of a million members is refused for one that is unknown, or repeated") {
  const std::string members = "{" + repeat(R"("k@":0)", 1'000'000) + "}";
  CHECK(outcome_of("policy", members) == "invalid_option");
  CHECK(outcome_of("config_json", members) == "bad_config");
  std::string repeated = members;
  repeated.replace(repeated.size() - 11, 10, R"("k999998":0)");
  CHECK(outcome_of("policy", repeated) == "bad_json");
}

TEST_CASE("a vocabulary of many tokens, and special tokens of many bytes, stay within their memory") {
  std::string vocabulary;
  for (int i = 0; i < 100'000; ++i) vocabulary += str(i == 0 ? "" : ",", "\"a", i, "\":", i);
  const std::string file =
      R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"decoder":{"type":"ByteLevel"},)"
      R"("added_tokens":[{"id":0,"special":true,"content":"CONTENT"}],"model":{"vocab":{VOCAB},"merges":[]}})";
  const auto with = [&](const std::string& content, const std::string& vocab) {
    std::string text = file;
    text.replace(text.find("CONTENT"), 7, content);
    text.replace(text.find("VOCAB"), 5, vocab);
    return text;
  };
  CHECK(outcome_of("tokenizer_json", with("a0", vocabulary)) == "bad_tokenizer");
  CHECK(outcome_of("tokenizer_json", with(std::string(1u << 20, 'x'), "\"a\":1")) == "bad_tokenizer");
}
