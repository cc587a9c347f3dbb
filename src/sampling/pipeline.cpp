// The stages of sampling. Probabilities become integer weights in units of 2^-60 right after the softmax: sums of
// integers are exact in any order, so cumulated probabilities cannot drift, and a draw always lands on a kept token.
#include "sampling/pipeline.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "base/check.hpp"
#include "kernels/softmax.hpp"

namespace vitrine {
namespace {

constexpr double kWeightScale = 0x1.0p60;
constexpr std::size_t kFirstRanked = 32;  // ranks are sorted in growing pieces: most draws need only the first

/// Exact: a float's 24 bits scaled by a power of two; what lies below 2^-60 counts as zero.
std::uint64_t weight_of(float probability) { return static_cast<std::uint64_t>(double{probability} * kWeightScale); }

/// Sorts descending by `key`, then ascending by id.
std::uint64_t order_entry(std::uint32_t key, std::size_t id) {
  return std::uint64_t{key} << 32 | (0xFFFFFFFFu - static_cast<std::uint32_t>(id));
}

std::size_t id_of(std::uint64_t entry) { return 0xFFFFFFFFu - static_cast<std::uint32_t>(entry); }

/// Maps floats to integers of the same order; both zeros are one.
std::uint32_t sortable(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

/// The token of the largest logit, the lowest id on a tie.
std::size_t checked_argmax(std::span<const float> logits, std::string_view where) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::size_t best = 0;
  float max = -kInfinity;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    const float logit = logits[id];
    VITRINE_CHECK(!std::isnan(logit) && logit != kInfinity, ErrorCode::not_finite, where, ": token ", id,
                  ": expected a number below infinity, found ", logit);
    if (logit > max) {
      max = logit;
      best = id;
    }
  }
  VITRINE_CHECK(max != -kInfinity, ErrorCode::not_finite, where,
                ": expected one token above -infinity, found -infinity for all ", logits.size());
  return best;
}

std::vector<float> softmax_of(std::span<const float> logits) {
  std::vector<float> probabilities(logits.size());
  kernels::softmax(logits.data(), probabilities.data(), logits.size());
  return probabilities;
}

std::size_t count_possible(std::span<const float> probabilities) {
  return static_cast<std::size_t>(
      std::count_if(probabilities.begin(), probabilities.end(), [](float probability) { return probability > 0.0f; }));
}

/// The key of the last of the first `count` tokens by descending logit, then lowest id.
std::uint64_t key_of_last(std::span<const float> logits, std::size_t count) {
  std::vector<std::uint64_t> keys(logits.size());
  for (std::size_t id = 0; id < keys.size(); ++id) keys[id] = order_entry(sortable(logits[id]), id);
  const auto last = keys.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(keys.begin(), last, keys.end(), std::greater<>());
  return *last;
}

}  // namespace

double DistributionTrace::probability(std::size_t stage, std::size_t index) const {
  const StageTrace& kept = stages[stage];
  const RankedToken& token = ranked[index];
  if (kept.stage == SamplingStage::model) return double{token.model_probability};
  if (kept.stage == SamplingStage::penalties) return double{token.penalised_probability};
  if (token.rank >= kept.kept) return 0.0;
  if (kept.stage == SamplingStage::greedy) return 1.0;
  return static_cast<double>(token.weight) / static_cast<double>(kept.total_weight);
}

SamplingPipeline::SamplingPipeline(std::size_t vocab_size)
    : penalties_(vocab_size), probabilities_(vocab_size), order_(vocab_size) {}

Draw SamplingPipeline::draw(std::span<const float> logits, const Policy& policy, const RandomStream& stream,
                            std::uint64_t step, DistributionTrace* trace, const DrawContext& context) {
  VITRINE_ASSERT(logits.size() == order_.size());
  std::size_t best = checked_argmax(logits, "logits");
  const Logits both{logits, penalties_.apply(logits, policy, context)};
  if (both.penalised.data() != logits.data()) best = checked_argmax(both.penalised, "logits after penalties");
  if (policy.mode == PolicyMode::greedy) return draw_greedy(both, static_cast<TokenId>(best), trace);
  return draw_sample(both, both.penalised[best], policy, stream.bits_at(step), trace);
}

Draw SamplingPipeline::draw_greedy(const Logits& logits, TokenId best, DistributionTrace* trace) {
  if (trace != nullptr) {
    const std::vector<float> probabilities = softmax_of(logits.penalised);
    std::copy(probabilities.begin(), probabilities.end(), probabilities_.begin());
    candidates_ = logits.penalised.size();
    ranked_ = 0;
    for (std::size_t id = 0; id < candidates_; ++id) order_[id] = order_entry(sortable(logits.penalised[id]), id);
    trace->stages.clear();
    record(logits, 0, *trace);
    trace->stages.push_back({SamplingStage::greedy, 1, 0});
  }
  return {best, 1.0, 0.0};
}

