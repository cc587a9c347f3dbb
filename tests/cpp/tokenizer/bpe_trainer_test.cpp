// The trainer against an outside oracle, against the definition, and at its edges.
#include "tokenizer/bpe_trainer.hpp"

#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_level.hpp"
#include "base/json.hpp"
#include "base/rng.hpp"
#include "support/expect_error.hpp"
#include "support/shared_data.hpp"
#include "support/small_tokenizers.hpp"
#include "tokenizer/pre_tokenizer.hpp"

using namespace vitrine;

namespace {

using StringPair = std::pair<std::string, std::string>;

std::vector<StringPair> merges_of(const Tokenizer& tokenizer) {
  std::vector<StringPair> merges;
  for (const Merge& merge : tokenizer.data().merges) {
    merges.emplace_back(tokenizer.token_bytes(merge.left), tokenizer.token_bytes(merge.right));
  }
  return merges;
}

/// The definition: count all pairs anew for each merge.
std::vector<StringPair> merges_by_definition(const std::string& text, const BpeTrainerOptions& options) {
  std::vector<std::vector<std::string>> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = next_piece_end(options.pre_tokenizer, text, begin);
    pieces.emplace_back();
    for (; begin < end; ++begin) pieces.back().emplace_back(1, text[begin]);
  }
  std::vector<StringPair> merges;
  while (256 + options.special_tokens.size() + merges.size() < options.vocab_size) {
    std::map<StringPair, std::uint64_t> counts;
    for (const auto& piece : pieces) {
      for (std::size_t at = 0; at + 1 < piece.size(); ++at) ++counts[{piece[at], piece[at + 1]}];
    }
    std::pair<std::uint64_t, StringPair> best{0, {}};
    for (const auto& [pair, count] : counts) best = std::max(best, {count, pair});
    if (best.first < options.min_frequency) break;
    const auto& [left, right] = best.second;
    merges.push_back(best.second);
    for (auto& piece : pieces) {
      for (std::size_t at = 0; at + 1 < piece.size(); ++at) {
        if (piece[at] != left || piece[at + 1] != right) continue;
        piece[at] += right;
        piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
    }
  }
  return merges;
}

}  // namespace

TEST_CASE("the trainer makes the 243 merges of the cs336 reference, and its vocabulary id for id") {
  const auto corpus = test::read_shared_data("bpe-train/corpus.en");
  const auto expected_merges = test::read_shared_data("bpe-train/train-bpe-reference-merges.txt");
  const auto expected_vocabulary = test::read_shared_data("bpe-train/train-bpe-reference-vocab.json");
  if (!corpus || !expected_merges || !expected_vocabulary) return;
  const Tokenizer tokenizer = train_bpe(*corpus, {.vocab_size = 500, .special_tokens = {"<|endoftext|>"}});
  std::ostringstream merges;
  for (const auto& [left, right] : merges_of(tokenizer)) {
    merges << to_byte_level(left) << ' ' << to_byte_level(right) << '\n';
  }
  CHECK(merges.str() == *expected_merges);
  const Json vocabulary = parse_json(*expected_vocabulary, "train-bpe-reference-vocab.json");
  REQUIRE(vocabulary.size() == 500);
  REQUIRE(tokenizer.vocab_size() == 500);
  for (const auto& [spelling, id] : vocabulary.items()) {
    const auto bytes = tokenizer.token_bytes(id.get<TokenId>());
    CHECK((tokenizer.is_special(id.get<TokenId>()) ? std::string(bytes) : to_byte_level(bytes)) == spelling);
  }
}

TEST_CASE("the trainer makes the merges of the definition, whatever the text") {
  RandomStream random(6);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    const std::uint64_t letters = 1 + random.next_below(4);
    for (std::uint64_t left = random.next_below(120); left > 0; --left) {
      text += random.next_below(6) == 0 ? ' ' : static_cast<char>('a' + random.next_below(letters));
    }
    BpeTrainerOptions options;
    options.vocab_size = 256 + static_cast<std::size_t>(random.next_below(40));
    options.pre_tokenizer = random.next_below(2) == 0 ? PreTokenizer::none : PreTokenizer::gpt2;
    options.min_frequency = 1 + random.next_below(3);
    INFO(text);
    REQUIRE(merges_of(train_bpe(text, options)) == merges_by_definition(text, options));
  }
}

