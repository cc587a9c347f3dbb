// Reading verifies before anything is handed on; writing is one rename of a folder that is already whole.
#include "io/bundle.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "base/sha256.hpp"
#include "io/atomic_file.hpp"

namespace vitrine {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 20;

[[noreturn]] void refuse_folder(const std::string& path, const std::string& expected, const std::string& found) {
  fail(ErrorCode::file_unwritable, str(path, ": expected ", expected, ", found: ", found));
}

void require_no_error(const std::error_code& error, const std::string& path, const char* action) {
  if (error) refuse_folder(path, str("to ", action, " this folder"), error.message());
}

std::string part_place(const Manifest& manifest, const ManifestPart& part) {
  return str("bundle ", in_quotes(manifest.name), ": part ", part.name, " (", part.file, ")");
}

/// The names in a folder, or nothing if it does not exist.
std::set<std::string> names_in(const std::string& path) {
  std::error_code error;
  std::set<std::string> names;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    names.insert(entry->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) require_no_error(error, path, "list");
  return names;
}

/// What is in the folder at `path` now and belongs to no bundle, so that it must survive a replacement.
std::set<std::string> unlisted_files(const std::string& path, const Manifest& replacement) {
  std::set<std::string> names = names_in(path);
  if (names.empty()) return names;
  if (names.erase(std::string(kManifestFile)) == 0) {
    refuse_folder(path, "no folder, an empty one or a bundle", str("a folder with ", names.size(), " other files"));
  }
  const auto forget = [&](const Manifest& manifest) {
    for (const ManifestPart& part : manifest.parts) names.erase(part.file);
  };
  forget(replacement);
  try {
    forget(parse_manifest(read_file(str(path, "/", kManifestFile), kMaxManifestBytes)));
  } catch (const Error&) {
    return names;  // a damaged bundle is replaced too; its files are then clutter, but nobody's loss
  }
  return names;
}

void write_files(const std::string& folder, const Bundle& bundle) {
  for (const ManifestPart& part : bundle.manifest.parts) {
    write_new_file(str(folder, "/", part.file), bundle.part(part.name));
  }
  write_new_file(str(folder, "/", kManifestFile), write_manifest(bundle.manifest));
  sync_folder(folder);
}

/// Puts the whole folder `temporary` in the place of `path`. A folder cannot replace another in one call, so the old
/// one steps aside first, and returns if the second rename fails.
void swap_in(const std::string& temporary, const std::string& path, const std::set<std::string>& unlisted) {
  std::error_code error;
  const bool replaces = fs::exists(path, error);
  const std::string aside = temporary_sibling(path);
  if (replaces) {
    fs::rename(path, aside, error);
    require_no_error(error, path, "replace");
  }
  fs::rename(temporary, path, error);
  if (error) {
    std::error_code ignored;
    if (replaces) fs::rename(aside, path, ignored);
    require_no_error(error, path, "create");
  }
  if (!replaces) return;
  for (const std::string& name : unlisted) {
    fs::rename(aside + "/" + name, path + "/" + name, error);
    require_no_error(error, path, "keep the other files of");
  }
  fs::remove_all(aside, error);
}

}  // namespace

const std::string& Bundle::part(std::string_view name) const {
  const auto place = bytes_by_part.find(std::string(name));
  VITRINE_CHECK(place != bytes_by_part.end(), ErrorCode::bad_manifest, "bundle ", in_quotes(manifest.name),
                ": expected a part ", name, ", found none of that name");
  return place->second;
}

void Bundle::set_part(const std::string& name, const std::string& file, std::string bytes) {
  ManifestPart entry{name, file, bytes.size(), sha256_hex(bytes)};
  const auto place = std::find_if(manifest.parts.begin(), manifest.parts.end(),
                                  [&](const ManifestPart& part) { return part.name == name; });
  if (place == manifest.parts.end()) {
    manifest.parts.push_back(std::move(entry));
  } else {
    *place = std::move(entry);
  }
  bytes_by_part[name] = std::move(bytes);
}

Bundle bundle_from_memory(std::map<std::string, std::string> bytes_by_file) {
  const auto manifest_bytes = bytes_by_file.find(std::string(kManifestFile));
  VITRINE_CHECK(manifest_bytes != bytes_by_file.end(), ErrorCode::bad_manifest, "bundle: expected a ", kManifestFile,
                ", found none among ", bytes_by_file.size(), " files");
  Bundle bundle;
  bundle.manifest = parse_manifest(manifest_bytes->second);
  for (const ManifestPart& part : bundle.manifest.parts) {
    const auto bytes = bytes_by_file.find(part.file);
    VITRINE_CHECK(bytes != bytes_by_file.end(), ErrorCode::part_mismatch, part_place(bundle.manifest, part),
                  ": expected ", part.bytes, " bytes, found no such file");
    verify_part(bundle.manifest, part.name, bytes->second);
    bundle.bytes_by_part.emplace(part.name, std::move(bytes->second));
  }
  return bundle;
}

Bundle read_bundle_folder(const std::string& path) {
  Bundle bundle;
  bundle.manifest = parse_manifest(read_file(str(path, "/", kManifestFile), kMaxManifestBytes));
  for (const ManifestPart& part : bundle.manifest.parts) {
    std::string bytes;
    try {
      bytes = read_file(str(path, "/", part.file), part.bytes);
    } catch (const Error& error) {
      fail(ErrorCode::part_mismatch, str(part_place(bundle.manifest, part), ": ", error.message()));
    }
    verify_part(bundle.manifest, part.name, bytes);
    bundle.bytes_by_part.emplace(part.name, std::move(bytes));
  }
  return bundle;
}

void write_bundle_folder(const std::string& folder, const Bundle& bundle) {
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();  // renaming is by name, and "a/" has none
  write_manifest(bundle.manifest);
  for (const ManifestPart& part : bundle.manifest.parts)
    verify_part(bundle.manifest, part.name, bundle.part(part.name));
  const std::set<std::string> unlisted = unlisted_files(path, bundle.manifest);
  const std::string temporary = temporary_sibling(path);
  std::error_code error;
  fs::create_directory(temporary, error);
  require_no_error(error, temporary, "create");
  try {
    write_files(temporary, bundle);
    swap_in(temporary, path, unlisted);
  } catch (...) {
    fs::remove_all(temporary, error);
    throw;
  }
  sync_folder((fs::path(path).parent_path() / ".").string());
}

}  // namespace vitrine
