// Validators run before CLI11 converts a text, and may change it: that is where its own notation is taken away.
#include "cli/strict_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"

namespace vitrine::cli {
namespace {

/// Before a text that begins with '[': CLI11 reads [a,b] as a list, [[]] as [], and knows no way to say what is meant.
constexpr char kMark = '\x1A';

std::string expected(std::string_view what, const std::string& found) {
  return str("expected ", what, ", found ", in_quotes(found));
}

std::string take_text(std::string& text) {
  if (text.starts_with(kMark)) text.erase(0, 1);
  return {};
}

/// Leaves the number without zeros in front, which would make it octal.
template <class Number>
std::string take_whole(std::string& text, std::string_view what) {
  take_text(text);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return expected(what, text);
  text = std::to_string(value);
  return {};
}

/// Removes the digits at the front of a text and says how many there were.
std::size_t skip_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

/// [-]digits[.digits][e[+-]digits], as a number field of a page takes it; the first digits may be left out.
bool is_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  std::size_t digits = skip_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = skip_digits(text);
    if (fraction == 0) return false;
    digits += fraction;
  }
  if (digits == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

std::string take_decimal(std::string& text) {
  take_text(text);
  return parse_decimal(text) ? std::string() : expected("a decimal number", text);
}

/// By the name of the type that CLI11 found in the option's variable.
void make_strict(CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto is = [&](std::string_view name) { return type == name || type.starts_with(str(name, ":")); };
  if (option.get_items_expected_max() == 0) {
    option.disable_flag_override();
  } else if (is("UINT")) {
    option.transform(CLI::Validator(
        [](std::string& text) { return take_whole<std::uint64_t>(text, "a whole number from 0 to 2^64 - 1"); }, ""));
  } else if (is("INT")) {
    option.transform(CLI::Validator(
        [](std::string& text) { return take_whole<std::int64_t>(text, "a whole number from -2^63 to 2^63 - 1"); }, ""));
  } else if (is("FLOAT")) {
    option.transform(CLI::Validator(take_decimal, ""));
  } else {
    option.transform(CLI::Validator(take_text, ""));
  }
}

/// Marks a text that CLI11 would not take as it is.
std::string marked(const std::string& text) {
  return text.starts_with('[') || text.starts_with(kMark) ? kMark + text : text;
}

}  // namespace

std::vector<std::string> read_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    VITRINE_CHECK(is_valid_utf8(argument) && argument.find(kReplacementCharacter) == std::string::npos,
                  ErrorCode::invalid_option, "argument ", i, ": expected UTF-8 without U+FFFD, found ",
                  in_quotes(argument));
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    arguments.push_back(equals == std::string::npos
                            ? marked(argument)
                            : argument.substr(0, equals + 1) + marked(argument.substr(equals + 1)));
  }
  return arguments;
}

void make_strict(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) make_strict(*option);
  for (CLI::App* command : app.get_subcommands({})) make_strict(*command);
}

std::optional<double> parse_decimal(const std::string& text) {
  if (!is_decimal(text)) return std::nullopt;
  const double value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

CLI::Validator whole_number(std::int64_t min, std::int64_t max) {
  return CLI::Validator(
      [min, max](std::string& text) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool inside = error == std::errc() && value >= min && value <= max;
        return inside ? std::string() : expected(str("a whole number from ", min, " to ", max), text);
      },
      "");
}

CLI::Validator path_name() {
  return CLI::Validator([](std::string& text) { return text.empty() ? expected("a path", text) : std::string(); }, "");
}

}  // namespace vitrine::cli
