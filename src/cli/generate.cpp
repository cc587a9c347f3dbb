// `vitrine generate`: continues a prompt under a policy.
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "base/check.hpp"
#include "cli/command_line.hpp"
#include "cli/policy_file.hpp"
#include "cli/strict_options.hpp"
#include "cli/text.hpp"
#include "session/session_json.hpp"

namespace vitrine::cli {
namespace {

struct GenerateOptions {
  ModelOptions model;
  std::string prompt;
  std::string policy_file;
  std::string baseline;
  std::optional<std::string> mode;
  bool greedy = false;
  std::optional<double> temperature, top_p, min_p;
  std::optional<double> repetition_penalty, presence_penalty, frequency_penalty;
  std::optional<std::int64_t> top_k, seed, max_new_tokens, min_new_tokens, penalty_window;
  bool penalty_prompt = false;
  std::vector<std::string> logit_bias;
  std::vector<std::string> stop;
  std::optional<std::string> context_overflow;
  std::size_t rows = 1;
  bool parity = false;
  bool heal = false;
  bool timing = false;
};

/// {"ID": BIAS} from texts ID=BIAS; the policy judges both halves, but an object cannot hold an ID twice.
Json bias_options(const std::vector<std::string>& texts) {
  Json json = Json::object();
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto bias = equals == std::string::npos ? std::nullopt : parse_decimal(text.substr(equals + 1));
    VITRINE_CHECK(bias.has_value(), ErrorCode::invalid_option, "logit_bias: expected ID=BIAS, found ", in_quotes(text));
    const std::string id = text.substr(0, equals);
    VITRINE_CHECK(!json.contains(id), ErrorCode::invalid_option, "logit_bias: expected every token once, found ",
                  in_quotes(id), " twice");
    json[id] = *bias;
  }
  return json;
}

/// The options as the policy's JSON; what is wrong with them the policy says.
Json policy_options(const GenerateOptions& options) {
  Json json = Json::object();
  const auto set = [&](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  if (options.greedy) json["mode"] = "greedy";
  set("mode", options.mode);
  set("temperature", options.temperature);
  set("top_k", options.top_k);
  set("top_p", options.top_p);
  set("min_p", options.min_p);
  set("repetition_penalty", options.repetition_penalty);
  set("presence_penalty", options.presence_penalty);
  set("frequency_penalty", options.frequency_penalty);
  set("penalty_window", options.penalty_window);
  if (options.penalty_prompt) json["penalty_prompt"] = true;
  if (!options.logit_bias.empty()) json["logit_bias"] = bias_options(options.logit_bias);
  set("seed", options.seed);
  set("max_new_tokens", options.max_new_tokens);
  set("min_new_tokens", options.min_new_tokens);
  set("context_overflow", options.context_overflow);
  if (!options.stop.empty()) json["stop"] = options.stop;
  return json;
}

/// The bundle's policy, that of the file on top of it, and the options above both.
Policy effective_policy(const Session& session, const GenerateOptions& options) {
  const std::size_t vocab_size = session.model().tokenizer.vocab_size();
  Policy policy = session.model().default_policy;
  if (!options.policy_file.empty()) policy = read_policy_file(options.policy_file, vocab_size, policy);
  return parse_policy(policy_options(options), vocab_size, policy);
}

std::string cost_text(const RowResult& result) {
  const auto lane = [](const char* name, const LaneCost& cost) {
    return str(name, " ", cost.positions, " positions, ", cost.multiply_adds, " multiply-adds, ",
               fixed(cost.milliseconds, 2), " ms");
  };
  std::string text = str("[", finish_name(result.finish), "; seed ", *result.policy.seed, "; ",
                         lane("prefill", result.prefill), "; ", lane("decode", result.decode), "]\n");
  if (result.parity.tokens > 0) {
    text += str("[", result.parity.identical_tokens, " of ", result.parity.tokens, " tokens identical, ",
                result.parity.differing_bits, " bits differ; ", lane("full prefix", result.full), "]\n");
  }
  return text;
}

/// As lines: whatever is printed next begins a new one.
std::string ended(const std::string& text) { return text.ends_with('\n') ? text : text + "\n"; }

void print_rows(const Session& session, const std::vector<RowId>& rows, const GenerateOptions& options,
                const CommandLine& line) {
  Json all = Json::array();
  std::string texts, costs;
  for (const RowId row : rows) {
    const RowResult result = session.result(row);
    all.push_back(result_json(result));
    if (rows.size() > 1) {
      texts += str("--- row ", all.size(), "\n", ended(result.text));
    } else if (!result.text.ends_with('\n')) {
      texts = "\n";  // it was printed as it came
    }
    costs += cost_text(result);
  }
  if (!options.timing) remove_times(all);
  line.print(rows.size() == 1 ? all.front() : Json{{"rows", std::move(all)}}, texts);
  line.note(costs);
}

int complete_by_baseline(const Session& session, const Policy& policy, const GenerateOptions& options,
                         const CommandLine& line) {
  const RowResult result = load_baseline(session, options.baseline).complete(options.prompt, policy);
  Json json = result_json(result);
  remove_times(json);
  line.print(json, ended(result.text));
  line.note(str("[", finish_name(result.finish), "; seed ", *policy.seed, "; by the baseline]\n"));
  return kOk;
}

int run_generate(const GenerateOptions& options, const CommandLine& line) {
  Session session(session_options(options.model, options.rows));
  load_session(session, options.model);
  const Policy policy = resolve_seed(effective_policy(session, options), entropy());
  if (!options.baseline.empty()) return complete_by_baseline(session, policy, options, line);
  std::vector<RowId> rows;
  for (std::size_t r = 0; r < options.rows; ++r) {
    RowOptions row_options;
    row_options.parity = options.parity;
    row_options.heal = options.heal;
    row_options.stream = r;
    rows.push_back(session.start(options.prompt, policy, row_options, 0));
  }
  const bool streams = !line.json && rows.size() == 1;
  bool identical = true;
  while (session.unfinished_rows() > 0) {
    for (const RowStep& step : session.step_all()) {
      if (step.error) throw *step.error;
      identical = identical && step.parity.differing_bits == 0;
      if (streams) std::cout << step.text << std::flush;
    }
  }
  print_rows(session, rows, options, line);
  return identical ? kOk : kCheckFailed;
}

/// The options of docs/policy.md. No range is checked here: the policy's own message names option and range.
void add_policy_options(CLI::App& command, GenerateOptions& options) {
  command.add_option("--policy", options.policy_file, "A JSON file with the policy; other options stand above it")
      ->check(path_name());
  auto* mode = command.add_option("--mode", options.mode, "greedy or sample");
  command.add_flag("--greedy", options.greedy, "The same as --mode greedy")->excludes(mode);
  command.add_option("--logit-bias", options.logit_bias, "ID=BIAS, added to a token's logit; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--repetition-penalty", options.repetition_penalty,
                     "Divides positive logits of tokens that came before, multiplies others; 1: off");
  command.add_option("--presence-penalty", options.presence_penalty, "Subtracted once from those logits, -2 to 2");
  command.add_option("--frequency-penalty", options.frequency_penalty,
                     "Subtracted for every time that the token came before, -2 to 2");
  command.add_option("--penalty-window", options.penalty_window, "Penalise the latest n tokens; 0: all");
  command.add_flag("--penalty-prompt", options.penalty_prompt, "Let the penalties count the prompt's tokens, too");
  command.add_option("--temperature", options.temperature, "Divides the logits, 0.001 to 1000");
  command.add_option("--top-k", options.top_k, "Keep the k most probable tokens; 0: all");
  command.add_option("--top-p", options.top_p, "Keep the fewest tokens with this share of the probability");
  command.add_option("--min-p", options.min_p, "Keep tokens of at least this share of the best one's probability");
  command.add_option("--stop", options.stop, "A string that ends the text; may be repeated")->allow_extra_args(false);
  command.add_option("--max-new-tokens", options.max_new_tokens, "The largest number of tokens");
  command.add_option("--min-new-tokens", options.min_new_tokens, "No stop token before so many tokens");
  command.add_option("--context-overflow", options.context_overflow, "What a full context does: stop, and only that");
  command.add_option("--seed", options.seed, "0 to 2^53 - 1; drawn and printed if absent");
}

}  // namespace

void add_generate(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = add_subcommand(app, line, "generate", "Continue a prompt; the bundle gives the default policy",
                                     options, run_generate);
  add_model_options(*command, options->model);
  command->add_option("--prompt", options->prompt, "The text to continue");
  add_policy_options(*command, *options);
  auto* rows = command->add_option("--rows", options->rows, "Texts at once, each from its own random stream")
                   ->check(whole_number(1, 64));
  auto* parity = command->add_flag("--parity", options->parity,
                                   "Recompute the whole prefix for every token and compare the logits");
  auto* heal = command->add_flag("--heal", options->heal, "Let the first tokens complete the last word of the prompt");
  auto* timing = command->add_flag("--timing", options->timing, "Put times into the JSON");
  auto* baseline = command->add_option("--baseline", options->baseline, "Continue by this file of `vitrine baseline`")
                       ->check(path_name());
  for (CLI::Option* other : {rows, parity, heal, timing}) baseline->excludes(other);
}

}  // namespace vitrine::cli
