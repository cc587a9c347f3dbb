#include "session/text_stream.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/rng.hpp"

namespace vitrine {
namespace {

TEST_CASE("no piece of text ends inside a character, and nothing is lost") {
  const std::string text =
      "a\xF0\x9F\x98\x82 \xE8\xB5\x8B \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9 \xF0\x9F\x87\xA9\xF0\x9F\x87\xAA";
  TextStream stream;
  std::string all;
  for (const char byte : text) {
    const std::string piece = stream.push({&byte, 1});
    CHECK(is_valid_utf8(piece));
    CHECK(piece.find(kReplacementCharacter) == std::string::npos);
    all += piece;
  }
  CHECK(stream.finish() == "");
  CHECK(all == text);
}

TEST_CASE("a character left unfinished comes out as one replacement character") {
  TextStream stream;
  CHECK(stream.push("x\xE2\x82") == "x");
  CHECK(stream.finish() == std::string(kReplacementCharacter));
  CHECK(stream.finish() == "");
}

TEST_CASE("a replacement character that is really there stays") {
  TextStream stream;
  CHECK(stream.push("end\xEF\xBF\xBD") == "end\xEF\xBF\xBD");
  CHECK(stream.finish() == "");
}

TEST_CASE("pieces together are the text with its broken bytes replaced, however it was cut") {
  RandomStream random(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::string bytes(1 + random.next_below(12), ' ');
    const std::string alphabet = "a\xE2\x82\xAC\xF0\x9F\x98\xC3";
    for (char& byte : bytes) byte = alphabet[random.next_below(alphabet.size())];
    TextStream stream;
    std::string all;
    for (std::size_t begin = 0; begin < bytes.size();) {
      const std::size_t size = 1 + random.next_below(3);
      all += stream.push(std::string_view(bytes).substr(begin, size));
      begin += size;
    }
    all += stream.finish();
    CHECK(all == replace_invalid_utf8(bytes));
  }
}

}  // namespace
}  // namespace vitrine
