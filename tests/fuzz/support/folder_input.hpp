// A folder as one input: each file is a line "=== name" and its bytes, up to the next such line. No lengths, so that a
// mutation inside one file leaves the others alone.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace vitrine::fuzz {

using Files = std::map<std::string, std::string>;

inline constexpr std::string_view kFileMark = "=== ";

/// The files by name; what stands before the first mark is left out, and of two files with one name the last counts.
inline Files read_folder_input(std::string_view input) {
  Files files;
  const std::string mark = "\n" + std::string(kFileMark);
  std::size_t begin = input.starts_with(kFileMark) ? 0 : input.find(mark);
  if (begin != input.npos && begin > 0) ++begin;
  while (begin != input.npos) {
    const std::string_view file = input.substr(begin + kFileMark.size());
    const std::size_t name_end = file.find('\n');
    if (name_end == file.npos) break;
    const std::size_t next = file.find(mark, name_end);
    const std::size_t end = next == file.npos ? file.size() : next;
    const std::string name(file.substr(0, name_end));
    files[name] = end > name_end ? file.substr(name_end + 1, end - name_end - 1) : "";
    begin = next == file.npos ? input.npos : begin + kFileMark.size() + next + 1;
  }
  return files;
}

inline std::string write_folder_input(const Files& files) {
  std::string input;
  for (const auto& [name, bytes] : files) {
    input.append(input.empty() ? "" : "\n").append(kFileMark).append(name).append("\n").append(bytes);
  }
  return input;
}

}  // namespace vitrine::fuzz
