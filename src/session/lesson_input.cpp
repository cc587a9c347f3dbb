// One number after another, each rounded to float32 as the model's own are.
#include "session/lesson_input.hpp"

#include <cmath>
#include <string>

#include "base/check.hpp"

namespace vitrine {
namespace {

/// `place` names the numbers in errors: "attention_by_hand: q: row 1".
std::vector<float> lesson_numbers(const Json& json, const std::string& place, const JsonObjectReader& reader,
                                  const LessonLimits& limits) {
  const auto require = [&](bool holds, const auto&... expected) {
    if (!holds) fail(reader.code(), str(place, ": expected ", expected...));
  };
  require(json.is_array(), "1 to ", limits.length, " numbers, found ", described(json));
  require(!json.empty() && json.size() <= limits.length, "1 to ", limits.length, " numbers, found ", json.size());
  std::vector<float> values;
  for (const Json& value : json) {
    require(value.is_number() && std::abs(value.get<double>()) <= limits.magnitude, "numbers from -", limits.magnitude,
            " to ", limits.magnitude, ", found ", described(value), " in column ", values.size());
    values.push_back(static_cast<float>(value.get<double>()));
  }
  return values;
}

}  // namespace

std::vector<float> read_lesson_vector(JsonObjectReader& reader, std::string_view key, const LessonLimits& limits) {
  return lesson_numbers(reader.array(key), str(reader.where(), ": ", key), reader, limits);
}

LessonMatrix read_lesson_matrix(JsonObjectReader& reader, std::string_view key, const LessonLimits& limits) {
  const Json& rows = reader.array(key);
  const std::string place = str(reader.where(), ": ", key);
  VITRINE_CHECK(!rows.empty() && rows.size() <= limits.length, reader.code(), place, ": expected 1 to ", limits.length,
                " rows, found ", rows.size());
  LessonMatrix matrix;
  for (const Json& row : rows) {
    const std::vector<float> values = lesson_numbers(row, str(place, ": row ", matrix.rows), reader, limits);
    if (matrix.rows == 0) matrix.columns = values.size();
    VITRINE_CHECK(values.size() == matrix.columns, reader.code(), place, ": row ", matrix.rows, ": expected ",
                  matrix.columns, " columns as in row 0, found ", values.size());
    matrix.values.insert(matrix.values.end(), values.begin(), values.end());
    ++matrix.rows;
  }
  return matrix;
}

Json lesson_matrix_json(View<const float, 2> matrix) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < matrix.extent(0); ++r) {
    rows.push_back(std::vector<float>(matrix[r].data(), matrix[r].data() + matrix.extent(1)));
  }
  return rows;
}

}  // namespace vitrine
