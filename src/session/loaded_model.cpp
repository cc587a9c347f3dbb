// From parts to a model that has proved itself, and back.
#include "session/loaded_model.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"
#include "base/sha256.hpp"
#include "generate/parity.hpp"
#include "io/safetensors.hpp"
#include "io/tokenizer_json.hpp"

namespace vitrine {
namespace {

TransformerOptions with_whole_prefix(TransformerOptions options, const ModelConfig& config) {
  options.max_batch_rows = std::max(options.max_batch_rows, config.max_seq_len);
  return options;
}

Transformer read_transformer(Bundle& bundle, const ModelConfig& config, const TransformerOptions& options) {
  const std::string& file = bundle.manifest.require("weights").file;
  SafetensorsFile weights = read_safetensors(bundle.part("weights"), file);
  bundle.bytes_by_part.erase("weights");  // the largest part: not held twice longer than need be
  return Transformer(config, weights.tensors, with_whole_prefix(options, config));
}

Tokenizer read_tokenizer(const Bundle& bundle, const ModelConfig& config) {
  const std::string& file = bundle.manifest.require("tokenizer").file;
  Tokenizer tokenizer(read_tokenizer_json(bundle.part("tokenizer"), file));
  VITRINE_CHECK(tokenizer.vocab_size() == config.vocab_size, ErrorCode::bad_tokenizer, file, ": expected the ",
                config.vocab_size, " tokens of the architecture, found ", tokenizer.vocab_size());
  return tokenizer;
}

TokenId find_begin_token(const Tokenizer& tokenizer, const PromptTemplate& prompt_template) {
  if (prompt_template.begin.empty()) return -1;
  const auto token = tokenizer.special(prompt_template.begin);
  VITRINE_CHECK(token.has_value(), ErrorCode::bad_tokenizer, "template.json: begin: expected a special token, found ",
                in_quotes(prompt_template.begin));
  return *token;
}

void run_self_test(LoadedModel& model) {
  if (!model.manifest.self_test) return;
  const SelfTestVector& vector = *model.manifest.self_test;
  const std::string found = logits_sha256(model.transformer, vector.tokens);
  VITRINE_CHECK(found == vector.logits_sha256, ErrorCode::self_test_failed, "self-test: expected logits with SHA-256 ",
                vector.logits_sha256, ", found ", found);
}

}  // namespace

std::vector<TokenId> LoadedModel::encode_prompt(std::string_view text) const {
  std::vector<TokenId> ids;
  if (begin_token >= 0) ids.push_back(begin_token);
  const std::vector<TokenId> text_ids = tokenizer.encode(text);
  ids.insert(ids.end(), text_ids.begin(), text_ids.end());
  return ids;
}

std::vector<std::vector<TokenId>> LoadedModel::encode_documents(std::string_view text) const {
  std::vector<std::vector<TokenId>> documents;
  for (const std::string_view document : split_documents(text, prompt_template.unit)) {
    documents.push_back(tokenizer.encode(document));
  }
  return documents;
}

std::string_view LoadedModel::text_bytes(TokenId token) const {
  return tokenizer.is_special(token) ? std::string_view() : tokenizer.token_bytes(token);
}

LoadedModel load_model(Bundle bundle, const TransformerOptions& options) {
  const ModelConfig config = parse_config(bundle.part("architecture"));
  Tokenizer tokenizer = read_tokenizer(bundle, config);
  PromptTemplate prompt_template = parse_template(bundle.part("template"));
  const TokenId begin_token = find_begin_token(tokenizer, prompt_template);
  Policy policy = parse_generation_config(bundle.part("generation"), config.vocab_size);
  Transformer transformer = read_transformer(bundle, config, options);
  LoadedModel model{std::move(bundle.manifest), std::move(tokenizer),  std::move(prompt_template), begin_token,
                    std::move(policy),          std::move(transformer)};
  run_self_test(model);
  return model;
}

std::string logits_sha256(Transformer& transformer, const std::vector<TokenId>& tokens) {
  VITRINE_CHECK(!tokens.empty(), ErrorCode::bad_manifest, "self-test: expected at least one token, found none");
  KvCache cache(transformer.config().kv_shape());  // f32, whatever the dtype of other caches
  const View<const float, 1> logits = full_prefix_logits(transformer, tokens, cache);
  std::string bytes;
  bytes.reserve(4 * logits.size());
  for (std::size_t id = 0; id < logits.size(); ++id) {
    const auto bits = std::bit_cast<std::uint32_t>(logits[id]);
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(bits >> shift & 0xFF));
  }
  return sha256_hex(bytes);
}

Bundle make_bundle(const BundleContent& content) {
  Bundle bundle;
  bundle.manifest.name = content.name;
  bundle.manifest.model_version = content.model_version;
  bundle.set_part("architecture", "config.json", write_config(content.config));
  bundle.set_part("weights", "model.safetensors", write_safetensors(content.weights, {{"format", "pt"}}));
  bundle.set_part("tokenizer", "tokenizer.json", write_tokenizer_json(content.tokenizer));
  bundle.set_part("generation", "generation_config.json", write_generation_config(content.policy));
  bundle.set_part("template", "template.json", write_template(content.prompt_template));
  // Computed from the bytes as written, so that rounding to a storage dtype is part of it.
  LoadedModel model = load_model(bundle);
  bundle.manifest.self_test = {content.self_test_tokens, logits_sha256(model.transformer, content.self_test_tokens)};
  return bundle;
}

}  // namespace vitrine
