// `vitrine parity`: cached decoding against the full prefix, bit for bit, over the schedules of generate/parity.hpp.
#include <memory>

#include "base/check.hpp"
#include "cli/command_line.hpp"
#include "session/session_json.hpp"

namespace vitrine::cli {
namespace {

struct ParityCommand {
  ModelOptions model;
  std::string prompt;
  ParityOptions check;
  std::string fault = "none";
};

std::string report_text(const ParityReport& report) {
  std::string text = str(report.tokens, " tokens\n");
  for (const ScheduleReport& schedule : report.schedules) {
    text += str("  ", schedule.name, std::string(16 - schedule.name.size(), ' '), schedule.logits_compared,
                " logits compared, ", schedule.differing_bits, " bits differ");
    if (const auto& first = schedule.first_difference) {
      text += str(" (first: token ", first->token, ", logit ", first->logit, ": ", first->cached, " cached, ",
                  first->full_prefix, " full prefix)");
    }
    if (!schedule.exercised) text += ", NOT EXERCISED: the sequence is too short";
    text += "\n";
  }
  const bool all_exercised = report.not_exercised().empty();
  return text +
         (report.differing_bits() > 0 ? "DIFFERENT: "
          : all_exercised             ? "identical: "
                                      : "NOT PASSED: ") +
         str(report.differing_bits(), " bits differ in ", report.logits_compared(), " logits\n");
}

int run_parity(const ParityCommand& options, const CommandLine& line) {
  Session session(session_options(options.model));
  load_session(session, options.model);
  session.inject(parse_fault(options.fault));
  const ParityReport report = session.check_parity(options.prompt, options.check.tokens, options.check.seed);
  line.print(parity_json(report), report_text(report));
  return report.passed() ? kOk : kCheckFailed;
}

}  // namespace

void add_parity(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<ParityCommand>();
  CLI::App* command = add_subcommand(app, line, "parity",
                                     "Compare every logit of cached decoding with the recomputed prefix, bit for bit",
                                     options, run_parity);
  add_model_options(*command, options->model);
  command->add_option("--tokens", options->check.tokens,
                      "Length of the sequence that is compared; 200, or the whole of a shorter context, if not given");
  command->add_option("--prompt", options->prompt, "Its beginning; the model continues it");
  command->add_option("--seed", options->check.seed, "Seed of the continuation")->capture_default_str();
  std::string names;
  for (const FaultEntry& entry : kFaults) names += str(names.empty() ? "" : ", ", entry.name);
  command->add_option("--inject", options->fault, "Make the model wrong, to see the check fail: " + names);
}

}  // namespace vitrine::cli
