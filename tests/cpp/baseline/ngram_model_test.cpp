#include "baseline/ngram_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "base/rng.hpp"
#include "base/sha256.hpp"
#include "support/expect_error.hpp"

namespace vitrine {
namespace {

using Tokens = std::vector<TokenId>;
using Documents = std::vector<Tokens>;

/// Documents of 1 to 12 tokens below V, small ones more often. With `marked`, token 0 stands before and after each.
Documents random_documents(std::size_t count, std::size_t vocab_size, bool marked, std::uint64_t seed) {
  RandomStream random(seed);
  Documents documents;
  for (std::size_t i = 0; i < count; ++i) {
    Tokens& document = documents.emplace_back();
    const std::size_t length = 1 + random.next_below(12);
    if (marked) document.push_back(0);
    for (std::size_t j = 0; j < length; ++j) {
      document.push_back(static_cast<TokenId>(random.next_below(1 + random.next_below(vocab_size))));
    }
    if (marked) document.push_back(0);
  }
  return documents;
}

/// The definition, word by word, in maps: slow and without a trie.
class PlainModel {
 public:
  PlainModel(const Documents& documents, const NgramOptions& options) : options_(options) {
    for (const Tokens& document : documents) {
      for (std::size_t k = 1; k <= options.order; ++k) {
        for (std::size_t i = 0; i + k <= document.size(); ++i) {
          const Tokens ngram(document.begin() + static_cast<std::ptrdiff_t>(i),
                             document.begin() + static_cast<std::ptrdiff_t>(i + k));
          if (k == 1 && i == 0) continue;
          if (k == options.order || i == 0) ++occurrences_[ngram];
          if (k < options.order && i > 0) before_[ngram].insert(document[i - 1]);
        }
      }
    }
    for (const auto& [ngram, times] : occurrences_) counts_[ngram] += times;
    for (const auto& [ngram, tokens] : before_) counts_[ngram] += static_cast<double>(tokens.size());
  }

  double probability(Tokens context, TokenId token) const {
    if (context.size() >= options_.order)
      context.erase(context.begin(), context.end() - (static_cast<long>(options_.order) - 1));
    double lower = 1.0 / static_cast<double>(options_.vocab_size);
    if (!context.empty()) lower = probability(Tokens(context.begin() + 1, context.end()), token);
    double total = 0.0, different = 0.0, count = 0.0;
    for (TokenId w = 0; w < static_cast<TokenId>(options_.vocab_size); ++w) {
      Tokens ngram = context;
      ngram.push_back(w);
      const auto found = counts_.find(ngram);
      if (found == counts_.end()) continue;
      total += found->second;
      different += 1.0;
      if (w == token) count = found->second;
    }
    if (total == 0.0) return lower;
    const double discount = options_.discount;
    return std::max(count - discount, 0.0) / total + discount * different / total * lower;
  }

