// UTF-8: reading code points from any bytes, and making valid text of them as browsers do (WHATWG Encoding Standard,
// "UTF-8 decoder"). Not a Unicode library: no normalisation, no case, no character classes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vitrine {

/// U+FFFD, which stands for bytes that are not UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

enum class Utf8Status {
  valid,
  /// The bytes can begin no code point, whatever follows.
  invalid,
  /// The text ends inside a code point that further bytes could complete.
  incomplete,
};

struct Utf8Step {
  char32_t code_point = 0;  ///< meaningful only when valid
  std::size_t length = 0;   ///< bytes read, at least 1: the code point, or the maximal subpart that U+FFFD stands for
  Utf8Status status = Utf8Status::invalid;
};

/// What begins at text[position]; position < text.size().
Utf8Step read_utf8(std::string_view text, std::size_t position);

bool is_valid_utf8(std::string_view text);

/// Number of bytes at the end of the text that are the beginning of a code point still to be completed: 0 to 3.
std::size_t incomplete_utf8_suffix(std::string_view text);

/// Appends one code point; it must be a Unicode scalar value (below 0x110000 and no surrogate).
void append_utf8(std::string& text, char32_t code_point);

/// The text with every maximal subpart of ill-formed bytes replaced by one U+FFFD. What `TextDecoder` gives, except
/// that a byte order mark is kept.
std::string replace_invalid_utf8(std::string_view bytes);

}  // namespace vitrine
