// Both directions as tables, made from kByteLevelOrder.
#include "base/byte_level.hpp"

#include "base/utf8.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kVisibleBytes = 188;  // bytes that spell themselves
constexpr char32_t kFirstSubstitute = 0x100;
constexpr char32_t kCharacterLimit = kFirstSubstitute + 256 - kVisibleBytes;

constexpr std::array<char32_t, 256> make_characters() {
  std::array<char32_t, 256> characters{};
  for (std::size_t index = 0; index < 256; ++index) {
    const std::uint8_t byte = kByteLevelOrder[index];
    characters[byte] = index < kVisibleBytes ? byte : static_cast<char32_t>(kFirstSubstitute + index - kVisibleBytes);
  }
  return characters;
}
constexpr std::array<char32_t, 256> kCharacters = make_characters();

constexpr std::array<std::int16_t, kCharacterLimit> make_bytes() {
  std::array<std::int16_t, kCharacterLimit> bytes{};
  bytes.fill(-1);
  for (std::size_t byte = 0; byte < 256; ++byte) bytes[kCharacters[byte]] = static_cast<std::int16_t>(byte);
  return bytes;
}
constexpr std::array<std::int16_t, kCharacterLimit> kBytes = make_bytes();

}  // namespace

std::string to_byte_level(std::string_view bytes) {
  std::string spelling;
  spelling.reserve(bytes.size());
  for (const char byte : bytes) append_utf8(spelling, kCharacters[static_cast<std::uint8_t>(byte)]);
  return spelling;
}

std::optional<std::string> from_byte_level(std::string_view spelling) {
  std::string bytes;
  bytes.reserve(spelling.size());
  for (std::size_t position = 0; position < spelling.size();) {
    const Utf8Step step = read_utf8(spelling, position);
    if (step.status != Utf8Status::valid || step.code_point >= kCharacterLimit || kBytes[step.code_point] < 0) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<char>(static_cast<std::uint8_t>(kBytes[step.code_point])));
    position += step.length;
  }
  return bytes;
}

}  // namespace vitrine
