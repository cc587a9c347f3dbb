// The table of well-formed byte sequences (Unicode Standard, table 3-7) as ranges for the second byte.
#include "base/utf8.hpp"

#include <cstdint>

#include "base/check.hpp"

namespace vitrine {
namespace {

struct LeadByte {
  std::size_t length = 0;  // of the whole sequence; 0: no sequence begins with this byte
  std::uint8_t second_low = 0x80;
  std::uint8_t second_high = 0xBF;
};

constexpr LeadByte classify(std::uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};  // continuation bytes, and C0 and C1, which could only be overlong
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};  // below A0: overlong
  if (byte == 0xED) return {3, 0x80, 0x9F};  // above 9F: surrogates
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};  // below 90: overlong
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};  // above 8F: beyond U+10FFFF
  return {0};
}

}  // namespace

Utf8Step read_utf8(std::string_view text, std::size_t position) {
  VITRINE_ASSERT(position < text.size());
  const auto byte_at = [&](std::size_t offset) { return static_cast<std::uint8_t>(text[position + offset]); };
  const std::uint8_t first = byte_at(0);
  if (first < 0x80) return {first, 1, Utf8Status::valid};
  const LeadByte lead = classify(first);
  if (lead.length == 0) return {0, 1, Utf8Status::invalid};

  char32_t code_point = first & (0x7Fu >> lead.length);
  for (std::size_t offset = 1; offset < lead.length; ++offset) {
    if (position + offset == text.size()) return {0, offset, Utf8Status::incomplete};
    const std::uint8_t byte = byte_at(offset);
    const std::uint8_t low = offset == 1 ? lead.second_low : 0x80;
    const std::uint8_t high = offset == 1 ? lead.second_high : 0xBF;
    if (byte < low || byte > high) return {0, offset, Utf8Status::invalid};
    code_point = code_point << 6 | (byte & 0x3Fu);
  }
  return {code_point, lead.length, Utf8Status::valid};
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Step step = read_utf8(text, position);
    if (step.status != Utf8Status::valid) return false;
    position += step.length;
  }
  return true;
}

std::size_t incomplete_utf8_suffix(std::string_view text) {
  // A code point has at most 4 bytes, so an unfinished one begins among the last 3.
  for (std::size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    const std::size_t begin = text.size() - length;
    if ((static_cast<std::uint8_t>(text[begin]) & 0xC0) == 0x80) continue;  // a continuation byte: look further back
    const Utf8Step step = read_utf8(text, begin);
    return step.status == Utf8Status::incomplete ? length : 0;
  }
  return 0;
}

void append_utf8(std::string& text, char32_t code_point) {
  VITRINE_ASSERT(code_point < 0x110000 && (code_point < 0xD800 || code_point > 0xDFFF));
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(static_cast<std::uint8_t>(byte))); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::string replace_invalid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t position = 0; position < bytes.size();) {
    const Utf8Step step = read_utf8(bytes, position);
    text += step.status == Utf8Status::valid ? bytes.substr(position, step.length) : kReplacementCharacter;
    position += step.length;
  }
  return text;
}

}  // namespace vitrine
