// All distinct pieces lie one after the other in one array of symbols, each position linked to its neighbours. A merge
// visits only the positions where its pair stands and corrects the counts of the pairs beside it, so training never
// reads the text again.
//
// Two facts keep this simple. A new neighbourhood always contains the token just made, so a pair's count grows only in
// the step that makes its newer token, and only falls afterwards: an entry of the heap can be too high, never too low.
// And no two merges make the same bytes: a merge goes from left to right and never crosses a boundary that stays, so
// equal bytes between two boundaries are always cut alike.
#include "tokenizer/bpe_trainer.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/byte_level.hpp"
#include "base/check.hpp"
#include "base/utf8.hpp"
#include "tokenizer/pair_map.hpp"
#include "tokenizer/pre_tokenizer.hpp"
#include "tokenizer/special_matcher.hpp"
#include "tokenizer/vocabulary.hpp"

namespace vitrine {
namespace {

constexpr std::uint32_t kNoSymbol = 0xFFFFFFFF;
constexpr TokenId kTaken = -1;
constexpr std::size_t kMaxVocabSize = std::size_t{1} << 24;

/// The distinct pieces of the documents in the order of their first appearance, and how often each occurs.
class PieceCounts {
 public:
  explicit PieceCounts(const BpeTrainerOptions& options) : kind_(options.pre_tokenizer), specials_(specials(options)) {}

  void add_document(std::string_view text) {
    std::size_t begin = 0;
    while (const auto match = specials_.find(text, begin)) {
      add_text(text.substr(begin, match->begin - begin));
      begin = match->begin + match->length;
    }
    add_text(text.substr(begin));
  }

  const std::vector<std::pair<std::string_view, std::uint64_t>>& pieces() const { return pieces_; }

 private:
  static SpecialMatcher specials(const BpeTrainerOptions& options) {
    std::vector<SpecialToken> special_tokens;
    for (const std::string& content : options.special_tokens) special_tokens.push_back({0, content});
    return SpecialMatcher(special_tokens);
  }

  void add_text(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = next_piece_end(kind_, text, begin);
      const std::string_view piece = text.substr(begin, end - begin);
      const auto [found, inserted] = index_.emplace(piece, pieces_.size());
      if (inserted) pieces_.emplace_back(piece, 0);
      ++pieces_[found->second].second;
      begin = end;
    }
  }

  PreTokenizer kind_;
  SpecialMatcher specials_;
  std::vector<std::pair<std::string_view, std::uint64_t>> pieces_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

class Trainer {
 public:
  explicit Trainer(const BpeTrainerOptions& options) : options_(options) {
    data_.pre_tokenizer = options.pre_tokenizer;
    for (const std::string& content : options.special_tokens) {
      data_.special_tokens.push_back({next_id(), content});
      data_.tokens.emplace_back();
    }
    for (const std::uint8_t byte : kByteLevelOrder) {
      byte_tokens_[byte] = next_id();
      data_.tokens.emplace_back(1, static_cast<char>(byte));
    }
  }

  TokenizerData train(const PieceCounts& counts) {
    lay_out(counts);
    for (std::uint32_t position = 0; position < symbols_.size(); ++position) count_pair_at(position);
    queue_pairs_from(0);
    while (data_.tokens.size() < options_.vocab_size) {
      const std::uint32_t best = take_most_frequent();
      if (best == kNoSymbol) break;
      merge(best);
    }
    return std::move(data_);
  }

 private:
  struct Symbol {
    TokenId token;
    std::uint32_t previous;
    std::uint32_t next;
    std::uint32_t piece;
  };
  struct Pair {
    Merge tokens;
    std::uint64_t count = 0;
    std::vector<std::uint32_t> positions;  // ascending; some may be out of date
  };
  struct Candidate {
    std::uint64_t count;
    std::uint32_t pair;
  };

  TokenId next_id() const { return static_cast<TokenId>(data_.tokens.size()); }
  const std::string& bytes(TokenId id) const { return data_.tokens[static_cast<std::size_t>(id)]; }

  void lay_out(const PieceCounts& counts) {
    std::uint64_t length = 0;
    for (const auto& [piece, count] : counts.pieces()) length += piece.size();
    VITRINE_CHECK(length < kNoSymbol, ErrorCode::bad_data, "text to train on: expected fewer than ", kNoSymbol,
                  " bytes in distinct pieces, found ", length);
    symbols_.reserve(static_cast<std::size_t>(length));
    for (const auto& [piece, count] : counts.pieces()) {
      const auto begin = static_cast<std::uint32_t>(symbols_.size());
      const auto end = static_cast<std::uint32_t>(begin + piece.size());
      for (std::uint32_t p = begin; p < end; ++p) {
        const TokenId token = byte_tokens_[static_cast<unsigned char>(piece[p - begin])];
        symbols_.push_back({token, p == begin ? kNoSymbol : p - 1, p + 1 == end ? kNoSymbol : p + 1,
                            static_cast<std::uint32_t>(weights_.size())});
      }
      weights_.push_back(count);
    }
  }

