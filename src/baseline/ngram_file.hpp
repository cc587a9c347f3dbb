// The file of a baseline: the documents that an n-gram model counts, and how. The counts are not in it: they follow
// from the documents, take three times the room, and could contradict each other. Training is NgramModel's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baseline/ngram_model.hpp"

namespace vitrine {

struct NgramFile {
  NgramOptions options;
  std::string tokenizer_sha256;  ///< of the tokenizer.json that made the documents
  std::vector<std::vector<TokenId>> documents;
};

/// The bytes of a sealed file (io/sealed_file.hpp): equal content gives equal bytes. Throws bad_data for what float32
/// cannot hold exactly: a vocabulary or a document of more than 2^24 tokens.
std::string ngram_file_bytes(const NgramFile& file);

/// Throws bad_data if the bytes are not such a file, are damaged, cut short or contradict themselves, and
/// unsupported_format for another version. The documents are then good for NgramModel::train.
NgramFile parse_ngram_file(std::string_view bytes, std::string_view where);

}  // namespace vitrine
