// The byte-level spelling against the examples that GPT-2's files show.
#include "base/byte_level.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/utf8.hpp"

using namespace vitrine;

TEST_CASE("all 256 bytes together survive being spelled and read back") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  const std::string spelling = to_byte_level(bytes);
  CHECK(is_valid_utf8(spelling));
  CHECK(from_byte_level(spelling) == bytes);
}

TEST_CASE("the spelling is GPT-2's") {
  CHECK(to_byte_level(" the") == "\xC4\xA0the");  // U+0120
  CHECK(to_byte_level("\n") == "\xC4\x8A");       // U+010A
  CHECK(to_byte_level("\t") == "\xC4\x89");       // U+0109
  CHECK(to_byte_level("~!A") == "~!A");
  CHECK(to_byte_level("\xC3\xA9") == "\xC3\x83\xC2\xA9");    // both bytes spell themselves: U+00C3 U+00A9
  CHECK(to_byte_level(std::string(1, '\0')) == "\xC4\x80");  // U+0100
  CHECK(to_byte_level("\xAD") == "\xC5\x83");                // U+0143, the last
  CHECK(to_byte_level("\x7F") == "\xC4\xA1");                // U+0121, right after the space
}

TEST_CASE("the order has every byte once, the visible ones first") {
  CHECK(std::set<std::uint8_t>(kByteLevelOrder.begin(), kByteLevelOrder.end()).size() == 256);
  CHECK(kByteLevelOrder[0] == '!');
  CHECK(kByteLevelOrder[187] == 0xFF);
  CHECK(kByteLevelOrder[188] == 0x00);
  CHECK(kByteLevelOrder[220] == ' ');
  CHECK(kByteLevelOrder[255] == 0xAD);
}

TEST_CASE("what is no spelling reads as nothing") {
  CHECK_FALSE(from_byte_level("a b"));           // a space is spelled U+0120
  CHECK_FALSE(from_byte_level("\xC5\x84"));      // U+0144, one beyond the last
  CHECK_FALSE(from_byte_level("\xE4\xBD\xA0"));  // a character from anywhere else
  CHECK_FALSE(from_byte_level("\xC4"));          // not UTF-8
  CHECK(from_byte_level("") == "");
}
