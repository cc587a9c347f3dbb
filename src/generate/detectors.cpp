// The detectors that need a transformer alone: parity, causality, untouched neighbours.
#include "generate/detectors.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "generate/parity.hpp"

namespace vitrine::detect {

namespace {

/// A number as people read it, and its bits: neighbours look alike otherwise.
std::string exact(float value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.9g (0x%08X)", static_cast<double>(value), std::bit_cast<std::uint32_t>(value));
  return text;
}

/// The first logit of which the two rows [V] have different bits.
std::optional<Finding> compare(const std::string& where, std::span<const float> expected,
                               std::span<const float> found) {
  for (std::size_t id = 0; id < expected.size(); ++id) {
    if (differing_bits(expected.subspan(id, 1), found.subspan(id, 1)) == 0) continue;
    return Finding{str(where, ", logit ", id), exact(expected[id]), exact(found[id])};
  }
  return std::nullopt;
}

std::vector<float> copy(View<const float, 2> logits) { return {logits.data(), logits.data() + logits.size()}; }

/// Logits [T, V] of all tokens in one call.
std::vector<float> in_one_call(Transformer& model, std::span<const TokenId> tokens) {
  KvCache cache = model.make_cache();
  const SequenceInput input{&cache, tokens};
  return copy(model.forward({&input, 1}, LogitsWanted::all));
}

/// The logits [1 + steps, rows, V] of rows that share every call: the first call has all but the last `steps` tokens of
/// each, every other one token a row.
std::vector<float> together(Transformer& model, std::span<const std::span<const TokenId>> rows, std::size_t steps) {
  std::vector<KvCache> caches;
  for (std::size_t r = 0; r < rows.size(); ++r) caches.push_back(model.make_cache());
  std::vector<float> logits;
  for (std::size_t step = 0; step <= steps; ++step) {
    std::vector<SequenceInput> batch;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t past = caches[r].length();
      batch.push_back({&caches[r], rows[r].subspan(past, rows[r].size() - steps + step - past)});
    }
    const std::vector<float> now = copy(model.forward(batch, LogitsWanted::last));
    logits.insert(logits.end(), now.begin(), now.end());
  }
  return logits;
}

}  // namespace

std::optional<Finding> parity(Transformer& model, std::span<const TokenId> tokens) {
  const ParityReport report = check_parity(model, tokens);
  for (const ScheduleReport& schedule : report.schedules) {
    if (!schedule.first_difference) continue;
    const ParityDifference& first = *schedule.first_difference;
    return Finding{str("schedule ", schedule.name, ", token ", first.token, ", logit ", first.logit),
                   exact(first.full_prefix), exact(first.cached)};
  }
  return std::nullopt;
}

std::optional<Finding> every_prompt_length(Transformer& model, std::span<const TokenId> tokens) {
  const std::size_t vocab_size = model.config().vocab_size;
  const std::vector<float> expected = in_one_call(model, tokens);
  KvCache cache = model.make_cache();
  for (std::size_t length = 1; length < tokens.size(); ++length) {
    cache.rewind(0);
    const SequenceInput prompt{&cache, tokens.first(length)};
    model.forward({&prompt, 1}, LogitsWanted::none);
    const SequenceInput next{&cache, tokens.subspan(length, 1)};
    const std::vector<float> found = copy(model.forward({&next, 1}, LogitsWanted::last));
    const auto row = std::span(expected).subspan(length * vocab_size, vocab_size);
    if (auto finding = compare(str("the token after a prompt of ", length), row, found)) return finding;
  }
  return std::nullopt;
}

std::optional<Finding> causality_probe(Transformer& model, std::span<const TokenId> tokens) {
  const std::size_t vocab_size = model.config().vocab_size;
  const auto row = [&](const std::vector<float>& logits, std::size_t t) {
    return std::span(logits).subspan(t * vocab_size, vocab_size);
  };
  const std::vector<float> expected = in_one_call(model, tokens);
  std::vector<TokenId> changed(tokens.begin(), tokens.end());
  bool any_effect = false;
  for (std::size_t t = tokens.size() - 1; t-- > 0;) {
    changed[t + 1] = (changed[t + 1] + 1) % static_cast<TokenId>(vocab_size);
    const std::vector<float> found = in_one_call(model, changed);
    for (std::size_t s = 0; s <= t; ++s) {
      const std::string where = str("token ", s, " after a change of the tokens from ", t + 1, " on");
      if (auto finding = compare(where, row(expected, s), row(found, s))) return finding;
    }
    any_effect = any_effect || differing_bits(row(expected, t + 1), row(found, t + 1)) > 0;
  }
  if (any_effect) return std::nullopt;
  return Finding{"every changed token", "other logits for another token", "the same bits"};
}

std::optional<Finding> neighbour_untouched(Transformer& model, std::span<const TokenId> tokens) {
  const std::size_t vocab_size = model.config().vocab_size;
  const std::size_t quarter = tokens.size() / 4;
  const std::vector<std::span<const TokenId>> rows = {tokens, tokens.subspan(quarter), tokens.subspan(2 * quarter)};
  const std::vector<float> found = together(model, rows, quarter);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<float> alone = together(model, {&rows[r], 1}, quarter);
    for (std::size_t step = 0; step <= quarter; ++step) {
      const auto expected = std::span(alone).subspan(step * vocab_size, vocab_size);
      const auto shared = std::span(found).subspan((step * rows.size() + r) * vocab_size, vocab_size);
      if (auto finding = compare(str("row ", r, " of 3, step ", step), expected, shared)) return finding;
    }
  }
  return std::nullopt;
}

}  // namespace vitrine::detect
