// Detectors of the forward pass: each runs a model in a way of its own, and says what it saw that a right model never
// shows. They compare bits and know no tolerance. Those of the generator are in row_detectors.hpp.
#pragma once

#include <optional>
#include <span>

#include "base/finding.hpp"
#include "model/transformer.hpp"

namespace vitrine::detect {

/// check_parity() over all its schedules. Throws as that does.
std::optional<Finding> parity(Transformer& model, std::span<const TokenId> tokens);

/// A prompt of every length below that of `tokens`, each in one call, and one decode step after it: the logits of that
/// step against those of one call for all tokens. Throws as forward() does.
std::optional<Finding> every_prompt_length(Transformer& model, std::span<const TokenId> tokens);

/// For each position t, all tokens after t are changed: no bit of the logits up to t may move. Those of t + 1 must for
/// some t, or the probe would see nothing; not for each, since tokens that training never saw may share an embedding.
/// One call a position.
std::optional<Finding> causality_probe(Transformer& model, std::span<const TokenId> tokens);

/// Three rows of different tokens and lengths that share every call, a prompt and then single steps: each must have the
/// logits that it has alone. Needs at least 4 tokens and a third more than theirs of max_batch_rows.
std::optional<Finding> neighbour_untouched(Transformer& model, std::span<const TokenId> tokens);

}  // namespace vitrine::detect
