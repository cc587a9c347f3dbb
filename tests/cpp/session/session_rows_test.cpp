#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "session/session.hpp"
#include "support/expect_error.hpp"
#include "support/session_runs.hpp"

namespace vitrine {
namespace {

using test::make_session;
using test::run;
using test::seeded;

TEST_CASE("some rows step together in one pass, the others wait") {
  Session session = make_session();
  const RowId a = session.start("git", seeded(session, 1, 2), {}, 0);
  const RowId b = session.start("docker run", seeded(session, 2, 5), {}, 0);
  const RowId c = session.start("npm", seeded(session, 3, 5), {}, 0);
  const std::vector<RowId> rows = {c, a};
  const std::vector<RowStep> steps = session.step(rows);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].row == c);
  CHECK(steps[1].row == a);
  CHECK(steps[0].cached.milliseconds == steps[1].cached.milliseconds);
  CHECK(session.result(b).ids.empty());
  session.step(rows);
  CHECK(session.step(rows).size() == 1);  // a has its two tokens
  CHECK(session.step(std::span<const RowId>()).empty());
  const std::vector<RowId> twice = {b, b}, unknown = {b, 99};
  CHECK_ERROR(ErrorCode::invalid_option, "twice", session.step(twice));
  CHECK_ERROR(ErrorCode::not_loaded, "99", session.step(unknown));
  CHECK(session.result(b).ids.empty());
  while (session.result(b).finish == FinishReason::none) session.step(b);
  Session alone = make_session();
  CHECK(session.result(b).ids == run(alone, "docker run", seeded(alone, 2, 5)).ids);
  CHECK(session.tokens(b).size() == session.result(b).prompt_tokens + 5);
}

TEST_CASE("a row's fault shows against the healthy prefix, and leaves nothing behind") {
  Session session = make_session();
  RowOptions healthy, faulty;
  healthy.parity = faulty.parity = true;
  const std::string prompt = "git commit -m message";
  const RowResult expected = run(session, prompt, seeded(session, 7), healthy);
  std::size_t damaged = 0;
  for (const FaultEntry& entry : kFaults) {
    CAPTURE(entry.name);
    faulty.fault = entry.fault;
    const RowResult wrong = run(session, prompt, seeded(session, 7), faulty);
    CHECK(wrong.reused_positions == 0);
    damaged += wrong.parity.differing_bits > 0 ? 1 : 0;
    CHECK(session.model().transformer.fault() == Fault::none);
    const RowResult after = run(session, prompt, seeded(session, 7), healthy);
    CHECK(after.ids == expected.ids);
    CHECK(after.parity.differing_bits == 0);
  }
  CHECK(damaged >= 7);  // the others show in a batch, after a rewind, or at prompts of other lengths
}

TEST_CASE("rows of one call have one fault, and faults of batches and of rewinds show in theirs") {
  Session session = make_session();
  const auto start = [&](const std::string& prompt, std::uint64_t stream, Fault fault) {
    RowOptions options;
    options.parity = true;
    options.stream = stream;
    options.fault = fault;
    return session.start(prompt, seeded(session, 7), options, 0);
  };
  const RowId healthy = start("git commit", 0, Fault::none);
  const std::vector<RowId> swapped = {start("git commit", 0, Fault::row_in_neighbours_cache),
                                      start("docker run", 1, Fault::row_in_neighbours_cache)};
  const std::vector<RowId> mixed = {healthy, swapped[0]};
  CHECK_ERROR(ErrorCode::invalid_option, "row_in_neighbours_cache", session.step(mixed));
  session.step(swapped);  // the first key of each is that of the begin token, for both the same
  for (const RowStep& step : session.step(swapped)) CHECK(step.parity.differing_bits > 0);
  CHECK(session.step(healthy).parity.differing_bits == 0);

  const std::vector<RowId> drawn = {start("git commit", 0, Fault::one_draw_for_all_rows),
                                    start("docker run", 1, Fault::one_draw_for_all_rows)};
  for (int i = 0; i < 3; ++i) session.step(drawn);
  CHECK(session.result(drawn[0]).ids == session.result(drawn[1]).ids);

  const RowId first = start("git commit", 0, Fault::stale_row_after_rewind);
  CHECK(session.step(first).parity.differing_bits == 0);
  session.leave(first);
  const RowId retyped = start("git mm", 0, Fault::stale_row_after_rewind);
  CHECK(session.step(retyped).parity.differing_bits > 0);
  CHECK(session.result(retyped).reused_positions > 0);
}

TEST_CASE("growth tells by formula what the steps of a row count") {
  Session session = make_session();
  RowOptions options;
  options.parity = true;
  const RowId row = session.start("git commit", seeded(session, 7), options, 0);
  session.step(row);
  while (session.result(row).finish == FinishReason::none) {
    const RowStep step = session.step(row);
    const GrowthPoint point = session.growth(step.positions);
    CHECK(point.cache_bytes == step.cache.formula);
    CHECK(point.cached.multiply_adds == step.cached.multiply_adds);
    CHECK(point.cached.bytes_read == step.cached.bytes_read);
    CHECK(point.full.multiply_adds == step.full->multiply_adds);
    CHECK(point.full.bytes_read == step.full->bytes_read);
    CHECK(point.full.positions == step.positions);
  }
  CHECK_ERROR(ErrorCode::invalid_option, "positions: expected 1 to 64", session.growth(0));
  CHECK_ERROR(ErrorCode::invalid_option, "positions: expected 1 to 64", session.growth(65));
}

