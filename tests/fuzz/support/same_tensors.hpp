// Whether two sets of tensors are the same bit for bit. Not operator==, for which two NaNs differ and two zeros do not.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "tensor/named_tensors.hpp"

namespace vitrine::fuzz {

/// The bits that a file keeps: writing a half makes a signalling NaN quiet (base/half.hpp).
inline std::uint32_t stored_bits(float number, DType stored_as) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return std::isnan(number) && stored_as != DType::f32 ? bits | 0x400000U : bits;
}

inline bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.name == b.name && a.shape == b.shape && a.stored_as == b.stored_as &&
         std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end(),
                    [&](float x, float y) { return stored_bits(x, a.stored_as) == stored_bits(y, a.stored_as); });
}

inline bool same_tensors(const NamedTensors& a, const NamedTensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && same_tensor(x.second, y.second); });
}

}  // namespace vitrine::fuzz
