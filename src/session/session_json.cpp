// Keys are the names that the C++ fields have, in snake_case. Times are kept apart, under "ms", so that two runs can be
// compared without them.
#include "session/session_json.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace vitrine {
namespace {

std::string token_text(const Session& session, TokenId token) {
  return replace_invalid_utf8(session.model().tokenizer.token_bytes(token));
}

Json finish_json(FinishReason reason) {
  return reason == FinishReason::none ? Json(nullptr) : Json(finish_name(reason));
}

Json parts_json(const Manifest& manifest) {
  Json parts = Json::array();
  for (const ManifestPart& part : manifest.parts) {
    parts.push_back({{"name", part.name}, {"file", part.file}, {"bytes", part.bytes}, {"sha256", part.sha256}});
  }
  return parts;
}

Json architecture_json(const ModelConfig& config) {
  return {{"vocab_size", config.vocab_size},
          {"d_model", config.d_model},
          {"n_layers", config.n_layers},
          {"n_heads", config.n_heads},
          {"n_kv_heads", config.n_kv_heads},
          {"head_dim", config.head_dim},
          {"d_ff", config.d_ff},
          {"max_seq_len", config.max_seq_len},
          {"rope_theta", config.rope_theta},
          {"tied_head", config.tied_head}};
}

Json detector_names(const std::vector<Sighting>& sightings) {
  Json names = Json::array();
  for (const Sighting& sighting : sightings) names.push_back(sighting.detector->name);
  return names;
}

std::string_view stage_name(SamplingStage stage) { return kSamplingStages[static_cast<std::size_t>(stage)].name; }

}  // namespace

Json describe_json(const Session& session) {
  const LoadedModel& model = session.model();
  const Manifest& manifest = model.manifest;
  const ModelConfig& config = model.transformer.config();
  std::uint64_t bytes = 0;
  for (const ManifestPart& part : manifest.parts) bytes += part.bytes;
  Json json = Json::object();
  json["name"] = manifest.name;
  json["model_version"] = manifest.model_version;
  json["bytes"] = bytes;
  json["parts"] = parts_json(manifest);
  json["architecture"] = architecture_json(config);
  json["parameters"] = config.parameter_count();
  json["policy"] = write_policy(model.default_policy);
  json["unit"] = model.prompt_template.unit == DocumentUnit::line ? "line" : "stream";
  json["begin_token"] = model.begin_token >= 0 ? Json(model.begin_token) : Json(nullptr);
  json["self_test"] = nullptr;
  if (manifest.self_test) {
    json["self_test"] = {{"tokens", manifest.self_test->tokens.size()},
                         {"logits_sha256", manifest.self_test->logits_sha256},
                         {"passed", true}};
  }
  json["cache_dtype"] = kv_dtype_name(model.transformer.options().cache_dtype);
  json["memory"] = {{"weights", model.transformer.weight_bytes()}, {"workspace", model.transformer.workspace_bytes()}};
  json["corpus"] = manifest.corpus;
  json["training"] = manifest.training;
  json["held_out"] = manifest.held_out;
  return json;
}

Json cache_json(const KvBytes& bytes) {
  return {{"formula", bytes.formula}, {"used", bytes.used}, {"allocated", bytes.allocated}};
}

Json lane_json(const LaneCost& lane) {
  return {{"positions", lane.positions},
          {"multiply_adds", lane.multiply_adds},
          {"bytes_read", lane.bytes_read},
          {"ms", lane.milliseconds}};
}

Json tally_json(const ParityTally& tally) {
  return {{"tokens", tally.tokens},
          {"identical_tokens", tally.identical_tokens},
          {"logits_compared", tally.logits_compared},
          {"differing_bits", tally.differing_bits}};
}

Json step_json(const RowStep& step, const Session& session) {
  Json json = Json::object();
  json["row"] = step.row;
  json["phase"] = step.prefill ? "prefill" : "decode";
  json["token"] = step.token >= 0 ? Json(step.token) : Json(nullptr);
  json["text"] = step.text;
  json["finish_reason"] = finish_json(step.finish);
  json["probability"] = step.draw.probability;
  json["coin"] = step.draw.coin;
  json["past"] = step.past;
  json["positions"] = step.positions;
  json["cached"] = lane_json(step.cached);
  json["full"] = step.full ? lane_json(*step.full) : Json(nullptr);
  json["parity"] = tally_json(step.parity);
  json["cache"] = cache_json(step.cache);
  if (step.trace != nullptr) json["distribution"] = distribution_json(*step.trace, session);
  if (step.error) json["error"] = {{"code", error_name(step.error->code())}, {"message", step.error->message()}};
  return json;
}

