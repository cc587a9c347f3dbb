// The hash table of pairs against std::map.
#include "tokenizer/pair_map.hpp"

#include <doctest/doctest.h>

#include <map>
#include <utility>

#include "base/rng.hpp"

using namespace vitrine;

TEST_CASE("the pair map finds what was put in and nothing else, through many growths") {
  PairMap map;
  std::map<std::pair<TokenId, TokenId>, std::uint32_t> expected;
  RandomStream random(1);
  for (std::uint32_t step = 0; step < 20000; ++step) {
    const auto left = static_cast<TokenId>(random.next_below(200));
    const auto right = static_cast<TokenId>(random.next_below(200));
    const auto [found, inserted] = expected.emplace(std::pair(left, right), step);
    REQUIRE(map.insert(left, right, step) == found->second);
  }
  CHECK(map.size() == expected.size());
  for (TokenId left = 0; left < 201; ++left) {
    for (TokenId right = 0; right < 201; ++right) {
      const auto found = expected.find({left, right});
      REQUIRE(map.find(left, right) == (found == expected.end() ? PairMap::kAbsent : found->second));
    }
  }
}

TEST_CASE("the pair map tells (a, b) from (b, a) and takes the largest ids") {
  constexpr TokenId kLargest = 0x7FFFFFFF;
  PairMap map;
  map.insert(1, 2, 10);
  map.insert(kLargest, kLargest, 0);
  CHECK(map.find(1, 2) == 10);
  CHECK(map.find(2, 1) == PairMap::kAbsent);
  CHECK(map.find(0, 0) == PairMap::kAbsent);
  CHECK(map.find(kLargest, kLargest) == 0);
}
