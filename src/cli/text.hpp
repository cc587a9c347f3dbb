// Text of the command line: files to read, numbers to show. It parses no options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitrine::cli {

inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30;

/// A text file of at most `max_bytes`; "-" is stdin. Throws as read_file, bad_data for a longer stdin, and
/// invalid_option for a second option that wants to read it.
std::string read_text(const std::string& path, std::uint64_t max_bytes = kMaxTextBytes);
/// The same for a text to learn from or to score; throws bad_data, naming the path, if there is none in it.
std::string read_corpus(const std::string& path);
/// A text from a file for a terminal: in quotes, its control characters escaped, other characters as they are.
std::string shown(std::string_view text);
/// A number with so many digits after the point.
std::string fixed(double value, int digits);

}  // namespace vitrine::cli
