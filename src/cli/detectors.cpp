// `vitrine detectors`: whether every mutation of docs/exactness.md is caught by name, and the healthy model by nobody.
#include <memory>

#include "base/check.hpp"
#include "cli/command_line.hpp"
#include "session/session_json.hpp"

namespace vitrine::cli {
namespace {

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, text.size()), ' ');
}

std::string sightings_text(const std::vector<Sighting>& sightings) {
  std::string text;
  for (const auto& [detector, finding] : sightings) {
    text += str("    ", padded(detector->name, 23), finding.where, ": expected ", finding.expected, ", found ",
                finding.found, "\n");
  }
  return text;
}

std::string report_text(const DetectorReport& report) {
  std::string text = padded("healthy model", 29) + (report.healthy.empty() ? "quiet\n" : "NOT QUIET\n");
  text += sightings_text(report.healthy);
  std::size_t caught = 0;
  for (std::size_t i = 0; i < report.mutations.size(); ++i) {
    const MutationReport& mutation = report.mutations[i];
    caught += mutation.seen.empty() ? 0 : 1;
    const char* verdict = !mutation.seen.empty() ? "caught" : mutation.inert ? "inert in this model" : "NOT CAUGHT";
    text += str(padded(kFaults[i].name, 29), padded(kFaults[i].owner, 29), verdict, "\n");
    text += sightings_text(mutation.seen);
  }
  return text + str(caught, " of ", report.mutations.size(), " mutations caught\n");
}

int run_detectors(const ModelOptions& options, const CommandLine& line) {
  Session session({.threads = options.threads, .max_rows = 1, .prefill_chunk = 64});
  load_session(session, options);
  const DetectorReport report = session.check_detectors();
  line.print(detector_report_json(report), report_text(report));
  return report.passed() ? kOk : kCheckFailed;
}

}  // namespace

void add_detectors(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* command = add_subcommand(
      app, line, "detectors",
      "Make the model wrong in every known way, and see each way caught by name; a bundle without a self-test vector "
      "does not pass",
      options, run_detectors);
  add_model_options(*command, *options);
}

}  // namespace vitrine::cli
