// The one door to xsimd: the vector type, its lane count, loads and stores of part of a vector, and the two operations
// that xsimd approximates on some machines. Nothing else in the library names an instruction set.
//
// A kernel may use + - *, quotient and square_root, comparisons, select and bit casts of Vec: each is one correctly
// rounded operation a lane, so every machine computes the same bits. It must not use xsimd's /, sqrt, fma, reduce_add,
// rsqrt, reciprocal, min, max, exp or other functions: their rounding or their order differs from one machine to the
// next.
#pragma once

#define XSIMD_WITH_EMULATED 1

#include <cstddef>
#include <cstdint>
#include <type_traits>
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
using BitVec = xsimd::batch<std::uint32_t, Arch>;

template <class Arch = DefaultArch>
inline constexpr size_t kLanes = Vec<Arch>::size;

/// Reductions keep this many virtual accumulators on every machine: element i belongs to number i % kAccumulators.
inline constexpr size_t kAccumulators = 16;

static_assert(!std::is_same_v<DefaultArch, xsimd::neon>, "NEON of 32-bit ARM has no exact division");
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

/// a / b in each lane, correctly rounded: xsimd's own on NEON multiplies by a reciprocal that it estimates.
template <class Arch>
inline Vec<Arch> quotient(Vec<Arch> a, Vec<Arch> b) noexcept {
#if XSIMD_WITH_NEON64
  if constexpr (std::is_base_of_v<xsimd::neon64, Arch>) return Vec<Arch>(vdivq_f32(a, b));
#endif
  return a / b;
}

/// The square root in each lane, correctly rounded: xsimd's own on NEON is estimated, too.
template <class Arch>
inline Vec<Arch> square_root(Vec<Arch> x) noexcept {
#if XSIMD_WITH_NEON64
  if constexpr (std::is_base_of_v<xsimd::neon64, Arch>) return Vec<Arch>(vsqrtq_f32(x));
#endif
  return xsimd::sqrt(x);
}

}  // namespace vitrine::kernels
