#include "session/quick_training.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "session/session.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

std::string lines(std::size_t count) {
  const std::string tools[] = {"git", "docker", "npm"}, verbs[] = {"commit", "run", "push", "log"};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += tools[i % 3] + " " + verbs[i * 3 % 4] + " --all\n";
  return text;
}

Json small_request(const std::string& text) {
  return {{"text", text},    {"steps", 20}, {"d_model", 16}, {"n_layers", 1},    {"n_heads", 2},
          {"n_kv_heads", 1}, {"d_ff", 24},  {"seed", 3},     {"max_seq_len", 32}};
}

void run_to_bundle(QuickTraining& training) {
  while (training.progress().stage != QuickTrainingStage::bundle) training.advance();
}

TEST_CASE("a text is trained on in small steps, each of which says how far it came") {
  QuickTraining training(parse_quick_training(small_request(lines(40))));
  CHECK(training.progress().steps == 20);
  CHECK_ERROR(ErrorCode::aborted, "at least one step", training.finish());
  training.advance();
  CHECK(training.progress().stage == QuickTrainingStage::baseline);
  CHECK(training.progress().parameters > 0);
  training.advance();
  CHECK(training.progress().stage == QuickTrainingStage::training);
  CHECK(training.progress().baseline_loss.has_value());
  training.advance();
  const double first = *training.progress().loss;
  run_to_bundle(training);
  CHECK(training.progress().step == 20);
  CHECK(*training.progress().loss < first);
  CHECK(training.progress().held_out_loss.has_value());
  CHECK_ERROR(ErrorCode::invalid_option, "no step after the last", training.advance());
  const Bundle bundle = training.finish();
  CHECK(*training.progress().held_out_loss == bundle.manifest.held_out.value().at("loss_nats").get<double>());
  CHECK(bundle.manifest.held_out.value().at("documents") == 4);
  Session session;
  session.load(bundle);
  CHECK(session.check_parity("git", 20, 1).passed());
  const Json trained = trained_json(training.progress(), bundle, session);
  CHECK(trained.at("files").size() == 6);
  CHECK(trained.at("steps") == 20);
  CHECK(trained.at("description").at("name") == "yours");
  std::map<std::string, std::string> files;
  for (const std::string name : trained.at("files")) files[name] = bundle_file(bundle, name);
  CHECK(bundle_from_memory(files).manifest.require("weights").sha256 == bundle.manifest.require("weights").sha256);
  CHECK_ERROR(ErrorCode::bad_manifest, "weights.bin", bundle_file(bundle, "weights.bin"));
}

TEST_CASE("stopped early, it keeps what it has learned") {
  QuickTraining training(parse_quick_training(small_request(lines(40))));
  for (int i = 0; i < 5; ++i) training.advance();
  const Bundle bundle = training.finish();
  CHECK(bundle.manifest.training.value().at("steps") == 3);
  CHECK(bundle.manifest.training.value().at("steps_planned") == 20);
}

TEST_CASE("one small batch is learned by heart within the default steps, whatever the text") {
  for (const std::string& text :
       {lines(40), std::string("abcdefgh"), std::string("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b")}) {
    CAPTURE(text);
    QuickTraining training(parse_quick_training({{"text", text}, {"overfit", true}}));
    run_to_bundle(training);
    CHECK(*training.progress().loss < 0.01);
    CHECK(training.progress().baseline_loss.has_value());
    CHECK_FALSE(training.progress().held_out_loss.has_value());
  }
}

TEST_CASE("the last tenth of a stream is held out, and of a short one nothing") {
  Json request = small_request(lines(100));
  request["unit"] = "stream";
  request["steps"] = 1;
  QuickTraining training(parse_quick_training(request));
  run_to_bundle(training);
  const Json held_out = training.finish().manifest.held_out.value();
  CHECK(held_out.at("documents") == 1);
  CHECK(held_out.at("bytes").get<std::size_t>() > lines(100).size() / 12);
  request["text"] = lines(5);
  QuickTraining short_training(parse_quick_training(request));
  run_to_bundle(short_training);
  CHECK_FALSE(short_training.progress().baseline_loss.has_value());
  CHECK(short_training.finish().manifest.held_out.value().empty());
}

TEST_CASE("two lines and a single byte can be learned; nothing at all and huge options are refused") {
  for (const std::string& text : {std::string("a"), std::string("ls\npwd\n"), std::string("\n")}) {
    CAPTURE(text);
    QuickTraining training(parse_quick_training(small_request(text)));
    run_to_bundle(training);
    Session session;
    session.load(training.finish());
  }
  CHECK_ERROR(ErrorCode::bad_data, "train: text: expected some", parse_quick_training(small_request("")));
  CHECK_ERROR(ErrorCode::invalid_option, "text", parse_quick_training(Json::object()));
  CHECK_ERROR(ErrorCode::invalid_option, "text", parse_quick_training(small_request(std::string((1 << 20) + 1, 'a'))));
  for (const char* key :
       {"steps", "vocab_size", "d_model", "n_layers", "n_heads", "n_kv_heads", "d_ff", "max_seq_len"}) {
    for (const Json& value : {Json(1e9), Json(1'000'000'000), Json(0), Json(-1), Json("many"), Json(2.5)}) {
      Json request = small_request("ls\n");
      request[key] = value;
      CHECK_ERROR(ErrorCode::invalid_option, key, parse_quick_training(request));
    }
  }
  for (const auto& [key, value] : {std::pair{"unit", Json("word")}, std::pair{"learning_rate", Json(2)},
                                   std::pair{"overfit", Json(1)}, std::pair{"batch", Json(1)}}) {
    Json request = small_request("ls\n");
    request[key] = value;
    CHECK_ERROR(ErrorCode::invalid_option, key, parse_quick_training(request));
  }
  const Json large = {{"text", "ls\n"}, {"d_model", 512}, {"n_layers", 16}, {"d_ff", 2048}, {"vocab_size", 8192}};
  CHECK_ERROR(ErrorCode::invalid_option, "expected a model of at most 4000000 parameters", parse_quick_training(large));
  Json request = small_request("ls\n");
  request["n_heads"] = 3;
  QuickTraining uneven(parse_quick_training(request));
  CHECK_ERROR(ErrorCode::invalid_option, "heads: expected a divisor of the width 16, found 3", uneven.advance());
}

TEST_CASE("progress as JSON") {
  QuickTraining training(parse_quick_training(small_request("ls\n")));
  const Json json = quick_training_json(training.progress());
  CHECK(json.at("stage") == "tokenizer");
  CHECK(json.at("loss").is_null());
  CHECK(json.at("steps") == 20);
  run_to_bundle(training);
  CHECK(quick_training_json(training.progress()).at("stage") == "bundle");
  CHECK(quick_training_json(training.progress()).at("loss").is_number());
}

}  // namespace
}  // namespace vitrine