Json token_pieces_json(std::span<const TokenId> tokens, const Session& session) {
  Json json = Json::array();
  for (const TokenId& token : tokens) json.push_back({{"id", token}, {"piece", session.decode({&token, 1})}});
  return json;
}

Json started_json(RowId row, const Session& session) {
  return {{"row", row},
          {"tokens", token_pieces_json(session.tokens(row), session)},
          {"policy", write_policy(session.result(row).policy)}};
}

Json inspection_json(const Inspection& inspection, const Session& session) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < inspection.trace.layers.size(); ++i) {
    const LayerTrace& layer = inspection.trace.layers[i];
    Json lens = Json::array();
    for (const LensToken& best : inspection.lens[i]) {
      lens.push_back(
          {{"id", best.token}, {"piece", session.decode({&best.token, 1})}, {"probability", best.probability}});
    }
    layers.push_back({{"attention", layer.attention},
                      {"residual_rms",
                       {{"before", layer.rms_before},
                        {"after_attention", layer.rms_after_attention},
                        {"after_mlp", layer.rms_after_mlp}}},
                      {"lens", std::move(lens)}});
  }
  Json pairs = Json::array();
  for (const RopePair& pair : inspection.rope) {
    pairs.push_back(
        {{"frequency", pair.frequency}, {"angle", pair.angle}, {"before", pair.before}, {"after", pair.after}});
  }
  const ModelConfig& config = session.model().transformer.config();
  const bool halves = config.rope_pairing == kernels::RopePairing::halves;
  return {{"position", inspection.tokens.size() - 1},
          {"tokens", token_pieces_json(inspection.tokens, session)},
          {"layers", std::move(layers)},
          {"rope",
           {{"pairing", halves ? "halves" : "adjacent"}, {"theta", config.rope_theta}, {"pairs", std::move(pairs)}}}};
}

Json cache_map_json(const CacheMap& map) {
  return {{"positions", map.positions},
          {"capacity", map.capacity},
          {"bytes", cache_json(map.bytes)},
          {"key_norms", map.key_norms}};
}

Json growth_json(const GrowthPoint& point) {
  const auto by_formula = [](const LaneCost& lane) {
    Json json = lane_json(lane);
    json.erase("ms");
    return json;
  };
  return {{"positions", point.positions},
          {"cache_bytes", point.cache_bytes},
          {"cached", by_formula(point.cached)},
          {"full", by_formula(point.full)}};
}

Json result_json(const RowResult& result) {
  Json json = Json::object();
  json["text"] = result.text;
  json["ids"] = result.ids;
  json["finish_reason"] = finish_json(result.finish);
  json["policy"] = write_policy(result.policy);
  json["prompt_tokens"] = result.prompt_tokens;
  json["reused_positions"] = result.reused_positions;
  json["prefill"] = lane_json(result.prefill);
  json["decode"] = lane_json(result.decode);
  json["full"] = lane_json(result.full);
  json["parity"] = tally_json(result.parity);
  json["cache_dtype"] = kv_dtype_name(result.cache_dtype);
  json["cache"] = cache_json(result.cache);
  return json;
}

Json parity_json(const ParityReport& report) {
  Json schedules = Json::array();
  for (const ScheduleReport& schedule : report.schedules) {
    Json entry = {{"name", schedule.name},
                  {"logits_compared", schedule.logits_compared},
                  {"differing_bits", schedule.differing_bits}};
    if (schedule.first_difference) {
      const ParityDifference& difference = *schedule.first_difference;
      entry["first_difference"] = {{"token", difference.token},
                                   {"logit", difference.logit},
                                   {"cached", difference.cached},
                                   {"full_prefix", difference.full_prefix}};
    }
    schedules.push_back(std::move(entry));
  }
  return {{"tokens", report.tokens},
          {"cache_dtype", kv_dtype_name(report.cache_dtype)},
          {"logits_compared", report.logits_compared()},
          {"differing_bits", report.differing_bits()},
          {"not_exercised", report.not_exercised()},
          {"schedules", std::move(schedules)}};
}

