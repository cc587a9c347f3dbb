// Bytes as the options of a policy: what is accepted is within its limits and writes back to the same policy.
#include "sampling/policy.hpp"

#include "support/target.hpp"

using namespace vitrine;

namespace {

constexpr std::size_t kVocabulary = 1000;

void check(const Policy& policy) {
  VITRINE_PROMISE(
      policy.temperature >= PolicyLimits::kMinTemperature && policy.temperature <= PolicyLimits::kMaxTemperature,
      "temperature ", policy.temperature);
  VITRINE_PROMISE(policy.top_k <= kVocabulary, "top_k ", policy.top_k);
  VITRINE_PROMISE(policy.top_p > 0 && policy.top_p <= 1, "top_p ", policy.top_p);
  VITRINE_PROMISE(policy.min_p >= 0 && policy.min_p <= 1, "min_p ", policy.min_p);
  VITRINE_PROMISE(policy.max_new_tokens >= 1 && policy.max_new_tokens <= PolicyLimits::kMaxNewTokens, "length");
  VITRINE_PROMISE(policy.stop_tokens.size() <= PolicyLimits::kMaxStopTokens, "stop_tokens");
  for (const TokenId id : policy.stop_tokens) VITRINE_PROMISE(id >= 0 && id < TokenId{kVocabulary}, "stop_tokens");
  VITRINE_PROMISE(policy.stop.size() <= PolicyLimits::kMaxStops, "stop");
  for (const std::string& stop : policy.stop) VITRINE_PROMISE(!stop.empty(), "stop");

  VITRINE_PROMISE(parse_policy(write_policy(policy), kVocabulary) == policy, "reads back");
  const std::string text = json_text(write_policy(policy));
  VITRINE_PROMISE(parse_policy(parse_json(text, "policy"), kVocabulary) == policy, "reads back as text");
  const Policy resolved = resolve_seed(policy, UINT64_MAX);
  VITRINE_PROMISE(parse_policy(write_policy(resolved), kVocabulary) == resolved, "reads back with its seed");
}

Policy greedy() {
  Policy policy;
  policy.mode = PolicyMode::greedy;
  policy.stop_tokens = {7};
  return policy;
}

}  // namespace

VITRINE_FUZZ_TARGET(policy, nullptr) {
  const auto parse = [&](const Policy& defaults) {
    return fuzz::attempt(input, {}, [&] { return parse_policy(parse_json(input, "policy"), kVocabulary, defaults); });
  };
  if (const auto policy = parse(greedy())) check(*policy);
  if (fuzz::allocation_failed()) return;
  if (const auto policy = parse({})) check(*policy);
}
