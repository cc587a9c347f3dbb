// Generator: continues several token sequences at once with one forward pass a step. Rows join and leave between
// steps; each has its own cache, policy, random stream and end. It knows tokens and their bytes, no tokenizer and no
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "generate/finish_reason.hpp"
#include "model/injected_fault.hpp"
#include "model/transformer.hpp"
#include "sampling/pipeline.hpp"
#include "sampling/policy.hpp"

namespace vitrine {

using RowId = std::uint32_t;  ///< never given twice by one Generator

/// The bytes that a token adds to a text (none for special tokens); they live as long as the vocabulary.
using TokenBytes = std::function<std::string_view(TokenId)>;

struct GeneratorOptions {
  std::size_t max_rows = 8;
  std::size_t prefill_chunk = 64;  ///< at most so many prompt tokens of a row in one step
};

struct RowRequest {
  std::vector<TokenId> prompt;  ///< at least one token
  Policy policy;                ///< with its seed
  std::uint64_t stream = 0;     ///< which random stream of the seed the row draws from
  std::string required;         ///< bytes with which the new tokens must begin; they are not handed out again as text
  std::optional<std::size_t> trace_limit;  ///< keep the distribution of each draw: DistributionTrace::limit
  /// Every step of the row, and of no other, is computed with this fault. It shares no cache with rows that have
  /// another fault or none, so that nothing of it stays behind.
  Fault fault = Fault::none;
};

/// A row that goes on where a saved one stood.
struct ResumedRow {
  RowId row = 0;
  std::string bytes;  ///< the text that its tokens had made certain
};

/// What a step did for one row.
struct RowEvent {
  RowId row = 0;
  std::size_t past = 0;         ///< positions that were cached before the step
  std::size_t computed = 0;     ///< positions that the step computed
  std::size_t logits_rows = 0;  ///< rows of logits that the step computed for it, needed or not
  TokenId token = -1;           ///< the token chosen, or -1 while the prompt is not done or when the row failed
  Draw draw;
  std::string bytes;  ///< text that became certain: the token's bytes less what may still be a stop string
  FinishReason finish = FinishReason::none;
  std::optional<Error> error;                ///< with FinishReason::failed
  std::span<const float> logits;             ///< [V] that chose the token; live until the model's next forward pass
  const DistributionTrace* trace = nullptr;  ///< live until the row's next step
};

/// A row as it stands.
struct RowView {
  std::span<const TokenId> prompt;
  std::span<const TokenId> generated;  ///< every token chosen, the one that stopped the row included
  const Policy& policy;
  const KvCache& cache;
  std::size_t reused = 0;  ///< prompt positions that a cache already held when the row joined
  FinishReason finish = FinishReason::none;
};

class Generator {
 public:
  /// The model outlives the generator. Throws invalid_option unless 1 <= max_rows <= the model's max_batch_rows and
  /// prefill_chunk >= 1.
  Generator(Transformer& model, TokenBytes token_bytes, const GeneratorOptions& options = {});
  ~Generator();
  Generator(Generator&&) noexcept;

  /// Adds a row on the free cache that shares the longest beginning with the prompt, rewound to what they share.
  /// Throws batch_full, invalid_option (an empty prompt, a policy out of range or without seed), invalid_token, and
  /// context_full for a prompt longer than the context. A prompt as long as the context still gets one token.
  RowId join(RowRequest request);

  /// Adds a row that had already chosen `generated` after its prompt; `cache`, made by a model like this one, holds a
  /// beginning of both. What follows is what would have followed there, to the bit. Throws as join, and invalid_option
  /// for tokens after which the row had ended or which do not spell what is required, and for a cache of other tokens;
  /// no row has changed then.
  ResumedRow resume(RowRequest request, std::span<const TokenId> generated, KvCache cache);

  /// One forward pass for every row that has not finished, or for those of `rows` that have not, in their order; the
  /// events live until the next step. Throws invalid_option for rows of different faults and for a row named twice. An
  /// error of the pass itself leaves every row as it was.
  std::span<const RowEvent> step();
  std::span<const RowEvent> step(std::span<const RowId> rows);
  std::span<const RowEvent> step(RowId row) { return step(std::span(&row, 1)); }

  /// Takes back the last `tokens` tokens that a row chose, and the end that it had; its next step draws again what it
  /// drew in their place. Gives the text that the remaining ones make certain, from the row's beginning. Nothing
  /// happens for 0. Throws invalid_option for more than were chosen.
  std::string rewind(RowId row, std::size_t tokens);

  /// Ends a row with FinishReason::aborted, unless it has ended already, and returns the text that was still held
  /// back. Its cache stays consistent.
  std::string abort(RowId row);

  /// Forgets a row and frees its place. The cache keeps its content for a later prompt with the same beginning.
  void leave(RowId row);

  /// Throws not_loaded for a row that never joined or has left.
  RowView row(RowId row) const;
  std::size_t unfinished_rows() const;
  std::vector<RowId> rows() const;

  /// Memory of all caches, those of free places included.
  KvBytes cache_bytes() const;

  /// Makes step() wrong in a named way from now on; as Transformer::inject, whose faults do nothing here.
  void inject(Fault fault) { fault_ = fault; }

 private:
  struct Slot;
  class FaultScope;
  Slot& slot(RowId row) const;
  Policy check_request(const RowRequest& request) const;
  void check_tokens(std::span<const TokenId> tokens, const char* what) const;
  Slot& choose_slot(std::span<const TokenId> prompt, Fault fault);
  bool spells(TokenId token, std::string_view required) const;
  std::string take_bytes(Slot& slot, TokenId token) const;
  std::string replay(Slot& slot) const;
  bool advances(const Slot& slot) const;
  std::span<const RowEvent> step_slots(std::span<Slot* const> active);
  void advance(Slot& slot, std::span<const float> logits, RowEvent& event);
  std::span<const std::uint8_t> allowed_tokens(std::string_view required);

  Transformer* model_;
  TokenBytes token_bytes_;
  GeneratorOptions options_;
  SamplingPipeline pipeline_;
  std::vector<std::uint8_t> allowed_;  // [V] while a row still has required bytes
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<RowEvent> events_;
  RowId next_row_ = 1;
  Fault fault_ = Fault::none;
  std::map<Fault, std::unique_ptr<InjectedFault>> row_faults_;  // of rows, between their steps
};

}  // namespace vitrine
