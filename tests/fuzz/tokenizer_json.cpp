// Bytes as a tokenizer.json: what is accepted makes a tokenizer that gives every text back, and writes back equal.
#include "io/tokenizer_json.hpp"

#include "support/target.hpp"
#include "tokenizer/tokenizer.hpp"

using namespace vitrine;

namespace {

/// A file's vocabulary becomes two hash tables, a trie of the special tokens and a table of merges.
constexpr fuzz::MemoryBound kBound = {std::uint64_t{256} << 10, 256};

void check_text(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<TokenId> ids = tokenizer.encode(text);
  VITRINE_PROMISE(tokenizer.decode(ids) == text, "text comes back");
  for (const TokenId id : ids) VITRINE_PROMISE(!tokenizer.is_special(id), "no text makes a special token");
  const std::vector<TokenId> with_special = tokenizer.encode_with_special(text);
  VITRINE_PROMISE(tokenizer.decode(with_special, SpecialDecoding::content) == text, "text with special tokens");
}

}  // namespace

VITRINE_FUZZ_TARGET(tokenizer_json, nullptr) {
  const auto tokenizer = fuzz::attempt(input, kBound, [&] { return Tokenizer(read_tokenizer_json(input)); });
  if (!tokenizer) return;
  const TokenizerData data = tokenizer->data();
  const std::string written = write_tokenizer_json(data);
  VITRINE_PROMISE(read_tokenizer_json(written) == data, "reads back");
  VITRINE_PROMISE(write_tokenizer_json(Tokenizer(data).data()) == written, "equal data give equal bytes");

  for (std::size_t index = 0; index < tokenizer->vocab_size(); ++index) {
    const auto id = static_cast<TokenId>(index);
    const std::string_view bytes = tokenizer->token_bytes(id);
    const auto found = tokenizer->is_special(id) ? tokenizer->special(bytes) : tokenizer->find(bytes);
    VITRINE_PROMISE(found == id, "every token is found by its bytes");
  }
  check_text(*tokenizer, "");
  check_text(*tokenizer, input.substr(0, 300));
  check_text(*tokenizer, input.substr(input.size() / 2, 300));
  for (const SpecialToken& special : tokenizer->special_tokens()) {
    check_text(*tokenizer, special.content.substr(0, 300));
    if (special.content.size() > 300) continue;
    const std::vector<TokenId> ids = tokenizer->encode_with_special(special.content);
    VITRINE_PROMISE(ids == std::vector<TokenId>{special.id}, "a special token's content is that token");
  }
}
