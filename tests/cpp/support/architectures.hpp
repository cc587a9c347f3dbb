// Small architectures that differ in everything that a kernel or a layer could get wrong. Weights are tiny_model.hpp's.
#pragma once

#include <vector>

#include "support/tiny_model.hpp"

namespace vitrine::test {

/// Grouped heads with a tied head; adjacent pairs with a head of its own; plain multi-head attention; one key/value
/// head for all.
inline std::vector<ModelConfig> architectures() {
  std::vector<ModelConfig> all(4, tiny_config());
  all[1].tied_head = false;
  all[1].rope_pairing = kernels::RopePairing::adjacent;
  all[2].n_kv_heads = 6;
  all[2].norm_eps = 1e-3f;
  all[3].n_kv_heads = 1;
  all[3].rope_theta = 500.0;
  return all;
}

}  // namespace vitrine::test
