#include "session/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "session/saved_session.hpp"
#include "support/expect_error.hpp"
#include "support/session_runs.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

using test::make_session;
using test::run;
using test::seeded;

TEST_CASE("nothing works before a bundle is loaded, and says so") {
  Session session;
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.model());
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.encode("a"));
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.start("a", {}, {}, 0));
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.step(1));
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.step_all());
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.complete("a", {}, 0));
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.cache_bytes());
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.growth(1));
  CHECK_ERROR(ErrorCode::not_loaded, "session", session.check_parity("", 3, 0));
  CHECK_ERROR(ErrorCode::not_loaded, "bundle", session.load());
}

TEST_CASE("a bundle comes file by file, the manifest first, each verified as it arrives") {
  const auto files = test::bundle_files(test::tiny_bundle());
  Session session;
  CHECK_ERROR(ErrorCode::bad_manifest, "manifest.json first", session.add_file("config.json", files.at("config.json")));
  CHECK_ERROR(ErrorCode::bad_manifest, "manifest.json first", session.expect_file("config.json", 1));
  CHECK_ERROR(ErrorCode::bad_manifest, "at most", session.expect_file("manifest.json", kMaxManifestBytes + 1));
  session.add_file("manifest.json", files.at("manifest.json"));
  CHECK_ERROR(ErrorCode::bad_manifest, "other.txt", session.add_file("other.txt", ""));
  std::string damaged = files.at("model.safetensors");
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  CHECK_ERROR(ErrorCode::part_mismatch, "model.safetensors", session.add_file("model.safetensors", damaged));
  damaged.resize(100);
  CHECK_ERROR(ErrorCode::part_mismatch, "weights", session.add_file("model.safetensors", damaged));
  for (const auto& [name, bytes] : files) {
    if (name != "manifest.json" && name != "tokenizer.json") session.add_file(name, bytes);
  }
  CHECK_ERROR(ErrorCode::part_mismatch, "tokenizer.json", session.load());
  session.add_file("tokenizer.json", files.at("tokenizer.json"));
  session.load();
  CHECK(session.model().manifest.name == "tiny");
}

TEST_CASE("a load that fails leaves the model that was there") {
  Session session = make_session();
  Bundle wrong = test::tiny_bundle();
  wrong.manifest.self_test->logits_sha256[0] = wrong.manifest.self_test->logits_sha256[0] == 'a' ? 'b' : 'a';
  CHECK_ERROR(ErrorCode::self_test_failed, "", session.load(wrong));
  CHECK(run(session, "git", seeded(session, 1)).ids.size() > 0);
}

TEST_CASE("the same seed gives the same text; rows, chunks and a second run change nothing") {
  Session session = make_session();
  const RowResult first = run(session, "git commit", seeded(session, 7));
  CHECK(first.ids.size() == 12);
  CHECK(first.policy.seed == 7u);
  const RowResult again = run(session, "git commit", seeded(session, 7));
  CHECK(again.ids == first.ids);
  CHECK(again.text == first.text);
  CHECK(again.reused_positions > 0);
  Session chunked = make_session({.threads = 1, .max_rows = 2, .prefill_chunk = 2});
  CHECK(run(chunked, "git commit", seeded(chunked, 7)).ids == first.ids);
  CHECK(run(session, "git commit", seeded(session, 8)).ids != first.ids);
  CHECK(is_valid_utf8(first.text));
}

TEST_CASE("without a seed the entropy becomes it, and the result says which") {
  Session session = make_session();
  const RowId row = session.start("a", session.effective_policy(Json::object()), {}, 12345);
  session.step(row);
  CHECK(session.result(row).policy.seed == 12345u);
}

TEST_CASE("every token's cached logits are those of the whole prefix, and the work of both lanes is counted") {
  Session session = make_session();
  RowOptions options;
  options.parity = true;
  const RowId row = session.start("git commit", seeded(session, 7), options, 0);
  std::vector<RowStep> steps;
  while (session.result(row).finish == FinishReason::none) steps.push_back(session.step(row));
  const RowResult result = session.result(row);
  CHECK(result.parity.tokens == 12);
  CHECK(result.parity.identical_tokens == 12);
  CHECK(result.parity.differing_bits == 0);
  CHECK(result.parity.logits_compared == 12 * 263);
  const Transformer& transformer = session.model().transformer;
  std::uint64_t full = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t prefix = result.prompt_tokens + i;
    REQUIRE(steps[i].full.has_value());
    CHECK(steps[i].full->positions == prefix);
    CHECK(steps[i].full->multiply_adds == transformer.multiply_adds(0, prefix, 1));
    CHECK(steps[i].positions == prefix);
    CHECK(steps[i].prefill == (i == 0));
    if (i > 0) CHECK(steps[i].cached.multiply_adds == transformer.multiply_adds(prefix - 1, 1, 1));
    if (i > 0) CHECK(steps[i].cached.positions == 1);
    full += steps[i].full->multiply_adds;
  }
  CHECK(result.full.multiply_adds == full);
  CHECK(result.prefill.positions == result.prompt_tokens);
  CHECK(result.decode.positions == 11);
  CHECK(result.full.multiply_adds > result.prefill.multiply_adds + result.decode.multiply_adds);
}

