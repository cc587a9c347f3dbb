// What a session reports, as JSON: one spelling for the command line, the page and the tests (docs/formats.md).
// It computes nothing.
#pragma once

#include <optional>
#include <span>

#include "base/json.hpp"
#include "session/session.hpp"

namespace vitrine {

/// The bundle and the model: name, parts with hashes, architecture, default policy, self-test, provenance, memory.
Json describe_json(const Session& session);
Json cache_json(const KvBytes& bytes);
Json lane_json(const LaneCost& lane);
Json tally_json(const ParityTally& tally);
/// One step of a row; the distribution only if it was traced, the error only if there is one.
Json step_json(const RowStep& step, const Session& session);
Json result_json(const RowResult& result);
/// Each token's id and spelling.
Json token_pieces_json(std::span<const TokenId> tokens, const Session& session);
/// A row that has just begun: its number, its prompt's tokens, its effective policy.
Json started_json(RowId row, const Session& session);
Json growth_json(const GrowthPoint& point);
Json inspection_json(const Inspection& inspection, const Session& session);
Json cache_map_json(const CacheMap& map);
Json parity_json(const ParityReport& report);
/// Every fault and every detector: name, owner, meaning.
Json fault_list_json();
/// What each detector saw with this fault.
Json sightings_json(Fault fault, const std::vector<Sighting>& sightings);
Json detector_report_json(const DetectorReport& report);
Json evaluation_json(const TextEvaluation& evaluation);
Json distribution_json(const DistributionTrace& trace, const Session& session);

/// {"parity": bool, "trace": count, "stream": n, "heal": bool, "fault": name}, all optional. Throws invalid_option.
RowOptions parse_row_options(const Json& json);
/// The same as JSON; parse_row_options(row_options_json(o)) gives o.
Json row_options_json(const RowOptions& options);

struct ParityOptions {
  std::optional<std::size_t> tokens;  ///< length of the sequence
  std::uint64_t seed = 0;             ///< of its continuation
};
/// {"tokens": count, "seed": n}, all optional. Throws invalid_option.
ParityOptions parse_parity_options(const Json& json);

}  // namespace vitrine
