#include "session/session_row.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vitrine {
namespace {

RowEvent event(TokenId token, const std::string& bytes, FinishReason finish = FinishReason::none) {
  RowEvent out;
  out.token = token;
  out.bytes = bytes;
  out.finish = finish;
  return out;
}

TEST_CASE("costs up to the first token are prefill, those after it decode") {
  SessionRow row;
  row.enter(event(-1, ""), {64, 1000, 4 * 1000, 2.0});
  row.enter(event(5, "a"), {10, 200, 4 * 200, 1.0});
  row.enter(event(6, "b"), {1, 30, 4 * 30, 0.5});
  CHECK(row.prefill.positions == 74);
  CHECK(row.prefill.multiply_adds == 1200);
  CHECK(row.prefill.bytes_read == 4800);
  CHECK(row.prefill.milliseconds == 3.0);
  CHECK(row.decode.positions == 1);
  CHECK(row.decode.multiply_adds == 30);
  CHECK(row.text == "ab");
}

TEST_CASE("text comes out in whole characters, the rest at the end of the row") {
  SessionRow row;
  CHECK(row.enter(event(1, "x\xE2\x82"), {}) == "x");
  CHECK(row.enter(event(2, "\xAC"), {}) == "\xE2\x82\xAC");
  CHECK(row.enter(event(3, "\xE2"), {}) == "");
  CHECK(row.enter(event(4, "", FinishReason::length), {}) == "\xEF\xBF\xBD");
  CHECK(row.text == "x\xE2\x82\xAC\xEF\xBF\xBD");
}

TEST_CASE("an abort adds what was held back") {
  SessionRow row;
  row.enter(event(1, "a\xE2"), {});
  row.enter_abort("\x82\xAC!");
  CHECK(row.text == "a\xE2\x82\xAC!");
}

TEST_CASE("a restored row has the text that was certain, and decodes if it had a token") {
  SessionRow row;
  row.enter_tokens("ab\xC3", true);
  CHECK(row.text == "ab");
  RowEvent event;
  event.token = 1;
  event.bytes = "\xA4!";
  CHECK(row.enter(event, {1, 10, 4 * 10, 0.5}) == "\xC3\xA4!");
  CHECK(row.decode.positions == 1);
  CHECK(row.prefill.positions == 0);
}

TEST_CASE("a rewound row begins its text anew, half a character included, and keeps its costs") {
  SessionRow row;
  row.enter(event(1, "ab\xE2"), {4, 100, 400, 1.0});
  row.enter(event(2, "\x82"), {1, 20, 80, 1.0});
  row.enter_tokens("ab\xE2", true);
  CHECK(row.text == "ab");
  CHECK(row.decode.positions == 1);
  CHECK(row.enter(event(2, "\x82\xAC"), {1, 20, 80, 1.0}) == "\xE2\x82\xAC");
  row.enter_tokens("", false);
  row.enter(event(1, "c"), {1, 20, 80, 1.0});
  CHECK(row.text == "c");
  CHECK(row.prefill.positions == 5);
}

TEST_CASE("parity adds up") {
  SessionRow row;
  row.enter_parity({3, 100, 4 * 100, 1.0}, {1, 1, 50, 0});
  row.enter_parity({4, 150, 4 * 150, 2.0}, {1, 0, 50, 3});
  CHECK(row.full.positions == 7);
  CHECK(row.parity.tokens == 2);
  CHECK(row.parity.identical_tokens == 1);
  CHECK(row.parity.logits_compared == 100);
  CHECK(row.parity.differing_bits == 3);
}

}  // namespace
}  // namespace vitrine
