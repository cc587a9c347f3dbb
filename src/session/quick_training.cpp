// The defaults were measured: a few kilobytes of text end below the n-gram baseline well within a minute of one thread
// of WebAssembly (tests/node/training.test.ts).
#include "session/quick_training.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "baseline/ngram_model.hpp"
#include "session/session_json.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr std::uint64_t kMostParameters = 4'000'000;  // beyond, a single step takes longer than anybody waits
constexpr std::size_t kBytesAndMark = 257;
constexpr std::size_t kOverfitTokens = 48;
constexpr std::size_t kHeldOutShare = 10;  // every tenth line, or the last tenth
constexpr std::size_t kFewestLinesToShare = 20;
constexpr std::size_t kFewestBytesToShare = 1000;
constexpr std::uint64_t kEvaluations = 10;
constexpr std::size_t kEvaluatedDocuments = 100;

struct SplitText {
  std::string training;
  std::string held_out;  // empty where there is too little to share
};

SplitText split_lines(std::string_view text) {
  const std::vector<std::string_view> lines = split_documents(text, DocumentUnit::line);
  SplitText split;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool shared = lines.size() >= kFewestLinesToShare && i % kHeldOutShare == kHeldOutShare - 1;
    (shared ? split.held_out : split.training) += lines[i];
  }
  return split;
}

/// The end is held out, from the beginning of a line or else of a word on.
SplitText split_stream(std::string_view text) {
  if (text.size() < kFewestBytesToShare) return {std::string(text), ""};
  const std::size_t wanted = text.size() - text.size() / kHeldOutShare;
  std::size_t cut = text.find_first_of('\n', wanted);
  if (cut == std::string_view::npos) cut = text.find_first_of(' ', wanted);
  if (cut == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, cut + 1)), std::string(text.substr(cut + 1))};
}

std::size_t size_or(std::size_t otherwise, JsonObjectReader& reader, const char* key, std::uint64_t least,
                    std::uint64_t most) {
  return static_cast<std::size_t>(reader.optional_unsigned(key, least, most).value_or(otherwise));
}

ModelConfig read_config(JsonObjectReader& reader) {
  ModelConfig config;
  config.d_model = size_or(64, reader, "d_model", 2, 512);
  config.n_layers = size_or(2, reader, "n_layers", 1, 16);
  config.n_heads = size_or(4, reader, "n_heads", 1, 64);
  config.n_kv_heads = size_or(2, reader, "n_kv_heads", 1, 64);
  config.d_ff = size_or(128, reader, "d_ff", 1, 2048);
  config.max_seq_len = size_or(64, reader, "max_seq_len", 8, 512);
  return config;
}

/// A batch that is overfitted is learned from faster, and nothing holds its weights back.
TrainingOptions read_steps(JsonObjectReader& reader, bool overfit, std::size_t max_seq_len) {
  TrainingOptions steps;
  steps.schedule.total_steps = size_or(overfit ? 150 : 400, reader, "steps", 1, 100'000);
  steps.schedule.warmup_steps = std::min<std::uint64_t>(20, steps.schedule.total_steps / 10);
  steps.schedule.peak = reader.optional_number("learning_rate", 1e-6, 1).value_or(overfit ? 1e-2 : 3e-3);
  steps.schedule.minimum = steps.schedule.peak / 20;
  steps.batch_rows = std::max<std::size_t>(256, max_seq_len);
  steps.weight_decay = overfit ? 0.0 : 0.1;
  steps.seed = reader.optional_unsigned("seed", 0, PolicyLimits::kMaxSeed).value_or(1);
  return steps;
}

void require_small(ModelConfig config, std::size_t vocab_size) {
  config.vocab_size = vocab_size;
  config.head_dim = config.d_model / config.n_heads;
  const std::uint64_t parameters = config.parameter_count();
  VITRINE_CHECK(parameters <= kMostParameters, ErrorCode::invalid_option, "train: expected a model of at most ",
                kMostParameters, " parameters, found ", parameters);
}

/// A document as training reads it.
std::vector<TokenId> marked(std::vector<TokenId> document, TokenId begin, TokenId end) {
  document.insert(document.begin(), begin);
  if (end >= 0) document.push_back(end);
  return document;
}

}  // namespace

QuickTrainingOptions parse_quick_training(const Json& json) {
  JsonObjectReader reader(json, "train", ErrorCode::invalid_option);
  QuickTrainingOptions options;
  options.text = reader.string("text");
  VITRINE_CHECK(!options.text.empty(), ErrorCode::bad_data, "train: text: expected some, found none");
  VITRINE_CHECK(options.text.size() <= kMostText, ErrorCode::invalid_option, "train: text: expected at most ",
                kMostText, " bytes, found ", options.text.size());
  options.name = reader.optional_string("name").value_or(options.name);
  options.overfit = reader.optional_boolean("overfit").value_or(false);
  const std::string unit = reader.optional_string("unit").value_or(options.overfit ? "stream" : "line");
  if (unit != "line" && unit != "stream") reader.refuse("unit", "line or stream");
  TextTrainingOptions& training = options.training;
  training.unit = unit == "line" ? DocumentUnit::line : DocumentUnit::stream;
  training.vocab_size = size_or(std::min<std::size_t>(1024, kBytesAndMark + 31 + options.text.size() / 64), reader,
                                "vocab_size", kBytesAndMark, 8192);
  training.config = read_config(reader);
  require_small(training.config, training.vocab_size);
  training.only_first_tokens = options.overfit ? std::min(kOverfitTokens, training.config.max_seq_len - 1) : 0;
  training.training = read_steps(reader, options.overfit, training.config.max_seq_len);
  reader.finish();
  return options;
}

