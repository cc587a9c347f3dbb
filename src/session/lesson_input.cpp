// One number after another, each rounded to float32 as the model's own are.
#include "session/lesson_input.hpp"

#include <cmath>
#include <string>

#include "base/check.hpp"

namespace vitrine {
namespace {

std::vector<float> lesson_numbers(const Json& json, const JsonObjectReader& reader, std::string_view key,
                                  const std::string& place, const LessonLimits& limits) {
  if (!json.is_array() || json.empty() || json.size() > limits.length) {
    reader.refuse(key, str(place, "1 to ", limits.length, " numbers"));
  }
  std::vector<float> values;
  for (const Json& value : json) {
    const bool in_range = value.is_number() && std::abs(value.get<double>()) <= limits.magnitude;
    if (!in_range) {
      reader.refuse(key, str(place, "numbers from -", limits.magnitude, " to ", limits.magnitude));
    }
    values.push_back(static_cast<float>(value.get<double>()));
  }
  return values;
}

}  // namespace

std::vector<float> read_lesson_vector(JsonObjectReader& reader, std::string_view key, const LessonLimits& limits) {
  return lesson_numbers(reader.array(key), reader, key, "", limits);
}

LessonMatrix read_lesson_matrix(JsonObjectReader& reader, std::string_view key, const LessonLimits& limits) {
  const Json& rows = reader.array(key);
  if (rows.empty() || rows.size() > limits.length) reader.refuse(key, str("1 to ", limits.length, " rows"));
  LessonMatrix matrix;
  for (const Json& row : rows) {
    const std::vector<float> values = lesson_numbers(row, reader, key, str("in row ", matrix.rows, " "), limits);
    if (matrix.rows > 0 && values.size() != matrix.columns) {
      reader.refuse(key, str("in row ", matrix.rows, " ", matrix.columns, " numbers as in row 0, not ", values.size()));
    }
    matrix.columns = values.size();
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
