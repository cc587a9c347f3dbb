// Tokenizer, data and weights are made in the order in which each needs the one before.
#include "session/text_training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/half.hpp"
#include "base/sha256.hpp"
#include "session/session_json.hpp"
#include "tokenizer/bpe_trainer.hpp"
#include "training/leak_detector.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kDocumentMark = "<|endoftext|>";  // stands before every document
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

}  // namespace

TextTraining::TextTraining(std::vector<std::string> texts, std::vector<std::string> held_out,
                           const TextTrainingOptions& options)
    : options_(options), texts_(std::move(texts)), held_out_(std::move(held_out)) {
  BpeTrainerOptions bpe;
  bpe.vocab_size = options_.vocab_size;
  bpe.special_tokens = {std::string(kDocumentMark)};
  const std::vector<std::string_view> views(texts_.begin(), texts_.end());
  tokenizer_ = train_bpe(views, bpe);
  mark_ = *tokenizer_->special(kDocumentMark);
  make_trainer();
}

void TextTraining::make_trainer() {
  ModelConfig& config = options_.config;
  config.vocab_size = tokenizer_->vocab_size();
  VITRINE_CHECK(config.n_heads > 0 && config.d_model % config.n_heads == 0, ErrorCode::invalid_option,
                "heads: expected a divisor of the width ", config.d_model, ", found ", config.n_heads);
  config.head_dim = config.d_model / config.n_heads;
  config.bos_token = config.eos_token = mark_;
  validate(config);
  const TokenId end = options_.only_first_tokens > 0 ? -1 : mark_;
  dataset_.emplace(documents(), DocumentMarks{mark_, end}, config.max_seq_len);
  pool_ = std::make_unique<ThreadPool>(options_.threads);
  trainer_ = std::make_unique<Trainer>(config, options_.training, *dataset_, *pool_);
  trainer_->inject(options_.fault);
  require_no_leak();
}

/// The beginning of the training text is enough: a leak is one of the code.
void TextTraining::require_no_leak() {
  const std::size_t count = std::min(kLeakCheckTokens, dataset_->runs().front().length);
  const auto tokens = dataset_->tokens().first(count), targets = dataset_->targets().first(count);
  const TrainingBatch batch{{tokens.begin(), tokens.end()}, {targets.begin(), targets.end()}, {{0, count}}};
  const auto leak = detect::gradient_leak(*trainer_, batch);
  VITRINE_CHECK(!leak, ErrorCode::internal, "train: ", leak->where, ": expected ", leak->expected, ", found ",
                leak->found);
}

/// What a text ends with: the mark and, for lines, the newline.
Policy TextTraining::default_policy() const {
  Policy policy;
  policy.max_new_tokens = 64;
  policy.stop_tokens = {mark_};
  if (options_.unit == DocumentUnit::line) policy.stop_tokens.push_back(*tokenizer_->find("\n"));
  return policy;
}

std::vector<std::vector<TokenId>> TextTraining::documents() const {
  if (options_.only_first_tokens == 0) return encode(texts_, 0);
  std::vector<TokenId> first;
  for (const std::string& text : texts_) {
    const std::vector<TokenId> tokens = tokenizer_->encode(text);
    first.insert(first.end(), tokens.begin(), tokens.end());
  }
  first.resize(std::min(first.size(), options_.only_first_tokens));
  return {std::move(first)};
}

std::vector<std::vector<TokenId>> TextTraining::encode(const std::vector<std::string>& texts,
                                                       std::size_t documents) const {
  std::vector<std::string_view> all;
  for (const std::string& text : texts) {
    const std::vector<std::string_view> split = split_documents(text, options_.unit);
    all.insert(all.end(), split.begin(), split.end());
  }
  const std::size_t stride = documents == 0 ? 1 : std::max<std::size_t>(1, all.size() / documents);
  std::vector<std::vector<TokenId>> encoded;
  for (std::size_t i = 0; i < all.size(); i += stride) encoded.push_back(tokenizer_->encode(all[i]));
  return encoded;
}

TextEvaluation TextTraining::evaluate(std::size_t documents, const std::function<bool()>& stop) {
  Transformer model(options_.config, rounded_to_half(trainer_->weights()),
                    {options_.config.max_seq_len, options_.threads});
  return evaluate_documents(model, *tokenizer_, encode(held_out_, documents), mark_, stop);
}

void TextTraining::describe(Manifest& manifest, const std::optional<TextEvaluation>& held_out) const {
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

Bundle TextTraining::finish(BundleContent labels, const std::function<bool()>& stop) {
  const std::optional<TextEvaluation> held_out = has_held_out() ? std::optional(evaluate(0, stop)) : std::nullopt;
  labels.config = options_.config;
  labels.tokenizer = tokenizer_->data();
  labels.prompt_template = {std::string(kDocumentMark), options_.unit};
  labels.weights = rounded_to_half(trainer_->weights());
  // The beginning of the training text is as good a test vector as any, if the context holds it.
  const std::size_t context = options_.config.max_seq_len;
  const auto first = dataset_->targets().first(std::min({kSelfTestTokens, context - 1, dataset_->targets().size()}));
  labels.self_test_tokens = {mark_};
  labels.self_test_tokens.insert(labels.self_test_tokens.end(), first.begin(), first.end());
  Bundle bundle = make_bundle(labels);
  describe(bundle.manifest, held_out);
  return bundle;
}

}  // namespace vitrine
