// What the tests of the generator share: a model whose tokens are letters, requests, and rows run to their end.
// It expects nothing itself, but that no row goes on after its end.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generate/generator.hpp"
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

/// Runs every row of the generator to its end.
inline std::map<RowId, Outcome> run(Generator& generator) {
  std::map<RowId, Outcome> outcomes;
  while (generator.unfinished_rows() > 0) {
    for (const RowEvent& event : generator.step()) {
      Outcome& outcome = outcomes[event.row];
      REQUIRE(outcome.finish == FinishReason::none);
      if (event.token >= 0) outcome.tokens.push_back(event.token);
      outcome.text += event.bytes;
      outcome.finish = event.finish;
    }
  }
  return outcomes;
}

inline Outcome run_alone(RowRequest asked, const GeneratorOptions& options = {}) {
  Transformer model = make_model();
  Generator generator(model, letter, options);
  const RowId row = generator.join(std::move(asked));
  return run(generator)[row];
}

}  // namespace vitrine::test
