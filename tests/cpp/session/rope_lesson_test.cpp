#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "session/lessons.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

Json lesson(const std::vector<double>& query, const std::vector<double>& key, int query_position, int key_position,
            double theta = 10000) {
  return rope_lesson({{"query", query},
                      {"key", key},
                      {"query_position", query_position},
                      {"key_position", key_position},
                      {"theta", theta}});
}

TEST_CASE("one pair turns by its position in radians, and the product is the cosine of the distance") {
  const Json result = lesson({1, 0}, {1, 0}, 5, 3);
  const Json& pair = result.at("pairs").at(0);
  CHECK(pair.at("frequency") == 1.0);
  CHECK(pair.at("query_angle") == 5.0);
  CHECK(pair.at("key_angle") == 3.0);
  CHECK(pair.at("query").at("before") == Json({1.0, 0.0}));
  CHECK(pair.at("query").at("after").at(0).get<double>() == doctest::Approx(std::cos(5.0)).epsilon(1e-6));
  CHECK(pair.at("query").at("after").at(1).get<double>() == doctest::Approx(std::sin(5.0)).epsilon(1e-6));
  CHECK(result.at("product").get<double>() == doctest::Approx(std::cos(2.0)).epsilon(1e-6));
}

TEST_CASE("the product depends on the distance of the positions alone") {
  const std::vector<double> query = {0.5, -1.25, 2, 0.75}, key = {1.5, 0.25, -0.5, 1};
  const Json result = lesson(query, key, 17, 4, 100);
  const double product = result.at("product");
  // Each of 4 terms has two rotated entries, at most 4 roundings each, and a product and the sum: 13 u of the sizes.
  const double tolerance = 13 * 5.96e-8 * (2.01 * 1.61 + 1.46 * 1.04) * 2;
  CHECK(result.at("shifted").size() == 4);
  for (const Json& shifted : result.at("shifted")) {
    CHECK(std::abs(shifted.at("product").get<double>() - product) <= tolerance);
  }
  CHECK(std::abs(lesson(query, key, 18, 4, 100).at("product").get<double>() - product) > 0.01);
  CHECK(lesson(query, key, 4096, 4096).at("shifted").at(3).at("shift") == 1000);
}

TEST_CASE("heads that have no pairs and positions that are none are refused") {
  CHECK_ERROR(ErrorCode::invalid_option, "query: expected an even number", lesson({1}, {1}, 0, 0));
  CHECK_ERROR(ErrorCode::invalid_option, "key: expected the 2 numbers", lesson({1, 2}, {1, 2, 3, 4}, 0, 0));
  CHECK_ERROR(ErrorCode::invalid_option, "query_position", lesson({1, 2}, {1, 2}, -1, 0));
  CHECK_ERROR(ErrorCode::invalid_option, "key_position", lesson({1, 2}, {1, 2}, 0, 4097));
  CHECK_ERROR(ErrorCode::invalid_option, "theta", lesson({1, 2}, {1, 2}, 0, 0, 0));
}

}  // namespace
}  // namespace vitrine
