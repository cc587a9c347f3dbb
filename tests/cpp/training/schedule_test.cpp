#include "training/schedule.hpp"

#include <doctest/doctest.h>

namespace vitrine {
namespace {

TEST_CASE("the rate rises linearly to the peak, falls as a cosine, and stays at the minimum") {
  const Schedule schedule{.peak = 1.0, .minimum = 0.2, .warmup_steps = 4, .total_steps = 12};
  CHECK(schedule.at(0) == 0.25);
  CHECK(schedule.at(3) == 1.0);
  CHECK(schedule.at(4) == 1.0);
  CHECK(schedule.at(8) == doctest::Approx(0.6).epsilon(1e-15));  // half way: the mean of peak and minimum
  CHECK(schedule.at(11) > 0.2);
  CHECK(schedule.at(12) == 0.2);
  CHECK(schedule.at(1000) == 0.2);
}

TEST_CASE("a run that is all warm-up never divides by zero") {
  const Schedule schedule{.peak = 1.0, .minimum = 0.5, .warmup_steps = 3, .total_steps = 3};
  CHECK(schedule.at(2) == 1.0);
  CHECK(schedule.at(3) == 0.5);
}

}  // namespace
}  // namespace vitrine
