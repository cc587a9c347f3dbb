#include "io/bundle.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>

#include "bundle_parts.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

using namespace vitrine;

namespace {

std::map<std::string, std::string> files_of(const Bundle& bundle) {
  std::map<std::string, std::string> files = {{"manifest.json", write_manifest(bundle.manifest)}};
  for (const ManifestPart& part : bundle.manifest.parts) files[part.file] = bundle.part(part.name);
  return files;
}

void overwrite(const std::string& path, const std::string& bytes) { write_file_atomically(path, bytes); }

}  // namespace

TEST_CASE("a bundle in memory hands out its parts by name") {
  const Bundle bundle = bundle_from_memory(files_of(test::small_bundle()));
  CHECK(bundle.part("weights") == "the weights");
  CHECK(bundle.part("licence") == "");
  CHECK(bundle.bytes_by_part.size() == 6);
  CHECK_ERROR(ErrorCode::bad_manifest, "expected a part baseline", bundle.part("baseline"));
}

TEST_CASE("setting a part again replaces its bytes and its entry") {
  Bundle bundle = test::small_bundle();
  bundle.set_part("weights", "other.safetensors", "new");
  CHECK(bundle.manifest.parts.size() == 6);
  CHECK(bundle.manifest.require("weights").file == "other.safetensors");
  CHECK(bundle_from_memory(files_of(bundle)).part("weights") == "new");
}

TEST_CASE("every part that is absent, cut short, extended or changed in one bit is refused by name") {
  const auto good = files_of(test::small_bundle());
  for (const ManifestPart& part : test::small_bundle().manifest.parts) {
    CAPTURE(part.name);
    const std::string place = str("part ", part.name, " (", part.file, "): expected ");
    auto files = good;
    files.erase(part.file);
    CHECK_ERROR(ErrorCode::part_mismatch, place, bundle_from_memory(files));
    files = good;
    files[part.file] += "x";
    CHECK_ERROR(ErrorCode::part_mismatch, place, bundle_from_memory(files));
    if (part.bytes == 0) continue;
    files = good;
    files[part.file].pop_back();
    CHECK_ERROR(ErrorCode::part_mismatch, place, bundle_from_memory(files));
    files = good;
    files[part.file].back() = static_cast<char>(files[part.file].back() ^ 1);
    CHECK_ERROR(ErrorCode::part_mismatch, place, bundle_from_memory(files));
  }
}

TEST_CASE("files in memory that the manifest does not list are left out, and no manifest is no bundle") {
  auto files = files_of(test::small_bundle());
  files["README.md"] = "hello";
  CHECK(bundle_from_memory(files).bytes_by_part.size() == 6);
  files.erase("manifest.json");
  CHECK_ERROR(ErrorCode::bad_manifest, "bundle: expected a manifest.json, found none among 7 files",
              bundle_from_memory(files));
}

TEST_CASE("a folder that was written is read back, and nothing else is left beside it") {
  const test::TemporaryFolder folder;
  write_bundle_folder(folder / "toy", test::small_bundle());
  CHECK(folder.size() == 1);
  const Bundle bundle = read_bundle_folder(folder / "toy");
  CHECK(files_of(bundle) == files_of(test::small_bundle()));
}

TEST_CASE("a damaged folder is refused by the part that is damaged") {
  const test::TemporaryFolder folder;
  write_bundle_folder(folder / "toy", test::small_bundle());
  overwrite(folder / "toy/model.safetensors", "the weights!");
  CHECK_ERROR(ErrorCode::part_mismatch, "part weights (model.safetensors)", read_bundle_folder(folder / "toy"));
  overwrite(folder / "toy/model.safetensors", "the w");
  CHECK_ERROR(ErrorCode::part_mismatch, "part weights (model.safetensors): expected 11 bytes, found 5",
              read_bundle_folder(folder / "toy"));
  std::filesystem::remove(folder / "toy/model.safetensors");
  CHECK_ERROR(ErrorCode::part_mismatch, "part weights (model.safetensors)", read_bundle_folder(folder / "toy"));
  std::filesystem::remove(folder / "toy/manifest.json");
  CHECK_ERROR(ErrorCode::file_not_found, "toy/manifest.json", read_bundle_folder(folder / "toy"));
  CHECK_ERROR(ErrorCode::file_not_found, "none/manifest.json", read_bundle_folder(folder / "none"));
}

TEST_CASE("replacing a bundle removes the parts of the old one and keeps the files that it did not list") {
  const test::TemporaryFolder folder;
  Bundle old = test::small_bundle("old weights");
  old.set_part("baseline", "ngram.bin", "n-grams");
  write_bundle_folder(folder / "toy", old);
  overwrite(folder / "toy/README.md", "how it was trained");
  write_bundle_folder(folder / "toy/", test::small_bundle());
  CHECK(folder.size() == 1);
  CHECK(read_bundle_folder(folder / "toy").part("weights") == "the weights");
  CHECK(read_file(folder / "toy/README.md", 99) == "how it was trained");
  CHECK_FALSE(std::filesystem::exists(folder / "toy/ngram.bin"));
}

