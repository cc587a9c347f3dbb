// Scheduling of a batch: which tokens each row contributes to the next forward pass, and what its logits lead to.
#include "generate/generator.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/rng.hpp"
#include "generate/stop_matcher.hpp"

namespace vitrine {
namespace {

bool is_stop_token(const Policy& policy, TokenId token) {
  return std::find(policy.stop_tokens.begin(), policy.stop_tokens.end(), token) != policy.stop_tokens.end();
}

}  // namespace

/// A place in the batch: a cache that outlives its rows, and the row that uses it now.
struct Generator::Slot {
  explicit Slot(KvCache empty) : cache(std::move(empty)) {}

  std::span<const TokenId> prompt() const { return std::span<const TokenId>(sequence).first(prompt_size); }
  std::span<const TokenId> generated() const { return std::span<const TokenId>(sequence).subspan(prompt_size); }
  /// Tokens that the cache does not hold yet: the rest of the prompt, or the token chosen last.
  std::span<const TokenId> pending() const { return std::span<const TokenId>(sequence).subspan(cache.length()); }
  std::string_view still_required() const { return std::string_view(required).substr(spelled); }
  bool active() const { return id != 0 && finish == FinishReason::none; }
  /// How many leading tokens of a prompt the cache holds, as rows with this fault compute them.
  std::size_t shared_with(std::span<const TokenId> tokens, Fault row_fault) const;
  /// Everything of a request but the cache and the id.
  void begin(RowRequest request, Policy checked_policy);

  KvCache cache;
  RowId id = 0;  // 0: free
  std::vector<TokenId> sequence;
  std::size_t prompt_size = 0;
  std::size_t reused = 0;
  Policy policy;
  RandomStream stream{0};
  StopMatcher matcher;
  std::string required;     // RowRequest::required
  std::size_t spelled = 0;  // bytes of it that the tokens have spelled
  FinishReason finish = FinishReason::none;
  bool traced = false;
  DistributionTrace trace;
  Fault fault = Fault::none;  // that computed what the cache holds
};

/// Puts the fault of a step's rows in the place of what is injected otherwise, for as long as it lives.
class Generator::FaultScope {
 public:
  FaultScope(Generator& generator, Fault fault) : generator_(generator), before_(generator.fault_), fault_(fault) {
    if (fault == Fault::none) return;
    std::unique_ptr<InjectedFault>& kept = generator.row_faults_[fault];
    if (kept == nullptr) kept = std::make_unique<InjectedFault>(fault, generator.model_->config());
    exchange(fault);
  }
  ~FaultScope() {
    if (fault_ != Fault::none) exchange(before_);
  }
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;

 private:
  void exchange(Fault fault) {
    generator_.model_->exchange_fault(generator_.row_faults_[fault_]);
    generator_.fault_ = fault;
  }

  Generator& generator_;
  Fault before_;
  Fault fault_;
};

Generator::Generator(Transformer& model, TokenBytes token_bytes, const GeneratorOptions& options)
    : model_(&model), token_bytes_(std::move(token_bytes)), options_(options), pipeline_(model.config().vocab_size) {
  const std::size_t limit = model.options().max_batch_rows;
  VITRINE_CHECK(options.max_rows >= 1 && options.max_rows <= limit, ErrorCode::invalid_option,
                "max_rows: expected 1 to ", limit, " (the model's max_batch_rows), found ", options.max_rows);
  VITRINE_CHECK(options.prefill_chunk >= 1, ErrorCode::invalid_option, "prefill_chunk: expected at least 1, found ",
                options.prefill_chunk);
}

Generator::~Generator() = default;
Generator::Generator(Generator&&) noexcept = default;

/// Refuses a request before anything has changed; gives its policy as validated.
Policy Generator::check_request(const RowRequest& request) const {
  const ModelConfig& config = model_->config();
  VITRINE_CHECK(!request.prompt.empty(), ErrorCode::invalid_option,
                "prompt: expected at least one token, found none (and the model has no token that begins a text)");
  VITRINE_CHECK(request.prompt.size() <= config.max_seq_len, ErrorCode::context_full, "prompt: expected at most ",
                config.max_seq_len, " tokens, found ", request.prompt.size());
  check_tokens(request.prompt, "prompt");
  Policy policy = parse_policy(write_policy(request.policy), config.vocab_size);
  VITRINE_CHECK(policy.seed.has_value(), ErrorCode::invalid_option,
                "policy: seed: expected a resolved seed, found none");
  return policy;
}

void Generator::check_tokens(std::span<const TokenId> tokens, const char* what) const {
  const std::size_t vocab_size = model_->config().vocab_size;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    VITRINE_CHECK(tokens[i] >= 0 && static_cast<std::size_t>(tokens[i]) < vocab_size, ErrorCode::invalid_token, what,
                  ": token ", i, ": expected an id from 0 to ", vocab_size - 1, ", found ", tokens[i]);
  }
}

