// Policies in a batch: every row has its own history, penalties, random stream and limits, whoever runs beside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generate/generator.hpp"
#include "support/generator_runs.hpp"

namespace vitrine {
namespace {

using test::letter;
using test::make_model;
using test::naive_tokens;
using test::Outcome;
using test::random_tokens;
using test::request;
using test::run;
using test::run_alone;
using test::tiny_config;

/// Requests of every kind of policy, prompts of different lengths.
std::vector<RowRequest> requests_of_every_kind() {
  const std::vector<std::function<void(Policy&)>> kinds = {
      [](Policy&) {},
      [](Policy& p) { p.mode = PolicyMode::greedy; },
      [](Policy& p) { p.repetition_penalty = 1.5, p.penalty_prompt = true; },
      [](Policy& p) { p.presence_penalty = 1.5, p.frequency_penalty = 0.5, p.penalty_window = 3; },
      [](Policy& p) { p.mode = PolicyMode::greedy, p.frequency_penalty = 2.0; },
      [](Policy& p) {
        p.logit_bias = {{4, 6.0}, {9, -100.0}}, p.temperature = 0.7;
      },
      [](Policy& p) { p.top_k = 5, p.top_p = 0.9, p.min_p = 0.1, p.temperature = 1.4; },
      [](Policy& p) { p.mode = PolicyMode::greedy, p.presence_penalty = 2.0, p.penalty_prompt = true; },
  };
  std::vector<RowRequest> requests;
  for (std::uint64_t r = 0; r < kinds.size(); ++r) {
    requests.push_back(request(random_tokens(tiny_config(), 1 + 3 * r, r), 50 + r, 12));
    requests.back().stream = r;
    kinds[r](requests.back().policy);
  }
  return requests;
}

TEST_CASE("a row's penalties count its own tokens, as a generation without generator, batch and cache gives them") {
  for (const RowRequest& asked : requests_of_every_kind()) {
    CAPTURE(json_text(write_policy(asked.policy)));
    CHECK(run_alone(asked).tokens == naive_tokens(asked));
  }
}

TEST_CASE("draws do not depend on who else is in the batch, on pauses, or on the order in which rows joined") {
  const std::vector<RowRequest> requests = requests_of_every_kind();
  std::vector<std::vector<TokenId>> alone;
  for (const RowRequest& asked : requests) alone.push_back(run_alone(asked).tokens);
  RandomStream random(5);
  for (int trial = 0; trial < 6; ++trial) {
    CAPTURE(trial);
    Transformer model = make_model();
    Generator generator(model, letter, {.max_rows = 4, .prefill_chunk = 5});
    std::vector<std::size_t> waiting(requests.size());
    for (std::size_t r = 0; r < waiting.size(); ++r) waiting[r] = r;
    std::map<RowId, std::size_t> index_of;
    std::vector<std::vector<TokenId>> together(requests.size());
    while (!waiting.empty() || generator.unfinished_rows() > 0) {
      if (!waiting.empty() && generator.rows().size() < 4) {
        const auto next = waiting.begin() + static_cast<std::ptrdiff_t>(random.next_below(waiting.size()));
        index_of[generator.join(requests[*next])] = *next;
        waiting.erase(next);
      }
      // One row alone, while the others pause, or all of them.
      const std::vector<RowId> rows = generator.rows();
      const RowId one = rows[random.next_below(rows.size())];
      for (const RowEvent& event : random.next_below(2) == 0 ? generator.step(one) : generator.step()) {
        if (event.token >= 0) together[index_of.at(event.row)].push_back(event.token);
      }
      for (const RowId row : rows) {
        if (generator.row(row).finish != FinishReason::none) generator.leave(row);
      }
    }
    for (std::size_t r = 0; r < requests.size(); ++r) {
      CAPTURE(r);
      CHECK(together[r] == alone[r]);
    }
  }
}

/// A model without weights: every logit is 0.
Transformer uniform_model() {
  return Transformer(tiny_config(), test::random_weights(tiny_config(), 3, 0.0f), {.max_batch_rows = 64, .threads = 1});
}

TEST_CASE("sixteen rows of equal logits each draw for themselves: 16 coins, not one for all") {
  Transformer model = uniform_model();
  Generator generator(model, letter, {.max_rows = 16, .prefill_chunk = 64});
  for (std::uint64_t stream = 0; stream < 16; ++stream) {
    RowRequest asked = request({1, 2, 3});
    asked.stream = stream;
    generator.join(asked);
  }
  const auto events = generator.step();
  REQUIRE(events.size() == 16);
  std::set<TokenId> tokens;
  std::set<double> coins;
  for (std::size_t row = 0; row < 16; ++row) {
    CHECK(std::all_of(events[row].logits.begin(), events[row].logits.end(), [](float logit) { return logit == 0; }));
    CHECK(events[row].draw.coin == RandomStream(1, row).uniform_at(0));
    CHECK(events[row].token == static_cast<TokenId>(events[row].draw.coin * 37));
    tokens.insert(events[row].token);
    coins.insert(events[row].draw.coin);
  }
  CHECK(coins.size() == 16);
  CHECK(tokens.size() >= 8);
}

TEST_CASE("the effective policy of a row gives its tokens again") {
  for (const RowRequest& asked : requests_of_every_kind()) {
    Transformer model = make_model();
    Generator generator(model, letter);
    const RowId row = generator.join(asked);
    const Outcome first = run(generator)[row];
    RowRequest again = asked;
    again.policy = parse_policy(parse_json(json_text(write_policy(generator.row(row).policy)), "echo"), 37);
    CHECK(run_alone(again) == first);
  }
}

TEST_CASE("a stop token cannot come before min_new_tokens, and comes at once after it") {
  for (const PolicyMode mode : {PolicyMode::greedy, PolicyMode::sample}) {
    for (const std::size_t min_new_tokens : {0, 1, 3, 8}) {
      RowRequest asked = request(random_tokens(tiny_config(), 5, 2));
      asked.policy.mode = mode;
      asked.policy.stop_tokens = {6, 7};
      asked.policy.logit_bias = {{6, 100.0}};
      asked.policy.min_new_tokens = min_new_tokens;
      const Outcome outcome = run_alone(asked);
      if (min_new_tokens == 8) {
        CHECK(outcome.finish == FinishReason::length);
        CHECK(std::count(outcome.tokens.begin(), outcome.tokens.end(), 6) == 0);
        CHECK(std::count(outcome.tokens.begin(), outcome.tokens.end(), 7) == 0);
        continue;
      }
      CHECK(outcome.finish == FinishReason::stop_token);
      CHECK(outcome.tokens.size() == min_new_tokens + 1);
      CHECK(outcome.tokens.back() == 6);
    }
  }
}

TEST_CASE("a row that must spell a word shows the model's own distribution, and what the word left of it") {
  const auto bytes = [](TokenId token) -> std::string_view {
    static const std::array<std::string_view, 3> words = {"co", "commit", "c"};
    return token < 3 ? words[static_cast<std::size_t>(token)] : letter(token);
  };
  Transformer model = make_model();
  Generator generator(model, bytes, {.max_rows = 2, .prefill_chunk = 64});
  RowRequest asked = request({7, 8});
  asked.trace_limit = 0;
  const RowId plain = generator.join(asked);
  asked.required = "comm";
  const RowId spelling = generator.join(asked);
  const auto events = generator.step();
  REQUIRE(events.size() == 2);
  REQUIRE(events[0].row == plain);
  REQUIRE(events[1].row == spelling);
  std::map<TokenId, double> model_of_plain, model_of_spelling;
  double allowed = 0, rest = 0;
  for (const auto& [event, probabilities] :
       {std::pair{&events[0], &model_of_plain}, std::pair{&events[1], &model_of_spelling}}) {
    REQUIRE(event->trace->ranked.size() == 37);
    for (std::size_t i = 0; i < 37; ++i) {
      (*probabilities)[event->trace->ranked[i].token] = event->trace->probability(0, i);
    }
  }
  for (std::size_t i = 0; i < 37; ++i) {
    const double after = events[1].trace->probability(1, i);
    const TokenId token = events[1].trace->ranked[i].token;
    (token < 3 || letter(token) == "c" ? allowed : rest) += after;
  }
  CHECK(model_of_spelling == model_of_plain);
  CHECK(allowed == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(rest == 0.0);
  CHECK(events[1].trace->chosen_model_probability == model_of_plain.at(events[1].token));
}

}  // namespace
}  // namespace vitrine
