// The list of detectors with their owners, and the runs that show which of them sees which fault.
#include "session/detectors.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "base/rng.hpp"
#include "baseline/ngram_model.hpp"
#include "generate/detectors.hpp"
#include "generate/row_detectors.hpp"
#include "model/injected_fault.hpp"
#include "training/leak_detector.hpp"

namespace vitrine {

struct DetectorSubject {
  LoadedModel& model;
  Fault fault;
  std::vector<TokenId> tokens;  // any that the model knows: faults do not depend on them

  std::span<const TokenId> first(std::size_t count) const {
    return std::span(tokens).first(std::min(count, tokens.size()));
  }
};

namespace {

constexpr std::size_t kMostTokens = 34;    // prompts of 17 and of 33 tokens, each the first of a block of keys
constexpr std::size_t kFewestTokens = 18;  // a prompt of 17 and the token after it
constexpr std::uint64_t kSeed = 1;

std::optional<Finding> parity(const DetectorSubject& s) { return detect::parity(s.model.transformer, s.first(24)); }

std::optional<Finding> every_prompt_length(const DetectorSubject& s) {
  return detect::every_prompt_length(s.model.transformer, s.first(kMostTokens));
}

std::optional<Finding> causality_probe(const DetectorSubject& s) {
  return detect::causality_probe(s.model.transformer, s.first(20));
}

std::optional<Finding> neighbour_untouched(const DetectorSubject& s) {
  return detect::neighbour_untouched(s.model.transformer, s.first(12));
}

std::optional<Finding> self_test(const DetectorSubject& s) {
  const std::optional<SelfTestVector>& vector = s.model.manifest.self_test;
  if (!vector) return Finding{"manifest.json", "a self-test vector", "none"};
  const std::string found = logits_sha256(s.model.transformer, vector->tokens);
  if (found == vector->logits_sha256) return std::nullopt;
  return Finding{str("logits after the ", vector->tokens.size(), " tokens of the manifest's self-test"),
                 str("SHA-256 ", vector->logits_sha256), found};
}

Generator make_generator(const DetectorSubject& s) {
  Generator generator(s.model.transformer, [](TokenId) { return std::string_view(); },
                      {.max_rows = 6, .prefill_chunk = 64});
  generator.inject(s.fault);
  return generator;
}

std::optional<Finding> independent_draws(const DetectorSubject& s) {
  Generator generator = make_generator(s);
  return detect::independent_draws(generator, s.first(3));
}

std::optional<Finding> finished_row_is_still(const DetectorSubject& s) {
  Generator generator = make_generator(s);
  return detect::finished_row_is_still(generator, s.first(3));
}

/// A fresh run over a model of the same architecture, cut to one layer: a leak is one of code, not of weights.
std::optional<Finding> gradient_leak(const DetectorSubject& s) {
  ModelConfig config = s.model.transformer.config();
  config.n_layers = 1;
  const std::vector<std::vector<TokenId>> documents = {{s.tokens.begin(), s.tokens.begin() + 7},
                                                       {s.tokens.begin() + 7, s.tokens.begin() + 12}};
  const Dataset dataset(documents, {}, 6);
  TrainingOptions options;
  options.schedule = {.peak = 1e-3, .minimum = 0, .warmup_steps = 0, .total_steps = 1};
  options.batch_rows = 10;
  ThreadPool pool;
  Trainer trainer(config, options, dataset, pool);
  trainer.inject(s.fault);
  TrainingBatch batch;
  BatchSampler(dataset, kSeed).next(options.batch_rows, batch);
  return detect::gradient_leak(trainer, batch);
}

std::optional<Finding> loss_floor(const DetectorSubject& s) {
  const detect::UnpredictableTokens tokens = detect::make_unpredictable_tokens(kSeed);
  const NgramModel counts = NgramModel::train(tokens.training, {.order = 3, .vocab_size = tokens.kVocabSize});
  double baseline = 0;
  for (const std::vector<TokenId>& document : tokens.held_out) baseline += counts.loss(document);
  return detect::loss_floor(detect::held_out_loss(tokens, s.fault), baseline, tokens.entropy());
}

constexpr std::array kDetectors = {
    DetectorEntry{"parity", "src/generate/parity.cpp",
                  "Cached decoding, chunks, a changing batch and retyping give the bits of the recomputed prefix.",
                  parity},
    DetectorEntry{"every_prompt_length", "src/generate/detectors.cpp",
                  "After a prompt of any length in one call, the next token has the bits of the full prefix.",
                  every_prompt_length},
    DetectorEntry{"causality_probe", "src/generate/detectors.cpp",
                  "Other tokens after a position move no bit of the logits up to it.", causality_probe},
    DetectorEntry{"neighbour_untouched", "src/generate/detectors.cpp",
                  "A row of a batch has the bits that it has alone.", neighbour_untouched},
    DetectorEntry{"self_test", "src/session/loaded_model.cpp",
                  "The logits of the bundle's self-test have the recorded hash.", self_test},
    DetectorEntry{"independent_draws", "src/generate/row_detectors.cpp",
                  "A row of a batch draws what it draws alone, and another stream draws something else.",
                  independent_draws},
    DetectorEntry{"finished_row_is_still", "src/generate/row_detectors.cpp",
                  "A row that has finished keeps its tokens and its cache.", finished_row_is_still},
    DetectorEntry{"gradient_leak", "src/training/leak_detector.cpp",
                  "The gradient of a token's loss with respect to later inputs is exactly zero.", gradient_leak},
    DetectorEntry{"loss_floor", "src/training/leak_detector.cpp",
                  "On tokens that nothing can predict, training ends no further below the n-gram baseline than chance.",
                  loss_floor},
};

std::vector<TokenId> any_tokens(const Transformer& model) {
  const std::size_t count = std::min({kMostTokens, model.config().max_seq_len, model.options().max_batch_rows});
  VITRINE_CHECK(count >= kFewestTokens, ErrorCode::invalid_option, "detectors: expected a context of at least ",
                kFewestTokens, " positions, found ", count);
  RandomStream random(kSeed);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) token = static_cast<TokenId>(random.next_below(model.config().vocab_size));
  return tokens;
}

/// A number that is not finite is a sighting too; whatever else is thrown has nothing to do with a fault.
std::optional<Finding> observe(const DetectorEntry& detector, const DetectorSubject& subject) {
  try {
    return detector.run(subject);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_finite) throw;
    return Finding{std::string(detector.name), "finite numbers", error.message()};
  }
}

