// FIPS 180-4, sections 5.1.1 (padding), 6.2.2 (rounds) and 4.2.2 (constants), with the names of that paper.
// Rounds run eight at a time, so that renaming the working variables costs nothing.
#include "base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vitrine {
namespace {

constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

using Word = std::uint32_t;

constexpr Word big_sigma_0(Word x) { return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22); }
constexpr Word big_sigma_1(Word x) { return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25); }
constexpr Word small_sigma_0(Word x) { return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3); }
constexpr Word small_sigma_1(Word x) { return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10); }

/// One round; the caller names the variables one place further on for the next.
inline void round(Word a, Word b, Word c, Word& d, Word e, Word f, Word g, Word& h, Word constant_plus_word) {
  const Word t1 = h + big_sigma_1(e) + ((e & f) ^ (~e & g)) + constant_plus_word;
  const Word t2 = big_sigma_0(a) + ((a & b) ^ (a & c) ^ (b & c));
  d += t1;
  h = t1 + t2;
}

constexpr Word load_big_endian(const unsigned char* bytes) {
  return Word{bytes[0]} << 24 | Word{bytes[1]} << 16 | Word{bytes[2]} << 8 | Word{bytes[3]};
}

}  // namespace

void Sha256::compress(const unsigned char* block) {
  std::array<Word, 64> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = load_big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    w[t] = small_sigma_1(w[t - 2]) + w[t - 7] + small_sigma_0(w[t - 15]) + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; t += 8) {
    round(a, b, c, d, e, f, g, h, kRoundConstants[t] + w[t]);
    round(h, a, b, c, d, e, f, g, kRoundConstants[t + 1] + w[t + 1]);
    round(g, h, a, b, c, d, e, f, kRoundConstants[t + 2] + w[t + 2]);
    round(f, g, h, a, b, c, d, e, kRoundConstants[t + 3] + w[t + 3]);
    round(e, f, g, h, a, b, c, d, kRoundConstants[t + 4] + w[t + 4]);
    round(d, e, f, g, h, a, b, c, kRoundConstants[t + 5] + w[t + 5]);
    round(c, d, e, f, g, h, a, b, kRoundConstants[t + 6] + w[t + 6]);
    round(b, c, d, e, f, g, h, a, kRoundConstants[t + 7] + w[t + 7]);
  }
  const std::array<Word, 8> change = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += change[i];
}

void Sha256::update(std::string_view bytes) {
  total_ += bytes.size();
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  if (pending_size_ > 0) {
    const std::size_t taken = std::min(left, pending_.size() - pending_size_);
    std::copy_n(data, taken, pending_.data() + pending_size_);
    pending_size_ += taken;
    data += taken;
    left -= taken;
    if (pending_size_ < pending_.size()) return;
    compress(pending_.data());
    pending_size_ = 0;
  }
  for (; left >= pending_.size(); data += pending_.size(), left -= pending_.size()) compress(data);
  std::copy_n(data, left, pending_.data());
  pending_size_ = left;
}

Sha256::Digest Sha256::finish() {
  const std::uint64_t bits = total_ * 8;
  constexpr std::size_t kLengthAt = 56;
  pending_[pending_size_++] = 0x80;
  if (pending_size_ > kLengthAt) {
    std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(pending_size_), pending_.end(), std::uint8_t{0});
    compress(pending_.data());
    pending_size_ = 0;
  }
  std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(pending_size_), pending_.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < 8; ++i) pending_[kLengthAt + i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
  compress(pending_.data());
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string Sha256::finish_hex() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : finish()) text += {kHex[byte >> 4], kHex[byte & 15]};
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish_hex();
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace vitrine
