// The schedules of the parity check. Each runs the model in its own way and hands rows of logits to a Comparison,
// which holds the one recomputed reference that all of them share.
#include "generate/parity.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.hpp"
#include "kernels/reduce.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kMinBatchRows = 16;  // the longest chunk; the rows of batch_5 are fewer

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

class Comparison {
 public:
  Comparison(Transformer& model, std::span<const TokenId> tokens)
      : vocab_size_(model.config().vocab_size),
        reference_(checked_size(checked_multiply(tokens.size(), vocab_size_, "parity"), "parity"),
                   std::numeric_limits<float>::quiet_NaN()) {
    KvCache cache = model.make_cache();
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const View<const float, 1> logits = full_prefix_logits(model, tokens.first(t + 1), cache);
      VITRINE_CHECK(kernels::all_finite(logits.data(), vocab_size_), ErrorCode::not_finite, "parity: token ", t,
                    ": expected finite logits, found one that is not");
      std::copy_n(logits.data(), vocab_size_, reference_.begin() + static_cast<std::ptrdiff_t>(t * vocab_size_));
    }
  }

  /// logits [rows, V] of the tokens from position `first` on.
  void compare(std::size_t first, View<const float, 2> logits, ScheduleReport& report) const {
    for (std::size_t row = 0; row < logits.extent(0); ++row) compare_row(first + row, logits[row], report);
  }

  void compare_row(std::size_t token, View<const float, 1> logits, ScheduleReport& report) const {
    const std::span<const float> full = std::span(reference_).subspan(token * vocab_size_, vocab_size_);
    const std::span<const float> cached(logits.data(), logits.size());
    const std::uint64_t bits = differing_bits(cached, full);
    report.logits_compared += vocab_size_;
    report.differing_bits += bits;
    if (bits == 0 || report.first_difference) return;
    for (std::size_t id = 0; id < vocab_size_; ++id) {
      if (bits_of(cached[id]) == bits_of(full[id])) continue;
      report.first_difference = {token, id, cached[id], full[id]};
      return;
    }
  }

 private:
  std::size_t vocab_size_;
  std::vector<float> reference_;  // [tokens, V]
};

struct Setting {
  Transformer& model;
  std::span<const TokenId> tokens;
  const Comparison& comparison;
};

/// One sequence, `chunk` tokens a call, of which `wanted` says whose logits: of all, or for one token a call of the
/// last.
ScheduleReport run_chunks(const Setting& setting, std::string name, std::size_t chunk, LogitsWanted wanted) {
  ScheduleReport report;
  report.name = std::move(name);
  KvCache cache = setting.model.make_cache();
  while (cache.length() < setting.tokens.size()) {
    const std::size_t first = cache.length();
    const std::size_t count = std::min(chunk, setting.tokens.size() - first);
    const SequenceInput input{&cache, setting.tokens.subspan(first, count)};
    setting.comparison.compare(first, setting.model.forward({&input, 1}, wanted), report);
    report.exercised = report.exercised || first > 0;  // a first chunk alone is a full prefix
  }
  return report;
}

/// Five rows. Row r joins at step 2r with a first chunk of r + 1 tokens, then decodes; it leaves (and begins again,
/// once) when it has reached its own share of the sequence, so that the batch keeps changing size.
ScheduleReport run_batch(const Setting& setting) {
  constexpr std::size_t kRows = 5;
  struct Row {
    KvCache cache;
    std::size_t end;  // tokens after which it leaves
    std::size_t join_step;
    std::size_t lives = 2;
  };
  ScheduleReport report;
  report.name = "batch_5";
  std::vector<Row> rows;
  for (std::size_t r = 0; r < kRows; ++r) {
    const std::size_t share = std::max<std::size_t>(1, setting.tokens.size() * (kRows - r) / kRows);
    rows.push_back({setting.model.make_cache(), share, 2 * r});
  }
  for (std::size_t step = 0, alive = kRows; alive > 0; ++step) {
    std::vector<SequenceInput> batch;
    std::vector<std::size_t> firsts;
    for (std::size_t r = 0; r < kRows; ++r) {
      Row& row = rows[r];
      if (row.lives == 0 || step < row.join_step) continue;
      const std::size_t first = row.cache.length();
      const std::size_t count = std::min(first == 0 ? r + 1 : 1, row.end - first);
      batch.push_back({&row.cache, setting.tokens.subspan(first, count)});
      firsts.push_back(first);
    }
    if (!batch.empty()) {
      report.exercised = report.exercised || batch.size() > 1;
      const View<const float, 2> logits = setting.model.forward(batch, LogitsWanted::all);
      std::size_t row = 0;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        setting.comparison.compare(firsts[i], logits.slice(row, batch[i].tokens.size()), report);
        row += batch[i].tokens.size();
      }
    }
    for (Row& row : rows) {
      if (row.lives == 0 || row.cache.length() < row.end) continue;
      row.cache.rewind(0);
      row.join_step = step + 3;
      if (--row.lives == 0) --alive;
    }
  }
  return report;
}

