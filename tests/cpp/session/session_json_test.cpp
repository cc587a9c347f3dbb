#include "session/session_json.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/expect_error.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

std::string keys(const Json& json) {
  std::string out;
  for (const auto& member : json.items()) out += (out.empty() ? "" : " ") + member.key();
  return out;
}

TEST_CASE("what a session reports has the documented members") {
  Session session;
  session.load(test::tiny_bundle());
  const Json description = describe_json(session);
  CHECK(keys(description) ==
        "name model_version bytes parts architecture parameters policy unit begin_token self_test "
        "cache_dtype memory corpus training held_out");
  CHECK(description.at("self_test").at("passed") == true);
  CHECK(description.at("parts").size() == 5);
  CHECK(description.at("architecture").at("vocab_size") == 263);

  RowOptions options;
  options.parity = true;
  options.trace_limit = 4;
  const Policy policy = session.effective_policy({{"seed", 3}, {"top_k", 9}});
  const RowId row = session.start("git", policy, options, 0);
  const Json step = step_json(session.step(row), session);
  CHECK(keys(step) ==
        "row phase token text finish_reason probability coin past positions cached full parity cache "
        "distribution");
  CHECK(step.at("phase") == "prefill");
  CHECK(step.at("finish_reason").is_null());
  CHECK(keys(step.at("cached")) == "positions multiply_adds bytes_read ms");
  CHECK(keys(step.at("parity")) == "tokens identical_tokens logits_compared differing_bits");
  CHECK(keys(step.at("cache")) == "formula used allocated");
  const Json& distribution = step.at("distribution");
  CHECK(keys(distribution) == "stages tokens chosen_rank model_probability");
  CHECK(distribution.at("tokens").size() >= 4);
  CHECK(distribution.at("tokens").size() <= 5);  // the one chosen may be behind the first four
  CHECK(distribution.at("stages").size() == 6);
  CHECK(distribution.at("stages").at(3).at("name") == "top_k");
  CHECK(distribution.at("stages").at(3).at("kept") == 9);
  CHECK(keys(distribution.at("tokens").at(0)) == "token text rank logit probabilities");
  CHECK(distribution.at("tokens").at(0).at("probabilities").size() == 6);

  const Json started = started_json(row, session);
  CHECK(keys(started) == "row tokens policy");
  CHECK(keys(started.at("tokens").at(0)) == "id piece");
  const Json inside = inspection_json(session.inspect(row, 1), session);
  CHECK(keys(inside) == "position tokens layers rope");
  CHECK(inside.at("position") == 1);
  CHECK(inside.at("tokens").size() == 2);
  CHECK(keys(inside.at("layers").at(0)) == "attention residual_rms lens");
  CHECK(keys(inside.at("layers").at(0).at("residual_rms")) == "before after_attention after_mlp");
  CHECK(keys(inside.at("layers").at(0).at("lens").at(0)) == "id piece probability");
  CHECK(keys(inside.at("rope")) == "pairing theta pairs");
  CHECK(keys(inside.at("rope").at("pairs").at(0)) == "frequency angle before after");
  CHECK(keys(cache_map_json(session.cache_map(row))) == "positions capacity bytes key_norms");
  const Json growth = growth_json(session.growth(9));
  CHECK(keys(growth) == "positions cache_bytes cached full");
  CHECK(keys(growth.at("full")) == "positions multiply_adds bytes_read");
  const Json result = result_json(session.result(row));
  CHECK(keys(result) ==
        "text ids finish_reason policy prompt_tokens reused_positions prefill decode full parity cache_dtype cache");
  CHECK(result.at("policy").at("seed") == 3);
  CHECK(keys(parity_json(session.check_parity("git", 9, 0))) ==
        "tokens cache_dtype logits_compared differing_bits not_exercised schedules");
  CHECK(keys(evaluation_json(session.evaluate("git\n"))) ==
        "documents tokens bytes loss_nats bits_per_byte next_token_accuracy cache_dtype");
}

TEST_CASE("the dtype of the caches is part of every result") {
  Session session({.threads = 1, .max_rows = 1, .prefill_chunk = 64, .cache_dtype = KvDType::q8});
  session.load(test::tiny_bundle());
  CHECK(describe_json(session).at("cache_dtype") == "q8");
  const RowId row = session.start("git", session.effective_policy({{"seed", 3}}), {}, 0);
  CHECK(result_json(session.result(row)).at("cache_dtype") == "q8");
  CHECK(parity_json(session.check_parity("git", 9, 0)).at("cache_dtype") == "q8");
  CHECK(evaluation_json(session.evaluate("git\n")).at("cache_dtype") == "q8");
}

