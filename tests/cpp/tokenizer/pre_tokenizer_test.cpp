// The scanners against pieces cut by hand from GPT-2's pattern.
#include "tokenizer/pre_tokenizer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/rng.hpp"

using namespace vitrine;

namespace {

std::vector<std::string> pieces(PreTokenizer kind, const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = next_piece_end(kind, text, begin);
    REQUIRE(end > begin);
    REQUIRE(end <= text.size());
    found.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return found;
}

std::vector<std::string> gpt2(const std::string& text) { return pieces(PreTokenizer::gpt2, text); }
using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("words, numbers and signs part, each with the space before it") {
  CHECK(gpt2("Hello world") == Pieces{"Hello", " world"});
  CHECK(gpt2("git commit -m 'x' 42") == Pieces{"git", " commit", " -", "m", " '", "x", "'", " 42"});
  CHECK(gpt2("abc123!?x") == Pieces{"abc", "123", "!?", "x"});
}

TEST_CASE("contractions are pieces where they begin one, in lower case only") {
  CHECK(gpt2("don't we'll I'M they've") == Pieces{"don", "'t", " we", "'ll", " I", "'", "M", " they", "'ve"});
  CHECK(gpt2("'s'd're") == Pieces{"'s", "'d", "'re"});
  CHECK(gpt2("'sun") == Pieces{"'s", "un"});
  CHECK(gpt2("!'s") == Pieces{"!'", "s"});
  CHECK(gpt2(" 's") == Pieces{" '", "s"});
  CHECK(gpt2("'r'l'") == Pieces{"'", "r", "'", "l", "'"});
}

TEST_CASE("white space leaves its last character to what follows, and only a space joins a word") {
  CHECK(gpt2("a   b") == Pieces{"a", "  ", " b"});
  CHECK(gpt2("a\n\nb") == Pieces{"a", "\n", "\n", "b"});
  CHECK(gpt2("a \n b") == Pieces{"a", " \n", " b"});
  CHECK(gpt2("a\tb") == Pieces{"a", "\t", "b"});
  CHECK(gpt2("a  \n") == Pieces{"a", "  \n"});
  CHECK(gpt2(" ") == Pieces{" "});
  CHECK(gpt2("   ") == Pieces{"   "});
  CHECK(gpt2("").empty());
}

TEST_CASE("classes are Unicode's") {
  CHECK(gpt2("\xC3\x9C"
             "ber\xC3\x9F 1\xC2\xBD") == Pieces{"\xC3\x9C"
                                                "ber\xC3\x9F",
                                                " 1\xC2\xBD"});  // Uber, one half
  CHECK(gpt2("a\xC2\xA0\xC2\xA0"
             "b") == Pieces{"a", "\xC2\xA0", "\xC2\xA0", "b"});  // no-break spaces
  CHECK(gpt2("\xE4\xBD\xA0\xE5\xA5\xBD\xE3\x80\x82") == Pieces{"\xE4\xBD\xA0\xE5\xA5\xBD", "\xE3\x80\x82"});
  CHECK(gpt2(" \xF0\x9F\x98\x82"
             "a") == Pieces{" \xF0\x9F\x98\x82", "a"});
  CHECK(classify_code_point('Z') == CodePointClass::letter);
  CHECK(classify_code_point('0') == CodePointClass::number);
  CHECK(classify_code_point(0x2160) == CodePointClass::number);     // roman numeral one: Nl
  CHECK(classify_code_point(0x85) == CodePointClass::white_space);  // next line
  CHECK(classify_code_point(0x1C) == CodePointClass::other);        // a separator to Python, not to Unicode
  CHECK(classify_code_point(0xFEFF) == CodePointClass::other);      // a byte order mark: white space to JavaScript only
  CHECK(classify_code_point(0x200B) == CodePointClass::other);      // zero width space
  CHECK(classify_code_point(0x301) == CodePointClass::other);       // a combining mark: M, not L
  CHECK(classify_code_point(0x10FFFF) == CodePointClass::other);
}

TEST_CASE("the tables begin and end each range where Unicode does") {
  CHECK(classify_code_point(0xBF) == CodePointClass::other);
  CHECK(classify_code_point(0xC0) == CodePointClass::letter);
  CHECK(classify_code_point(0xD6) == CodePointClass::letter);
  CHECK(classify_code_point(0xD7) == CodePointClass::other);
  CHECK(classify_code_point(0xD8) == CodePointClass::letter);
  CHECK(classify_code_point(0x9FFF) == CodePointClass::letter);
  CHECK(classify_code_point(0xD7A3) == CodePointClass::letter);  // the last Hangul syllable
  CHECK(classify_code_point(0xD7A4) == CodePointClass::other);
}

TEST_CASE("bytes that are not UTF-8 are characters of the class other, one each") {
  CHECK(gpt2("a\xFF\xFE"
             "b") == Pieces{"a", "\xFF\xFE", "b"});
  CHECK(gpt2(" \xE6\xAD") == Pieces{" \xE6\xAD"});
  CHECK(gpt2("\xE6"
             "a\x80 ") == Pieces{"\xE6", "a", "\x80", " "});
}

TEST_CASE("the kind none takes the text whole") {
  CHECK(pieces(PreTokenizer::none, "a b\n c") == Pieces{"a b\n c"});
  CHECK(pieces(PreTokenizer::none, "").empty());
}

TEST_CASE("the pieces of any bytes cover them without a gap") {
  RandomStream random(2);
  const std::string alphabet = "aZ09 \n\t'st.!\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x82\xFF\xC2\x85\xA0";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint64_t left = random.next_below(30); left > 0; --left) {
      text += alphabet[static_cast<std::size_t>(random.next_below(alphabet.size()))];
    }
    std::string joined;
    for (const std::string& piece : gpt2(text)) joined += piece;
    REQUIRE(joined == text);
  }
}
