// UTF-8 against the examples of the Unicode Standard and against every code point.
#include "base/utf8.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace vitrine;

namespace {

std::string encoded(char32_t code_point) {
  std::string text;
  append_utf8(text, code_point);
  return text;
}

/// "aRRb": valid characters as they are, R for each replacement character.
std::string replaced(const std::string& bytes) {
  const std::string text = replace_invalid_utf8(bytes);
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const bool replacement = text.compare(at, 3, kReplacementCharacter) == 0;
    shown += replacement ? 'R' : text[at];
    at += replacement ? 3 : 1;
  }
  return shown;
}

}  // namespace

TEST_CASE("every Unicode scalar value is written in its shortest form and read back") {
  std::size_t wrong = 0;
  for (char32_t code_point = 0; code_point < 0x110000; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    const std::string text = encoded(code_point);
    const Utf8Step step = read_utf8(text, 0);
    const std::size_t length = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    if (step.status != Utf8Status::valid || step.code_point != code_point || step.length != length ||
        text.size() != length) {
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("every proper prefix of every character is incomplete, and is the suffix to hold back") {
  std::size_t wrong = 0;
  for (char32_t code_point = 0x80; code_point < 0x110000; code_point += code_point < 0x900 ? 1 : 61) {
    if (code_point >= 0xD800 && code_point < 0xE000) continue;
    const std::string text = encoded(code_point);
    for (std::size_t length = 1; length < text.size(); ++length) {
      const std::string prefix = text.substr(0, length);
      const Utf8Step step = read_utf8(prefix, 0);
      if (step.status != Utf8Status::incomplete || step.length != length) ++wrong;
      if (incomplete_utf8_suffix("a" + prefix) != length || incomplete_utf8_suffix(prefix) != length) ++wrong;
    }
    if (incomplete_utf8_suffix(text) != 0) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("every pair of bytes is valid exactly if it is two ASCII bytes or a two-byte character") {
  std::size_t wrong = 0;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      const bool ascii = first < 0x80 && second < 0x80;
      const bool two_bytes = first >= 0xC2 && first <= 0xDF && second >= 0x80 && second <= 0xBF;
      if (is_valid_utf8(pair) != (ascii || two_bytes)) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE(
    "one replacement character stands for each maximal subpart, as in the Unicode Standard's tables 3-8 to 3-11") {
  CHECK(replaced("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == "RRRRRRRRA");  // non-shortest forms
  CHECK(replaced("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == "RRRRRRRRA");  // surrogates
  CHECK(replaced("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") == "RRRRRARRB");  // beyond U+10FFFF, stray bytes
  CHECK(replaced("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == "RRRRA");      // truncated sequences
}

TEST_CASE("a byte order mark, a NUL and a real U+FFFD are kept") {
  const std::string text(
      "\xEF\xBB\xBF"
      "a\0b\xEF\xBF\xBD",
      9);
  CHECK(is_valid_utf8(text));
  CHECK(replace_invalid_utf8(text) == text);
}

TEST_CASE("only an ending that further bytes could complete is held back") {
  CHECK(incomplete_utf8_suffix("") == 0);
  CHECK(incomplete_utf8_suffix("abc") == 0);
  CHECK(incomplete_utf8_suffix("\xE2\x82") == 2);
  CHECK(incomplete_utf8_suffix("\xE2\x82\xAC") == 0);          // complete
  CHECK(incomplete_utf8_suffix("\x80\x80\x80") == 0);          // no lead byte
  CHECK(incomplete_utf8_suffix("\xF0\x9F\x98\x82\x82") == 0);  // one continuation too many
  CHECK(incomplete_utf8_suffix("\xED\xA0") == 0);              // a surrogate: nothing completes it
  CHECK(incomplete_utf8_suffix("\xC0") == 0);                  // overlong: nothing completes it
  CHECK(incomplete_utf8_suffix("\xF4\x90") == 0);              // beyond U+10FFFF
}
