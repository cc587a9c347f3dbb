// Numbers of a lesson's input: vectors and matrices from JSON, bounded and rectangular, or an error that says what was
// expected and where. It computes nothing.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tensor/view.hpp"

namespace vitrine {

struct LessonMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  ///< [rows, columns]

  View<const float, 2> view() const { return {values.data(), {rows, columns}}; }
};

struct LessonLimits {
  std::size_t length = 0;  ///< numbers of a vector, rows and columns of a matrix: 1 to this
  double magnitude = 0;    ///< of a number, at most
};

/// Throws the reader's code.
std::vector<float> read_lesson_vector(JsonObjectReader& reader, std::string_view key, const LessonLimits& limits);
LessonMatrix read_lesson_matrix(JsonObjectReader& reader, std::string_view key, const LessonLimits& limits);

Json lesson_matrix_json(View<const float, 2> matrix);

}  // namespace vitrine