TEST_CASE("rows that step together keep their parity, each for itself") {
  Session session = make_session();
  RowOptions with, without;
  with.parity = true;
  const RowId a = session.start("git", seeded(session, 1, 5), with, 0);
  const RowId b = session.start("docker run", seeded(session, 2, 9), without, 0);
  const RowId c = session.start("npm", seeded(session, 3, 7), with, 0);
  while (session.unfinished_rows() > 0) session.step_all();
  CHECK(session.result(a).parity.identical_tokens == 5);
  CHECK(session.result(b).parity.tokens == 0);
  CHECK(session.result(c).parity.identical_tokens == 7);
  Session alone = make_session();
  CHECK(session.result(b).ids == run(alone, "docker run", seeded(alone, 2, 9)).ids);
}

TEST_CASE("a wrong position shows in the parity of a row") {
  Session session = make_session();
  session.inject(Fault::position_off_by_one);
  RowOptions options;
  options.parity = true;
  const RowResult result = run(session, "git commit", seeded(session, 7), options);
  CHECK(result.parity.tokens == 12);
  CHECK(result.parity.identical_tokens < 12);
  CHECK(result.parity.differing_bits > 0);
  CHECK_FALSE(session.check_parity("git", 20, 1).passed());
  session.inject(Fault::none);
  CHECK(session.check_parity("git", 20, 1).passed());
}

TEST_CASE("a row that has finished, failed or left cannot be stepped, and says why") {
  Session session = make_session();
  const RowId row = session.start("a", seeded(session, 1, 1), {}, 0);
  session.step(row);
  CHECK_ERROR(ErrorCode::invalid_option, "length", session.step(row));
  session.leave(row);
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.step(row));
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.result(row));
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.abort(row));
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.leave(row));
}

TEST_CASE("an aborted row keeps what it has, and the next one is right") {
  Session session = make_session();
  const RowResult expected = run(session, "git commit", seeded(session, 7));
  const RowId row = session.start("git commit", seeded(session, 7), {}, 0);
  session.step(row);
  session.step(row);
  session.abort(row);
  const RowResult result = session.result(row);
  CHECK(result.finish == FinishReason::aborted);
  CHECK(result.ids == std::vector<TokenId>(expected.ids.begin(), expected.ids.begin() + 2));
  session.abort(row);
  session.leave(row);
  RowOptions options;
  options.parity = true;
  const RowResult again = run(session, "git commit", seeded(session, 7), options);
  CHECK(again.ids == expected.ids);
  CHECK(again.parity.identical_tokens == 12);
}

TEST_CASE("typing rewinds the completion's cache to the common prefix, and gives the same as a fresh session") {
  Session session = make_session();
  const Policy policy = session.completion_policy(Json::object());
  CHECK(policy.mode == PolicyMode::greedy);
  for (const std::string text :
       {"git", "git commit -m a", "git commit -m ab", "git commit -m", "git push", "git commit -m a"}) {
    Session fresh = make_session();
    const RowResult typed = session.complete(text, policy, 0);
    const RowResult expected = fresh.complete(text, policy, 0);
    CHECK(typed.text == expected.text);
    CHECK(typed.ids == expected.ids);
    CHECK(expected.reused_positions == 0);
    CHECK(typed.prefill.positions + typed.reused_positions == typed.prompt_tokens);
  }
  // "git commit -m ab" and "... a" share all but the last word, and the begin token.
  session.complete("git commit -m a", policy, 0);
  const RowResult typed = session.complete("git commit -m abc", policy, 0);
  CHECK(typed.reused_positions == typed.prompt_tokens - 1);
}

