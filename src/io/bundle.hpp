// A bundle: the manifest and the bytes of every part, all verified, from a folder or from memory.
// Not a model: session reads the parts, builds one, and runs the manifest's self-test.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "io/manifest.hpp"

namespace vitrine {

struct Bundle {
  Manifest manifest;
  std::map<std::string, std::string> bytes_by_part;  ///< "weights" -> the bytes of model.safetensors

  /// The bytes of a part; throws bad_manifest if the bundle has none of that name.
  const std::string& part(std::string_view name) const;

  /// Adds a part, or replaces the one of that name, and enters its file, size and hash in the manifest.
  void set_part(const std::string& name, const std::string& file, std::string bytes);
};

/// From the bytes of files by file name, manifest.json among them; files that the manifest does not list are left out.
/// Throws what parse_manifest and verify_part throw, and part_mismatch for a part whose file is not there.
Bundle bundle_from_memory(std::map<std::string, std::string> bytes_by_file);

/// From a folder; reads only what its manifest lists. Throws file_not_found if there is no manifest, then as above.
Bundle read_bundle_folder(const std::string& path);

/// Throws file_unwritable for a place where write_bundle_folder could not put a bundle; for programs that work long
/// before they have one. A bundle's place is a folder that does not exist yet, is empty, or holds a bundle, damaged
/// ones included: a manifest.json that does not call itself "vitrine-bundle" is somebody else's. A symbolic link stands
/// for the folder that it leads to.
void require_bundle_place(const std::string& path);

/// Writes a folder as a whole: every file goes into a temporary folder beside it, is flushed to the disk, and the
/// folder is renamed. An older bundle of that name is replaced, with what interrupted writers left beside it; files in
/// it that it did not list stay. Throws as require_bundle_place, and then what was there before is untouched, and what
/// parse_manifest and verify_part throw if the bundle is not whole.
void write_bundle_folder(const std::string& path, const Bundle& bundle);

}  // namespace vitrine
