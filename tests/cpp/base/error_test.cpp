#include "base/error.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/check.hpp"

using namespace vitrine;

TEST_CASE("the table of error codes stands in the order of the enum, so that a code finds its own name") {
  REQUIRE(kErrorCodes.size() == static_cast<std::size_t>(ErrorCode::internal) + 1);
  for (std::size_t i = 0; i < kErrorCodes.size(); ++i) CHECK(static_cast<std::size_t>(kErrorCodes[i].code) == i);
  CHECK(error_name(ErrorCode::invalid_option) == "invalid_option");
  CHECK(error_name(ErrorCode::part_mismatch) == "part_mismatch");
  CHECK(error_name(ErrorCode::internal) == "internal");
}

TEST_CASE("every error code has a name of its own and one sentence") {
  std::set<std::string_view> names;
  for (const ErrorCodeEntry& entry : kErrorCodes) {
    CAPTURE(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(entry.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
    CHECK(entry.meaning.ends_with('.'));
    CHECK(entry.meaning.size() <= 110);
  }
}

TEST_CASE("docs/errors.md lists exactly the error codes of the library, with their sentences") {
  std::ifstream file("docs/errors.md");
  REQUIRE_MESSAGE(file.good(), "run from the project's root");
  std::string expected;
  for (const ErrorCodeEntry& entry : kErrorCodes) expected += str("| `", entry.name, "` | ", entry.meaning, " |\n");
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `")) found += line + "\n";
  }
  CHECK(found == expected);
}

TEST_CASE("an error carries its code and its message, also through the standard exception type") {
  const Error error(ErrorCode::bad_config, "config.json: n_heads: expected 4, found 5");
  CHECK(error.code() == ErrorCode::bad_config);
  CHECK(error.message() == "config.json: n_heads: expected 4, found 5");
  const std::exception& base = error;
  CHECK(std::string(base.what()) == error.message());
}
