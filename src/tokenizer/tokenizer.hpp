// Text to token ids and back: byte-level BPE over a vocabulary, with special tokens that text cannot forge.
// Not a template engine and not a stream: see streaming_decoder.hpp for text that arrives token by token.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/token_id.hpp"
#include "base/tokenizer_data.hpp"

namespace vitrine {

/// What decode makes of special tokens: nothing, or their content.
enum class SpecialDecoding { omit, content };

/// Immutable; copies share the tables, and several threads may use one at once.
class Tokenizer {
 public:
  /// Throws bad_tokenizer, with what was expected and found and where, if the data contradicts itself
  /// (vocabulary.hpp and bpe.hpp list the rules).
  explicit Tokenizer(const TokenizerData& data);

  /// The tokens of the text, any bytes, none of them special whatever the text says; decode gives the text back.
  /// Throws bad_data for a text of 2^31 bytes or more.
  std::vector<TokenId> encode(std::string_view text) const;

  /// As encode, but each special token's content in the text becomes that token: the leftmost first, the longest of
  /// those that begin at one place. Only for text that we wrote ourselves, such as a prompt template.
  std::vector<TokenId> encode_with_special(std::string_view text) const;

  /// The tokens' bytes one after the other: any bytes, not always valid UTF-8. Throws invalid_token.
  std::string decode(std::span<const TokenId> ids, SpecialDecoding special = SpecialDecoding::omit) const;

  /// The bytes of an ordinary token, the content of a special one; valid as long as a copy of this tokenizer lives.
  /// Throws invalid_token.
  std::string_view token_bytes(TokenId id) const;

  /// Throws invalid_token.
  bool is_special(TokenId id) const;

  /// The special token with this content, for example special("<|endoftext|>").
  std::optional<TokenId> special(std::string_view content) const;

  /// The ordinary token with exactly these bytes.
  std::optional<TokenId> find(std::string_view bytes) const;

  /// V: the number of ids, special tokens included.
  std::size_t vocab_size() const;

  PreTokenizer pre_tokenizer() const;
  const std::vector<SpecialToken>& special_tokens() const;

  /// The data of which an equal tokenizer can be made: what a file holds.
  TokenizerData data() const;

 private:
  struct Tables;
  void append_ordinary(std::string_view text, std::vector<TokenId>& ids) const;

  std::shared_ptr<const Tables> tables_;
};

}  // namespace vitrine
