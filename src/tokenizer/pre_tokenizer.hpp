// Cuts text into the pieces within which tokens merge. Hand-written scanners of fixed kinds, not a regular expression
// engine: a pattern from a file could be made to run for ever.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/tokenizer_data.hpp"

namespace vitrine {

/// What the patterns ask of a code point. A byte that is not UTF-8 counts as one code point of class `other`.
enum class CodePointClass { letter, number, white_space, other };

/// The class by the Unicode properties L, N and White_Space.
CodePointClass classify_code_point(char32_t code_point);

/// The end of the piece that begins at text[begin], begin < text.size(); greater than begin. The pieces cover the text.
std::size_t next_piece_end(PreTokenizer kind, std::string_view text, std::size_t begin);

}  // namespace vitrine
