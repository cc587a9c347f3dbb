// Each tensor draws from a stream of its own, so that a weight depends on the seed and its place alone.
#include "training/initialize.hpp"

#include <cmath>
#include <string_view>

#include "base/rng.hpp"
#include "kernels/scalar_math.hpp"

namespace vitrine {

namespace {

constexpr double kDeviation = 0.02;

bool writes_the_stream(std::string_view name) {
  return name.ends_with("self_attn.o_proj.weight") || name.ends_with("mlp.down_proj.weight");
}

/// Two independent normal numbers from draws 2i and 2i + 1 (Box and Muller 1958); values [n].
void fill_normal(View<float, 1> values, double deviation, std::uint64_t seed, std::uint64_t stream) {
  constexpr double kTwoPi = 6.28318530717958647692;
  const RandomStream random(seed, stream);
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const double radius = std::sqrt(-2.0 * kernels::log_double(1.0 - random.uniform_at(i)));
    const double angle = kTwoPi * random.uniform_at(i + 1);
    values[i] = static_cast<float>(deviation * radius * kernels::cos_double(angle));
    if (i + 1 < values.size()) {
      values[i + 1] = static_cast<float>(deviation * radius * kernels::sin_double(angle));
    }
  }
}

}  // namespace

void initialize(Parameters& parameters, std::size_t n_layers, std::uint64_t seed) {
  const double stream_deviation = kDeviation / std::sqrt(2.0 * static_cast<double>(n_layers));
  std::uint64_t stream = 0;
  for (const NamedParameter& parameter : parameters.named()) {
    if (parameter.shape.size() == 1) {
      for (std::size_t i = 0; i < parameter.values.size(); ++i) parameter.values[i] = 1.0f;
    } else {
      fill_normal(parameter.values, writes_the_stream(parameter.name) ? stream_deviation : kDeviation, seed, stream);
    }
    ++stream;
  }
}

}  // namespace vitrine
