// Round trips over hard bytes, and special tokens that no text can forge.
#include "tokenizer/tokenizer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "io/atomic_file.hpp"
#include "io/tokenizer_json.hpp"
#include "support/expect_error.hpp"
#include "support/shared_data.hpp"
#include "support/small_tokenizers.hpp"
#include "tokenizer/bpe_trainer.hpp"

using namespace vitrine;

namespace {

using Ids = std::vector<TokenId>;

/// Trained on a few lines with spaces, quotes and two scripts; specials that overlap ordinary text in every way.
const Tokenizer& trained() {
  static const Tokenizer tokenizer = train_bpe(
      "git commit -m 'message' # Use the given message\ngit commit --amend\nthe the there they're\n"
      "\xC3\xBC"
      "ber \xC3\xBC"
      "ber \xE4\xBD\xA0\xE5\xA5\xBD \xE4\xBD\xA0\xE5\xA5\xBD\n",
      {.vocab_size = 320,
       .special_tokens = {"<|endoftext|>", "<|a b|>", "there my", " ", "\xC3\xBC", "\xEF\xBB\xBF", "git"}});
  return tokenizer;
}

/// The tokenizer of the shell bundle.
const Tokenizer& shipped() {
  static const Tokenizer tokenizer(read_tokenizer_json(read_file("web/models/shell/tokenizer.json", 1 << 20)));
  return tokenizer;
}

bool any_special(const Tokenizer& tokenizer, const Ids& ids) {
  return std::any_of(ids.begin(), ids.end(), [&](TokenId id) { return tokenizer.is_special(id); });
}

void check_round_trip(const Tokenizer& tokenizer, const std::string& text) {
  const Ids ids = tokenizer.encode(text);
  REQUIRE(tokenizer.decode(ids) == text);
  REQUIRE_FALSE(any_special(tokenizer, ids));
  REQUIRE(tokenizer.decode(tokenizer.encode_with_special(text), SpecialDecoding::content) == text);
}

}  // namespace

TEST_CASE("every byte and every pair of bytes comes back, also through the tokenizer that ships") {
  for (const Tokenizer& tokenizer : {trained(), shipped()}) {
    std::string everything;
    for (int first = 0; first < 256; ++first) {
      const std::string one(1, static_cast<char>(first));
      check_round_trip(tokenizer, one);
      for (int second = 0; second < 256; ++second) {
        const std::string two = one + static_cast<char>(second);
        check_round_trip(tokenizer, two);
        everything += two;
      }
    }
    check_round_trip(tokenizer, everything);
  }
}

TEST_CASE("random byte strings, many thousands, come back through the tokenizer that ships") {
  RandomStream random(6);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    // Bytes from 0x80 on in every second text alone: beginnings of characters, continuations, and neither.
    const std::uint64_t first = round % 2 == 0 ? 0 : 0x80;
    for (std::uint64_t left = random.next_below(40); left > 0; --left) {
      text += static_cast<char>(first + random.next_below(256 - first));
    }
    check_round_trip(shipped(), text);
  }
}

TEST_CASE("random bytes and random pieces of special tokens come back") {
  RandomStream random(4);
  const std::string likely =
      "<|endoftext|> there my git\xC3\xBC\n\xEF\xBB\xBF"
      "a b'\xF0\x9F\x98\x82";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint64_t left = random.next_below(60); left > 0; --left) {
      const bool any_byte = random.next_below(4) == 0;
      text += any_byte ? static_cast<char>(random.next_below(256))
                       : likely[static_cast<std::size_t>(random.next_below(likely.size()))];
    }
    check_round_trip(trained(), text);
  }
}

TEST_CASE("texts that broke other tokenizers come back") {
  const std::vector<std::string> texts = {
      "",
      std::string("ab\0cd", 5),  // NUL
      "\xEF\xBB\xBF"
      "byte order mark\r\nand CRLF\r",
      "\xE6\xAD",                                                                  // half a character
      "\xED\xA0\xBD",                                                              // a lone surrogate
      "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",  // a family, joined
      "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA",                                          // a flag
      "V\xC3\xA6rs\xC3\xA5",
      "Hi there my name is",  // an added token that could eat its spaces
      " leading, trailing \t ",
      "\n\n\n\n",
  };
  for (const std::string& text : texts) check_round_trip(trained(), text);
}

