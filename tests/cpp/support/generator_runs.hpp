// Rows of a Generator over the tiny model: how tests ask for them and what they collect. The oracle here knows no
// generator and no cache: every prefix from nothing.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generate/generator.hpp"
#include "generate/parity.hpp"
#include "support/tiny_model.hpp"

namespace vitrine::test {

/// Token t is the letter 'A' + t, so texts can be read; token 36 is special and adds no bytes.
inline std::string_view letter(TokenId token) {
  static const std::array<char, 36> letters = [] {
    std::array<char, 36> all{};
    for (std::size_t t = 0; t < all.size(); ++t) all[t] = static_cast<char>('A' + t);
    return all;
  }();
  return token == 36 ? std::string_view() : std::string_view(&letters[static_cast<std::size_t>(token)], 1);
}

inline Transformer make_model(std::size_t max_batch_rows = 64) {
  return Transformer(tiny_config(), random_weights(tiny_config(), 3), {.max_batch_rows = max_batch_rows, .threads = 1});
}

inline RowRequest request(std::vector<TokenId> prompt, std::uint64_t seed = 1, std::size_t max_new_tokens = 8) {
  RowRequest out;
  out.prompt = std::move(prompt);
  out.policy.seed = seed;
  out.policy.max_new_tokens = max_new_tokens;
  return out;
}

struct Outcome {
  std::vector<TokenId> tokens;
  std::string text;
  FinishReason finish = FinishReason::none;

  bool operator==(const Outcome&) const = default;
};

/// The bits of every row of logits that chose a token, one row after the other.
using LogitsBits = std::vector<std::uint32_t>;

inline void append_bits(LogitsBits& bits, std::span<const float> logits) {
  for (const float logit : logits) bits.push_back(std::bit_cast<std::uint32_t>(logit));
}

/// Runs every row of the generator to its end. With `bits`, keeps their logits.
inline std::map<RowId, Outcome> run(Generator& generator, std::map<RowId, LogitsBits>* bits = nullptr) {
  std::map<RowId, Outcome> outcomes;
  while (generator.unfinished_rows() > 0) {
    for (const RowEvent& event : generator.step()) {
      Outcome& outcome = outcomes[event.row];
      REQUIRE(outcome.finish == FinishReason::none);
      if (event.token >= 0) outcome.tokens.push_back(event.token);
      if (event.token >= 0 && bits != nullptr) append_bits((*bits)[event.row], event.logits);
      outcome.text += event.bytes;
      outcome.finish = event.finish;
    }
  }
  return outcomes;
}

/// One row in a generator and a model of its own.
inline Outcome run_alone(RowRequest asked, const GeneratorOptions& options = {}, LogitsBits* bits = nullptr,
                         const TokenBytes& token_bytes = letter) {
  Transformer model = make_model();
  Generator generator(model, token_bytes, options);
  const RowId row = generator.join(std::move(asked));
  std::map<RowId, LogitsBits> kept;
  Outcome outcome = run(generator, &kept)[row];
  if (bits != nullptr) *bits = kept[row];
  return outcome;
}

/// The same continuation by definition, up to max_new_tokens tokens.
inline std::vector<TokenId> naive_tokens(const RowRequest& asked, LogitsBits* bits = nullptr) {
  Transformer model = make_model();
  KvCache cache = model.make_cache();
  SamplingPipeline pipeline(model.config().vocab_size);
  std::vector<TokenId> sequence = asked.prompt;
  std::vector<TokenId> generated;
  for (std::size_t step = 0; step < asked.policy.max_new_tokens; ++step) {
    const View<const float, 1> logits = full_prefix_logits(model, sequence, cache);
    if (bits != nullptr) append_bits(*bits, {logits.data(), logits.size()});
    const RandomStream stream(*asked.policy.seed, asked.stream);
    generated.push_back(
        pipeline
            .draw({logits.data(), logits.size()}, asked.policy, stream, step, nullptr, {asked.prompt, generated, {}})
            .token);
    sequence.push_back(generated.back());
  }
  return generated;
}

}  // namespace vitrine::test
