#include "generate/detectors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/architectures.hpp"

namespace vitrine {
namespace {

using test::random_tokens;
using test::random_weights;
using test::tiny_config;

/// The detectors that see something, in the order of detectors.hpp.
std::string seen_by(Transformer& model) {
  const std::vector<TokenId> tokens = random_tokens(model.config(), 34, 3);
  const auto first = [&](std::size_t count) { return std::span(tokens).first(count); };
  std::string names;
  if (detect::parity(model, first(24))) names += " parity";
  if (detect::every_prompt_length(model, first(34))) names += " every_prompt_length";
  if (detect::causality_probe(model, first(20))) names += " causality_probe";
  if (detect::neighbour_untouched(model, first(12))) names += " neighbour_untouched";
  return names;
}

TEST_CASE("healthy models of every architecture trigger no detector") {
  for (const ModelConfig& config : test::architectures()) {
    CAPTURE(config.n_kv_heads);
    Transformer model(config, random_weights(config, 1));
    CHECK(seen_by(model) == "");
  }
}

TEST_CASE("tokens that share one embedding, as those do that training never saw, trigger no detector") {
  const ModelConfig config = tiny_config();
  NamedTensors weights;
  for (const auto& [name, tensor] : random_weights(config, 1)) {
    std::vector<float>& data = weights.insert(tensor).data;
    if (name != "model.embed_tokens.weight") continue;
    for (std::size_t token = 0; token + 1 < config.vocab_size / 2; token += 2) {
      std::copy_n(&data[token * config.d_model], config.d_model, &data[(token + 1) * config.d_model]);
    }
  }
  Transformer model(config, weights);
  CHECK(seen_by(model) == "");
}

TEST_CASE("each fault is seen by the detectors that look where it strikes, and by no other") {
  const std::map<Fault, std::string> expected = {
      {Fault::causal_mask_dropped, " parity every_prompt_length causality_probe"},
      {Fault::position_off_by_one, " parity every_prompt_length"},
      {Fault::rope_twice, ""},
      {Fault::key_rotated_by_slot, ""},
      {Fault::first_row_never_written, " parity every_prompt_length"},
      {Fault::row_zeroed_at_some_lengths, " every_prompt_length"},
      {Fault::stale_row_after_rewind, " parity"},
      {Fault::row_in_neighbours_cache, " parity neighbour_untouched"},
      {Fault::one_draw_for_all_rows, ""},
      {Fault::softmax_over_wrong_length, " parity every_prompt_length"},
      {Fault::norm_epsilon_wrong, ""},
      {Fault::heads_grouped_by_modulo, ""},
      {Fault::finished_row_advances, ""}};
  Transformer model(tiny_config(), random_weights(tiny_config(), 1));
  for (const auto& [fault, names] : expected) {
    CAPTURE(fault_name(fault));
    model.inject(fault);
    CHECK(seen_by(model) == names);
  }
  model.inject(Fault::none);
  CHECK(seen_by(model) == "");
}

TEST_CASE("a finding names the first place, and both numbers to the last bit") {
  Transformer model(tiny_config(), random_weights(tiny_config(), 1));
  const std::vector<TokenId> tokens = random_tokens(tiny_config(), 34, 3);
  model.inject(Fault::row_zeroed_at_some_lengths);
  const auto length = detect::every_prompt_length(model, tokens);
  REQUIRE(length.has_value());
  CHECK(length->where == "the token after a prompt of 17, logit 0");
  CHECK(length->expected != length->found);
  CHECK(length->found.find(" (0x") != std::string::npos);

  model.inject(Fault::stale_row_after_rewind);
  const auto parity = detect::parity(model, tokens);
  REQUIRE(parity.has_value());
  CHECK(parity->where.find("schedule rewind_retype, token ") == 0);

  model.inject(Fault::causal_mask_dropped);
  const auto causality = detect::causality_probe(model, std::span(tokens).first(9));
  REQUIRE(causality.has_value());
  CHECK(causality->where == "token 0 after a change of the tokens from 8 on, logit 0");

  model.inject(Fault::row_in_neighbours_cache);
  const auto neighbour = detect::neighbour_untouched(model, std::span(tokens).first(12));
  REQUIRE(neighbour.has_value());
  CHECK(neighbour->where == "row 0 of 3, step 0, logit 0");
}

/// What the causality probe sees in a model in which tokens 0 .. `alike` - 1 share one embedding.
std::optional<Finding> causality_with_shared_embeddings(std::size_t alike) {
  ModelConfig config = tiny_config();
  config.tied_head = false;
  NamedTensors weights = random_weights(config, 1);
  Tensor embedding = weights.take("model.embed_tokens.weight");
  std::fill_n(embedding.data.begin(), alike * config.d_model, 1.0f);
  weights.insert(std::move(embedding));
  Transformer model(config, weights);
  return detect::causality_probe(model, std::vector<TokenId>{1, 2, 3, 35, 4});
}

TEST_CASE("a probe that cannot see an effect says so: every token has the same logits") {
  const auto finding = causality_with_shared_embeddings(37);
  REQUIRE(finding.has_value());
  CHECK(finding->where == "every changed token");
  CHECK(finding->found == "the same bits");
}

TEST_CASE("tokens that training never saw may share an embedding: one visible effect is enough") {
  CHECK_FALSE(causality_with_shared_embeddings(30).has_value());
}

}  // namespace
}  // namespace vitrine
