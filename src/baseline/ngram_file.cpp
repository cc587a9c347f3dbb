// Reading and writing of baselines: a file holds the documents, and loading counts them again.
#include "baseline/ngram_file.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/sha256.hpp"
#include "io/sealed_file.hpp"

namespace vitrine {
namespace {

constexpr SealedKind kBaseline = {"vitrine-baseline", "1", ErrorCode::bad_data};
constexpr std::size_t kMaxInteger = std::size_t{1} << 24;  // up to here float32 has every integer

Tensor integers(const std::string& name, std::vector<float> numbers) {
  const std::uint64_t count = numbers.size();
  return {name, {count}, std::move(numbers), DType::f32};
}

/// The numbers of a one-dimensional tensor, each an integer from 0 to `max`.
std::vector<std::size_t> read_integers(const NamedTensors& tensors, std::string_view name, std::size_t max,
                                       std::string_view where) {
  const Tensor* tensor = tensors.find(name);
  VITRINE_CHECK(tensor != nullptr && tensor->shape.size() == 1, ErrorCode::bad_data, where, ": ", name,
                ": expected a list of integers, found ",
                tensor == nullptr ? "none" : "shape " + shape_text(tensor->shape));
  std::vector<std::size_t> result;
  result.reserve(tensor->data.size());
  for (const float number : tensor->data) {
    const bool good = number >= 0.0F && number <= static_cast<float>(max) && number == std::floor(number);
    VITRINE_CHECK(good, ErrorCode::bad_data, where, ": ", name, ": expected integers from 0 to ", max, ", found ",
                  number);
    result.push_back(static_cast<std::size_t>(number));
  }
  return result;
}

NgramFile read_state(const Json& state, std::string_view where) {
  JsonObjectReader reader(state, str(where, ": state"), ErrorCode::bad_data);
  NgramFile file;
  file.options.order = reader.unsigned_integer("order", 1, NgramOptions::kMaxOrder);
  file.options.vocab_size = reader.unsigned_integer("vocab_size", 1, kMaxInteger);
  file.options.discount = reader.number("discount", 0.0, 1.0);
  file.tokenizer_sha256 = reader.string("tokenizer_sha256");
  if (!is_sha256_hex(file.tokenizer_sha256)) reader.refuse("tokenizer_sha256", "a SHA-256");
  reader.finish();
  return file;
}

}  // namespace

std::string ngram_file_bytes(const NgramFile& file) {
  VITRINE_CHECK(file.options.vocab_size <= kMaxInteger, ErrorCode::bad_data, "baseline: expected at most ", kMaxInteger,
                " tokens in the vocabulary, found ", file.options.vocab_size);
  std::vector<float> tokens;
  std::vector<float> lengths;
  for (const std::vector<TokenId>& document : file.documents) {
    VITRINE_CHECK(document.size() <= kMaxInteger, ErrorCode::bad_data, "baseline: expected at most ", kMaxInteger,
                  " tokens a document, found ", document.size());
    lengths.push_back(static_cast<float>(document.size()));
    for (const TokenId token : document) tokens.push_back(static_cast<float>(token));
  }
  SealedContent content;
  content.tensors.insert(integers("tokens", std::move(tokens)));
  content.tensors.insert(integers("lengths", std::move(lengths)));
  content.state = Json{{"order", file.options.order},
                       {"vocab_size", file.options.vocab_size},
                       {"discount", file.options.discount},
                       {"tokenizer_sha256", file.tokenizer_sha256}};
  return seal(kBaseline, content);
}

NgramFile parse_ngram_file(std::string_view bytes, std::string_view where) {
  const SealedContent content = unseal(kBaseline, bytes, where);
  NgramFile file = read_state(content.state, where);
  const auto tokens = read_integers(content.tensors, "tokens", file.options.vocab_size - 1, where);
  const auto lengths = read_integers(content.tensors, "lengths", kMaxInteger, where);
  VITRINE_CHECK(content.tensors.size() == 2, ErrorCode::bad_data, where, ": expected two tensors, found ",
                content.tensors.size());
  const std::uint64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  VITRINE_CHECK(sum == tokens.size(), ErrorCode::bad_data, where, ": lengths: expected a sum of ", tokens.size(),
                " tokens, found ", sum);
  auto token = tokens.begin();
  for (const std::size_t length : lengths) {
    std::vector<TokenId>& document = file.documents.emplace_back();
    for (std::size_t i = 0; i < length; ++i) document.push_back(static_cast<TokenId>(*token++));
  }
  return file;
}

}  // namespace vitrine
