// The encoder with GPT-2's own vocabulary against the ids of other programs. Its files are not ours and not shipped.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/byte_level.hpp"
#include "base/json.hpp"
#include "base/rng.hpp"
#include "support/gguf.hpp"
#include "support/shared_data.hpp"
#include "tokenizer/tokenizer.hpp"

using namespace vitrine;

namespace {

std::optional<Tokenizer> gpt2_tokenizer() {
  const auto file = test::read_shared_data("tokenizers/ggml-vocab-gpt-2.gguf");
  if (!file) return std::nullopt;
  test::GgufArrays arrays = test::read_gguf_arrays(*file);
  const std::vector<std::string>& spellings = arrays.strings["tokenizer.ggml.tokens"];
  const std::vector<std::int32_t>& types = arrays.integers["tokenizer.ggml.token_type"];
  REQUIRE(spellings.size() == 50257);
  REQUIRE(types.size() == spellings.size());
  constexpr std::int32_t kOrdinary = 1;
  TokenizerData data;
  std::map<std::string, TokenId> ids;
  for (std::size_t index = 0; index < spellings.size(); ++index) {
    const auto id = static_cast<TokenId>(index);
    ids[spellings[index]] = id;
    if (types[index] == kOrdinary) {
      const auto bytes = from_byte_level(spellings[index]);
      REQUIRE(bytes);
      data.tokens.push_back(*bytes);
    } else {
      data.tokens.emplace_back();
      data.special_tokens.push_back({id, spellings[index]});
    }
  }
  for (const std::string& merge : arrays.strings["tokenizer.ggml.merges"]) {
    const std::size_t space = merge.find(' ');
    data.merges.push_back({ids.at(merge.substr(0, space)), ids.at(merge.substr(space + 1))});
  }
  return Tokenizer(data);
}

std::string joined(const std::vector<TokenId>& ids) {
  std::ostringstream out;
  for (const TokenId id : ids) out << ' ' << id;
  return out.str();
}

}  // namespace

TEST_CASE("the 46 texts of llama.cpp's vocabulary test have the ids that it expects") {
  const auto tokenizer = gpt2_tokenizer();
  const auto texts = test::read_shared_data("tokenizers/ggml-vocab.inp");
  const auto lines = test::read_shared_data("tokenizers/ggml-vocab-gpt-2.out");
  if (!tokenizer || !texts || !lines) return;
  const std::string separator = "\n__ggml_vocab_test__\n";
  std::istringstream expected(*lines);
  std::size_t compared = 0;
  for (std::size_t begin = 0; begin < texts->size();) {
    const std::size_t end = texts->find(separator, begin);
    REQUIRE(end != std::string::npos);
    const std::string text = texts->substr(begin, end - begin);
    std::string line;
    REQUIRE(std::getline(expected, line));
    CHECK(joined(tokenizer->encode(text)) == line);
    CHECK(tokenizer->decode(tokenizer->encode(text)) == text);
    begin = end + separator.size();
    ++compared;
  }
  CHECK(compared == 46);
}

TEST_CASE("the 60 further texts have the ids on which four programs agree") {
  const auto tokenizer = gpt2_tokenizer();
  const auto file = test::read_shared_data("tokenizers/extra_strings.json");
  if (!tokenizer || !file) return;
  const Json json = parse_json(*file, "extra_strings.json");
  const Json& strings = json.at("strings");
  const Json& expected = json.at("ids").at("gpt-2");
  REQUIRE(strings.size() == 60);
  REQUIRE(expected.size() == 60);
  for (std::size_t index = 0; index < strings.size(); ++index) {
    const auto text = strings[index].get<std::string>();
    INFO(text);
    CHECK(tokenizer->encode(text) == expected[index].get<std::vector<TokenId>>());
    CHECK(tokenizer->decode(tokenizer->encode(text)) == text);
  }
}

TEST_CASE("every byte, every pair and random byte strings come back with GPT-2's vocabulary") {
  const auto tokenizer = gpt2_tokenizer();
  if (!tokenizer) return;
  const auto check_round_trip = [&](const std::string& text) {
    REQUIRE(tokenizer->decode(tokenizer->encode(text)) == text);
  };
  for (int first = 0; first < 256; ++first) {
    check_round_trip({static_cast<char>(first)});
    for (int second = 0; second < 256; ++second)
      check_round_trip({static_cast<char>(first), static_cast<char>(second)});
  }
  RandomStream random(7);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (std::uint64_t left = random.next_below(60); left > 0; --left)
      text += static_cast<char>(random.next_below(256));
    check_round_trip(text);
  }
}

TEST_CASE("GPT-2's <|endoftext|> is a special token that its text never becomes") {
  const auto tokenizer = gpt2_tokenizer();
  if (!tokenizer) return;
  CHECK(tokenizer->special("<|endoftext|>") == 50256);
  CHECK(tokenizer->encode("<|endoftext|>") == std::vector<TokenId>{27, 91, 437, 1659, 5239, 91, 29});
  CHECK(tokenizer->encode_with_special("a<|endoftext|>b") == std::vector<TokenId>{64, 50256, 65});
}
