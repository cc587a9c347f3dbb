// Bytes as a generation_config.json: what is accepted writes back to the same policy.
#include "sampling/policy.hpp"
#include "support/target.hpp"

using namespace vitrine;

VITRINE_FUZZ_TARGET(generation_config, nullptr) {
  constexpr std::size_t kVocabulary = 1000;
  const auto policy = fuzz::attempt(input, {}, [&] { return parse_generation_config(input, kVocabulary); });
  if (!policy) return;
  VITRINE_PROMISE(!policy->seed && policy->stop.empty(), "no seed and no stop strings");
  VITRINE_PROMISE(parse_generation_config(write_generation_config(*policy), kVocabulary) == *policy, "reads back");
  VITRINE_PROMISE(parse_policy(write_policy(*policy), kVocabulary) == *policy, "reads back as a policy");
}
