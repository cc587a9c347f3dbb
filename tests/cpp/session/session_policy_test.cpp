// Policies through the whole session, text in and text out: what is echoed gives the same run again, on every machine.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "session/session.hpp"
#include "session/session_json.hpp"
#include "support/expect_error.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

Session make_session(const SessionOptions& options = {}) {
  Session session(options);
  session.load(test::tiny_bundle());
  return session;
}

RowResult run(Session& session, const std::string& prompt, const Policy& policy, const RowOptions& options = {},
              std::uint64_t entropy = 0) {
  const RowId row = session.start(prompt, policy, options, entropy);
  while (session.result(row).finish == FinishReason::none) session.step(row);
  RowResult result = session.result(row);
  session.leave(row);
  return result;
}

Policy parse(const Session& session, const std::string& options) {
  return session.effective_policy(parse_json(options, "test"));
}

const std::vector<std::string> kPolicies = {
    R"({"seed": 1})",
    R"({"seed": 9007199254740991, "max_new_tokens": 30})",
    R"({"mode": "greedy", "max_new_tokens": 20})",
    R"({"mode": "greedy", "max_new_tokens": 20, "repetition_penalty": 1.4, "penalty_prompt": true})",
    R"({"seed": 2, "temperature": 0.4, "top_k": 50})",
    R"({"seed": 3, "temperature": 1.5, "top_p": 0.8, "min_p": 0.02})",
    R"({"seed": 4, "presence_penalty": 1.0, "frequency_penalty": 0.5, "penalty_window": 6, "max_new_tokens": 24})",
    R"({"seed": 5, "logit_bias": {"103": 3.5, "262": -100}, "temperature": 0.9})",
    R"({"seed": 6, "min_new_tokens": 9, "logit_bias": {"262": 9}})",
    R"({"seed": 7, "stop": ["it", "\n"], "max_new_tokens": 40})",
    R"({"seed": 8, "max_new_tokens": 1000000})",
};

TEST_CASE("the echoed policy gives the same run again, and all runs are those that were recorded") {
  std::string record;
  for (const std::string& options : kPolicies) {
    for (const std::string prompt : {"git commit", "docker run -", "\xE8\xB5\x8B \xF0\x9F\x98\x82", ""}) {
      CAPTURE(options);
      Session session = make_session({.threads = 1, .max_rows = 2, .prefill_chunk = 3});
      RowOptions row;
      row.stream = 2;
      const RowResult first = run(session, prompt, parse(session, options), row, 99);
      Session other = make_session();
      const RowResult again = run(other, prompt, parse(other, json_text(write_policy(first.policy))), row, 12345);
      CHECK(again.ids == first.ids);
      CHECK(again.text == first.text);
      CHECK(again.finish == first.finish);
      CHECK(again.policy == first.policy);
      record += json_text({{"ids", first.ids}, {"text", first.text}, {"finish", finish_name(first.finish)}}) + "\n";
    }
  }
  // Another hash is another meaning of a policy: see docs/policy.md on its version.
  CHECK(sha256_hex(record) == "2eb2a25b371ff25f815607f38be50a1d9f07c997cfc73375b4fe554f95e26895");
}

TEST_CASE("a seed left out twice is two seeds: both told, both give their text again, in rows and in completions") {
  Session session = make_session();
  const Policy policy = parse(session, R"({"max_new_tokens": 20})");
  const RowResult a = run(session, "git", policy, {}, 0x123456789ABCDEF0), b = run(session, "git", policy, {}, 77);
  CHECK(a.policy.seed == (0x123456789ABCDEF0 & PolicyLimits::kMaxSeed));
  CHECK(b.policy.seed == 77u);
  CHECK(a.ids != b.ids);
  CHECK(run(session, "git", a.policy, {}, 1).ids == a.ids);
  CHECK(run(session, "git", b.policy, {}, 1).ids == b.ids);

  const Policy sampled = session.completion_policy({{"mode", "sample"}});
  const RowResult c = session.complete("git", sampled, 5), d = session.complete("git", sampled, 6);
  CHECK(c.policy.seed == 5u);
  CHECK(d.policy.seed == 6u);
  CHECK(c.ids != d.ids);
  CHECK(session.complete("git", c.policy, 9).ids == c.ids);
}

TEST_CASE("seeds differ at the same temperature, and a seed sets no temperature") {
  Session session = make_session();
  const RowResult one = run(session, "git", parse(session, R"({"seed": 1, "temperature": 1})"));
  const RowResult two = run(session, "git", parse(session, R"({"seed": 2, "temperature": 1})"));
  CHECK(one.ids != two.ids);
  CHECK(run(session, "git", parse(session, R"({"seed": 1})")).ids == one.ids);
}

