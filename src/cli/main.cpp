// `vitrine`: the command line, built natively and as WebAssembly for Node from this one source.
// It parses options and prints; what it prints comes from src/session and src/training.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/command_line.hpp"

namespace vitrine::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 a check failed (parity differs, a fault is not caught); 2 wrong usage; 3 bad input or "
    "resources; "
    "4 a fault of vitrine.\nErrors: 'vitrine: code: message' on stderr; with --json, "
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

/// CLI11 takes an empty text for the number 0 or for an option that was not given, and knows "nan".
void refuse_texts_for_numbers(const CLI::App& app) {
  const auto has_digit = [](const std::string& text) { return text.find_first_of("0123456789") != std::string::npos; };
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string type = option->get_type_name();
      const bool is_number = type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
      const std::vector<std::string>& given = option->results();
      const auto wrong = std::find_if_not(given.begin(), given.end(), has_digit);
      if (!is_number || wrong == given.end()) continue;
      fail(ErrorCode::invalid_option, str(option->get_name(), ": expected a number, found ", in_quotes(*wrong)));
    }
  }
}

int run(int argc, char** argv, bool json) {
  CLI::App app("Vitrine: a transformer under glass");
  app.name("vitrine");
  app.set_version_flag("--version", std::string("vitrine " VITRINE_VERSION));
  app.footer(kFooter);
  app.require_subcommand(1);
  CommandLine line;
  add_train(app, line);
  add_tokenize(app, line);
  add_generate(app, line);
  add_parity(app, line);
  add_detectors(app, line);
  add_eval(app, line);
  add_inspect(app, line);
  add_baseline(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(json, error_name(ErrorCode::invalid_option), error.what(), kBadUsage);
  }
  refuse_texts_for_numbers(app);
  return line.action();
}

}  // namespace

int guarded_main(int argc, char** argv) {
  const bool json = wants_json(argc, argv);
  try {
    return run(argc, argv, json);
  } catch (const Error& error) {
    const ExitStatus status = error.code() == ErrorCode::invalid_option ? kBadUsage
                              : error.code() == ErrorCode::internal     ? kInternal
                                                                        : kBadInput;
    return report(json, error_name(error.code()), error.message(), status);
  } catch (const std::bad_alloc&) {
    return report(json, error_name(ErrorCode::out_of_memory), "expected memory, found none free", kBadInput);
  } catch (const std::exception& error) {
    return report(json, error_name(ErrorCode::internal), error.what(), kInternal);
  }
}

}  // namespace vitrine::cli

int main(int argc, char** argv) { return vitrine::cli::guarded_main(argc, argv); }
