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

TEST_CASE("temporaries that were left behind are found by their names, and nothing else is touched") {
  const test::TemporaryFolder folder;
  for (const char* name :
       {"f", "f.tmp-12-0", "f.tmp-1-34", "f.tmp-1", "f.tmp-a-1", "f.tmp-1-", "ff.tmp-1-1", "f.tmp-1-1x"}) {
    write_new_file(folder / name, name);
  }
  std::filesystem::create_directory(folder / "f.tmp-5-6");
  write_new_file(folder / "f.tmp-5-6/inside", "x");
  remove_temporaries(folder / "f");
  CHECK(folder.size() == 6);
  for (const char* name : {"f.tmp-12-0", "f.tmp-1-34", "f.tmp-5-6"})
    CHECK_FALSE(std::filesystem::exists(folder / name));
  const std::string temporary = temporary_sibling(folder / "f");
  write_new_file(temporary, "x");
  remove_temporaries(folder / "f");
  CHECK_FALSE(std::filesystem::exists(temporary));
  CHECK_NOTHROW(remove_temporaries(folder / "no/f"));
}

TEST_CASE("what must be a regular file is not waited for when it is none") {
  const test::TemporaryFolder folder;
  write_new_file(folder / "f", "text");
  CHECK(read_regular_file(folder / "f", 4) == "text");
  CHECK_ERROR(ErrorCode::file_unreadable, "f: expected at most 3 bytes", read_regular_file(folder / "f", 3));
  CHECK_ERROR(ErrorCode::file_unreadable, "null: expected a regular file, found a pipe or a device",
              read_regular_file("/dev/null", 9));
  CHECK_ERROR(ErrorCode::file_unreadable, "expected a file, found a folder", read_regular_file(folder / ".", 9));
}

TEST_CASE("what lies in one folder is on one device, and the system's own files are on another") {
  const test::TemporaryFolder folder;
  write_new_file(folder / "f", "");
  CHECK(on_same_device(folder / ".", folder / "f"));
  CHECK_FALSE(on_same_device(folder / "f", "/proc/self/status"));
}

TEST_CASE("a place for a file is tried without touching what is there") {
  const test::TemporaryFolder folder;
  write_new_file(folder / "f", "old");
  std::filesystem::create_directory(folder / "d");
  CHECK_NOTHROW(require_file_place(folder / "f"));
  CHECK_NOTHROW(require_file_place(folder / "new"));
  CHECK_ERROR(ErrorCode::file_unwritable, "d: expected to replace it, found: ", require_file_place(folder / "d"));
  CHECK_ERROR(ErrorCode::file_unwritable, "expected to create it, found: ", require_file_place(folder / "no/f"));
  CHECK(read_file(folder / "f", 9) == "old");
  CHECK(folder.size() == 2);
}
