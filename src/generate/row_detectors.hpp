// Detectors of the generator: what the rows of a batch may not do to each other or after their end. They look at
// tokens; the bits of logits are detectors.hpp's.
#pragma once

#include <optional>
#include <span>

#include "base/finding.hpp"
#include "generate/generator.hpp"

namespace vitrine::detect {

/// Rows of one prompt and seed, each with a stream of its own, at a temperature that makes nearly all tokens alike:
/// each must draw what it draws alone, and not all the same. `generator` has six free rows and is left as free.
std::optional<Finding> independent_draws(Generator& generator, std::span<const TokenId> prompt);

/// A row that has finished while another goes on must keep its tokens and its cache. `generator` has two free rows and
/// is left as free.
std::optional<Finding> finished_row_is_still(Generator& generator, std::span<const TokenId> prompt);

}  // namespace vitrine::detect