TEST_CASE("row options read back from their JSON") {
  for (const RowOptions& options : {RowOptions{}, RowOptions{true, 0, 7, true}, RowOptions{false, 12, 0, false}}) {
    const RowOptions back = parse_row_options(row_options_json(options));
    CHECK(back.parity == options.parity);
    CHECK(back.trace_limit == options.trace_limit);
    CHECK(back.stream == options.stream);
    CHECK(back.heal == options.heal);
  }
}

TEST_CASE("text that is not UTF-8 never breaks the JSON") {
  Session session;
  session.load(test::tiny_bundle());
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RowId row = session.start("\xFF", session.effective_policy({{"seed", seed}}),
                                    {.parity = false, .trace_limit = 5, .stream = 0, .heal = false}, 0);
    while (session.result(row).finish == FinishReason::none)
      CHECK_NOTHROW(json_text(step_json(session.step(row), session)));
    CHECK_NOTHROW(json_text(result_json(session.result(row))));
    session.leave(row);
  }
}

TEST_CASE("a difference names its place") {
  ParityReport report;
  report.tokens = 2;
  report.schedules.push_back({"decode", 10, 3, ParityDifference{1, 4, 0.5f, 0.25f}});
  const Json json = parity_json(report);
  CHECK(json.at("differing_bits") == 3);
  CHECK(json.at("schedules").at(0).at("first_difference").at("logit") == 4);
}

TEST_CASE("every fault and every detector is listed with its owner and its sentence") {
  const Json list = fault_list_json();
  CHECK(list.at("faults").size() == kFaults.size());
  CHECK(list.at("detectors").size() == detectors().size());
  for (const char* kind : {"faults", "detectors"}) {
    for (const Json& entry : list.at(kind)) CHECK(keys(entry) == "name owner meaning");
  }
}

TEST_CASE("what a detector saw is told with its place, and a report names who caught what") {
  const DetectorEntry& detector = detectors()[2];
  const std::vector<Sighting> seen = {{&detector, {"token 3", "1", "2"}}};
  const Json sightings = sightings_json(Fault::rope_twice, seen);
  CHECK(sightings.at("fault") == "rope_twice");
  CHECK(sightings.at("seen") ==
        Json::array({{{"detector", "causality_probe"}, {"where", "token 3"}, {"expected", "1"}, {"found", "2"}}}));
  CHECK(sightings_json(Fault::none, {}) == Json{{"fault", "none"}, {"seen", Json::array()}});

  DetectorReport report;
  report.mutations = {{Fault::rope_twice, false, seen}, {Fault::heads_grouped_by_modulo, true, {}}};
  const char* expected = R"({"healthy":[],"mutations":[{"name":"rope_twice","caught_by":["causality_probe"]},)"
                         R"({"name":"heads_grouped_by_modulo","caught_by":[],"inert":true}]})";
  CHECK(json_text(detector_report_json(report)) == expected);
  report.healthy = seen;
  CHECK(detector_report_json(report).at("healthy") == Json::array({"causality_probe"}));
}

TEST_CASE("row options are read, and what is wrong with them is named") {
  const RowOptions options = parse_row_options({{"parity", true}, {"trace", 10}, {"stream", 2}, {"heal", true}});
  CHECK(options.parity);
  CHECK(options.trace_limit == 10u);
  CHECK(options.stream == 2);
  CHECK(options.heal);
  CHECK_FALSE(parse_row_options(Json::object()).parity);
  CHECK_FALSE(parse_row_options(Json::object()).trace_limit.has_value());
  CHECK_ERROR(ErrorCode::invalid_option, "parity", parse_row_options({{"parity", 1}}));
  CHECK_ERROR(ErrorCode::invalid_option, "trace", parse_row_options({{"trace", -1}}));
  CHECK_ERROR(ErrorCode::invalid_option, "row", parse_row_options({{"row", 1}}));
}

TEST_CASE("parity options are read, and what is wrong with them is named") {
  const ParityOptions options = parse_parity_options({{"tokens", 9}, {"seed", 4}});
  CHECK(options.tokens == 9);
  CHECK(options.seed == 4);
  CHECK_FALSE(parse_parity_options(Json::object()).tokens.has_value());
  CHECK_ERROR(ErrorCode::invalid_option, "tokens", parse_parity_options({{"tokens", 0}}));
  CHECK_ERROR(ErrorCode::invalid_option, "seed", parse_parity_options({{"seed", 0.5}}));
}

}  // namespace
}  // namespace vitrine
