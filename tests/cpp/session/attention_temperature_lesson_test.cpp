#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "session/lessons.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

Json lesson(const std::vector<double>& scores, double temperature) {
  return attention_temperature_lesson({{"scores", scores}, {"temperature", temperature}});
}

TEST_CASE("four scores have the weights that are worked out by hand") {
  const Json result = lesson({1.2, 0.3, -0.4, 1.8}, 1);
  const std::vector<double> expected = {0.2915, 0.1185, 0.0589, 0.5311};  // to four digits
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::abs(result.at("weights").at(i).get<double>() - expected[i]) < 0.00005);
    CHECK(std::abs(result.at("reference").at(i).get<double>() - expected[i]) < 0.00005);
  }
  CHECK(result.at("max_difference").get<double>() <= result.at("tolerance").get<double>());
  CHECK(result.at("tolerance").get<double>() < 3e-6);
}

TEST_CASE("a low temperature sharpens and a high one flattens, within the tolerance everywhere") {
  double entropy = -1;
  for (const double temperature : {0.01, 0.25, 1.0, 4.0, 100.0}) {
    CAPTURE(temperature);
    const Json result = lesson({1.2, 0.3, -0.4, 1.8, 1.7999}, temperature);
    CHECK(result.at("entropy_bits").get<double>() > entropy);
    entropy = result.at("entropy_bits");
    CHECK(result.at("max_difference").get<double>() <= result.at("tolerance").get<double>());
  }
  CHECK(lesson({7}, 1).at("entropy_bits") == 0.0);
  CHECK(lesson({2, 2, 2, 2}, 3).at("entropy_bits").get<double>() == doctest::Approx(2.0));
  CHECK(lesson({-1000, 1000}, 0.01).at("weights") == Json({0.0, 1.0}));
}

TEST_CASE("scores and temperatures that are none are refused") {
  CHECK_ERROR(ErrorCode::invalid_option, "temperature", lesson({1}, 0));
  CHECK_ERROR(ErrorCode::invalid_option, "temperature", lesson({1}, -1));
  CHECK_ERROR(ErrorCode::invalid_option, "scores", lesson({}, 1));
  CHECK_ERROR(ErrorCode::invalid_option, "scores", lesson(std::vector<double>(65, 0.0), 1));
  CHECK_ERROR(ErrorCode::invalid_option, "scores", lesson({1e30}, 1));
}

}  // namespace
}  // namespace vitrine