TEST_CASE("a bundle that is damaged can be replaced, as long as its manifest calls itself one") {
  const test::TemporaryFolder folder;
  write_bundle_folder(folder / "toy", test::small_bundle());
  const std::string manifest = read_file(folder / "toy/manifest.json", 1 << 20);
  overwrite(folder / "toy/manifest.json", manifest.substr(0, 100));
  write_bundle_folder(folder / "toy", test::small_bundle());
  CHECK(read_bundle_folder(folder / "toy").part("weights") == "the weights");
  for (const std::string foreign : {"{", "{\"name\": \"a web app\", \"icons\": []}"}) {
    overwrite(folder / "toy/manifest.json", foreign);
    CHECK_ERROR(ErrorCode::file_unwritable, "found: a manifest.json of something else",
                write_bundle_folder(folder / "toy", test::small_bundle()));
    CHECK(read_file(folder / "toy/manifest.json", 99) == foreign);
  }
}

TEST_CASE("a place that is refused is refused beforehand too, and asking leaves nothing behind") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "home");
  overwrite(folder / "home/letter.txt", "dear");
  std::filesystem::create_directory(folder / "empty");
  write_bundle_folder(folder / "toy", test::small_bundle());
  for (const char* good : {"new", "new/", "empty", "toy", "toy/"}) CHECK_NOTHROW(require_bundle_place(folder / good));
  for (const char* bad : {"home", "home/letter.txt", "home/letter.txt/x", "no/parent", ".", "toy/..", "toy/."}) {
    CAPTURE(bad);
    CHECK_ERROR(ErrorCode::file_unwritable, "expected ", require_bundle_place(folder / bad));
    CHECK_ERROR(ErrorCode::file_unwritable, "expected ", write_bundle_folder(folder / bad, test::small_bundle()));
  }
  CHECK_ERROR(ErrorCode::file_unwritable, "", require_bundle_place(""));
  CHECK(folder.size() == 3);
  CHECK(read_bundle_folder(folder / "toy").part("weights") == "the weights");
}

TEST_CASE("a link is followed: the folder behind it becomes the bundle, with what it held beside") {
  const test::TemporaryFolder folder;
  write_bundle_folder(folder / "real", test::small_bundle("old weights"));
  overwrite(folder / "real/README.md", "mine");
  std::filesystem::create_directory_symlink("real", folder / "link");
  std::filesystem::create_directory_symlink("nowhere", folder / "dangling");
  write_bundle_folder(folder / "link", test::small_bundle());
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_bundle_folder(folder / "real").part("weights") == "the weights");
  CHECK(read_file(folder / "real/README.md", 9) == "mine");
  CHECK_ERROR(ErrorCode::file_unwritable, "dangling: expected to follow the link to",
              write_bundle_folder(folder / "dangling", test::small_bundle()));
  CHECK(folder.size() == 3);
}

TEST_CASE("what interrupted writers left beside a bundle goes when the next one has arrived") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "toy.tmp-12-3");
  overwrite(folder / "toy.tmp-12-3/model.safetensors", "half");
  overwrite(folder / "toy.tmp-mine", "not a temporary");
  write_bundle_folder(folder / "toy", test::small_bundle());
  CHECK(folder.size() == 2);
  CHECK(std::filesystem::exists(folder / "toy.tmp-mine"));
}

TEST_CASE("a folder with other files, a file, or no parent is left alone") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "home");
  overwrite(folder / "home/letter.txt", "dear");
  CHECK_ERROR(ErrorCode::file_unwritable,
              "home: expected no folder, an empty one or a bundle, found: a folder with 1 other files",
              write_bundle_folder(folder / "home", test::small_bundle()));
  CHECK(read_file(folder / "home/letter.txt", 9) == "dear");
  CHECK_ERROR(ErrorCode::file_unwritable, "letter.txt: expected to list this folder",
              write_bundle_folder(folder / "home/letter.txt", test::small_bundle()));
  CHECK_ERROR(ErrorCode::file_unwritable, "", write_bundle_folder(folder / "no/parent", test::small_bundle()));
  CHECK(folder.size() == 1);
}

TEST_CASE("an empty folder becomes the bundle") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "toy");
  write_bundle_folder(folder / "toy", test::small_bundle());
  CHECK(read_bundle_folder(folder / "toy").part("weights") == "the weights");
}

TEST_CASE("a bundle that is not whole is not written and what was there stays") {
  const test::TemporaryFolder folder;
  write_bundle_folder(folder / "toy", test::small_bundle());
  Bundle broken = test::small_bundle("new weights");
  broken.bytes_by_part["weights"] = "changed after hashing";
  CHECK_ERROR(ErrorCode::part_mismatch, "part weights", write_bundle_folder(folder / "toy", broken));
  broken.bytes_by_part.erase("weights");
  CHECK_ERROR(ErrorCode::bad_manifest, "expected a part weights", write_bundle_folder(folder / "toy", broken));
  CHECK(read_bundle_folder(folder / "toy").part("weights") == "the weights");
  CHECK(folder.size() == 1);
}
