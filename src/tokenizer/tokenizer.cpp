// The parts put together: pieces from the pre-tokenizer, tokens from the merges.
#include "tokenizer/tokenizer.hpp"

#include <limits>

#include "base/check.hpp"
#include "tokenizer/bpe.hpp"
#include "tokenizer/pre_tokenizer.hpp"
#include "tokenizer/special_matcher.hpp"
#include "tokenizer/vocabulary.hpp"

namespace vitrine {

struct Tokenizer::Tables {
  explicit Tables(const TokenizerData& data)
      : pre_tokenizer(data.pre_tokenizer),
        special_tokens(data.special_tokens),
        vocabulary(data.tokens, data.special_tokens),
        merger(vocabulary, data.merges),
        special_matcher(data.special_tokens) {}

  PreTokenizer pre_tokenizer;
  std::vector<SpecialToken> special_tokens;
  Vocabulary vocabulary;
  BpeMerger merger;
  SpecialMatcher special_matcher;
};

Tokenizer::Tokenizer(const TokenizerData& data) : tables_(std::make_shared<const Tables>(data)) {}

void Tokenizer::append_ordinary(std::string_view text, std::vector<TokenId>& ids) const {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = next_piece_end(tables_->pre_tokenizer, text, begin);
    tables_->merger.encode_piece(text.substr(begin, end - begin), tables_->vocabulary, ids);
    begin = end;
  }
}

namespace {

void check_length(std::string_view text) {
  constexpr auto kMaxBytes = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  VITRINE_CHECK(text.size() <= kMaxBytes, ErrorCode::bad_data, "text to encode: expected at most ", kMaxBytes,
                " bytes, found ", text.size());
}

}  // namespace

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  check_length(text);
  std::vector<TokenId> ids;
  append_ordinary(text, ids);
  return ids;
}

std::vector<TokenId> Tokenizer::encode_with_special(std::string_view text) const {
  check_length(text);
  std::vector<TokenId> ids;
  std::size_t begin = 0;
  while (const auto match = tables_->special_matcher.find(text, begin)) {
    append_ordinary(text.substr(begin, match->begin - begin), ids);
    ids.push_back(match->id);
    begin = match->begin + match->length;
  }
  append_ordinary(text.substr(begin), ids);
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, SpecialDecoding special) const {
  std::string text;
  for (const TokenId id : ids) {
    if (special == SpecialDecoding::content || !is_special(id)) text += token_bytes(id);
  }
  return text;
}

std::string_view Tokenizer::token_bytes(TokenId id) const { return tables_->vocabulary.bytes(id); }
bool Tokenizer::is_special(TokenId id) const { return tables_->vocabulary.is_special(id); }
std::optional<TokenId> Tokenizer::special(std::string_view content) const {
  return tables_->vocabulary.find_special(content);
}
std::optional<TokenId> Tokenizer::find(std::string_view bytes) const { return tables_->vocabulary.find(bytes); }
std::size_t Tokenizer::vocab_size() const { return tables_->vocabulary.size(); }
PreTokenizer Tokenizer::pre_tokenizer() const { return tables_->pre_tokenizer; }
const std::vector<SpecialToken>& Tokenizer::special_tokens() const { return tables_->special_tokens; }

TokenizerData Tokenizer::data() const {
  TokenizerData data{tables_->pre_tokenizer, {}, tables_->merger.merges(), tables_->special_tokens};
  data.tokens.reserve(vocab_size());
  for (std::size_t index = 0; index < vocab_size(); ++index) {
    const auto id = static_cast<TokenId>(index);
    data.tokens.emplace_back(is_special(id) ? std::string_view() : token_bytes(id));
  }
  return data;
}

}  // namespace vitrine
