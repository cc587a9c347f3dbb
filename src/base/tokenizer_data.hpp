// A byte-level BPE tokenizer as plain data: what a file holds and what `Tokenizer` is made of.
// Not checked: consistency is the business of Tokenizer's constructor, so that a file, a trainer and a test meet the
// same checks.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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

/// The stable names of the kinds, in the enum's order, as they appear in options and messages.
inline constexpr std::array<std::string_view, 2> kPreTokenizerNames = {"none", "gpt2"};

constexpr std::string_view pre_tokenizer_name(PreTokenizer kind) {
  return kPreTokenizerNames[static_cast<std::size_t>(kind)];
}

/// The kind with this name, or nothing.
constexpr std::optional<PreTokenizer> find_pre_tokenizer(std::string_view name) {
  for (std::size_t index = 0; index < kPreTokenizerNames.size(); ++index) {
    if (kPreTokenizerNames[index] == name) return static_cast<PreTokenizer>(index);
  }
  return std::nullopt;
}

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
