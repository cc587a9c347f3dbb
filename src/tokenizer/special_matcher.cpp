// A trie over bytes, so that a thousand reserved tokens cost no more than one.
#include "tokenizer/special_matcher.hpp"

namespace vitrine {
namespace {

TokenId byte_of(char c) { return static_cast<unsigned char>(c); }

}  // namespace

SpecialMatcher::SpecialMatcher(const std::vector<SpecialToken>& special_tokens) : tokens_{kNoToken} {
  for (const SpecialToken& special : special_tokens) {
    std::uint32_t node = 0;
    for (const char c : special.content) {
      const auto fresh = static_cast<std::uint32_t>(tokens_.size());
      node = children_.insert(static_cast<TokenId>(node), byte_of(c), fresh);
      if (node == fresh) tokens_.push_back(kNoToken);
    }
    tokens_[node] = special.id;
  }
}

std::optional<SpecialMatcher::Match> SpecialMatcher::match_at(std::string_view text, std::size_t begin) const {
  std::optional<Match> longest;
  std::uint32_t node = 0;
  for (std::size_t position = begin; position < text.size(); ++position) {
    node = children_.find(static_cast<TokenId>(node), byte_of(text[position]));
    if (node == PairMap::kAbsent) break;
    if (tokens_[node] != kNoToken) longest = Match{begin, position + 1 - begin, tokens_[node]};
  }
  return longest;
}

std::optional<SpecialMatcher::Match> SpecialMatcher::find(std::string_view text, std::size_t begin) const {
  for (; begin < text.size(); ++begin) {
    if (const auto match = match_at(text, begin)) return match;
  }
  return std::nullopt;
}

}  // namespace vitrine
