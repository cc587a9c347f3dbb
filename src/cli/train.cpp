// `vitrine train`: from text files to a bundle: tokenizer, model, held-out figures, self-test.
// The training itself is src/training; here are its options, its files and its progress.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "cli/command_line.hpp"
#include "cli/interruption.hpp"
#include "cli/strict_options.hpp"
#include "cli/text.hpp"
#include "cli/training_run.hpp"
#include "session/session_json.hpp"

namespace vitrine::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMaxSteps = UINT32_MAX;

[[noreturn]] void fail_interrupted(const TrainOptions& options, std::uint64_t steps) {
  const char* next = options.checkpoint.empty() ? "nothing is kept without --checkpoint" : "go on with --resume";
  fail(ErrorCode::aborted, str("train: interrupted after step ", steps, "; ", next));
}

std::string time_left(double seconds) {
  const auto minutes = static_cast<std::uint64_t>(seconds / 60);
  return minutes >= 60 ? str(minutes / 60, " h ", minutes % 60, " min") : str(minutes, " min");
}

std::string step_text(const StepReport& report, std::uint64_t total, double rows_per_second) {
  const double left = static_cast<double>((total - report.step - 1) * report.rows) / rows_per_second;
  return str("step ", report.step + 1, "/", total, "  epoch ", report.epoch, "  loss ", fixed(report.loss, 4),
             "  norm ", fixed(report.gradient_norm, 2), "  rate ", fixed(report.learning_rate, 6), "  ",
             static_cast<std::uint64_t>(rows_per_second), " tokens/s  ", time_left(left), " left");
}

/// One line of the loss curve.
std::string curve_line(const StepReport& report, const std::optional<TextEvaluation>& held_out) {
  Json json = {{"step", report.step + 1},
               {"loss", report.loss},
               {"gradient_norm", report.gradient_norm},
               {"learning_rate", report.learning_rate}};
  if (held_out) json["held_out"] = evaluation_json(*held_out);
  return json_text(json) + "\n";
}

/// The score of some held-out documents, or nothing if a signal ends it.
std::optional<TextEvaluation> score(TrainingRun& run, std::size_t documents) {
  try {
    return run.evaluate(documents);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::aborted) throw;
    return std::nullopt;
  }
}

/// Whether the run reached its last step.
bool run_steps(const TrainOptions& options, TrainingRun& run, const CommandLine& line) {
  Progress progress(line.json && !options.progress);
  const std::uint64_t first = run.trainer().steps_done();
  const std::uint64_t total = options.training.schedule.total_steps;
  const auto begin = Clock::now();
  std::uint64_t rows = 0;
  std::string curve;
  const std::uint64_t end = std::min(total, options.until);
  for (std::uint64_t step = first; step < end; ++step) {
    const StepReport report = run.trainer().step();
    rows += report.rows;
    const bool last = step + 1 == end;
    const bool note = (step + 1) % options.log_every == 0 || last;
    std::optional<TextEvaluation> held_out;
    if (run.has_held_out() && options.eval_every > 0 && (step + 1) % options.eval_every == 0 && !last) {
      held_out = score(run, options.eval_documents);
    }
    if (note || held_out) curve += curve_line(report, held_out);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::string text = step_text(report, total, static_cast<double>(rows) / seconds);
    if (held_out) text += str("  held-out ", fixed(held_out->totals.bits_per_byte(held_out->bytes), 4), " bits/byte");
    progress.show(step + 1, total, text, note || held_out.has_value());
    const bool stop = interrupted();
    if ((step + 1) % options.checkpoint_every == 0 || last || stop) run.save(std::exchange(curve, {}));
    if (stop) return false;
  }
  return true;
}

TrainedModel finish(const TrainOptions& options, TrainingRun& run) {
  try {
    return run.finish();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::aborted) throw;
    fail_interrupted(options, run.trainer().steps_done());
  }
}

int run_train(const TrainOptions& options, const CommandLine& line) {
  const std::uint64_t steps = options.training.schedule.total_steps;
  VITRINE_CHECK(options.until == TrainOptions::kToTheEnd || options.until <= steps, ErrorCode::invalid_option,
                "until: expected at most the ", steps, " --steps of the schedule, found ", options.until);
  TrainingRun run(options, interrupted);
  catch_signals();
  if (!run_steps(options, run, line)) fail_interrupted(options, run.trainer().steps_done());
  const TrainedModel model = finish(options, run);
  if (!options.out.empty()) write_bundle_folder(options.out, model.bundle);
  Json json = {{"steps", run.trainer().steps_done()},
               {"parameters", model.parameters},
               {"vocab_size", model.vocab_size},
               {"train_tokens", model.train_tokens},
               {"held_out", model.bundle.manifest.held_out},
               {"bundle", options.out}};
  line.print(json,
             str("trained ", model.parameters, " parameters in ", run.trainer().steps_done(), " steps; held-out ",
                 json_text(model.bundle.manifest.held_out), options.out.empty() ? "" : "; wrote " + options.out, "\n"));
  return kOk;
}