void Generator::Slot::begin(RowRequest request, Policy checked_policy) {
  prompt_size = request.prompt.size();
  sequence = std::move(request.prompt);
  stream = RandomStream(*checked_policy.seed, request.stream);
  matcher = StopMatcher(checked_policy.stop);
  policy = std::move(checked_policy);
  required = std::move(request.required);
  spelled = 0;
  finish = FinishReason::none;
  traced = request.trace_limit.has_value();
  trace.limit = request.trace_limit.value_or(0);
  fault = request.fault;
}

std::size_t Generator::Slot::shared_with(std::span<const TokenId> tokens, Fault row_fault) const {
  const bool shares = fault == row_fault && (fault == Fault::none || needs_rewound_cache(fault));
  return shares ? cache.common_prefix(tokens) : 0;
}

RowId Generator::join(RowRequest request) {
  Policy policy = check_request(request);
  Slot& slot = choose_slot(request.prompt, request.fault);
  // The last prompt token is always computed: its logits choose the first new token.
  slot.reused = std::min(slot.shared_with(request.prompt, request.fault), request.prompt.size() - 1);
  slot.cache.rewind(slot.reused);
  slot.begin(std::move(request), std::move(policy));
  slot.id = next_row_++;
  return slot.id;
}

ResumedRow Generator::resume(RowRequest request, std::span<const TokenId> generated, KvCache cache) {
  Policy policy = check_request(request);
  check_tokens(generated, "generated");
  Slot resumed(std::move(cache));
  resumed.begin(std::move(request), std::move(policy));
  resumed.sequence.insert(resumed.sequence.end(), generated.begin(), generated.end());
  std::string bytes = replay(resumed);
  const bool ended =
      generated.size() >= resumed.policy.max_new_tokens || resumed.matcher.matched() ||
      std::any_of(generated.begin(), generated.end(), [&](TokenId t) { return is_stop_token(resumed.policy, t); });
  const ModelConfig& config = model_->config();
  const std::size_t tokens = resumed.sequence.size(), cached = resumed.cache.length();
  VITRINE_CHECK(!ended && tokens <= config.max_seq_len, ErrorCode::invalid_option,
                "resume: expected a row that goes on, found one whose tokens end it");
  VITRINE_CHECK(resumed.cache.shape() == config.kv_shape(model_->options().cache_dtype) && cached < tokens &&
                    resumed.cache.common_prefix(resumed.sequence) == cached,
                ErrorCode::invalid_option, "resume: expected a cache of this model with a beginning of the row's ",
                tokens, " tokens, found another");
  resumed.reused = std::min(cached, resumed.prompt_size);
  Slot& slot = choose_slot({}, resumed.fault);
  slot = std::move(resumed);
  slot.id = next_row_++;
  return {slot.id, std::move(bytes)};
}

std::string Generator::rewind(RowId row, std::size_t tokens) {
  Slot& rewound = slot(row);
  const std::size_t chosen = rewound.generated().size();
  VITRINE_CHECK(tokens <= chosen, ErrorCode::invalid_option, "rewind: expected at most the ", chosen,
                " tokens that row ", row, " has chosen, found ", tokens);
  if (tokens > 0) {
    rewound.sequence.resize(rewound.sequence.size() - tokens);
    // The last token is computed again: its logits choose the next one.
    rewound.cache.rewind(std::min(rewound.cache.length(), rewound.sequence.size() - 1));
    rewound.finish = FinishReason::none;
  }
  return replay(rewound);
}

