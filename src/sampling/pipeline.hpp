// SamplingPipeline: logits and a policy in, one token out, through stages in a fixed order:
//   logits > penalties > temperature > softmax > top_k > top_p > min_p > draw
//   logits > penalties > argmax                                                  in mode greedy
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
#include "sampling/penalties.hpp"
#include "sampling/policy.hpp"

namespace vitrine {

enum class SamplingStage {
  model,        ///< softmax of the logits as they are
  penalties,    ///< softmax of the logits that biases, penalties and impossible tokens leave
  temperature,  ///< softmax of those divided by the temperature
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
    SamplingStageEntry{SamplingStage::model, "model"},
    SamplingStageEntry{SamplingStage::penalties, "penalties"},
    SamplingStageEntry{SamplingStage::temperature, "temperature"},
    SamplingStageEntry{SamplingStage::top_k, "top_k"},
    SamplingStageEntry{SamplingStage::top_p, "top_p"},
    SamplingStageEntry{SamplingStage::min_p, "min_p"},
    SamplingStageEntry{SamplingStage::greedy, "greedy"},
};

/// What one stage left: its tokens of a probability above 0. From temperature on they are the first of the order.
struct StageTrace {
  SamplingStage stage = SamplingStage::model;
  std::size_t kept = 0;
  std::uint64_t total_weight = 0;  ///< sum of the kept tokens' weights, by which the stage renormalises
};

/// One token of the order, for display.
struct RankedToken {
  TokenId token = -1;
  std::size_t rank = 0;  ///< its place in the order
  float logit = 0.0f;
  float model_probability = 0.0f;      ///< before any stage
  float penalised_probability = 0.0f;  ///< after penalties
  std::uint64_t weight = 0;            ///< its probability after temperature, in units of 2^-60
};

/// Everything a draw went through. From temperature on every stage keeps a prefix of one order (descending probability,
/// then lowest id; what has no weight left comes last, by descending logit), so the order and a count for each stage
/// are all these distributions; those of the model and after penalties stand beside each token.
struct DistributionTrace {
  /// Set by the caller: `ranked` has the first so many tokens of the order, as many that the model itself finds most
  /// probable, and the one chosen; 0: all tokens.
  std::size_t limit = 0;
  std::vector<RankedToken> ranked;  ///< by ascending rank
  std::vector<StageTrace> stages;
  std::size_t chosen_rank = 0;
  float chosen_model_probability = 0.0f;

  /// The probability of ranked[index] after stages[stage].
  double probability(std::size_t stage, std::size_t index) const;
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
  /// a NaN or +infinity (naming its token) and when every logit is -infinity, before penalties or after; one that is
  /// -infinity is never drawn.
  Draw draw(std::span<const float> logits, const Policy& policy, const RandomStream& stream, std::uint64_t step,
            DistributionTrace* trace = nullptr, const DrawContext& context = {});

 private:
  struct Kept {
    std::size_t count;
    std::uint64_t total_weight;
  };

  /// Logits [V] as the model gave them and as penalties left them; the same memory where there are none.
  struct Logits {
    std::span<const float> model;
    std::span<const float> penalised;
  };

  Draw draw_greedy(const Logits& logits, TokenId best, DistributionTrace* trace);
  Draw draw_sample(const Logits& logits, float max, const Policy& policy, std::uint64_t bits, DistributionTrace* trace);
  void collect_candidates();
  void rank(std::size_t count);
  std::uint64_t weight_at(std::size_t rank) const;
  Kept keep_top_k(Kept before, std::size_t top_k);
  Kept keep_top_p(Kept before, double top_p);
  Kept keep_min_p(Kept before, double min_p);
  std::size_t find_rank(std::uint64_t target);
  void complete_order(std::span<const float> logits);
  void record(const Logits& logits, std::size_t chosen_rank, DistributionTrace& trace);

  Penalties penalties_;
  std::vector<float> probabilities_;  // [V] after temperature
  std::vector<std::uint64_t> order_;  // [V] a sort key above, the complement of the id below; candidates first
  std::size_t candidates_ = 0;        // how many of order_ have a weight above 0
  std::size_t ranked_ = 0;            // how many at the front of order_ are in their final place
};

}  // namespace vitrine
