#include "base/check.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "support/expect_error.hpp"

using namespace vitrine;

namespace {
constexpr std::uint64_t kMax = UINT64_MAX;
}  // namespace

TEST_CASE("str writes its arguments one after the other") {
  CHECK(str("expected ", 3, ", found ", 4.5, ' ', true) == "expected 3, found 4.5 1");
  CHECK(str(-7, std::int64_t{INT64_MIN}, ' ', UINT64_MAX, ' ', 0.1f, ' ', 1e9, ' ', 1234567.0) ==
        "-7-9223372036854775808 18446744073709551615 0.1 1e+09 1.23457e+06");
  CHECK(str() == "");
}

TEST_CASE("a quoted string is printable ASCII of bounded length") {
  CHECK(in_quotes("plain") == "\"plain\"");
  CHECK(in_quotes(std::string_view("a\"\\\n\0\xc3\xa9", 7)) == "\"a\\\"\\\\\\x0a\\x00\\xc3\\xa9\"");
  CHECK(in_quotes("abcdef", 3) == "\"abc\"...");
}

TEST_CASE("a check passes in silence and fails with its code and message") {
  CHECK_NOTHROW([] { VITRINE_CHECK(true, ErrorCode::bad_data, "never"); }());
  CHECK_ERROR(ErrorCode::bad_data, "data: expected 3, found 4",
              [] { VITRINE_CHECK(1 + 1 == 3, ErrorCode::bad_data, "data: expected ", 3, ", found ", 4); }());
}

TEST_CASE("a check makes its message only when it fails") {
  int made = 0;
  const auto make = [&made] { return ++made; };
  VITRINE_CHECK(true, ErrorCode::bad_data, make());
  CHECK(made == 0);
}

TEST_CASE("an assertion is an internal error that names its condition and its line") {
  CHECK_ERROR(ErrorCode::internal, "expected 1 > 2", [] { VITRINE_ASSERT(1 > 2); }());
  CHECK_ERROR(ErrorCode::internal, "check_test.cpp:", [] { VITRINE_ASSERT(1 > 2); }());
}

TEST_CASE("sizes from files are multiplied and added exactly or not at all") {
  CHECK(checked_multiply(0, kMax, "x") == 0);
  CHECK(checked_multiply(1, kMax, "x") == kMax);
  CHECK(checked_multiply(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1, "x") == kMax - UINT32_MAX);
  CHECK(checked_add(kMax, 0, "x") == kMax);
  CHECK_ERROR(ErrorCode::out_of_memory, "weights",
              checked_multiply(std::uint64_t{1} << 32, std::uint64_t{1} << 32, "weights"));
  CHECK_ERROR(ErrorCode::out_of_memory, "weights", checked_multiply(2, (std::uint64_t{1} << 63), "weights"));
  CHECK_ERROR(ErrorCode::out_of_memory, "weights", checked_add(kMax, 1, "weights"));
}

TEST_CASE("a size beyond the address space is refused, on 32-bit machines from 2 GiB on") {
  CHECK(checked_size(0, "x") == 0);
  CHECK(checked_size(1U << 30, "x") == 1U << 30);
  CHECK_ERROR(ErrorCode::out_of_memory, "cache", checked_size(kMax, "cache"));
  if (sizeof(std::size_t) == 4)
    CHECK_ERROR(ErrorCode::out_of_memory, "cache", checked_size(std::uint64_t{1} << 32, "cache"));
}
