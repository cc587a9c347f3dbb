#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "session/lessons.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

using Rows = std::vector<std::vector<double>>;

Json lesson(const Rows& q, const Rows& k, const Rows& v, bool causal = true) {
  return attention_by_hand_lesson({{"q", q}, {"k", k}, {"v", v}, {"causal", causal}});
}

TEST_CASE("a head of two positions has the numbers that are worked out by hand") {
  // D = 4: the scale is 1/2. Query 0 sees key 0 alone; query 1 has the scores 0 and ln 3, so the weights 1/4 and 3/4.
  const double a = 2 * std::log(3.0);
  const Json result = lesson({{1, 0, 0, 0}, {0, 1, 0, 0}}, {{2, 0, 0, 0}, {0, a, 0, 0}}, {{4, 0, 1, 0}, {0, 4, 1, 0}});
  CHECK(result.at("scale") == 0.5);
  CHECK(result.at("shapes").at("q") == Json({2, 4}));
  CHECK(result.at("shapes").at("scores") == Json({2, 2}));
  CHECK(result.at("products").at(0) == Json({2.0, 0.0}));
  CHECK(result.at("scores").at(0) == Json({1.0, 0.0}));
  CHECK(result.at("masked").at(0) == Json({1.0, nullptr}));
  CHECK(result.at("weights").at(0) == Json({1.0, 0.0}));
  CHECK(result.at("output").at(0) == Json({4.0, 0.0, 1.0, 0.0}));
  CHECK(result.at("weights").at(1).at(0).get<double>() == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(result.at("output").at(1).at(1).get<double>() == doctest::Approx(3.0).epsilon(1e-6));
  const Json open =
      lesson({{1, 0, 0, 0}, {0, 1, 0, 0}}, {{2, 0, 0, 0}, {0, a, 0, 0}}, {{4, 0, 1, 0}, {0, 4, 1, 0}}, false);
  CHECK(open.at("masked").at(0) == Json({1.0, 0.0}));
  CHECK(open.at("weights").at(0).at(0).get<double>() ==
        doctest::Approx(std::exp(1.0) / (std::exp(1.0) + 1)).epsilon(1e-6));
}

TEST_CASE("fewer queries than keys: the last query sees all") {
  const Json result = lesson({{0.0}}, {{1}, {2}, {3}}, {{3}, {6}, {9}});
  CHECK(result.at("weights").at(0).size() == 3);
  CHECK(result.at("output").at(0).at(0).get<double>() == doctest::Approx(6.0).epsilon(1e-6));
}

TEST_CASE("random heads of every shape stay within the tolerance, which is small") {
  RandomStream random(3);
  const auto matrix = [&](std::size_t rows, std::size_t columns) {
    Rows out(rows, std::vector<double>(columns));
    for (auto& row : out) {
      for (double& value : row) value = 4 * random.next_uniform() - 2;
    }
    return out;
  };
  for (const auto& [T, S, D] :
       {std::array{1u, 1u, 1u}, std::array{3u, 5u, 2u}, std::array{16u, 16u, 16u}, std::array{7u, 16u, 5u}}) {
    for (const bool causal : {true, false}) {
      const Json result = lesson(matrix(T, D), matrix(S, D), matrix(S, D), causal);
      CHECK(result.at("max_difference").get<double>() <= result.at("tolerance").get<double>());
      CHECK(result.at("tolerance").get<double>() < 1e-3);
    }
  }
}

TEST_CASE("shapes that do not fit are refused, with what was expected and found") {
  CHECK_ERROR(ErrorCode::invalid_option, "k: expected rows x columns 2 x 2, found 2 x 3",
              lesson({{1, 2}}, {{1, 2, 3}, {1, 2, 3}}, {{1, 2}, {1, 2}}));
  CHECK_ERROR(ErrorCode::invalid_option, "v: expected rows x columns 2 x 2, found 1 x 2",
              lesson({{1, 2}}, {{1, 2}, {3, 4}}, {{1, 2}}));
  CHECK_ERROR(ErrorCode::invalid_option, "q: expected at most as many rows as k, 1, found 2",
              lesson({{1, 2}, {3, 4}}, {{1, 2}}, {{1, 2}}));
  CHECK_ERROR(ErrorCode::invalid_option, "q: expected 1 to 16 rows, found 0", lesson({}, {{1}}, {{1}}));
}

}  // namespace
}  // namespace vitrine
