// Reads little-endian numbers and byte strings from the start of a file onwards, for the small formats that only
// tests need. Not for the product: a file that is too short fails the test.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace vitrine::test {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string_view take(std::uint64_t count) {
    REQUIRE(count <= bytes_.size());
    const std::string_view taken = bytes_.substr(0, static_cast<std::size_t>(count));
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace vitrine::test
