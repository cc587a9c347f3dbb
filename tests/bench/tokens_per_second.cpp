// Prefill and decode of the shell bundle on one thread: tokens a second, and the multiply-adds behind them as a part of
// the machine's measured peak. Run it from the project's root. It asserts nothing.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "bench/machine.hpp"
#include "io/bundle.hpp"
#include "session/loaded_model.hpp"

namespace {

using namespace vitrine;

constexpr const char* kBundle = "web/models/shell";

void row(const char* name, std::size_t tokens, std::uint64_t multiply_adds, double seconds, double peak) {
  const double rate = static_cast<double>(multiply_adds) / seconds * 1e-9;
  std::printf("  %-34s %10.0f tokens/s %8.2f G multiply-adds/s %6.1f %% of peak\n", name,
              static_cast<double>(tokens) / seconds, rate, 100 * rate / peak);
}

/// Prefill of `tokens` positions from an empty cache, one row of logits.
void prefill(Transformer& model, std::span<const TokenId> tokens, double peak) {
  KvCache cache = model.make_cache();
  const SequenceInput input{&cache, tokens};
  const double time = bench::seconds([&] {
    cache.rewind(0);
    model.forward({&input, 1}, LogitsWanted::last);
  });
  char name[40];
  std::snprintf(name, sizeof name, "prefill of %zu", tokens.size());
  row(name, tokens.size(), model.multiply_adds(0, tokens.size(), 1), time, peak);
}

/// One step of `rows` sequences after `past` positions each.
void decode(Transformer& model, std::span<const TokenId> tokens, std::size_t past, std::size_t rows, double peak) {
  std::vector<KvCache> caches;
  std::vector<SequenceInput> batch;
  caches.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    caches.push_back(model.make_cache());
    const SequenceInput prompt{&caches[i], tokens.first(past)};
    model.forward({&prompt, 1}, LogitsWanted::none);
    batch.push_back({&caches[i], tokens.subspan(past, 1)});
  }
  const double time = bench::seconds([&] {
    model.forward(batch, LogitsWanted::last);
    for (KvCache& cache : caches) cache.rewind(past);
  });
  char name[40];
  std::snprintf(name, sizeof name, "decode at %zu, batch of %zu", past, rows);
  row(name, rows, rows * model.multiply_adds(past, 1, 1), time, peak);
}

/// Decode with a cache of each dtype: what reading it costs, and what it holds.
void dtypes(const Bundle& bundle, std::span<const TokenId> tokens, double peak) {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    LoadedModel loaded = load_model(bundle, {.max_batch_rows = 0, .threads = 1, .cache_dtype = entry.dtype});
    std::printf("cache of %s: %llu bytes\n", std::string(entry.name).c_str(),
                static_cast<unsigned long long>(loaded.transformer.make_cache().bytes().allocated));
    for (const std::size_t past : {16u, 128u, 255u}) decode(loaded.transformer, tokens, past, 1, peak);
    prefill(loaded.transformer, tokens.first(256), peak);
  }
}

/// `machine_peak`: G multiply-adds a second of this machine, measured by the native program; 0: measure it here.
void run(double machine_peak) {
  const Bundle bundle = read_bundle_folder(kBundle);
  LoadedModel loaded = load_model(bundle);
  Transformer& model = loaded.transformer;
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < model.config().max_seq_len; ++i) tokens.push_back(static_cast<TokenId>(i % 256 + 300));
  const double peak = machine_peak > 0 ? machine_peak : bench::peak_rate() / 2;
  std::printf("%s, %llu parameters; peak of a plain multiply-add loop: %.2f G multiply-adds/s\n", kBundle,
              static_cast<unsigned long long>(model.config().parameter_count()), peak);
  for (const std::size_t count : {16u, 64u, 256u}) prefill(model, std::span(tokens).first(count), peak);
  for (const std::size_t past : {16u, 128u, 255u}) decode(model, tokens, past, 1, peak);
  for (const std::size_t rows : {5u, 16u}) decode(model, tokens, 128, rows, peak);
  dtypes(bundle, tokens, peak);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::atof(argv[1]) : 0.0);
  } catch (const vitrine::Error& error) {
    std::fprintf(stderr, "bench: %s: %s\n", std::string(error_name(error.code())).c_str(), error.message().c_str());
    return 1;
  }
  return 0;
}
