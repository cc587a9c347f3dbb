#include "session/rope_pairs.hpp"

#include <doctest/doctest.h>

namespace vitrine {
namespace {

TEST_CASE("a pair is two neighbours or two that are half a head apart, and turns by its frequency") {
  const std::vector<float> before = {1, 2, 3, 4}, after = {5, 6, 7, 8};
  const auto halves = rope_pairs(before, after, 100.0, 3, kernels::RopePairing::halves);
  REQUIRE(halves.size() == 2);
  CHECK(halves[0].frequency == 1.0);
  CHECK(halves[0].angle == 3.0);
  CHECK(halves[1].frequency == doctest::Approx(0.1));
  CHECK(halves[1].angle == doctest::Approx(0.3));
  CHECK(halves[1].before == std::array<float, 2>{2, 4});
  CHECK(halves[1].after == std::array<float, 2>{6, 8});
  const auto adjacent = rope_pairs(before, after, 100.0, 3, kernels::RopePairing::adjacent);
  CHECK(adjacent[1].before == std::array<float, 2>{3, 4});
}

}  // namespace
}  // namespace vitrine
