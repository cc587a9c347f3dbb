// Tokenizer, data and weights are made in the order in which each needs the one before.
#include "cli/training_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/half.hpp"
#include "base/sha256.hpp"
#include "cli/policy_file.hpp"
#include "cli/text.hpp"
#include "io/atomic_file.hpp"
#include "session/session_json.hpp"
#include "tokenizer/bpe_trainer.hpp"
#include "training/leak_detector.hpp"

namespace vitrine::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDocumentMark = "<|endoftext|>";  // stands before every document
constexpr std::uint64_t kMaxCurveBytes = std::uint64_t{64} << 20;
constexpr std::size_t kSelfTestTokens = 32;
constexpr std::size_t kLeakCheckTokens = 8;

/// The weights as a bundle holds them: half the download, and what is measured is what is shipped. A run that went
/// astray ends here.
NamedTensors rounded_to_half(const NamedTensors& weights) {
  NamedTensors rounded;
  for (const auto& [name, tensor] : weights) {
    Tensor& half = rounded.insert(tensor);
    half.stored_as = DType::f16;
    for (float& value : half.data) {
      const float found = std::exchange(value, f16_to_f32(f32_to_f16(value)));
      VITRINE_CHECK(std::isfinite(value), ErrorCode::not_finite, name,
                    ": expected numbers that float16 can hold, found ", found);
    }
  }
  return rounded;
}

/// What a bundle's text ends with: the mark and, for lines, the newline.
std::vector<TokenId> stop_tokens(const Tokenizer& tokenizer, DocumentUnit unit, TokenId mark) {
  std::vector<TokenId> tokens = {mark};
  if (unit == DocumentUnit::line) tokens.push_back(*tokenizer.find("\n"));
  return tokens;
}

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
  content_.prompt_template = {std::string(kDocumentMark),
                              options_.unit == "line" ? DocumentUnit::line : DocumentUnit::stream};
  for (const std::string& path : options_.data) texts_.push_back(read_corpus(path));
  if (!options_.held_out.empty()) held_out_.push_back(read_corpus(options_.held_out));
  prepare_checkpoint();
  prepare_bundle();
  learn_tokenizer();
  choose_policy();
  make_trainer();
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
  content_.name = options_.name;
  content_.model_version = options_.model_version;
  if (!options_.corpus.empty()) content_.corpus = parse_json(read_text(options_.corpus), options_.corpus);
  for (const std::string& part : options_.parts) {
    const std::size_t equals = part.find('=');
    VITRINE_CHECK(equals != std::string::npos && equals > 0, ErrorCode::invalid_option,
                  "part: expected name=path, found ", in_quotes(part));
    const std::string path = part.substr(equals + 1);
    content_.extra_parts.push_back({part.substr(0, equals), fs::path(path).filename().string(), read_text(path)});
  }
  label_bundle(content_);
  if (!options_.out.empty()) require_bundle_place(options_.out);
}

void TrainingRun::learn_tokenizer() {
  BpeTrainerOptions bpe;
  bpe.vocab_size = options_.vocab_size;
  bpe.special_tokens = {std::string(kDocumentMark)};
  const std::vector<std::string_view> texts(texts_.begin(), texts_.end());
  tokenizer_ = train_bpe(texts, bpe);
  mark_ = *tokenizer_->special(kDocumentMark);
  content_.tokenizer = tokenizer_->data();
}

/// What generation_config.json cannot hold is refused, rather than forgotten.
void TrainingRun::choose_policy() {
  const std::size_t vocab_size = tokenizer_->vocab_size();
  Policy& policy = content_.policy;
  policy.max_new_tokens = 64;
  policy.stop_tokens = stop_tokens(*tokenizer_, content_.prompt_template.unit, mark_);
  if (options_.policy.empty()) return;
  policy = read_policy_file(options_.policy, vocab_size, policy);
  try {
    write_generation_config(policy);
  } catch (const Error& error) {
    fail(error.code(), str(options_.policy, ": ", error.message()));
  }
}

void TrainingRun::make_trainer() {
  ModelConfig& config = options_.config;
  config.vocab_size = tokenizer_->vocab_size();
  VITRINE_CHECK(config.n_heads > 0 && config.d_model % config.n_heads == 0, ErrorCode::invalid_option,
                "heads: expected a divisor of --d-model ", config.d_model, ", found ", config.n_heads);
  config.head_dim = config.d_model / config.n_heads;
  config.bos_token = config.eos_token = mark_;
  validate(config);
  content_.config = config;
  dataset_.emplace(encode(texts_, 0), DocumentMarks{mark_, mark_}, config.max_seq_len);
  pool_ = std::make_unique<ThreadPool>(options_.threads);
  trainer_ = std::make_unique<Trainer>(config, options_.training, *dataset_, *pool_);
  require_no_leak();
}

