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

}  // namespace
}  // namespace vitrine
