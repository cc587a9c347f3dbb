// Reading and writing of policies. Every check ends in a message that names the option, expected and found.
#include "sampling/policy.hpp"

#include <algorithm>
#include <charconv>

#include "base/check.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kGreedy = "greedy";
constexpr std::string_view kSample = "sample";
constexpr std::string_view kOverflowStop = "stop";

std::string range_text(double min, double max) { return str("a number from ", min, " to ", max); }

void read_temperature(JsonObjectReader& reader, double& value) {
  constexpr double kMin = PolicyLimits::kMinTemperature;
  constexpr double kMax = PolicyLimits::kMaxTemperature;
  const std::optional<double> found = reader.optional_number("temperature");
  if (!found) return;
  if (*found == 0.0)
    reader.refuse("temperature", range_text(kMin, kMax) + " (for the most probable token, use mode greedy)");
  if (*found < kMin || *found > kMax) reader.refuse("temperature", range_text(kMin, kMax));
  value = *found;
}

/// What a mode other than sample would silently ignore is refused.
void refuse_sampling_options(JsonObjectReader& reader) {
  for (const std::string_view key : {"temperature", "top_k", "top_p", "min_p"}) {
    if (reader.has(key)) reader.refuse(key, "no such option in mode greedy (it has an effect in mode sample only)");
  }
}

void read_sampling_options(JsonObjectReader& reader, std::size_t vocab_size, Policy& policy) {
  read_temperature(reader, policy.temperature);
  if (const auto top_k = reader.optional_unsigned("top_k", 0, vocab_size)) {
    policy.top_k = static_cast<std::size_t>(*top_k);
  }
  if (const auto top_p = reader.optional_number("top_p", 0.0, 1.0)) policy.top_p = *top_p;
  if (policy.top_p == 0.0)
    reader.refuse("top_p", "a number above 0 and up to 1 (for the most probable token, use mode greedy)");
  if (const auto min_p = reader.optional_number("min_p", 0.0, 1.0)) policy.min_p = *min_p;
}

