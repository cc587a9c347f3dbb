// LoadedModel: a bundle made ready to run: every part verified, read and consistent with the others, and the self-test
// passed. It generates nothing: that is session.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bundle.hpp"
#include "model/transformer.hpp"
#include "sampling/policy.hpp"
#include "session/prompt_template.hpp"
#include "tokenizer/tokenizer.hpp"

namespace vitrine {

struct LoadedModel {
  Manifest manifest;
  Tokenizer tokenizer;
  PromptTemplate prompt_template;
  TokenId begin_token;  ///< of the template; -1: none
  Policy default_policy;
  Transformer transformer;

  /// The begin token, if there is one, and the text's tokens.
  std::vector<TokenId> encode_prompt(std::string_view text) const;
  /// The documents of a text as tokens, without the begin token.
  std::vector<std::vector<TokenId>> encode_documents(std::string_view text) const;
  /// The bytes that a token adds to a text: none for a special one.
  std::string_view text_bytes(TokenId token) const;
};

/// Reads every part and runs the self-test. max_batch_rows is raised to the context length, so that a full prefix is
/// one call, and to what the parity check needs. Throws what the readers of the parts throw; bad_tokenizer when
/// tokenizer and architecture differ in vocabulary or the template's token is missing; not_finite, naming the tensor;
/// bad_manifest for a self-test that this model cannot run; self_test_failed.
LoadedModel load_model(Bundle bundle, const TransformerOptions& options = {.max_batch_rows = 0, .threads = 1});

/// The hash of the logits [V], float32 little-endian, that follow these tokens. Throws not_finite.
std::string logits_sha256(Transformer& transformer, const std::vector<TokenId>& tokens);

/// A file more for a bundle: a licence, a baseline.
struct ExtraPart {
  std::string name;
  std::string file;
  std::string bytes;
};

/// What a bundle is made of, apart from how it was trained.
struct BundleContent {
  std::string name;
  std::string model_version;
  ModelConfig config;
  NamedTensors weights;
  TokenizerData tokenizer;
  PromptTemplate prompt_template;
  Policy policy;  ///< one that generation_config.json has a place for: write_generation_config refuses others
  std::vector<TokenId> self_test_tokens;
  Json corpus = Json::object();  ///< where the text is from
  std::vector<ExtraPart> extra_parts;
};

/// The bundle with its name, version, corpus and further parts, the model's own parts still empty: what can be said,
/// and refused, before there is a model. Throws invalid_option for a part that takes a name or file of another, the
/// model's own among them, and for anything else that no manifest can hold.
Bundle label_bundle(const BundleContent& content);

/// A whole bundle, its self-test vector computed by the model itself.
Bundle make_bundle(const BundleContent& content);

}  // namespace vitrine
