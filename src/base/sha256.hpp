// SHA-256 (FIPS 180-4), in one call or piece by piece: it identifies the parts of a bundle and golden results.
// Not for secrets: nothing here is keyed or constant-time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vitrine {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  /// Appends bytes to the message; how they are cut into calls does not matter.
  void update(std::string_view bytes);

  /// The hash of all bytes so far. The object then holds no message: use it no further.
  Digest finish();
  std::string finish_hex();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                         0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;  // bytes
};

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// Whether a text has the form that sha256_hex gives.
bool is_sha256_hex(std::string_view text);

}  // namespace vitrine
