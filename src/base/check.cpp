// How a text from outside looks in a message. The rest of check.hpp stands there whole.
#include "base/check.hpp"

#include <cstdio>

namespace vitrine {

void append_text(std::string& out, std::string_view text) { out += text; }
void append_text(std::string& out, char character) { out += character; }
void append_integer(std::string& out, std::int64_t number) { out += std::to_string(number); }
void append_integer(std::string& out, std::uint64_t number) { out += std::to_string(number); }

void append_text(std::string& out, double number) {
  char text[32];
  out.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%g", number)));
}

std::string in_quotes(std::string_view text, std::size_t max_length) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text.substr(0, max_length)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out + (text.size() > max_length ? "\"..." : "\"");
}

}  // namespace vitrine
