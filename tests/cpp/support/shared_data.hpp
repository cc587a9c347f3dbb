// Finds the shared test data: models, vocabularies and texts that are not part of the repository.
// Not a fixture: a test that needs a file which is absent says so and returns.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace vitrine::test {

/// The folder that VITRINE_SHARED_DATA names, else ../shared/data beside the project.
inline std::string shared_data_folder() {
  const char* folder = std::getenv("VITRINE_SHARED_DATA");
  return folder != nullptr ? folder : "../shared/data";
}

/// The bytes of a file of the shared data, or nothing (and a message) if it is not there.
inline std::optional<std::string> read_shared_data(const std::string& name) {
  std::ifstream file(shared_data_folder() + "/" + name, std::ios::binary);
  if (!file) {
    MESSAGE("skipped: no ", name, " in ", shared_data_folder());
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace vitrine::test
