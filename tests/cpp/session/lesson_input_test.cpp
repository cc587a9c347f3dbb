#include "session/lesson_input.hpp"

#include <doctest/doctest.h>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

TEST_CASE("a matrix is rows of equally many numbers, and anything else is said with its place") {
  const Json input = {{"m", {{1, 2.5}, {-3, 4}, {5, 6}}},
                      {"ragged", {{1, 2}, {3}}},
                      {"word", {{1, "two"}}},
                      {"large", {{1, 2, 11}}},
                      {"flat", {1, 2}},
                      {"none", Json::array()},
                      {"wide", {{1, 2, 3, 4}}}};
  JsonObjectReader reader(input, "lesson", ErrorCode::invalid_option);
  const LessonLimits limits{3, 10};
  const LessonMatrix matrix = read_lesson_matrix(reader, "m", limits);
  CHECK(matrix.rows == 3);
  CHECK(matrix.columns == 2);
  CHECK(matrix.view()[1][0] == -3.0f);
  CHECK(json_text(lesson_matrix_json(matrix.view())) == "[[1.0,2.5],[-3.0,4.0],[5.0,6.0]]");
  const auto refused = [&](const char* key, const char* words) {
    CHECK_ERROR(ErrorCode::invalid_option, words, read_lesson_matrix(reader, key, limits));
  };
  refused("ragged", "lesson: ragged: expected in row 1 2 numbers as in row 0, not 1");
  refused("word", "lesson: word: expected in row 0 numbers from -10 to 10");
  refused("large", "lesson: large: expected in row 0 numbers from -10 to 10");
  refused("flat", "lesson: flat: expected in row 0 1 to 3 numbers");
  refused("none", "lesson: none: expected 1 to 3 rows");
  refused("wide", "lesson: wide: expected in row 0 1 to 3 numbers");
  refused("absent", "absent");
}

TEST_CASE("a vector has at least one number and at most as many as the limit says") {
  const Json input = {{"v", {0.1, -2}}, {"none", Json::array()}, {"null", {1, nullptr}}, {"long", {1, 2, 3}}};
  JsonObjectReader reader(input, "lesson", ErrorCode::invalid_option);
  CHECK(read_lesson_vector(reader, "v", {2, 10}) == std::vector<float>{0.1f, -2.0f});
  for (const char* key : {"none", "null", "long"}) {
    CHECK_ERROR(ErrorCode::invalid_option, key, read_lesson_vector(reader, key, {2, 10}));
  }
}

}  // namespace
}  // namespace vitrine
