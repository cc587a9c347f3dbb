// Logits of small models with random weights, by every schedule: alone and whole, token by token, in ragged batches.
#include <algorithm>
#include <vector>

#include "base/check.hpp"
#include "hashes.hpp"
#include "logits.hpp"
#include "sets.hpp"
#include "support/tiny_model.hpp"

namespace vitrine::golden {
namespace {

struct NamedConfig {
  const char* name;
  ModelConfig config;
  std::size_t longest;  ///< tokens of the longest sequence
};

std::vector<NamedConfig> configs() {
  const ModelConfig odd = test::tiny_config();

  ModelConfig adjacent = odd;
  adjacent.rope_pairing = kernels::RopePairing::adjacent;
  adjacent.rope_theta = 500000.0;
  adjacent.tied_head = false;
  adjacent.n_heads = adjacent.n_kv_heads = 3;
  adjacent.head_dim = 10;
  adjacent.norm_eps = 1e-6f;

  ModelConfig one_head = odd;
  one_head.n_kv_heads = 1;
  one_head.n_layers = 3;
  one_head.d_model = 35;
  one_head.d_ff = 61;
  one_head.vocab_size = 101;
  one_head.tied_head = false;

  // Wide enough that sums run over several blocks of every kernel.
  ModelConfig wide = odd;
  wide.vocab_size = 515;
  wide.d_model = 264;
  wide.n_heads = 4;
  wide.n_kv_heads = 2;
  wide.head_dim = 32;
  wide.d_ff = 600;
  wide.max_seq_len = 128;

  // Long enough that the sum over positions does.
  ModelConfig deep_context = odd;
  deep_context.vocab_size = 29;
  deep_context.d_model = 12;
  deep_context.n_layers = 1;
  deep_context.n_heads = 2;
  deep_context.n_kv_heads = 1;
  deep_context.head_dim = 4;
  deep_context.d_ff = 16;
  deep_context.max_seq_len = 1700;

  return {{"odd widths, grouped heads, tied head", odd, 40},
          {"adjacent pairs, a head each, head not tied", adjacent, 40},
          {"one key/value head, three layers", one_head, 40},
          {"wide", wide, 100},
          {"a context of 1700", deep_context, 1700}};
}

}  // namespace

Json model_hashes() {
  Json json = Json::object();
  std::uint64_t seed = 1;
  for (const auto& [name, config, longest] : configs()) {
    // A narrower cache rounds once, when it stores: the same bits by every schedule, though others than with float32.
    const NamedTensors weights = test::random_weights(config, seed);
    std::vector<std::vector<TokenId>> sequences;
    for (const std::size_t length : {longest, longest / 2, std::size_t{7}, std::size_t{1}}) {
      sequences.push_back(test::random_tokens(config, length, seed++));
    }
    for (const auto& [dtype, dtype_name] : kKvDTypes) {
      Ways ways;
      for (const std::size_t threads : thread_counts()) {
        Transformer model(config, weights, {.max_batch_rows = 2 * longest, .threads = threads, .cache_dtype = dtype});
        add_schedules(model, sequences, threads, ways);
      }
      json[str(name, dtype == KvDType::f32 ? "" : str(", ", dtype_name, " cache"))] = agreed(ways);
    }
  }
  return json;
}

}  // namespace vitrine::golden
