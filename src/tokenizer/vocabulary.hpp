// The vocabulary: token ids and the bytes that they stand for. Special tokens are kept apart from the ordinary ones, so
// no bytes of a text can look one up. Not the rule by which bytes become tokens: that is bpe.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/token_id.hpp"
#include "base/tokenizer_data.hpp"

namespace vitrine {

class Vocabulary {
 public:
  /// Throws bad_tokenizer, naming the token, for: no tokens, an ordinary token without bytes or with the bytes of
  /// another, a byte that no token stands for alone, a special token without content, not UTF-8, with the content or
  /// the id of another, or with the id of an ordinary token.
  Vocabulary(const std::vector<std::string>& tokens, const std::vector<SpecialToken>& special_tokens);

  /// V: ordinary and special tokens together; the ids are 0 to size() - 1.
  std::size_t size() const { return tokens_.size(); }

  /// The bytes of an ordinary token, the content of a special one. Throws invalid_token.
  std::string_view bytes(TokenId id) const { return entry(id).bytes; }

  /// Throws invalid_token.
  bool is_special(TokenId id) const { return entry(id).special; }

  /// The ordinary token with exactly these bytes.
  std::optional<TokenId> find(std::string_view bytes) const;

  /// The special token with exactly this content.
  std::optional<TokenId> find_special(std::string_view content) const;

  /// The token that stands for this one byte; there always is one.
  TokenId byte_token(unsigned char byte) const { return byte_tokens_[byte]; }

 private:
  struct Entry {
    std::string bytes;
    bool special = false;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Index = std::unordered_map<std::string, TokenId, Hash, std::equal_to<>>;

  const Entry& entry(TokenId id) const;
  void add_special(const SpecialToken& special);
  void add_ordinary(TokenId id);

  std::vector<Entry> tokens_;
  Index ordinary_;
  Index special_;
  std::vector<TokenId> byte_tokens_;
};

/// Bytes as a message may show them: printable ASCII as it is, the rest as \xNN, at most 40 bytes.
std::string printable(std::string_view bytes);

}  // namespace vitrine
