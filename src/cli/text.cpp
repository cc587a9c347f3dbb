// Streams are read whole before any work begins, so that a command sees all of its input or none.
#include "cli/text.hpp"

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "base/check.hpp"
#include "io/atomic_file.hpp"

namespace vitrine::cli {
namespace {

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30;

}  // namespace

std::string read_text(const std::string& path) {
  if (path != "-") return read_file(path, kMaxTextBytes);
  std::string text;
  char buffer[1 << 16];
  while (std::cin.read(buffer, sizeof buffer) || std::cin.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(std::cin.gcount()));
    VITRINE_CHECK(text.size() <= kMaxTextBytes, ErrorCode::bad_data, "stdin: expected at most ", kMaxTextBytes,
                  " bytes, found more");
  }
  return text;
}

std::string fixed(double value, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

}  // namespace vitrine::cli
