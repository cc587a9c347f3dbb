#include "base/rng.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <set>

using namespace vitrine;

// Known answers of philox4x32-10 from the authors' Random123 distribution (kat_vectors).
TEST_CASE("Philox 4x32-10 gives the known answers of its authors") {
  CHECK(philox_4x32_10({0, 0, 0, 0}, {0, 0}) == PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox_4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox_4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("Philox works at compile time, so that it depends on nothing but its arguments") {
  static_assert(philox_4x32_10({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
}

TEST_CASE("a stream puts index, stream and seed where the known answers say") {
  // index = the first two counter words, stream = the last two, seed = the key, each lower word first.
  const RandomStream pi(0x299f31d0a4093822, 0x0370734413198a2e);
  CHECK(pi.bits_at(0x85a308d3243f6a88) == 0x94fdccebd16cfe09);
}

TEST_CASE("draws in order are the draws by index") {
  RandomStream stream(42, 7);
  for (std::uint64_t i = 0; i < 10; ++i) CHECK(stream.next_bits() == RandomStream(42, 7).bits_at(i));
  CHECK(stream.next_uniform() == RandomStream(42, 7).uniform_at(10));
}

TEST_CASE("seeds, streams and indices that differ in one bit, high words included, give other draws") {
  std::set<std::uint64_t> draws = {RandomStream(0, 0).bits_at(0)};
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    draws.insert(RandomStream(one, 0).bits_at(0));
    draws.insert(RandomStream(0, one).bits_at(0));
    draws.insert(RandomStream(0, 0).bits_at(one));
  }
  CHECK(draws.size() == 1 + 3 * 64);
}

TEST_CASE("uniform draws lie in [0, 1) on a grid of 2^-53, with the mean and the variance of the uniform law") {
  RandomStream stream(1);
  constexpr int kDraws = 100'000;
  double sum = 0;
  double square = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.next_uniform();
    REQUIRE((u >= 0 && u < 1));
    REQUIRE(static_cast<double>(static_cast<std::uint64_t>(u * 0x1p53)) == u * 0x1p53);
    sum += u;
    square += u * u;
  }
  // Five standard deviations of a mean of kDraws: of u (1/12 variance) and of u^2 (4/45 variance).
  CHECK(sum / kDraws == doctest::Approx(0.5).epsilon(2 * 5 * 0.2887 / 316.2));
  CHECK(square / kDraws == doctest::Approx(1.0 / 3).epsilon(3 * 5 * 0.2982 / 316.2));
}

TEST_CASE("bounded draws stay below the bound and reach every value equally often") {
  RandomStream stream(3);
  std::array<int, 6> counts{};
  constexpr int kDraws = 60'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = stream.next_below(6);
    REQUIRE(value < 6);
    ++counts[value];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 10'000.0) * (count - 10'000.0) / 10'000.0;
  CHECK(chi_square < 20.5);  // the 0.999 quantile of five degrees of freedom
  CHECK(RandomStream(9).next_below(1) == 0);
}
