// tokenizer.json, the file of Hugging Face's tokenizers library, as far as byte-level BPE needs it.
// Not a tokenizer: it speaks TokenizerData, and whether that is consistent Tokenizer decides.
#pragma once

#include <string>
#include <string_view>

#include "base/tokenizer_data.hpp"

namespace vitrine {

/// Reads a byte-level BPE tokenizer. `where` names the file in errors. What would make other tokens than ours or eat
/// parts of the text is refused by name: a normalizer, a pre-tokenizer other than those of PreTokenizer, a
/// post-processor that adds tokens, truncation, padding, dropout, another model, an added token that is not special or
/// strips the space beside it. docs/formats.md lists all. Throws bad_json, unsupported_format, or bad_tokenizer for
/// entries of the wrong type, ids used twice or left out, and merges of tokens that are not in the vocabulary.
TokenizerData read_tokenizer_json(std::string_view text, std::string_view where = "tokenizer.json");

/// The text of a file that read_tokenizer_json turns into equal data, and that Hugging Face's library loads: equal data
/// give equal bytes. The data is a tokenizer's (`tokenizer.data()`). Throws bad_tokenizer if a special token is spelled
/// like an ordinary one, which the format cannot tell apart.
std::string write_tokenizer_json(const TokenizerData& data);

}  // namespace vitrine
