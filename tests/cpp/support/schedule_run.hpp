// Runs a schedule and compares every logit that it computes with the uncached forward pass of the same prefix, as bits;
// and makes a schedule that fails as small as it can. The uncached passes are those of a second model, one thread wide
// and never made wrong, each from an empty cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "model/transformer.hpp"
#include "session/saved_session.hpp"
#include "support/schedule.hpp"
#include "support/threads.hpp"
#include "support/tiny_model.hpp"

namespace vitrine::test {

/// Two models of one architecture, and every uncached row of logits that was asked for so far.
class ScheduleSubject {
 public:
  explicit ScheduleSubject(const Schedule& schedule)
      : setting_(schedule),
        model(schedule.config, random_weights(schedule.config, schedule.seed), options(schedule, schedule.threads)),
        reference_(schedule.config, random_weights(schedule.config, schedule.seed), options(schedule, 1)),
        cache_(reference_.make_cache()) {
    setting_.operations.clear();
  }

  /// Whether a schedule has this architecture, and so these models.
  bool serves(const Schedule& schedule) const {
    Schedule setting = schedule;
    setting.operations.clear();
    return setting == setting_;
  }

  /// Logits [V] after `prefix`, computed from nothing.
  const std::vector<float>& uncached(std::span<const TokenId> prefix) {
    std::vector<float>& logits = logits_[{prefix.begin(), prefix.end()}];
    if (logits.empty()) {
      cache_.rewind(0);
      const SequenceInput input{&cache_, prefix};
      const View<const float, 2> row = reference_.forward({&input, 1}, LogitsWanted::last);
      logits.assign(row.data(), row.data() + row.size());
    }
    return logits;
  }

 private:
  static TransformerOptions options(const Schedule& schedule, std::size_t threads) {
    return {.max_batch_rows = Schedule::kRows * (schedule.config.max_seq_len + 1),
            .threads = threads_of_this_build(threads),
            .cache_dtype = schedule.cache_dtype};
  }

  Schedule setting_;

 public:
  Transformer model;  ///< the one that is tested

 private:
  Transformer reference_;
  KvCache cache_;
  std::map<std::vector<TokenId>, std::vector<float>> logits_;
};

class ScheduleRunner {
 public:
  /// With a fault, the tested model is made wrong in this way.
  explicit ScheduleRunner(Fault fault = Fault::none) : fault_(fault) {}

  /// "" if every bit is as it should be; else what is not, and where.
  std::string run(const Schedule& schedule) {
    if (!subject_ || !subject_->serves(schedule)) {
      subject_ = std::make_unique<ScheduleSubject>(schedule);
      subject_->model.inject(fault_);
    }
    schedule_ = &schedule;
    rows_.clear();
    for (std::size_t i = 0; i < Schedule::kRows; ++i) rows_.push_back({subject_->model.make_cache(), {}});
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
      const Operation& operation = schedule.operations[i];
      std::string problem;
      try {
        problem = apply(operation);
      } catch (const Error& error) {
        problem = str("expected no error, found ", error_name(error.code()), ": ", error.message());
      }
      if (problem.empty()) problem = check_tokens();
      if (!problem.empty()) {
        return str("operation ", i, " (", kActionNames[static_cast<std::size_t>(operation.action)], "): ", problem);
      }
    }
    return "";
  }

  /// The same with models that have computed nothing yet.
  std::string run_afresh(const Schedule& schedule) {
    subject_.reset();
    return run(schedule);
  }

  std::uint64_t logits_compared() const { return logits_compared_; }

 private:
  struct Row {
    KvCache cache;
    std::vector<TokenId> tokens;  // those that the cache should hold
  };

  /// The tokens of a pass: parts whose cache is full or has its part already stay out.
  struct Pass {
    std::vector<Row*> rows;
    std::vector<std::vector<TokenId>> tokens;

    bool has(const Row* row) const { return std::find(rows.begin(), rows.end(), row) != rows.end(); }
    std::vector<SequenceInput> batch() const {
      std::vector<SequenceInput> inputs;
      for (std::size_t i = 0; i < rows.size(); ++i) inputs.push_back({&rows[i]->cache, tokens[i]});
      return inputs;
    }
  };

  Row& row(std::size_t index) { return rows_[index % Schedule::kRows]; }

  void add(Pass& pass, Row& row, std::size_t count, std::size_t text) const {
    if (count == 0 || pass.has(&row)) return;
    std::vector<TokenId> tokens;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(schedule_->token(text, row.tokens.size() + i));
    pass.rows.push_back(&row);
    pass.tokens.push_back(std::move(tokens));
  }

  std::string apply(const Operation& operation) {
    if (operation.parts.empty()) return "";
    const Part& first = operation.parts[0];
    Row& one = row(first.row);
    switch (operation.action) {
      case Action::all:
        return forward(operation, LogitsWanted::all);
      case Action::last:
        return forward(operation, LogitsWanted::last);
      case Action::none:
        return forward(operation, LogitsWanted::none);
      case Action::rewind:
        one.tokens.resize(std::min(first.amount, one.tokens.size()));
        one.cache.rewind(one.tokens.size());
        return "";
      case Action::fork: {
        Row copy{one.cache.fork(), one.tokens};
        row(first.amount) = std::move(copy);
        return "";
      }
      case Action::restore:
        restore(one);
        return "";
      case Action::reuse:
        return reuse(one, std::min(first.amount, one.cache.capacity()), first.text);
      case Action::beyond:
        return beyond(operation);
    }
    return "";
  }

