// SamplingPipeline: logits and a policy in, one token out, through stages in a fixed order:
//   logits > temperature > softmax > top_k > top_p > min_p > draw        (or, in mode greedy, logits > argmax)
// It holds no text and no sequence: a draw depends on its arguments alone, so rows of a batch cannot disturb one
// another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "base/token_id.hpp"
#include "sampling/policy.hpp"

namespace vitrine {

enum class SamplingStage {
  model,        ///< softmax of the logits as they are
  temperature,  ///< softmax of the logits divided by the temperature
  top_k,
  top_p,
  min_p,
  greedy,  ///< the one token of mode greedy
};

struct SamplingStageEntry {
  SamplingStage stage;
  std::string_view name;
};

inline constexpr std::array kSamplingStages = {
    SamplingStageEntry{SamplingStage::model, "model"}, SamplingStageEntry{SamplingStage::temperature, "temperature"},
    SamplingStageEntry{SamplingStage::top_k, "top_k"}, SamplingStageEntry{SamplingStage::top_p, "top_p"},
    SamplingStageEntry{SamplingStage::min_p, "min_p"}, SamplingStageEntry{SamplingStage::greedy, "greedy"},
};

/// What one stage left: the first `kept` tokens of the order.
struct StageTrace {
  SamplingStage stage = SamplingStage::model;
  std::size_t kept = 0;
  std::uint64_t total_weight = 0;  ///< sum of the kept tokens' weights, by which the stage renormalises
};

/// One token of the order, for display.
struct RankedToken {
  TokenId token = -1;
  float logit = 0.0f;
  float model_probability = 0.0f;  ///< before any stage
  std::uint64_t weight = 0;        ///< its probability after temperature, in units of 2^-60
};

/// Everything a draw went through. Since every stage keeps a prefix of one order (descending probability, then lowest
/// id), the order and a count for each stage are all the intermediate distributions.
struct DistributionTrace {
  std::size_t limit = 0;  ///< set by the caller: at most so many ranked tokens are kept; 0: all
  std::vector<RankedToken> ranked;
  std::vector<StageTrace> stages;
  std::size_t chosen_rank = 0;
  float chosen_model_probability = 0.0f;

  /// The probability of ranked[rank] after stages[stage].
  double probability(std::size_t stage, std::size_t rank) const;
};

struct Draw {
  TokenId token = -1;
  double probability = 0.0;  ///< under the policy: 1 in mode greedy
  double coin = 0.0;         ///< the uniform number that decided, in [0, 1); 0 in mode greedy
};

class SamplingPipeline {
 public:
  /// Allocates the workspace for vocabularies of exactly this size; draws without a trace allocate nothing.
  explicit SamplingPipeline(std::size_t vocab_size);

  /// Chooses from logits [V]. Uses draw number `step` of the stream, whatever was drawn before. Throws not_finite for
  /// a NaN or +infinity (naming its token) and when every logit is -infinity; one that is -infinity is never drawn.
  Draw draw(std::span<const float> logits, const Policy& policy, const RandomStream& stream, std::uint64_t step,
            DistributionTrace* trace = nullptr);

 private:
  struct Kept {
    std::size_t count;
    std::uint64_t total_weight;
  };

  Draw draw_greedy(std::span<const float> logits, TokenId best, DistributionTrace* trace);
  Draw draw_sample(std::span<const float> logits, float max, const Policy& policy, std::uint64_t bits,
                   DistributionTrace* trace);
  void collect_candidates();
  void rank(std::size_t count);
  std::uint64_t weight_at(std::size_t rank) const;
  Kept keep_top_k(Kept before, std::size_t top_k);
  Kept keep_top_p(Kept before, double top_p);
  Kept keep_min_p(Kept before, double min_p);
  std::size_t find_rank(std::uint64_t target);
  void record_ranked(std::span<const float> logits, std::span<const float> model, std::size_t chosen_rank,
                     DistributionTrace& trace);

  std::vector<float> probabilities_;        // [V] after temperature
  std::vector<float> model_probabilities_;  // [V] for traces alone
  std::vector<std::uint64_t> order_;        // candidates: a sort key above, the complement of the id below
  std::size_t candidates_ = 0;              // how many of order_ are in use
  std::size_t ranked_ = 0;                  // how many at the front of order_ are in their final place
};

}  // namespace vitrine