/// Rebuilds what follows from a row's tokens, and gives the bytes that they make certain.
std::string Generator::replay(Slot& slot) const {
  slot.matcher = StopMatcher(slot.policy.stop);
  slot.spelled = 0;
  std::string bytes;
  for (const TokenId token : slot.generated()) {
    VITRINE_CHECK(spells(token, slot.still_required()), ErrorCode::invalid_option,
                  "resume: expected tokens that spell what is required, found ", token);
    bytes += take_bytes(slot, token);
  }
  return bytes;
}

/// The free slot that shares most with the prompt; a new one where none shares more than the first token, which
/// is often the same for every text; else the emptiest.
Generator::Slot& Generator::choose_slot(std::span<const TokenId> prompt, Fault fault) {
  Slot* best = nullptr;
  Slot* emptiest = nullptr;
  std::size_t best_prefix = 1;
  for (const auto& slot : slots_) {
    if (slot->id != 0) continue;
    const std::size_t prefix = slot->shared_with(prompt, fault);
    if (prefix > best_prefix) {
      best = slot.get();
      best_prefix = prefix;
    }
    if (emptiest == nullptr || slot->cache.length() < emptiest->cache.length()) emptiest = slot.get();
  }
  if (best != nullptr) return *best;
  if (slots_.size() < options_.max_rows) {
    slots_.push_back(std::make_unique<Slot>(model_->make_cache()));
    return *slots_.back();
  }
  VITRINE_CHECK(emptiest != nullptr, ErrorCode::batch_full, "batch: expected a free row of ", options_.max_rows,
                ", found none");
  return *emptiest;
}

/// Whether the next step is for this row too: until it has finished, unless a fault was injected.
bool Generator::advances(const Slot& slot) const {
  const Fault fault = slot.fault == Fault::none ? fault_ : slot.fault;
  if (slot.active() || fault != Fault::finished_row_advances) return slot.active();
  return slot.id != 0 && !slot.pending().empty() && slot.cache.length() < slot.cache.capacity();
}

std::span<const RowEvent> Generator::step() {
  std::vector<Slot*> active;
  for (const auto& slot : slots_) {
    if (advances(*slot)) active.push_back(slot.get());
  }
  return step_slots(active);
}

std::span<const RowEvent> Generator::step(std::span<const RowId> rows) {
  std::vector<Slot*> active;
  for (const RowId row : rows) {
    VITRINE_CHECK(std::count(rows.begin(), rows.end(), row) == 1, ErrorCode::invalid_option,
                  "step: expected each row once, found row ", row, " twice");
    if (Slot& named = slot(row); advances(named)) active.push_back(&named);
  }
  return step_slots(active);
}

std::span<const RowEvent> Generator::step_slots(std::span<Slot* const> active) {
  events_.clear();
  if (active.empty()) return events_;
  const Fault fault = active.front()->fault;
  for (const Slot* slot : active) {
    VITRINE_CHECK(slot->fault == fault, ErrorCode::invalid_option, "step: expected rows of one fault, found ",
                  fault_name(fault), " and ", fault_name(slot->fault));
  }
  const FaultScope scope(*this, fault);

  // Every row gets one token; what is left of the model's batch goes to prompts, in the order of the rows.
  std::size_t spare = model_->options().max_batch_rows - active.size();
  std::vector<SequenceInput> batch;
  bool any_complete = false;
  for (Slot* slot : active) {
    const std::size_t pending = slot->pending().size();
    const std::size_t count = std::min({pending, options_.prefill_chunk, 1 + spare});
    spare -= count - 1;
    any_complete = any_complete || count == pending;
    batch.push_back({&slot->cache, slot->pending().first(count)});
    RowEvent event;
    event.row = slot->id;
    event.past = slot->cache.length();
    event.computed = count;
    events_.push_back(std::move(event));
  }
  const auto logits = model_->forward(batch, any_complete ? LogitsWanted::last : LogitsWanted::none);
  for (std::size_t b = 0; b < active.size(); ++b) {
    events_[b].logits_rows = any_complete ? 1 : 0;
    if (active[b]->pending().empty()) {
      const auto row = logits[b];
      advance(*active[b], {row.data(), row.size()}, events_[b]);
    }
  }
  return events_;
}

