// What CLI11 lets pass and this command line does not: octal and grouped numbers, lists in brackets, flags with values,
// bytes that are not UTF-8. It knows no option by name.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vitrine::cli {

/// The arguments after the program's name, ready for an app that was made strict. Throws invalid_option for one that is
/// not UTF-8 or holds U+FFFD, which is what Node makes of bytes that are not: every build refuses the same arguments.
std::vector<std::string> read_arguments(int argc, char** argv);

/// Makes every option of every subcommand strict: a number is decimal and nothing else, a text is taken as it is, a
/// flag is there or not.
void make_strict(CLI::App& app);

/// The number of a text, if that is decimal and nothing else, and finite.
std::optional<double> parse_decimal(const std::string& text);

/// Refuses a whole number that is not `min` to `max`.
CLI::Validator whole_number(std::int64_t min, std::int64_t max);

/// Refuses the empty text, for options that name a file or a folder.
CLI::Validator path_name();

}  // namespace vitrine::cli
