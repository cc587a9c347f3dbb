// Tokenizers for tests, made in a line. Not trained: the merges are exactly those that the test writes.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/tokenizer_data.hpp"

namespace vitrine::test {

/// Byte b has id b; then the merges, each making a new token; then the special tokens.
inline TokenizerData small_tokenizer_data(const std::vector<std::pair<std::string, std::string>>& merges = {},
                                          const std::vector<std::string>& special_tokens = {},
                                          PreTokenizer pre_tokenizer = PreTokenizer::none) {
  TokenizerData data;
  data.pre_tokenizer = pre_tokenizer;
  for (int byte = 0; byte < 256; ++byte) data.tokens.emplace_back(1, static_cast<char>(byte));
  const auto id_of = [&](const std::string& bytes) {
    const auto found = std::find(data.tokens.begin(), data.tokens.end(), bytes);
    REQUIRE(found != data.tokens.end());
    return static_cast<TokenId>(found - data.tokens.begin());
  };
  for (const auto& [left, right] : merges) {
    data.merges.push_back({id_of(left), id_of(right)});
    data.tokens.push_back(left + right);
  }
  for (const std::string& content : special_tokens) {
    data.special_tokens.push_back({static_cast<TokenId>(data.tokens.size()), content});
    data.tokens.emplace_back();
  }
  return data;
}

}  // namespace vitrine::test
