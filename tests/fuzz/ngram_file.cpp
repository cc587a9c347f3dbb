// Bytes as the file of a baseline: what is accepted writes back equal, and can be counted.
#include "baseline/ngram_file.hpp"

#include <cmath>

#include "support/repair.hpp"
#include "support/target.hpp"

using namespace vitrine;

namespace {

void check_counts(const NgramFile& file) {
  NgramOptions options = file.options;
  if (options.vocab_size > 4096) return;  // memory in proportion to it is what the caller asks for
  try {
    const NgramModel model = NgramModel::train(file.documents, options);
    std::vector<double> probabilities(options.vocab_size);
    model.probabilities({}, probabilities);
    double sum = 0;
    for (const double p : probabilities) {
      VITRINE_PROMISE(std::isfinite(p) && p > 0, "a probability of ", p);
      sum += p;
    }
    VITRINE_PROMISE(std::abs(sum - 1) < 1e-9 * static_cast<double>(options.vocab_size), "a sum of ", sum);
    for (const auto& document : file.documents) VITRINE_PROMISE(std::isfinite(model.loss(document)), "loss");
  } catch (const Error& error) {
    VITRINE_PROMISE(error.code() == ErrorCode::bad_data, error.message());  // nothing to predict
  }
}

}  // namespace

VITRINE_FUZZ_TARGET(ngram_file, fuzz::repair_sealed) {
  const auto file = fuzz::attempt(input, {}, [&] { return parse_ngram_file(input, "input"); });
  if (!file) return;
  const std::string written = ngram_file_bytes(*file);
  const NgramFile again = parse_ngram_file(written, "written");
  VITRINE_PROMISE(again.options == file->options && again.tokenizer_sha256 == file->tokenizer_sha256, "the state");
  VITRINE_PROMISE(again.documents == file->documents, "the documents read back");
  VITRINE_PROMISE(ngram_file_bytes(again) == written, "equal content gives equal bytes");
  check_counts(*file);
}
