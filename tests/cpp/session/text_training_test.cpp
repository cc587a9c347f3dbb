#include "session/text_training.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "session/session.hpp"
#include "support/expect_error.hpp"
#include "support/threads.hpp"

namespace vitrine {
namespace {

TextTrainingOptions small_options() {
  TextTrainingOptions options;
  options.vocab_size = 280;
  options.config.d_model = 8;
  options.config.n_layers = 1;
  options.config.n_heads = 2;
  options.config.n_kv_heads = 1;
  options.config.d_ff = 12;
  options.config.max_seq_len = 24;
  options.training.schedule = {.peak = 1e-2, .minimum = 1e-3, .warmup_steps = 1, .total_steps = 6};
  options.training.batch_rows = 32;
  return options;
}

const std::string kText = "git commit -m message\ngit push origin main\ngit status\n";

BundleContent labels(const TextTraining& training) {
  BundleContent labels;
  labels.name = "small";
  labels.model_version = "1.2.3";
  labels.policy = training.default_policy();
  return labels;
}

TEST_CASE("texts become a bundle that loads, says how it was made and was scored by what it holds") {
  TextTraining training({kText, "ls -l\n"}, {"git commit\n", "ls\n"}, small_options());
  CHECK(training.documents().size() == 4);
  CHECK(training.held_out_documents().size() == 2);
  for (int i = 0; i < 6; ++i) training.trainer().step();
  const Bundle bundle = training.finish(labels(training));
  CHECK(bundle.manifest.name == "small");
  CHECK(bundle.manifest.training.value().at("steps") == 6);
  CHECK(bundle.manifest.training.value().at("data_bytes") == kText.size() + 6);
  Session session;
  session.load(bundle);
  CHECK(session.model().prompt_template.unit == DocumentUnit::line);
  CHECK(session.evaluate("git commit\nls\n").totals.mean_loss() ==
        bundle.manifest.held_out.value().at("loss_nats").get<double>());
  CHECK(training.evaluate(0).totals.mean_loss() == bundle.manifest.held_out.value().at("loss_nats").get<double>());
  const TokenId newline = *training.tokenizer().find("\n");
  CHECK(training.default_policy().stop_tokens == std::vector<TokenId>{training.mark(), newline});
}

TEST_CASE("the same texts, options and seed give the same bundle, another seed another one") {
  std::vector<std::string> hashes;
  for (const std::uint64_t seed : {5u, 5u, 6u}) {
    TextTrainingOptions options = small_options();
    options.training.seed = seed;
    options.threads = test::threads_of_this_build(hashes.size() + 1);
    TextTraining training({kText}, {}, options);
    CHECK_FALSE(training.has_held_out());
    training.trainer().step();
    hashes.push_back(training.finish(labels(training)).manifest.require("weights").sha256);
  }
  CHECK(hashes[0] == hashes[1]);
  CHECK(hashes[0] != hashes[2]);
}

TEST_CASE("the first tokens alone are one document without an end") {
  TextTrainingOptions options = small_options();
  options.only_first_tokens = 9;
  const TextTraining training({kText, "ls\n"}, {}, options);
  REQUIRE(training.documents().size() == 1);
  CHECK(training.documents()[0].size() == 9);
  CHECK(training.dataset().tokens().size() == 9);  // the mark and all but the last, each with the next as its target
  CHECK(training.dataset().targets().back() == training.documents()[0].back());
}

TEST_CASE("options that contradict each other and texts without a token are refused") {
  TextTrainingOptions options = small_options();
  options.config.n_heads = 3;
  CHECK_ERROR(ErrorCode::invalid_option, "heads: expected a divisor of the width 8, found 3",
              TextTraining({kText}, {}, options));
  options = small_options();
  options.vocab_size = 256;
  CHECK_ERROR(ErrorCode::invalid_option, "vocab_size", TextTraining({kText}, {}, options));
  CHECK_ERROR(ErrorCode::bad_data, "", TextTraining({""}, {}, small_options()));
}

TEST_CASE("a model that sees what it is to predict is refused before its first step") {
  TextTrainingOptions options = small_options();
  options.fault = Fault::causal_mask_dropped;
  CHECK_ERROR(ErrorCode::internal,
              "train: gradient of the loss of row 0 with respect to the input of row 1: expected exactly 0, found ",
              TextTraining({kText}, {}, options));
  options.fault = Fault::norm_epsilon_wrong;  // one of inference, which training does not know
  CHECK(TextTraining({kText}, {}, options).trainer().steps_done() == 0);
}

TEST_CASE("a score that is no longer wanted ends, and the training goes on") {
  TextTraining training({kText}, {kText}, small_options());
  CHECK_ERROR(ErrorCode::aborted, "", training.evaluate(0, [] { return true; }));
  CHECK(training.trainer().step().step == 0);
}

}  // namespace
}  // namespace vitrine
