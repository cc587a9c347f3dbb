// A byte-level BPE tokenizer as plain data: what a file holds and what `Tokenizer` is made of.
// Not checked: consistency is the business of Tokenizer's constructor, so that a file, a trainer and a test meet the
// same checks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/token_id.hpp"

namespace vitrine {

/// How text is cut into pieces before any merge. Named kinds only: no pattern from a file is ever run.
enum class PreTokenizer {
  /// The text is one piece: merges may cross words.
  none,
  /// GPT-2's pattern: contractions, then runs of letters, of numbers or of other characters, each with the space
  /// before it, then white space (Radford et al. 2019).
  gpt2,
};

/// Two neighbouring tokens that become one: the token whose bytes are theirs, one after the other.
struct Merge {
  TokenId left = 0;
  TokenId right = 0;

  bool operator==(const Merge&) const = default;
};

/// A token that stands for itself alone: no text turns into it unless the caller asks for that.
struct SpecialToken {
  TokenId id = 0;
  std::string content;

  bool operator==(const SpecialToken&) const = default;
};

struct TokenizerData {
  PreTokenizer pre_tokenizer = PreTokenizer::gpt2;
  /// Token bytes by id [V]; empty at the ids of special tokens, and nowhere else.
  std::vector<std::string> tokens;
  /// In rank order: the first is applied first.
  std::vector<Merge> merges;
  std::vector<SpecialToken> special_tokens;

  bool operator==(const TokenizerData&) const = default;
};

}  // namespace vitrine
