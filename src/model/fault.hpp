// Fault: the mutations, ways in which real systems went wrong, each of which a detector must see (docs/exactness.md).
// None is ever on by itself, and only tests, the detectors and the page's "break it" panel can turn one on.
#pragma once

#include <array>
#include <string_view>

#include "base/check.hpp"
#include "base/json.hpp"

namespace vitrine {

enum class Fault {
  none,
  causal_mask_dropped,
  position_off_by_one,
  rope_twice,
  key_rotated_by_slot,
  first_row_never_written,
  row_zeroed_at_some_lengths,
  stale_row_after_rewind,
  row_in_neighbours_cache,
  one_draw_for_all_rows,
  softmax_over_wrong_length,
  norm_epsilon_wrong,
  heads_grouped_by_modulo,
  finished_row_advances,
};

struct FaultEntry {
  Fault fault;
  std::string_view name;
  std::string_view owner;    ///< the file that answers for it
  std::string_view meaning;  ///< what then happens, for people
};

/// Every fault, in the order of the enumeration.
inline constexpr std::array kFaults = {
    FaultEntry{Fault::causal_mask_dropped, "causal_mask_dropped", "src/layers/attention.hpp",
               "A token sees the tokens that come after it in the same call."},
    FaultEntry{Fault::position_off_by_one, "position_off_by_one", "src/model/block.cpp",
               "After the first call, queries and keys are rotated one position too far."},
    FaultEntry{Fault::rope_twice, "rope_twice", "src/model/block.cpp", "Queries and keys are rotated twice."},
    FaultEntry{Fault::key_rotated_by_slot, "key_rotated_by_slot", "src/model/block.cpp",
               "Keys are rotated by their slot in a block of 16 instead of their absolute position."},
    FaultEntry{Fault::first_row_never_written, "first_row_never_written", "src/cache/kv_cache.cpp",
               "The first call keeps zeros for position 0 instead of its key and value."},
    FaultEntry{Fault::row_zeroed_at_some_lengths, "row_zeroed_at_some_lengths", "src/cache/kv_cache.cpp",
               "A prompt of 17, 33, 49, ... tokens leaves zeros for its last position."},
    FaultEntry{Fault::stale_row_after_rewind, "stale_row_after_rewind", "src/cache/kv_cache.cpp",
               "The first position after a rewind keeps the key and value of the token that was taken back."},
    FaultEntry{Fault::row_in_neighbours_cache, "row_in_neighbours_cache", "src/model/transformer.cpp",
               "The first new key and value of each row go into the cache of the next row of the batch."},
    FaultEntry{Fault::one_draw_for_all_rows, "one_draw_for_all_rows", "src/generate/generator.cpp",
               "Every row of a batch gets the token that was drawn for the first one."},
    FaultEntry{Fault::softmax_over_wrong_length, "softmax_over_wrong_length", "src/kernels/attention.hpp",
               "After the first call, attention covers the positions that were cached before the call alone."},
    FaultEntry{Fault::norm_epsilon_wrong, "norm_epsilon_wrong", "src/model/config.cpp",
               "Every norm computes with a tenth of the model's epsilon."},
    FaultEntry{Fault::heads_grouped_by_modulo, "heads_grouped_by_modulo", "src/layers/attention.hpp",
               "Query head h reads key/value head h mod Hkv instead of h / G."},
    FaultEntry{Fault::finished_row_advances, "finished_row_advances", "src/generate/generator.cpp",
               "A row that has finished goes on drawing tokens."},
};

/// Whether a fault shows only in a cache that was rewound: a row that has it goes on from one that such a row left.
constexpr bool needs_rewound_cache(Fault fault) { return fault == Fault::stale_row_after_rewind; }

constexpr std::string_view fault_name(Fault fault) {
  return fault == Fault::none ? "none" : kFaults[static_cast<std::size_t>(fault) - 1].name;
}

/// The fault of this name, or of "none". Throws invalid_option.
inline Fault parse_fault(std::string_view name) {
  if (name == "none") return Fault::none;
  for (const FaultEntry& entry : kFaults) {
    if (entry.name == name) return entry.fault;
  }
  fail(ErrorCode::invalid_option, str("fault: expected none or the name of a fault, found ", in_quotes(name)));
}

}  // namespace vitrine
