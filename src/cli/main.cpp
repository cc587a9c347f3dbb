// `vitrine`: the command line, built natively and as WebAssembly for Node from this one source.
// It parses options and prints; what it prints comes from src/session and src/training.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/command_line.hpp"
#include "cli/strict_options.hpp"

namespace vitrine::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 a check failed (parity differs, a fault is not caught); 2 wrong usage; 3 bad input or "
    "resources; 4 a fault of vitrine; 130 interrupted.\nErrors: 'vitrine: code: message' on stderr; with --json, "
    "{\"error\":{\"code\":...,\"message\":...}} on stdout.";

/// Known before the options are parsed, so that a usage error is JSON too.
bool wants_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) return false;
    if (std::strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

int report(bool json, std::string_view code, const std::string& message, ExitStatus status) {
  if (json) {
    // A message may quote bytes of a file; in JSON they are text.
    const Json error = {{"error", {{"code", code}, {"message", message}}}};
    std::cout << error.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else {
    std::cerr << "vitrine: " << code << ": " << message << std::endl;
  }
  return status;
}

[[noreturn]] void refuse_command(const CLI::App& app, const std::string& found) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) names += (names.empty() ? "" : ", ") + command->get_name();
  fail(ErrorCode::invalid_option, str("command: expected one of ", names, ", found ", found));
}

int run(int argc, char** argv, bool json) {
  CLI::App app("Vitrine: a transformer under glass");
  app.name("vitrine");
  app.set_version_flag("--version", std::string("vitrine " VITRINE_VERSION));
  app.footer(kFooter);
  CommandLine line;
  app.add_flag("--json", line.json, "Print one JSON object on stdout, and nothing else");
  add_train(app, line);
  add_tokenize(app, line);
  add_generate(app, line);
  add_parity(app, line);
  add_detectors(app, line);
  add_eval(app, line);
  add_inspect(app, line);
  add_baseline(app, line);
  make_strict(app);
  std::vector<std::string> arguments = read_arguments(argc, argv);
  const auto word =
      std::find_if(arguments.begin(), arguments.end(), [](const std::string& text) { return !text.starts_with('-'); });
  if (word != arguments.end() && app.get_subcommand_no_throw(*word) == nullptr) refuse_command(app, in_quotes(*word));
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(json, error_name(ErrorCode::invalid_option), error.what(), kBadUsage);
  }
  if (!line.action) refuse_command(app, "none");
  return line.action();
}

}  // namespace

int run_and_report(int argc, char** argv) {
  const bool json = wants_json(argc, argv);
  try {
    return run(argc, argv, json);
  } catch (const Error& error) {
    const ExitStatus status = error.code() == ErrorCode::invalid_option ? kBadUsage
                              : error.code() == ErrorCode::internal     ? kInternal
                              : error.code() == ErrorCode::aborted      ? kInterrupted
                                                                        : kBadInput;
    return report(json, error_name(error.code()), error.message(), status);
  } catch (const std::bad_alloc&) {
    return report(json, error_name(ErrorCode::out_of_memory), "expected memory, found none free", kBadInput);
  } catch (const std::exception& error) {
    return report(json, error_name(ErrorCode::internal), error.what(), kInternal);
  }
}

/// A result that did not arrive whole is no success, whatever the command thinks of it.
int guarded_main(int argc, char** argv) {
  const int status = run_and_report(argc, argv);
  std::cout.flush();
  if (std::cout) return status;
  return report(false, error_name(ErrorCode::file_unwritable),
                "stdout: expected to write the result, found it closed or full", kBadInput);
}

}  // namespace vitrine::cli

int main(int argc, char** argv) { return vitrine::cli::guarded_main(argc, argv); }
