// Whole files: read with a limit, written so that a reader sees the old content or the new, never a part of it.
// For native programs and for wasm under Node; in a browser bytes come from memory and nothing here is linked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrine {

/// The content of a file. Throws file_not_found; file_unreadable for a folder, a missing permission, a failed read, or
/// more than `max_bytes`.
std::string read_file(const std::string& path, std::uint64_t max_bytes);

/// The same for a file of a bundle, where a pipe or a device has no business: it would be waited for without end.
std::string read_regular_file(const std::string& path, std::uint64_t max_bytes);

/// Creates or replaces a file: writes a temporary file beside it, flushes it to the disk, renames it. Throws
/// file_unwritable, and then what was there before is untouched and the temporary is gone.
void write_file_atomically(const std::string& path, std::string_view bytes);

/// Throws file_unwritable for a place where write_file_atomically could not put a file; for programs that work long
/// before they have it. What is there stays as it is.
void require_file_place(const std::string& path);

/// Creates a file that must not exist and flushes it to the disk; throws file_unwritable. Not atomic by itself: for the
/// files of a folder that is renamed as a whole.
void write_new_file(const std::string& path, std::string_view bytes);

/// Flushes the names in a folder to the disk; does nothing where the system has no such call.
void sync_folder(const std::string& path);

/// A name beside `path` that is not in use, for a temporary.
std::string temporary_sibling(const std::string& path);

/// Removes the temporaries beside `path`, which writers that were ended half-way left behind; what cannot be removed
/// stays.
void remove_temporaries(const std::string& path);

/// Whether one can be renamed to the place of the other. Both exist.
bool on_same_device(const std::string& a, const std::string& b);

}  // namespace vitrine
