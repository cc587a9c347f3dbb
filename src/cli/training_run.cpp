// Tokenizer, data and weights are made in the order in which each needs the one before.
#include "cli/training_run.hpp"

#include <algorithm>
#include <filesystem>

#include "base/check.hpp"
#include "base/half.hpp"
#include "base/sha256.hpp"
#include "cli/text.hpp"
#include "io/atomic_file.hpp"
#include "session/session_json.hpp"
#include "tokenizer/bpe_trainer.hpp"
#include "training/leak_detector.hpp"

namespace vitrine::cli {
namespace {

constexpr std::string_view kMark = "<|endoftext|>";  // stands before every document
constexpr std::uint64_t kMaxCurveBytes = std::uint64_t{64} << 20;
constexpr std::size_t kSelfTestTokens = 32;
constexpr std::size_t kLeakCheckTokens = 8;

/// The weights as a bundle holds them: half the download, and what is measured is what is shipped.
NamedTensors rounded_to_half(const NamedTensors& weights) {
  NamedTensors rounded;
  for (const auto& [name, tensor] : weights) {
    Tensor& half = rounded.insert(tensor);
    half.stored_as = DType::f16;
    for (float& value : half.data) value = f16_to_f32(f32_to_f16(value));
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

TrainingRun::TrainingRun(const TrainOptions& options) : options_(options) {
  template_.begin = kMark;
  template_.unit = options_.unit == "line" ? DocumentUnit::line : DocumentUnit::stream;
  for (const std::string& path : options_.data) text_ += read_text(path);
  if (!options_.held_out.empty()) held_out_ = read_text(options_.held_out);
  learn_tokenizer();

  ModelConfig& config = options_.config;
  config.vocab_size = tokenizer_->vocab_size();
  VITRINE_CHECK(config.n_heads > 0 && config.d_model % config.n_heads == 0, ErrorCode::invalid_option,
                "heads: expected a divisor of --d-model ", config.d_model, ", found ", config.n_heads);
  config.head_dim = config.d_model / config.n_heads;
  config.bos_token = config.eos_token = mark_;
  validate(config);

  dataset_.emplace(encode(text_, 0), DocumentMarks{mark_, mark_}, config.max_seq_len);
  pool_ = std::make_unique<ThreadPool>(options_.threads);
  trainer_ = std::make_unique<Trainer>(config, options_.training, *dataset_, *pool_);
  require_no_leak();
  if (options_.checkpoint.empty()) {
    VITRINE_CHECK(!options_.resume, ErrorCode::invalid_option, "resume: expected a --checkpoint folder, found none");
    return;
  }
  std::error_code ignored;
  std::filesystem::create_directories(options_.checkpoint, ignored);
  const bool found = std::filesystem::exists(checkpoint_file(), ignored);
  VITRINE_CHECK(options_.resume || !found, ErrorCode::invalid_option,
                "checkpoint: expected an empty folder, or --resume; found ", in_quotes(checkpoint_file()));
  if (!found) return;
  trainer_->load(checkpoint_file());
  if (std::filesystem::exists(curve_file(), ignored)) curve_ = read_file(curve_file(), kMaxCurveBytes);
}

void TrainingRun::learn_tokenizer() {
  BpeTrainerOptions bpe;
  bpe.vocab_size = options_.vocab_size;
  bpe.special_tokens = {std::string(kMark)};
  tokenizer_ = train_bpe(std::string_view(text_), bpe);
  mark_ = *tokenizer_->special(kMark);
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

std::vector<std::vector<TokenId>> TrainingRun::encode(std::string_view text, std::size_t documents) const {
  const std::vector<std::string_view> all = split_documents(text, template_.unit);
  const std::size_t stride = documents == 0 ? 1 : std::max<std::size_t>(1, all.size() / documents);
  std::vector<std::vector<TokenId>> encoded;
  for (std::size_t i = 0; i < all.size(); i += stride) encoded.push_back(tokenizer_->encode(all[i]));
  return encoded;
}

TextEvaluation TrainingRun::evaluate(std::size_t documents) {
  Transformer model(options_.config, rounded_to_half(trainer_->weights()),
                    {options_.config.max_seq_len, options_.threads});
  return evaluate_documents(model, *tokenizer_, encode(*held_out_, documents), mark_);
}

void TrainingRun::save(const std::string& curve_lines) {
  curve_ += curve_lines;
  if (options_.checkpoint.empty()) return;
  trainer_->save(checkpoint_file());
  write_file_atomically(curve_file(), curve_);
}

void TrainingRun::describe(Manifest& manifest, const std::optional<TextEvaluation>& held_out) const {
  const TrainingOptions& training = options_.training;
  if (!options_.corpus.empty()) manifest.corpus = parse_json(read_text(options_.corpus), options_.corpus);
  manifest.training = {{"steps", trainer_->steps_done()},
                       {"steps_planned", training.schedule.total_steps},
                       {"batch_rows", training.batch_rows},
                       {"accumulation", training.accumulation},
                       {"learning_rate", training.schedule.peak},
                       {"min_learning_rate", training.schedule.minimum},
                       {"warmup_steps", training.schedule.warmup_steps},
                       {"weight_decay", training.weight_decay},
                       {"clip_norm", training.clip_norm},
                       {"seed", training.seed},
                       {"data_sha256", sha256_hex(text_)},
                       {"data_bytes", text_.size()},
                       {"data_tokens", dataset_->tokens().size()}};
  if (held_out) {
    manifest.held_out = evaluation_json(*held_out);
    manifest.held_out["data_sha256"] = sha256_hex(*held_out_);
  }
}

TrainedModel TrainingRun::finish() {
  BundleContent content;
  content.name = options_.name;
  content.model_version = options_.model_version;
  content.config = options_.config;
  content.weights = rounded_to_half(trainer_->weights());
  content.tokenizer = tokenizer_->data();
  content.prompt_template = template_;
  content.policy.max_new_tokens = 64;
  content.policy.stop_tokens = stop_tokens(*tokenizer_, template_.unit, mark_);
  // The beginning of the training text is as good a test vector as any.
  content.self_test_tokens = {mark_};
  const std::size_t count = std::min({kSelfTestTokens, dataset_->targets().size(), options_.config.max_seq_len - 1});
  const auto first = dataset_->targets().first(count);
  content.self_test_tokens.insert(content.self_test_tokens.end(), first.begin(), first.end());

  TrainedModel model;
  model.bundle = make_bundle(content);
  model.parameters = options_.config.parameter_count();
  model.vocab_size = options_.config.vocab_size;
  model.train_tokens = dataset_->targets().size();
  describe(model.bundle.manifest, held_out_ ? std::optional(evaluate(0)) : std::nullopt);
  for (const std::string& part : options_.parts) {
    const std::size_t equals = part.find('=');
    VITRINE_CHECK(equals != std::string::npos && equals > 0, ErrorCode::invalid_option,
                  "part: expected name=path, found ", in_quotes(part));
    const std::string path = part.substr(equals + 1);
    model.bundle.set_part(part.substr(0, equals), std::filesystem::path(path).filename().string(), read_text(path));
  }
  return model;
}

}  // namespace vitrine::cli
