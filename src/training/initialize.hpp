// Random initial weights, the same for a seed on every machine. It trains nothing.
#pragma once

#include <cstdint>

#include "model/parameters.hpp"

namespace vitrine {

/// Matrices are normal with deviation 0.02, the two projections that write the residual stream with 0.02 / sqrt(2 L)
/// (Radford et al. 2019); norm gains are 1.
void initialize(Parameters& parameters, std::size_t n_layers, std::uint64_t seed);

}  // namespace vitrine
