// Finds the contents of special tokens in a trusted text. Not used on ordinary text, where no special token is looked
// for at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/token_id.hpp"
#include "base/tokenizer_data.hpp"
#include "tokenizer/pair_map.hpp"

namespace vitrine {

class SpecialMatcher {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t length = 0;
    TokenId id = 0;
  };

  explicit SpecialMatcher(const std::vector<SpecialToken>& special_tokens);

  /// The first match at or after `begin`, the longest of those that begin there.
  std::optional<Match> find(std::string_view text, std::size_t begin) const;

 private:
  static constexpr TokenId kNoToken = -1;

  std::optional<Match> match_at(std::string_view text, std::size_t begin) const;

  // A trie: children_ maps (node, byte) to a node, tokens_ gives the token whose content ends at a node.
  PairMap children_;
  std::vector<TokenId> tokens_;
};

}  // namespace vitrine