  std::string forward(const Operation& operation, LogitsWanted wanted) {
    Pass pass;
    for (const Part& part : operation.parts) {
      Row& target = row(part.row);
      add(pass, target, std::min(part.amount, target.cache.capacity() - target.tokens.size()), part.text);
    }
    return run_pass(pass, wanted);
  }

  std::string run_pass(const Pass& pass, LogitsWanted wanted) {
    if (pass.rows.empty()) return "";
    const View<const float, 2> logits = subject_->model.forward(pass.batch(), wanted);
    std::size_t next = 0;
    for (std::size_t i = 0; i < pass.rows.size(); ++i) {
      Row& target = *pass.rows[i];
      const std::size_t past = target.tokens.size();
      target.tokens.insert(target.tokens.end(), pass.tokens[i].begin(), pass.tokens[i].end());
      if (wanted == LogitsWanted::none) continue;
      const std::size_t first = wanted == LogitsWanted::all ? past : target.tokens.size() - 1;
      for (std::size_t position = first; position < target.tokens.size(); ++position) {
        const std::string problem = compare(logits[next++], std::span(target.tokens).first(position + 1));
        if (!problem.empty()) return str("row ", &target - rows_.data(), ", position ", position, ", ", problem);
      }
    }
    return next == logits.extent(0) ? "" : str("expected ", next, " rows of logits, found ", logits.extent(0));
  }

  std::string compare(View<const float, 1> found, std::span<const TokenId> prefix) {
    const std::vector<float>& expected = subject_->uncached(prefix);
    logits_compared_ += expected.size();
    if (found.size() != expected.size()) return str("expected ", expected.size(), " logits, found ", found.size());
    if (std::memcmp(found.data(), expected.data(), expected.size() * sizeof(float)) == 0) return "";
    std::size_t id = 0;
    while (std::bit_cast<std::uint32_t>(found[id]) == std::bit_cast<std::uint32_t>(expected[id])) ++id;
    return str("logit ", id, ": expected ", expected[id], " as uncached, found ", found[id]);
  }

  /// A file may hold tokens that are not computed yet; so one is added where there is room.
  void restore(Row& one) const {
    SavedRow saved;
    saved.tokens = one.tokens;
    if (saved.tokens.size() < one.cache.capacity()) saved.tokens.push_back(0);
    saved.prompt_tokens = 1;
    saved.policy.seed = 1;
    const SessionIdentity identity{"weights", "architecture", "tokenizer"};
    const std::string file = write_saved_session(saved, one.cache, identity);
    one.cache = read_saved_session(file, "schedule", identity, schedule_->config, schedule_->cache_dtype).cache;
  }

  /// As Generator::join does; the last token is always computed.
  std::string reuse(Row& one, std::size_t count, std::size_t text) {
    if (count == 0) return "";
    std::vector<TokenId> prompt;
    for (std::size_t i = 0; i < count; ++i) prompt.push_back(schedule_->token(text, i));
    one.cache.rewind(std::min(one.cache.common_prefix(prompt), count - 1));
    one.tokens.assign(prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(one.cache.length()));
    Pass pass;
    add(pass, one, count - one.tokens.size(), text);
    return run_pass(pass, LogitsWanted::last);
  }

  std::string beyond(const Operation& operation) {
    Pass pass;
    for (const Part& part : operation.parts) {
      Row& target = row(part.row);
      const std::size_t room = target.cache.capacity() - target.tokens.size();
      add(pass, target, pass.rows.empty() ? room + 1 : std::min(part.amount, room), part.text);
    }
    std::vector<KvContent> before;
    for (const Row& each : rows_) before.push_back(each.cache.content());
    try {
      subject_->model.forward(pass.batch(), LogitsWanted::all);
      return "expected context_full, found no error";
    } catch (const Error& error) {
      if (error.code() != ErrorCode::context_full) {
        return str("expected context_full, found ", error_name(error.code()), ": ", error.message());
      }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!(rows_[i].cache.content() == before[i]))
        return str("row ", i, ": expected it unchanged, found a difference");
    }
    return "";
  }

  std::string check_tokens() const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::span<const TokenId> held = rows_[i].cache.tokens();
      if (std::equal(held.begin(), held.end(), rows_[i].tokens.begin(), rows_[i].tokens.end())) continue;
      return str("row ", i, ": expected a cache of its ", rows_[i].tokens.size(), " tokens, found others");
    }
    return "";
  }

  Fault fault_;
  std::unique_ptr<ScheduleSubject> subject_;
  const Schedule* schedule_ = nullptr;
  std::vector<Row> rows_;
  std::uint64_t logits_compared_ = 0;
};

}  // namespace vitrine::test
