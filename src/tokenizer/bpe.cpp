// Two ways to the same tokens: a plain search for the best pair where the piece is short, as nearly all are, and a heap
// over a linked list where it is long, so that a megabyte of one letter costs no square of its length.
#include "tokenizer/bpe.hpp"

#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kShortPiece = 32;  // bytes
constexpr std::uint32_t kNone = 0xFFFFFFFF;

}  // namespace

BpeMerger::BpeMerger(const Vocabulary& vocabulary, std::vector<Merge> merges) : merges_(std::move(merges)) {
  VITRINE_CHECK(merges_.size() < kNone, ErrorCode::bad_tokenizer, "merges: expected fewer than ", kNone, ", found ",
                merges_.size());
  merged_.reserve(merges_.size());
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
    const Merge merge = merges_[rank];
    for (const TokenId id : {merge.left, merge.right}) {
      VITRINE_CHECK(id >= 0 && static_cast<std::size_t>(id) < vocabulary.size() && !vocabulary.is_special(id),
                    ErrorCode::bad_tokenizer, "merge ", rank, ": expected ids of two ordinary tokens, found ",
                    merge.left, " and ", merge.right);
    }
    const std::string bytes = str(vocabulary.bytes(merge.left), vocabulary.bytes(merge.right));
    const auto merged = vocabulary.find(bytes);
    VITRINE_CHECK(merged.has_value(), ErrorCode::bad_tokenizer, "merge ", rank, ": expected a token ", printable(bytes),
                  ", found none in the vocabulary");
    const std::uint32_t first = ranks_.insert(merge.left, merge.right, static_cast<std::uint32_t>(rank));
    VITRINE_CHECK(first == rank, ErrorCode::bad_tokenizer, "merge ", rank,
                  ": expected a new pair, found that of merge ", first);
    merged_.push_back(*merged);
  }
}

void BpeMerger::encode_piece(std::string_view piece, const Vocabulary& vocabulary, std::vector<TokenId>& tokens) const {
  VITRINE_ASSERT(piece.size() < kNone / 2);
  const std::size_t begin = tokens.size();
  for (const char byte : piece) tokens.push_back(vocabulary.byte_token(static_cast<unsigned char>(byte)));
  if (piece.size() <= kShortPiece) {
    merge_short(tokens, begin);
  } else {
    merge_long(tokens, begin);
  }
}

void BpeMerger::merge_short(std::vector<TokenId>& tokens, std::size_t begin) const {
  std::uint32_t ranks[kShortPiece];  // of the pair that begins at each token
  std::size_t count = tokens.size() - begin;
  TokenId* const ids = tokens.data() + begin;
  for (std::size_t i = 0; i + 1 < count; ++i) ranks[i] = rank(ids[i], ids[i + 1]);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (ranks[i] < ranks[best]) best = i;
    }
    if (ranks[best] == PairMap::kAbsent) break;
    ids[best] = merged_[ranks[best]];
    for (std::size_t i = best + 1; i + 1 < count; ++i) {
      ids[i] = ids[i + 1];
      ranks[i - 1] = ranks[i];
    }
    --count;
    if (best > 0) ranks[best - 1] = rank(ids[best - 1], ids[best]);
    if (best + 1 < count) ranks[best] = rank(ids[best], ids[best + 1]);
  }
  tokens.resize(begin + count);
}

void BpeMerger::merge_long(std::vector<TokenId>& tokens, std::size_t begin) const {
  struct Link {
    std::uint32_t previous;
    std::uint32_t next;
  };
  const auto count = static_cast<std::uint32_t>(tokens.size() - begin);
  TokenId* const ids = tokens.data() + begin;  // ids[p] is alive while no merge has taken p into the token before it
  constexpr TokenId kTaken = -1;
  std::vector<Link> links(count);
  for (std::uint32_t p = 0; p < count; ++p) links[p] = {p == 0 ? kNone : p - 1, p + 1 == count ? kNone : p + 1};

  using Candidate = std::pair<std::uint32_t, std::uint32_t>;  // rank, position of the left token
  std::vector<Candidate> candidates;
  for (std::uint32_t p = 0; p + 1 < count; ++p) {
    const std::uint32_t pair_rank = rank(ids[p], ids[p + 1]);
    if (pair_rank != PairMap::kAbsent) candidates.emplace_back(pair_rank, p);
  }
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue(std::greater<>{}, std::move(candidates));
  const auto offer = [&](std::uint32_t left) {
    if (left == kNone || links[left].next == kNone) return;
    const std::uint32_t pair_rank = rank(ids[left], ids[links[left].next]);
    if (pair_rank != PairMap::kAbsent) queue.emplace(pair_rank, left);
  };
  while (!queue.empty()) {
    const auto [best_rank, left] = queue.top();
    queue.pop();
    if (ids[left] == kTaken || links[left].next == kNone) continue;
    const std::uint32_t right = links[left].next;
    if (rank(ids[left], ids[right]) != best_rank) continue;  // a merge has changed this pair since
    ids[left] = merged_[best_rank];
    ids[right] = kTaken;
    links[left].next = links[right].next;
    if (links[left].next != kNone) links[links[left].next].previous = left;
    offer(links[left].previous);
    offer(left);
  }
  std::size_t kept = 0;
  for (std::uint32_t p = 0; p != kNone; p = links[p].next) ids[kept++] = ids[p];
  tokens.resize(begin + kept);
}

}  // namespace vitrine