TEST_CASE("a completion goes on inside the last word") {
  Session session = make_session();
  const Policy policy = session.completion_policy(Json::object());
  const std::vector<std::pair<std::string, std::string>> last_pieces = {
      {"git comm", " comm"}, {"g", "g"}, {"git ", " "}, {" ", " "}, {"git commit", " commit"}};
  for (const auto& [text, piece] : last_pieces) {
    const RowResult result = session.complete(text, policy, 0);
    std::string spelled;
    for (const TokenId id : result.ids) spelled += session.model().text_bytes(id);
    CHECK(spelled.starts_with(piece));
    CHECK(result.text == replace_invalid_utf8(spelled.substr(piece.size())));
    CHECK(result.prompt_tokens == 1 + session.encode(text.substr(0, text.size() - piece.size())).size());
  }
  CHECK(session.complete("", policy, 0).prompt_tokens == 1);
}

TEST_CASE("where a line is a document, a completion continues the last line alone") {
  Session session = make_session();
  const Policy policy = session.completion_policy(Json::object());
  CHECK(session.complete("ls -l\ngit comm", policy, 0).ids == session.complete("git comm", policy, 0).ids);
  CHECK(session.complete("git comm\n", policy, 0).prompt_tokens == 1);
}

TEST_CASE("a healed row under a completion's policy gives the completion's tokens, with their parity") {
  Session session = make_session();
  for (const std::string text : {"git comm", "ls\ngit", "git commit -m "}) {
    const RowResult completion = session.complete(text, session.completion_policy(Json::object()), 0);
    RowOptions options;
    options.heal = true;
    options.parity = true;
    const RowResult row = run(session, text, session.effective_policy(write_policy(completion.policy)), options);
    CHECK(row.ids == completion.ids);
    CHECK(row.text == completion.text);
    CHECK(row.policy == completion.policy);
    CHECK(row.parity.identical_tokens == row.ids.size());
  }
}

TEST_CASE("a model without a begin token refuses an empty prompt and completes the first word as it is") {
  BundleContent content = test::tiny_content();
  content.prompt_template.begin.clear();
  Session session;
  session.load(make_bundle(content));
  CHECK_ERROR(ErrorCode::invalid_option, "prompt", session.start("", seeded(session, 1), {}, 0));
  CHECK_ERROR(ErrorCode::invalid_option, "prompt", session.complete("", session.completion_policy(Json::object()), 0));
  CHECK(session.complete("git", session.completion_policy(Json::object()), 0).prompt_tokens ==
        session.encode("git").size());
}

TEST_CASE("a text is scored document by document") {
  Session session = make_session();
  const TextEvaluation both = session.evaluate("git commit\nls\n");
  const TextEvaluation first = session.evaluate("git commit\n"), second = session.evaluate("ls\n");
  CHECK(both.documents == 2);
  CHECK(both.bytes == 14);
  CHECK(both.totals.tokens == first.totals.tokens + second.totals.tokens);
  CHECK(both.totals.loss_sum == doctest::Approx(first.totals.loss_sum + second.totals.loss_sum));
  CHECK_ERROR(ErrorCode::bad_data, "", session.evaluate(""));
}

TEST_CASE("a saved row goes on elsewhere with the same tokens, text and parity, from wherever it stood") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    CAPTURE(entry.name);
    const SessionOptions options{.threads = 1, .max_rows = 2, .prefill_chunk = 4, .cache_dtype = entry.dtype};
    Session session = make_session(options), other = make_session(options);
    RowOptions row_options;
    row_options.parity = true;
    row_options.heal = true;
    row_options.stream = 5;
    Policy policy = seeded(session, 7, 20);
    policy.stop = {"never there"};
    const RowResult expected = run(session, "git commit -m \xE2\x82", policy, row_options);
    CHECK(expected.cache_dtype == entry.dtype);
    for (std::size_t steps = 0; steps < 8; ++steps) {
      CAPTURE(steps);
      const RowId row = session.start("git commit -m \xE2\x82", policy, row_options, 0);
      for (std::size_t i = 0; i < steps; ++i) session.step(row);
      const std::string file = session.save(row);
      const RowResult before = session.result(row);
      session.leave(row);
      const RowId restored = other.restore(file);
      CHECK(other.save(restored) == file);
      CHECK(other.result(restored).text == before.text);
      CHECK(other.result(restored).ids == before.ids);
      while (other.result(restored).finish == FinishReason::none) other.step(restored);
      const RowResult result = other.result(restored);
      CHECK(result.ids == expected.ids);
      CHECK(result.text == expected.text);
      CHECK(result.finish == expected.finish);
      CHECK(result.policy == expected.policy);
      CHECK(result.parity.tokens == expected.ids.size() - before.ids.size());
      CHECK(result.parity.differing_bits == 0);
      other.leave(restored);
    }
  }
}

