#include "session/lessons.hpp"

#include <doctest/doctest.h>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

TEST_CASE("lessons are known by name") {
  const Json input = {{"scores", {1, 1}}, {"temperature", 1}};
  CHECK(run_lesson("attention_temperature", input).at("weights") == Json({0.5, 0.5}));
  CHECK_ERROR(ErrorCode::invalid_option, "expected one of attention_temperature, attention_by_hand, rope; found",
              run_lesson("gravity", input));
  for (const char* name : {"attention_temperature", "attention_by_hand", "rope"}) {
    CHECK_ERROR(ErrorCode::invalid_option, name, run_lesson(name, Json::array()));
    CHECK_ERROR(ErrorCode::invalid_option, name, run_lesson(name, Json::object()));
  }
}

}  // namespace
}  // namespace vitrine
