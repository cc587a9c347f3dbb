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
#include "kernels/reduce.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kLeastRows = 16;  // what the parity check's batches need, however short the context is
constexpr std::size_t kRoomInManifest = std::size_t{1} << 16;  // for what the training says of itself in the end
constexpr std::string_view kSelfTest = "manifest.json: self_test";

/// The files that make_bundle writes: part and name.
constexpr std::pair<const char*, const char*> kFiles[] = {{"architecture", "config.json"},
                                                          {"weights", "model.safetensors"},
                                                          {"tokenizer", "tokenizer.json"},
                                                          {"generation", "generation_config.json"},
                                                          {"template", "template.json"}};

TransformerOptions with_whole_prefix(TransformerOptions options, const ModelConfig& config) {
  options.max_batch_rows = std::max({options.max_batch_rows, config.max_seq_len, kLeastRows});
  return options;
}

void require_finite(const NamedTensors& tensors, std::string_view file) {
  for (const auto& [name, tensor] : tensors) {
    VITRINE_CHECK(kernels::all_finite(tensor.data.data(), tensor.data.size()), ErrorCode::not_finite, file, ": ",
                  in_quotes(name), ": expected finite numbers, found NaN or infinity");
  }
}

Transformer read_transformer(Bundle& bundle, const ModelConfig& config, const TransformerOptions& options) {
  const std::string& file = bundle.manifest.require("weights").file;
  SafetensorsFile weights = read_safetensors(bundle.part("weights"), file);
  require_finite(weights.tensors, file);
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
  const ModelConfig& config = model.transformer.config();
  VITRINE_CHECK(vector.tokens.size() <= config.max_seq_len, ErrorCode::bad_manifest, kSelfTest,
                ": tokens: expected at most the ", config.max_seq_len, " of the context, found ", vector.tokens.size());
  for (const TokenId token : vector.tokens) {
    VITRINE_CHECK(static_cast<std::size_t>(token) < config.vocab_size, ErrorCode::bad_manifest, kSelfTest,
                  ": tokens: expected ids below ", config.vocab_size, ", found ", token);
  }
  const std::string found = logits_sha256(model.transformer, vector.tokens);
  VITRINE_CHECK(found == vector.logits_sha256, ErrorCode::self_test_failed, kSelfTest,
                ": expected logits with SHA-256 ", vector.logits_sha256, ", found ", found);
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
  VITRINE_CHECK(!tokens.empty(), ErrorCode::bad_manifest, kSelfTest, ": tokens: expected at least one, found none");
  KvCache cache(transformer.config().kv_shape());  // f32, whatever the dtype of other caches
  const View<const float, 1> logits = full_prefix_logits(transformer, tokens, cache);
  VITRINE_CHECK(kernels::all_finite(logits.data(), logits.size()), ErrorCode::not_finite, kSelfTest,
                ": expected finite logits, found NaN or infinity");
  std::string bytes;
  bytes.reserve(4 * logits.size());
  for (std::size_t id = 0; id < logits.size(); ++id) {
    const auto bits = std::bit_cast<std::uint32_t>(logits[id]);
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(bits >> shift & 0xFF));
  }
  return sha256_hex(bytes);
}

Bundle label_bundle(const BundleContent& content) {
  Bundle bundle;
  bundle.manifest.name = content.name;
  bundle.manifest.model_version = content.model_version;
  bundle.manifest.corpus = content.corpus;
  for (const auto& [name, file] : kFiles) bundle.set_part(name, file, "");
  for (const ExtraPart& part : content.extra_parts) {
    VITRINE_CHECK(bundle.manifest.find(part.name) == nullptr, ErrorCode::invalid_option,
                  "part: expected a name that no other part has, found ", in_quotes(part.name));
    bundle.set_part(part.name, part.file, part.bytes);
  }
  std::size_t size = 0;
  try {
    size = write_manifest(bundle.manifest).size();
  } catch (const Error& error) {
    fail(ErrorCode::invalid_option, error.message());
  }
  VITRINE_CHECK(size <= kMaxManifestBytes - kRoomInManifest, ErrorCode::invalid_option,
                "corpus: expected at most about ", kMaxManifestBytes - kRoomInManifest, " bytes with all parts, found ",
                size);
  return bundle;
}

Bundle make_bundle(const BundleContent& content) {
  VITRINE_CHECK(!content.policy.seed && content.policy.stop.empty(), ErrorCode::invalid_option,
                "bundle: policy: expected no seed and no stop strings, found some");
  Bundle bundle = label_bundle(content);
  const auto set = [&](std::string_view part, std::string bytes) {
    bundle.set_part(std::string(part), bundle.manifest.require(part).file, std::move(bytes));
  };
  set("architecture", write_config(content.config));
  set("weights", write_safetensors(content.weights, {{"format", "pt"}}));
  set("tokenizer", write_tokenizer_json(content.tokenizer));
  set("generation", write_generation_config(content.policy));
  set("template", write_template(content.prompt_template));
  // Computed from the bytes as written, so that rounding to a storage dtype is part of it.
  LoadedModel model = load_model(bundle);
  bundle.manifest.self_test = {content.self_test_tokens, logits_sha256(model.transformer, content.self_test_tokens)};
  return bundle;
}

}  // namespace vitrine
