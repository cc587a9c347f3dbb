// Every size is held against a limit when it is read, and the products of sizes once, in validate().
#include "model/config.hpp"

#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/json.hpp"

namespace vitrine {

namespace {

constexpr std::string_view kWhere = "config.json";
constexpr std::uint64_t kMaxWidth = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxLayers = 1024;
constexpr std::uint64_t kMaxPositions = std::uint64_t{1} << 20;
constexpr std::string_view kPairingField = "vitrine_rope_pairing";

void check_range(const char* field, std::uint64_t value, std::uint64_t max) {
  VITRINE_CHECK(value >= 1 && value <= max, ErrorCode::bad_config, kWhere, ": ", field, ": expected 1 to ", max,
                ", found ", value);
}

void check_token(const char* field, TokenId token, std::size_t vocab_size) {
  VITRINE_CHECK(token >= -1 && token < static_cast<std::int64_t>(vocab_size), ErrorCode::bad_config, kWhere, ": ",
                field, ": expected a token below ", vocab_size, ", found ", token);
}

kernels::RopePairing parse_pairing(JsonObjectReader& reader) {
  const std::string pairing = reader.optional_string(kPairingField).value_or("halves");
  if (pairing == "halves") return kernels::RopePairing::halves;
  if (pairing == "adjacent") return kernels::RopePairing::adjacent;
  reader.refuse(kPairingField, "\"halves\" or \"adjacent\"");
}

/// What a Llama config may ask for and this architecture does not have.
void refuse_unsupported(const Json& json, JsonObjectReader& reader) {
  const JsonObjectReader unsupported(json, std::string(kWhere), ErrorCode::unsupported_format);
  if (reader.string("model_type") != "llama") unsupported.refuse("model_type", "\"llama\"");
  if (reader.optional_string("hidden_act").value_or("silu") != "silu") unsupported.refuse("hidden_act", "\"silu\"");
  if (reader.optional_boolean("attention_bias").value_or(false)) unsupported.refuse("attention_bias", "false");
  if (reader.optional_boolean("mlp_bias").value_or(false)) unsupported.refuse("mlp_bias", "false");
  if (reader.has("rope_scaling")) unsupported.refuse("rope_scaling", "none");
}

}  // namespace

std::uint64_t ModelConfig::parameter_count() const {
  const std::uint64_t attention = 2 * d_model * (q_width() + kv_width());
  const std::uint64_t block = 2 * d_model + attention + 3 * d_model * d_ff;
  return (tied_head ? 1 : 2) * vocab_size * d_model + n_layers * block + d_model;
}

void validate(const ModelConfig& c) {
  check_range("vocab_size", c.vocab_size, kMaxWidth);
  check_range("hidden_size", c.d_model, kMaxWidth);
  check_range("intermediate_size", c.d_ff, kMaxWidth);
  check_range("num_hidden_layers", c.n_layers, kMaxLayers);
  check_range("num_attention_heads", c.n_heads, kMaxWidth);
  check_range("num_key_value_heads", c.n_kv_heads, kMaxWidth);
  check_range("head_dim", c.head_dim, kMaxWidth);
  check_range("max_position_embeddings", c.max_seq_len, kMaxPositions);
  VITRINE_CHECK(c.n_heads % c.n_kv_heads == 0, ErrorCode::bad_config, kWhere,
                ": num_attention_heads: expected a multiple of num_key_value_heads ", c.n_kv_heads, ", found ",
                c.n_heads);
  VITRINE_CHECK(c.head_dim % 2 == 0, ErrorCode::bad_config, kWhere, ": head_dim: expected an even number, found ",
                c.head_dim);
  VITRINE_CHECK(c.n_heads * std::uint64_t{c.head_dim} <= kMaxWidth, ErrorCode::bad_config, kWhere,
                ": num_attention_heads x head_dim: expected at most ", kMaxWidth, ", found ",
                c.n_heads * std::uint64_t{c.head_dim});
  VITRINE_CHECK(std::isfinite(c.rope_theta) && c.rope_theta > 0, ErrorCode::bad_config, kWhere,
                ": rope_theta: expected a positive number, found ", c.rope_theta);
  using Float = std::numeric_limits<float>;
  VITRINE_CHECK(c.norm_eps >= double{Float::min()} && c.norm_eps <= double{Float::max()}, ErrorCode::bad_config, kWhere,
                ": rms_norm_eps: expected a positive number within float32, found ", c.norm_eps);
  check_token("bos_token_id", c.bos_token, c.vocab_size);
  check_token("eos_token_id", c.eos_token, c.vocab_size);
  // Every product of sizes that the model allocates by, checked once: 16 bytes a parameter and a cache position.
  const std::uint64_t width = c.d_model + c.q_width() + 2 * c.kv_width() + 3 * std::uint64_t{c.d_ff} + c.vocab_size;
  const std::uint64_t weights = checked_multiply(checked_multiply(width, c.d_model, "model"), c.n_layers + 2, "model");
  checked_size(checked_multiply(weights, 16, "model"), "model");
  const std::uint64_t cache = checked_multiply(c.max_seq_len, 16 * std::uint64_t{c.kv_width()}, "KV cache");
  checked_size(checked_multiply(cache, c.n_layers, "KV cache"), "KV cache");
}

ModelConfig parse_config(std::string_view json_text) {
  const JsonDocument json = parse_json(json_text, kWhere);
  JsonObjectReader reader(json, std::string(kWhere), ErrorCode::bad_config, JsonNull::absent);
  refuse_unsupported(json, reader);
  ModelConfig c;
  c.vocab_size = reader.unsigned_integer("vocab_size", 1, kMaxWidth);
  c.d_model = reader.unsigned_integer("hidden_size", 1, kMaxWidth);
  c.d_ff = reader.unsigned_integer("intermediate_size", 1, kMaxWidth);
  c.n_layers = reader.unsigned_integer("num_hidden_layers", 1, kMaxLayers);
  c.n_heads = reader.unsigned_integer("num_attention_heads", 1, kMaxWidth);
  c.n_kv_heads = reader.optional_unsigned("num_key_value_heads", 1, kMaxWidth).value_or(c.n_heads);
  if (const auto head_dim = reader.optional_unsigned("head_dim", 1, kMaxWidth)) {
    c.head_dim = *head_dim;
  } else {
    VITRINE_CHECK(c.d_model % c.n_heads == 0, ErrorCode::bad_config, kWhere,
                  ": hidden_size: expected a multiple of num_attention_heads ", c.n_heads, ", found ", c.d_model);
    c.head_dim = c.d_model / c.n_heads;
  }
  c.max_seq_len = reader.unsigned_integer("max_position_embeddings", 1, kMaxPositions);
  c.rope_theta = reader.optional_number("rope_theta").value_or(10000.0);
  c.rope_pairing = parse_pairing(reader);
  c.norm_eps = reader.number("rms_norm_eps");
  c.tied_head = reader.optional_boolean("tie_word_embeddings").value_or(false);
  c.bos_token = static_cast<TokenId>(reader.optional_integer("bos_token_id", 0, kMaxWidth).value_or(-1));
  c.eos_token = static_cast<TokenId>(reader.optional_integer("eos_token_id", 0, kMaxWidth).value_or(-1));
  reader.finish({"architectures", "torch_dtype", "dtype", "transformers_version", "use_cache", "initializer_range",
                 "pretraining_tp", "attention_dropout", "pad_token_id", "_name_or_path", "rope_scaling"});
  validate(c);
  return c;
}

std::string write_config(const ModelConfig& c) {
  Json json = {{"architectures", {"LlamaForCausalLM"}},
               {"model_type", "llama"},
               {"vocab_size", c.vocab_size},
               {"hidden_size", c.d_model},
               {"intermediate_size", c.d_ff},
               {"num_hidden_layers", c.n_layers},
               {"num_attention_heads", c.n_heads},
               {"num_key_value_heads", c.n_kv_heads},
               {"head_dim", c.head_dim},
               {"max_position_embeddings", c.max_seq_len},
               {"rope_theta", c.rope_theta},
               {"rms_norm_eps", c.norm_eps},
               {"hidden_act", "silu"},
               {"tie_word_embeddings", c.tied_head}};
  if (c.rope_pairing == kernels::RopePairing::adjacent) json[std::string(kPairingField)] = "adjacent";
  if (c.bos_token >= 0) json["bos_token_id"] = c.bos_token;
  if (c.eos_token >= 0) json["eos_token_id"] = c.eos_token;
  return vitrine::json_text(json, 2) + "\n";
}

}  // namespace vitrine
