// A trace: what happened inside the model at the last position of a prefix, from a pass that keeps its activations.
// The blocks are the model's own; it differs from forward() in the memory that it hands in, and computes for people.
#pragma once

#include <span>
#include <vector>

#include "base/token_id.hpp"
#include "model/transformer.hpp"

namespace vitrine {

struct LayerTrace {
  std::vector<std::vector<float>> attention;  ///< [H][S] by query head, the weights over every position of the prefix
  float rms_before = 0;                       ///< root mean square of the residual stream going in,
  float rms_after_attention = 0;              ///< after attention was added,
  float rms_after_mlp = 0;                    ///< and after the MLP was
  std::vector<float> logits;                  ///< [V] what the final norm and the head read from the stream then
};

struct PositionTrace {
  std::vector<LayerTrace> layers;
  std::vector<float> query_before;  ///< [D] the first query head of the first layer,
  std::vector<float> query_after;   ///< [D] and as rotated to its position
};

/// Runs the tokens [S] from an empty cache of the model's dtype, without a fault, whatever is injected: the last
/// layer's logits are those of forward(), bit for bit. Allocates its memory, about that of a batch of S rows. Throws
/// invalid_option without a token, context_full, invalid_token.
PositionTrace trace_last_position(Transformer& model, std::span<const TokenId> tokens);

}  // namespace vitrine