/// Types five tokens, then three wrong ones, takes back the wrong ones alone or, every other time, two right ones with
/// them, and goes on: what is typed over is another token, or the same again.
ScheduleReport run_rewind(const Setting& setting) {
  constexpr std::size_t kTyped = 5, kWrong = 3, kTakenBack = 2;
  ScheduleReport report;
  report.name = "rewind_retype";
  KvCache cache = setting.model.make_cache();
  const auto vocab_size = static_cast<TokenId>(setting.model.config().vocab_size);
  std::size_t taken_back = 0;
  while (cache.length() < setting.tokens.size()) {
    const std::size_t first = cache.length();
    const std::size_t count = std::min(kTyped, setting.tokens.size() - first);
    const SequenceInput right{&cache, setting.tokens.subspan(first, count)};
    setting.comparison.compare(first, setting.model.forward({&right, 1}, LogitsWanted::all), report);
    if (cache.length() == setting.tokens.size()) break;

    std::vector<TokenId> mistakes;
    const std::size_t room = std::min(kWrong, cache.capacity() - cache.length());
    for (std::size_t i = 0; i < room; ++i) {
      const std::size_t position = std::min(cache.length() + i, setting.tokens.size() - 1);
      mistakes.push_back((setting.tokens[position] + 1) % vocab_size);
    }
    const SequenceInput wrong{&cache, mistakes};
    setting.model.forward({&wrong, 1}, LogitsWanted::none);
    cache.rewind(first + count - taken_back);
    taken_back = kTakenBack - taken_back;
    report.exercised = true;
  }
  return report;
}

}  // namespace

std::uint64_t ParityReport::logits_compared() const {
  std::uint64_t sum = 0;
  for (const ScheduleReport& schedule : schedules) sum += schedule.logits_compared;
  return sum;
}

std::uint64_t ParityReport::differing_bits() const {
  std::uint64_t sum = 0;
  for (const ScheduleReport& schedule : schedules) sum += schedule.differing_bits;
  return sum;
}

std::vector<std::string> ParityReport::not_exercised() const {
  std::vector<std::string> names;
  for (const ScheduleReport& schedule : schedules) {
    if (!schedule.exercised) names.push_back(schedule.name);
  }
  return names;
}

bool ParityReport::passed() const {
  const bool all_compared = std::all_of(schedules.begin(), schedules.end(), [](const ScheduleReport& schedule) {
    return schedule.exercised && schedule.logits_compared > 0;
  });
  return !schedules.empty() && all_compared && differing_bits() == 0;
}

std::uint64_t differing_bits(std::span<const float> a, std::span<const float> b) {
  VITRINE_ASSERT(a.size() == b.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += static_cast<std::uint64_t>(std::popcount(bits_of(a[i]) ^ bits_of(b[i])));
  }
  return count;
}

View<const float, 1> full_prefix_logits(Transformer& model, std::span<const TokenId> tokens, KvCache& cache) {
  VITRINE_ASSERT(!tokens.empty());
  cache.rewind(0);
  const std::size_t limit = model.options().max_batch_rows;
  for (; tokens.size() > limit; tokens = tokens.subspan(limit)) {
    const SequenceInput input{&cache, tokens.first(limit)};
    model.forward({&input, 1}, LogitsWanted::none);
  }
  const SequenceInput input{&cache, tokens};
  return model.forward({&input, 1}, LogitsWanted::last)[0];
}

ParityReport check_parity(Transformer& model, std::span<const TokenId> tokens) {
  const std::size_t capacity = model.config().max_seq_len;
  VITRINE_CHECK(!tokens.empty(), ErrorCode::bad_data, "parity: expected at least one token, found none");
  VITRINE_CHECK(tokens.size() <= capacity, ErrorCode::context_full, "parity: expected at most ", capacity,
                " tokens, found ", tokens.size());
  VITRINE_CHECK(model.options().max_batch_rows >= kMinBatchRows, ErrorCode::invalid_option,
                "max_batch_rows: expected at least ", kMinBatchRows, " for the parity check, found ",
                model.options().max_batch_rows);
  const Comparison comparison(model, tokens);
  const Setting setting{model, tokens, comparison};
  ParityReport report;
  report.tokens = tokens.size();
  report.cache_dtype = model.options().cache_dtype;
  // A generator asks for the last row's logits; a prefill in chunks of one takes the other way to the same bits.
  report.schedules.push_back(run_chunks(setting, "decode", 1, LogitsWanted::last));
  for (const std::size_t chunk : {1, 3, 7, 16}) {
    if (chunk >= capacity) break;  // no caller can have two of them
    report.schedules.push_back(run_chunks(setting, str("chunks_", chunk), chunk, LogitsWanted::all));
  }
  report.schedules.push_back(run_batch(setting));
  report.schedules.push_back(run_rewind(setting));
  return report;
}

}  // namespace vitrine
