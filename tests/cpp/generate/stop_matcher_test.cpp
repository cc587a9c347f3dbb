#include "generate/stop_matcher.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.hpp"

namespace vitrine {
namespace {

struct Outcome {
  std::string text;
  bool matched = false;

  bool operator==(const Outcome&) const = default;
};

/// Pushes the text in pieces of the given sizes, the last one repeated.
Outcome feed(const std::vector<std::string>& stops, const std::string& text, const std::vector<std::size_t>& sizes) {
  StopMatcher matcher(stops);
  Outcome outcome;
  std::size_t begin = 0;
  for (std::size_t i = 0; begin < text.size(); ++i) {
    const std::size_t size = sizes[std::min(i, sizes.size() - 1)];
    outcome.text += matcher.push(std::string_view(text).substr(begin, size));
    begin += size;
  }
  outcome.text += matcher.finish();
  outcome.matched = matcher.matched();
  return outcome;
}

/// The definition: cut before the stop string that is complete first, the longest of those that end together.
Outcome expected(const std::vector<std::string>& stops, const std::string& text) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    const std::string_view read = std::string_view(text).substr(0, end);
    std::size_t longest = 0;
    for (const std::string& stop : stops) {
      if (read.ends_with(stop)) longest = std::max(longest, stop.size());
    }
    if (longest > 0) return {text.substr(0, end - longest), true};
  }
  return {text, false};
}

TEST_CASE("a stop string ends the text before it, however it is cut into tokens") {
  for (std::size_t size = 1; size <= 12; ++size) {
    CHECK(feed({"beta gamma"}, "alpha beta gamma delta", {size}) == Outcome{"alpha ", true});
    CHECK(feed({"\n\n"}, "one\ntwo\n\nthree", {size}) == Outcome{"one\ntwo", true});
    CHECK(feed({"aab"}, "aaab", {size}) == Outcome{"a", true});
    CHECK(feed({"never"}, "nevnevnev", {size}) == Outcome{"nevnevnev", false});
  }
}

TEST_CASE("of overlapping stop strings the first to be complete wins, then the longest") {
  CHECK(feed({"abc", "b"}, "xabc", {4}) == Outcome{"xa", true});
  CHECK(feed({"abc", "c"}, "xabc", {4}) == Outcome{"x", true});
  CHECK(feed({"bc", "abcd"}, "xabcd", {1}) == Outcome{"xa", true});
}

TEST_CASE("bytes are held back exactly while they may still become a stop string") {
  StopMatcher matcher({"END", "\n\n"});
  CHECK(matcher.push("a") == "a");
  CHECK(matcher.push("E") == "");
  CHECK(matcher.push("N") == "");
  CHECK(matcher.push("E") == "EN");  // the last E may begin another
  CHECK(matcher.push("x") == "Ex");
  CHECK(matcher.push("\n") == "");
  CHECK(matcher.push("b") == "\nb");
  CHECK(matcher.push("EN") == "");
  CHECK_FALSE(matcher.matched());
  CHECK(matcher.push("D more") == "");
  CHECK(matcher.matched());
  CHECK(matcher.push("ignored") == "");
  CHECK(matcher.finish() == "");
}

TEST_CASE("what is held back comes out at the end") {
  StopMatcher matcher({"END"});
  CHECK(matcher.push("see EN") == "see ");
  CHECK(matcher.finish() == "EN");
  CHECK(matcher.finish() == "");
}

TEST_CASE("without stop strings everything passes at once") {
  StopMatcher matcher;
  CHECK(matcher.push(std::string_view("a\0b", 3)) == std::string("a\0b", 3));
  CHECK(matcher.finish() == "");
}

TEST_CASE("random texts over a small alphabet agree with the definition, byte by byte and in random pieces") {
  RandomStream random(7);
  const auto random_text = [&](std::size_t max_size) {
    std::string text(1 + random.next_below(max_size), 'a');
    for (char& byte : text) byte = static_cast<char>('a' + random.next_below(2));
    return text;
  };
  std::size_t matches = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::string> stops(1 + random.next_below(3));
    for (std::string& stop : stops) stop = random_text(6);
    const std::string text = random_text(20);
    const Outcome right = expected(stops, text);
    matches += right.matched ? 1 : 0;
    std::vector<std::size_t> sizes(20);
    for (std::size_t& size : sizes) size = 1 + random.next_below(5);
    CHECK(feed(stops, text, {1}) == right);
    CHECK(feed(stops, text, sizes) == right);
  }
  CHECK(matches > 500);
  CHECK(matches < 2000);
}

}  // namespace
}  // namespace vitrine
