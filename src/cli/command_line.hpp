// CommandLine: what the commands of `vitrine` share: where results and progress go, exit statuses, common options.
// The commands themselves stand one a file (generate.cpp, train.cpp, ...); none of them computes anything of the model.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/json.hpp"
#include "session/session.hpp"
#include "session/text_baseline.hpp"

namespace vitrine::cli {

/// Exit statuses, as --help documents them.
enum ExitStatus : int {
  kOk = 0,
  kCheckFailed = 1,    ///< the command did its work, and what it checked does not hold
  kBadUsage = 2,       ///< unknown or wrong options
  kBadInput = 3,       ///< files, data or resources
  kInternal = 4,       ///< a fault of vitrine
  kInterrupted = 130,  ///< a signal asked for the end, and work that was under way came to one
};

struct CommandLine {
  bool json = false;
  std::function<int()> action;  ///< of the subcommand that was given

  /// The result on stdout: one line of JSON with --json, else the text.
  void print(const Json& result, const std::string& text) const;
  /// What is worth knowing beside the result: on stderr, and nothing with --json.
  void note(const std::string& text) const;
};

/// Adds a subcommand whose `run` is called with the parsed options; Options is its plain struct.
template <class Options>
CLI::App* add_subcommand(CLI::App& app, CommandLine& line, const std::string& name, const std::string& description,
                         const std::shared_ptr<Options>& options, int (*run)(const Options&, const CommandLine&)) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_flag("--json", line.json, "Print one JSON object on stdout, and nothing else");
  command->callback([&line, options, run] { line.action = [&line, options, run] { return run(*options, line); }; });
  return command;
}

void add_train(CLI::App& app, CommandLine& line);
void add_tokenize(CLI::App& app, CommandLine& line);
void add_generate(CLI::App& app, CommandLine& line);
void add_parity(CLI::App& app, CommandLine& line);
void add_detectors(CLI::App& app, CommandLine& line);
void add_eval(CLI::App& app, CommandLine& line);
void add_inspect(CLI::App& app, CommandLine& line);
void add_baseline(CLI::App& app, CommandLine& line);

/// --bundle, --threads and --cache-dtype, for the commands that run a model.
struct ModelOptions {
  std::string bundle;
  std::size_t threads = 1;
  std::string cache_dtype = "f32";
};
void add_model_options(CLI::App& command, ModelOptions& options);
/// `max_rows`: how many texts at once. Throws invalid_option for a dtype that does not exist.
SessionOptions session_options(const ModelOptions& options, std::size_t max_rows = 1);
void load_session(Session& session, const ModelOptions& options);
/// The baseline of a file that `vitrine baseline` wrote, behind the tokenizer of a loaded session.
TextBaseline load_baseline(const Session& session, const std::string& path);

/// 64 bits that differ from call to call.
std::uint64_t entropy();
/// Removes every "ms", so that two runs of the same work print the same.
void remove_times(Json& json);

/// A line on stderr that is rewritten, some times a second, while work goes on; plain lines, now and then, where stderr
/// is no terminal.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `text` behind a bar of done / total, cut to the width of the terminal. A `note` is shown whole, everywhere,
  /// and stays.
  void show(std::uint64_t done, std::uint64_t total, const std::string& text, bool note);

 private:
  bool terminal_;
  bool quiet_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_drawing_{};
};

}  // namespace vitrine::cli