  /// Counts the pair that begins at this position, if one does.
  void count_pair_at(std::uint32_t position) {
    const Symbol& left = symbols_[position];
    if (left.next == kNoSymbol) return;
    const Merge tokens{left.token, symbols_[left.next].token};
    const auto fresh = static_cast<std::uint32_t>(pairs_.size());
    const std::uint32_t index = pair_index_.insert(tokens.left, tokens.right, fresh);
    if (index == fresh) pairs_.push_back({tokens, 0, {}});
    pairs_[index].count += weights_[left.piece];
    pairs_[index].positions.push_back(position);
  }

  void discount_pair_at(std::uint32_t position) {
    const Symbol& left = symbols_[position];
    if (left.next == kNoSymbol) return;
    pairs_[pair_index_.find(left.token, symbols_[left.next].token)].count -= weights_[left.piece];
  }

  bool less(const Candidate& a, const Candidate& b) const {
    if (a.count != b.count) return a.count < b.count;
    const Merge& x = pairs_[a.pair].tokens;
    const Merge& y = pairs_[b.pair].tokens;
    if (x.left != y.left) return bytes(x.left) < bytes(y.left);
    return bytes(x.right) < bytes(y.right);
  }

  void queue_pairs_from(std::size_t first) {
    const auto by_less = [this](const Candidate& a, const Candidate& b) { return less(a, b); };
    for (std::size_t index = first; index < pairs_.size(); ++index) {
      heap_.push_back({pairs_[index].count, static_cast<std::uint32_t>(index)});
      std::push_heap(heap_.begin(), heap_.end(), by_less);
    }
  }

  /// The pair to merge next, or kNoSymbol if none occurs often enough.
  std::uint32_t take_most_frequent() {
    const auto by_less = [this](const Candidate& a, const Candidate& b) { return less(a, b); };
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), by_less);
      Candidate& top = heap_.back();
      const std::uint64_t count = pairs_[top.pair].count;
      if (top.count == count && count >= options_.min_frequency) {
        const std::uint32_t best = top.pair;
        heap_.pop_back();
        return best;
      }
      if (count < options_.min_frequency) {
        heap_.pop_back();
      } else {
        top.count = count;
        std::push_heap(heap_.begin(), heap_.end(), by_less);
      }
    }
    return kNoSymbol;
  }

  void merge(std::uint32_t index) {
    const Merge tokens = pairs_[index].tokens;
    const std::vector<std::uint32_t> positions = std::move(pairs_[index].positions);
    const TokenId merged = next_id();
    data_.tokens.push_back(bytes(tokens.left) + bytes(tokens.right));
    data_.merges.push_back(tokens);
    const std::size_t first_new_pair = pairs_.size();
    for (const std::uint32_t position : positions) {
      const std::uint32_t next = symbols_[position].next;
      if (symbols_[position].token != tokens.left || next == kNoSymbol || symbols_[next].token != tokens.right)
        continue;
      join(position, next, merged);
    }
    queue_pairs_from(first_new_pair);
  }

  void join(std::uint32_t left, std::uint32_t right, TokenId merged) {
    const std::uint32_t previous = symbols_[left].previous;
    const std::uint32_t after = symbols_[right].next;
    if (previous != kNoSymbol) discount_pair_at(previous);
    discount_pair_at(left);
    discount_pair_at(right);
    symbols_[left].token = merged;
    symbols_[left].next = after;
    symbols_[right].token = kTaken;
    if (after != kNoSymbol) symbols_[after].previous = left;
    if (previous != kNoSymbol) count_pair_at(previous);
    count_pair_at(left);
  }

  const BpeTrainerOptions& options_;
  TokenizerData data_;
  std::array<TokenId, 256> byte_tokens_{};
  std::vector<Symbol> symbols_;
  std::vector<std::uint64_t> weights_;  // by piece: how often it occurs
  PairMap pair_index_;
  std::vector<Pair> pairs_;
  std::vector<Candidate> heap_;
};

void check_options(const BpeTrainerOptions& options) {
  const std::size_t least = 256 + options.special_tokens.size();
  VITRINE_CHECK(options.vocab_size >= least && options.vocab_size <= kMaxVocabSize, ErrorCode::invalid_option,
                "vocab_size: expected ", least, " to ", kMaxVocabSize, ", found ", options.vocab_size);
  VITRINE_CHECK(options.min_frequency >= 1, ErrorCode::invalid_option, "min_frequency: expected at least 1, found 0");
  for (std::size_t index = 0; index < options.special_tokens.size(); ++index) {
    const std::string& content = options.special_tokens[index];
    VITRINE_CHECK(!content.empty() && is_valid_utf8(content), ErrorCode::invalid_option, "special_tokens[", index,
                  "]: expected some UTF-8 text, found ", printable(content));
    const auto begin = options.special_tokens.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(index);
    VITRINE_CHECK(std::find(begin, here, content) == here, ErrorCode::invalid_option, "special_tokens[", index,
                  "]: expected no token twice, found ", printable(content), " again");
  }
}

}  // namespace

Tokenizer train_bpe(std::span<const std::string_view> documents, const BpeTrainerOptions& options) {
  check_options(options);
  PieceCounts counts(options);
  for (const std::string_view document : documents) counts.add_document(document);
  return Tokenizer(Trainer(options).train(counts));
}

Tokenizer train_bpe(std::string_view text, const BpeTrainerOptions& options) {
  return train_bpe(std::span(&text, 1), options);
}

}  // namespace vitrine
