// NgramModel: an n-gram model over token ids, interpolated and smoothed after Kneser and Ney: what counting alone can
// predict. The measure that a trained model has to beat, and what stands in for it. It knows no text and no file.
//
// For a token w after a context h of k - 1 tokens, from the empty context to the longest one that was ever seen:
//   p_0(w)     = 1 / V
//   p_k(w | h) = (max(a(hw) - D_k, 0) + D_k |{v : a(hv) > 0}| p_{k-1}(w | h less its first token)) / sum_v a(hv)
//   a(g)       = how often g occurs, if it has the highest order; else how many different tokens stand before it, and
//                one for each document that it begins, where no token stands before it
//   D_k        = n_1 / (n_1 + 2 n_2), n_i being the number of n-grams g of order k with a(g) = i
// Sources: Chen and Goodman, "An empirical study of smoothing techniques for language modeling", TR-10-98, 2.6 (the
// discount) and 2.7 (the rest); Heafield et al., "Scalable modified Kneser-Ney language model estimation", ACL 2013, 3
// (beginnings). Their modified form with three discounts was measured and is worse here (docs/LOG.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/token_id.hpp"

namespace vitrine {

struct NgramOptions {
  static constexpr std::size_t kMaxOrder = 32;

  std::size_t order = 5;       ///< tokens of the longest n-gram, the predicted one included; 1 to kMaxOrder
  std::size_t vocab_size = 0;  ///< V
  double discount = 0.0;       ///< D of every order, above 0 and at most 1; 0: estimated for each order

  bool operator==(const NgramOptions&) const = default;
};

/// Immutable. Integers and + - * / on doubles in a fixed order: the same documents give the same bits on every machine.
class NgramModel {
 public:
  /// Counts. A document is what training/dataset.hpp makes a model read: the token that begins it, its tokens, the
  /// token that ends it; the first one is never predicted, and no n-gram reaches across documents. Takes
  /// O(order * tokens * log tokens) time and 8 to 12 bytes an n-gram. Throws invalid_option for options out of range,
  /// invalid_token, and bad_data when there is nothing to predict or there are 2^32 tokens or more.
  static NgramModel train(std::span<const std::vector<TokenId>> documents, const NgramOptions& options);

  const NgramOptions& options() const { return options_; }

  /// The probability of a token after a context [any length], of which the last order - 1 tokens count. Above 0.
  /// Throws invalid_token.
  double probability(std::span<const TokenId> context, TokenId token) const;

  /// The same for every token: out [V]. They sum to 1, up to rounding.
  void probabilities(std::span<const TokenId> context, std::span<double> out) const;

  /// Cross entropy in nats of every token but the first after those before it, summed from the first on.
  double loss(std::span<const TokenId> document) const;

  /// How many different n-grams of k tokens there are, 1 <= k <= order.
  std::size_t ngram_count(std::size_t k) const { return levels_[k].tokens.size(); }
  /// D_k.
  double discount(std::size_t k) const { return levels_[k].discount; }
  /// Memory of the n-grams.
  std::size_t bytes() const;

 private:
  /// The n-grams of k tokens, in the order of their tokens: level k of a trie of which level 0 is the empty n-gram.
  struct Level {
    std::vector<TokenId> tokens;           // the last token of each
    std::vector<std::uint32_t> counts;     // a(g)
    std::vector<std::uint32_t> extension;  // [n + 1] where those that go on from each begin in the next level
    double discount = 0.0;
  };
  /// Consecutive n-grams of one level.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  /// sum_v a(hv), and the weight that p_{k-1} gets before it is divided by that.
  struct Mass {
    double total;
    double held_back;
  };

  explicit NgramModel(const NgramOptions& options) : options_(options), levels_(options.order + 1) {}

  void add_ngrams(std::span<const std::vector<TokenId>> documents);
  void count_tokens_before();
  void count_beginnings(std::span<const std::vector<TokenId>> documents);
  void estimate_discount(Level& level) const;

  Range extensions(std::size_t k, std::size_t ngram) const;
  std::size_t find(std::size_t k, Range range, TokenId token) const;
  bool find_extensions(std::span<const TokenId> context, Range& range) const;
  Mass mass(const Level& level, Range range) const;
  void check_token(TokenId token) const;
  std::span<const TokenId> visible(std::span<const TokenId> context) const;

  NgramOptions options_;
  std::vector<Level> levels_;     // [order + 1]
  std::vector<double> unigrams_;  // [V] p_1
};

}  // namespace vitrine