TEST_CASE("penalties count what was generated, and the prompt where they are told to") {
  Session session = make_session();
  const auto greedy = [&](const std::string& more) {
    return run(session, "git git git", parse(session, R"({"mode": "greedy", "max_new_tokens": 12)" + more + "}")).ids;
  };
  const std::vector<TokenId> plain = greedy(""), counted = greedy(R"(, "repetition_penalty": 0.01)");
  CHECK(counted[0] == plain[0]);  // nothing was generated before the first token
  CHECK(counted[1] == plain[0]);  // a reward of 100 makes it the token again
  const std::vector<TokenId> prompt = session.encode("git git git");
  const TokenId first = greedy(R"(, "repetition_penalty": 0.01, "penalty_prompt": true)")[0];
  CHECK(first != plain[0]);
  CHECK(std::find(prompt.begin(), prompt.end(), first) != prompt.end());
}

TEST_CASE("the JSON of a traced step holds every stage over all tokens, also where a word is being completed") {
  Session session = make_session();
  for (const std::string options : {R"({"seed": 3, "top_k": 9, "frequency_penalty": 1})", R"({"mode": "greedy"})"}) {
    for (const bool heal : {false, true}) {
      RowOptions row_options;
      row_options.trace_limit = 0;
      row_options.heal = heal;
      const RowId row = session.start("git comm", parse(session, options), row_options, 0);
      while (session.result(row).finish == FinishReason::none) {
        const Json step = parse_json(json_text(step_json(session.step(row), session)), "step");
        const Json& distribution = step.at("distribution");
        CHECK(distribution.at("tokens").size() == 263);
        for (std::size_t stage = 0; stage < distribution.at("stages").size(); ++stage) {
          double sum = 0;
          std::size_t kept = 0;
          for (const Json& token : distribution.at("tokens")) {
            const double probability = token.at("probabilities").at(stage).get<double>();
            sum += probability;
            kept += probability > 0 ? 1 : 0;
          }
          CHECK(sum == doctest::Approx(1.0).epsilon(1e-5));
          CHECK(distribution.at("stages").at(stage).at("kept") == kept);
        }
      }
      session.leave(row);
    }
  }
}

TEST_CASE("a stop string in the prompt does not end the text, whole or in part") {
  Session session = make_session();
  Policy policy = parse(session, R"({"mode": "greedy", "max_new_tokens": 10})");
  const RowResult plain = run(session, "git commit", policy);
  std::string bytes;
  for (const TokenId id : plain.ids) bytes += session.model().text_bytes(id);
  for (const std::string& stop : {std::string("git"), std::string("commit"), "t" + bytes.substr(0, 1)}) {
    REQUIRE(bytes.find(stop) == std::string::npos);
    policy.stop = {stop};
    const RowResult result = run(session, "git commit", policy);
    CHECK(result.text == plain.text);
    CHECK(result.finish == plain.finish);
  }
}

TEST_CASE("aborted in the prefill, at the first token and later, a prompt gives the same text and parity again") {
  const std::string prompt = "docker run --rm -it -v /tmp:/tmp image";
  Session fresh = make_session({.threads = 1, .max_rows = 2, .prefill_chunk = 8});
  RowOptions parity;
  parity.parity = true;
  const Policy policy = parse(fresh, R"({"seed": 4, "frequency_penalty": 0.5})");
  const RowResult expected = run(fresh, prompt, policy, parity);
  REQUIRE(expected.prompt_tokens > 16);
  for (const std::size_t steps : {0, 1, 2, 5, 6, 9}) {
    CAPTURE(steps);
    Session session = make_session({.threads = 1, .max_rows = 2, .prefill_chunk = 8});
    const RowId row = session.start(prompt, policy, parity, 0);
    for (std::size_t step = 0; step < steps; ++step) session.step(row);
    session.abort(row);
    CHECK(session.result(row).finish == FinishReason::aborted);
    CHECK_ERROR(ErrorCode::invalid_option, "aborted", session.step(row));
    session.leave(row);
    const RowResult again = run(session, prompt, policy, parity);
    CHECK(again.ids == expected.ids);
    CHECK(again.text == expected.text);
    CHECK(again.parity.identical_tokens == expected.ids.size());
    CHECK(again.parity.differing_bits == 0);
  }
}

TEST_CASE("a prompt of one token less than the context, as many and one more") {
  Session session = make_session();
  RowOptions parity;
  parity.parity = true;
  // The begin token takes one of the 64 positions, each x one more.
  for (const auto& [letters, tokens] : {std::pair{62, 2}, std::pair{63, 1}}) {
    const RowResult result =
        run(session, std::string(static_cast<std::size_t>(letters), 'x'), parse(session, R"({"seed": 1})"), parity);
    CHECK(result.prompt_tokens == static_cast<std::size_t>(letters) + 1);
    CHECK(result.finish == FinishReason::context_full);
    CHECK(result.ids.size() == static_cast<std::size_t>(tokens));
    CHECK(result.parity.identical_tokens == result.ids.size());
  }
  CHECK_ERROR(ErrorCode::context_full, "at most 64 tokens, found 65",
              session.start(std::string(64, 'x'), parse(session, "{}"), {}, 0));
  CHECK(run(session, "x", parse(session, R"({"seed": 1})")).ids.size() == 12);
}

}  // namespace
}  // namespace vitrine
