// The tokenizer file of llama2.c (tokenizer.bin, tok512.bin): SentencePiece pieces with scores, enough to turn ids back
// into text. Not an encoder, and not part of the product, whose tokenizers are byte-level.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/token_id.hpp"
#include "support/byte_reader.hpp"

namespace vitrine::test {

struct Llama2cTokenizer {
  static constexpr TokenId kBos = 1;
  static constexpr TokenId kEos = 2;

  std::vector<std::string> pieces;  ///< as stored [V]; a byte b without a piece is spelled <0xNN>
  std::vector<float> scores;        ///< [V]

  /// The text of the ids, by the rules of run.c: BOS and EOS give nothing, the first piece after BOS loses one leading
  /// space, <0xNN> is that byte.
  std::string decode(std::span<const TokenId> ids) const {
    std::string text;
    bool after_bos = false;
    for (const TokenId id : ids) {
      if (id != kBos && id != kEos) text += piece_text(id).substr(after_bos && piece_text(id).starts_with(' ') ? 1 : 0);
      after_bos = id == kBos;
    }
    return text;
  }

  /// The bytes that a piece stands for.
  std::string piece_text(TokenId id) const {
    REQUIRE(id >= 0);
    REQUIRE(static_cast<std::size_t>(id) < pieces.size());
    const std::string& piece = pieces[static_cast<std::size_t>(id)];
    if (piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>')) {
      return std::string(1, static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)));
    }
    return piece;
  }
};

/// Layout: int32 longest piece; then for each token float32 score, int32 length, the bytes.
inline Llama2cTokenizer read_llama2c_tokenizer(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto longest = reader.number<std::int32_t>();
  Llama2cTokenizer tokenizer;
  while (!reader.at_end()) {
    tokenizer.scores.push_back(reader.number<float>());
    const auto length = reader.number<std::int32_t>();
    REQUIRE(length >= 0);
    REQUIRE(length <= longest);
    tokenizer.pieces.emplace_back(reader.take(static_cast<std::uint64_t>(length)));
  }
  return tokenizer;
}

}  // namespace vitrine::test