bool saw_something(const DetectorEntry* detector, const std::vector<Sighting>& sightings) {
  return std::any_of(sightings.begin(), sightings.end(), [&](const Sighting& s) { return s.detector == detector; });
}

}  // namespace

std::span<const DetectorEntry> detectors() { return kDetectors; }

bool DetectorReport::passed() const {
  const bool all_seen = std::all_of(mutations.begin(), mutations.end(),
                                    [](const MutationReport& m) { return m.inert || !m.seen.empty(); });
  return healthy.empty() && mutations.size() == kFaults.size() && all_seen;
}

std::vector<Sighting> run_detectors(LoadedModel& model, Fault fault) {
  struct Injection {
    Injection(Transformer& model, Fault fault) : injected(model), before(model.fault()) { injected.inject(fault); }
    ~Injection() { injected.inject(before); }
    Transformer& injected;
    Fault before;
  };
  const DetectorSubject subject{model, fault, any_tokens(model.transformer)};
  const Injection injection(model.transformer, fault);
  std::vector<Sighting> sightings;
  for (const DetectorEntry& detector : kDetectors) {
    if (auto finding = observe(detector, subject)) sightings.push_back({&detector, *std::move(finding)});
  }
  return sightings;
}

DetectorReport check_detectors(LoadedModel& model) {
  DetectorReport report;
  report.healthy = run_detectors(model, Fault::none);
  for (const FaultEntry& entry : kFaults) {
    MutationReport mutation{entry.fault, changes_nothing(entry.fault, model.transformer.config()), {}};
    for (Sighting& sighting : run_detectors(model, entry.fault)) {
      if (!saw_something(sighting.detector, report.healthy)) mutation.seen.push_back(std::move(sighting));
    }
    report.mutations.push_back(std::move(mutation));
  }
  return report;
}

}  // namespace vitrine
