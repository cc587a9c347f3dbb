// Text of the command line: files to read, numbers to show. It parses no options.
#pragma once

#include <string>

namespace vitrine::cli {

/// A text file, at most 1 GiB; "-" is stdin. Throws as read_file, and bad_data for a longer stdin.
std::string read_text(const std::string& path);
/// A number with so many digits after the point.
std::string fixed(double value, int digits);

}  // namespace vitrine::cli
