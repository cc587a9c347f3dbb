// What a vocabulary refuses, by name, and what it finds.
#include "tokenizer/vocabulary.hpp"

#include <doctest/doctest.h>

#include "base/check.hpp"
#include "support/expect_error.hpp"
#include "support/small_tokenizers.hpp"

using namespace vitrine;

namespace {

constexpr ErrorCode kBad = ErrorCode::bad_tokenizer;

Vocabulary make(const TokenizerData& data) { return Vocabulary(data.tokens, data.special_tokens); }

}  // namespace

TEST_CASE("ordinary tokens are found by their bytes and special ones by their content, never the other way") {
  const Vocabulary vocabulary = make(test::small_tokenizer_data({{"a", "b"}}, {"<|end|>", "x"}));
  CHECK(vocabulary.size() == 259);
  CHECK(vocabulary.find("ab") == 256);
  CHECK(vocabulary.find("<|end|>") == std::nullopt);
  CHECK(vocabulary.find_special("<|end|>") == 257);
  CHECK(vocabulary.find_special("ab") == std::nullopt);
  CHECK(vocabulary.find("x") == 'x');
  CHECK(vocabulary.find_special("x") == 258);
  CHECK(vocabulary.bytes(256) == "ab");
  CHECK(vocabulary.bytes(257) == "<|end|>");
  CHECK(vocabulary.bytes(0) == std::string_view("\0", 1));
  CHECK(vocabulary.is_special(257));
  CHECK_FALSE(vocabulary.is_special(256));
  CHECK(vocabulary.byte_token(200) == 200);
}

TEST_CASE("ids outside the vocabulary are invalid tokens") {
  const Vocabulary vocabulary = make(test::small_tokenizer_data());
  for (const TokenId id : {-1, 256, 0x7FFFFFFF, -0x7FFFFFFF - 1}) {
    CHECK_ERROR(ErrorCode::invalid_token, str("expected 0 to 255, found ", id), vocabulary.bytes(id));
    CHECK_ERROR(ErrorCode::invalid_token, "token id", vocabulary.is_special(id));
  }
}

TEST_CASE("an inconsistent vocabulary is refused by name") {
  const auto refuses_after = [](const std::string& message, auto&& change) {
    TokenizerData data = test::small_tokenizer_data({{"a", "b"}}, {"<|end|>"});
    change(data);
    return test::other_than_error(kBad, message, [&] { make(data); });
  };
  CHECK(refuses_after("found 0", [](TokenizerData& data) { data.tokens.clear(); }) == "");
  CHECK(refuses_after("token 256: expected bytes or a special token", [](TokenizerData& d) { d.tokens[256] = ""; }) ==
        "");
  CHECK(refuses_after("token 256: expected bytes of its own, found 'a', which is token 97",
                      [](TokenizerData& data) { data.tokens[256] = "a"; }) == "");
  CHECK(refuses_after("none for '\\x00'", [](TokenizerData& data) { data.tokens[0] = "zero"; }) == "");
  CHECK(refuses_after("none for 'a'", [](TokenizerData& data) { data.tokens[97] = "zero"; }) == "");
  CHECK(refuses_after("expected an id below 258, found 258",
                      [](TokenizerData& data) { data.special_tokens[0].id = 258; }) == "");
  CHECK(refuses_after("found -1", [](TokenizerData& data) { data.special_tokens[0].id = -1; }) == "");
  CHECK(refuses_after("which is 'ab'", [](TokenizerData& data) { data.special_tokens[0].id = 256; }) == "");
  CHECK(refuses_after("found again with id 258", [](TokenizerData& data) {
          data.tokens.emplace_back();
          data.special_tokens.push_back({258, "<|end|>"});
        }) == "");
  CHECK(refuses_after("which is '<|end|>'", [](TokenizerData& data) {
          data.special_tokens.push_back({257, "<|x|>"});
        }) == "");
  CHECK(refuses_after("expected content in UTF-8, found ''",
                      [](TokenizerData& data) { data.special_tokens[0].content = ""; }) == "");
  CHECK(refuses_after("found '\\xFF'", [](TokenizerData& data) { data.special_tokens[0].content = "\xFF"; }) == "");
  CHECK(refuses_after("token 257: expected bytes or a special token",
                      [](TokenizerData& data) { data.special_tokens.clear(); }) == "");
}

TEST_CASE("messages show bytes as ASCII and long ones shortened") {
  CHECK(printable("a b") == "'a b'");
  CHECK(printable("\n\\\xFF") == "'\\x0A\\x5C\\xFF'");
  CHECK(printable(std::string(100, 'x')) == "'" + std::string(40, 'x') + "'...");
}
