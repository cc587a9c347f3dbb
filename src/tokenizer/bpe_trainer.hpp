// Learns a byte-level BPE vocabulary from text: the most frequent pair of neighbours becomes a token, again and again
// (Sennrich et al. 2016, algorithm 1). Not the encoder: that is bpe.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/tokenizer_data.hpp"
#include "tokenizer/tokenizer.hpp"

namespace vitrine {

struct BpeTrainerOptions {
  /// V to reach: special tokens + 256 bytes + merges. Fewer merges than it allows are made when no pair is left.
  std::size_t vocab_size = 4096;
  /// Their contents, for example {"<|endoftext|>"}. Where one stands in the text, the text is cut and it counts for
  /// nothing.
  std::vector<std::string> special_tokens = {};
  PreTokenizer pre_tokenizer = PreTokenizer::gpt2;
  /// A pair seen less often than this is never merged; at least 1.
  std::uint64_t min_frequency = 2;
};

/// Learns from the documents; no pair reaches from one into the next. Ids: the special tokens in the order given, the
/// 256 bytes in the order of kByteLevelOrder, then the merges in rank order. Among pairs of equal count the greater one
/// is taken, its two byte strings compared one after the other. The result depends on the text and the options alone;
/// `vocab_size()` tells how far it came. Time is about proportional to the text, memory to its distinct pieces.
/// Throws invalid_option for a vocab_size that has no room for the bytes and the special tokens or is above 2^24, for
/// min_frequency 0 and for special tokens that are empty, repeated or not UTF-8.
Tokenizer train_bpe(std::span<const std::string_view> documents, const BpeTrainerOptions& options);

/// The same with the whole text as one document.
Tokenizer train_bpe(std::string_view text, const BpeTrainerOptions& options);

}  // namespace vitrine
