// ModelConfig: the shape of a Llama-family decoder, read from and written to a Hugging Face config.json.
// It holds no weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/token_id.hpp"
#include "cache/kv_cache.hpp"
#include "kernels/rope_pairing.hpp"

namespace vitrine {

struct ModelConfig {
  std::size_t vocab_size = 0;
  std::size_t d_model = 0;
  std::size_t n_layers = 0;
  std::size_t n_heads = 0;
  std::size_t n_kv_heads = 0;
  std::size_t head_dim = 0;
  std::size_t d_ff = 0;
  std::size_t max_seq_len = 0;
  double rope_theta = 10000.0;
  kernels::RopePairing rope_pairing = kernels::RopePairing::halves;
  double norm_eps = 1e-5;  ///< as written; a positive number as a float, too
  bool tied_head = true;
  TokenId bos_token = -1;  ///< -1: none
  TokenId eos_token = -1;  ///< -1: none

  /// Query heads that share one key/value head.
  std::size_t group() const { return n_heads / n_kv_heads; }
  std::size_t q_width() const { return n_heads * head_dim; }
  std::size_t kv_width() const { return n_kv_heads * head_dim; }
  KvShape kv_shape(KvDType dtype = KvDType::f32) const { return {n_layers, n_kv_heads, head_dim, max_seq_len, dtype}; }
  std::uint64_t parameter_count() const;

  bool operator==(const ModelConfig&) const = default;
};

/// Throws bad_config, naming the field, unless every size is positive, in range and consistent.
void validate(const ModelConfig& config);

/// Reads a config.json of model_type "llama"; what it asks for and we do not have is unsupported_format, by name.
ModelConfig parse_config(std::string_view json_text);
/// The same as text; parse_config(write_config(c)) == c.
std::string write_config(const ModelConfig& config);

}  // namespace vitrine
