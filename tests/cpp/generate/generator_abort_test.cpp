// Aborting a row at any point: it ends at once, the others do not notice, and the same request again gives the bits of
// a generator that never knew the first one.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "generate/generator.hpp"
#include "support/generator_runs.hpp"

namespace vitrine {
namespace {

using test::letter;
using test::LogitsBits;
using test::make_model;
using test::naive_tokens;
using test::Outcome;
using test::random_tokens;
using test::request;
using test::run;
using test::run_alone;
using test::tiny_config;

/// 20 tokens of prompt in chunks of 6: steps 1 to 3 are in the middle of it, step 4 ends it and chooses a token.
RowRequest asked() {
  RowRequest out = request(random_tokens(tiny_config(), 20, 6), 3);
  out.policy.presence_penalty = 0.5;
  return out;
}

constexpr GeneratorOptions kOptions = {.max_rows = 2, .prefill_chunk = 6};

/// When a row is aborted, and by whom: between two steps, or while the events of a step are being handled.
struct Moment {
  std::size_t steps;
  const char* what;
};

const std::vector<Moment> kMoments = {{0, "before the first step"}, {1, "in the prefill"},
                                      {3, "before its last chunk"}, {4, "at the first token"},
                                      {5, "at the second token"},   {9, "later"}};

TEST_CASE("after an abort at any point the same request gives the bits of a fresh generator, and of no cache at all") {
  LogitsBits fresh, naive;
  const Outcome expected = run_alone(asked(), kOptions, &fresh);
  CHECK(naive_tokens(asked(), &naive) == expected.tokens);
  CHECK(fresh == naive);
  for (const Moment& moment : kMoments) {
    CAPTURE(moment.what);
    Transformer model = make_model();
    Generator generator(model, letter, kOptions);
    const RowId row = generator.join(asked());
    std::vector<TokenId> before;
    for (std::size_t step = 0; step < moment.steps; ++step) {
      const RowEvent& event = generator.step().front();
      if (event.token >= 0) before.push_back(event.token);
    }
    generator.abort(row);
    CHECK(generator.row(row).finish == FinishReason::aborted);
    CHECK(generator.step().empty());
    const auto kept = generator.row(row).generated;
    CHECK(std::vector<TokenId>(kept.begin(), kept.end()) == before);
    CHECK(std::equal(before.begin(), before.end(), expected.tokens.begin()));
    generator.leave(row);
    const RowId again = generator.join(asked());
    std::map<RowId, LogitsBits> bits;
    CHECK(run(generator, &bits)[again] == expected);
    CHECK(bits[again] == fresh);
  }
}

TEST_CASE("an abort from the handler of an event, row by row, leaves the events and the other rows as they are") {
  RowRequest other = request(random_tokens(tiny_config(), 9, 8), 4, 12);
  LogitsBits other_fresh;
  const Outcome other_expected = run_alone(other, {}, &other_fresh);
  for (const Moment& moment : kMoments) {
    if (moment.steps == 0) continue;
    CAPTURE(moment.what);
    Transformer model = make_model();
    Generator generator(model, letter, kOptions);
    const RowId row = generator.join(asked());
    const RowId beside = generator.join(other);
    Outcome outcome;
    LogitsBits bits;
    for (std::size_t step = 1; generator.unfinished_rows() > 0; ++step) {
      for (const RowEvent& event : generator.step()) {
        if (event.row == row && step == moment.steps) generator.abort(row);
        if (event.row != beside) continue;
        if (event.token >= 0) outcome.tokens.push_back(event.token);
        if (event.token >= 0) test::append_bits(bits, event.logits);
        outcome.text += event.bytes;
        outcome.finish = event.finish;
      }
    }
    CHECK(generator.row(row).finish == FinishReason::aborted);
    CHECK(outcome == other_expected);
    CHECK(bits == other_fresh);
  }
}

TEST_CASE("aborts again and again, at different points, add up to nothing") {
  LogitsBits fresh;
  const Outcome expected = run_alone(asked(), kOptions, &fresh);
  Transformer model = make_model();
  Generator generator(model, letter, {.max_rows = 1, .prefill_chunk = 6});
  for (std::size_t round = 0; round < 12; ++round) {
    RowRequest changed = asked();
    // Every other round another prompt takes the place, so that what the cache holds is not always a beginning.
    if (round % 2 == 1) changed.prompt[round] = (changed.prompt[round] + 1) % 37;
    const RowId row = generator.join(changed);
    for (std::size_t step = 0; step < round; ++step) generator.step();
    generator.abort(row);
    generator.leave(row);
  }
  const RowId last = generator.join(asked());
  std::map<RowId, LogitsBits> bits;
  CHECK(run(generator, &bits)[last] == expected);
  CHECK(bits[last] == fresh);
}

}  // namespace
}  // namespace vitrine
