// A whole bundle with random weights and a tokenizer of bytes and a few merges, for tests of what stands above the
// model. Its text is noise, but every part of it is real.
#pragma once

#include <string>
#include <vector>

#include "session/loaded_model.hpp"
#include "support/small_tokenizers.hpp"
#include "support/tiny_model.hpp"

namespace vitrine::test {

inline constexpr std::string_view kTinyBegin = "<|endoftext|>";

/// Bytes 0 to 255, " c", " co", "mm", "it", "gi", "git", then the begin token.
inline TokenizerData tiny_tokenizer() {
  return small_tokenizer_data({{" ", "c"}, {" c", "o"}, {"m", "m"}, {"i", "t"}, {"g", "i"}, {"gi", "t"}},
                              {std::string(kTinyBegin)}, PreTokenizer::gpt2);
}

inline BundleContent tiny_content(std::uint64_t seed = 3) {
  BundleContent content;
  content.name = "tiny";
  content.model_version = "0.0.1";
  content.tokenizer = tiny_tokenizer();
  content.config = tiny_config();
  content.config.vocab_size = content.tokenizer.tokens.size();
  content.config.max_seq_len = 64;
  content.weights = random_weights(content.config, seed);
  content.prompt_template = {std::string(kTinyBegin), DocumentUnit::line};
  content.policy.max_new_tokens = 12;
  content.policy.stop_tokens = {static_cast<TokenId>(content.config.vocab_size - 1)};
  content.self_test_tokens = {static_cast<TokenId>(content.config.vocab_size - 1), 'g', 'i', 't'};
  return content;
}

inline Bundle tiny_bundle(std::uint64_t seed = 3) { return make_bundle(tiny_content(seed)); }

/// The same as files by name, manifest.json among them.
inline std::map<std::string, std::string> bundle_files(const Bundle& bundle) {
  std::map<std::string, std::string> files;
  files[std::string(kManifestFile)] = write_manifest(bundle.manifest);
  for (const ManifestPart& part : bundle.manifest.parts) files[part.file] = bundle.part(part.name);
  return files;
}

}  // namespace vitrine::test
