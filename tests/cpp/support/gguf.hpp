// The metadata of a GGUF file as far as tokenizer tests need it: arrays of strings and of int32 by key. Not a GGUF
// reader: tensors and all other values are passed over.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_reader.hpp"

namespace vitrine::test {

struct GgufArrays {
  std::map<std::string, std::vector<std::string>> strings;
  std::map<std::string, std::vector<std::int32_t>> integers;
};

/// Layout: "GGUF", uint32 version, uint64 tensors, uint64 pairs; then key, uint32 type, value for each pair.
inline GgufArrays read_gguf_arrays(std::string_view bytes) {
  constexpr std::uint32_t kInt32 = 5, kString = 8, kArray = 9;
  constexpr std::uint64_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};  // by type; strings and arrays apart
  ByteReader reader(bytes);
  const auto read_string = [&] { return std::string(reader.take(reader.number<std::uint64_t>())); };
  REQUIRE(reader.take(4) == "GGUF");
  REQUIRE(reader.number<std::uint32_t>() == 3);
  reader.number<std::uint64_t>();
  const auto pairs = reader.number<std::uint64_t>();
  GgufArrays arrays;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    const std::string key = read_string();
    auto type = reader.number<std::uint32_t>();
    const bool is_array = type == kArray;
    if (is_array) type = reader.number<std::uint32_t>();
    REQUIRE(type < std::size(kSizes));
    const std::uint64_t count = is_array ? reader.number<std::uint64_t>() : 1;
    for (std::uint64_t index = 0; index < count; ++index) {
      if (type == kString) {
        std::string value = read_string();
        if (is_array) arrays.strings[key].push_back(std::move(value));
      } else if (type == kInt32 && is_array) {
        arrays.integers[key].push_back(reader.number<std::int32_t>());
      } else {
        reader.take(kSizes[type]);
      }
    }
  }
  return arrays;
}

}  // namespace vitrine::test
