// The detectors by name, run over a loaded model: each says what it saw with a fault injected, or with none. What each
// looks for is in src/generate and src/training; here they are put together (docs/exactness.md).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "model/fault.hpp"
#include "session/loaded_model.hpp"

namespace vitrine {

struct DetectorSubject;

struct DetectorEntry {
  std::string_view name;
  std::string_view owner;    ///< the file that holds it
  std::string_view meaning;  ///< what it holds a model to, for people
  std::optional<Finding> (*run)(const DetectorSubject& subject);
};

std::span<const DetectorEntry> detectors();

/// What one detector saw.
struct Sighting {
  const DetectorEntry* detector = nullptr;
  Finding finding;
};

struct MutationReport {
  Fault fault = Fault::none;
  bool inert = false;          ///< it changes nothing in a model of this shape, so nobody can see it
  std::vector<Sighting> seen;  ///< by detectors that are quiet on the healthy model
};

struct DetectorReport {
  std::vector<Sighting> healthy;          ///< empty, or the model is not
  std::vector<MutationReport> mutations;  ///< one for each fault

  /// The healthy model triggers nothing, and every mutation is seen unless it is inert.
  bool passed() const;
};

/// Runs every detector with this fault injected, then injects again what was. Rows of other generators are not touched,
/// but the model's last logits are overwritten. Throws invalid_option for a context of fewer than 18 positions,
/// the shortest that shows every fault.
std::vector<Sighting> run_detectors(LoadedModel& model, Fault fault);

/// Runs every detector over the healthy model, then over each mutation.
DetectorReport check_detectors(LoadedModel& model);

}  // namespace vitrine
