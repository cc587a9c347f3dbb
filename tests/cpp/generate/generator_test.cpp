#include "generate/generator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/expect_error.hpp"
#include "support/generator_runs.hpp"

namespace vitrine {
namespace {

using test::letter;
using test::make_model;
using test::naive_tokens;
using test::Outcome;
using test::random_tokens;
using test::random_weights;
using test::request;
using test::run;
using test::run_alone;
using test::tiny_config;

TEST_CASE("a row gives the tokens of a model without cache, in whatever chunks its prompt is computed") {
  const RowRequest asked = request(random_tokens(tiny_config(), 13, 1), 5);
  const std::vector<TokenId> expected = naive_tokens(asked);
  for (const std::size_t chunk : {1, 2, 3, 7, 12, 13, 64}) {
    CHECK(run_alone(asked, {.max_rows = 1, .prefill_chunk = chunk}).tokens == expected);
  }
}

TEST_CASE("rows that join and leave change nothing for the others") {
  std::vector<RowRequest> requests;
  for (std::uint64_t r = 0; r < 8; ++r) {
    requests.push_back(request(random_tokens(tiny_config(), 1 + 4 * r, r), 100 + r, 3 + r));
    requests.back().stream = r;
    if (r % 3 == 0) requests.back().policy.mode = PolicyMode::greedy;
    if (r % 3 == 1) requests.back().policy.top_k = 5;
  }
  std::vector<Outcome> alone;
  for (const RowRequest& asked : requests) alone.push_back(run_alone(asked));

  Transformer model = make_model(20);  // fewer rows a call than the prompts have tokens
  Generator generator(model, letter, {.max_rows = 3, .prefill_chunk = 6});
  std::map<RowId, std::size_t> index_of;
  std::vector<Outcome> together(requests.size());
  for (std::size_t next = 0, done = 0; done < requests.size();) {
    while (next < requests.size() && index_of.size() - done < 3)
      index_of[generator.join(requests[next])] = next, ++next;
    for (const RowEvent& event : generator.step()) {
      Outcome& outcome = together[index_of.at(event.row)];
      if (event.token >= 0) outcome.tokens.push_back(event.token);
      outcome.text += event.bytes;
      outcome.finish = event.finish;
      if (event.finish == FinishReason::none) continue;
      generator.leave(event.row);
      ++done;
    }
  }
  for (std::size_t r = 0; r < requests.size(); ++r) {
    CAPTURE(r);
    CHECK(together[r] == alone[r]);
  }
}

TEST_CASE("identical greedy prompts give identical rows; different streams of one seed give different ones") {
  Transformer model = make_model();
  Generator generator(model, letter);
  const std::vector<TokenId> prompt = random_tokens(tiny_config(), 6, 1);
  std::vector<RowId> greedy, sampled;
  for (std::uint64_t r = 0; r < 4; ++r) {
    RowRequest asked = request(prompt);
    asked.stream = r;
    sampled.push_back(generator.join(asked));
    asked.policy.mode = PolicyMode::greedy;
    greedy.push_back(generator.join(asked));
  }
  std::map<RowId, Outcome> outcomes = run(generator);
  for (std::size_t r = 1; r < 4; ++r) {
    CHECK(outcomes[greedy[r]] == outcomes[greedy[0]]);
    CHECK_FALSE(outcomes[sampled[r]] == outcomes[sampled[0]]);
  }
}

TEST_CASE("a row ends at a stop token, whose text is not part of it") {
  const RowRequest asked = request(random_tokens(tiny_config(), 5, 2), 9);
  const Outcome free_run = run_alone(asked);
  REQUIRE(free_run.finish == FinishReason::length);
  REQUIRE(free_run.tokens.size() == 8);
  const TokenId stop = free_run.tokens[4];
  const auto first = static_cast<std::size_t>(std::find(free_run.tokens.begin(), free_run.tokens.end(), stop) -
                                              free_run.tokens.begin());
  RowRequest stopped = asked;
  stopped.policy.stop_tokens = {stop};
  const Outcome outcome = run_alone(stopped);
  CHECK(outcome.finish == FinishReason::stop_token);
  CHECK(outcome.tokens == std::vector<TokenId>(free_run.tokens.begin(), free_run.tokens.begin() + first + 1));
  CHECK(outcome.text == free_run.text.substr(0, first));
}

TEST_CASE("a row ends at a stop string over several tokens, and one in the prompt does not count") {
  const RowRequest asked = request(random_tokens(tiny_config(), 5, 2), 9);
  const Outcome free_run = run_alone(asked);
  REQUIRE(free_run.text.size() >= 6);
  RowRequest stopped = asked;
  stopped.policy.stop = {free_run.text.substr(3, 2)};
  const std::size_t place = free_run.text.find(stopped.policy.stop[0]);
  const Outcome outcome = run_alone(stopped);
  CHECK(outcome.finish == FinishReason::stop_string);
  CHECK(outcome.text == free_run.text.substr(0, place));
  CHECK(outcome.tokens.size() == place + 2);

  // The end of the prompt and the first new token make this string together.
  RowRequest across = asked;
  across.policy.stop = {std::string(letter(asked.prompt.back())) + free_run.text[0]};
  REQUIRE(free_run.text.find(across.policy.stop[0]) == std::string::npos);
  CHECK(run_alone(across).finish == FinishReason::length);
}

TEST_CASE("text held back for a stop string comes out when the row ends otherwise") {
  RowRequest asked = request(random_tokens(tiny_config(), 5, 2), 9);
  const Outcome free_run = run_alone(asked);
  asked.policy.stop = {free_run.text.substr(free_run.text.size() - 2) + "?"};
  const Outcome outcome = run_alone(asked);
  CHECK(outcome.finish == FinishReason::length);
  CHECK(outcome.text == free_run.text);
}

TEST_CASE("a full context ends a row after the last token that fits") {
  const std::size_t context = tiny_config().max_seq_len;
  const auto tokens_after = [&](std::size_t prompt_size) {
    const Outcome outcome = run_alone(request(random_tokens(tiny_config(), prompt_size, 4), 1, 50));
    CHECK(outcome.finish == FinishReason::context_full);
    return outcome.tokens.size();
  };
  CHECK(tokens_after(10) == context - 10 + 1);
  CHECK(tokens_after(context - 1) == 2);
  CHECK(tokens_after(context) == 1);
  Transformer model = make_model();
  Generator generator(model, letter);
  CHECK_ERROR(ErrorCode::context_full, "at most 40 tokens, found 41",
              generator.join(request(random_tokens(tiny_config(), context + 1, 4))));
}

TEST_CASE("max_new_tokens 1 gives one token, and length comes before a full context") {
  CHECK(run_alone(request({1}, 1, 1)).tokens.size() == 1);
  const Outcome outcome = run_alone(request(random_tokens(tiny_config(), 40, 4), 1, 1));
  CHECK(outcome.finish == FinishReason::length);
}

TEST_CASE("what cannot join is refused by name and leaves no trace") {
  Transformer model = make_model();
  Generator generator(model, letter, {.max_rows = 2, .prefill_chunk = 4});
  CHECK_ERROR(ErrorCode::invalid_option, "prompt", generator.join(request({})));
  CHECK_ERROR(ErrorCode::invalid_token, "token 1: expected an id from 0 to 36, found 37",
              generator.join(request({1, 37})));
  CHECK_ERROR(ErrorCode::invalid_token, "found -1", generator.join(request({-1})));
  RowRequest no_seed = request({1});
  no_seed.policy.seed.reset();
  CHECK_ERROR(ErrorCode::invalid_option, "seed", generator.join(no_seed));
  RowRequest wrong_policy = request({1});
  wrong_policy.policy.temperature = std::nan("");
  CHECK_ERROR(ErrorCode::invalid_option, "temperature", generator.join(wrong_policy));
  CHECK(generator.rows().empty());
  generator.join(request({1}));
  const RowId second = generator.join(request({2}));
  CHECK_ERROR(ErrorCode::batch_full, "2", generator.join(request({3})));
  generator.leave(second);
  CHECK_NOTHROW(generator.join(request({3})));
  CHECK_ERROR(ErrorCode::not_loaded, "found 2", generator.row(second));
  CHECK_ERROR(ErrorCode::not_loaded, "row", generator.step(second));
  CHECK_ERROR(ErrorCode::invalid_option, "max_rows", Generator(model, letter, {.max_rows = 0, .prefill_chunk = 1}));
  CHECK_ERROR(ErrorCode::invalid_option, "max_rows", Generator(model, letter, {.max_rows = 65, .prefill_chunk = 1}));
  CHECK_ERROR(ErrorCode::invalid_option, "prefill_chunk",
              Generator(model, letter, {.max_rows = 1, .prefill_chunk = 0}));
}

TEST_CASE("an aborted row stops at once, at any point, and its cache stays right for the next") {
  const std::vector<TokenId> prompt = random_tokens(tiny_config(), 20, 6);
  const Outcome expected = run_alone(request(prompt, 3));
  for (const std::size_t steps_before : {0, 1, 2, 4, 6, 9}) {
    Transformer model = make_model();
    Generator generator(model, letter, {.max_rows = 1, .prefill_chunk = 6});
    const RowId row = generator.join(request(prompt, 3));
    for (std::size_t step = 0; step < steps_before; ++step) generator.step();
    const std::size_t cached = generator.row(row).cache.length();
    generator.abort(row);
    CHECK(generator.row(row).finish == FinishReason::aborted);
    CHECK(generator.step().empty());
    CHECK(generator.step(row).empty());
    CHECK(generator.row(row).cache.length() == cached);
    generator.abort(row);
    generator.leave(row);
    const RowId again = generator.join(request(prompt, 3));
    CHECK(generator.row(again).reused == std::min<std::size_t>(cached, prompt.size() - 1));
    CHECK(run(generator)[again] == expected);
  }
}

TEST_CASE("an abort hands out the text that was held back") {
  RowRequest asked = request(random_tokens(tiny_config(), 5, 2), 9);
  const Outcome free_run = run_alone(asked);
  asked.policy.stop = {free_run.text.substr(0, 2) + "?"};
  Transformer model = make_model();
  Generator generator(model, letter);
  const RowId row = generator.join(asked);
  CHECK(generator.step().front().bytes == "");
  CHECK(generator.abort(row) == free_run.text.substr(0, 1));
}

TEST_CASE("a finished row never advances") {
  Transformer model = make_model();
  Generator generator(model, letter);
  const RowId short_row = generator.join(request({1, 2}, 1, 2));
  const RowId long_row = generator.join(request({3, 4}, 1, 6));
  for (int step = 0; step < 6; ++step) generator.step();
  CHECK(generator.row(short_row).generated.size() == 2);
  CHECK(generator.row(short_row).cache.length() == 3);
  CHECK(generator.row(long_row).generated.size() == 6);
  CHECK(generator.step().empty());
}

TEST_CASE("a free cache serves the prompt that begins like its content, and gives the same tokens") {
  Transformer model = make_model();
  Generator generator(model, letter, {.max_rows = 2, .prefill_chunk = 64});
  const std::vector<TokenId> a = random_tokens(tiny_config(), 15, 1);
  const std::vector<TokenId> b = random_tokens(tiny_config(), 15, 2);
  for (const auto& prompt : {a, b}) {
    const RowId row = generator.join(request(prompt));
    CHECK(generator.row(row).reused == 0);
    run(generator);
  }
  for (const RowId row : generator.rows()) generator.leave(row);
  std::vector<TokenId> edited = b;
  edited[9] = (edited[9] + 1) % 37;
  const RowId row = generator.join(request(edited, 5));
  CHECK(generator.row(row).reused == 9);
  const auto first = generator.step();
  REQUIRE(first.size() == 1);
  CHECK(first[0].past == 9);
  CHECK(first[0].computed == 6);
  run(generator);
  const auto tokens = generator.row(row).generated;
  CHECK(std::vector<TokenId>(tokens.begin(), tokens.end()) == naive_tokens(request(edited, 5)));
}

TEST_CASE("one row can be stepped alone while another waits") {
  Transformer model = make_model();
  Generator generator(model, letter);
  const RowId waiting = generator.join(request({1, 2}, 1));
  const RowId stepped = generator.join(request({3, 4}, 2));
  for (int step = 0; step < 3; ++step) CHECK(generator.step(stepped).size() == 1);
  CHECK(generator.row(waiting).generated.empty());
  run(generator);
  const auto tokens = generator.row(waiting).generated;
  CHECK(std::vector<TokenId>(tokens.begin(), tokens.end()) == run_alone(request({1, 2}, 1)).tokens);
}

TEST_CASE("required bytes are spelled first, by tokens that may reach beyond them, and are not handed out again") {
  const auto bytes = [](TokenId token) -> std::string_view {
    static const std::array<std::string_view, 6> words = {"c", "co", "commit", "mm", "o", " -m"};
    return token < 6 ? words[static_cast<std::size_t>(token)] : letter(token);
  };
  Transformer model = make_model();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Generator generator(model, bytes, {.max_rows = 1, .prefill_chunk = 64});
    RowRequest asked = request({7, 8}, seed);
    asked.required = "comm";
    const RowId row = generator.join(asked);
    const std::string text = run(generator)[row].text;
    std::string spelled;
    for (const TokenId token : generator.row(row).generated) spelled += bytes(token);
    CHECK(spelled.starts_with("comm"));
    CHECK(spelled.substr(4) == text);
    CHECK(std::string_view("commit").starts_with(bytes(generator.row(row).generated[0])));
  }
}

TEST_CASE("a row whose logits cannot be sampled fails by itself") {
  // The embedding of token 9 is NaN, and the head is another matrix.
  ModelConfig config = tiny_config();
  config.tied_head = false;
  NamedTensors weights;
  for (const auto& [name, tensor] : random_weights(config, 3)) {
    Tensor copy = tensor;
    if (name == "model.embed_tokens.weight") {
      std::fill_n(copy.data.begin() + static_cast<std::ptrdiff_t>(9 * config.d_model), config.d_model, std::nanf(""));
    }
    weights.insert(copy);
  }
  Transformer model(config, weights);
  Generator generator(model, letter);
  RowRequest healthy = request({1, 2});
  healthy.policy.mode = PolicyMode::greedy;
  const RowId good = generator.join(healthy);
  const RowId bad = generator.join(request({1, 9}));
  const auto events = generator.step();
  REQUIRE(events.size() == 2);
  CHECK(events[0].row == good);
  CHECK(events[0].token >= 0);
  CHECK(events[1].row == bad);
  CHECK(events[1].finish == FinishReason::failed);
  REQUIRE(events[1].error.has_value());
  CHECK(events[1].error->code() == ErrorCode::not_finite);
  CHECK(generator.step().size() == 1);
}

TEST_CASE("the bytes of the caches of all places are added up") {
  Transformer model = make_model();
  Generator generator(model, letter);
  CHECK(generator.cache_bytes().allocated == 0);
  generator.join(request({1, 2}));
  generator.join(request({1}));
  generator.step();
  const std::uint64_t position = 2 * 2 * 2 * 6 * sizeof(float);  // keys and values, L, Hkv, D
  CHECK(generator.cache_bytes().formula == 3 * position);
  CHECK(generator.cache_bytes().allocated >= 2 * 40 * position);
}

}  // namespace
}  // namespace vitrine