/// Chooses the next token of a row whose cache is up to date, and decides whether the row has ended.
void Generator::advance(Slot& slot, std::span<const float> logits, RowEvent& event) {
  event.logits = logits;
  const std::size_t step = slot.generated().size();
  const DrawContext context{slot.prompt(), slot.generated(), allowed_tokens(slot.still_required())};
  try {
    event.draw = pipeline_.draw(logits, slot.policy, slot.stream, step, slot.traced ? &slot.trace : nullptr, context);
  } catch (const Error& error) {
    // The other rows of the batch go on; this one says what happened.
    slot.finish = event.finish = FinishReason::failed;
    event.error = error;
    event.bytes = slot.matcher.finish();
    return;
  }
  if (fault_ == Fault::one_draw_for_all_rows) {
    event.draw =
        std::find_if(events_.begin(), events_.end(), [](const RowEvent& e) { return e.draw.token >= 0; })->draw;
  }
  event.token = event.draw.token;
  if (slot.traced) event.trace = &slot.trace;
  slot.sequence.push_back(event.token);

  if (is_stop_token(slot.policy, event.token)) {
    slot.finish = FinishReason::stop_token;
  } else {
    event.bytes = take_bytes(slot, event.token);
    if (slot.matcher.matched()) {
      slot.finish = FinishReason::stop_string;
    } else if (slot.generated().size() >= slot.policy.max_new_tokens) {
      slot.finish = FinishReason::length;
    } else if (slot.cache.length() == slot.cache.capacity()) {
      slot.finish = FinishReason::context_full;
    }
  }
  if (slot.finish != FinishReason::none) event.bytes += slot.matcher.finish();
  event.finish = slot.finish;
}

/// Whether a token may be chosen next: it begins with what is required or begins it.
bool Generator::spells(TokenId token, std::string_view required) const {
  const std::string_view bytes = token_bytes_(token);
  return required.empty() || (!bytes.empty() && (bytes.starts_with(required) || required.starts_with(bytes)));
}

/// The bytes that a chosen token makes certain, once what is required has been spelled.
std::string Generator::take_bytes(Slot& slot, TokenId token) const {
  const std::string_view bytes = token_bytes_(token);
  const std::size_t spelled = std::min(slot.still_required().size(), bytes.size());
  slot.spelled += spelled;
  return slot.matcher.push(bytes.substr(spelled));
}

/// Which tokens spell what is required; without anything required, all (an empty span).
std::span<const std::uint8_t> Generator::allowed_tokens(std::string_view required) {
  if (required.empty()) return {};
  allowed_.resize(model_->config().vocab_size);
  for (std::size_t id = 0; id < allowed_.size(); ++id) {
    allowed_[id] = spells(static_cast<TokenId>(id), required) ? 1 : 0;
  }
  return allowed_;
}

std::string Generator::abort(RowId row) {
  Slot& ended = slot(row);
  if (!ended.active()) return {};
  ended.finish = FinishReason::aborted;
  return ended.matcher.finish();
}

void Generator::leave(RowId row) { slot(row).id = 0; }

Generator::Slot& Generator::slot(RowId row) const {
  for (const auto& candidate : slots_) {
    if (row != 0 && candidate->id == row) return *candidate;
  }
  fail(ErrorCode::not_loaded, str("row: expected one that has joined and not left, found ", row));
}

RowView Generator::row(RowId row) const {
  const Slot& found = slot(row);
  return {found.prompt(), found.generated(), found.policy, found.cache, found.reused, found.finish};
}

std::size_t Generator::unfinished_rows() const {
  return static_cast<std::size_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->active(); }));
}

std::vector<RowId> Generator::rows() const {
  std::vector<RowId> ids;
  for (const auto& slot : slots_) {
    if (slot->id != 0) ids.push_back(slot->id);
  }
  return ids;
}

KvBytes Generator::cache_bytes() const {
  KvBytes sum;
  for (const auto& slot : slots_) sum += slot->cache.bytes();
  return sum;
}

}  // namespace vitrine
