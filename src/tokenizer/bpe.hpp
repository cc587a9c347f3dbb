// The merges of byte-pair encoding: the bytes of one piece become tokens by joining, again and again, the neighbours
// with the best rank (Sennrich et al. 2016; on bytes: Radford et al. 2019). Not the cutting of text into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/token_id.hpp"
#include "base/tokenizer_data.hpp"
#include "tokenizer/pair_map.hpp"
#include "tokenizer/vocabulary.hpp"

namespace vitrine {

class BpeMerger {
 public:
  /// Throws bad_tokenizer, naming the merge, if a merge has an id out of range or a special token, repeats a pair, or
  /// makes bytes that are no token.
  BpeMerger(const Vocabulary& vocabulary, std::vector<Merge> merges);

  /// Appends the tokens of the piece to `tokens`; their bytes are exactly the piece's. The pair of the lowest rank is
  /// merged first, the leftmost of equals. n log n in the length of the piece, which is below 2^31.
  void encode_piece(std::string_view piece, const Vocabulary& vocabulary, std::vector<TokenId>& tokens) const;

  /// In rank order.
  const std::vector<Merge>& merges() const { return merges_; }

 private:
  std::uint32_t rank(TokenId left, TokenId right) const { return ranks_.find(left, right); }
  void merge_short(std::vector<TokenId>& tokens, std::size_t begin) const;
  void merge_long(std::vector<TokenId>& tokens, std::size_t begin) const;

  std::vector<Merge> merges_;
  std::vector<TokenId> merged_;  // by rank: the token that the merge makes
  PairMap ranks_;
};

}  // namespace vitrine