void TrainingRun::resume() {
  trainer_->load(checkpoint_file());
  VITRINE_CHECK(options_.until >= trainer_->steps_done(), ErrorCode::invalid_option, "until: expected at least the ",
                trainer_->steps_done(), " steps of the checkpoint, found ", options_.until);
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
    if (last <= trainer_->steps_done()) kept += line;
  }
  return kept;
}

/// The beginning of the training text is enough: a leak is one of the code.
void TrainingRun::require_no_leak() {
  const std::size_t count = std::min(kLeakCheckTokens, dataset_->runs().front().length);
  const auto tokens = dataset_->tokens().first(count), targets = dataset_->targets().first(count);
  const TrainingBatch batch{{tokens.begin(), tokens.end()}, {targets.begin(), targets.end()}, {{0, count}}};
  const auto leak = detect::gradient_leak(*trainer_, batch);
  VITRINE_CHECK(!leak, ErrorCode::internal, "train: ", leak->where, ": expected ", leak->expected, ", found ",
                leak->found);
}

std::vector<std::vector<TokenId>> TrainingRun::encode(const std::vector<std::string>& texts,
                                                      std::size_t documents) const {
  std::vector<std::string_view> all;
  for (const std::string& text : texts) {
    const std::vector<std::string_view> split = split_documents(text, content_.prompt_template.unit);
    all.insert(all.end(), split.begin(), split.end());
  }
  const std::size_t stride = documents == 0 ? 1 : std::max<std::size_t>(1, all.size() / documents);
  std::vector<std::vector<TokenId>> encoded;
  for (std::size_t i = 0; i < all.size(); i += stride) encoded.push_back(tokenizer_->encode(all[i]));
  return encoded;
}

TextEvaluation TrainingRun::evaluate(std::size_t documents) {
  Transformer model(options_.config, rounded_to_half(trainer_->weights()),
                    {options_.config.max_seq_len, options_.threads});
  return evaluate_documents(model, *tokenizer_, encode(held_out_, documents), mark_, stop_);
}

/// The curve first: a run that is killed in between leaves lines too many, which resume() removes, and never too few.
void TrainingRun::save(const std::string& curve_lines) {
  curve_ += curve_lines;
  if (options_.checkpoint.empty()) return;
  write_file_atomically(curve_file(), curve_);
  trainer_->save(checkpoint_file());
}

void TrainingRun::describe(Manifest& manifest, const std::optional<TextEvaluation>& held_out) const {
  const TrainingOptions& training = options_.training;
  const auto sha256 = [](const std::vector<std::string>& texts) {
    Sha256 hash;
    for (const std::string& text : texts) hash.update(text);
    return hash.finish_hex();
  };
  const std::size_t bytes = std::accumulate(texts_.begin(), texts_.end(), std::size_t{0},
                                            [](std::size_t sum, const std::string& text) { return sum + text.size(); });
  manifest.training = Json{{"steps", trainer_->steps_done()},
                           {"steps_planned", training.schedule.total_steps},
                           {"batch_rows", training.batch_rows},
                           {"accumulation", training.accumulation},
                           {"learning_rate", training.schedule.peak},
                           {"min_learning_rate", training.schedule.minimum},
                           {"warmup_steps", training.schedule.warmup_steps},
                           {"weight_decay", training.weight_decay},
                           {"clip_norm", training.clip_norm},
                           {"seed", training.seed},
                           {"data_sha256", sha256(texts_)},
                           {"data_bytes", bytes},
                           {"data_tokens", dataset_->tokens().size()}};
  if (held_out) {
    manifest.held_out = evaluation_json(*held_out);
    manifest.held_out.value()["data_sha256"] = sha256(held_out_);
  }
}

TrainedModel TrainingRun::finish() {
  const std::optional<TextEvaluation> held_out = has_held_out() ? std::optional(evaluate(0)) : std::nullopt;
  content_.weights = rounded_to_half(trainer_->weights());
  // The beginning of the training text is as good a test vector as any, if the context holds it.
  const std::size_t context = options_.config.max_seq_len;
  const auto first = dataset_->targets().first(std::min({kSelfTestTokens, context - 1, dataset_->targets().size()}));
  content_.self_test_tokens = {mark_};
  content_.self_test_tokens.insert(content_.self_test_tokens.end(), first.begin(), first.end());

  TrainedModel model;
  model.bundle = make_bundle(content_);
  model.parameters = options_.config.parameter_count();
  model.vocab_size = options_.config.vocab_size;
  model.train_tokens = dataset_->targets().size();
  describe(model.bundle.manifest, held_out);
  return model;
}

}  // namespace vitrine::cli
