#include "session/detectors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "session/session.hpp"
#include "support/expect_error.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

/// A bundle whose self-test is long enough for a second block of keys.
Bundle bundle_of(const ModelConfig& shape) {
  BundleContent content = test::tiny_content();
  const std::size_t vocab_size = content.config.vocab_size, max_seq_len = content.config.max_seq_len;
  content.config = shape;
  content.config.vocab_size = vocab_size;
  content.config.max_seq_len = max_seq_len;
  content.weights = test::random_weights(content.config, 3);
  content.self_test_tokens = test::random_tokens(content.config, 20, 1);
  return make_bundle(content);
}

std::string names(const std::vector<Sighting>& sightings) {
  std::string text;
  for (const Sighting& sighting : sightings)
    text += std::string(text.empty() ? "" : " ") + std::string(sighting.detector->name);
  return text;
}

TEST_CASE("every mutation is caught, each by the detectors that can see it, and the healthy model by none") {
  LoadedModel model = load_model(bundle_of(test::tiny_config()));
  const DetectorReport report = check_detectors(model);
  CHECK(names(report.healthy) == "");
  CHECK(report.passed());
  const std::map<Fault, std::string> expected = {
      {Fault::causal_mask_dropped, "parity every_prompt_length causality_probe self_test gradient_leak loss_floor"},
      {Fault::position_off_by_one, "parity every_prompt_length independent_draws"},
      {Fault::rope_twice, "self_test"},
      {Fault::key_rotated_by_slot, "self_test"},
      {Fault::first_row_never_written, "parity every_prompt_length independent_draws"},
      {Fault::row_zeroed_at_some_lengths, "every_prompt_length"},
      {Fault::stale_row_after_rewind, "parity"},
      {Fault::row_in_neighbours_cache, "parity neighbour_untouched independent_draws"},
      {Fault::one_draw_for_all_rows, "independent_draws"},
      {Fault::softmax_over_wrong_length, "parity every_prompt_length independent_draws"},
      {Fault::norm_epsilon_wrong, "self_test"},
      {Fault::heads_grouped_by_modulo, "self_test"},
      {Fault::finished_row_advances, "finished_row_is_still"}};
  REQUIRE(report.mutations.size() == expected.size());
  for (const MutationReport& mutation : report.mutations) {
    CAPTURE(fault_name(mutation.fault));
    CHECK_FALSE(mutation.inert);
    CHECK(names(mutation.seen) == expected.at(mutation.fault));
    for (const Sighting& sighting : mutation.seen) {
      CHECK_FALSE(sighting.finding.where.empty());
      CHECK(sighting.finding.expected != sighting.finding.found);
    }
  }
  CHECK(model.transformer.fault() == Fault::none);
}

TEST_CASE("a mutation that is none in a model counts as inert, not as caught") {
  ModelConfig plain = test::tiny_config();
  plain.n_kv_heads = plain.n_heads;
  LoadedModel model = load_model(bundle_of(plain));
  const DetectorReport report = check_detectors(model);
  CHECK(report.passed());
  for (const MutationReport& mutation : report.mutations) {
    const bool modulo = mutation.fault == Fault::heads_grouped_by_modulo;
    CHECK(mutation.inert == modulo);
    CHECK(mutation.seen.empty() == modulo);
  }
}

TEST_CASE("a detector that is not quiet on the healthy model catches nothing") {
  Bundle bundle = bundle_of(test::tiny_config());
  bundle.manifest.self_test.reset();
  LoadedModel model = load_model(bundle);
  const DetectorReport report = check_detectors(model);
  CHECK(names(report.healthy) == "self_test");
  CHECK(report.healthy.front().finding.expected == "a self-test vector");
  CHECK_FALSE(report.passed());
  for (const MutationReport& mutation : report.mutations) {
    CHECK(names(mutation.seen).find("self_test") == std::string::npos);
    if (mutation.fault == Fault::rope_twice) CHECK(mutation.seen.empty());
  }
}

TEST_CASE("a report passes only if nothing is seen in health and everything else is seen or inert") {
  DetectorReport report;
  CHECK_FALSE(report.passed());
  const Sighting sighting{&detectors()[0], {}};
  for (const FaultEntry& entry : kFaults) report.mutations.push_back({entry.fault, false, {sighting}});
  CHECK(report.passed());
  report.mutations[3].seen.clear();
  CHECK_FALSE(report.passed());
  report.mutations[3].inert = true;
  CHECK(report.passed());
  report.healthy.push_back(sighting);
  CHECK_FALSE(report.passed());
}

TEST_CASE("weights that are not finite are a sighting, not an end of the run") {
  LoadedModel model = load_model(bundle_of(test::tiny_config()));
  NamedTensors weights;
  for (const auto& [name, tensor] : test::random_weights(model.transformer.config(), 3)) {
    Tensor copy = tensor;
    if (name == "model.norm.weight") copy.data[0] = std::numeric_limits<float>::quiet_NaN();
    weights.insert(copy);
  }
  model.transformer = Transformer(model.transformer.config(), weights, {.max_batch_rows = 64});
  const std::vector<Sighting> sightings = run_detectors(model, Fault::none);
  REQUIRE_FALSE(sightings.empty());
  CHECK(sightings.front().detector->name == "parity");
  CHECK(sightings.front().finding.expected == "finite numbers");
}

TEST_CASE("a context too short to show every fault is refused") {
  BundleContent content = test::tiny_content();
  content.config.max_seq_len = 17;
  LoadedModel model = load_model(make_bundle(content));
  CHECK_ERROR(ErrorCode::invalid_option, "at least 18 positions, found 17", run_detectors(model, Fault::none));
}

TEST_CASE("detectors leave the rows of a session alone, and what is injected there") {
  Session session, undisturbed;
  for (Session* s : {&session, &undisturbed}) s->load(bundle_of(test::tiny_config()));
  const auto tokens = [](Session& s, bool detect) {
    Policy policy = s.effective_policy(Json{{"seed", 7}, {"max_new_tokens", 8}});
    policy.stop_tokens.clear();
    const RowId row = s.start("git", policy, {}, 0);
    while (s.unfinished_rows() > 0) {
      s.step_all();
      if (detect) s.detect(Fault::row_in_neighbours_cache);
    }
    return s.result(row).ids;
  };
  CHECK(tokens(session, true) == tokens(undisturbed, false));
  session.inject(Fault::norm_epsilon_wrong);
  CHECK(names(session.detect(Fault::none)) == "");
  CHECK(session.model().transformer.fault() == Fault::norm_epsilon_wrong);
}

TEST_CASE("an injected fault reaches the live rows of a session, and goes when it is taken away") {
  const auto run = [](Session& session, Fault fault) {
    session.inject(fault);
    Policy policy = session.effective_policy(Json{{"seed", 7}, {"max_new_tokens", 4}, {"temperature", 900}});
    policy.stop_tokens.clear();
    RowOptions second;
    second.stream = 1;
    const RowId a = session.start("git", policy, {}, 0), b = session.start("git", policy, second, 0);
    while (session.unfinished_rows() > 0) session.step_all();
    const auto ids = std::pair(session.result(a).ids, session.result(b).ids);
    session.leave(a);
    session.leave(b);
    return ids;
  };
  Session session;
  session.load(bundle_of(test::tiny_config()));
  const auto healthy = run(session, Fault::none);
  CHECK(healthy.first != healthy.second);
  const auto broken = run(session, Fault::one_draw_for_all_rows);
  CHECK(broken.first == broken.second);
  CHECK(run(session, Fault::none) == healthy);
}

}  // namespace
}  // namespace vitrine
