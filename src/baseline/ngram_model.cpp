// Counting by one sort: the n-grams that begin at each place, in the order of their tokens, are a trie written down
// level by level. Contexts are looked up by binary search.
#include "baseline/ngram_model.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.hpp"
#include "kernels/scalar_math.hpp"

namespace vitrine {
namespace {

constexpr TokenId kEndOfDocument = -1;
constexpr std::size_t kNone = SIZE_MAX;

/// Documents one after the other, kEndOfDocument after each, and the places where n-grams begin.
struct Text {
  std::vector<TokenId> tokens;
  std::vector<std::uint32_t> places;
};

Text join(std::span<const std::vector<TokenId>> documents, std::size_t order) {
  std::uint64_t size = 0;
  for (const std::vector<TokenId>& document : documents) size += document.size() + 1;
  VITRINE_CHECK(size <= UINT32_MAX, ErrorCode::bad_data, "n-grams: expected at most ", UINT32_MAX,
                " tokens and documents, found ", size);
  Text text;
  text.tokens.reserve(size);
  for (const std::vector<TokenId>& document : documents) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      // A single token is an n-gram only where it is predicted; longer ones may begin with the first.
      if (order > 1 || i > 0) text.places.push_back(static_cast<std::uint32_t>(text.tokens.size()));
      text.tokens.push_back(document[i]);
    }
    text.tokens.push_back(kEndOfDocument);
  }
  return text;
}

/// Sorts the places by their first `order` tokens; what meets the end of its document comes first.
void sort_places(Text& text, std::size_t order) {
  const TokenId* tokens = text.tokens.data();
  std::sort(text.places.begin(), text.places.end(), [tokens, order](std::uint32_t a, std::uint32_t b) {
    for (std::size_t k = 0; k < order; ++k) {
      const TokenId left = tokens[a + k];
      const TokenId right = tokens[b + k];
      if (left != right) return left < right;
      if (left == kEndOfDocument) return false;
    }
    return false;
  });
}

void check(std::span<const std::vector<TokenId>> documents, const NgramOptions& options) {
  VITRINE_CHECK(options.order >= 1 && options.order <= NgramOptions::kMaxOrder, ErrorCode::invalid_option,
                "order: expected 1 to ", NgramOptions::kMaxOrder, ", found ", options.order);
  VITRINE_CHECK(options.vocab_size >= 1 && options.vocab_size <= INT32_MAX, ErrorCode::invalid_option,
                "vocab_size: expected 1 to ", INT32_MAX, ", found ", options.vocab_size);
  VITRINE_CHECK(options.discount >= 0.0 && options.discount <= 1.0, ErrorCode::invalid_option,
                "discount: expected 0 to 1, found ", options.discount);
  bool predicts = false;
  for (const std::vector<TokenId>& document : documents) predicts = predicts || document.size() > 1;
  VITRINE_CHECK(predicts, ErrorCode::bad_data, "n-grams: expected a document of at least two tokens, found none");
}

}  // namespace

NgramModel NgramModel::train(std::span<const std::vector<TokenId>> documents, const NgramOptions& options) {
  check(documents, options);
  NgramModel model(options);
  for (const std::vector<TokenId>& document : documents) {
    for (const TokenId token : document) model.check_token(token);
  }
  model.add_ngrams(documents);
  model.count_tokens_before();
  model.count_beginnings(documents);
  for (std::size_t k = 1; k <= options.order; ++k) model.estimate_discount(model.levels_[k]);
  // The empty context has as many extensions as there are tokens: summed once, not for every look-up.
  const Level& first = model.levels_[1];
  const Range all = {0, first.tokens.size()};
  const Mass mass = model.mass(first, all);
  const double uniform = 1.0 / static_cast<double>(options.vocab_size);
  model.unigrams_.assign(options.vocab_size, mass.held_back * uniform / mass.total);
  for (std::size_t i = all.begin; i < all.end; ++i) {
    const double kept = std::max(static_cast<double>(first.counts[i]) - first.discount, 0.0);
    model.unigrams_[static_cast<std::size_t>(first.tokens[i])] = (kept + mass.held_back * uniform) / mass.total;
  }
  return model;
}

/// Writes the trie: each place in order shares its first tokens with the place before, and adds the others.
void NgramModel::add_ngrams(std::span<const std::vector<TokenId>> documents) {
  const std::size_t order = options_.order;
  Text text = join(documents, order);
  sort_places(text, order);
  levels_[0].extension.push_back(0);
  std::array<TokenId, NgramOptions::kMaxOrder> path{};
  std::size_t length = 0;
  for (const std::uint32_t place : text.places) {
    const TokenId* tokens = text.tokens.data() + place;
    std::size_t k = 0;
    while (k < length && tokens[k] == path[k]) ++levels_[++k].counts.back();
    for (; k < order && tokens[k] != kEndOfDocument; ++k) {
      path[k] = tokens[k];
      levels_[k + 1].tokens.push_back(tokens[k]);
      levels_[k + 1].counts.push_back(1);
      if (k + 1 < order) levels_[k + 1].extension.push_back(static_cast<std::uint32_t>(levels_[k + 2].tokens.size()));
    }
    length = k;
  }
  for (std::size_t k = 0; k < order; ++k) {
    levels_[k].extension.push_back(static_cast<std::uint32_t>(levels_[k + 1].tokens.size()));
  }
}

