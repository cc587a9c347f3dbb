#include "baseline/ngram_file.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "base/sha256.hpp"
#include "io/checkpoint_file.hpp"
#include "io/safetensors.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

constexpr auto kBad = ErrorCode::bad_data;

NgramFile small_file() {
  return {{.order = 3, .vocab_size = 5, .discount = 0.25}, sha256_hex("tokenizer"), {{0, 1, 2, 0}, {}, {0, 4, 0}}};
}

NgramFile parse(const std::string& bytes) { return parse_ngram_file(bytes, "b"); }

/// The content of the small file, to be spoiled and sealed again: the hash is then right and the content is not.
SealedContent content() { return unseal({"vitrine-baseline", "1", kBad}, ngram_file_bytes(small_file()), "b"); }
NgramFile parse(const SealedContent& spoiled) { return parse(seal({"vitrine-baseline", "1", kBad}, spoiled)); }

/// The same with one member of the state changed.
NgramFile parse_with(const std::string& key, const Json& value) {
  SealedContent spoiled = content();
  spoiled.state.value()[key] = value;
  return parse(spoiled);
}

/// The same with other numbers in a tensor.
NgramFile parse_with_numbers(const std::string& name, const std::vector<float>& numbers) {
  SealedContent spoiled = content();
  spoiled.tensors.take(name);
  spoiled.tensors.insert({name, {numbers.size()}, numbers, DType::f32});
  return parse(spoiled);
}

TEST_CASE("a baseline reads back as it was written, and gives the same model bit for bit") {
  const NgramFile file = small_file();
  const NgramFile found = parse(ngram_file_bytes(file));
  CHECK(found.options == file.options);
  CHECK(found.tokenizer_sha256 == file.tokenizer_sha256);
  CHECK(found.documents == file.documents);
  CHECK(ngram_file_bytes(found) == ngram_file_bytes(file));
  const double loss = NgramModel::train(file.documents, file.options).loss(file.documents[0]);
  CHECK(NgramModel::train(found.documents, found.options).loss(file.documents[0]) == loss);
}

TEST_CASE("a baseline cut short or with any bit changed is refused, or reads the same") {
  const std::string bytes = ngram_file_bytes(small_file());
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK_ERROR(kBad, "b", parse(bytes.substr(0, size)));
  int accepted = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    try {
      accepted += ngram_file_bytes(parse(changed)) == bytes ? 0 : 1;
    } catch (const Error&) {
      continue;
    }
  }
  CHECK(accepted == 0);
}

TEST_CASE("a file of another kind or version is refused") {
  CHECK_ERROR(kBad, "format: expected vitrine-baseline, found \"vitrine-checkpoint\"", parse(checkpoint_bytes({})));
  CHECK_ERROR(kBad, "__metadata__: expected a field format", parse(write_safetensors({})));
  CHECK_ERROR(ErrorCode::unsupported_format, "version: expected 1, found \"2\"",
              parse(seal({"vitrine-baseline", "2", kBad}, content())));
}

TEST_CASE("options out of range, of another type or unknown are refused by name") {
  CHECK_ERROR(kBad, "order", parse_with("order", 0));
  CHECK_ERROR(kBad, "order", parse_with("order", 33));
  CHECK_ERROR(kBad, "order", parse_with("order", "5"));
  CHECK_ERROR(kBad, "vocab_size", parse_with("vocab_size", 0));
  CHECK_ERROR(kBad, "vocab_size", parse_with("vocab_size", UINT64_MAX));
  CHECK_ERROR(kBad, "discount", parse_with("discount", 1.5));
  CHECK_ERROR(kBad, "discount", parse_with("discount", nullptr));
  CHECK_ERROR(kBad, "tokenizer_sha256", parse_with("tokenizer_sha256", "abc"));
  CHECK_ERROR(kBad, "smoothing", parse_with("smoothing", "none"));
  SealedContent spoiled = content();
  spoiled.state.value().erase("order");
  CHECK_ERROR(kBad, "order", parse(spoiled));
  spoiled.state = Json::array();
  CHECK_ERROR(kBad, "state", parse(spoiled));
}

TEST_CASE("numbers that are no tokens or no lengths are refused") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float wrong : {-1.0F, 5.0F, 0.5F, nan, infinity, -infinity}) {
    CHECK_ERROR(kBad, "tokens: expected integers from 0 to 4", parse_with_numbers("tokens", {0, 1, 2, 0, 0, wrong, 0}));
  }
  for (const float wrong : {-1.0F, 1.5F, nan, infinity, 3e7F}) {
    CHECK_ERROR(kBad, "lengths: expected integers", parse_with_numbers("lengths", {4, 0, wrong}));
  }
  CHECK_ERROR(kBad, "lengths: expected a sum of 7 tokens, found 6", parse_with_numbers("lengths", {4, 0, 2}));
  CHECK_ERROR(kBad, "lengths: expected a sum of 7 tokens, found 16777220",
              parse_with_numbers("lengths", {4, 16777216}));
}

TEST_CASE("a tensor missing, of two dimensions or too many is refused") {
  SealedContent spoiled = content();
  Tensor tokens = spoiled.tensors.take("tokens");
  CHECK_ERROR(kBad, "tokens: expected a list of integers, found none", parse(spoiled));
  tokens.shape = {7, 1};
  spoiled.tensors.insert(tokens);
  CHECK_ERROR(kBad, "tokens: expected a list of integers, found shape [7, 1]", parse(spoiled));
  SealedContent more = content();
  more.tensors.insert({"counts", {1}, {1.0F}, DType::f32});
  CHECK_ERROR(kBad, "expected two tensors, found 3", parse(more));
}

TEST_CASE("a vocabulary that float32 cannot count is refused before it is written") {
  NgramFile file = small_file();
  file.options.vocab_size = (std::size_t{1} << 24) + 1;
  CHECK_ERROR(kBad, "tokens in the vocabulary", ngram_file_bytes(file));
}

}  // namespace
}  // namespace vitrine
