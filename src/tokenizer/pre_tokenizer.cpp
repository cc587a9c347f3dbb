// GPT-2's pattern by hand:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// The alternatives are tried in this order, so the scanner asks in this order too.
#include "tokenizer/pre_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "tokenizer/unicode_classes.hpp"

namespace vitrine {
namespace {

bool contains(std::span<const CodePointRange> ranges, char32_t code_point) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                      [](char32_t value, const CodePointRange& range) { return value < range.first; });
  return after != ranges.begin() && code_point <= std::prev(after)->last;
}

CodePointClass look_up_class(char32_t code_point) {
  if (contains(kLetterRanges, code_point)) return CodePointClass::letter;
  if (contains(kNumberRanges, code_point)) return CodePointClass::number;
  if (contains(kWhiteSpaceRanges, code_point)) return CodePointClass::white_space;
  return CodePointClass::other;
}

constexpr std::array<CodePointClass, 128> make_ascii_classes() {
  std::array<CodePointClass, 128> classes{};
  for (std::size_t c = 0; c < 128; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool number = c >= '0' && c <= '9';
    const bool white_space = c == ' ' || (c >= '\t' && c <= '\r');
    classes[c] = letter        ? CodePointClass::letter
                 : number      ? CodePointClass::number
                 : white_space ? CodePointClass::white_space
                               : CodePointClass::other;
  }
  return classes;
}
constexpr std::array<CodePointClass, 128> kAsciiClasses = make_ascii_classes();

struct Character {
  CodePointClass kind = CodePointClass::other;
  std::size_t length = 1;
};

Character character_at(std::string_view text, std::size_t position) {
  const auto first = static_cast<std::uint8_t>(text[position]);
  if (first < 0x80) return {kAsciiClasses[first], 1};
  const Utf8Step step = read_utf8(text, position);
  if (step.status != Utf8Status::valid) return {CodePointClass::other, 1};
  return {look_up_class(step.code_point), step.length};
}

/// Length of the contraction that begins here, or 0.
std::size_t contraction_length(std::string_view text) {
  for (const std::string_view contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(contraction)) return contraction.size();
  }
  return 0;
}

/// The end of the run of characters of this class that begins at `position`.
std::size_t run_end(std::string_view text, std::size_t position, CodePointClass kind) {
  while (position < text.size()) {
    const Character character = character_at(text, position);
    if (character.kind != kind) break;
    position += character.length;
  }
  return position;
}

/// \s+(?!\S)|\s+ : white space to the end of the text whole; before anything else all but its last character, which
/// is left to the next piece, unless there is only that one.
std::size_t white_space_end(std::string_view text, std::size_t begin) {
  std::size_t last = begin;
  std::size_t end = begin;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (character.kind != CodePointClass::white_space) return last == begin ? end : last;
    last = end;
    end += character.length;
  }
  return end;
}

std::size_t gpt2_piece_end(std::string_view text, std::size_t begin) {
  if (text[begin] == '\'') {
    if (const std::size_t length = contraction_length(text.substr(begin))) return begin + length;
  }
  const std::size_t after_space = begin + (text[begin] == ' ' ? 1 : 0);
  if (after_space < text.size()) {
    const Character character = character_at(text, after_space);
    if (character.kind != CodePointClass::white_space) {
      return run_end(text, after_space + character.length, character.kind);
    }
  }
  return white_space_end(text, begin);
}

}  // namespace

CodePointClass classify_code_point(char32_t code_point) {
  return code_point < 0x80 ? kAsciiClasses[code_point] : look_up_class(code_point);
}

std::size_t next_piece_end(PreTokenizer kind, std::string_view text, std::size_t begin) {
  VITRINE_ASSERT(begin < text.size());
  switch (kind) {
    case PreTokenizer::none:
      return text.size();
    case PreTokenizer::gpt2:
      return gpt2_piece_end(text, begin);
  }
  fail(ErrorCode::internal, "next_piece_end: unknown pre-tokenizer");
}

}  // namespace vitrine