/// Below the highest order: each n-gram one longer tells of one token that stands before this one.
void NgramModel::count_tokens_before() {
  std::vector<std::uint32_t> shorter(levels_[1].tokens.size(), 0);  // of each n-gram: itself less its first token
  for (std::size_t k = 2; k <= options_.order; ++k) {
    Level& below = levels_[k - 1];
    std::fill(below.counts.begin(), below.counts.end(), 0u);
    std::vector<std::uint32_t> next(levels_[k].tokens.size());
    for (std::size_t ngram = 0; ngram < below.tokens.size(); ++ngram) {
      const Range longer = extensions(k - 1, ngram);
      const Range candidates = extensions(k - 2, shorter[ngram]);
      for (std::size_t i = longer.begin; i < longer.end; ++i) {
        const std::size_t found = find(k - 1, candidates, levels_[k].tokens[i]);
        next[i] = static_cast<std::uint32_t>(found);
        ++below.counts[found];
      }
    }
    shorter = std::move(next);
  }
}

void NgramModel::count_beginnings(std::span<const std::vector<TokenId>> documents) {
  for (const std::vector<TokenId>& document : documents) {
    std::size_t ngram = 0;
    for (std::size_t k = 1; k < options_.order && k <= document.size(); ++k) {
      ngram = find(k, extensions(k - 1, ngram), document[k - 1]);
      if (k >= 2) ++levels_[k].counts[ngram];  // the first token itself is not predicted
    }
  }
}

/// Half an n-gram more of each kind keeps the discount above 0 and below 1 where one of them is missing.
void NgramModel::estimate_discount(Level& level) const {
  const auto once = static_cast<double>(std::count(level.counts.begin(), level.counts.end(), 1u));
  const auto twice = static_cast<double>(std::count(level.counts.begin(), level.counts.end(), 2u));
  level.discount = options_.discount > 0.0 ? options_.discount : (once + 0.5) / (once + 0.5 + 2.0 * (twice + 0.5));
}

NgramModel::Range NgramModel::extensions(std::size_t k, std::size_t ngram) const {
  return {levels_[k].extension[ngram], levels_[k].extension[ngram + 1]};
}

/// The n-gram of level k within the range whose last token this is; kNone if there is none.
std::size_t NgramModel::find(std::size_t k, Range range, TokenId token) const {
  const auto first = levels_[k].tokens.begin();
  const auto end = first + static_cast<std::ptrdiff_t>(range.end);
  const auto place = std::lower_bound(first + static_cast<std::ptrdiff_t>(range.begin), end, token);
  return place != end && *place == token ? static_cast<std::size_t>(place - first) : kNone;
}

/// The n-grams that go on from a context; false if it was never seen, or never with a token after it.
bool NgramModel::find_extensions(std::span<const TokenId> context, Range& range) const {
  std::size_t ngram = 0;
  for (std::size_t k = 0; k < context.size(); ++k) {
    ngram = find(k + 1, extensions(k, ngram), context[k]);
    if (ngram == kNone) return false;
  }
  range = extensions(context.size(), ngram);
  return range.begin < range.end;
}

NgramModel::Mass NgramModel::mass(const Level& level, Range range) const {
  std::uint64_t total = 0;
  std::uint64_t different = 0;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    total += level.counts[i];
    different += level.counts[i] > 0 ? 1 : 0;
  }
  return {static_cast<double>(total), level.discount * static_cast<double>(different)};
}

void NgramModel::check_token(TokenId token) const {
  VITRINE_CHECK(token >= 0 && static_cast<std::size_t>(token) < options_.vocab_size, ErrorCode::invalid_token,
                "n-grams: expected a token from 0 to ", options_.vocab_size - 1, ", found ", token);
}

/// What the model can see of a context.
std::span<const TokenId> NgramModel::visible(std::span<const TokenId> context) const {
  context = context.last(std::min(context.size(), options_.order - 1));
  for (const TokenId token : context) check_token(token);
  return context;
}

double NgramModel::probability(std::span<const TokenId> context, TokenId token) const {
  check_token(token);
  context = visible(context);
  double p = unigrams_[static_cast<std::size_t>(token)];
  Range range{};
  for (std::size_t k = 1; k <= context.size(); ++k) {
    if (!find_extensions(context.last(k), range)) break;  // nor was any longer one seen
    const Level& level = levels_[k + 1];
    const Mass seen = mass(level, range);
    const std::size_t ngram = find(k + 1, range, token);
    const double count = ngram == kNone ? 0.0 : static_cast<double>(level.counts[ngram]);
    p = (std::max(count - level.discount, 0.0) + seen.held_back * p) / seen.total;
  }
  return p;
}

void NgramModel::probabilities(std::span<const TokenId> context, std::span<double> out) const {
  VITRINE_ASSERT(out.size() == options_.vocab_size);
  context = visible(context);
  std::copy(unigrams_.begin(), unigrams_.end(), out.begin());
  Range range{};
  for (std::size_t k = 1; k <= context.size(); ++k) {
    if (!find_extensions(context.last(k), range)) break;
    const Level& level = levels_[k + 1];
    const Mass seen = mass(level, range);
    for (double& p : out) p = seen.held_back * p;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      double& p = out[static_cast<std::size_t>(level.tokens[i])];
      p = std::max(static_cast<double>(level.counts[i]) - level.discount, 0.0) + p;
    }
    for (double& p : out) p = p / seen.total;
  }
}

double NgramModel::loss(std::span<const TokenId> document) const {
  double sum = 0.0;
  for (std::size_t i = 1; i < document.size(); ++i) {
    sum -= kernels::log_double(probability(document.first(i), document[i]));
  }
  return sum;
}

std::size_t NgramModel::bytes() const {
  std::size_t sum = unigrams_.size() * sizeof(double);
  for (const Level& level : levels_) {
    sum += level.tokens.size() * (sizeof(TokenId) + sizeof(std::uint32_t)) +
           level.extension.size() * sizeof(std::uint32_t);
  }
  return sum;
}

}  // namespace vitrine
