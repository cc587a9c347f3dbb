// Text in front of the n-gram model: documents become tokens here, by the tokenizer of a loaded bundle.
#include "session/text_baseline.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "generate/stop_matcher.hpp"
#include "kernels/scalar_math.hpp"
#include "sampling/pipeline.hpp"
#include "session/text_stream.hpp"

namespace vitrine {
namespace {

const std::string& tokenizer_sha256(const LoadedModel& bundle) { return bundle.manifest.require("tokenizer").sha256; }

const NgramFile& checked(const LoadedModel& bundle, const NgramFile& file) {
  VITRINE_CHECK(file.tokenizer_sha256 == tokenizer_sha256(bundle), ErrorCode::bad_data,
                "baseline: expected one made with the bundle's tokenizer of SHA-256 ", tokenizer_sha256(bundle),
                ", found ", file.tokenizer_sha256);
  return file;
}

}  // namespace

NgramFile make_baseline(const LoadedModel& bundle, std::string_view text, NgramOptions options) {
  options.vocab_size = bundle.tokenizer.vocab_size();
  NgramFile file{options, tokenizer_sha256(bundle), bundle.encode_documents(text)};
  if (bundle.begin_token < 0) return file;
  for (std::vector<TokenId>& document : file.documents) {
    document.insert(document.begin(), bundle.begin_token);
    document.push_back(bundle.begin_token);
  }
  return file;
}

TextBaseline::TextBaseline(const LoadedModel& bundle, const NgramFile& file)
    : bundle_(&bundle), model_(NgramModel::train(checked(bundle, file).documents, file.options)) {}

TextEvaluation TextBaseline::evaluate(std::string_view text) const {
  const std::vector<std::vector<TokenId>> documents = bundle_->encode_documents(text);
  TextEvaluation evaluation;
  evaluation.documents = documents.size();
  std::vector<double> probabilities(model_.options().vocab_size);
  std::vector<TokenId> sequence;
  for (const std::vector<TokenId>& document : documents) {
    sequence.clear();
    if (bundle_->begin_token >= 0) sequence.push_back(bundle_->begin_token);
    sequence.insert(sequence.end(), document.begin(), document.end());
    evaluation.totals.loss_sum += model_.loss(sequence);
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      model_.probabilities(std::span(sequence).first(i), probabilities);
      const auto best = std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin();
      evaluation.totals.correct += best == sequence[i] ? 1 : 0;
      evaluation.totals.tokens += 1;
      evaluation.bytes += bundle_->text_bytes(sequence[i]).size();
    }
  }
  VITRINE_CHECK(evaluation.totals.tokens > 0, ErrorCode::bad_data,
                "baseline: expected at least two tokens, found none to predict");
  return evaluation;
}

RowResult TextBaseline::complete(std::string_view prompt, const Policy& policy, std::uint64_t stream) const {
  VITRINE_CHECK(policy.seed.has_value(), ErrorCode::invalid_option, "baseline: expected a policy with a seed");
  std::vector<TokenId> sequence = bundle_->encode_prompt(prompt);
  RowResult result;
  result.policy = policy;
  result.prompt_tokens = sequence.size();
  const RandomStream random(*policy.seed, stream);
  SamplingPipeline pipeline(model_.options().vocab_size);
  StopMatcher matcher(policy.stop);
  TextStream characters;
  std::vector<double> probabilities(model_.options().vocab_size);
  std::vector<float> logits(probabilities.size());
  while (result.finish == FinishReason::none) {
    model_.probabilities(sequence, probabilities);
    std::transform(probabilities.begin(), probabilities.end(), logits.begin(),
                   [](double p) { return static_cast<float>(kernels::log_double(p)); });
    const TokenId token = pipeline.draw(logits, policy, random, result.ids.size()).token;
    sequence.push_back(token);
    result.ids.push_back(token);
    if (std::ranges::find(policy.stop_tokens, token) != policy.stop_tokens.end()) {
      result.finish = FinishReason::stop_token;
      continue;
    }
    result.text += characters.push(matcher.push(bundle_->text_bytes(token)));
    if (matcher.matched()) {
      result.finish = FinishReason::stop_string;
    } else if (result.ids.size() >= policy.max_new_tokens) {
      result.finish = FinishReason::length;
    }
  }
  result.text += characters.push(matcher.finish());
  result.text += characters.finish();
  return result;
}

}  // namespace vitrine
