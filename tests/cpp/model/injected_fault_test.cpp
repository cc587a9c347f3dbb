#include "model/injected_fault.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "model/transformer.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

using test::random_tokens;
using test::random_weights;
using test::tiny_config;

using Logits = std::vector<float>;

void call(Transformer& model, KvCache& cache, std::span<const TokenId> tokens, Logits& out) {
  const SequenceInput input{&cache, tokens};
  const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::all);
  out.insert(out.end(), logits.data(), logits.data() + logits.size());
}

/// Ways to use a model; each gives all the logits that it made.
Logits one_call(Transformer& model) {
  Logits out;
  KvCache cache = model.make_cache();
  call(model, cache, random_tokens(model.config(), 20, 1), out);
  return out;
}

Logits prompt_and_steps(Transformer& model, std::size_t prompt, std::size_t steps) {
  Logits out;
  KvCache cache = model.make_cache();
  const std::vector<TokenId> tokens = random_tokens(model.config(), prompt + steps, 2);
  call(model, cache, std::span(tokens).first(prompt), out);
  for (std::size_t i = 0; i < steps; ++i) call(model, cache, std::span(tokens).subspan(prompt + i, 1), out);
  return out;
}
Logits short_prompt(Transformer& model) { return prompt_and_steps(model, 5, 6); }
Logits prompt_of_17(Transformer& model) { return prompt_and_steps(model, 17, 2); }

/// The second text is typed over the first in one cache. Only what comes after the rewind counts.
Logits retyped(Transformer& model) {
  Logits before, out;
  KvCache cache = model.make_cache();
  const std::vector<TokenId> first = random_tokens(model.config(), 9, 3), second = random_tokens(model.config(), 5, 4);
  call(model, cache, first, before);
  cache.rewind(6);
  call(model, cache, second, out);
  return out;
}

Logits side_by_side(Transformer& model) {
  Logits out;
  std::vector<KvCache> caches;
  std::vector<std::vector<TokenId>> rows;
  for (std::size_t r = 0; r < 3; ++r) {
    caches.push_back(model.make_cache());
    rows.push_back(random_tokens(model.config(), 4 + r, 5 + r));
  }
  std::vector<SequenceInput> batch;
  for (std::size_t r = 0; r < 3; ++r) batch.push_back({&caches[r], rows[r]});
  const View<const float, 2> logits = model.forward(batch, LogitsWanted::all);
  out.assign(logits.data(), logits.data() + logits.size());
  return out;
}

struct Use {
  const char* name;
  Logits (*run)(Transformer& model);
};
constexpr std::array kUses = {Use{"one_call", one_call}, Use{"short_prompt", short_prompt},
                              Use{"prompt_of_17", prompt_of_17}, Use{"retyped", retyped},
                              Use{"side_by_side", side_by_side}};

bool same_bits(const Logits& a, const Logits& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The uses whose bits a fault changes, in the order of kUses.
std::string changed_by(Fault fault, const ModelConfig& config) {
  const NamedTensors weights = random_weights(config, 1);
  Transformer healthy(config, weights), broken(config, weights);
  broken.inject(fault);
  std::string names;
  for (const Use& use : kUses) {
    if (!same_bits(use.run(healthy), use.run(broken))) names += std::string(names.empty() ? "" : " ") + use.name;
  }
  return names;
}

TEST_CASE("each fault changes the bits of the uses that it spoils, and of no other") {
  const std::string all = "one_call short_prompt prompt_of_17 retyped side_by_side";
  const std::map<Fault, std::string> expected = {
      {Fault::none, ""},
      {Fault::causal_mask_dropped, all},
      {Fault::position_off_by_one, "short_prompt prompt_of_17 retyped"},
      {Fault::rope_twice, all},
      {Fault::key_rotated_by_slot, "one_call prompt_of_17"},
      {Fault::first_row_never_written, "short_prompt prompt_of_17 retyped"},
      {Fault::row_zeroed_at_some_lengths, "prompt_of_17"},
      {Fault::stale_row_after_rewind, "retyped"},
      {Fault::row_in_neighbours_cache, "side_by_side"},
      {Fault::one_draw_for_all_rows, ""},
      {Fault::softmax_over_wrong_length, "short_prompt prompt_of_17 retyped"},
      {Fault::norm_epsilon_wrong, all},
      {Fault::heads_grouped_by_modulo, all},
      {Fault::finished_row_advances, ""}};
  CHECK(expected.size() == kFaults.size() + 1);
  for (const auto& [fault, names] : expected) {
    CAPTURE(fault_name(fault));
    CHECK(changed_by(fault, tiny_config()) == names);
  }
}

TEST_CASE("a model is healthy until a fault is injected, and after it was taken away") {
  const NamedTensors weights = random_weights(tiny_config(), 1);
  Transformer untouched(tiny_config(), weights), model(tiny_config(), weights);
  CHECK(model.fault() == Fault::none);
  for (const FaultEntry& entry : kFaults) {
    CAPTURE(entry.name);
    model.inject(entry.fault);
    CHECK(model.fault() == entry.fault);
    for (const Use& use : kUses) use.run(model);
    model.inject(Fault::none);
    for (const Use& use : kUses) CHECK(same_bits(use.run(untouched), use.run(model)));
  }
}

TEST_CASE("grouping by modulo changes nothing where heads are not grouped, and says so") {
  ModelConfig plain = tiny_config(), single = tiny_config();
  plain.n_kv_heads = plain.n_heads;
  single.n_kv_heads = 1;
  for (const ModelConfig& config : {plain, single}) {
    CHECK(changes_nothing(Fault::heads_grouped_by_modulo, config));
    CHECK(changed_by(Fault::heads_grouped_by_modulo, config) == "");
    CHECK_FALSE(changes_nothing(Fault::rope_twice, config));
  }
  CHECK_FALSE(changes_nothing(Fault::heads_grouped_by_modulo, tiny_config()));
}

TEST_CASE("the row after a second rewind is stale too, and a text from the beginning is not") {
  const NamedTensors weights = random_weights(tiny_config(), 1);
  Transformer healthy(tiny_config(), weights), broken(tiny_config(), weights);
  broken.inject(Fault::stale_row_after_rewind);
  const std::vector<TokenId> tokens = random_tokens(tiny_config(), 12, 7), other = random_tokens(tiny_config(), 12, 8);
  const auto run = [&](Transformer& model, std::size_t rewind) {
    Logits out;
    KvCache cache = model.make_cache();
    call(model, cache, tokens, out);
    cache.rewind(4);
    call(model, cache, std::span(tokens).subspan(4), out);  // what was there already: nothing differs
    cache.rewind(rewind);
    call(model, cache, other, out);
    return out;
  };
  CHECK(same_bits(run(healthy, 0), run(broken, 0)));
  CHECK_FALSE(same_bits(run(healthy, 4), run(broken, 4)));
}

}  // namespace
}  // namespace vitrine
