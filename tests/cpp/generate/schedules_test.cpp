// The property of the whole project: whatever is done with the caches of whatever architecture, every logit has the
// bits of the uncached forward pass. Thousands of random schedules; one that fails is shrunk and printed.
//
// VITRINE_SCHEDULES: how many (native); VITRINE_SCHEDULES_SEED: which; VITRINE_SCHEDULE: one, as it was printed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/schedule_run.hpp"
#include "support/schedule_shrink.hpp"

namespace vitrine {
namespace {

using test::Action;
using test::Schedule;
using test::ScheduleRunner;

#ifdef __EMSCRIPTEN__
constexpr std::uint64_t kSchedules = 600;
#else
constexpr std::uint64_t kSchedules = 6000;
#endif
constexpr std::uint64_t kFamily = 8;  // schedules that share an architecture

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

Schedule numbered_schedule(std::uint64_t seed, std::uint64_t number) {
  return test::draw_schedule(seed, number / kFamily, number % kFamily);
}

Schedule shrink(ScheduleRunner& runner, const Schedule& schedule) {
  return test::ScheduleShrinker(schedule, [&](const Schedule& s) { return !runner.run_afresh(s).empty(); }).shrink();
}

/// "" if the schedule runs without a difference; else the difference, and the smallest schedule found that has one.
std::string failure(ScheduleRunner& runner, const Schedule& schedule) {
  const std::string problem = runner.run(schedule);
  if (problem.empty()) return "";
  if (runner.run_afresh(schedule).empty()) {
    return str(problem, "\nnot by itself: only after the schedules before it, which have its architecture");
  }
  const Schedule small = shrink(runner, schedule);
  return str(problem, "\nshrunk: ", runner.run_afresh(small), "\nagain:  VITRINE_SCHEDULE='",
             test::write_schedule(small), "'");
}

TEST_CASE("every logit of every random schedule has the bits of the uncached forward pass") {
  const std::uint64_t seed = number_from_environment("VITRINE_SCHEDULES_SEED", 1);
  const std::uint64_t count = number_from_environment("VITRINE_SCHEDULES", kSchedules);
  ScheduleRunner runner;
  std::uint64_t operations = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    const Schedule schedule = numbered_schedule(seed, number);
    const std::string problem = failure(runner, schedule);
    if (!problem.empty()) FAIL("schedule ", number, " of seed ", seed, ": ", problem);
    operations += schedule.operations.size();
  }
  CHECK(runner.logits_compared() > 0);
  MESSAGE(count, " schedules of seed ", seed, ": ", operations, " operations, ", runner.logits_compared(),
          " logits compared, 0 bits differ");
}

TEST_CASE("a schedule that was printed runs again") {
  const char* text = std::getenv("VITRINE_SCHEDULE");
  const std::string printed =
      text != nullptr ? text
                      : R"({"config":{"model_type":"llama","vocab_size":7,"hidden_size":5,"intermediate_size":3,)"
                        R"("num_hidden_layers":2,"num_attention_heads":2,"num_key_value_heads":1,"head_dim":2,)"
                        R"("max_position_embeddings":17,"rms_norm_eps":1e-5},"seed":3,"cache_dtype":"q8","threads":1,)"
                        R"("operations":[["all",[0,16,0],[1,1,1]],["fork",[0,2,0]],["restore",[0,0,0]],)"
                        R"(["last",[0,1,1],[2,1,2]],["beyond",[0,1,0]],["rewind",[2,15,0]],["reuse",[2,17,0]]]})";
  ScheduleRunner runner;
  CHECK(failure(runner, test::parse_schedule(printed)) == "");
}

TEST_CASE("a schedule reads back from what is printed of it") {
  for (std::uint64_t number = 0; number < 200; number += 3) {
    const Schedule schedule = numbered_schedule(2, number);
    CHECK(test::parse_schedule(test::write_schedule(schedule)) == schedule);
  }
}

TEST_CASE("the schedules contain what they should") {
  std::vector<std::size_t> actions(test::kActionNames.size()), dtypes(kKvDTypes.size());
  std::size_t untied = 0, adjacent = 0, grouped = 0, many = 0, full = 0, whole_lanes = 0;
  std::size_t block_ends = 0;  // passes over one block of keys or two exactly, with room for more
  for (std::uint64_t number = 0; number < 800; ++number) {
    const Schedule schedule = numbered_schedule(1, number);
    const ModelConfig& c = schedule.config;
    ++dtypes[static_cast<std::size_t>(schedule.cache_dtype)];
    untied += !c.tied_head;
    adjacent += c.rope_pairing == kernels::RopePairing::adjacent;
    grouped += c.n_heads != c.n_kv_heads;
    whole_lanes += c.d_model % 4 == 0 || c.d_ff % 4 == 0 || c.head_dim % 4 == 0;
    for (const test::Operation& operation : schedule.operations) {
      ++actions[static_cast<std::size_t>(operation.action)];
      many += operation.parts.size() > 1;
      const std::size_t amount = operation.parts[0].amount;
      full += operation.action <= Action::none && amount >= c.max_seq_len;
      block_ends += operation.action <= Action::none && amount < c.max_seq_len && amount % kernels::kKeyBlock == 0;
    }
  }
  for (const std::size_t count : actions) CHECK(count > 100);
  for (const std::size_t count : dtypes) CHECK(count > 100);
  for (const std::size_t count : {untied, adjacent, grouped, many, full, 800 - whole_lanes}) CHECK(count > 100);
  CHECK(block_ends > 50);
}

/// What a generator does wrong with right logits, other detectors see (docs/exactness.md).
bool spoils_logits(Fault fault) {
  return fault != Fault::one_draw_for_all_rows && fault != Fault::finished_row_advances;
}

TEST_CASE("every fault of the model is found, and shrunk to a few operations") {
  for (const FaultEntry& entry : kFaults) {
    if (!spoils_logits(entry.fault)) continue;
    CAPTURE(entry.name);
    ScheduleRunner runner(entry.fault);
    std::uint64_t number = 0;
    while (number < kSchedules && runner.run_afresh(numbered_schedule(1, number)).empty()) ++number;
    REQUIRE(number < kSchedules);
    const Schedule small = shrink(runner, numbered_schedule(1, number));
    CHECK_FALSE(runner.run_afresh(small).empty());
    CHECK(ScheduleRunner().run(small).empty());
    CHECK(small.operations.size() <= 3);
    CHECK(small.config.parameter_count() < 100);
    CHECK(small.cache_dtype == KvDType::f32);
    MESSAGE(entry.name, ": found by schedule ", number, ", shrunk to ", test::write_schedule(small));
  }
}

TEST_CASE("a prompt of every length gives the bits of token by token, with every dtype") {
  const ModelConfig config = test::tiny_config();
  for (const KvDTypeEntry& entry : kKvDTypes) {
    CAPTURE(entry.name);
    Transformer model(config, test::random_weights(config, 4),
                      {.max_batch_rows = config.max_seq_len, .threads = 1, .cache_dtype = entry.dtype});
    const std::vector<TokenId> tokens = test::random_tokens(config, config.max_seq_len, 9);
    std::vector<float> expected;  // [T, V], token by token
    KvCache cache = model.make_cache();
    for (const TokenId& token : tokens) {
      const SequenceInput input{&cache, {&token, 1}};
      const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::last);
      expected.insert(expected.end(), logits.data(), logits.data() + logits.size());
    }
    for (std::size_t length = 1; length <= tokens.size(); ++length) {
      CAPTURE(length);
      cache.rewind(0);
      const SequenceInput input{&cache, std::span(tokens).first(length)};
      const View<const float, 2> logits = model.forward({&input, 1}, LogitsWanted::all);
      REQUIRE(logits.has_shape(length, config.vocab_size));
      CHECK(std::memcmp(logits.data(), expected.data(), logits.size() * sizeof(float)) == 0);
    }
  }
}

}  // namespace
}  // namespace vitrine
