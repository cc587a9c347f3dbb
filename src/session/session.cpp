// The facade, but for its rows (session_rows.cpp): loads a bundle, and hands on to the parity check and the evaluation.
#include "session/session.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kCompletionTokens = 24;
constexpr std::size_t kParityTokens = 200;

}  // namespace

Session::Session(const SessionOptions& options) : options_(options) {}

const ManifestPart& Session::incoming_part(const std::string& file) const {
  VITRINE_CHECK(incoming_ != nullptr, ErrorCode::bad_manifest, "bundle: expected ", kManifestFile, " first, found ",
                in_quotes(file));
  const auto& parts = incoming_->manifest.parts;
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& listed) { return listed.file == file; });
  VITRINE_CHECK(part != parts.end(), ErrorCode::bad_manifest, "bundle: expected a file of the manifest, found ",
                in_quotes(file));
  return *part;
}

void Session::expect_file(const std::string& name, std::uint64_t bytes) const {
  if (name == kManifestFile) {
    VITRINE_CHECK(bytes <= kMaxManifestBytes, ErrorCode::bad_manifest, kManifestFile, ": expected at most ",
                  kMaxManifestBytes, " bytes, found ", bytes);
    return;
  }
  const ManifestPart& part = incoming_part(name);
  verify_part_size(incoming_->manifest, part.name, bytes);
}

void Session::add_file(const std::string& name, std::string bytes) {
  expect_file(name, bytes.size());
  if (name == kManifestFile) {
    incoming_ = std::make_unique<Bundle>();
    incoming_->manifest = parse_manifest(bytes);
    return;
  }
  const ManifestPart& part = incoming_part(name);
  verify_part(incoming_->manifest, part.name, bytes);
  incoming_->bytes_by_part[part.name] = std::move(bytes);
}

void Session::load() {
  VITRINE_CHECK(incoming_ != nullptr, ErrorCode::not_loaded, "bundle: expected its files to be added, found none");
  for (const ManifestPart& part : incoming_->manifest.parts) {
    VITRINE_CHECK(incoming_->bytes_by_part.contains(part.name), ErrorCode::part_mismatch, "bundle: part ", part.name,
                  " (", part.file, "): expected ", part.bytes, " bytes, found no such file");
  }
  load(std::move(*std::exchange(incoming_, nullptr)));
}

void Session::load(Bundle bundle) {
  auto model = std::make_unique<LoadedModel>(load_model(
      std::move(bundle),
      {.max_batch_rows = options_.max_rows, .threads = options_.threads, .cache_dtype = options_.cache_dtype}));
  Transformer& transformer = model->transformer;
  const TokenBytes bytes = [loaded = model.get()](TokenId token) { return loaded->text_bytes(token); };
  auto generator =
      std::make_unique<Generator>(transformer, bytes, GeneratorOptions{options_.max_rows, options_.prefill_chunk});
  auto completer = std::make_unique<Generator>(transformer, bytes, GeneratorOptions{1, options_.prefill_chunk});
  rows_.clear();
  full_prefix_cache_ = std::make_unique<KvCache>(transformer.make_cache());
  generator_ = std::move(generator);
  completer_ = std::move(completer);
  model_ = std::move(model);
}

LoadedModel& Session::loaded() const {
  VITRINE_CHECK(model_ != nullptr, ErrorCode::not_loaded, "session: expected a loaded bundle, found none");
  return *model_;
}

std::string Session::decode(std::span<const TokenId> ids) const {
  return replace_invalid_utf8(loaded().tokenizer.decode(ids));
}

Policy Session::effective_policy(const Json& options) const {
  return parse_policy(options, loaded().tokenizer.vocab_size(), loaded().default_policy);
}

Policy Session::completion_policy(const Json& options) const {
  Policy defaults;
  defaults.mode = PolicyMode::greedy;
  defaults.max_new_tokens = kCompletionTokens;
  defaults.stop_tokens = loaded().default_policy.stop_tokens;
  return parse_policy(options, loaded().tokenizer.vocab_size(), defaults);
}

LaneCost Session::cost(std::size_t past, std::size_t computed, std::size_t logits_rows, double milliseconds) const {
  const Transformer& transformer = loaded().transformer;
  return {computed, transformer.multiply_adds(past, computed, logits_rows),
          transformer.bytes_read(past, computed, logits_rows), milliseconds};
}

GrowthPoint Session::growth(std::size_t positions) const {
  const Transformer& transformer = loaded().transformer;
  const std::size_t context = transformer.config().max_seq_len;
  VITRINE_CHECK(positions >= 1 && positions <= context, ErrorCode::invalid_option, "positions: expected 1 to ", context,
                " (the context), found ", positions);
  const KvShape shape = transformer.config().kv_shape(options_.cache_dtype);
  return {positions, positions * kv_position_bytes(shape), cost(positions - 1, 1, 1, 0), cost(0, positions, 1, 0)};
}

std::size_t Session::unfinished_rows() const {
  loaded();
  return generator_->unfinished_rows();
}

KvBytes Session::cache_bytes() const {
  loaded();
  KvBytes sum = full_prefix_cache_->bytes();
  for (const Generator* generator : {generator_.get(), completer_.get()}) sum += generator->cache_bytes();
  return sum;
}

ParityReport Session::check_parity(std::string_view prompt, std::optional<std::size_t> wanted, std::uint64_t seed) {
  LoadedModel& model = loaded();
  const std::size_t context = model.transformer.config().max_seq_len;
  const std::size_t tokens = wanted.value_or(std::min(kParityTokens, context));
  std::vector<TokenId> sequence = model.encode_prompt(prompt);
  VITRINE_CHECK(tokens >= 1 && tokens <= context, ErrorCode::invalid_option, "tokens: expected 1 to ", context,
                " (the context), found ", tokens);
  VITRINE_CHECK(sequence.size() <= tokens, ErrorCode::invalid_option, "tokens: expected at least the ", sequence.size(),
                " of the prompt, found ", tokens);
  if (sequence.size() < tokens) {
    Policy policy;
    policy.seed = seed;
    policy.max_new_tokens = tokens - sequence.size();
    Generator generator(model.transformer, [](TokenId) { return std::string_view(); }, {1, options_.prefill_chunk});
    const RowId id = generator.join({sequence, policy, 0, {}, {}, Fault::none});
    while (generator.row(id).finish == FinishReason::none) {
      const RowEvent event = generator.step(id).front();
      if (event.error) throw *event.error;
    }
    const auto generated = generator.row(id).generated;
    sequence.insert(sequence.end(), generated.begin(), generated.end());
  }
  return vitrine::check_parity(model.transformer, sequence);
}

void Session::inject(Fault fault) {
  loaded().transformer.inject(fault);
  generator_->inject(fault);
  completer_->inject(fault);
}

TextEvaluation Session::evaluate(std::string_view text) {
  LoadedModel& model = loaded();
  const std::vector<std::vector<TokenId>> documents = model.encode_documents(text);
  TextEvaluation evaluation = evaluate_documents(model.transformer, model.tokenizer, documents, model.begin_token);
  evaluation.cache_dtype = options_.cache_dtype;
  return evaluation;
}

}  // namespace vitrine
