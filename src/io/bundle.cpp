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

/// Whether a manifest is one of ours, however damaged: another's must never be replaced.
bool is_bundle_manifest(const std::string& path) {
  try {
    return read_regular_file(path, kMaxManifestBytes).find(in_quotes(kBundleFormat)) != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

/// The path of the folder itself: a link would be renamed in its place, and "a/" has no name.
std::string folder_path(const std::string& path) {
  std::error_code error;
  std::string folder = path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (fs::is_symlink(folder, error)) {
    folder = fs::canonical(folder, error).string();
    require_no_error(error, path, "follow the link to");
  }
  const std::string name = fs::path(folder).filename().string();
  if (name.empty() || name == "." || name == "..") refuse_folder(path, "a folder with a name of its own", "none");
  return folder;
}

/// The names in a folder that may become a bundle; none if it does not exist.
std::set<std::string> names_in_place(const std::string& folder) {
  std::set<std::string> names = names_in(folder);
  if (names.empty()) return names;
  if (!names.contains(std::string(kManifestFile))) {
    refuse_folder(folder, "no folder, an empty one or a bundle", str("a folder with ", names.size(), " other files"));
  }
  if (!is_bundle_manifest(str(folder, "/", kManifestFile))) {
    refuse_folder(folder, "no folder, an empty one or a bundle", str("a ", kManifestFile, " of something else"));
  }
  return names;
}

/// What is in the folder now and belongs to no bundle, so that it must survive a replacement.
std::set<std::string> unlisted_files(const std::string& folder, const Manifest& replacement) {
  std::set<std::string> names = names_in_place(folder);
  names.erase(std::string(kManifestFile));
  const auto forget = [&](const Manifest& manifest) {
    for (const ManifestPart& part : manifest.parts) names.erase(part.file);
  };
  forget(replacement);
  try {
    forget(parse_manifest(read_regular_file(str(folder, "/", kManifestFile), kMaxManifestBytes)));
  } catch (const Error&) {
    return names;  // of a damaged bundle; its files are then clutter, but nobody's loss
  }
  return names;
}

/// A new folder beside `folder`, on the same file system, so that one can be renamed to the other.
std::string make_temporary_folder(const std::string& folder) {
  std::error_code error;
  std::string temporary = temporary_sibling(folder);
  fs::create_directory(temporary, error);
  require_no_error(error, temporary, "create");
  return temporary;
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
  bundle.manifest = parse_manifest(read_regular_file(str(path, "/", kManifestFile), kMaxManifestBytes));
  for (const ManifestPart& part : bundle.manifest.parts) {
    std::string bytes;
    try {
      bytes = read_regular_file(str(path, "/", part.file), part.bytes);
    } catch (const Error& error) {
      fail(ErrorCode::part_mismatch, str(part_place(bundle.manifest, part), ": ", error.message()));
    }
    verify_part(bundle.manifest, part.name, bytes);
    bundle.bytes_by_part.emplace(part.name, std::move(bytes));
  }
  return bundle;
}

void require_bundle_place(const std::string& path) {
  const std::string folder = folder_path(path);
  names_in_place(folder);
  const std::string temporary = make_temporary_folder(folder);
  std::error_code ignored;
  const bool mounted = fs::exists(folder, ignored) && !on_same_device(folder, temporary);
  fs::remove(temporary, ignored);
  if (mounted) refuse_folder(path, "a folder that can be replaced", "a file system that is mounted there");
}

void write_bundle_folder(const std::string& path, const Bundle& bundle) {
  const std::string folder = folder_path(path);
  write_manifest(bundle.manifest);
  for (const ManifestPart& part : bundle.manifest.parts)
    verify_part(bundle.manifest, part.name, bundle.part(part.name));
  const std::set<std::string> unlisted = unlisted_files(folder, bundle.manifest);
  const std::string temporary = make_temporary_folder(folder);
  try {
    write_files(temporary, bundle);
    swap_in(temporary, folder, unlisted);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw;
  }
  remove_temporaries(folder);
  sync_folder((fs::path(folder).parent_path() / ".").string());
}

}  // namespace vitrine
