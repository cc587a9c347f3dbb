// Where special tokens are found in a trusted text.
#include "tokenizer/special_matcher.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/check.hpp"

using namespace vitrine;

namespace {

/// "begin+length=id", or "none".
std::string found(const SpecialMatcher& matcher, std::string_view text, std::size_t begin = 0) {
  const auto match = matcher.find(text, begin);
  return match ? str(match->begin, "+", match->length, "=", match->id) : "none";
}

}  // namespace

TEST_CASE("the leftmost special token is found, and of those that begin there the longest") {
  const SpecialMatcher matcher({{1, "<a>"}, {2, "<a>b"}, {3, "a"}, {4, "b<a"}});
  CHECK(found(matcher, "x<a>x") == "1+3=1");
  CHECK(found(matcher, "x<a>bx") == "1+4=2");
  CHECK(found(matcher, "<ab") == "1+1=3");
  CHECK(found(matcher, "b<a>") == "0+3=4");
  CHECK(found(matcher, "<a>", 1) == "1+1=3");
  CHECK(found(matcher, "<<>b") == "none");
  CHECK(found(matcher, "") == "none");
  CHECK(found(matcher, "a", 1) == "none");
}

TEST_CASE("without special tokens nothing is found") { CHECK(found(SpecialMatcher({}), "<|endoftext|>") == "none"); }

TEST_CASE("contents with NUL, spaces and letters beyond ASCII are found byte for byte") {
  const std::string nul("a\0b", 3);
  const SpecialMatcher matcher({{1, nul},
                                {2, "<|a b|>"},
                                {3,
                                 "\xEF\xBD\x9C"
                                 "fim"}});
  CHECK(found(matcher, "a" + nul) == "1+3=1");
  CHECK(found(matcher, "<|a  b|><|a b|>") == "8+7=2");
  CHECK(found(matcher,
              "\xEF\xBD\xEF\xBD\x9C"
              "fim") == "2+6=3");
}
