// Rows that go on in another generator than the one in which they began.
#include <algorithm>
#include <utility>

#include "support/expect_error.hpp"
#include "support/generator_runs.hpp"

namespace vitrine {
namespace {

using test::letter;
using test::make_model;
using test::Outcome;
using test::random_tokens;
using test::request;
using test::run;
using test::run_alone;
using test::tiny_config;

/// Takes a row out of one generator after so many steps, and lets it go on in another.
Outcome run_in_two(const RowRequest& asked, std::size_t steps, std::size_t chunk) {
  Transformer model = make_model();
  Generator first(model, letter, {.max_rows = 1, .prefill_chunk = chunk});
  const RowId row = first.join(asked);
  for (std::size_t i = 0; i < steps && first.unfinished_rows() > 0; ++i) first.step();
  const RowView view = first.row(row);
  if (view.finish != FinishReason::none) return run_alone(asked);
  Transformer other = make_model();
  Generator second(other, letter);
  second.join(request({1, 2}, 99));
  const std::vector<TokenId> generated(view.generated.begin(), view.generated.end());
  const ResumedRow resumed = second.resume(asked, generated, view.cache.fork());
  CHECK(second.row(resumed.row).reused == std::min(view.cache.length(), asked.prompt.size()));
  Outcome outcome = run(second)[resumed.row];
  outcome.tokens.insert(outcome.tokens.begin(), generated.begin(), generated.end());
  outcome.text = resumed.bytes + outcome.text;
  return outcome;
}

TEST_CASE("a row that is resumed elsewhere goes on to the same tokens and text, from wherever it stood") {
  std::vector<RowRequest> requests(5, request(random_tokens(tiny_config(), 9, 1), 5, 12));
  requests[1].policy.stop = {"XYZ", run_alone(requests[0]).text.substr(6, 3)};  // held back across the cut, then found
  requests[1].stream = 0;
  requests[2].required = run_alone(requests[0]).text.substr(0, 2);
  // Both look at the tokens before the cut: at how often they were there, over the end of the prompt; and at how many.
  requests[3].policy.frequency_penalty = 2.0;
  requests[3].policy.penalty_window = 6;
  requests[3].policy.penalty_prompt = true;
  requests[4].policy.stop_tokens = {7};
  requests[4].policy.logit_bias = {{7, 100.0}};
  requests[4].policy.min_new_tokens = 8;
  for (const RowRequest& asked : requests) {
    const Outcome expected = run_alone(asked);
    for (const std::size_t chunk : {4u, 64u}) {
      for (std::size_t steps = 0; steps < 14; ++steps) {
        CAPTURE(steps);
        CHECK(run_in_two(asked, steps, chunk) == expected);
      }
    }
  }
  CHECK(run_alone(requests[1]).finish == FinishReason::stop_string);
  CHECK(run_alone(requests[3]).tokens != run_alone(requests[0]).tokens);
  CHECK(run_alone(requests[4]).tokens.size() == 9);
}

TEST_CASE("what no row can have come from is not resumed, and changes nothing") {
  Transformer model = make_model();
  Generator generator(model, letter, {.max_rows = 1, .prefill_chunk = 64});
  const std::vector<TokenId> prompt = {1, 2, 3};
  RowRequest asked = request(prompt, 1, 4);
  asked.policy.stop_tokens = {30};
  asked.policy.stop = {"KL"};
  const auto refused = [&](ErrorCode code, const char* words, const std::vector<TokenId>& generated, KvCache cache) {
    CHECK_ERROR(code, words, generator.resume(asked, generated, std::move(cache)));
    CHECK(generator.rows().empty());
  };
  refused(ErrorCode::invalid_token, "generated: token 1", {4, 99}, model.make_cache());
  refused(ErrorCode::invalid_option, "tokens end it", {4, 30}, model.make_cache());
  refused(ErrorCode::invalid_option, "tokens end it", {10, 11}, model.make_cache());
  refused(ErrorCode::invalid_option, "tokens end it", {4, 5, 6, 7}, model.make_cache());
  KvCache other = model.make_cache(), whole = model.make_cache();
  other.commit(std::vector<TokenId>{1, 3});
  whole.commit(std::vector<TokenId>{1, 2, 3, 4});
  refused(ErrorCode::invalid_option, "cache of this model", {4}, other.fork());
  refused(ErrorCode::invalid_option, "cache of this model", {4}, whole.fork());
  refused(ErrorCode::invalid_option, "cache of this model", {4}, KvCache(tiny_config().kv_shape(KvDType::f16)));
  asked.required = "Q";
  refused(ErrorCode::invalid_option, "spell what is required", {4}, model.make_cache());
  asked.required = "E";
  CHECK(generator.resume(asked, std::vector<TokenId>{4}, model.make_cache()).bytes == "");
  CHECK_ERROR(ErrorCode::batch_full, "free row", generator.resume(asked, std::vector<TokenId>{4}, model.make_cache()));
}

}  // namespace
}  // namespace vitrine
