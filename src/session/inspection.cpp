// Sorting, norms and softmax: what turns numbers of the model into figures.
#include "session/inspection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/attention.hpp"
#include "kernels/softmax.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kLensTokens = 5;

/// The most probable tokens; among equals the one of the lower id comes first.
std::vector<LensToken> most_probable(std::vector<float> logits) {
  kernels::softmax(logits.data(), logits.data(), logits.size());
  std::vector<TokenId> order(logits.size());
  std::iota(order.begin(), order.end(), TokenId{0});
  const std::size_t count = std::min(kLensTokens, order.size());
  const auto probability = [&](TokenId token) { return logits[static_cast<std::size_t>(token)]; };
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](TokenId a, TokenId b) { return probability(a) != probability(b) ? probability(a) > probability(b) : a < b; });
  std::vector<LensToken> best;
  for (std::size_t i = 0; i < count; ++i) best.push_back({order[i], probability(order[i])});
  return best;
}

/// The length of the key at a position of key_blocks [ceil(S / P)][D][P].
float key_norm(View<const float, 1> key_blocks, std::size_t position, std::size_t D) {
  const float* key = key_blocks.data() + kernels::key_offset(position, D);
  float sum = 0;
  for (std::size_t d = 0; d < D; ++d) sum += key[d * kernels::kKeyBlock] * key[d * kernels::kKeyBlock];
  return std::sqrt(sum);
}

}  // namespace

Inspection inspect_last_position(Transformer& model, std::span<const TokenId> tokens) {
  Inspection inspection{{tokens.begin(), tokens.end()}, trace_last_position(model, tokens), {}, {}};
  for (const LayerTrace& layer : inspection.trace.layers) inspection.lens.push_back(most_probable(layer.logits));
  const ModelConfig& c = model.config();
  inspection.rope = rope_pairs(inspection.trace.query_before, inspection.trace.query_after, c.rope_theta,
                               tokens.size() - 1, c.rope_pairing);
  return inspection;
}

CacheMap map_cache(const KvCache& cache) {
  const KvShape& shape = cache.shape();
  CacheMap map{cache.length(), cache.capacity(), cache.bytes(), {}};
  std::vector<float> scratch(kv_scratch_floats(shape));
  for (std::size_t layer = 0; layer < shape.n_layers; ++layer) {
    const KvLayer kv = cache.read(layer, cache.length(), {scratch.data(), {scratch.size()}});
    std::vector<std::vector<float>>& heads = map.key_norms.emplace_back();
    for (std::size_t head = 0; head < shape.n_kv_heads; ++head) {
      std::vector<float>& norms = heads.emplace_back();
      for (std::size_t p = 0; p < cache.length(); ++p) norms.push_back(key_norm(kv.keys[head], p, shape.head_dim));
    }
  }
  return map;
}

}  // namespace vitrine
