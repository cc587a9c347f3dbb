// The hash of all logits of some sequences, by three schedules that must agree. Which model, its callers say.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "hashes.hpp"
#include "model/transformer.hpp"

namespace vitrine::golden {

using Sequences = std::vector<std::vector<TokenId>>;

/// Logits [length, V] of every sequence, one after the other, as one hash. `take(sequence, done, call)` says how many
/// of a sequence's tokens go into the next call, 0 for none; `together` puts all sequences into each call.
template <class Take>
std::string logits_hash(Transformer& model, const Sequences& sequences, bool together, Take take) {
  std::vector<std::vector<float>> logits(sequences.size());
  std::vector<KvCache> caches;
  for (std::size_t i = 0; i < sequences.size(); ++i) caches.push_back(model.make_cache());
  const auto run = [&](std::size_t first, std::size_t end) {
    for (std::size_t call = 0;; ++call) {
      std::vector<SequenceInput> batch;
      std::vector<std::size_t> owner;
      bool left = false;
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t done = caches[i].length(), rest = sequences[i].size() - done;
        const std::size_t count = std::min(rest, take(i, done, call));
        left = left || rest > 0;
        if (count == 0) continue;
        batch.push_back({&caches[i], std::span(sequences[i]).subspan(done, count)});
        owner.insert(owner.end(), count, i);
      }
      if (!left) return;
      if (batch.empty()) continue;
      const View<const float, 2> rows = model.forward(batch, LogitsWanted::all);
      for (std::size_t row = 0; row < owner.size(); ++row) {
        std::vector<float>& to = logits[owner[row]];
        to.insert(to.end(), rows[row].data(), rows[row].data() + rows[row].size());
      }
    }
  };
  if (together) {
    run(0, sequences.size());
  } else {
    for (std::size_t i = 0; i < sequences.size(); ++i) run(i, i + 1);
  }
  BitHash hash;
  for (const std::vector<float>& rows : logits) hash.add(rows);
  return hash.hex();
}

/// Prefill of each sequence whole and alone, cached decode token by token, and a batch of ragged chunks in which
/// sequences pause and end at different steps.
inline void add_schedules(Transformer& model, const Sequences& sequences, std::size_t threads, Ways& ways) {
  const std::string suffix = threads == 1 ? "" : str(", ", threads, " threads");
  using Size = std::size_t;
  ways.emplace_back("prefill" + suffix,
                    logits_hash(model, sequences, false, [&](Size i, Size, Size) { return sequences[i].size(); }));
  ways.emplace_back("decode" + suffix, logits_hash(model, sequences, false, [](Size, Size, Size) { return Size{1}; }));
  ways.emplace_back("ragged batch" + suffix, logits_hash(model, sequences, true, [](Size i, Size done, Size call) {
                      return (3 * i + done + call) % 7;
                    }));
}

}  // namespace vitrine::golden
