// Every check of a vocabulary is here, so that no other part needs to doubt it.
#include "tokenizer/vocabulary.hpp"

#include <limits>

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace vitrine {

std::string printable(std::string_view bytes) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  constexpr std::size_t kMaxShown = 40;
  std::string shown = "'";
  for (const char c : bytes.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && byte != '\\') {
      shown += c;
    } else {
      shown += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
  }
  shown += bytes.size() > kMaxShown ? "'..." : "'";
  return shown;
}

Vocabulary::Vocabulary(const std::vector<std::string>& tokens, const std::vector<SpecialToken>& special_tokens) {
  constexpr auto kMaxTokens = static_cast<std::size_t>(std::numeric_limits<TokenId>::max());
  VITRINE_CHECK(!tokens.empty() && tokens.size() <= kMaxTokens, ErrorCode::bad_tokenizer, "vocabulary: expected 1 to ",
                kMaxTokens, " tokens, found ", tokens.size());
  tokens_.resize(tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) tokens_[id].bytes = tokens[id];
  for (const SpecialToken& special : special_tokens) add_special(special);
  ordinary_.reserve(tokens_.size());
  for (std::size_t id = 0; id < tokens_.size(); ++id) {
    if (!tokens_[id].special) add_ordinary(static_cast<TokenId>(id));
  }
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const auto found = ordinary_.find(text);
    VITRINE_CHECK(found != ordinary_.end(), ErrorCode::bad_tokenizer,
                  "vocabulary: expected a token for each of the 256 bytes, found none for ", printable(text));
    byte_tokens_.push_back(found->second);
  }
}

void Vocabulary::add_special(const SpecialToken& special) {
  VITRINE_CHECK(special.id >= 0 && static_cast<std::size_t>(special.id) < tokens_.size(), ErrorCode::bad_tokenizer,
                "special token ", printable(special.content), ": expected an id below ", tokens_.size(), ", found ",
                special.id);
  VITRINE_CHECK(!special.content.empty() && is_valid_utf8(special.content), ErrorCode::bad_tokenizer, "special token ",
                special.id, ": expected content in UTF-8, found ", printable(special.content));
  Entry& slot = tokens_[static_cast<std::size_t>(special.id)];
  VITRINE_CHECK(slot.bytes.empty(), ErrorCode::bad_tokenizer, "special token ", printable(special.content),
                ": expected an id of its own, found ", special.id, ", which is ", printable(slot.bytes));
  VITRINE_CHECK(special_.emplace(special.content, special.id).second, ErrorCode::bad_tokenizer, "special token ",
                printable(special.content), ": expected once, found again with id ", special.id);
  slot = {special.content, true};
}

void Vocabulary::add_ordinary(TokenId id) {
  const std::string& bytes = tokens_[static_cast<std::size_t>(id)].bytes;
  VITRINE_CHECK(!bytes.empty(), ErrorCode::bad_tokenizer, "token ", id,
                ": expected bytes or a special token, found neither");
  const auto [found, inserted] = ordinary_.emplace(bytes, id);
  VITRINE_CHECK(inserted, ErrorCode::bad_tokenizer, "token ", id, ": expected bytes of its own, found ",
                printable(bytes), ", which is token ", found->second);
}

const Vocabulary::Entry& Vocabulary::entry(TokenId id) const {
  VITRINE_CHECK(id >= 0 && static_cast<std::size_t>(id) < tokens_.size(), ErrorCode::invalid_token,
                "token id: expected 0 to ", tokens_.size() - 1, ", found ", id);
  return tokens_[static_cast<std::size_t>(id)];
}

std::optional<TokenId> Vocabulary::find(std::string_view bytes) const {
  const auto found = ordinary_.find(bytes);
  return found == ordinary_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TokenId> Vocabulary::find_special(std::string_view content) const {
  const auto found = special_.find(content);
  return found == special_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace vitrine
