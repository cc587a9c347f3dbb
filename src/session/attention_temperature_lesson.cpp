// The softmax kernel with a temperature, its double twin beside it, and how far rounding can take the two apart.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/reference/softmax.hpp"
#include "kernels/scalar_math.hpp"
#include "kernels/softmax.hpp"
#include "session/lesson_input.hpp"
#include "session/lessons.hpp"
#include "session/rounding.hpp"

namespace vitrine {
namespace {

double entropy_bits(const std::vector<float>& weights) {
  double nats = 0;
  for (const float weight : weights) {
    const double p = static_cast<double>(weight);
    if (p > 0) nats -= p * kernels::log_double(p);
  }
  return nats / kernels::log_double(2.0);
}

}  // namespace

Json attention_temperature_lesson(const Json& input) {
  JsonObjectReader reader(input, "attention_temperature", ErrorCode::invalid_option);
  const std::vector<float> scores = read_lesson_vector(reader, "scores", {64, 1000});
  const float temperature = static_cast<float>(reader.number("temperature", 0.01, 100));
  reader.finish();
  const std::size_t n = scores.size();
  std::vector<float> weights(n);
  std::vector<double> reference(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = scores[i] / temperature;
    reference[i] = static_cast<double>(scores[i]) / static_cast<double>(temperature);
    largest = std::max(largest, std::abs(reference[i]));
  }
  kernels::softmax(weights.data(), weights.data(), n);
  reference::softmax(reference.data(), reference.data(), n);
  // Each quotient is rounded: u |x|.
  const double tolerance = softmax_tolerance(largest, largest * kHalfUlp, n);
  return {{"weights", weights},
          {"reference", reference},
          {"entropy_bits", entropy_bits(weights)},
          {"max_difference", max_difference(weights, reference)},
          {"tolerance", tolerance}};
}

}  // namespace vitrine
