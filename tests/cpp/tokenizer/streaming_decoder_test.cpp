// Text that arrives in the worst possible pieces.
#include "tokenizer/streaming_decoder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/rng.hpp"
#include "base/utf8.hpp"
#include "support/expect_error.hpp"
#include "support/small_tokenizers.hpp"

using namespace vitrine;

namespace {

/// Byte b has id b.
const Tokenizer& bytes_only() {
  static const Tokenizer tokenizer(test::small_tokenizer_data({}, {"<s>"}));
  return tokenizer;
}

/// What each byte of the text, as a token of its own, makes appear; the last entry is finish().
std::vector<std::string> one_byte_a_token(const std::string& text) {
  StreamingDecoder decoder(bytes_only());
  std::vector<std::string> parts;
  for (const char byte : text) parts.push_back(decoder.push(static_cast<unsigned char>(byte)));
  CHECK(decoder.bytes() == text);
  parts.push_back(decoder.finish());
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

using Parts = std::vector<std::string>;
const std::string kR(kReplacementCharacter);

}  // namespace

TEST_CASE("a character appears with its last byte and not before") {
  CHECK(one_byte_a_token("a\xF0\x9F\x98\x82"
                         "b") == Parts{"a", "", "", "", "\xF0\x9F\x98\x82", "b", ""});
  CHECK(one_byte_a_token("\xE8\xB5\x8B") == Parts{"", "", "\xE8\xB5\x8B", ""});
}

TEST_CASE("families, flags and scripts stream whole, one byte a token") {
  for (const std::string& text :
       {std::string("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7"),
        std::string("\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA"), std::string("\xE0\xB8\xAA\xE0\xB8\xA7\xE0\xB8\xB1"),
        std::string("\xEF\xBB\xBF"
                    "a\0b",
                    6),
        std::string("\xEF\xBF\xBD")}) {
    const Parts parts = one_byte_a_token(text);
    CHECK(joined(parts) == text);
    for (const std::string& part : parts) CHECK(is_valid_utf8(part));
  }
}

TEST_CASE("half a character at the end is one replacement character, and its bytes remain") {
  CHECK(one_byte_a_token("a\xE2\x82") == Parts{"a", "", "", kR});
  StreamingDecoder decoder(bytes_only());
  decoder.push(0xE2);
  decoder.push(0x82);
  CHECK(decoder.pending() == "\xE2\x82");
  CHECK(decoder.finish() == kR);
  CHECK(decoder.pending().empty());
  CHECK(decoder.bytes() == "\xE2\x82");
  CHECK(decoder.finish().empty());
}

TEST_CASE("broken bytes come out as soon as nothing can mend them") {
  CHECK(one_byte_a_token("\xE2\x82"
                         "a") == Parts{"", "", kR + "a", ""});
  CHECK(one_byte_a_token("\xFF\x80") == Parts{kR, kR, ""});
  CHECK(one_byte_a_token("\xE2\xE2\x82\xAC") == Parts{"", kR, "", "\xE2\x82\xAC", ""});
  CHECK(one_byte_a_token("\xED\xA0\xBD") == Parts{"", kR + kR, kR, ""});  // a lone surrogate
}

TEST_CASE("any bytes in any tokens stream to the text of the whole") {
  RandomStream random(5);
  const Tokenizer tokenizer(test::small_tokenizer_data({{"\xE2", "\x82"}, {"\x9F", "\x98"}, {"a", "\xF0"}}));
  const std::string likely = "a\xE2\x82\xAC\xF0\x9F\x98\x82\xED\xA0\xC3\xA9\xFF";
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (std::uint64_t left = random.next_below(20); left > 0; --left) {
      bytes += likely[static_cast<std::size_t>(random.next_below(likely.size()))];
    }
    StreamingDecoder decoder(tokenizer);
    std::string text;
    for (const TokenId id : tokenizer.encode(bytes)) {
      const std::string part = decoder.push(id);
      REQUIRE(is_valid_utf8(part));
      REQUIRE(decoder.pending().size() <= 3);
      text += part;
    }
    text += decoder.finish();
    REQUIRE(text == replace_invalid_utf8(bytes));
    REQUIRE(decoder.bytes() == bytes);
  }
}

TEST_CASE("special tokens pass silently, or show their content where asked") {
  const TokenId special = *bytes_only().special("<s>");
  StreamingDecoder silent(bytes_only());
  CHECK(silent.push(special).empty());
  StreamingDecoder showing(bytes_only(), SpecialDecoding::content);
  CHECK(showing.push(special) == "<s>");
}

TEST_CASE("after finish a new text begins") {
  StreamingDecoder decoder(bytes_only());
  decoder.push(0xE2);
  CHECK(decoder.finish() == kR);
  CHECK(decoder.push(0x82) == kR);
  CHECK(decoder.bytes() == "\x82");
}

TEST_CASE("an invalid id changes nothing") {
  StreamingDecoder decoder(bytes_only());
  decoder.push(0xE2);
  CHECK_ERROR(ErrorCode::invalid_token, "found 999", decoder.push(999));
  CHECK(decoder.pending() == "\xE2");
}
