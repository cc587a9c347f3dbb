// Inspection: a trace of the model and a cache's content in the figures that people are shown. What the model computed
// is model/trace.hpp's; nothing here is computed a second way.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cache/kv_cache.hpp"
#include "model/trace.hpp"
#include "session/rope_pairs.hpp"

namespace vitrine {

/// A token that the head would choose.
struct LensToken {
  TokenId token = -1;
  float probability = 0;
};

struct Inspection {
  std::vector<TokenId> tokens;  ///< [S], of which the last one was inspected
  PositionTrace trace;
  std::vector<std::vector<LensToken>> lens;  ///< for each layer the most probable five, best first
  std::vector<RopePair> rope;                ///< [D/2] of the first query head of the first layer
};

/// What happened at the last of these tokens, in the healthy model. Throws as trace_last_position.
Inspection inspect_last_position(Transformer& model, std::span<const TokenId> tokens);

struct CacheMap {
  std::size_t positions = 0;
  std::size_t capacity = 0;
  KvBytes bytes;
  std::vector<std::vector<std::vector<float>>> key_norms;  ///< [L][Hkv][positions] the length of each key as stored
};

CacheMap map_cache(const KvCache& cache);

}  // namespace vitrine