void add_model_shape(CLI::App& command, TrainOptions& options) {
  ModelConfig& config = options.config;
  command.add_option("--vocab-size", options.vocab_size, "Tokens to learn, special ones included")
      ->capture_default_str();
  command.add_option("--d-model", config.d_model, "Width of the residual stream")->capture_default_str();
  command.add_option("--layers", config.n_layers, "Residual blocks")->capture_default_str();
  command.add_option("--heads", config.n_heads, "Query heads")->capture_default_str();
  command.add_option("--kv-heads", config.n_kv_heads, "Key/value heads")->capture_default_str();
  command.add_option("--d-ff", config.d_ff, "Width of the MLP")->capture_default_str();
  command.add_option("--context", config.max_seq_len, "Positions")->capture_default_str();
}

void add_schedule(CLI::App& command, TrainOptions& options) {
  TrainingOptions& training = options.training;
  command.add_option("--steps", training.schedule.total_steps, "Optimiser steps")->capture_default_str();
  command.add_option("--until", options.until,
                     "Stop after this step of the schedule, and write the bundle as it is then");
  command.add_option("--batch-rows", training.batch_rows, "Tokens a pass")->capture_default_str();
  command.add_option("--accumulation", training.accumulation, "Passes a step")->capture_default_str();
  command.add_option("--lr", training.schedule.peak, "Peak learning rate")->capture_default_str();
  command.add_option("--min-lr", training.schedule.minimum, "Learning rate at the end")->capture_default_str();
  command.add_option("--warmup", training.schedule.warmup_steps, "Steps of linear warm-up")->capture_default_str();
  command.add_option("--weight-decay", training.weight_decay, "Of matrices")->capture_default_str();
  command.add_option("--clip", training.clip_norm, "Largest norm of the gradient")->capture_default_str();
  command.add_option("--seed", training.seed, "Of the weights and the order of the data")->capture_default_str();
  command.add_option("--threads", options.threads, "Threads; they change no bit of the result")->capture_default_str();
}

void add_bundle(CLI::App& command, TrainOptions& options) {
  command.add_option("--out", options.out, "Folder of the bundle to write")->check(path_name());
  command.add_option("--name", options.name, "Name of the bundle")->capture_default_str();
  command.add_option("--model-version", options.model_version, "Version of the bundle")->capture_default_str();
  command
      .add_option("--policy", options.policy, "A JSON file with the bundle's own policy, for those who ask for none")
      ->check(path_name());
  command.add_option("--corpus", options.corpus, "A JSON file that says where the text is from, for the manifest")
      ->check(path_name());
  command
      .add_option("--part", options.parts,
                  "A file more for the bundle, as name=path (licence=LICENSE.txt); may be repeated")
      ->allow_extra_args(false);
}

}  // namespace

void add_train(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = add_subcommand(app, line, "train", "Train a tokenizer and a model from text, and write a bundle",
                                     options, run_train);
  command->add_option("--data", options->data, "Text files to learn from; - is stdin")->required()->check(path_name());
  auto* held_out = command->add_option("--held-out", options->held_out, "A text file to be scored, never learned from")
                       ->check(path_name());
  command->add_option("--unit", options->unit, "What a document is: line, or stream for a whole file")
      ->check(CLI::IsMember({"line", "stream"}))
      ->capture_default_str();
  add_model_shape(*command, *options);
  add_schedule(*command, *options);
  auto* checkpoint =
      command->add_option("--checkpoint", options->checkpoint, "Folder for checkpoints and the loss curve")
          ->check(path_name());
  command->add_option("--checkpoint-every", options->checkpoint_every, "Steps between checkpoints")
      ->check(whole_number(1, kMaxSteps))
      ->needs(checkpoint)
      ->capture_default_str();
  command->add_flag("--resume", options->resume, "Go on from the checkpoint, bit for bit as if never interrupted")
      ->needs(checkpoint);
  command->add_option("--log-every", options->log_every, "Steps between lines of the loss curve")
      ->check(whole_number(1, kMaxSteps))
      ->capture_default_str();
  command->add_option("--eval-every", options->eval_every, "Steps between scores of the held-out text; 0: at the end")
      ->needs(held_out)
      ->capture_default_str();
  command->add_option("--eval-documents", options->eval_documents, "Documents of it to score on the way; 0: all")
      ->needs(held_out)
      ->capture_default_str();
  add_bundle(*command, *options);
  command->add_flag("--progress", options->progress, "Show progress on stderr with --json too");
}

}  // namespace vitrine::cli
