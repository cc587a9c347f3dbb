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
  refused("ragged", "lesson: ragged: row 1: expected 2 columns as in row 0, found 1");
  refused("word", "lesson: word: row 0: expected numbers from -10 to 10, found \"two\" in column 1");
  refused("large", "lesson: large: row 0: expected numbers from -10 to 10, found 11 in column 2");
  refused("flat", "lesson: flat: row 0: expected 1 to 3 numbers, found 1");
  refused("none", "lesson: none: expected 1 to 3 rows, found 0");
  refused("wide", "lesson: wide: row 0: expected 1 to 3 numbers, found 4");
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