TEST_CASE("the example of the Wikipedia article, aaabdaaabac, merges as on paper") {
  // After (a, a) the pairs (aa, a) and (a, b) both occur twice: the greater goes first.
  const Tokenizer tokenizer = train_bpe("aaabdaaabac", {.vocab_size = 259, .pre_tokenizer = PreTokenizer::none});
  CHECK(merges_of(tokenizer) == std::vector<StringPair>{{"a", "a"}, {"aa", "a"}, {"aaa", "b"}});
  std::string pieces;
  for (const TokenId id : tokenizer.encode("aaabdaaabac")) pieces += std::string(tokenizer.token_bytes(id)) + " ";
  CHECK(pieces == "aaab d aaab a c ");
}

TEST_CASE("of equally frequent pairs the greater is merged, byte by byte and unsigned") {
  const auto first_merge = [](const std::string& text) {
    return merges_of(train_bpe(text, {.vocab_size = 257, .pre_tokenizer = PreTokenizer::gpt2, .min_frequency = 1}))[0];
  };
  CHECK(first_merge("ab cd") == StringPair{"c", "d"});
  CHECK(first_merge("ab ac") == StringPair{"a", "c"});
  CHECK(first_merge("ab \xC3\xA9") == StringPair{"\xC3", "\xA9"});
}

TEST_CASE("texts without pairs end early and say how far they came") {
  for (const std::string text : {"", "a", "   ", "a b", "\n"}) {
    const Tokenizer tokenizer = train_bpe(text, {.vocab_size = 1000, .special_tokens = {"<|endoftext|>"}});
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
    CHECK(tokenizer.vocab_size() <= 258);
  }
  CHECK(train_bpe("", {.vocab_size = 1000}).vocab_size() == 256);
  CHECK(train_bpe("   ", {.vocab_size = 1000}).vocab_size() == 257);  // two pairs of spaces, then nothing
  CHECK(train_bpe("abab", {.vocab_size = 1000, .min_frequency = 1}).vocab_size() == 258);
  CHECK(train_bpe("abab", {.vocab_size = 1000, .min_frequency = 3}).vocab_size() == 256);
  CHECK(train_bpe(std::span<const std::string_view>{}, {.vocab_size = 300}).vocab_size() == 256);
}

TEST_CASE("no pair reaches over a special token or from one document into the next") {
  const BpeTrainerOptions options{
      .vocab_size = 300, .special_tokens = {"<s>"}, .pre_tokenizer = PreTokenizer::none, .min_frequency = 1};
  CHECK(train_bpe("a<s>b<s>a<s>b", options).vocab_size() == 257);
  const std::vector<std::string_view> documents = {"a", "b", "a", "b"};
  CHECK(train_bpe(documents, options).vocab_size() == 257);
  CHECK(merges_of(train_bpe("xy<s>yx", options)) == std::vector<StringPair>{{"y", "x"}, {"x", "y"}});
}

TEST_CASE("the bytes follow the special tokens in GPT-2's order") {
  const Tokenizer tokenizer = train_bpe("", {.vocab_size = 258, .special_tokens = {"<a>", "<b>"}});
  CHECK(tokenizer.special("<a>") == 0);
  CHECK(tokenizer.special("<b>") == 1);
  CHECK(tokenizer.token_bytes(2) == "!");
  CHECK(tokenizer.token_bytes(257) == "\xAD");
}

TEST_CASE("options that make no sense are refused by name") {
  const auto refuses_options = [](const BpeTrainerOptions& options, const std::string& message) {
    return test::other_than_error(ErrorCode::invalid_option, message, [&] { train_bpe("text", options); });
  };
  CHECK(refuses_options({.vocab_size = 255}, "vocab_size: expected 256 to") == "");
  CHECK(refuses_options({.vocab_size = 256, .special_tokens = {"<s>"}}, "vocab_size: expected 257 to") == "");
  CHECK(refuses_options({.vocab_size = std::size_t{1} << 25}, "vocab_size") == "");
  CHECK(refuses_options({.min_frequency = 0}, "min_frequency: expected at least 1") == "");
  CHECK(refuses_options({.special_tokens = {"<s>", ""}}, "special_tokens[1]") == "");
  CHECK(refuses_options({.special_tokens = {"\xFF"}}, "special_tokens[0]") == "");
  CHECK(refuses_options({.special_tokens = {"<s>", "<t>", "<s>"}}, "special_tokens[2]: expected no token twice") == "");
}