TEST_CASE("a rewound row draws the same tokens again, from wherever it stood and whatever had ended it") {
  Session session = make_session();
  RowOptions options;
  options.parity = true;
  options.heal = true;
  options.stream = 3;
  Policy policy = seeded(session, 7, 10);
  const std::string prompt = "git commit -m \xE2\x82";
  const RowResult free = run(session, prompt, policy, options);
  // A stop string that ends the row, and one of which a part is held back.
  const std::string ending = free.text.substr(free.text.size() / 2, 2);
  for (const std::vector<std::string>& stop :
       {std::vector<std::string>{}, {ending}, {free.text.substr(1, 3) + "never"}}) {
    policy.stop = stop;
    const RowResult expected = run(session, prompt, policy, options);
    for (std::size_t steps = 1; steps <= expected.ids.size(); ++steps) {
      for (std::size_t back = 0; back <= steps; ++back) {
        CAPTURE(steps);
        CAPTURE(back);
        const RowId row = session.start(prompt, policy, options, 0);
        for (std::size_t i = 0; i < steps; ++i) session.step(row);
        const RowResult before = session.result(row);
        session.rewind(row, back);
        const RowResult after = session.result(row);
        CHECK(after.ids.size() == steps - back);
        CHECK(expected.text.starts_with(after.text));
        if (back == 0) CHECK(after.finish == before.finish);
        if (back > 0) CHECK(after.finish == FinishReason::none);
        CHECK(after.decode.positions == before.decode.positions);
        bool first = true;
        while (session.result(row).finish == FinishReason::none) {
          const RowStep step = session.step(row);
          if (first && back > 0) CHECK(step.prefill == (back == steps));
          first = false;
        }
        const RowResult result = session.result(row);
        CHECK(result.ids == expected.ids);
        CHECK(result.text == expected.text);
        CHECK(result.finish == expected.finish);
        CHECK(result.parity.tokens == expected.ids.size() + back);
        CHECK(result.parity.differing_bits == 0);
        session.leave(row);
      }
    }
  }
}

TEST_CASE("more tokens than a row has chosen cannot be taken back; an aborted row goes on") {
  Session session = make_session();
  const RowResult expected = run(session, "git", seeded(session, 1, 5));
  const RowId row = session.start("git", seeded(session, 1, 5), {}, 0);
  CHECK_ERROR(ErrorCode::invalid_option, "expected at most the 0 tokens", session.rewind(row, 1));
  session.step(row);
  session.step(row);
  CHECK_ERROR(ErrorCode::invalid_option, "expected at most the 2 tokens", session.rewind(row, 3));
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.rewind(77, 1));
  session.abort(row);
  session.rewind(row, 1);
  while (session.result(row).finish == FinishReason::none) session.step(row);
  CHECK(session.result(row).ids == expected.ids);
}

TEST_CASE("a row that filled the context is rewound into it") {
  Session session = make_session();
  Policy policy = seeded(session, 1, 1000);
  policy.stop_tokens.clear();
  const RowId row = session.start("git", policy, {}, 0);
  while (session.result(row).finish == FinishReason::none) session.step(row);
  const RowResult expected = session.result(row);
  CHECK(expected.finish == FinishReason::context_full);
  session.rewind(row, 3);
  while (session.result(row).finish == FinishReason::none) session.step(row);
  CHECK(session.result(row).ids == expected.ids);
}

TEST_CASE("a position of a row is inspected in the healthy model, while the row goes on as if nothing had been") {
  Session session = make_session();
  RowOptions options;
  options.parity = true;
  const RowResult expected = run(session, "git commit", seeded(session, 7), options);
  const RowId row = session.start("git commit", seeded(session, 7), options, 0);
  session.step(row);
  const std::size_t last = session.tokens(row).size() - 1;
  const Inspection inspection = session.inspect(row, last);
  CHECK(inspection.tokens == session.tokens(row));
  session.inject(Fault::rope_twice);
  CHECK(session.inspect(row, last).trace.layers.back().logits == inspection.trace.layers.back().logits);
  session.inject(Fault::none);
  CHECK(session.inspect(row, 0).tokens.size() == 1);
  CHECK_ERROR(ErrorCode::invalid_option, "position", session.inspect(row, last + 1));
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.inspect(77, 0));
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.cache_map(77));
  CHECK(session.cache_map(row).positions == last);
  CHECK(session.cache_map(row).capacity == 64);
  while (session.result(row).finish == FinishReason::none) session.step(row);
  CHECK(session.result(row).ids == expected.ids);
  CHECK(session.result(row).parity.differing_bits == 0);
}

}  // namespace
}  // namespace vitrine