QuickTraining::QuickTraining(QuickTrainingOptions options) : options_(std::move(options)) {
  progress_.steps = options_.training.training.schedule.total_steps;
}

void QuickTraining::advance() {
  switch (progress_.stage) {
    case QuickTrainingStage::tokenizer:
      make_training();
      progress_.stage = QuickTrainingStage::baseline;
      return;
    case QuickTrainingStage::baseline:
      measure_baseline();
      progress_.stage = QuickTrainingStage::training;
      return;
    case QuickTrainingStage::training:
      step();
      if (progress_.step == progress_.steps) progress_.stage = QuickTrainingStage::bundle;
      return;
    case QuickTrainingStage::bundle:
      fail(ErrorCode::invalid_option, str("train: expected no step after the last, step ", progress_.step));
  }
}

void QuickTraining::make_training() {
  const bool lines = options_.training.unit == DocumentUnit::line;
  SplitText split = options_.overfit ? SplitText{options_.text, ""}
                    : lines          ? split_lines(options_.text)
                                     : split_stream(options_.text);
  std::vector<std::string> held_out;
  if (!split.held_out.empty()) held_out.push_back(std::move(split.held_out));
  training_ = std::make_unique<TextTraining>(std::vector<std::string>{std::move(split.training)}, std::move(held_out),
                                             options_.training);
  progress_.parameters = training_->config().parameter_count();
}

/// Counts what is learned from, and predicts what the model will be scored on.
void QuickTraining::measure_baseline() {
  if (!options_.overfit && !training_->has_held_out()) return;
  const TokenId mark = training_->mark();
  std::vector<std::vector<TokenId>> learned;
  for (std::vector<TokenId>& document : training_->documents()) {
    learned.push_back(marked(std::move(document), mark, options_.overfit ? -1 : mark));
  }
  const NgramModel counts = NgramModel::train(learned, {.vocab_size = training_->config().vocab_size});
  std::vector<std::vector<TokenId>> scored = learned;
  if (!options_.overfit) {
    scored.clear();
    for (std::vector<TokenId>& document : training_->held_out_documents()) {
      scored.push_back(marked(std::move(document), mark, -1));
    }
  }
  double loss = 0;
  std::size_t tokens = 0;
  for (const std::vector<TokenId>& document : scored) {
    loss += counts.loss(document);
    tokens += document.size() - 1;
  }
  progress_.baseline_loss = loss / static_cast<double>(tokens);
}

void QuickTraining::step() {
  const StepReport report = training_->trainer().step();
  progress_.step = report.step + 1;
  progress_.loss = report.loss;
  progress_.gradient_norm = report.gradient_norm;
  progress_.learning_rate = report.learning_rate;
  progress_.tokens_seen += report.rows;
  const std::uint64_t interval = std::max<std::uint64_t>(1, progress_.steps / kEvaluations);
  if (training_->has_held_out() && progress_.step % interval == 0) {
    progress_.held_out_loss = training_->evaluate(kEvaluatedDocuments).totals.mean_loss();
  }
}

Bundle QuickTraining::finish() {
  VITRINE_CHECK(progress_.step > 0, ErrorCode::aborted, "train: expected at least one step, found it stopped before");
  BundleContent labels;
  labels.name = options_.name;
  labels.model_version = "1.0.0";
  labels.policy = training_->default_policy();
  Bundle bundle = training_->finish(std::move(labels));
  if (training_->has_held_out()) {
    progress_.held_out_loss = bundle.manifest.held_out.value().at("loss_nats").get<double>();
  }
  return bundle;
}

Json quick_training_json(const QuickTrainingProgress& progress) {
  constexpr std::array kStages = {"tokenizer", "baseline", "training", "bundle"};
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"stage", kStages[static_cast<std::size_t>(progress.stage)]},
          {"step", progress.step},
          {"steps", progress.steps},
          {"loss", number(progress.loss)},
          {"held_out_loss", number(progress.held_out_loss)},
          {"baseline_loss", number(progress.baseline_loss)},
          {"gradient_norm", number(progress.gradient_norm)},
          {"learning_rate", number(progress.learning_rate)},
          {"parameters", progress.parameters},
          {"tokens_seen", progress.tokens_seen}};
}

Json trained_json(const QuickTrainingProgress& progress, const Bundle& bundle, const Session& session) {
  const Json so_far = quick_training_json(progress);
  Json json = {{"steps", progress.step}};
  for (const char* key : {"loss", "held_out_loss", "baseline_loss"}) json[key] = so_far.at(key);
  json["description"] = describe_json(session);
  json["files"] = Json::array({kManifestFile});
  for (const ManifestPart& part : bundle.manifest.parts) json["files"].push_back(part.file);
  return json;
}

std::string bundle_file(const Bundle& bundle, std::string_view name) {
  if (name == kManifestFile) return write_manifest(bundle.manifest);
  for (const ManifestPart& part : bundle.manifest.parts) {
    if (part.file == name) return bundle.part(part.name);
  }
  fail(ErrorCode::bad_manifest, str("bundle ", in_quotes(bundle.manifest.name),
                                    ": expected the name of one of its files, found ", in_quotes(name)));
}

}  // namespace vitrine
