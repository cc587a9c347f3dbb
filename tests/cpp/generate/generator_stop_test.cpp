// Stop strings as rows meet them: the model chooses tokens, and the test says how they are spelled.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generate/generator.hpp"
#include "support/generator_runs.hpp"

namespace vitrine {
namespace {

using test::make_model;
using test::naive_tokens;
using test::Outcome;
using test::random_tokens;
using test::request;
using test::run_alone;
using test::tiny_config;

constexpr std::size_t kLength = 8;

RowRequest asked_for(std::uint64_t seed, std::vector<std::string> stops, std::size_t max_new_tokens = kLength) {
  RowRequest asked = request(random_tokens(tiny_config(), 5, 2), seed, max_new_tokens);
  asked.policy.stop = std::move(stops);
  return asked;
}

/// A seed whose first tokens all differ, so that each can have a spelling of its own, and these tokens.
struct Tokens {
  std::uint64_t seed;
  std::vector<TokenId> ids;
};

const Tokens& different_tokens() {
  static const Tokens found = [] {
    for (std::uint64_t seed = 0;; ++seed) {
      const std::vector<TokenId> ids = run_alone(asked_for(seed, {})).tokens;
      if (std::set<TokenId>(ids.begin(), ids.end()).size() == kLength) return Tokens{seed, ids};
    }
  }();
  return found;
}

/// Spells the tokens that the row will choose as these pieces, one after the other; every other token is "?".
TokenBytes spelled(const std::vector<std::string>& pieces) {
  std::map<TokenId, std::string> bytes;
  for (std::size_t i = 0; i < pieces.size(); ++i) bytes[different_tokens().ids[i]] = pieces[i];
  return [bytes](TokenId token) {
    // The map lives as long as the generator's copy of this function.
    const auto place = bytes.find(token);
    return place == bytes.end() ? std::string_view("?") : std::string_view(place->second);
  };
}

Outcome run_spelled(const std::vector<std::string>& pieces, const std::vector<std::string>& stops) {
  return run_alone(asked_for(different_tokens().seed, stops, pieces.size()), {}, nullptr, spelled(pieces));
}

struct Case {
  std::vector<std::string> pieces;
  std::vector<std::string> stops;
  std::string text;
  std::size_t tokens;  // chosen when the row ends
  FinishReason finish;
};

TEST_CASE("a stop string over any tokens ends the row before it, and what only looked like one comes out") {
  constexpr auto kStop = FinishReason::stop_string;
  constexpr auto kLimit = FinishReason::length;
  const std::vector<Case> cases = {
      {{"alpha ", "beta", " ", "gamma", " delta"}, {"beta gamma"}, "alpha ", 4, kStop},
      {{"alpha be", "ta gam", "ma delta", "more"}, {"beta gamma"}, "alpha ", 3, kStop},
      {{"alpha ", "beta", " ", "gammon"}, {"beta gamma"}, "alpha beta gammon", 4, kLimit},
      {{"alpha ", "beta", " ", "gam"}, {"beta gamma"}, "alpha beta gam", 4, kLimit},
      {{"one", "\n", "two", "\n", "\n", "three"}, {"\n\n"}, "one\ntwo", 5, kStop},
      {{"one", "\n\n", "two"}, {"\n\n"}, "one", 2, kStop},
      {{"one\n", "\ntwo", "three"}, {"\n\n"}, "one", 2, kStop},
      {{"one", "\n", "two\n"}, {"\n\n"}, "one\ntwo\n", 3, kLimit},
      {{"a", "a", "a", "b", "c"}, {"aab"}, "a", 4, kStop},
      {{"aa", "ab", "c"}, {"aab"}, "a", 2, kStop},
      {{"aaab", "c"}, {"aab"}, "a", 1, kStop},
      // Overlapping: the first to be complete wins, the longest of those that end together.
      {{"x", "a", "b", "c", "d"}, {"abcd", "bc"}, "xa", 4, kStop},
      {{"x", "a", "b", "c", "d"}, {"bcd", "abcd"}, "x", 5, kStop},
      {{"xab", "cd"}, {"bcd", "abc"}, "x", 2, kStop},
      {{"x", "E", "N", "E", "N", "D", "y"}, {"END", "ENEMY"}, "xEN", 6, kStop},
      // One byte a token: the first half of a character is held back with the stop string that it may begin.
      {{"caf", "\xC3", "\xA9", "!"}, {"\xC3\xA9"}, "caf", 3, kStop},
      {{"caf", "\xC3", "\xA8", "!"}, {"\xC3\xA9"}, "caf\xC3\xA8!", 4, kLimit},
      // NUL is a byte like any other.
      {{"a", std::string("\0", 1), "b"}, {std::string("\0b", 2)}, "a", 3, kStop},
      // The whole text; the last token that is allowed.
      {{"stop"}, {"stop"}, "", 1, kStop},
      {{"go on ", "and ", "stop"}, {"stop"}, "go on and ", 3, kStop},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.stops[0]);
    CAPTURE(expected.text);
    const Outcome outcome = run_spelled(expected.pieces, expected.stops);
    CHECK(outcome.text == expected.text);
    CHECK(outcome.tokens.size() == expected.tokens);
    CHECK(outcome.finish == expected.finish);
  }
}

TEST_CASE("the text handed out step by step never has to be taken back") {
  Transformer model = make_model();
  Generator generator(model, spelled({"see ", "EN", "OUGH ", "E", "N", "D", "!"}), {});
  generator.join(asked_for(different_tokens().seed, {"END"}, 7));
  std::vector<std::string> pieces;
  while (generator.unfinished_rows() > 0) pieces.push_back(generator.step().front().bytes);
  CHECK(pieces == std::vector<std::string>{"see ", "", "ENOUGH ", "", "", ""});
}

TEST_CASE("text of the prompt never counts: not a whole stop string, and not the beginning of one") {
  // The prompt is spelled "?????".
  CHECK(run_spelled({"a", "b"}, {"?????"}).finish == FinishReason::length);
  CHECK(run_spelled({"a", "b"}, {"?a"}).finish == FinishReason::length);
  CHECK(run_spelled({"a", "?", "a"}, {"?a"}).text == "a");
}

TEST_CASE("a word that the prompt began counts from where the prompt ends") {
  // Spelling "comm" first, with tokens that reach beyond it: "commit" gives "it" as new text.
  const TokenBytes bytes = [](TokenId token) -> std::string_view {
    return token % 2 == 0 ? std::string_view("commit") : std::string_view("?");
  };
  for (const auto& [stop, finish] : {std::pair{"commit", FinishReason::length}, std::pair{"mit", FinishReason::length},
                                     std::pair{"it", FinishReason::stop_string}}) {
    CAPTURE(stop);
    RowRequest asked = asked_for(1, {stop}, 1);
    asked.required = "comm";
    const Outcome outcome = run_alone(asked, {}, nullptr, bytes);
    CHECK(outcome.finish == finish);
    CHECK(outcome.text == (finish == FinishReason::length ? "it" : ""));
  }
}

TEST_CASE("a stop token wins over a stop string that its text would complete, and over every limit") {
  RowRequest asked = asked_for(different_tokens().seed, {"ab"}, 2);
  asked.policy.stop_tokens = {different_tokens().ids[1]};
  const Outcome outcome = run_alone(asked, {}, nullptr, spelled({"a", "b"}));
  CHECK(outcome.finish == FinishReason::stop_token);
  CHECK(outcome.text == "a");
}

TEST_CASE("min_new_tokens does not keep a stop string back") {
  const std::vector<TokenId>& ids = different_tokens().ids;
  TokenId other = 0;
  while (std::find(ids.begin(), ids.end(), other) != ids.end()) ++other;
  RowRequest asked = asked_for(different_tokens().seed, {"b"}, 8);
  asked.policy.stop_tokens = {other};
  asked.policy.min_new_tokens = 7;
  const std::vector<TokenId> tokens = naive_tokens(asked);
  REQUIRE(std::equal(ids.begin(), ids.begin() + 2, tokens.begin()));
  const Outcome outcome = run_alone(asked, {}, nullptr, spelled({"a", "b", "c"}));
  CHECK(outcome.finish == FinishReason::stop_string);
  CHECK(outcome.text == "a");
}

TEST_CASE("an aborted row hands out what was held back") {
  Transformer model = make_model();
  Generator generator(model, spelled({"see ", "E", "N", "D"}), {});
  const RowId row = generator.join(asked_for(different_tokens().seed, {"END"}, 7));
  std::string text;
  for (int step = 0; step < 3; ++step) text += generator.step().front().bytes;
  CHECK(text == "see ");
  CHECK(generator.abort(row) == "EN");
  CHECK(generator.abort(row) == "");
}

}  // namespace
}  // namespace vitrine