Json fault_list_json() {
  const auto list = [](const auto& entries) {
    Json json = Json::array();
    for (const auto& entry : entries) {
      json.push_back({{"name", entry.name}, {"owner", entry.owner}, {"meaning", entry.meaning}});
    }
    return json;
  };
  return {{"faults", list(kFaults)}, {"detectors", list(detectors())}};
}

Json sightings_json(Fault fault, const std::vector<Sighting>& sightings) {
  Json seen = Json::array();
  for (const auto& [detector, finding] : sightings) {
    seen.push_back({{"detector", detector->name},
                    {"where", finding.where},
                    {"expected", finding.expected},
                    {"found", finding.found}});
  }
  return {{"fault", fault_name(fault)}, {"seen", std::move(seen)}};
}

Json detector_report_json(const DetectorReport& report) {
  Json mutations = Json::array();
  for (const MutationReport& mutation : report.mutations) {
    Json entry = {{"name", fault_name(mutation.fault)}, {"caught_by", detector_names(mutation.seen)}};
    if (mutation.inert) entry["inert"] = true;
    mutations.push_back(std::move(entry));
  }
  return {{"healthy", detector_names(report.healthy)}, {"mutations", std::move(mutations)}};
}

Json evaluation_json(const TextEvaluation& evaluation) {
  return {{"documents", evaluation.documents},
          {"tokens", evaluation.totals.tokens},
          {"bytes", evaluation.bytes},
          {"loss_nats", evaluation.totals.mean_loss()},
          {"bits_per_byte", evaluation.totals.bits_per_byte(evaluation.bytes)},
          {"next_token_accuracy", evaluation.totals.accuracy()},
          {"cache_dtype", kv_dtype_name(evaluation.cache_dtype)}};
}

Json distribution_json(const DistributionTrace& trace, const Session& session) {
  Json stages = Json::array();
  for (const StageTrace& stage : trace.stages) {
    stages.push_back({{"name", stage_name(stage.stage)}, {"kept", stage.kept}});
  }
  Json tokens = Json::array();
  for (std::size_t index = 0; index < trace.ranked.size(); ++index) {
    const RankedToken& ranked = trace.ranked[index];
    Json probabilities = Json::array();
    for (std::size_t stage = 0; stage < trace.stages.size(); ++stage) {
      probabilities.push_back(trace.probability(stage, index));
    }
    tokens.push_back({{"token", ranked.token},
                      {"text", token_text(session, ranked.token)},
                      {"rank", ranked.rank},
                      // A logit may be -infinity, which JSON cannot say.
                      {"logit", std::isfinite(ranked.logit) ? Json(ranked.logit) : Json(nullptr)},
                      {"probabilities", std::move(probabilities)}});
  }
  return {{"stages", std::move(stages)},
          {"tokens", std::move(tokens)},
          {"chosen_rank", trace.chosen_rank},
          {"model_probability", trace.chosen_model_probability}};
}

RowOptions parse_row_options(const Json& json) {
  JsonObjectReader reader(json, "row options", ErrorCode::invalid_option);
  RowOptions options;
  options.parity = reader.optional_boolean("parity").value_or(false);
  if (const auto limit = reader.optional_unsigned("trace", 0, 1'000'000)) {
    options.trace_limit = static_cast<std::size_t>(*limit);
  }
  options.stream = reader.optional_unsigned("stream", 0, PolicyLimits::kMaxSeed).value_or(0);
  options.heal = reader.optional_boolean("heal").value_or(false);
  options.fault = parse_fault(reader.optional_string("fault").value_or("none"));
  reader.finish();
  return options;
}

Json row_options_json(const RowOptions& options) {
  Json json = {{"parity", options.parity}, {"stream", options.stream}, {"heal", options.heal}};
  if (options.trace_limit) json["trace"] = *options.trace_limit;
  if (options.fault != Fault::none) json["fault"] = fault_name(options.fault);
  return json;
}

ParityOptions parse_parity_options(const Json& json) {
  JsonObjectReader reader(json, "parity options", ErrorCode::invalid_option);
  ParityOptions options;
  options.tokens = reader.optional_unsigned("tokens", 1, 1'000'000);
  options.seed = reader.optional_unsigned("seed", 0, PolicyLimits::kMaxSeed).value_or(options.seed);
  reader.finish();
  return options;
}

}  // namespace vitrine
