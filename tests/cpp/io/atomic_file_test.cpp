#include "io/atomic_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

using namespace vitrine;

TEST_CASE("what is written is read back byte for byte, NUL bytes and nothing at all included") {
  const test::TemporaryFolder folder;
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
  for (const std::string& bytes : {std::string(), every_byte, std::string(1'000'003, 'x')}) {
    write_file_atomically(folder / "f", bytes);
    CHECK(read_file(folder / "f", 2'000'000) == bytes);
  }
  CHECK(folder.size() == 1);
}

TEST_CASE("a file of exactly the limit is read and one byte more is refused") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "f", "12345");
  CHECK(read_file(folder / "f", 5) == "12345");
  CHECK_ERROR(ErrorCode::file_unreadable, "f: expected at most 4 bytes, found 5", read_file(folder / "f", 4));
}

TEST_CASE("absence, a folder and a file on the way are told apart") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "f", "x");
  CHECK_ERROR(ErrorCode::file_not_found, "absent: expected a readable file", read_file(folder / "absent", 9));
  CHECK_ERROR(ErrorCode::file_not_found, "f/g: expected a readable file", read_file(folder / "f/g", 9));
  CHECK_ERROR(ErrorCode::file_not_found, "", read_file("", 9));
  std::filesystem::create_directory(folder / "d");
  CHECK_ERROR(ErrorCode::file_unreadable, "d: expected a file, found a folder", read_file(folder / "d", 9));
}

TEST_CASE("a write that fails leaves the old content and no temporary") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "d");
  write_file_atomically(folder / "d/keep", "old");
  CHECK_ERROR(ErrorCode::file_unwritable,
              "d: expected to replace it, found: ", write_file_atomically(folder / "d", "new"));
  CHECK(read_file(folder / "d/keep", 9) == "old");
  CHECK(folder.size() == 1);
  CHECK_ERROR(ErrorCode::file_unwritable, "expected to create it", write_file_atomically(folder / "no/f", "x"));
}

TEST_CASE("a new file does not replace one that exists") {
  const test::TemporaryFolder folder;
  write_new_file(folder / "f", "old");
  CHECK_ERROR(ErrorCode::file_unwritable, "f: expected to create it", write_new_file(folder / "f", "new"));
  CHECK(read_file(folder / "f", 9) == "old");
}

TEST_CASE("temporary names stand beside the path, are new each time, and are not in use") {
  const test::TemporaryFolder folder;
  const std::string first = temporary_sibling(folder / "f");
  CHECK(first.starts_with(folder / "f.tmp-"));
  CHECK(temporary_sibling(folder / "f") != first);
  CHECK(temporary_sibling(folder / "d/").starts_with(folder / "d.tmp-"));
}
