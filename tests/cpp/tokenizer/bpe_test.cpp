// The merges against a hand-worked example and against the definition, written as plainly as possible.
#include "tokenizer/bpe.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "support/expect_error.hpp"
#include "support/small_tokenizers.hpp"

using namespace vitrine;

namespace {

struct Bpe {
  explicit Bpe(const TokenizerData& data)
      : vocabulary(data.tokens, data.special_tokens), merger(vocabulary, data.merges) {}

  std::vector<std::string> operator()(std::string_view piece) const {
    std::vector<TokenId> ids{7};  // what is there already must stay
    merger.encode_piece(piece, vocabulary, ids);
    REQUIRE(ids.front() == 7);
    std::vector<std::string> tokens;
    for (std::size_t index = 1; index < ids.size(); ++index) tokens.emplace_back(vocabulary.bytes(ids[index]));
    return tokens;
  }

  Vocabulary vocabulary;
  BpeMerger merger;
};

using Tokens = std::vector<std::string>;

/// The definition: look for the first pair in rank order that occurs, merge its leftmost occurrence, begin again.
Tokens merged_by_definition(const TokenizerData& data, const std::string& piece) {
  Tokens tokens;
  for (const char byte : piece) tokens.emplace_back(1, byte);
  for (std::size_t rank = 0; rank < data.merges.size();) {
    const std::string& left = data.tokens[static_cast<std::size_t>(data.merges[rank].left)];
    const std::string& right = data.tokens[static_cast<std::size_t>(data.merges[rank].right)];
    std::size_t at = 0;
    while (at + 1 < tokens.size() && !(tokens[at] == left && tokens[at + 1] == right)) ++at;
    if (at + 1 >= tokens.size()) {
      ++rank;
      continue;
    }
    tokens[at] += tokens[at + 1];
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    rank = 0;
  }
  return tokens;
}

}  // namespace

TEST_CASE("the example of Sennrich et al. merges as on paper") {
  const Bpe bpe(test::small_tokenizer_data({{"e", "s"}, {"es", "t"}, {"l", "o"}, {"lo", "w"}}));
  CHECK(bpe("lowest") == Tokens{"low", "est"});
  CHECK(bpe("low") == Tokens{"low"});
  CHECK(bpe("slow") == Tokens{"s", "low"});
  CHECK(bpe("lose") == Tokens{"lo", "s", "e"});
  CHECK(bpe("").empty());
  CHECK(bpe("x") == Tokens{"x"});
}

TEST_CASE("a lower rank goes first even if it comes later in the piece") {
  CHECK(Bpe(test::small_tokenizer_data({{"b", "c"}, {"a", "b"}}))("abc") == Tokens{"a", "bc"});
  CHECK(Bpe(test::small_tokenizer_data({{"a", "b"}, {"b", "c"}}))("abc") == Tokens{"ab", "c"});
}

TEST_CASE("of equal pairs the leftmost goes first") {
  const Bpe bpe(test::small_tokenizer_data({{"a", "a"}}));
  CHECK(bpe("aaa") == Tokens{"aa", "a"});
  CHECK(bpe("aaaaa") == Tokens{"aa", "aa", "a"});
}

TEST_CASE("short and long pieces merge by the definition, whatever the merges") {
  RandomStream random(3);
  for (int round = 0; round < 300; ++round) {
    TokenizerData data = test::small_tokenizer_data();
    std::vector<std::string> parts = {"a", "b", "c"};
    for (std::uint64_t left = random.next_below(12); left > 0; --left) {
      const std::string a = parts[static_cast<std::size_t>(random.next_below(parts.size()))];
      const std::string b = parts[static_cast<std::size_t>(random.next_below(parts.size()))];
      const auto id_of = [&](const std::string& bytes) {
        return static_cast<TokenId>(std::find(data.tokens.begin(), data.tokens.end(), bytes) - data.tokens.begin());
      };
      const Merge merge{id_of(a), id_of(b)};
      if (std::find(data.merges.begin(), data.merges.end(), merge) != data.merges.end()) continue;
      data.merges.push_back(merge);
      if (std::find(data.tokens.begin(), data.tokens.end(), a + b) != data.tokens.end()) continue;
      data.tokens.push_back(a + b);
      parts.push_back(a + b);
    }
    const Bpe bpe(data);
    for (const std::size_t longest : {8, 40, 90}) {
      std::string piece;
      for (std::uint64_t left = random.next_below(longest); left > 0; --left) {
        piece += static_cast<char>('a' + random.next_below(3));
      }
      REQUIRE(bpe(piece) == merged_by_definition(data, piece));
    }
  }
}

TEST_CASE("a megabyte of one letter takes no square of its length") {
  std::vector<std::pair<std::string, std::string>> merges;
  for (std::string run = "a"; run.size() < 1024; run += run) merges.emplace_back(run, run);
  const Bpe bpe(test::small_tokenizer_data(merges));
  constexpr std::size_t kLength = std::size_t{1} << 20;
  const Tokens tokens = bpe(std::string(kLength + 3, 'a'));  // by squares this would be 10^12 steps
  CHECK(tokens.size() == kLength / 1024 + 2);
  CHECK(tokens[tokens.size() - 3].size() == 1024);
  CHECK(tokens[tokens.size() - 2] == "aa");
  CHECK(tokens[tokens.size() - 1] == "a");
}

TEST_CASE("a merge of absent or special tokens, twice the same or without a result is refused by name") {
  const TokenizerData good = test::small_tokenizer_data({{"a", "b"}}, {"<|end|>"});
  const auto refuses_merge = [&](Merge merge, const std::string& message) {
    TokenizerData data = good;
    data.merges.push_back(merge);
    return test::other_than_error(ErrorCode::bad_tokenizer, message, [&] { Bpe{data}; });
  };
  CHECK(refuses_merge({'a', 258}, "merge 1: expected ids of two ordinary tokens, found 97 and 258") == "");
  CHECK(refuses_merge({-1, 'a'}, "found -1 and 97") == "");
  CHECK(refuses_merge({'a', 257}, "merge 1: expected ids of two ordinary tokens") == "");
  CHECK(refuses_merge({'a', 'c'}, "merge 1: expected a token 'ac', found none") == "");
  CHECK(refuses_merge({'a', 'b'}, "merge 1: expected a new pair, found that of merge 0") == "");
}
