// What forward() promises about memory: after loading, nothing is allocated.
#include <doctest/doctest.h>

#include <vector>

#include "model/transformer.hpp"
#include "support/allocation_counter.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

TEST_CASE("forward allocates nothing: prefill, decode and a batch, with one thread or two, whatever the cache stores") {
  const ModelConfig config = test::tiny_config();
#ifdef __EMSCRIPTEN__
  const std::vector<std::size_t> thread_counts = {1};
#else
  const std::vector<std::size_t> thread_counts = {1, 2};
#endif
  for (const KvDTypeEntry& entry : kKvDTypes) {
    for (const std::size_t threads : thread_counts) {
      CAPTURE(entry.name);
      Transformer model(config, test::random_weights(config, 1),
                        {.max_batch_rows = 40, .threads = threads, .cache_dtype = entry.dtype});
      std::vector<KvCache> caches;
      for (int i = 0; i < 3; ++i) caches.push_back(model.make_cache());
      const std::vector<TokenId> prompt = test::random_tokens(config, 12, 2), next = {5};
      const std::vector<SequenceInput> prefill = {{&caches[0], prompt}, {&caches[1], prompt}, {&caches[2], next}};
      const std::vector<SequenceInput> decode = {{&caches[0], next}, {&caches[1], next}, {&caches[2], next}};
      const long before = test::allocation_count;
      model.forward(prefill, LogitsWanted::all);
      model.forward(prefill, LogitsWanted::last);
      for (int step = 0; step < 5; ++step) model.forward(decode, LogitsWanted::last);
      CHECK(test::allocation_count - before == 0);
      CHECK(before > 0);
    }
  }
}

TEST_CASE("forward on a fork allocates nothing either") {
  const ModelConfig config = test::tiny_config();
  Transformer model(config, test::random_weights(config, 1));
  KvCache fork = model.make_cache().fork();
  const std::vector<TokenId> prompt = test::random_tokens(config, 30, 2);
  const SequenceInput input{&fork, prompt};
  const long before = test::allocation_count;
  model.forward({&input, 1}, LogitsWanted::last);
  CHECK(test::allocation_count - before == 0);
}

}  // namespace
}  // namespace vitrine
