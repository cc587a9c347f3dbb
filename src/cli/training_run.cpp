// Files are read and places to write are tried before the first step; then the training is TextTraining's.
#include "cli/training_run.hpp"

#include <filesystem>
#include <utility>

#include "base/check.hpp"
#include "cli/policy_file.hpp"
#include "cli/text.hpp"
#include "io/atomic_file.hpp"

namespace vitrine::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxCurveBytes = std::uint64_t{64} << 20;

}  // namespace

ModelConfig TrainOptions::default_config() {
  ModelConfig config;
  config.d_model = 192;
  config.n_layers = 6;
  config.n_heads = 6;
  config.n_kv_heads = 2;
  config.d_ff = 512;
  config.max_seq_len = 256;
  return config;
}

TrainingOptions TrainOptions::default_training() {
  TrainingOptions training;
  training.schedule.peak = 3e-3;
  training.schedule.minimum = 9e-5;
  training.schedule.warmup_steps = 200;
  training.schedule.total_steps = 5000;
  return training;
}

TrainingRun::TrainingRun(const TrainOptions& options, std::function<bool()> stop)
    : options_(options), stop_(std::move(stop)) {
  std::vector<std::string> texts, held_out;
  for (const std::string& path : options_.data) texts.push_back(read_corpus(path));
  if (!options_.held_out.empty()) held_out.push_back(read_corpus(options_.held_out));
  prepare_checkpoint();
  prepare_bundle();
  make_training(std::move(texts), std::move(held_out));
  choose_policy();
  if (options_.resume) resume();
}

/// The folder, and in it the curve of a run that begins: what cannot be written is known now.
void TrainingRun::prepare_checkpoint() {
  const std::string& folder = options_.checkpoint;
  VITRINE_CHECK(!folder.empty() || !options_.out.empty(), ErrorCode::invalid_option,
                "train: expected --out or --checkpoint, or else nothing is kept; found neither");
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  VITRINE_CHECK(!error, ErrorCode::file_unwritable, folder,
                ": expected to create this folder, found: ", error.message());
  const bool found = fs::exists(checkpoint_file(), error);
  VITRINE_CHECK(options_.resume || !found, ErrorCode::invalid_option,
                "checkpoint: expected a folder without one, or --resume; found ", in_quotes(checkpoint_file()));
  VITRINE_CHECK(!options_.resume || found, ErrorCode::file_not_found, checkpoint_file(),
                ": expected the checkpoint to go on from, found no such file");
  for (const std::string& path : {checkpoint_file(), curve_file()}) remove_temporaries(path);
  if (!options_.resume) write_file_atomically(curve_file(), curve_);
}

void TrainingRun::prepare_bundle() {
  labels_.name = options_.name;
  labels_.model_version = options_.model_version;
  if (!options_.corpus.empty()) labels_.corpus = parse_json(read_text(options_.corpus), options_.corpus);
  for (const std::string& part : options_.parts) {
    const std::size_t equals = part.find('=');
    VITRINE_CHECK(equals != std::string::npos && equals > 0, ErrorCode::invalid_option,
                  "part: expected name=path, found ", in_quotes(part));
    const std::string path = part.substr(equals + 1);
    labels_.extra_parts.push_back({part.substr(0, equals), fs::path(path).filename().string(), read_text(path)});
  }
  label_bundle(labels_);
  if (!options_.out.empty()) require_bundle_place(options_.out);
}

void TrainingRun::make_training(std::vector<std::string> texts, std::vector<std::string> held_out) {
  TextTrainingOptions training;
  training.unit = options_.unit == "line" ? DocumentUnit::line : DocumentUnit::stream;
  training.vocab_size = options_.vocab_size;
  training.config = options_.config;
  training.training = options_.training;
  training.threads = options_.threads;
  training_ = std::make_unique<TextTraining>(std::move(texts), std::move(held_out), training);
}

/// What generation_config.json cannot hold is refused, rather than forgotten.
void TrainingRun::choose_policy() {
  labels_.policy = training_->default_policy();
  if (options_.policy.empty()) return;
  labels_.policy = read_policy_file(options_.policy, training_->tokenizer().vocab_size(), labels_.policy);
  try {
    write_generation_config(labels_.policy);
  } catch (const Error& error) {
    fail(error.code(), str(options_.policy, ": ", error.message()));
  }
}

void TrainingRun::resume() {
  trainer().load(checkpoint_file());
  VITRINE_CHECK(options_.until >= trainer().steps_done(), ErrorCode::invalid_option, "until: expected at least the ",
                trainer().steps_done(), " steps of the checkpoint, found ", options_.until);
  curve_ = read_curve();
  write_file_atomically(curve_file(), curve_);
}

/// The curve up to the checkpoint. Lines after it are of steps that a killed run did and this one will do again.
std::string TrainingRun::read_curve() const {
  const std::string text = read_file(curve_file(), kMaxCurveBytes);
  std::string kept;
  std::uint64_t last = 0, number = 0;
  for (const std::string_view line : split_documents(text, DocumentUnit::line)) {
    const std::string where = str(curve_file(), ": line ", ++number);
    const JsonDocument json = parse_json(line, where);
    last = JsonObjectReader(json, where, ErrorCode::bad_checkpoint).unsigned_integer("step", last + 1, UINT32_MAX);
    if (last <= training_->trainer().steps_done()) kept += line;
  }
  return kept;
}

/// The curve first: a run that is killed in between leaves lines too many, which resume() removes, and never too few.
void TrainingRun::save(const std::string& curve_lines) {
  curve_ += curve_lines;
  if (options_.checkpoint.empty()) return;
  write_file_atomically(curve_file(), curve_);
  trainer().save(checkpoint_file());
}

TrainedModel TrainingRun::finish() {
  TrainedModel model;
  model.bundle = training_->finish(labels_, stop_);
  model.parameters = training_->config().parameter_count();
  model.vocab_size = training_->config().vocab_size;
  model.train_tokens = training_->dataset().targets().size();
  return model;
}

}  // namespace vitrine::cli