TEST_CASE("a row that cannot go on is not saved, and a file that is not its own is not restored") {
  Session session = make_session({.threads = 1, .max_rows = 1, .prefill_chunk = 64});
  CHECK_ERROR(ErrorCode::not_loaded, "session", Session().restore(""));
  CHECK_ERROR(ErrorCode::not_loaded, "row", session.save(3));
  const RowId row = session.start("git", seeded(session, 1, 2), {}, 0);
  session.step(row);
  const std::string file = session.save(row);
  CHECK_ERROR(ErrorCode::batch_full, "free row", session.restore(file));
  session.step(row);
  CHECK_ERROR(ErrorCode::invalid_option, "finished: length", session.save(row));
  session.leave(row);

  Session half = make_session({.threads = 1, .max_rows = 1, .prefill_chunk = 64, .cache_dtype = KvDType::f16});
  CHECK_ERROR(ErrorCode::bad_session, "mine: cache_dtype: expected f16, found \"f32\"", half.restore(file, "mine"));
  Session another;
  another.load(test::tiny_bundle(4));
  CHECK_ERROR(ErrorCode::bad_session, "session: weights: expected", another.restore(file));
  CHECK(another.unfinished_rows() == 0);

  // A row of another length than its policy allows is no row, though every part of the file is right.
  SavedSession saved = read_saved_session(file, "f", session_identity(session.model().manifest),
                                          session.model().transformer.config(), KvDType::f32);
  saved.row.policy.max_new_tokens = 1;
  const std::string ended = write_saved_session(saved.row, saved.cache, session_identity(session.model().manifest));
  CHECK_ERROR(ErrorCode::bad_session, "session: resume: expected a row that goes on", session.restore(ended));
  CHECK(session.unfinished_rows() == 0);
  CHECK(session.result(session.restore(file)).ids.size() == 1);
}

TEST_CASE("a full context ends a row whatever its cache stores, and every token before that is right") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    Session session = make_session({.threads = 1, .max_rows = 1, .prefill_chunk = 64, .cache_dtype = entry.dtype});
    RowOptions options;
    options.parity = true;
    Policy policy = seeded(session, 3, 500);
    policy.stop_tokens.clear();
    const RowResult result = run(session, "git", policy, options);
    CHECK(result.finish == FinishReason::context_full);
    CHECK(result.prompt_tokens + result.ids.size() == 64 + 1);
    CHECK(result.parity.identical_tokens == result.ids.size());
  }
}

TEST_CASE("a bundle proves itself and completes with every dtype of cache, each to its own bits") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    Session session = make_session({.threads = 1, .max_rows = 2, .prefill_chunk = 3, .cache_dtype = entry.dtype});
    CHECK(session.check_parity("git commit", 64, 0).passed());
    CHECK(session.complete("git", session.completion_policy(Json::object()), 0).cache_dtype == entry.dtype);
    CHECK(session.evaluate("git commit\n").cache_dtype == entry.dtype);
  }
}

TEST_CASE("a parity check of a length that no context has is refused") {
  Session session = make_session();
  CHECK_ERROR(ErrorCode::invalid_option, "tokens", session.check_parity("a", 0, 0));
  CHECK_ERROR(ErrorCode::invalid_option, "tokens", session.check_parity("a", 65, 0));
  CHECK(session.check_parity("a", 64, 0).passed());
  CHECK(session.check_parity("a", std::nullopt, 0).tokens == 64);              // a context shorter than 200
  const std::size_t prompt = 1 + session.encode("git commit --amend").size();  // and the begin token
  CHECK_ERROR(ErrorCode::invalid_option, str("tokens: expected at least the ", prompt, " of the prompt, found 3"),
              session.check_parity("git commit --amend", 3, 0));
  CHECK(session.check_parity("git commit --amend", prompt, 0).tokens == prompt);
}

TEST_CASE("as many rows as were asked for run at once, even more than the context has positions") {
  Session session = make_session({.threads = 1, .max_rows = 70, .prefill_chunk = 64});
  REQUIRE(session.model().transformer.config().max_seq_len == 64);
  for (int i = 0; i < 70; ++i) session.start("git", seeded(session, 1), {}, 0);
  CHECK(session.step_all().size() == 70);
  CHECK_ERROR(ErrorCode::batch_full, "", session.start("git", seeded(session, 1), {}, 0));
}

TEST_CASE("the bytes of every cache are accounted for") {
  Session session = make_session();
  const KvBytes before = session.cache_bytes();
  CHECK(before.formula == 0);
  run(session, "git", seeded(session, 1));
  session.complete("git", session.completion_policy(Json::object()), 0);
  const KvBytes after = session.cache_bytes();
  CHECK(after.formula > 0);
  CHECK(after.used >= after.formula);
  CHECK(after.allocated == 3 * before.allocated);
}

}  // namespace
}  // namespace vitrine