std::vector<TokenId> read_stop_tokens(JsonObjectReader& reader, std::string_view key, std::size_t vocab_size) {
  std::vector<TokenId> tokens;
  const auto max_id = static_cast<std::int64_t>(vocab_size) - 1;
  const std::vector<std::int64_t> ids = reader.integers(key, 0, max_id);
  if (ids.size() > PolicyLimits::kMaxStopTokens) {
    reader.refuse(key, str("at most ", PolicyLimits::kMaxStopTokens, " token ids"));
  }
  for (const std::int64_t id : ids) {
    const auto token = static_cast<TokenId>(id);
    if (std::find(tokens.begin(), tokens.end(), token) != tokens.end()) reader.refuse(key, "different token ids");
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<std::string> read_stops(JsonObjectReader& reader) {
  std::vector<std::string> stops = reader.strings("stop");
  if (stops.size() > PolicyLimits::kMaxStops) {
    reader.refuse("stop", str("at most ", PolicyLimits::kMaxStops, " strings"));
  }
  for (std::size_t i = 0; i < stops.size(); ++i) {
    VITRINE_CHECK(!stops[i].empty() && stops[i].size() <= PolicyLimits::kMaxStopBytes, ErrorCode::invalid_option,
                  reader.where(), ": stop[", i, "]: expected 1 to ", PolicyLimits::kMaxStopBytes, " bytes, found ",
                  stops[i].size());
    if (std::find(stops.begin(), stops.begin() + static_cast<std::ptrdiff_t>(i), stops[i]) !=
        stops.begin() + static_cast<std::ptrdiff_t>(i)) {
      reader.refuse("stop", "different strings");
    }
  }
  return stops;
}

void read_mode(JsonObjectReader& reader, Policy& policy) {
  const std::optional<std::string> name = reader.optional_string("mode");
  if (!name) return;
  if (*name != kGreedy && *name != kSample) reader.refuse("mode", "\"greedy\" or \"sample\"");
  const PolicyMode mode = *name == kGreedy ? PolicyMode::greedy : PolicyMode::sample;
  if (mode == policy.mode) return;
  const Policy neutral;
  policy.mode = mode;
  policy.temperature = neutral.temperature;
  policy.top_k = neutral.top_k;
  policy.top_p = neutral.top_p;
  policy.min_p = neutral.min_p;
}

void read_max_new_tokens(JsonObjectReader& reader, Policy& policy) {
  if (const auto count = reader.optional_unsigned("max_new_tokens", 1, PolicyLimits::kMaxNewTokens)) {
    policy.max_new_tokens = static_cast<std::size_t>(*count);
  }
}

/// After max_new_tokens and the stop tokens: it depends on both.
void read_min_new_tokens(JsonObjectReader& reader, std::size_t vocab_size, Policy& policy) {
  const auto count = reader.optional_unsigned("min_new_tokens", 0, PolicyLimits::kMaxNewTokens);
  if (count) policy.min_new_tokens = static_cast<std::size_t>(*count);
  if (policy.stop_tokens.empty()) {
    if (count && *count > 0) reader.refuse("min_new_tokens", "0, as there are no stop tokens to keep back");
    policy.min_new_tokens = 0;
  }
  VITRINE_CHECK(policy.min_new_tokens <= policy.max_new_tokens, ErrorCode::invalid_option, reader.where(),
                ": min_new_tokens: expected at most max_new_tokens, ", policy.max_new_tokens, ", found ",
                policy.min_new_tokens);
  VITRINE_CHECK(policy.min_new_tokens == 0 || policy.stop_tokens.size() < vocab_size, ErrorCode::invalid_option,
                reader.where(), ": min_new_tokens: expected 0, as every token is a stop token, found ",
                policy.min_new_tokens);
}

void read_repetition_penalty(JsonObjectReader& reader, Policy& policy) {
  const auto penalty = reader.optional_number("repetition_penalty", PolicyLimits::kMinRepetitionPenalty,
                                              PolicyLimits::kMaxRepetitionPenalty);
  if (penalty) policy.repetition_penalty = *penalty;
}

void read_penalties(JsonObjectReader& reader, Policy& policy) {
  constexpr double kMax = PolicyLimits::kMaxPenalty;
  read_repetition_penalty(reader, policy);
  if (const auto penalty = reader.optional_number("presence_penalty", -kMax, kMax)) policy.presence_penalty = *penalty;
  if (const auto penalty = reader.optional_number("frequency_penalty", -kMax, kMax))
    policy.frequency_penalty = *penalty;
  const auto window = reader.optional_unsigned("penalty_window", 0, PolicyLimits::kMaxPenaltyWindow);
  const std::optional<bool> prompt = reader.optional_boolean("penalty_prompt");
  if (policy.penalises()) {
    if (window) policy.penalty_window = static_cast<std::size_t>(*window);
    if (prompt) policy.penalty_prompt = *prompt;
    return;
  }
  if (window.value_or(0) != 0) reader.refuse("penalty_window", "0, as no penalty is on");
  if (prompt.value_or(false)) reader.refuse("penalty_prompt", "false, as no penalty is on");
  policy.penalty_window = 0;
  policy.penalty_prompt = false;
}

/// One spelling for one token: no sign, no zero in front, nothing behind.
std::optional<TokenId> token_of(std::string_view text, std::size_t vocab_size) {
  std::uint32_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool canonical = error == std::errc() && end == text.data() + text.size() && (text[0] != '0' || text == "0");
  if (!canonical || id >= vocab_size) return std::nullopt;
  return static_cast<TokenId>(id);
}

/// {"token id": bias}, as OpenAI's API spells it.
std::vector<TokenBias> read_logit_bias(JsonObjectReader& reader, std::size_t vocab_size) {
  constexpr double kMax = PolicyLimits::kMaxBias;
  JsonObjectReader members = reader.object("logit_bias");
  const Json& json = reader.value("logit_bias");
  if (json.size() > PolicyLimits::kMaxBiases) {
    reader.refuse("logit_bias", str("at most ", PolicyLimits::kMaxBiases, " tokens"));
  }
  std::vector<TokenBias> biases;
  for (const auto& member : json.items()) {
    const std::optional<TokenId> token = token_of(member.key(), vocab_size);
    VITRINE_CHECK(token.has_value(), ErrorCode::invalid_option, members.where(), ": expected token ids from 0 to ",
                  vocab_size - 1, ", found ", in_quotes(member.key()));
    biases.push_back({*token, members.number(member.key(), -kMax, kMax)});
  }
  std::sort(biases.begin(), biases.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
  return biases;
}

/// A full context ends the row, and nothing else is done about it: docs/policy.md says why.
void read_context_overflow(JsonObjectReader& reader) {
  const std::optional<std::string> name = reader.optional_string("context_overflow");
  if (name && *name != kOverflowStop) reader.refuse("context_overflow", "\"stop\", which is all there is");
}

}  // namespace

Policy parse_policy(const Json& options, std::size_t vocab_size, const Policy& defaults) {
  JsonObjectReader reader(options, "policy", ErrorCode::invalid_option);
  Policy policy = defaults;
  reader.optional_unsigned("version", Policy::kVersion, Policy::kVersion);
  read_mode(reader, policy);
  if (policy.mode == PolicyMode::greedy) {
    refuse_sampling_options(reader);
  } else {
    read_sampling_options(reader, vocab_size, policy);
  }
  if (reader.has("logit_bias")) policy.logit_bias = read_logit_bias(reader, vocab_size);
  read_penalties(reader, policy);
  if (const auto seed = reader.optional_unsigned("seed", 0, PolicyLimits::kMaxSeed)) policy.seed = *seed;
  read_max_new_tokens(reader, policy);
  if (reader.has("stop_tokens")) policy.stop_tokens = read_stop_tokens(reader, "stop_tokens", vocab_size);
  if (reader.has("stop")) policy.stop = read_stops(reader);
  read_min_new_tokens(reader, vocab_size, policy);
  read_context_overflow(reader);
  reader.finish();
  return policy;
}

Json write_policy(const Policy& policy) {
  Json json = Json::object();
  json["version"] = Policy::kVersion;
  json["mode"] = policy.mode == PolicyMode::greedy ? kGreedy : kSample;
  json["logit_bias"] = Json::object();
  for (const auto& [token, bias] : policy.logit_bias) json["logit_bias"][std::to_string(token)] = bias;
  json["repetition_penalty"] = policy.repetition_penalty;
  json["presence_penalty"] = policy.presence_penalty;
  json["frequency_penalty"] = policy.frequency_penalty;
  json["penalty_window"] = policy.penalty_window;
  json["penalty_prompt"] = policy.penalty_prompt;
  if (policy.mode == PolicyMode::sample) {
    json["temperature"] = policy.temperature;
    json["top_k"] = policy.top_k;
    json["top_p"] = policy.top_p;
    json["min_p"] = policy.min_p;
  }
  if (policy.seed) json["seed"] = *policy.seed;
  json["max_new_tokens"] = policy.max_new_tokens;
  json["min_new_tokens"] = policy.min_new_tokens;
  json["stop_tokens"] = policy.stop_tokens;
  json["stop"] = policy.stop;
  json["context_overflow"] = kOverflowStop;
  return json;
}

Policy parse_generation_config(std::string_view json_text, std::size_t vocab_size) {
  const JsonDocument json = parse_json(json_text, "generation_config.json");
  JsonObjectReader reader(json, "generation_config.json", ErrorCode::invalid_option, JsonNull::absent);
  Policy policy;
  const bool sample = reader.optional_boolean("do_sample").value_or(false);
  policy.mode = sample ? PolicyMode::sample : PolicyMode::greedy;
  if (sample) {
    read_sampling_options(reader, vocab_size, policy);
  } else {
    refuse_sampling_options(reader);
  }
  read_repetition_penalty(reader, policy);
  policy.penalty_prompt = policy.penalises();
  read_max_new_tokens(reader, policy);
  if (reader.has("eos_token_id")) {
    if (reader.value("eos_token_id").is_array()) {
      policy.stop_tokens = read_stop_tokens(reader, "eos_token_id", vocab_size);
    } else {
      const auto max_id = static_cast<std::int64_t>(vocab_size) - 1;
      policy.stop_tokens = {static_cast<TokenId>(reader.integer("eos_token_id", 0, max_id))};
    }
  }
  read_min_new_tokens(reader, vocab_size, policy);
  // Sampling options are refused above unless they are null.
  reader.finish({"_from_model_config", "bos_token_id", "eos_token_id", "pad_token_id", "transformers_version",
                 "temperature", "top_k", "top_p", "min_p"});
  return policy;
}

std::string write_generation_config(const Policy& policy) {
  const auto require = [](bool writable, std::string_view option) {
    VITRINE_CHECK(writable, ErrorCode::invalid_option, "generation_config.json: ", option,
                  ": expected a policy without it, as the file has no place for it, found one");
  };
  require(!policy.seed, "seed");
  require(policy.stop.empty(), "stop");
  require(policy.logit_bias.empty(), "logit_bias");
  require(policy.presence_penalty == 0.0, "presence_penalty");
  require(policy.frequency_penalty == 0.0, "frequency_penalty");
  require(policy.penalty_window == 0, "penalty_window");
  require(policy.penalty_prompt || !policy.penalises(), "repetition_penalty without penalty_prompt");
  Json json = Json::object();
  json["do_sample"] = policy.mode == PolicyMode::sample;
  if (policy.mode == PolicyMode::sample) {
    json["temperature"] = policy.temperature;
    json["top_k"] = policy.top_k;
    json["top_p"] = policy.top_p;
    json["min_p"] = policy.min_p;
  }
  if (policy.penalises()) json["repetition_penalty"] = policy.repetition_penalty;
  json["max_new_tokens"] = policy.max_new_tokens;
  if (policy.min_new_tokens > 0) json["min_new_tokens"] = policy.min_new_tokens;
  json["eos_token_id"] = policy.stop_tokens;
  return json_text(json, 2) + "\n";
}

Policy resolve_seed(Policy policy, std::uint64_t entropy) {
  if (!policy.seed) policy.seed = entropy & PolicyLimits::kMaxSeed;
  return policy;
}

}  // namespace vitrine
