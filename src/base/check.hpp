// Two kinds of check: VITRINE_CHECK for what comes from outside (always on), VITRINE_ASSERT for our own
// mistakes (debug and test builds), and str() and in_quotes() to write their messages. Not a logging facility.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"

namespace vitrine {

// One argument of str(). No stream is behind it: the standard ones bring the locales of the world into a wasm module.
void append_text(std::string& out, std::string_view text);
void append_text(std::string& out, char character);
void append_text(std::string& out, double number);  ///< with six digits, as %g
void append_integer(std::string& out, std::int64_t number);
void append_integer(std::string& out, std::uint64_t number);
template <std::integral Integer>
void append_text(std::string& out, Integer number) {
  using Wide = std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>;
  append_integer(out, static_cast<Wide>(number));
}

/// Writes its arguments one after the other: str("expected ", 3, ", found ", 4).
template <class... Args>
std::string str(const Args&... args) {
  std::string out;
  (append_text(out, args), ...);
  return out;
}

/// A text from outside for an error message: in quotes, ASCII alone, cut after `max_length` bytes.
std::string in_quotes(std::string_view text, std::size_t max_length = 80);

[[noreturn]] inline void fail(ErrorCode code, std::string message) { throw Error(code, std::move(message)); }

/// a * b and a + b in 64 bits, or an out_of_memory error that names `what`: sizes from files never wrap.
inline std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b, const char* what) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    fail(ErrorCode::out_of_memory, str(what, ": ", a, " x ", b, " does not fit in 64 bits"));
  }
  return product;
}

inline std::uint64_t checked_add(std::uint64_t a, std::uint64_t b, const char* what) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    fail(ErrorCode::out_of_memory, str(what, ": ", a, " + ", b, " does not fit in 64 bits"));
  }
  return sum;
}

/// A 64-bit size as a std::size_t, or an out_of_memory error (wasm32 has 32-bit sizes).
inline std::size_t checked_size(std::uint64_t size, const char* what) {
  if (size > std::numeric_limits<std::size_t>::max() / 2) {
    fail(ErrorCode::out_of_memory, str(what, ": ", size, " bytes cannot be addressed on this machine"));
  }
  return static_cast<std::size_t>(size);
}

}  // namespace vitrine

/// Throws Error(code, str(...)) unless the condition holds. For files, texts, options, token ids.
#define VITRINE_CHECK(condition, code, ...)                 \
  do {                                                      \
    if (!(condition)) [[unlikely]] {                        \
      ::vitrine::fail((code), ::vitrine::str(__VA_ARGS__)); \
    }                                                       \
  } while (false)

/// Throws Error(internal) when one of our own promises is broken. Off where NDEBUG is set without
/// VITRINE_ASSERTIONS (release builds); on in debug and test builds.
#if defined(VITRINE_ASSERTIONS) || !defined(NDEBUG)
#define VITRINE_ASSERT(condition)                                                         \
  do {                                                                                    \
    if (!(condition)) [[unlikely]] {                                                      \
      ::vitrine::fail(::vitrine::ErrorCode::internal,                                     \
                      ::vitrine::str(__FILE__, ":", __LINE__, ": expected " #condition)); \
    }                                                                                     \
  } while (false)
#else
#define VITRINE_ASSERT(condition) static_cast<void>(false && (condition))  // compiled, so that it stays true, never run
#endif
