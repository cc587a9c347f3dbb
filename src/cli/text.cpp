// Streams are read whole before any work begins, so that a command sees all of its input or none.
#include "cli/text.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "io/atomic_file.hpp"

namespace vitrine::cli {
namespace {

/// Through stdio, which tells a failed read from the end.
std::string read_stdin(std::uint64_t max_bytes) {
  static bool was_read = false;
  VITRINE_CHECK(!std::exchange(was_read, true), ErrorCode::invalid_option,
                "stdin: expected one option that reads it (-), found two");
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, stdin)) {
    text.append(buffer, count);
    VITRINE_CHECK(text.size() <= max_bytes, ErrorCode::bad_data, "stdin: expected at most ", max_bytes,
                  " bytes, found more");
  }
  VITRINE_CHECK(std::ferror(stdin) == 0, ErrorCode::file_unreadable,
                "stdin: expected to read it, found: ", std::generic_category().message(errno));
  return text;
}

}  // namespace

std::string read_text(const std::string& path, std::uint64_t max_bytes) {
  return path == "-" ? read_stdin(max_bytes) : read_file(path, max_bytes);
}

std::string read_corpus(const std::string& path) {
  std::string text = read_text(path);
  VITRINE_CHECK(!text.empty(), ErrorCode::bad_data, path == "-" ? "stdin" : path, ": expected text, found none");
  return text;
}

std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    const bool control = step.code_point < 0x20 || (step.code_point >= 0x7F && step.code_point < 0xA0);
    const std::string_view bytes = text.substr(i, step.length);
    const bool plain = step.status == Utf8Status::valid && !control && bytes != "\"" && bytes != "\\";
    if (plain) {
      out += bytes;
    } else {
      const std::string quoted = in_quotes(bytes);
      out += quoted.substr(1, quoted.size() - 2);
    }
    i += step.length;
  }
  return str('"', out, '"');
}

std::string fixed(double value, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

}  // namespace vitrine::cli
