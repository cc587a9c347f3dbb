// A folder of its own for one test, gone when the test ends.
// For files that a test writes; what tests only read lies in ../shared/data (shared_data.hpp).
#pragma once

#include <filesystem>
#include <iterator>
#include <string>

#include "base/check.hpp"
#include "io/atomic_file.hpp"

namespace vitrine::test {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(temporary_sibling((std::filesystem::temp_directory_path() / "vitrine-test").string())) {
    std::filesystem::create_directory(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The path of a file in the folder.
  std::string operator/(const std::string& name) const { return str(path_, "/", name); }

  /// How many files and folders are in it: 1 after a write that left no temporary behind.
  std::size_t size() const {
    const std::filesystem::directory_iterator entries(path_);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

 private:
  std::string path_;
};

}  // namespace vitrine::test