TEST_CASE("the address and the German text of the shared data come back, under each pre-tokenizer") {
  for (const char* name : {"bpe-train/address.txt", "bpe-train/german.txt"}) {
    const auto text = test::read_shared_data(name);
    if (!text) return;
    for (const PreTokenizer kind : {PreTokenizer::none, PreTokenizer::gpt2}) {
      check_round_trip(train_bpe(*text, {.vocab_size = 400, .pre_tokenizer = kind}), *text);
    }
  }
}

TEST_CASE("a text that equals a special token, or contains it, never becomes it") {
  for (const SpecialToken& special : trained().special_tokens()) {
    for (const std::string& text :
         {special.content, "a" + special.content, special.content + special.content, " " + special.content + " "}) {
      CHECK_FALSE(any_special(trained(), trained().encode(text)));
      CHECK(any_special(trained(), trained().encode_with_special(text)));
    }
  }
}

TEST_CASE("encode_with_special keeps the text on both sides, spaces included, as separate ordinary text") {
  const Tokenizer tokenizer(test::small_tokenizer_data({{" ", "a"}, {"b", "a"}}, {"<s>"}, PreTokenizer::gpt2));
  const TokenId special = *tokenizer.special("<s>");
  CHECK(tokenizer.encode_with_special("<s> a") == Ids{special, *tokenizer.find(" a")});
  CHECK(tokenizer.encode_with_special("b<s>a") == Ids{'b', special, 'a'});
  CHECK(tokenizer.encode_with_special("ba <s> ") == Ids{*tokenizer.find("ba"), ' ', special, ' '});
  CHECK(tokenizer.encode_with_special("<s><s>") == Ids{special, special});
  CHECK(tokenizer.encode_with_special("").empty());
  CHECK(tokenizer.encode_with_special("<s") == tokenizer.encode("<s"));
}

TEST_CASE("special tokens decode to nothing unless asked for") {
  const Tokenizer tokenizer(test::small_tokenizer_data({}, {"<s>"}));
  const Ids ids{'a', *tokenizer.special("<s>"), 'b'};
  CHECK(tokenizer.decode(ids) == "ab");
  CHECK(tokenizer.decode(ids, SpecialDecoding::content) == "a<s>b");
  CHECK(tokenizer.special("<t>") == std::nullopt);
  CHECK(tokenizer.special("a") == std::nullopt);
}

TEST_CASE("an id outside the vocabulary is refused") {
  const Tokenizer tokenizer(test::small_tokenizer_data());
  for (const TokenId id : {-1, 256}) {
    CHECK_ERROR(ErrorCode::invalid_token, "expected 0 to 255", tokenizer.decode(Ids{'a', id}));
    CHECK_ERROR(ErrorCode::invalid_token, "expected 0 to 255", tokenizer.token_bytes(id));
  }
}

TEST_CASE("a tokenizer gives back the data that it was made of") {
  const TokenizerData data = test::small_tokenizer_data({{"a", "b"}, {"ab", "c"}}, {"<s>", "</s>"}, PreTokenizer::gpt2);
  const Tokenizer tokenizer(data);
  CHECK(tokenizer.data() == data);
  CHECK(tokenizer.vocab_size() == 260);
  CHECK(tokenizer.pre_tokenizer() == PreTokenizer::gpt2);
}

TEST_CASE("a copy outlives the tokenizer it was made from") {
  auto original = std::make_unique<Tokenizer>(test::small_tokenizer_data({{"a", "b"}}));
  const Tokenizer copy = *original;
  original.reset();
  CHECK(copy.token_bytes(256) == "ab");
  CHECK(copy.encode("ab") == Ids{256});
}
