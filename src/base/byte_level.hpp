// GPT-2's byte-level spelling: each of the 256 bytes written as one visible character, so that any bytes can stand as
// text in a vocabulary file (Radford et al. 2019). Only files and tests use it; the tokenizer itself works on bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vitrine {

/// The 256 bytes in the order of their characters: first those that spell themselves (! to ~, 0xA1 to 0xAC, 0xAE to
/// 0xFF), then the others, which take U+0100 and up. The order of the byte tokens in GPT-2's vocabulary.
constexpr std::array<std::uint8_t, 256> make_byte_level_order() {
  std::array<std::uint8_t, 256> order{};
  std::size_t count = 0;
  for (const bool visible : {true, false}) {
    for (int byte = 0; byte < 256; ++byte) {
      const bool spells_itself = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
      if (spells_itself == visible) order[count++] = static_cast<std::uint8_t>(byte);
    }
  }
  return order;
}
inline constexpr std::array<std::uint8_t, 256> kByteLevelOrder = make_byte_level_order();

/// The bytes in byte-level spelling (valid UTF-8): " the" is written U+0120 "the".
std::string to_byte_level(std::string_view bytes);

/// The bytes that a spelling stands for, or nothing if a character is none of the 256.
std::optional<std::string> from_byte_level(std::string_view spelling);

}  // namespace vitrine
