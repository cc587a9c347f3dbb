#include "session/text_baseline.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/expect_error.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kText = "git commit\ngit add\ngit commit -m\ngit commit\nls\n";

struct Loaded {
  LoadedModel bundle = load_model(test::tiny_bundle());
  NgramFile file = make_baseline(bundle, kText, {.order = 4});
  TextBaseline baseline{bundle, file};

  Policy policy(const Json& options) const { return parse_policy(options, bundle.tokenizer.vocab_size()); }
};

TEST_CASE("documents are those of training: lines between two begin tokens") {
  const Loaded loaded;
  const TokenId mark = loaded.bundle.begin_token;
  REQUIRE(loaded.file.documents.size() == 5);
  std::vector<TokenId> last = {mark};
  for (const TokenId token : loaded.bundle.tokenizer.encode("ls\n")) last.push_back(token);
  last.push_back(mark);
  CHECK(loaded.file.documents.back() == last);
  CHECK(loaded.file.options.vocab_size == loaded.bundle.tokenizer.vocab_size());
}

TEST_CASE("a score counts what Session::evaluate counts") {
  const Loaded loaded;
  Session session;
  session.load(test::tiny_bundle());
  const std::string text = "git commit\nls -l\n";
  const TextEvaluation found = loaded.baseline.evaluate(text);
  const TextEvaluation model = session.evaluate(text);
  CHECK(found.documents == 2);
  CHECK(found.bytes == text.size());
  CHECK(found.totals.tokens == model.totals.tokens);
  double loss = 0.0;
  for (const std::string_view line : {"git commit\n", "ls -l\n"}) {
    loss += loaded.baseline.model().loss(loaded.bundle.encode_prompt(line));
  }
  CHECK(found.totals.loss_sum == loss);
  // It has read these lines, the random transformer nothing.
  CHECK(found.totals.mean_loss() < model.totals.mean_loss());
  CHECK(found.totals.correct > 0);
  CHECK_ERROR(ErrorCode::bad_data, "none to predict", loaded.baseline.evaluate(""));
}

TEST_CASE("a greedy completion finds the line that it has seen most often") {
  const Loaded loaded;
  const Policy policy = loaded.policy({{"mode", "greedy"}, {"seed", 1}, {"stop_tokens", {'\n'}}});
  const RowResult result = loaded.baseline.complete("git", policy);
  CHECK(result.text == " commit");
  CHECK(result.finish == FinishReason::stop_token);
  CHECK(result.ids.back() == '\n');
  CHECK(result.prompt_tokens == 3);  // the mark, "g", "it"
}

TEST_CASE("a completion obeys length, stop strings and the stream of its seed") {
  const Loaded loaded;
  const RowResult three = loaded.baseline.complete("git", loaded.policy({{"seed", 1}, {"max_new_tokens", 3}}));
  CHECK(three.ids.size() == 3);
  CHECK(three.finish == FinishReason::length);
  const RowResult stopped =
      loaded.baseline.complete("git", loaded.policy({{"mode", "greedy"}, {"seed", 1}, {"stop", {"mm"}}}));
  CHECK(stopped.text == " co");
  CHECK(stopped.finish == FinishReason::stop_string);
  const Policy drawn = loaded.policy({{"seed", 7}, {"max_new_tokens", 20}});
  CHECK(loaded.baseline.complete("g", drawn).ids == loaded.baseline.complete("g", drawn).ids);
  CHECK(loaded.baseline.complete("g", drawn, 1).ids != loaded.baseline.complete("g", drawn).ids);
  CHECK_ERROR(ErrorCode::invalid_option, "seed", loaded.baseline.complete("g", loaded.policy(Json::object())));
}

TEST_CASE("a file that another tokenizer made is refused") {
  const Loaded loaded;
  NgramFile other = loaded.file;
  other.tokenizer_sha256[0] = other.tokenizer_sha256[0] == '0' ? '1' : '0';
  CHECK_ERROR(ErrorCode::bad_data, "expected one made with the bundle's tokenizer", TextBaseline(loaded.bundle, other));
}

}  // namespace
}  // namespace vitrine