Draw SamplingPipeline::draw_sample(const Logits& logits, float max, const Policy& policy, std::uint64_t bits,
                                   DistributionTrace* trace) {
  // Subtracting the maximum before the division keeps every temperature from overflowing.
  const auto temperature = static_cast<float>(policy.temperature);
  for (std::size_t id = 0; id < order_.size(); ++id) probabilities_[id] = (logits.penalised[id] - max) / temperature;
  kernels::softmax(probabilities_.data(), probabilities_.data(), probabilities_.size());
  collect_candidates();

  Kept all{candidates_, 0};
  for (std::size_t i = 0; i < candidates_; ++i) all.total_weight += weight_at(i);
  const Kept top_k = keep_top_k(all, policy.top_k);
  const Kept top_p = keep_top_p(top_k, policy.top_p);
  const Kept min_p = keep_min_p(top_p, policy.min_p);

  // bits / 2^64 of the way through the kept weights: always below their sum.
  const auto target = static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * min_p.total_weight) >> 64);
  const std::size_t chosen_rank = find_rank(target);
  if (trace != nullptr) {
    trace->stages.clear();
    record(logits, chosen_rank, *trace);
    trace->stages.push_back({SamplingStage::temperature, all.count, all.total_weight});
    trace->stages.push_back({SamplingStage::top_k, top_k.count, top_k.total_weight});
    trace->stages.push_back({SamplingStage::top_p, top_p.count, top_p.total_weight});
    trace->stages.push_back({SamplingStage::min_p, min_p.count, min_p.total_weight});
  }
  const double weight = static_cast<double>(weight_at(chosen_rank));
  return {static_cast<TokenId>(id_of(order_[chosen_rank])), weight / static_cast<double>(min_p.total_weight),
          static_cast<double>(bits >> 11) * 0x1.0p-53};
}

/// Every token of weight above zero, in no order yet. Bits of positive floats sort as the floats do.
void SamplingPipeline::collect_candidates() {
  candidates_ = 0;
  ranked_ = 0;
  for (std::size_t id = 0; id < probabilities_.size(); ++id) {
    const float probability = probabilities_[id];
    if (weight_of(probability) == 0) continue;
    order_[candidates_++] = order_entry(std::bit_cast<std::uint32_t>(probability), id);
  }
}

/// Puts the first `count` candidates in their final place.
void SamplingPipeline::rank(std::size_t count) {
  if (count <= ranked_) return;
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(ranked_);
  const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(count);
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(candidates_);
  if (middle != end) std::nth_element(begin, middle, end, std::greater<>());
  std::sort(begin, middle, std::greater<>());
  ranked_ = count;
}

std::uint64_t SamplingPipeline::weight_at(std::size_t rank) const {
  return weight_of(probabilities_[id_of(order_[rank])]);
}

SamplingPipeline::Kept SamplingPipeline::keep_top_k(Kept before, std::size_t top_k) {
  if (top_k == 0 || top_k >= before.count) return before;
  rank(top_k);
  Kept kept{top_k, 0};
  for (std::size_t i = 0; i < top_k; ++i) kept.total_weight += weight_at(i);
  return kept;
}

/// The shortest prefix of the order that holds the share top_p of what the stage before left.
SamplingPipeline::Kept SamplingPipeline::keep_top_p(Kept before, double top_p) {
  if (top_p >= 1.0) return before;
  const double wanted = std::ceil(top_p * static_cast<double>(before.total_weight));
  const std::uint64_t enough = std::min(static_cast<std::uint64_t>(wanted), before.total_weight);
  Kept kept{0, 0};
  while (kept.total_weight < enough) {
    if (kept.count == ranked_) rank(std::min(before.count, std::max(kFirstRanked, 4 * ranked_)));
    kept.total_weight += weight_at(kept.count++);
  }
  return kept;
}

/// Tokens of at least min_p times the best token's probability: a prefix of the order, too.
SamplingPipeline::Kept SamplingPipeline::keep_min_p(Kept before, double min_p) {
  if (min_p <= 0.0) return before;
  rank(1);
  const double threshold = min_p * double{probabilities_[id_of(order_[0])]};
  Kept kept{0, 0};
  for (std::size_t i = 0; i < before.count; ++i) {
    if (double{probabilities_[id_of(order_[i])]} < threshold) continue;
    kept.total_weight += weight_at(i);
    ++kept.count;
  }
  return kept;
}

/// The first rank whose cumulated weight passes `target`.
std::size_t SamplingPipeline::find_rank(std::uint64_t target) {
  std::uint64_t cumulated = 0;
  for (std::size_t i = 0;; ++i) {
    if (i == ranked_) rank(std::min(candidates_, std::max(kFirstRanked, 4 * ranked_)));
    cumulated += weight_at(i);
    if (cumulated > target) return i;
  }
}

/// Ranks every token: the candidates, then those without weight by descending logit.
void SamplingPipeline::complete_order(std::span<const float> logits) {
  rank(candidates_);
  std::size_t end = candidates_;
  for (std::size_t id = 0; end < order_.size(); ++id) {
    if (weight_of(probabilities_[id]) == 0) order_[end++] = order_entry(sortable(logits[id]), id);
  }
  std::sort(order_.begin() + static_cast<std::ptrdiff_t>(candidates_), order_.end(), std::greater<>());
}

/// The two stages that are no prefix of the order, and the tokens to show.
void SamplingPipeline::record(const Logits& logits, std::size_t chosen_rank, DistributionTrace& trace) {
  const std::vector<float> model = softmax_of(logits.model);
  const std::vector<float> penalised = softmax_of(logits.penalised);
  trace.stages.push_back({SamplingStage::model, count_possible(model), 0});
  trace.stages.push_back({SamplingStage::penalties, count_possible(penalised), 0});
  complete_order(logits.model);
  const std::size_t count = trace.limit == 0 ? order_.size() : std::min(trace.limit, order_.size());
  const std::uint64_t model_last = key_of_last(logits.model, count);
  trace.ranked.clear();
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const std::size_t id = id_of(order_[place]);
    const bool shown =
        place < count || place == chosen_rank || order_entry(sortable(logits.model[id]), id) >= model_last;
    if (!shown) continue;
    trace.ranked.push_back(
        {static_cast<TokenId>(id), place, logits.model[id], model[id], penalised[id], weight_of(probabilities_[id])});
  }
  trace.chosen_rank = chosen_rank;
  trace.chosen_model_probability = model[id_of(order_[chosen_rank])];
}

}  // namespace vitrine
