#include "generate/row_detectors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "support/architectures.hpp"

namespace vitrine {
namespace {

using test::random_tokens;
using test::random_weights;
using test::tiny_config;

struct Seen {
  std::optional<Finding> draws;
  std::optional<Finding> finished;
};

/// What the detectors see in a generator with this fault, which they must leave free.
Seen observe(Transformer& model, Fault fault) {
  Generator generator(model, [](TokenId) { return std::string_view(); }, {.max_rows = 6, .prefill_chunk = 64});
  generator.inject(fault);
  const std::vector<TokenId> prompt = random_tokens(model.config(), 3, 1);
  Seen seen{detect::independent_draws(generator, prompt), detect::finished_row_is_still(generator, prompt)};
  CHECK(generator.rows().empty());
  return seen;
}

TEST_CASE("rows of healthy models of every architecture draw for themselves and end for good") {
  for (const ModelConfig& config : test::architectures()) {
    Transformer model(config, random_weights(config, 1));
    const Seen seen = observe(model, Fault::none);
    CHECK_FALSE(seen.draws.has_value());
    CHECK_FALSE(seen.finished.has_value());
  }
}

TEST_CASE("one draw for all rows is seen by independent_draws alone, at the first row that is not its own") {
  Transformer model(tiny_config(), random_weights(tiny_config(), 1));
  const Seen seen = observe(model, Fault::one_draw_for_all_rows);
  REQUIRE(seen.draws.has_value());
  CHECK(seen.draws->where == "row 1 of 6");
  CHECK(seen.draws->expected != seen.draws->found);
  CHECK_FALSE(seen.finished.has_value());
}

TEST_CASE("a finished row that advances is seen by finished_row_is_still, with its tokens and positions") {
  Transformer model(tiny_config(), random_weights(tiny_config(), 1));
  const Seen seen = observe(model, Fault::finished_row_advances);
  REQUIRE(seen.finished.has_value());
  CHECK(seen.finished->expected.find("; 3 positions") != std::string::npos);
  CHECK(seen.finished->found.find("; 6 positions") != std::string::npos);
  CHECK_FALSE(seen.draws.has_value());
}

TEST_CASE("faults of the forward pass alone leave a generator's own rules whole") {
  Transformer model(tiny_config(), random_weights(tiny_config(), 1));
  model.inject(Fault::rope_twice);
  const Seen seen = observe(model, Fault::rope_twice);
  CHECK_FALSE(seen.draws.has_value());
  CHECK_FALSE(seen.finished.has_value());
}

TEST_CASE("rows that all draw the same are seen even if each draws the same alone") {
  ModelConfig config = tiny_config();
  config.tied_head = false;
  NamedTensors weights = random_weights(config, 1);
  Tensor head = weights.take("lm_head.weight");
  for (float& value : head.data) value *= 1e6f;  // one token has all the probability at any temperature
  weights.insert(std::move(head));
  Transformer model(config, weights);
  const Seen seen = observe(model, Fault::none);
  REQUIRE(seen.draws.has_value());
  CHECK(seen.draws->where == "6 rows");
}

}  // namespace
}  // namespace vitrine