 private:
  NgramOptions options_;
  std::map<Tokens, double> occurrences_, counts_;
  std::map<Tokens, std::set<TokenId>> before_;
};

Tokens random_context(RandomStream& random, std::size_t vocab_size) {
  Tokens context(random.next_below(7));
  for (TokenId& token : context) token = static_cast<TokenId>(random.next_below(1 + random.next_below(vocab_size)));
  return context;
}

TEST_CASE("a bigram model is the one that pencil and paper give") {
  const Documents documents = {{0, 1, 2}, {0, 1, 3}, {0, 2}};
  const NgramModel model = NgramModel::train(documents, {.order = 2, .vocab_size = 4, .discount = 0.5});
  CHECK(model.ngram_count(1) == 4);
  CHECK(model.ngram_count(2) == 4);
  // 2 stands after two different tokens, 1 and 3 after one; half of each goes to all four alike.
  const Tokens unseen = {3};
  const double p1[] = {0.09375, 0.21875, 0.46875, 0.21875};
  for (TokenId token = 0; token < 4; ++token) CHECK(model.probability(unseen, token) == p1[token]);
  CHECK(model.probability({}, 2) == 0.46875);
  const Tokens after_1 = {1};
  const double p2[] = {0.046875, 0.109375, 0.484375, 0.359375};
  for (TokenId token = 0; token < 4; ++token) CHECK(model.probability(after_1, token) == p2[token]);
  const Tokens after_0 = {0};
  CHECK(model.probability(after_0, 1) == (1.5 + 0.21875) / 3);
  const double loss = -std::log((1.5 + 0.21875) / 3) - std::log(0.484375);
  CHECK(std::abs(model.loss(documents[0]) - loss) < 1e-15);
}

TEST_CASE("a trigram model counts what stands before a bigram, and the documents that it begins") {
  const NgramModel model =
      NgramModel::train(Documents{{0, 1, 2}, {0, 1, 2}, {0, 3, 2}}, {.order = 3, .vocab_size = 4, .discount = 0.5});
  // (1, 2) occurs twice but only after 0, so counts once; (0, 1) begins two documents and counts twice.
  const double after_1 = 0.5 + 0.5 * 0.46875;
  CHECK(model.probability(Tokens{3, 1}, 2) == after_1);
  CHECK(model.probability(Tokens{0}, 1) == (1.5 + 0.21875) / 3);
  CHECK(model.probability(Tokens{0, 1}, 2) == (1.5 + 0.5 * after_1) / 2);
  CHECK(model.probability(Tokens{2, 0, 1}, 2) == (1.5 + 0.5 * after_1) / 2);
}

TEST_CASE("a unigram model counts the tokens that are predicted") {
  const NgramModel model =
      NgramModel::train(Documents{{0, 1, 1}, {0, 0, 1}}, {.order = 1, .vocab_size = 4, .discount = 1.0});
  const Tokens any = {1, 1, 1};
  const double p[] = {0.125, 0.625, 0.125, 0.125};
  for (TokenId token = 0; token < 4; ++token) CHECK(model.probability(any, token) == p[token]);
}

TEST_CASE("discounts are estimated for each order from the n-grams that count once and twice") {
  const NgramModel model = NgramModel::train(Documents{{0, 1, 2}, {0, 1, 3}, {0, 2}}, {.order = 2, .vocab_size = 4});
  CHECK(model.discount(1) == 2.5 / 5.5);  // 1 and 3 once, 2 twice
  CHECK(model.discount(2) == 3.5 / 6.5);  // (0, 2), (1, 2) and (1, 3) once, (0, 1) twice
  const NgramModel thrice = NgramModel::train(Documents{{0, 1}, {0, 1}, {0, 1}}, {.order = 2, .vocab_size = 2});
  CHECK(thrice.discount(2) == 0.5 / 1.5);  // neither: still above 0, so that no probability is 0
  CHECK(thrice.probability(Tokens{0}, 0) > 0.0);
}

TEST_CASE("every order gives the probabilities of the definition, with and without marks") {
  RandomStream random(11);
  for (const bool marked : {true, false}) {
    for (std::size_t order = 1; order <= 5; ++order) {
      const NgramOptions options = {.order = order, .vocab_size = 6, .discount = 0.7};
      const Documents documents = random_documents(60, 6, marked, order);
      const NgramModel model = NgramModel::train(documents, options);
      const PlainModel plain(documents, options);
      for (int trial = 0; trial < 60; ++trial) {
        const Tokens context = random_context(random, 6);
        for (TokenId token = 0; token < 6; ++token) {
          // Five orders of at most five roundings each, on numbers below 1.
          CHECK(std::abs(model.probability(context, token) - plain.probability(context, token)) < 25 * 0x1p-53);
        }
      }
    }
  }
}

TEST_CASE("probabilities sum to one, and are those of single tokens bit for bit") {
  RandomStream random(12);
  for (const std::size_t order : {1u, 2u, 3u, 5u, 9u, 32u}) {
    const std::size_t vocab_size = 40;
    const NgramModel model =
        NgramModel::train(random_documents(200, vocab_size, true, order), {.order = order, .vocab_size = vocab_size});
    std::vector<double> out(vocab_size);
    for (int trial = 0; trial < 100; ++trial) {
      Tokens context = random_context(random, vocab_size);
      if (trial % 2 == 0) context.insert(context.begin(), 0);
      std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
      model.probabilities(context, out);
      const double sum = std::accumulate(out.begin(), out.end(), 0.0);
      CHECK(std::abs(sum - 1.0) < 4.0 * static_cast<double>(order + vocab_size) * 0x1p-53);
      for (std::size_t w = 0; w < vocab_size; ++w) {
        const double alone = model.probability(context, static_cast<TokenId>(w));
        CHECK(std::bit_cast<std::uint64_t>(alone) == std::bit_cast<std::uint64_t>(out[w]));
        CHECK(alone > 0.0);
      }
    }
  }
}

TEST_CASE("one token over and over is learned, to any order") {
  const NgramModel model = NgramModel::train(Documents{Tokens(3000, 1)}, {.order = 32, .vocab_size = 3});
  CHECK(model.ngram_count(32) == 1);
  CHECK(model.probability(Tokens(31, 1), 1) > 0.99);
  std::vector<double> out(3);
  model.probabilities(Tokens(31, 1), out);
  CHECK(std::abs(out[0] + out[1] + out[2] - 1.0) < 1e-14);
}

TEST_CASE("a held-out document that repeats a training document costs less with a longer memory") {
  const Documents documents = random_documents(100, 30, true, 5);
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t order : {1u, 2u, 3u}) {
    const double loss = NgramModel::train(documents, {.order = order, .vocab_size = 30}).loss(documents[7]);
    CHECK(loss < before);
    before = loss;
  }
}

TEST_CASE("what cannot be counted is refused by name") {
  const Documents good = {{0, 1}};
  const auto train = [&](const Documents& documents, NgramOptions options) {
    return NgramModel::train(documents, options);
  };
  CHECK_ERROR(ErrorCode::invalid_option, "order: expected 1 to 32, found 0",
              train(good, {.order = 0, .vocab_size = 2}));
  CHECK_ERROR(ErrorCode::invalid_option, "order", train(good, {.order = 33, .vocab_size = 2}));
  CHECK_ERROR(ErrorCode::invalid_option, "vocab_size", train(good, {.order = 2, .vocab_size = 0}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double discount : {-0.1, 1.1, nan}) {
    CHECK_ERROR(ErrorCode::invalid_option, "discount",
                train(good, {.order = 2, .vocab_size = 2, .discount = discount}));
  }
  CHECK_ERROR(ErrorCode::invalid_token, "found 2", train({{0, 1, 2}}, {.order = 2, .vocab_size = 2}));
  CHECK_ERROR(ErrorCode::invalid_token, "found -1", train({{0, 1}, {-1}}, {.order = 2, .vocab_size = 2}));
  CHECK_ERROR(ErrorCode::bad_data, "at least two tokens", train({{}, {1}}, {.order = 2, .vocab_size = 2}));
  const NgramModel model = train(good, {.order = 2, .vocab_size = 2});
  CHECK_ERROR(ErrorCode::invalid_token, "found 2", model.probability({}, 2));
  CHECK_ERROR(ErrorCode::invalid_token, "found -3", model.probability(Tokens{-3}, 1));
  CHECK_ERROR(ErrorCode::invalid_token, "found 9", model.loss(Tokens{0, 9}));
}

TEST_CASE("every build makes the recorded probabilities") {
  const Documents documents = random_documents(300, 50, true, 17);
  Sha256 hash;
  RandomStream random(18);
  std::vector<double> out(50);
  for (std::size_t order = 1; order <= 6; ++order) {
    const NgramModel model = NgramModel::train(documents, {.order = order, .vocab_size = 50});
    for (int trial = 0; trial < 50; ++trial) {
      model.probabilities(random_context(random, 50), out);
      out.push_back(model.loss(documents[static_cast<std::size_t>(trial)]));
      hash.update({reinterpret_cast<const char*>(out.data()), out.size() * sizeof(double)});
      out.pop_back();
    }
  }
  CHECK(hash.finish_hex() == "f2497ba3a58d6c93479ecaecb5d32f96b384db13979a88290a64ceee204e072e");
}

}  // namespace
}  // namespace vitrine
