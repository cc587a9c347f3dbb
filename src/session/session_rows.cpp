// The rows of a session: each step is the generator's, with its account and, where it is asked for, the same logits
// over the whole prefix beside it. Loading a bundle and what needs no row are session.cpp's.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.hpp"
#include "session/saved_session.hpp"
#include "session/session.hpp"
#include "tokenizer/pre_tokenizer.hpp"

namespace vitrine {
namespace {

/// Wall time since it was made.
class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

bool needs_comparison(const SessionRow& row, const RowEvent& event) { return row.options.parity && event.token >= 0; }

/// Where the last piece of a text begins: tokens never reach across it.
std::size_t last_piece_begin(PreTokenizer kind, std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = next_piece_end(kind, text, begin);
    if (end == text.size()) break;
    begin = end;
  }
  return begin;
}

}  // namespace

RowRequest Session::make_request(std::string_view prompt, const Policy& policy, const RowOptions& options,
                                 std::uint64_t entropy) const {
  const LoadedModel& model = loaded();
  RowRequest request;
  // Where every line is a document, what stands before the last newline is another document.
  if (options.heal && model.prompt_template.unit == DocumentUnit::line) prompt.remove_prefix(prompt.rfind('\n') + 1);
  const std::size_t healed = options.heal ? last_piece_begin(model.tokenizer.pre_tokenizer(), prompt) : prompt.size();
  // Without a begin token there must be something to go on from.
  const std::size_t kept = healed == 0 && model.begin_token < 0 ? prompt.size() : healed;
  request.prompt = model.encode_prompt(prompt.substr(0, kept));
  request.required = prompt.substr(kept);
  request.policy = resolve_seed(policy, entropy);
  request.stream = options.stream;
  request.trace_limit = options.trace_limit;
  request.fault = options.fault;
  return request;
}

RowId Session::start(std::string_view prompt, const Policy& policy, const RowOptions& options, std::uint64_t entropy) {
  RowRequest request = make_request(prompt, policy, options, entropy);
  auto entry = std::make_unique<SessionRow>();
  entry->options = options;
  entry->required = request.required;
  const RowId id = generator_->join(std::move(request));
  rows_[id] = std::move(entry);
  return id;
}

RowStep Session::step(RowId id) {
  row(id);
  VITRINE_CHECK(generator_->row(id).finish == FinishReason::none, ErrorCode::invalid_option, "row ", id,
                ": expected one that goes on, found it finished: ", finish_name(generator_->row(id).finish));
  const Stopwatch watch;
  const std::span<const RowEvent> events = generator_->step(id);
  RowStep step = record_all(events, watch.milliseconds()).front();
  if (step.error) throw *step.error;
  return step;
}

std::vector<RowStep> Session::step_all() {
  loaded();
  const Stopwatch watch;
  const std::span<const RowEvent> events = generator_->step();
  return record_all(events, watch.milliseconds());
}

std::vector<RowStep> Session::step(std::span<const RowId> rows) {
  for (const RowId id : rows) row(id);
  const Stopwatch watch;
  const std::span<const RowEvent> events = generator_->step(rows);
  return record_all(events, watch.milliseconds());
}

std::vector<RowStep> Session::record_all(std::span<const RowEvent> events, double milliseconds) {
  std::vector<RowStep> steps;
  cached_logits_.clear();
  for (const RowEvent& event : events) {
    SessionRow& stepped = row(event.row);
    steps.push_back(record(stepped, event, milliseconds));
    if (needs_comparison(stepped, event)) {
      cached_logits_.insert(cached_logits_.end(), event.logits.begin(), event.logits.end());
    }
  }
  std::size_t offset = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!needs_comparison(row(events[i].row), events[i])) continue;
    compare_with_full_prefix(offset, steps[i]);
    offset += loaded().tokenizer.vocab_size();
  }
  return steps;
}

RowStep Session::record(SessionRow& entry, const RowEvent& event, double milliseconds) {
  const RowView view = generator_->row(event.row);
  RowStep step;
  step.row = event.row;
  step.prefill = !entry.has_token;
  step.past = event.past;
  step.token = event.token;
  step.draw = event.draw;
  step.finish = event.finish;
  step.error = event.error;
  step.trace = event.trace;
  step.cached = cached_cost(event, milliseconds);
  step.text = entry.enter(event, step.cached);
  step.positions = view.cache.length();
  step.cache = view.cache.bytes();
  return step;
}

LaneCost Session::cached_cost(const RowEvent& event, double milliseconds) const {
  return cost(event.past, event.computed, event.logits_rows, milliseconds);
}

