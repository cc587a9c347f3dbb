// `vitrine eval`: how well a model, or its baseline, predicts a text that it has not seen.
#include <memory>

#include "base/check.hpp"
#include "cli/command_line.hpp"
#include "cli/strict_options.hpp"
#include "cli/text.hpp"
#include "session/session_json.hpp"

namespace vitrine::cli {
namespace {

struct EvalOptions {
  ModelOptions model;
  std::string data;
  std::string baseline;
};

int run_eval(const EvalOptions& options, const CommandLine& line) {
  const std::string text = read_corpus(options.data);
  Session session(session_options(options.model));
  load_session(session, options.model);
  const TextEvaluation evaluation =
      options.baseline.empty() ? session.evaluate(text) : load_baseline(session, options.baseline).evaluate(text);
  const Evaluation& totals = evaluation.totals;
  line.print(evaluation_json(evaluation),
             str(evaluation.documents, " documents, ", totals.tokens, " tokens, ", evaluation.bytes, " bytes\n",
                 fixed(totals.mean_loss(), 4), " nats a token, ", fixed(totals.bits_per_byte(evaluation.bytes), 4),
                 " bits a byte, ", fixed(100 * totals.accuracy(), 2), " % of next tokens right\n"));
  return kOk;
}

}  // namespace

void add_eval(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command =
      add_subcommand(app, line, "eval", "Score a text: loss, bits per byte, next-token accuracy", options, run_eval);
  add_model_options(*command, options->model);
  command
      ->add_option("--data", options->data, "The text; each of its documents starts from a fresh context; - is stdin")
      ->required()
      ->check(path_name());
  command->add_option("--baseline", options->baseline, "Score this file of `vitrine baseline`, not the model")
      ->check(path_name());
}

}  // namespace vitrine::cli
