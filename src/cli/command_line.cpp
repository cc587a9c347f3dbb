// What is printed goes out here; progress goes to stderr, so that stdout stays the result alone.
#include "cli/command_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <random>

#include "base/check.hpp"
#include "baseline/ngram_file.hpp"
#include "cli/strict_options.hpp"
#include "cli/text.hpp"

namespace vitrine::cli {
namespace {

constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kUsualColumns = 80;
constexpr std::chrono::milliseconds kDrawingInterval{100};

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

}  // namespace

void CommandLine::print(const Json& result, const std::string& text) const {
  std::cout << (json ? json_text(result) + "\n" : text) << std::flush;
}

void CommandLine::note(const std::string& text) const {
  if (!json) std::cerr << text << std::flush;
}

void add_model_options(CLI::App& command, ModelOptions& options) {
  command.add_option("--bundle", options.bundle, "Folder of the model, with its manifest.json")
      ->required()
      ->check(path_name());
  command.add_option("--threads", options.threads, "Threads, this one included; they change no bit of the result");
  command.add_option("--cache-dtype", options.cache_dtype, "How the KV cache stores numbers: f32, f16 or q8")
      ->capture_default_str();
}

SessionOptions session_options(const ModelOptions& options, std::size_t max_rows) {
  return {.threads = options.threads,
          .max_rows = max_rows,
          .prefill_chunk = 64,
          .cache_dtype = parse_kv_dtype(options.cache_dtype)};
}

void load_session(Session& session, const ModelOptions& options) { session.load(read_bundle_folder(options.bundle)); }

TextBaseline load_baseline(const Session& session, const std::string& path) {
  return TextBaseline(session.model(), parse_ngram_file(read_text(path), path));
}

std::uint64_t entropy() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

void remove_times(Json& json) {
  if (json.is_object()) json.erase("ms");
  if (!json.is_structured()) return;
  for (Json& child : json) remove_times(child);
}

Progress::Progress(bool quiet) : terminal_(isatty(STDERR_FILENO) == 1), quiet_(quiet) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\n", stderr);
}

void Progress::show(std::uint64_t done, std::uint64_t total, const std::string& text, bool note) {
  if (quiet_) return;
  if (!terminal_) {
    if (note) std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  if (note) {
    std::fprintf(stderr, "\r\033[K%s\n", text.c_str());
    drawn_ = false;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_drawing_) return;
  next_drawing_ = now + kDrawingInterval;
  const auto filled = static_cast<std::size_t>(total == 0 ? 0 : done * kBarWidth / total);
  const std::string line = str('[', std::string(filled, '='), std::string(kBarWidth - filled, ' '), "] ", text);
  // A line that reached the last column would wrap, and the next one would not replace it.
  std::fprintf(stderr, "\r\033[K%s", line.substr(0, terminal_columns() - 1).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace vitrine::cli