/// The full-prefix pass overwrites the logits of every row, so those to compare were copied to cached_logits_ before.
void Session::compare_with_full_prefix(std::size_t offset, RowStep& step) {
  Transformer& transformer = loaded().transformer;
  const std::span<const TokenId> prefix = generator_->row(step.row).cache.tokens();
  const Stopwatch watch;
  const View<const float, 1> full = full_prefix_logits(transformer, prefix, *full_prefix_cache_);
  const double milliseconds = watch.milliseconds();
  const std::span<const float> cached = std::span<const float>(cached_logits_).subspan(offset, full.size());
  const std::uint64_t bits = differing_bits(cached, {full.data(), full.size()});
  step.full = cost(0, prefix.size(), 1, milliseconds);
  step.parity = {1, bits == 0 ? std::uint64_t{1} : 0, cached.size(), bits};
  row(step.row).enter_parity(*step.full, step.parity);
}

SessionRow& Session::row(RowId id) const {
  loaded();
  const auto place = rows_.find(id);
  VITRINE_CHECK(place != rows_.end(), ErrorCode::not_loaded, "row: expected one that was started, found ", id);
  return *place->second;
}

void Session::abort(RowId id) {
  SessionRow& ended = row(id);
  if (generator_->row(id).finish == FinishReason::none) ended.enter_abort(generator_->abort(id));
}

RowResult Session::result(RowId id) const { return row(id).result(generator_->row(id)); }

std::vector<TokenId> Session::tokens(RowId id) const {
  row(id);
  const RowView view = generator_->row(id);
  std::vector<TokenId> tokens(view.prompt.begin(), view.prompt.end());
  tokens.insert(tokens.end(), view.generated.begin(), view.generated.end());
  return tokens;
}

void Session::leave(RowId id) {
  row(id);
  generator_->leave(id);
  rows_.erase(id);
}

void Session::rewind(RowId id, std::size_t tokens) {
  SessionRow& rewound = row(id);
  const std::string certain = generator_->rewind(id, tokens);
  if (tokens > 0) rewound.enter_tokens(certain, !generator_->row(id).generated.empty());
}

Inspection Session::inspect(RowId id, std::size_t position) {
  const std::vector<TokenId> tokens = this->tokens(id);
  LoadedModel& model = loaded();
  const std::size_t end = std::min(tokens.size(), model.transformer.config().max_seq_len);
  VITRINE_CHECK(position < end, ErrorCode::invalid_option, "position: expected 0 to ", end - 1, " of row ", id,
                ", found ", position);
  return inspect_last_position(model.transformer, std::span(tokens).first(position + 1));
}

CacheMap Session::cache_map(RowId id) const {
  row(id);
  return map_cache(generator_->row(id).cache);
}

std::string Session::save(RowId id) const {
  const SessionRow& entry = row(id);
  const RowView view = generator_->row(id);
  VITRINE_CHECK(view.finish == FinishReason::none, ErrorCode::invalid_option, "row ", id,
                ": expected one that goes on, found it finished: ", finish_name(view.finish));
  const SavedRow saved{tokens(id), view.prompt.size(), entry.required, view.policy, entry.options};
  return write_saved_session(saved, view.cache, session_identity(loaded().manifest));
}

RowId Session::restore(std::string_view file, std::string_view where) {
  const LoadedModel& model = loaded();
  SavedSession saved = read_saved_session(file, where, session_identity(model.manifest), model.transformer.config(),
                                          options_.cache_dtype);
  const std::span<const TokenId> tokens = saved.row.tokens;
  const std::span<const TokenId> prompt = tokens.first(saved.row.prompt_tokens);
  const std::span<const TokenId> generated = tokens.subspan(prompt.size());
  auto entry = std::make_unique<SessionRow>();
  entry->options = saved.row.options;
  entry->required = saved.row.required;
  RowRequest request{{prompt.begin(), prompt.end()}, std::move(saved.row.policy),   saved.row.options.stream,
                     std::move(saved.row.required),  saved.row.options.trace_limit, saved.row.options.fault};
  try {
    const ResumedRow resumed = generator_->resume(std::move(request), generated, std::move(saved.cache));
    entry->enter_tokens(resumed.bytes, !generated.empty());
    rows_[resumed.row] = std::move(entry);
    return resumed.row;
  } catch (const Error& error) {
    // What the generator calls an option comes from the file here.
    if (error.code() != ErrorCode::invalid_option) throw;
    fail(ErrorCode::bad_session, str(where, ": ", error.message()));
  }
}

RowResult Session::complete(std::string_view text, const Policy& policy, std::uint64_t entropy) {
  RowOptions options;
  options.heal = true;
  RowRequest request = make_request(text, policy, options, entropy);
  const RowId id = completer_->join(std::move(request));
  SessionRow entry;
  RowResult result;
  try {
    while (completer_->row(id).finish == FinishReason::none) {
      const Stopwatch watch;
      const RowEvent event = completer_->step(id).front();
      entry.enter(event, cached_cost(event, watch.milliseconds()));
      if (event.error) throw *event.error;
    }
    result = entry.result(completer_->row(id));
  } catch (...) {
    completer_->leave(id);
    throw;
  }
  completer_->leave(id);
  return result;
}

}  // namespace vitrine
