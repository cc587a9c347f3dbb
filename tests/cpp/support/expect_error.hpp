// CHECK_ERROR: that an expression throws vitrine::Error with a code and with words in its message.
// A wrong code, a message that does not name the fault, and no error at all each fail with what was found.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "base/check.hpp"

namespace vitrine::test {

/// "" if `action` throws Error(code, a message that contains `words`); otherwise what it did instead.
template <class Action>
std::string other_than_error(ErrorCode code, const std::string& words, Action action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.code() == code && error.message().find(words) != std::string::npos) return "";
    return str(error_name(error.code()), ": ", error.message());
  }
  return "no error";
}

}  // namespace vitrine::test

#define CHECK_ERROR(code, words, ...) \
  CHECK(::vitrine::test::other_than_error((code), (words), [&] { static_cast<void>(__VA_ARGS__); }) == "")
