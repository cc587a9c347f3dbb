// POSIX calls rather than streams: only they can flush to the disk and refuse to open an existing file.
#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";

std::string reason(int error) { return std::generic_category().message(error); }

/// Closes a descriptor when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closes now, for those who must know whether that went well; errno says why not.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

[[noreturn]] void refuse_write(const std::string& path, const char* action, int error) {
  fail(ErrorCode::file_unwritable, str(path, ": expected to ", action, " it, found: ", reason(error)));
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 24;
  while (!bytes.empty()) {
    const auto written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kPiece));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse_write(path, "write", written < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// What read_file and read_regular_file have in common; `open_flags` are more than reading.
std::string read_whole(const std::string& path, std::uint64_t max_bytes, int open_flags, bool regular) {
  struct stat status {};
  // Asked before it is opened too: not every system opens a pipe without waiting for its writer.
  const bool waits =
      regular && ::stat(path.c_str(), &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  VITRINE_CHECK(!waits, ErrorCode::file_unreadable, path, ": expected a regular file, found a pipe or a device");
  const Descriptor file(::open(path.c_str(), O_RDONLY | open_flags));
  if (!file.is_open()) {
    const bool absent = errno == ENOENT || errno == ENOTDIR;
    fail(absent ? ErrorCode::file_not_found : ErrorCode::file_unreadable,
         str(path, ": expected a readable file, found: ", reason(errno)));
  }
  if (::fstat(file.number(), &status) != 0 || S_ISDIR(status.st_mode)) {
    fail(ErrorCode::file_unreadable, str(path, ": expected a file, found a folder"));
  }
  VITRINE_CHECK(!regular || S_ISREG(status.st_mode), ErrorCode::file_unreadable, path,
                ": expected a regular file, found a pipe or a device");
  const auto size = static_cast<std::uint64_t>(std::max<long long>(0, status.st_size));
  const auto refuse_size = [&](std::uint64_t found) {
    fail(ErrorCode::file_unreadable, str(path, ": expected at most ", max_bytes, " bytes, found ", found));
  };
  if (size > max_bytes) refuse_size(size);

  // Read to the end rather than to `size`: a pipe has none, and a file may grow meanwhile. One byte more than
  // expected lets the last read see the end without a larger buffer.
  std::string bytes;
  std::size_t used = 0;
  bytes.resize(checked_size(size, path.c_str()) + 1);
  for (;;) {
    if (used == bytes.size()) bytes.resize(checked_size(std::uint64_t{used} * 2, path.c_str()));
    const auto got = ::read(file.number(), bytes.data() + used, std::min(bytes.size() - used, std::size_t{1} << 24));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::file_unreadable, str(path, ": expected to read it, found: ", reason(errno)));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > max_bytes) refuse_size(used);
  }
  VITRINE_CHECK(used >= size, ErrorCode::file_unreadable, path, ": expected ", size, " bytes, found ", used);
  bytes.resize(used);
  return bytes;
}

/// Whether a name is `name` with the ending that temporary_sibling gives it.
bool is_temporary_of(std::string_view candidate, std::string_view name) {
  if (!candidate.starts_with(str(name, kTemporaryMark))) return false;
  candidate.remove_prefix(name.size() + kTemporaryMark.size());
  const std::size_t dash = candidate.find('-');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dash != std::string_view::npos && is_number(candidate.substr(0, dash)) &&
         is_number(candidate.substr(dash + 1));
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t max_bytes) {
  return read_whole(path, max_bytes, 0, false);
}

std::string read_regular_file(const std::string& path, std::uint64_t max_bytes) {
  return read_whole(path, max_bytes, O_NONBLOCK, true);  // or else opening a pipe would wait for its writer
}

void write_new_file(const std::string& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666));
  if (!file.is_open()) refuse_write(path, "create", errno);
  write_all(file.number(), bytes, path);
  if (::fsync(file.number()) != 0) refuse_write(path, "flush", errno);
  if (!file.close()) refuse_write(path, "close", errno);
}

void sync_folder(const std::string& path) {
#if !defined(__EMSCRIPTEN__)
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.is_open()) ::fsync(folder.number());
#else
  static_cast<void>(path);
#endif
}

std::string temporary_sibling(const std::string& path) {
  static std::atomic<unsigned> next{0};
  std::string name = path;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  for (;;) {
    const std::string candidate = str(name, kTemporaryMark, ::getpid(), "-", next++);
    struct stat status {};
    if (::lstat(candidate.c_str(), &status) != 0) return candidate;
  }
}

void remove_temporaries(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string name = fs::path(path).filename().string();
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(path), error), end; !error && entry != end; entry.increment(error)) {
    if (is_temporary_of(entry->path().filename().string(), name)) found.push_back(entry->path());
  }
  for (const fs::path& temporary : found) fs::remove_all(temporary, error);
}

bool on_same_device(const std::string& a, const std::string& b) {
  struct stat status_a {
  }, status_b{};
  return ::stat(a.c_str(), &status_a) == 0 && ::stat(b.c_str(), &status_b) == 0 && status_a.st_dev == status_b.st_dev;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  const std::string temporary = temporary_sibling(path);
  try {
    write_new_file(temporary, bytes);
    if (::rename(temporary.c_str(), path.c_str()) != 0) refuse_write(path, "replace", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder_of(path));
}

void require_file_place(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) refuse_write(path, "replace", EISDIR);
  const std::string temporary = temporary_sibling(path);
  write_new_file(temporary, "");
  ::unlink(temporary.c_str());
}

}  // namespace vitrine
