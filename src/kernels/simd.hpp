// The one door to xsimd: the vector type, its lane count, and loads and stores of part of a vector.
// No arithmetic lives here, and nothing else in the library names an instruction set.
//
// A kernel may use + - * / sqrt, comparisons, select and bit casts of Vec: each is one correctly rounded operation
// a lane, so every machine computes the same bits. It must not use xsimd's fma, reduce_add, rsqrt, reciprocal, min,
// max, exp or other functions: their rounding or their order differs from one machine to the next.
#pragma once

#define XSIMD_WITH_EMULATED 1

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

namespace vitrine::kernels {

using std::size_t;

/// The widest instruction set that the compiler flags allow.
using DefaultArch = xsimd::default_arch;

/// Vectors of `Bits` bits in plain C++: the machine that every other one must agree with.
template <size_t Bits>
using EmulatedArch = xsimd::emulated<Bits>;

template <class Arch = DefaultArch>
using Vec = xsimd::batch<float, Arch>;

template <class Arch = DefaultArch>
using IntVec = xsimd::batch<std::int32_t, Arch>;

template <class Arch = DefaultArch>
inline constexpr size_t kLanes = Vec<Arch>::size;

/// Reductions keep this many virtual accumulators on every machine: element i belongs to number i % kAccumulators.
inline constexpr size_t kAccumulators = 16;

static_assert(kAccumulators % kLanes<DefaultArch> == 0, "a vector may not be wider than the virtual accumulators");

template <class Arch>
inline Vec<Arch> load(const float* from) noexcept {
  return Vec<Arch>::load_unaligned(from);
}

template <class Arch>
inline void store(float* to, Vec<Arch> value) noexcept {
  value.store_unaligned(to);
}

/// The first `count` < kLanes floats at `from`, then zeros; reads nothing beyond them.
template <class Arch>
inline Vec<Arch> load_partial(const float* from, size_t count) noexcept {
  alignas(64) float lanes[kLanes<Arch>] = {};
  for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return Vec<Arch>::load_aligned(lanes);
}

/// Writes the first `count` < kLanes lanes; touches nothing beyond them.
template <class Arch>
inline void store_partial(float* to, Vec<Arch> value, size_t count) noexcept {
  alignas(64) float lanes[kLanes<Arch>];
  value.store_aligned(lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
}

}  // namespace vitrine::kernels
