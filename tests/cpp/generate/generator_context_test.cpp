// Prompts of every length against a context of 40 positions, each generated to the end.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "generate/generator.hpp"
#include "support/expect_error.hpp"
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

const std::size_t kContext = tiny_config().max_seq_len;

TEST_CASE("a prompt of any length that fits gets context - n + 1 tokens, the last without a position of its own") {
  for (std::size_t n = 1; n <= kContext; ++n) {
    CAPTURE(n);
    const std::size_t room = kContext - n + 1;
    const RowRequest asked = request(random_tokens(tiny_config(), n, 4), 1, room);
    RowRequest more = asked;
    more.policy.max_new_tokens = room + 1;
    LogitsBits cached, full;
    const Outcome outcome = run_alone(more, {.max_rows = 1, .prefill_chunk = 7}, &cached);
    CHECK(outcome.finish == FinishReason::context_full);
    CHECK(outcome.tokens.size() == room);
    CHECK(outcome.tokens == naive_tokens(asked, &full));
    CHECK(cached == full);
    // Exactly as many as there is room for is not a full context.
    CHECK(run_alone(asked).finish == FinishReason::length);
  }
}

TEST_CASE("a prompt of one token too many is refused before anything is computed, and its place stays usable") {
  Transformer model = make_model();
  Generator generator(model, letter, {.max_rows = 1, .prefill_chunk = 64});
  const std::vector<TokenId> prompt = random_tokens(tiny_config(), kContext, 4);
  const RowId first = generator.join(request(prompt, 1, 50));
  LogitsBits bits;
  test::append_bits(bits, generator.step().front().logits);
  CHECK(generator.row(first).finish == FinishReason::context_full);
  generator.leave(first);
  std::vector<TokenId> longer = prompt;
  longer.push_back(1);
  for (const std::size_t extra : {1, 2, 1000}) {
    longer.resize(kContext + extra, 1);
    CHECK_ERROR(ErrorCode::context_full, str("at most 40 tokens, found ", kContext + extra),
                generator.join(request(longer)));
    CHECK(generator.rows().empty());
  }
  const RowId again = generator.join(request(prompt, 1, 50));
  CHECK(generator.row(again).reused == kContext - 1);
  std::map<RowId, LogitsBits> after;
  CHECK(run(generator, &after)[again].finish == FinishReason::context_full);
  CHECK(after[again] == bits);
}

TEST_CASE("rows of a batch reach the end of their contexts at different steps, each by itself") {
  Transformer model = make_model();
  Generator generator(model, letter, {.max_rows = 5, .prefill_chunk = 64});
  std::map<RowId, RowRequest> asked;
  for (const std::size_t n : {40, 39, 38, 20, 1}) {
    RowRequest next = request(random_tokens(tiny_config(), n, n), n, 60);
    next.policy.frequency_penalty = 0.5;
    asked[generator.join(next)] = next;
  }
  std::map<RowId, Outcome> outcomes = run(generator);
  for (const auto& [row, one] : asked) {
    CHECK(outcomes[row].finish == FinishReason::context_full);
    CHECK(outcomes[row].tokens.size() == kContext - one.prompt.size() + 1);
    CHECK(outcomes[row] == run_alone(one));
    CHECK(generator.row(row).cache.length() == kContext);
  }
}

}  // namespace
}  // namespace vitrine
