// Sessions over the tiny bundle, and rows run to their end, for tests.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "session/session.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine::test {

inline Session make_session(const SessionOptions& options = {}) {
  Session session(options);
  session.load(tiny_bundle());
  return session;
}

inline Policy seeded(const Session& session, std::uint64_t seed, std::size_t max_new_tokens = 12) {
  Json options = {{"seed", seed}, {"max_new_tokens", max_new_tokens}};
  return session.effective_policy(options);
}

inline RowResult run(Session& session, const std::string& prompt, const Policy& policy,
                     const RowOptions& options = {}) {
  const RowId row = session.start(prompt, policy, options, 0);
  std::string text;
  while (session.result(row).finish == FinishReason::none) text += session.step(row).text;
  RowResult result = session.result(row);
  CHECK(text == result.text);
  session.leave(row);
  return result;
}

}  // namespace vitrine::test
